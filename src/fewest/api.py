"""The Python interface: `fewest.load("heng-dao-li-ma").solve()`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fewest.engines import DEFAULT_ENGINE
from fewest.engines import solve as run_engine
from fewest.errors import UsageError
from fewest.grounding import ground
from fewest.language.compile import load_puzzle
from fewest.language.puzzle import Puzzle
from fewest.metrics import metric_of
from fewest.reference import Position, start
from fewest.results import Horizon, Limits, Result, single
from fewest.task import Task
from fewest.validate import validate

if TYPE_CHECKING:
    from fewest.core.interface import Progress


def load(
    ref: str | Path, parameters: Mapping[str, int] | None = None, *, text: str | None = None
) -> CompiledPuzzle:
    """The puzzle in a file, the shipped one of that name, or the one in `text`.

    Raises DocumentError with every mistake found, NotFoundError, or UsageError.
    """
    return CompiledPuzzle(load_puzzle(ref, parameters, text=text))


@dataclass(frozen=True)
class CompiledPuzzle:
    """A puzzle and what can be asked of it. The task is made when it is first needed."""

    puzzle: Puzzle

    @cached_property
    def task(self) -> Task:
        """The grounded task: facts, cubes and flips. Raises DocumentError if it is too large."""
        return ground(self.puzzle)

    @property
    def start(self) -> Position:
        """The start position."""
        return start(self.puzzle)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics, the default one first."""
        default = self.puzzle.default_metric
        return (default, *(name for name in self.puzzle.metrics if name != default))

    def solve(
        self,
        metric: str | None = None,
        *,
        engine: str = DEFAULT_ENGINE,
        seconds: float | None = None,
        memory: int | None = None,
        progress: Callable[[Progress | Horizon], None] | None = None,
        **options: Any,
    ) -> Result:
        """The fewest moves in a metric, with a validated plan.

        Limits: `seconds` of wall clock and `memory` in bytes; reaching one is a result, not an error.
        `options` go to the engine (`exhaust=True` for bfs: go on and count all reachable states).
        Raises UsageError for an unknown metric or engine, or a puzzle without a goal.
        """
        chosen = metric_of(self.task, metric)
        if self.puzzle.goal is None and not options.get("exhaust"):
            raise UsageError(
                f"{self.puzzle.name} has no goal", hint="say what to reach under `goal`"
            )
        answer = run_engine(engine, self.task, chosen, Limits(seconds, memory), progress, **options)
        plan = None
        if answer.plan is not None and answer.cost is not None:
            plan = validate(self.puzzle, self.task, chosen, answer.plan, answer.cost)
        return Result(
            puzzle=self.puzzle.name,
            title=self.puzzle.title,
            status=answer.status,
            cost=None if answer.cost is None else single(answer.cost),
            lower_bound=single(answer.lower_bound),
            plan=plan,
            metric=chosen.name,
            engine=engine,
            reason=answer.reason,
            statistics=answer.statistics,
        )

    def __str__(self) -> str:
        from fewest.render.text import draw

        labels = {(p.class_id, p.anchor): p.label for p in self.puzzle.pieces}
        return "\n".join([self.puzzle.title, *draw(self.start, labels)])

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre style='line-height:1.2'>{escape(str(self))}</pre>"

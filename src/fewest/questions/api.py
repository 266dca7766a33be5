"""The Python interface: `fewest.load("heng-dao-li-ma").solve()`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fewest.engines import DEFAULT_ENGINE
from fewest.engines import solve as run_engine
from fewest.errors import UsageError
from fewest.formats.sokoban.levels import document as level_document
from fewest.formats.sokoban.levels import is_collection, read_collection, split_reference
from fewest.grounding.ground import ground
from fewest.model.answer import Horizon, Limits, Result, single
from fewest.model.metric import metric_of
from fewest.model.position import Position, start
from fewest.model.puzzle import Puzzle
from fewest.model.task import Task
from fewest.playing.validate import validate
from fewest.reading.compile import compile_document
from fewest.reading.overlay import LoadedDocument, load_document

if TYPE_CHECKING:
    from fewest.questions.explain import Deadlock
    from fewest.questions.explore import Exploration
    from fewest.questions.hint import Hint
    from fewest.questions.oracle import Built, Oracle
    from fewest.search.interface import Progress
    from fewest.space.index import StateIndex


def load(
    ref: str | Path, parameters: Mapping[str, int] | None = None, *, text: str | None = None
) -> CompiledPuzzle:
    """The puzzle in a file, the shipped one of that name, or the one in `text`.

    `levels.xsb:7` is a level of a collection, by number or title; see `formats.levels`.
    Raises DocumentError with every mistake found, NotFoundError, or UsageError.
    """
    if text is None and is_collection(split_reference(str(ref))[0]):
        ref, text = _level(str(ref))
    loaded = load_document(ref, text=text)
    return CompiledPuzzle(compile_document(loaded, parameters or {}), loaded)


def _level(ref: str) -> tuple[str, str]:
    """What to call the level that a reference means, and its document."""
    file, which = split_reference(ref)
    collection = read_collection(file)
    if which is None:
        if len(collection.levels) > 1:
            raise UsageError(
                f"{file} has {len(collection.levels):,} levels",
                hint=f"say which: {file}:1, or its title; `fewest solve {file}` solves them all",
            )
        which = "1"
    level = collection.level(which)
    return f"{file}:{level.number}", level_document(collection, level)


@dataclass(frozen=True)
class CompiledPuzzle:
    """A puzzle and what can be asked of it. The task is made when it is first needed."""

    puzzle: Puzzle
    document: LoadedDocument | None = field(default=None, repr=False, compare=False)

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
        By default A* where its lower bounds pay, else breadth-first search (see `engines.auto`); the
        result says which. `options` go to the engine (for bfs `exhaust=True`: go on and count all reachable states;
        `symmetry="on"`: one state of every orbit; `store="index"`: two bits each instead of a table;
        `threads=1`: not on all processors).
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
            engine=answer.engine or engine,
            reason=answer.reason,
            statistics=answer.statistics,
        )

    def explore(
        self,
        metric: str | None = None,
        *,
        symmetry: str = "auto",
        seconds: float | None = None,
        memory: int | None = None,
        threads: int | None = None,
        progress: Callable[[Progress], None] | None = None,
        store: str = "hash",
    ) -> Exploration:
        """Everything about the positions that can be reached: see `explore.Exploration`.

        Limits are as in `solve`; `threads` may be used (all processors by default) to count the
        positions; `store="index"` takes two bits for each consistent position and counts no plans.
        Raises UsageError for an unknown metric, for `symmetry` "on" where it cannot be, and for what
        an index cannot do.
        """
        from fewest.questions.explore import explore

        chosen = metric_of(self.task, metric)
        return explore(
            self.task,
            chosen,
            Limits(seconds, memory),
            progress,
            symmetry=symmetry,
            store=store,
            threads=threads,
        )

    @cached_property
    def index(self) -> StateIndex:
        """All consistent positions, as states of the task, numbered: see `space.index.StateIndex`.

        Raises UsageError if they cannot be numbered.
        """
        from fewest.space.index import state_index

        return state_index(self.task)

    def at(self, position: str | Position, name: str = "position") -> CompiledPuzzle:
        """The same puzzle with another start: a position, or its drawing (see `read_position`).

        Raises DocumentError or PositionError for what is no position of the puzzle.
        """
        from fewest.reading.positions import check_numbers, read_position, start_at

        if isinstance(position, str):
            assert self.document is not None, "made by `load`"
            moved = read_position(self.document, self.puzzle, position, name)
        else:
            moved = start_at(self.puzzle, position)
        check_numbers(self.task, moved)
        return CompiledPuzzle(moved, self.document)

    def hardest(self, found: Exploration) -> CompiledPuzzle | None:
        """The puzzle from its hardest start, if exploring found one."""
        from fewest.model.states import decode

        known = found.to_goal
        if known is None or known.hardest is None:
            return None
        return self.at(decode(self.puzzle, self.task, known.hardest))

    def hardest_document(self, found: Exploration) -> str:
        """The hardest start that exploring found as a puzzle document that stands alone.

        Raises UsageError if none was found, UndrawableError if it cannot be drawn.
        """
        from fewest import __version__

        hardest, known = self.hardest(found), found.to_goal
        if hardest is None or known is None or known.eccentricity is None:
            raise UsageError("no hardest start is known")
        puzzle = self.puzzle
        cost = known.eccentricity
        by = f"computed by exhaustive search, fewest {__version__}"
        return self.document_at(
            hardest.start,
            f"{puzzle.name}-hardest",
            title=f"{puzzle.title}: the hardest start",
            metric=found.metric,
            expect={
                found.metric: {"value": cost if isinstance(cost, int) else list(cost), "source": by}
            },
            source="; ".join(part for part in (puzzle.source, by) if part),
            notes=f"Of the {found.num_states:,} positions that can be reached in {puzzle.name}, "
            f"{known.num_hardest:,} are farthest from the goal; this is one of them.",
        )

    def document_at(self, position: Position, name: str, **texts: Any) -> str:
        """A puzzle document that starts at a position and stands alone, read again to be sure.

        `texts` go to `write_puzzle`. Raises UndrawableError if the position cannot be drawn.
        """
        from fewest.formats.document import check_same_start, with_own_letters, write_puzzle
        from fewest.reading.positions import start_at

        assert self.document is not None, "made by `load`"
        moved = with_own_letters(self.document, start_at(self.puzzle, position))
        text = write_puzzle(self.document, moved, name=name, **texts)
        check_same_start(moved, load(f"{name}.yaml", text=text).puzzle)
        return text

    def hint(
        self,
        position: str | Position | None = None,
        metric: str | None = None,
        *,
        oracle: Oracle | None = None,
        name: str = "position",
        seconds: float | None = None,
        memory: int | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Hint:
        """What a position (the start by default) is worth: its distance and what every move loses.

        `name` is what errors call a drawing. The distances are searched, or looked up in `oracle`,
        which must be of this puzzle. Raises UsageError for an unknown metric, DocumentError or
        PositionError for what is no position, OracleError, and UnreachableError for a position that
        the oracle does not have.
        """
        from fewest.questions.hint import give_hint

        there = self if position is None else self.at(position, name)
        task = self.task if oracle is not None else there.task
        chosen = metric_of(task, metric)
        limits = Limits(seconds, memory)
        return give_hint(there.puzzle, task, chosen, oracle, limits, progress)

    def explain_deadlock(
        self,
        position: str | Position | None = None,
        metric: str | None = None,
        *,
        name: str = "position",
        seconds: float | None = None,
        memory: int | None = None,
        progress: Callable[[Any], None] | None = None,
    ) -> Deadlock:
        """Why no goal can be reached from a position (the start by default), if that is so.

        Where no argument shows it, an exhaustive search within the limits decides. Raises UsageError for
        an unknown metric or a puzzle without a goal, DocumentError or PositionError.
        """
        from fewest.questions.explain import explain_deadlock

        there = self if position is None else self.at(position, name)
        return explain_deadlock(self, there, metric, seconds, memory, progress)

    def build_oracle(
        self,
        path: Path,
        metric: str | None = None,
        *,
        seconds: float | None = None,
        memory: int | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Built:
        """Write the distances of all reachable positions to a file, for `open_oracle` and `hint`.

        Raises UsageError for an unknown metric or a puzzle without a goal, OSError.
        """
        from fewest import __version__
        from fewest.questions.oracle import build_oracle

        chosen = metric_of(self.task, metric)
        about = {
            "made_by": f"fewest {__version__}",
            "puzzle": self.puzzle.name,
            "title": self.puzzle.title,
            "parameters": dict(self.puzzle.parameters),
        }
        limits = Limits(seconds, memory)
        return build_oracle(self.task, chosen, path, about, limits, progress)

    def __str__(self) -> str:
        from fewest.drawing.text import draw

        labels = {(p.class_id, p.anchor): p.label for p in self.puzzle.pieces}
        return "\n".join([self.puzzle.title, *draw(self.start, labels)])

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre style='line-height:1.2'>{escape(str(self))}</pre>"

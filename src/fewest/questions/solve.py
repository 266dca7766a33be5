"""The whole story on one screen: from the name of a puzzle to the fewest moves and the proof."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fewest.engines import DEFAULT_ENGINE
from fewest.engines import solve as search
from fewest.engines.registry import check_options
from fewest.errors import UsageError
from fewest.grounding.ground import ground
from fewest.model.answer import Limits, single
from fewest.model.metric import metric_of
from fewest.model.puzzle import Puzzle
from fewest.model.task import Task
from fewest.playing.validate import validate
from fewest.questions.load import load_puzzle
from fewest.questions.result import Result


def solve(
    what: str | Path | Puzzle,
    metric: str | None = None,
    *,
    parameters: Mapping[str, int] | None = None,
    task: Task | None = None,
    engine: str = DEFAULT_ENGINE,
    limits: Limits | None = None,
    progress: Callable[[Any], None] | None = None,
    **options: Any,
) -> Result:
    """The fewest moves of a puzzle in a metric, with a validated plan. Every step has its room:

    - load: `reading` makes a `Puzzle` of a text (`formats`: of another program's); `model` has the types;
    - ground: `grounding` makes a `Task` of it: facts, cubes and flips, and no puzzle any more;
    - choose: the metric says what counts as one move; the engine who answers (`engines`, by registry);
    - search: an engine asks `search` (the native core) or a solver by way of `planning`, with what
      `analysis` and `deadends` know of the task; it gives operators and a cost, or why there is none;
    - validate: `playing` plays the operators on the board by the rules; it shares nothing with grounding;
    - answer: a `Result`, for people or as JSON.

    `what` may be a loaded puzzle, `task` what it was grounded to. Reaching a limit is a result, not an
    error; `options` go to the engine. Raises DocumentError or NotFoundError for what cannot be loaded,
    UsageError for an unknown metric or engine, or a puzzle without a goal.
    """
    check_options(engine, options)
    puzzle = what if isinstance(what, Puzzle) else load_puzzle(what, parameters)
    task = ground(puzzle) if task is None else task
    chosen = metric_of(task, metric)
    if puzzle.goal is None and not options.get("exhaust"):
        raise no_goal(puzzle)
    answer = search(engine, task, chosen, limits or Limits(), progress, **options)
    plan = None
    if answer.plan is not None and answer.cost is not None:
        plan = validate(puzzle, task, chosen, answer.plan, answer.cost)
    return Result(
        puzzle=puzzle.name,
        title=puzzle.title,
        status=answer.status,
        cost=None if answer.cost is None else single(answer.cost),
        lower_bound=single(answer.lower_bound),
        plan=plan,
        metric=chosen.name,
        engine=answer.engine or engine,
        reason=answer.reason,
        statistics=answer.statistics,
    )


def no_goal(puzzle: Puzzle) -> UsageError:
    """The error of whoever asks how far it is to a goal that there is not."""
    return UsageError(f"{puzzle.name} has no goal", hint="say what to reach under `goal`")

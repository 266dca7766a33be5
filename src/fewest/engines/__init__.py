"""The engines: one file each, one literal registry, imported when used.

An engine is a function `solve(task, metric, limits, progress) -> Answer`; it reads nothing but the
task. `progress` is called with a core's `Progress`, or with a `Horizon` by the engines that plan.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from fewest.errors import UsageError, suggest

if TYPE_CHECKING:
    from fewest.model.answer import Answer, Limits
    from fewest.model.metric import Metric
    from fewest.model.task import Task


class Engine(NamedTuple):
    """Where an engine is, what it is, and what it can do.

    `is_exhaustive`: it proves that there is no plan, by exhaustion. `has_all_metrics`: it takes every
    metric of the language; others raise UsageError for those that they cannot count. `is_optimal`: a
    plan is proven minimal; others answer `solved`. `has_all_goals`: it takes every goal; others raise
    UsageError for those with too many goal states. `options` are the keyword arguments that a command
    line may give it.
    """

    module: str
    text: str
    is_exhaustive: bool = True
    has_all_metrics: bool = True
    is_optimal: bool = True
    has_all_goals: bool = True
    options: tuple[str, ...] = ()


HORIZON_OPTIONS = ("first", "last", "stride", "at_most")

ENGINES: dict[str, Engine] = {
    "auto": Engine(
        "fewest.engines.auto",
        "A* where its lower bounds pay, else bfs",
        options=("store", "symmetry", "threads"),
    ),
    "bfs": Engine(
        "fewest.engines.bfs",
        "exhaustive search in layers, native core where there is one",
        options=("store", "symmetry", "threads"),
    ),
    "python": Engine(
        "fewest.engines.python",
        "the same, answered by the pure-Python core",
        options=("symmetry",),
    ),
    "bidirectional": Engine(
        "fewest.engines.bidirectional",
        "from the start and from every goal position at once, where those are few",
        has_all_goals=False,
    ),
    "astar": Engine(
        "fewest.engines.astar",
        "A* with lower bounds from pieces and patterns of pieces, native core only",
        has_all_metrics=False,
    ),
    "ida": Engine(
        "fewest.engines.ida_star",
        "the same bounds in hardly any memory: IDA*, as A* goes on where its memory ends",
        has_all_metrics=False,
    ),
    "iterative-deepening": Engine(
        "fewest.engines.iterative_deepening",
        "iterative deepening over a stored tree of pushes, to compare with A*, native core only",
        has_all_metrics=False,
    ),
    "sat": Engine(
        "fewest.engines.sat",
        "bounded-horizon planning in a SAT solver, horizon by horizon",
        is_exhaustive=False,
        has_all_metrics=False,
        options=(*HORIZON_OPTIONS, "encoding", "solver"),
    ),
    "asp": Engine(
        "fewest.engines.asp",
        "bounded-horizon planning in clingo, horizon by horizon",
        is_exhaustive=False,
        has_all_metrics=False,
        options=HORIZON_OPTIONS,
    ),
    "goal-directed": Engine(
        "fewest.engines.goal_directed",
        "some plan, soon: frees what stands in the way",
        is_optimal=False,
    ),
}
DEFAULT_ENGINE = "auto"


def solve(
    name: str,
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Any], None] | None = None,
    **options: Any,
) -> Answer:
    """The answer of the engine of that name. Raises UsageError for an unknown one."""
    module = import_module(engine_of(name).module)
    answer: Answer = module.solve(task, metric, limits, progress, **options)
    return answer


def engine_of(name: str) -> Engine:
    """The engine of that name. Raises UsageError for an unknown one."""
    if name not in ENGINES:
        near = suggest(name, list(ENGINES))
        hint = f"did you mean `{near}`?" if near else f"there are {', '.join(ENGINES)}"
        raise UsageError(f"there is no engine `{name}`", hint=hint)
    return ENGINES[name]

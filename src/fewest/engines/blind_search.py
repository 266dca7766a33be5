"""The functions that all exhaustive searches share: for their answers, and for their use of symmetry.

A state and its images have the same distance to the goal. Therefore, a search that uses any group of symmetries finds
the same minimum as a search without symmetry. Counts of reachable states are exact if every symmetry in the group maps
the start to itself: then the images of a state that is reached are reached at the same depth. Otherwise, an image may
be unreachable. For instance, the mirror image of a Klotski start is often reachable, but other sliding-block starts may
have unreachable images. Therefore, if the group contains a symmetry that moves the start, the search counts only one
state per orbit, the representative. The option `exhaust` needs exact counts, so it uses only the symmetries that map
the start to itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from fewest.engines.answers import answer_of, counts
from fewest.errors import UsageError
from fewest.model.costs import cost_table
from fewest.model.task import facts_in
from fewest.search.interface import UnusedSymmetryError

if TYPE_CHECKING:
    from fewest.model.answer import Answer, Limits
    from fewest.model.costs import CostTable
    from fewest.model.metric import Metric
    from fewest.model.problem import Problem, Symmetry
    from fewest.model.task import Task
    from fewest.search.interface import Outcome, Progress


def search_all(
    core: Callable[..., Outcome],
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None,
    *,
    exhaust: bool,
    symmetry: str,
    threads: int | None = None,
) -> Answer:
    """The answer of a complete search by `core`.

    If `symmetry` is "on", the search uses symmetry. If that is impossible, the function raises UsageError with the
    reason.
    """
    began = time.perf_counter()
    # computing the cost table takes a second for the largest tasks
    problem, cost = task.problem, cost_table(task, metric)
    spent = time.perf_counter() - began
    options: dict[str, Any] = {} if threads is None else {"threads": threads}
    group = None
    if symmetry == "on":
        group = required_symmetry(problem, cost, exhaust=exhaust)
        options["symmetry"] = group
    seconds = inf if limits.seconds is None else max(0.0, limits.seconds - spent)
    try:
        outcome = core(
            problem,
            cost,
            exhaust=exhaust,
            seconds=seconds,
            memory=limits.memory,
            progress=progress,
            **options,
        )
    except UnusedSymmetryError as error:
        raise unserved(error) from error
    return exhaustive_answer(task, outcome, group)


def exhaustive_answer(task: Task, outcome: Outcome, symmetry: Symmetry | None) -> Answer:
    """The answer for an outcome, with the counts of all layers; if the search used `symmetry`, also with the counts of
    orbits.
    """
    statistics = counts(outcome, layers=[[list(cost), count] for cost, count in outcome.layers])
    if outcome.endless is not None:
        operator, state = outcome.endless
        names = [task.facts[fact].name for fact in facts_in(state)]
        statistics["endless"] = {"rule": task.operators[operator].rule, "at": names}
    answer = answer_of(outcome, statistics)
    if symmetry is None:
        return answer
    used = {
        "order": symmetry.order,
        "fixes_start": symmetry.fixes_initial,
        "canonical_states": outcome.canonical_states,
        "orbit_states": outcome.orbit_states,
    }
    return replace(answer, statistics={**answer.statistics, "symmetry": used})


def required_symmetry(problem: Problem, cost: CostTable, *, exhaust: bool) -> Symmetry:
    """The symmetries of a problem; with `exhaust`, only those that map the start to itself. Raises UsageError if there
    are none.
    """
    from fewest.analysis.symmetry import find_symmetry

    symmetry = find_symmetry(problem, cost, fix_initial=exhaust)
    if symmetry is not None:
        return symmetry
    if exhaust and find_symmetry(problem, cost) is not None:
        raise UsageError(
            "symmetry cannot be used to count the reachable positions, because no symmetry maps the start to itself",
            hint="leave out --symmetry; `fewest solve --symmetry on` can use other symmetries",
        )
    raise UsageError(
        "no symmetry of the puzzle was found",
        hint="leave out --symmetry; the answer is the same without it",
    )


def unserved(error: UnusedSymmetryError) -> UsageError:
    """The error for a metric for which the core does not support symmetry."""
    return UsageError(
        "a search by symmetry does not support this metric",
        hint="use --engine python, which is slow but supports all metrics; the other engines "
        "need a metric in which every move costs the same, or one agent walks for free",
    )

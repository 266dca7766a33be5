"""The default: A* where the task's shape says that its lower bounds pay, else search by layers, perhaps from both ends.

Lower bounds pay, measured over all puzzles that come with the package,

- where an agent walks among pieces (Sokoban and its kin): what breadth-first search takes three times
  as long for, or cannot do at all, and never the other way round by more than a few milliseconds; where A* is long
  it begins at the goals as well (`bidirectional_astar`), or where that cannot be a search without bounds from both
  ends has turns (`in_turns`);
- without an agent, where the bound at the start is more than half of what a breadth-first search of
  about a million states gets to (in the 15-puzzle about as much; in Klotski and Rush Hour a tenth). So
  one begins; when it is that long it is compared with the bound, and goes on or gives way.

A search that is long also gives way to one from both ends, in every metric, where the goal says where nearly
everything is (FEW states or less) and there are not symmetries enough: two searches to half the depth look at few
states; at worst at twice as many, since the side with fewer of them goes on.

Before that it gives way to A* over what is left without the names of pieces (`engines.abstraction`), in metrics that
merge moves as well, where these give a bound for the start that the search has not come to yet.

Whoever gives way throws away what it searched, but for the bound that it had come to: A* would need a bound of every
state, and what a search from both ends could go on with is made anew in some hundredths of a second. So where the goal
states are few, which takes no time to find out, a quarter of a long search (some 200,000 states, 20 to 50 ms) is all
that is thrown away if it can be told by then how the comparison will end (`_Thoughts.early`). Other goals, and what is
undecided then, cost a million states.

Nothing but time depends on the choice: both prove the minimum. A search that is long is also ended by a sum
that no move changes or raises and that every goal needs otherwise (`analysis.refutation`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property, partial
from math import inf
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from fewest.engines import bfs
from fewest.engines.exhaustive import EASY
from fewest.engines.registry import check_metric, has_one_weight, word_of
from fewest.errors import UsageError
from fewest.model.answer import Answer, Limits
from fewest.model.costs import cost_table

if TYPE_CHECKING:
    from fewest.engines.exhaustive import Rethink
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.interface import Progress

_THOUGHT = 2.0  # seconds for a sum, in a search that is long
FEW = 100  # goal states from which a search begins, too
_NAMELESS_SECONDS, _NAMELESS_BYTES = 1.0, 32 << 20  # for the bound without names, of a long search
_MANY_IMAGES = 4  # symmetries that spare as much as a search from both ends


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
    *,
    threads: int | None = None,
    **options: Any,
) -> Answer:
    """The minimum, proven, by `astar`, `bfs` or `bidirectional`; the answer says which.

    `threads`, which `astar` takes, too, and all `options` are those of `bfs`; with any of `options` the answer is
    its. Where the memory ends A* is asked, which goes on in little of it; the better lower bound of both is answered.
    Raises UsageError as `bfs` does.
    """

    clock = _Clock(limits)
    by_layers = partial(_by_layers, task, metric, limits, progress, threads)
    is_auto = word_of(options.get("store", "")) == "auto"
    spare = {"store": options.pop("store")} if is_auto else {}
    if options or task.turns:  # what bounds and sums are made of are flips
        return by_layers(**options, **spare)
    has_bounds = _has_bounds(task, metric) and not task.consequences
    bounds = _Bounds(task, metric, threads) if has_bounds else None
    if bounds is not None and has_agent(task):
        from fewest.engines.in_turns import solve_in_turns

        try:
            return solve_in_turns(bounds.solve, task, metric, limits, progress)
        except UsageError:
            return by_layers(**spare)
    if bounds is not None:  # A* goes on in little memory
        spare = {}
    found = 0  # what costs less was looked at
    try:
        answer = by_layers(rethink=_Thoughts(task, metric, bounds).by_part, **spare)
    except _GoalsAreFew as few:
        found = few.cost
        answer = _from_both_ends(task, metric, clock.left, progress)
    except _NamesCost as cost:
        found = cost.cost
        answer = _without_names(task, metric, clock.left, progress)
        if answer.reason == "memory":  # where layers go on on disk, or in less of it
            again = _by_layers(task, metric, clock.left, progress, threads, **spare)
            answer = _at_least(again, answer.lower_bound[0])
    except _BoundsPay as pays:
        assert bounds is not None
        return _at_least(bounds.solve(clock.left, progress), pays.cost)
    except _Refuted as refuted:
        known = {"argument": refuted.argument, "seconds": clock.spent}
        bound = (refuted.cost, *(0 for _ in metric.parts[1:]))
        return Answer("unsolvable", None, bound, None, None, known)
    answer = _at_least(answer, found)
    if bounds is None or answer.reason != "memory" or bounds.initial is None:
        return answer
    # Who has bounds goes on when the memory ends.
    return _at_least(bounds.solve(clock.left, progress), answer.lower_bound[0])


class _Clock:
    """What is left of limits."""

    def __init__(self, limits: Limits) -> None:
        self.limits, self.began = limits, time.perf_counter()

    @property
    def spent(self) -> float:
        return time.perf_counter() - self.began

    @property
    def left(self) -> Limits:
        if self.limits.seconds is None:
            return self.limits
        return replace(self.limits, seconds=max(0.0, self.limits.seconds - self.spent))


def _at_least(answer: Answer, cost: int) -> Answer:
    """The answer, which may have been stopped before it was as far as a search before it."""
    bound = (cost, *(0 for _ in answer.lower_bound[1:]))
    return replace(answer, lower_bound=max(answer.lower_bound, bound))


def _from_both_ends(
    task: Task, metric: Metric, limits: Limits, progress: Callable[[Progress], None] | None
) -> Answer:
    from fewest.engines import bidirectional

    answer = bidirectional.solve(task, metric, limits, progress)
    return replace(answer, engine="bidirectional")


def _without_names(
    task: Task, metric: Metric, limits: Limits, progress: Callable[[Progress], None] | None
) -> Answer:
    from fewest.engines import abstraction

    return replace(abstraction.solve(task, metric, limits, progress), engine="abstraction")


def _nameless_bound(task: Task, metric: Metric) -> float | None:
    """What the goal costs where pieces that look alike have no names, inf if it cannot be reached even so.

    None if that is not found soon, or no pieces look alike.
    """
    from fewest.analysis.abstraction import alike, without_names
    from fewest.engines.abstraction import as_problem
    from fewest.search.measuring import measure

    if task.consequences or not has_one_weight(metric):
        return None
    sets = alike(task)
    if not sets:
        return None
    one = as_problem(without_names(task, sets), metric)
    found = measure(
        one.problem,
        one.cost,
        one.back,
        counts_plans=False,
        seconds=_NAMELESS_SECONDS,
        memory=_NAMELESS_BYTES,
    )
    if found is None or found.status != "exhausted":
        return None
    return inf if found.minimum is None else found.minimum[0]


def _by_layers(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None,
    threads: int | None,
    **options: Any,
) -> Answer:
    answer = bfs.solve(task, metric, limits, progress, threads=threads, **options)
    return replace(answer, engine="bfs")


class _Bounds:
    """A* for a task in a metric."""

    def __init__(self, task: Task, metric: Metric, threads: int | None) -> None:
        self.task, self.metric, self.threads = task, metric, threads

    @cached_property
    def initial(self) -> int | None:
        """The bound at the start (its first number); None for too many facts, or costs that are too large."""
        try:
            begun = self.solve(Limits(seconds=0.0))
        except UsageError:
            return None
        bound: int = begun.statistics["initial_bound"][0]
        return bound

    def solve(self, limits: Limits, progress: Callable[[Progress], None] | None = None) -> Answer:
        """The answer. Raises UsageError where `initial` is None."""
        from fewest.engines import bidirectional_astar

        answer = bidirectional_astar.solve(
            self.task, self.metric, limits, progress, threads=self.threads
        )
        has_both_ends = answer.statistics["algorithm"].startswith("bidirectional")
        return replace(answer, engine="bidirectional-astar" if has_both_ends else "astar")


class _Thoughts:
    """What is asked of a search by layers as it grows: each raises what ends it, if anything does."""

    def __init__(self, task: Task, metric: Metric, bounds: _Bounds | None) -> None:
        self.task, self.metric, self.bounds = task, metric, bounds

    @property
    def by_part(self) -> Rethink:
        """When each is asked (`exhaustive.Rethink`)."""
        return {4: self.early, 1: self.late}

    def early(self, known: Progress) -> None:
        """What is certain to be thought of a search four times as long, where goals are few.

        If states grow with the square of their cost or faster, that comes to twice the cost at most: bounds pay then if
        the search has not come to the first one yet. If it has come to twice the first one, they never do.
        """
        if not self.has_few_goals:
            return
        pays = 0 < known.cost <= self.initial_bound
        if pays or (2 * self.initial_bound <= known.cost and self.has_both_ends):
            self.late(known)

    def late(self, known: Progress) -> None:
        """What is thought of a search that is long."""
        from fewest.analysis.refutation import refute

        sums = refute(self.task, _THOUGHT)
        if sums is not None:
            raise _Refuted(known.cost, sums[0].words())
        nameless = _nameless_bound(self.task, self.metric)
        if nameless is not None and nameless > max(known.cost, self.initial_bound):
            raise _NamesCost(known.cost)
        if 2 * self.initial_bound > known.cost:
            raise _BoundsPay(known.cost)
        if self.has_both_ends:
            raise _GoalsAreFew(known.cost)

    @property
    def initial_bound(self) -> int:
        """That of A*; 0 without one."""
        return (self.bounds and self.bounds.initial) or 0

    @cached_property
    def has_few_goals(self) -> bool:
        """Whether the goal says where nearly everything is."""
        from fewest.analysis.reverse import TooManyStatesError, goal_states

        try:
            return bool(goal_states(self.task, FEW))
        except TooManyStatesError:
            return False

    @cached_property
    def has_both_ends(self) -> bool:
        """Whether a search from both ends is faster than one by symmetry, and can be."""
        if self.task.consequences or not self.has_few_goals:
            return False
        from fewest.analysis.symmetry import find_symmetry

        cost = cost_table(self.task, self.metric)
        symmetry = find_symmetry(self.task.problem, cost, most=EASY)
        return symmetry is None or symmetry.order < _MANY_IMAGES


class _BoundsPay(Exception):  # noqa: N818 - a change of mind, not an error
    """Ends a breadth-first search that was long and had come to `cost`."""

    def __init__(self, cost: int) -> None:
        super().__init__()
        self.cost = cost


class _NamesCost(Exception):  # noqa: N818 - a change of mind, not an error
    """Ends a breadth-first search that was long and had come to `cost`: without names it would be short."""

    def __init__(self, cost: int) -> None:
        super().__init__()
        self.cost = cost


class _GoalsAreFew(Exception):  # noqa: N818 - a change of mind, not an error
    """Ends a breadth-first search that was long and had come to `cost`: the goal can be searched from, too."""

    def __init__(self, cost: int) -> None:
        super().__init__()
        self.cost = cost


class _Refuted(Exception):  # noqa: N818 - a proof, not an error
    """Ends a search that had come to `cost`: no goal can be reached, and why."""

    def __init__(self, cost: int, argument: str) -> None:
        super().__init__()
        self.cost, self.argument = cost, argument


def _has_bounds(task: Task, metric: Metric) -> bool:
    """Whether A* may be asked. Of lines single pieces say something only where an agent walks among them."""
    try:
        check_metric("astar", metric)
    except UsageError:
        return False
    return has_agent(task) or all(part.merge == "none" for part in metric.parts)


def has_agent(task: Task) -> bool:
    """Whether one thing is in one place, has a part in every operator, and walks: moves alone."""
    for group in task.exactly:
        if group.count != 1:
            continue
        places = sum(1 << fact for fact in group.facts)
        if all((o.value & places).bit_count() == 1 for o in task.operators) and any(
            o.flip & places == o.flip for o in task.operators
        ):
            return True
    return False

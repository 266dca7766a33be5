"""The search for all optimal plans. The search finds the graph of the plans, their number, and some of the plans."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from math import inf
from typing import TYPE_CHECKING

from msgspec import Struct

from fewest.commands.audit import explain_failure
from fewest.commands.solutions.report import Bottleneck, PlansOfCost, Solutions
from fewest.commands.solve import less
from fewest.errors import InternalError, UsageError, no_goal
from fewest.model.answer import LimitReached, Limits, reason_of_end, single
from fewest.model.costs import cost_table, run_rule
from fewest.model.states import decode, encode
from fewest.playing.validate import validate

if TYPE_CHECKING:
    from fewest.model.costs import CostTable
    from fewest.model.metric import Metric, Parts
    from fewest.model.problem import Symmetry
    from fewest.model.puzzle import Puzzle
    from fewest.model.task import Task
    from fewest.playing.plan import Plan
    from fewest.search.interface import Progress
    from fewest.space.distances import Distances
    from fewest.space.plan_graph import Change, PlanEdge, PlanGraph
    from fewest.space.state_graph import StateSpace, Watch
    from fewest.space.traces import TraceGraph

_AMBIGUOUS = "some plans can be cut into moves of this metric in several ways"


class Request(Struct, frozen=True):
    """The requested extra results: `listed` plans, a count up to symmetry, and counts of plans by cost, up to the cost
    `at_most`.
    """

    listed: int = 0
    up_to_symmetry: bool = False
    at_most: int | None = None


def find_solutions(
    puzzle: Puzzle,
    task: Task,
    metric: Metric,
    request: Request | None = None,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Solutions:
    """All optimal plans of a task in a metric, up to the order of independent moves.

    If every operator costs the same, this takes two searches up to the first goal state. If every merged move costs the
    same, the core can measure the goal distances. Otherwise, the search takes as long as an exploration over arrays
    (`space.distances`). Raises UsageError if the puzzle has no goal, or if `at_most` is used with a metric that is a
    pair.
    """
    if not task.has_goal:
        raise no_goal(puzzle.name)
    request, limits = request or Request(), limits or Limits()
    return _Search(puzzle, task, metric, request, limits, progress).answer()


class _Search:
    """The stages of the search; the results of finished stages remain after a limit."""

    def __init__(
        self,
        puzzle: Puzzle,
        task: Task,
        metric: Metric,
        request: Request,
        limits: Limits,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        from fewest.space.layered_plans import has_uniform_costs
        from fewest.space.state_graph import limit_watch

        self.began = time.perf_counter()
        self.puzzle, self.task, self.metric = puzzle, task, metric
        self.request, self.limits, self.progress = request, limits, progress
        self.watch: Watch = limit_watch(limits.seconds, limits.memory, self.began, progress)
        self.table = cost_table(task, metric)
        self.is_uniform = has_uniform_costs(self.table)
        if request.at_most is not None and self.table.parts > 1:
            raise UsageError(
                f"--at-most needs a metric with one number, but {metric.name} is a pair",
                hint="use --metric with one part of the pair",
            )
        self.graph: PlanGraph | None = None
        self.minimum: Parts | None = None  # known before the graph
        self.all_distances: tuple[StateSpace, Distances] | None = None
        self.is_searched = False
        self.num_plans: int | None = None
        self.num_traces: int | None = None
        self.num_orbits: int | None = None
        self.num_symmetries: int | None = None
        self.is_symmetry_whole: bool | None = None
        self.num_shared: int | None = None
        self.shared_texts: Callable[[], tuple[str, ...]] = tuple
        self.bottlenecks: tuple[Bottleneck, ...] = ()
        self.plans: tuple[Plan, ...] = ()
        self.beyond: tuple[PlansOfCost, ...] = ()
        self.uncounted: str | None = None

    def answer(self) -> Solutions:
        """The plans and figures found within the limits."""
        reason = reason_of_end(self._run)
        graph = self.graph
        minimum = self.minimum if graph is None else graph.left[0]
        is_solvable = minimum is not None
        status = "optimal" if is_solvable else "unsolvable" if self.is_searched else "limit"
        return Solutions(
            puzzle=self.puzzle.name,
            title=self.puzzle.title,
            metric=self.metric.name,
            status=status,  # type: ignore[arg-type]
            minimum=None if minimum is None else single(minimum),
            num_plans=0 if status == "unsolvable" else self.num_plans,
            num_traces=0 if status == "unsolvable" else self.num_traces,
            num_orbits=self.num_orbits,
            num_symmetries=self.num_symmetries,
            is_symmetry_whole=self.is_symmetry_whole,
            num_moves=None if graph is None else _num_changes(graph),
            num_shared=self.num_shared,
            shared_texts=self.shared_texts,
            bottlenecks=self.bottlenecks,
            plans=self.plans,
            beyond=self.beyond,
            reason=reason,
            uncounted=self.uncounted,
            seconds=time.perf_counter() - self.began,
            graph=graph,
        )

    def _run(self) -> None:
        from fewest.space.layered_plans import uniform_plan_graph
        from fewest.space.traces import (
            TraceGraph,
            count_traces,
            first_word,
            list_traces,
            shared_parts,
        )

        if self.is_uniform:
            self.graph = uniform_plan_graph(self.task, self.table, self.watch)
            self.num_plans = None if self.graph is None else self.graph.num_words
        elif not self._search_core():
            self._search_arrays()
        self.is_searched = True
        graph = self.graph
        if graph is None:
            return
        parts = shared_parts(graph)
        self.bottlenecks = tuple(
            Bottleneck(single(self._left_at(state)), decode(self.puzzle, self.task, state))
            for state in parts.states
        )
        self._share(graph, first_word(graph), frozenset(parts.changes))
        if graph.num_words != self.num_plans:
            self.uncounted = _AMBIGUOUS
            self._count_beyond()
            return
        traces = TraceGraph(graph)
        self.num_traces = count_traces(traces, self.watch)
        words = list_traces(traces, max(1, self.request.listed))
        self.plans = tuple(self._plan(graph, word) for word in words[: self.request.listed])
        self._share(graph, words[0], frozenset(parts.changes))
        if self.request.up_to_symmetry:
            self._count_orbits(traces)
        self._count_beyond()

    def _search_core(self) -> bool:
        """Let the core count the plans and list their states, and compute the graph from arrays that contain only these
        states.

        Returns False if the core does not support the task.
        """
        from fewest.analysis.regression import reverse
        from fewest.search.goal_distances import measure_goal_distances
        from fewest.space.merged_plans import graph_of_runs

        # Consequences have no inverse, and reversed moves must not enter a forbidden start.
        if self.task.consequences or self.task.is_forbidden(self.task.initial):
            return False
        left = less(self.limits, self.began)
        measured = measure_goal_distances(
            self.task.problem,
            self.table,
            reverse(self.task, ()),
            counts_plans=True,
            lists_states=True,
            seconds=inf if left.seconds is None else left.seconds,
            memory=left.memory,
            progress=self.progress,
        )
        if measured is None:
            return False
        if measured.status != "exhausted":
            raise LimitReached(measured.status)
        if measured.minimum is None or measured.plan_states is None:
            return True
        self.minimum, self.num_plans = measured.minimum, measured.num_plans
        graph = graph_of_runs(self.task, self.table, measured.plan_states, self.watch)
        if graph.left[0] != measured.minimum or graph.num_words != self.num_plans:
            raise InternalError("the graph of the optimal plans does not contain the counted plans")
        self.graph = graph
        return True

    def _search_arrays(self) -> None:
        """Compute the graph from arrays of all states, and count the plans without using the graph."""
        from fewest.space.merged_plans import plan_graph
        from fewest.space.plans import count_plans

        space, distances = self._all_distances()
        self.minimum = distances.cost(0)
        if self.minimum is None:
            return
        self.num_plans = count_plans(space, self.table, distances, self.watch)
        self.graph = plan_graph(self.task, space, self.table, distances, self.watch)

    def _all_distances(self) -> tuple[StateSpace, Distances]:
        """The goal distances of all states."""
        from fewest.space.distances import goal_distances
        from fewest.space.state_graph import build_state_graph

        if self.all_distances is None:
            space = build_state_graph(self.task.problem, self.watch)
            self.all_distances = space, goal_distances(space, self.table, self.watch)
        return self.all_distances

    def _plan(self, graph: PlanGraph, word: Sequence[PlanEdge]) -> Plan:
        """The plan for a sequence of edges, replayed by the rules."""
        operators = [operator for edge in word for operator in edge.operators]
        end = graph.states[word[-1].target if word else 0]
        operators += _free_operators_to_goal(self.task, self.metric, end)
        try:
            return validate(self.puzzle, self.task, self.metric, operators, graph.left[0])
        except InternalError:
            explain_failure(self.puzzle, self.task, self.metric, operators)
            raise

    def _left_at(self, state: int) -> Parts:
        """The cost to the goal from a state of an optimal plan."""
        assert self.graph is not None
        left = self.graph.left_at.get(state)
        if left is None:  # a state within a move, which only a graph of all states contains
            space, distances = self._all_distances()
            left = distances.cost(space.find(state))
        assert left is not None
        return left

    def _share(self, graph: PlanGraph, word: Sequence[PlanEdge], shared: frozenset[Change]) -> None:
        """Remember the changes that every plan makes; `word` is the plan that gives them their texts and order."""
        self.num_shared = len(shared)
        # The replay of a plan can take longer than the search, so it happens only if a caller needs the texts.
        self.shared_texts = cache(partial(self._shared, graph, word, shared))

    def _shared(
        self, graph: PlanGraph, word: Sequence[PlanEdge], shared: frozenset[Change]
    ) -> tuple[str, ...]:
        """The moves that occur in every plan, with the texts and in the order that they have in one plan."""
        plan = self.plans[0] if self.plans else self._plan(graph, word)
        texts: dict[Change, str] = {}  # a move that occurs twice in this plan is listed only once
        before = self.task.initial
        for move in plan.counted:
            after = encode(self.task, move.position)
            change = before ^ after, before & ~after
            if change in shared:
                texts.setdefault(change, move.text)
            before = after
        return tuple(texts.values())

    def _count_orbits(self, traces: TraceGraph) -> None:
        """Count the orbits by Burnside's lemma: their number is the mean, over all symmetries, of the number of traces
        that a symmetry fixes. If only a part of the symmetries is known, this mean is an upper bound.
        """
        from fewest.analysis.symmetry import search_symmetry
        from fewest.space.traces import count_fixed

        found = search_symmetry(self.task.problem, self.table, fix_initial=True)
        self.is_symmetry_whole = found.is_whole
        if found.symmetry is None:
            self.num_orbits, self.num_symmetries = self.num_traces, 1
            return
        images = _images(traces.graph, found.symmetry)
        total = sum(count_fixed(traces, image, self.watch) for image in images)
        self.num_orbits, self.num_symmetries = total // len(images), len(images)

    def _count_beyond(self) -> None:
        """Count the plans of every cost up to `at_most`, if requested."""
        from fewest.space.plans import count_plans_within

        most = self.request.at_most
        if most is None or self.graph is None:
            return
        minimum = self.graph.left[0][0]
        if most < minimum:
            self.beyond = (PlansOfCost(most, 0, 0),)
            return
        if self.is_uniform:
            self.beyond = tuple(self._beyond(most))
            return
        space, distances = self._all_distances()
        plans = count_plans_within(space, self.table, distances, most, self.watch)
        self.beyond = tuple(
            PlansOfCost(cost, plans[cost], self.num_traces if cost == minimum else None)
            for cost in sorted(plans)
        )

    def _beyond(self, most: int) -> Iterator[PlansOfCost]:
        """The numbers of plans of every cost up to `most`, if all operators cost the same."""
        from fewest.space.layered_plans import plans_within
        from fewest.space.traces import TraceGraph, words_by_cost

        assert self.graph is not None and self.num_plans is not None
        minimum, weight = self.graph.left[0], _weight(self.table)
        yield PlansOfCost(single(minimum), self.num_plans, self.num_traces or 0)
        graph = plans_within(self.task, self.table, most // weight[0], self.watch)
        if graph is None:
            return
        plans, traces = words_by_cost(TraceGraph(graph), self.watch)
        for cost in sorted(plans):
            if cost != minimum:
                yield PlansOfCost(single(cost), plans[cost], traces[cost])


def _num_changes(graph: PlanGraph) -> int:
    """The number of different counted moves."""
    return len({change for move in graph.moves for change in move.changes})


def _weight(table: CostTable) -> Parts:
    return tuple(row[0] for row in table.rows.weight)


def _images(graph: PlanGraph, symmetry: Symmetry) -> list[Callable[[int], int]]:
    """For each symmetry, a function from each move of a graph to its image."""
    numbers = {move.changes: number for number, move in enumerate(graph.moves)}

    def mapped(row: list[int]) -> Callable[[int], int]:
        def image_of(facts: int) -> int:
            out = 0
            while facts:
                low = facts & -facts
                out |= 1 << row[low.bit_length() - 1]
                facts ^= low
            return out

        images: list[int] = []
        for move in graph.moves:
            changes: tuple[Change, ...] = tuple(
                (image_of(flip), image_of(value)) for flip, value in move.changes
            )
            images.append(numbers[changes])
        return images.__getitem__

    return [mapped(row) for row in symmetry.facts.tolist()]


def _free_operators_to_goal(task: Task, metric: Metric, state: int) -> list[int]:
    """A shortest sequence of free operators from a state to a goal state; empty if no such sequence exists."""
    if task.is_goal(state):
        return []
    rule = run_rule(task, metric)
    free = [number for number in range(len(task.moves)) if rule.is_free(number)]
    paths: dict[int, list[int]] = {state: []}
    waiting = [state]
    for current in waiting:
        for number in free:
            if not task.moves[number].is_applicable(current):
                continue
            after = task.after(number, current)
            if after is None or after in paths or task.is_forbidden(after):
                continue
            paths[after] = [*paths[current], number]
            if task.is_goal(after):
                return paths[after]
            waiting.append(after)
    return []

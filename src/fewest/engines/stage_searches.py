"""The searches of a portfolio. The portfolio starts each search, advances it one budget at a time, and receives its
result as an `Answer`.

`portfolio.py` determines which searches run, when they begin, and which search gets the next time slice.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, Any, Literal, Protocol

from msgspec import Struct
from msgspec.structs import replace

from fewest.engines.answers import KnownPlan, answer_of, counts, pieces_of, with_plan
from fewest.engines.blind_search import exhaustive_answer
from fewest.errors import UsageError
from fewest.machine.memory import left_of
from fewest.model.costs import CostTable, cost_table
from fewest.search.interface import Budget, SearchLimits

if TYPE_CHECKING:
    from pathlib import Path

    from fewest.engines.astar_stages import Patterns
    from fewest.model.answer import Answer, Limits
    from fewest.model.metric import Metric
    from fewest.model.problem import Problem, Symmetry
    from fewest.model.task import Task
    from fewest.search.informed import Algorithm
    from fewest.search.interface import Meeting, Outcome, Progress, Status
    from fewest.store.location import StoreLocation

    Report = Callable[[Progress], None] | None

MAX_GOAL_STATES = 100_000
LARGEST_DEADLOCK = 1
"""The maximum size of deadlock sets for a search from both ends; larger sets would take more time than they save"""
HINTS_AFTER = 1 << 20
"""When A* has used this number of bytes (about 30,000 expansions or 20 ms), it computes hints and starts again with
them
"""


# The costs of single operations in microseconds of CPU time: medians over the shipped puzzles (bench/portfolio.py).
# Nine out of ten measured costs are between half and twice the value.
PRICE_OF_SUCCESSOR = 0.04  # per generated state of a blind search
PRICE_BY_REGIONS = 0.4  # per generated state, if an agent walks at no cost
TIMES_OF_PAIRS = 4.0  # the factor for a search from both ends in a lexicographic metric
PRICE_AMONG_PIECES = 0.4  # per expansion of A*, if an agent walks among pieces
PRICE_WITH_HINTS = 4.0  # per expansion of A* with hints and local PDBs, in long searches
PRICE_OF_ASTAR = 3.0  # per expansion of other A* searches
PRICE_OF_HINTS = 30_000.0  # for the hints of one search
PRICE_OF_TABLES = 5.0  # per possible state of a local PDB, or per 100 entries of a pattern database


class AStarOptions(Struct, frozen=True):
    """The options of the engine `astar`, as in `astar.solve`."""

    algorithm: Algorithm = "a*"
    ends: Literal["one", "both"] = "one"
    """with "both", a long search also begins at the goal states, if possible"""
    patterns: Patterns = "auto"
    weight: tuple[int, int] = (1, 1)
    at_least: int = 0
    file: Path | None = None


class Request:
    """A query: a task, a metric, limits and options. The time limit runs from the time when the object is created."""

    def __init__(
        self,
        task: Task,
        metric: Metric,
        limits: Limits,
        *,
        threads: int | None = None,
        exhaust: bool = False,
        symmetry: Symmetry | None = None,
        place: StoreLocation | None = None,
        make_search: Callable[..., Any] | None = None,
        hands_over: bool = False,
        prefers_astar: bool = False,
        astar: AStarOptions | None = None,
    ) -> None:
        self.began = time.perf_counter()
        self.task, self.metric, self.limits, self.threads = task, metric, limits, threads
        self.exhaust, self.symmetry, self.place = exhaust, symmetry, place
        self.make_search, self.hands_over = make_search, hands_over
        # whether A* continues when memory is full, instead of the search in layers in a folder
        self.prefers_astar = prefers_astar
        self.astar = AStarOptions() if astar is None else astar
        self._cost: CostTable | None = None

    @property
    def problem(self) -> Problem:
        return self.task.problem

    @property
    def cost(self) -> CostTable:
        """The cost table. It is computed only when it is first used; this takes a second for the largest tasks."""
        if self._cost is None:
            self._cost = cost_table(self.task, self.metric)
        return self._cost

    def seconds_left(self) -> float:
        if self.limits.seconds is None:
            return inf
        return max(0.0, self.limits.seconds - (time.perf_counter() - self.began))

    def search_limits(self) -> SearchLimits:
        return SearchLimits(self.seconds_left(), self.limits.memory)

    @property
    def zero(self) -> tuple[int, ...]:
        return (0,) * len(self.metric.parts)


class StageSearch(Protocol):
    """The interface of the searches in a portfolio."""

    engine: str
    """the name of the engine in its answer"""

    @property
    def price(self) -> float:
        """The estimated CPU time of one more expansion, in microseconds."""
        ...

    @property
    def spent(self) -> float:
        """The CPU time that has been used, in microseconds. This time is estimated from counts, so it is the same on
        every machine.
        """
        ...

    def advance(self, budget: Budget, report: Report) -> Status: ...
    def close(self) -> None:
        """Free the memory and other resources; the results remain available."""
        ...

    def known_plan(self) -> KnownPlan | None:
        """The cheapest plan that the search has found, which need not be minimal; None if the search cannot provide
        one. The call ends the search, and must precede `close`.
        """
        ...

    @property
    def bound(self) -> tuple[int, ...]: ...
    @property
    def num_expanded(self) -> int: ...
    @property
    def num_states(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def answer(self) -> Answer: ...


class _SteppedSearch:
    """The base class of the stages that consist of a single core search."""

    search: Any  # an interface.Search
    request: Request

    def advance(self, budget: Budget, report: Report) -> Status:
        status: Status = self.search.advance(budget, self.request.search_limits(), report)
        return status

    def close(self) -> None:
        pass

    def known_plan(self) -> KnownPlan | None:
        return None

    @property
    def spent(self) -> float:
        return self.num_expanded * self.price

    @property
    def price(self) -> float:
        raise NotImplementedError

    @property
    def bound(self) -> tuple[int, ...]:
        found: tuple[int, ...] = self.search.bound
        return found

    @property
    def num_expanded(self) -> int:
        count: int = self.search.num_expanded
        return count

    @property
    def num_states(self) -> int:
        count: int = self.search.outcome().num_states
        return count

    @property
    def bytes(self) -> int:
        size: int = self.search.bytes
        return size


class LayeredSearch(_SteppedSearch):
    """Exhaustive search: breadth-first search if all moves cost the same or if an agent walks at no cost, otherwise
    Dijkstra's algorithm.

    A long search continues in sorted layers and, when memory is full, in a folder (`store.spill`). `may_use_folder`
    determines whether the search may use the folder of the request. Raises UnusedSymmetryError if the metric does not
    support `symmetry`.
    """

    engine = "bfs"

    def __init__(
        self,
        request: Request,
        symmetry: Symmetry | None = None,
        may_use_folder: Callable[[], bool] = lambda: True,
    ) -> None:
        self.request, self.symmetry = request, symmetry
        assert request.make_search is not None, (
            "a request for a search in layers needs `make_search`"
        )
        self.search = request.make_search(
            request.problem,
            request.cost,
            exhaust=request.exhaust,
            memory=request.limits.memory,
            threads=request.threads,
            symmetry=symmetry,
        )
        self.can_grow = request.hands_over and hasattr(self.search, "hand_over")
        if self.can_grow:
            from fewest.store.spill import GrowingSearch

            self.search = GrowingSearch(
                self.search,
                place=lambda: request.place if may_use_folder() else None,
                make_request=self._search_request,
                exhaust=request.exhaust,
                threads=request.threads,
            )

    @property
    def price(self) -> float:
        found = self.search.outcome()
        return _price_of_blind(self.request, found.num_expanded, found.num_generated)

    def _search_request(self) -> Any:
        from fewest.analysis.reversibility import is_reversible
        from fewest.store.search import SearchRequest

        task, metric = self.request.task, self.request.metric
        return SearchRequest(task.name, metric.name, is_reversible(task, self.request.cost))

    def close(self) -> None:
        if self.can_grow:
            self.search.close()

    def answer(self) -> Answer:
        found = exhaustive_answer(self.request.task, self.search.outcome(), self.symmetry)
        statistics = self.search.statistics if self.can_grow else None
        if statistics is not None and self.request.place is not None:
            from fewest.engines.external import with_store

            found = with_store(found, self.request.place, statistics)
        return found


class BidirectionalStage(_SteppedSearch):
    """Search from the start and from every goal state at the same time.

    In every metric, the forward side omits states that contain a deadlock set of at most LARGEST_DEADLOCK pieces,
    because no plan contains a dead state. In Sokoban, half of all generated states are dead. Raises LimitReached if the
    time ends while the goal states are listed, TooManyStatesError if there are more than `most` goal states, and
    UsageError if the core does not support the task.
    """

    engine = "bidirectional"

    def __init__(self, request: Request, *, most: int = MAX_GOAL_STATES, file: str = "") -> None:
        from fewest.analysis.regression import goal_states, reverse
        from fewest.search.bidirectional import make_bidirectional

        task = request.task
        deadline = time.perf_counter() + request.seconds_left()
        goals = goal_states(task, most, deadline)
        self.request = request
        try:
            self.search = make_bidirectional(
                self._without_dead().problem,
                request.cost,
                reverse(task, goals),
                memory=request.limits.memory,
                file=file,
            )
        except OverflowError as error:
            raise _refused(task, error) from error

    @property
    def price(self) -> float:
        found: Outcome = self.search.meeting().outcome
        price = _price_of_blind(self.request, found.num_expanded, found.num_generated)
        return TIMES_OF_PAIRS * price if self.request.cost.parts > 1 else price

    def _without_dead(self) -> Task:
        """The task in which deadlock sets are forbidden.

        If walks are free, the only sets forbidden are those that are deadlocks wherever the agent is: other deadlock
        sets would divide the regions in which the agent walks.
        """
        from fewest.deadlocks.dead_cubes import forbidding
        from fewest.engines.registry import has_one_weight

        metric = self.request.metric
        has_regions = len(metric.parts) == 1 and not has_one_weight(metric)
        return forbidding(self.request.task, LARGEST_DEADLOCK, wherever_agent=has_regions)

    def answer(self) -> Answer:
        meeting: Meeting = self.search.meeting()
        statistics = counts(
            meeting.outcome,
            forward_states=meeting.num_states[0],
            backward_states=meeting.num_states[1],
            forward_radius=list(meeting.radius[0]),
            backward_radius=list(meeting.radius[1]),
        )
        return answer_of(meeting.outcome, statistics)


class AStar:
    """A* or IDA*, with its own stages (`engines.astar_stages`).

    Computing symmetries and deadlock sets (the hints) takes tens of milliseconds, which is often more than the whole
    search takes. Therefore, an A* search with default options begins without hints, unless memory is scarce or the
    search is resumed. If the search becomes long, it computes the hints and starts again. The constructor raises
    UsageError if A* does not support the task or its costs; `advance` raises UsageError if the task has too many facts
    or the costs are too large.
    """

    engine = "astar"

    def __init__(self, request: Request) -> None:
        self.request, self.options = request, request.astar
        self.has_hints = False
        self.is_due = False  # whether the next time slice begins with the computation of hints
        self.before_hints = 0  # the number of expansions of the search without hints
        self.least = request.zero
        self.before: KnownPlan | None = None  # the cheapest plan of the search without hints
        options = self.options
        memory = request.limits.memory
        is_roomy = (
            memory is None or memory > 4 * HINTS_AFTER
        )  # whether the search without hints fits into memory
        is_begun = options.file is not None and options.file.exists()
        is_plain = (
            options.algorithm == "a*" and options.patterns != "on" and options.weight == (1, 1)
        )
        self.waits = is_roomy and not is_begun and is_plain
        if self.waits:
            self.search = self._made(has_local_pdbs=False, threads=1)
        else:
            self._use_hints()

    def _made(self, **options: Any) -> Any:
        from fewest.engines.astar_stages import StagedAStar
        from fewest.search.informed import InformedProblem

        request = self.request
        try:
            problem = InformedProblem(request.problem, request.cost, **pieces_of(request.task))
            return StagedAStar(
                problem,
                algorithm=self.options.algorithm,
                patterns=self.options.patterns,
                weight=self.options.weight,
                at_least=max(self.options.at_least, self.least[0]),
                **{"threads": request.threads, **options},
            )
        except (ValueError, OverflowError) as error:
            raise _refused(request.task, error) from error

    def _use_hints(self) -> None:
        from fewest.engines.hints import hints

        self.has_hints = True
        known = hints(self.request.task, self.request.metric)
        self.search = self._made(
            images=known.images,
            dead=known.dead,
            file=str(self.options.file or ""),
            has_both_ends=self.options.ends == "both",
            has_local_pdbs=True,
        )

    def advance(self, budget: Budget, report: Report) -> Status:
        if self.has_hints:
            return self._advance(budget, report)
        if not self.is_due:
            size = HINTS_AFTER if budget.bytes is None else min(budget.bytes, HINTS_AFTER)
            status = self._advance(Budget(budget.expansions, size), report)
            if status != "running" or self.search.bytes < HINTS_AFTER:
                return status
            self.is_due = True
            # from now on, `spent` includes the hints, so other searches may run first
            if budget.expansions is not None:
                return "running"
        self.least, self.before_hints = self.search.bound, self.search.num_expanded
        self.before = self.known_plan()
        self._use_hints()
        return self._advance(budget, report)

    def _advance(self, budget: Budget, report: Report) -> Status:
        from fewest.search.native import DamageError

        try:
            status: Status = self.search.advance(budget, self.request.search_limits(), report)
        except DamageError:
            raise
        except (ValueError, OverflowError) as error:
            raise _refused(self.request.task, error) from error
        return status

    def close(self) -> None:
        pass

    def known_plan(self) -> KnownPlan | None:
        self.search.stop()
        found = self.search.outcome()
        now = None if found.cost is None else KnownPlan(found.cost, found.plan)
        known = [one for one in (now, self.before) if one is not None]
        return min(known, default=None)

    @property
    def price(self) -> float:
        if not self.search.problem.has_agent:
            return PRICE_OF_ASTAR
        return PRICE_WITH_HINTS if self.has_hints else PRICE_AMONG_PIECES

    @property
    def spent(self) -> float:
        """The total CPU time for the search without hints, the hints, the tables, and the search with hints."""
        expanded: int = self.search.num_expanded
        before = self.before_hints * PRICE_AMONG_PIECES
        tables: float = PRICE_OF_TABLES * self.search.num_table_states
        if self.has_hints or self.is_due:
            tables += PRICE_OF_HINTS
        return before + tables + expanded * self.price

    def begin(self) -> None:
        """Expand the start, unless the search has begun. Raises the same errors as `advance`."""
        if self.search.num_expanded == 0:
            self.advance(Budget(expansions=1), None)

    @property
    def initial_bound(self) -> int:
        """The lower bound for the start, in the first part of the metric."""
        self.begin()
        bound: int = self.search.outcome().initial_bound[0]
        return bound

    @property
    def can_begin_at_goals(self) -> bool:
        can: bool = self.search.problem.can_begin_at_goals
        return can

    @property
    def bound(self) -> tuple[int, ...]:
        return max(self.least, self.search.bound)

    @property
    def num_expanded(self) -> int:
        count: int = self.search.num_expanded
        return count

    @property
    def num_states(self) -> int:
        count: int = self.search.outcome().facts["states"]
        return count

    @property
    def bytes(self) -> int:
        size: int = self.search.bytes
        return size

    def answer(self) -> Answer:
        outcome = self.search.outcome()
        initial = list(outcome.initial_bound)
        found = answer_of(outcome, {**outcome.facts, "initial_bound": initial})
        found = self._weighed(found, outcome.lower_bound)
        # If a limit stops this search early, the search without hints may have proved a higher bound or found a cheaper
        # plan.
        return with_plan(
            replace(found, lower_bound=max(found.lower_bound, self.least)), self.before
        )

    def _weighed(self, answer: Answer, bound: tuple[int, ...]) -> Answer:
        """The answer of a weighted search. The cost of its plan is at most `factor` times the minimum."""
        if self.options.weight == (1, 1) or answer.cost is None or answer.status == "limit":
            return answer
        weight = self.options.weight[0] / self.options.weight[1]
        is_proven = max(bound, self.least) >= answer.cost
        factor = 1.0 if is_proven else weight
        if not is_proven and bound[0] > 0:
            factor = min(weight, answer.cost[0] / bound[0])
        return replace(
            answer,
            status="optimal" if is_proven else "solved",
            lower_bound=answer.cost if is_proven else bound,
            statistics={**answer.statistics, "weight": weight, "factor": factor},
        )


class AbstractionStage:
    """A* with the distances of abstractions as its heuristic. This search cannot pause; it ignores budgets.

    `advance` raises UsageError in the same cases as `abstraction_heuristic.solve`.
    """

    engine = "astar"
    price = 1.0
    spent = 0.0
    num_expanded = num_states = bytes = 0

    def __init__(self, request: Request) -> None:
        self.request = request
        self.found: Answer | None = None
        self.bound = request.zero

    def known_plan(self) -> KnownPlan | None:
        return None

    def close(self) -> None:
        pass

    def advance(self, budget: Budget, report: Report) -> Status:
        from fewest.engines import abstraction_heuristic

        left = self.request.seconds_left()
        limits = self.request.limits
        if limits.seconds is not None:
            limits = replace(limits, seconds=left)
        self.found = abstraction_heuristic.solve(
            self.request.task, self.request.metric, limits, report
        )
        self.bound = self.found.lower_bound
        self.num_expanded = self.found.statistics["expanded"]
        self.num_states = self.found.statistics["states"]
        self.bytes = self.found.statistics["bytes"]
        if self.found.status in ("optimal", "unsolvable"):
            return "goal" if self.found.status == "optimal" else "exhausted"
        return self.found.reason  # type: ignore[return-value]

    def answer(self) -> Answer:
        assert self.found is not None, "it has been advanced"
        return self.found


def _price_of_blind(request: Request, num_expanded: int, num_generated: int) -> float:
    """The price of one expansion in a blind search; it grows with the mean number of successors."""
    is_by_regions = request.cost.parts == 1 and 0 in request.cost.weight
    price = PRICE_BY_REGIONS if is_by_regions else PRICE_OF_SUCCESSOR
    return price * max(1, num_generated) / max(1, num_expanded)


def _refused(task: Task, error: Exception) -> UsageError:
    return UsageError(f"{task.name}: {error}", hint="use --engine bfs")


def memory_of(request: Request) -> float:
    """The number of bytes that remain of the memory limit; inf if there is no limit."""
    left = left_of(request.limits.memory)
    return inf if left is None else left

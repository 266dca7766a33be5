"""The stages of A*. By default, tables, threads, and the search from both ends are used only if the search becomes
long.

This module does not compute symmetries or deadlock sets: it uses those that the caller passes.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from fewest.machine.memory import left_of
from fewest.search.informed import (
    Algorithm,
    InformedOutcome,
    InformedProblem,
    InformedSearch,
    LocalPdbLimits,
)
from fewest.search.interface import Budget, Progress, SearchLimits, Status
from fewest.search.native import threads_or_default

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence


Patterns: TypeAlias = Literal["auto", "on", "off"]
_Steps: TypeAlias = "Generator[None, None, Status]"


class LocalPdbStage(Struct, frozen=True):
    """The conditions under which local PDBs are built, and their size; for `states` and `filled`, see
    `LocalPdbLimits`.
    """

    after: int
    """the number of expansions of A* after which the local PDBs are built; then A* starts again"""
    states: int
    filled: int


class Stages(Struct, frozen=True):
    """Determines when `StagedAStar` begins each of its stages; work is counted in expansions."""

    before_patterns: int = 1000
    """the number of expansions before patterns are chosen; tasks that need fewer expansions need no patterns"""
    entries_per_expansion: int = 16
    """the number of table entries that can be computed in the time of one expansion. Pattern databases are built when
    the search has taken as much time as this will take. The databases therefore at most double the time of a search
    """
    local_pdbs: tuple[LocalPdbStage, ...] = (
        LocalPdbStage(20_000, 20_000, 1 << 19),
        LocalPdbStage(40_000, 50_000, 1 << 23),
    )
    local_pdb_spots: int = 56
    """like `LocalPdbLimits.spots`"""
    samples: int = 40
    """the number of expanded states on which local PDBs are evaluated"""
    local_pdb_share: int = 8
    """each set of local PDBs may take the memory limit divided by this number"""
    before_both_ends: int = 40_000
    """the number of expansions with local PDBs from the start alone, before the search also begins at the goal
    states
    """
    before_threads: int = 20_000
    """the number of expansions on one thread; then A* starts again and divides its states among threads"""


STAGES = Stages()


class StagedAStar:
    """A* or IDA* with pattern databases or local PDBs, on threads or from both ends: an `interface.Search`.

    When memory is full, IDA* continues, unless the search is weighted.

    - `patterns`: "on" builds tables at the beginning, if possible; "auto" builds tables if they may save time.
    - `has_local_pdbs`: whether to build local PDBs if an agent walks among the pieces and `patterns` is not "off".
    - `has_both_ends`: whether the search also begins at the goal states, if possible.
    - `at_least`: a known lower bound on the cost of all plans, in the first part of the metric.
    - `threads`: the maximum number of threads; the default is one per processor, but at most 8.

    The other arguments and the errors are the same as those of `InformedSearch`.
    """

    def __init__(
        self,
        problem: InformedProblem,
        *,
        algorithm: Algorithm = "a*",
        images: Sequence[Sequence[int]] = (),
        dead: Sequence[tuple[Sequence[int], Sequence[int]]] = (),
        patterns: Patterns = "auto",
        has_both_ends: bool = False,
        has_local_pdbs: bool = False,
        at_least: int = 0,
        threads: int | None = None,
        weight: tuple[int, int] = (1, 1),
        file: str = "",
        stages: Stages = STAGES,
    ) -> None:
        self.problem, self.stages, self.patterns = problem, stages, patterns
        self.algorithm: Algorithm = algorithm
        self.is_weighted = weight[0] != weight[1]
        self.has_both_ends, self.has_local_pdbs = has_both_ends, has_local_pdbs
        self.threads = 1 if self.is_weighted else threads_or_default(threads)
        self.weight, self.file = weight, "" if self.is_weighted else file
        self.hints: dict[str, Any] = {"images": images, "dead": dead}
        self.status: Status = "running"
        self._bound = problem.units.pack(at_least)
        self._past: list[InformedOutcome] = []
        self._search = self._made(algorithm)
        self._memory: int | None = None
        self._before_ida: Algorithm | None = None
        self._is_begun = False
        self.num_table_states = 0
        """the number of states of all local PDBs, plus a hundredth of the entries of all pattern databases; includes
        the tables that the next time slice will build
        """
        self._steps = self._all()
        self._budget = Budget()
        self._end = math.inf  # the time at which this call of `advance` must return
        # the total number of expansions at which this call of `advance` returns
        self._most = math.inf
        self._progress: Callable[[Progress], None] | None = None

    # --- The interface ---

    def advance(
        self,
        budget: Budget,
        limits: SearchLimits,
        progress: Callable[[Progress], None] | None = None,
    ) -> Status:
        if self.status != "running":
            return self.status
        if not self._is_begun:
            self._memory, self._is_begun = left_of(limits.memory), True
        began = time.perf_counter()
        self._end = began + limits.seconds
        self._budget = budget
        self._most = (
            math.inf if budget.expansions is None else self.num_expanded + budget.expansions
        )
        self._progress = None if progress is None else self._adding(progress, began)
        try:
            next(self._steps)
        except StopIteration as stop:
            self.status = stop.value
        except BaseException:
            self.status = "interrupted"
            raise
        finally:
            self._progress = None
        return self.status

    @property
    def bound(self) -> tuple[int, ...]:
        return self.problem.units.split(self._packed_bound)

    @property
    def num_expanded(self) -> int:
        return self._past_expanded() + self._search.num_expanded

    @property
    def bytes(self) -> int:
        return self._search.bytes + self.problem.table_bytes

    def stop(self) -> None:
        """End the current search; its outcome then contains the cheapest plan that it has found."""
        if self._search.num_expanded > 0:
            self._search.advance(Budget(), SearchLimits(seconds=0))

    def outcome(self) -> InformedOutcome:
        """The result. Counts are summed over all stages. The size is that of the largest stage.

        If a limit ended the search, the result contains the cheapest plan of all stages.
        """
        last = self._search.outcome()
        facts = dict(last.facts)
        for name in ("states", "expanded", "generated", "dead", "corrals", "seconds"):
            facts[name] += sum(one.facts[name] for one in self._past)
        facts["bytes"] = max(one.facts["bytes"] for one in (*self._past, last))
        facts["bytes"] += self.problem.table_bytes
        if self._before_ida not in (None, "ida*"):
            facts["algorithm"] = f"{self._before_ida}, then ida*"
        bound = max(last.lower_bound, self.bound) if last.cost is None else last.lower_bound
        best = last
        if self.status not in ("goal", "exhausted"):
            plans = [one for one in (last, *self._past) if one.cost is not None]
            best = min(plans, key=lambda one: one.cost or (), default=last)
        return replace(
            last,
            status=self.status,
            cost=best.cost,
            plan=best.plan,
            lower_bound=bound,
            facts={**facts, **self.problem.facts()},
        )

    # --- The stages: each returns the status with which it ended ---

    def _all(self) -> _Steps:
        status = yield from self._with_tables()
        if status == "memory" and not self.is_weighted:
            self._before_ida = self._search.algorithm
            self._begin("ida*", most_in_table=1 << 62)
            status = yield from self._until(math.inf)
        return status

    def _with_tables(self) -> _Steps:
        if self.patterns == "off":
            return (yield from self._to_the_end())
        if self.problem.has_agent:
            if self.has_local_pdbs and self.problem.can_have_local_pdbs:
                return (yield from self._with_local_pdbs())
            return (yield from self._to_the_end())
        return (yield from self._with_patterns())

    def _with_patterns(self) -> _Steps:
        is_forced = self.patterns == "on"
        status = yield from self._until(0 if is_forced else self.stages.before_patterns)
        if status == "running":
            status = self.problem.choose_patterns(self._limits(), self._progress)
        if status != "running":
            return status
        problem = self.problem
        if not (problem.has_pattern_choice if is_forced else problem.do_patterns_pay):
            return (yield from self._to_the_end())
        if not is_forced:
            entries = problem.num_pattern_entries
            status = yield from self._until(entries / self.stages.entries_per_expansion)
        if status == "running":
            self._begin(
                self.algorithm
            )  # this frees the memory of the old search before the tables are built
            yield from self._announce(problem.num_pattern_entries // 100)
            status = problem.build_patterns(self._limits(), self._progress, threads=self.threads)
        if status != "running":
            return status
        self._begin(self.algorithm)
        return (yield from self._to_the_end())

    def _with_local_pdbs(self) -> _Steps:
        is_forced = self.patterns == "on"
        for stage in self.stages.local_pdbs[-1:] if is_forced else self.stages.local_pdbs:
            status = yield from self._until(0 if is_forced else stage.after)
            if status != "running":
                return status
            samples = None if is_forced else self._search.samples(self.stages.samples)
            had = self.problem.table_bytes
            yield from self._announce(stage.states)
            self._begin(self.algorithm)
            status = self.problem.build_local_pdbs(
                self._limits(), self._progress, pdb_limits=self._pdb_limits(stage), samples=samples
            )
            if status != "running":
                return status
            if self.problem.table_bytes == had:  # no local PDB was built
                break
        return (yield from self._to_the_end())

    def _to_the_end(self) -> _Steps:
        """Advance the current search to its end. If the search takes a long time, change to a search from both ends or
        to several threads, as far as the options allow this.
        """
        is_astar = self.algorithm == "a*"
        if (
            is_astar
            and self.has_both_ends
            and not self.is_weighted
            and self.problem.can_begin_at_goals
        ):
            return (yield from self._from_both_ends())
        is_shared = is_astar and self.threads > 1
        if not (is_astar and self.file):
            status = yield from self._until(self.stages.before_threads if is_shared else math.inf)
            if status != "running":
                return status
        self._begin("a*", threads=self.threads, file=self.file)
        return (yield from self._until(math.inf))

    def _from_both_ends(self) -> _Steps:
        if self.problem.has_local_pdbs:
            status = yield from self._until(self.stages.before_both_ends)
            if status != "running":
                return status
            yield from self._announce(self.stages.local_pdbs[-1].states)
            self._begin("a*")
            status = self.problem.build_local_pdbs_from_goals(
                self._limits(),
                self._progress,
                pdb_limits=self._pdb_limits(self.stages.local_pdbs[-1]),
            )
            if status != "running":
                return status
        self._begin("bidirectional a*", threads=self.threads)
        return (yield from self._until(math.inf))

    def _pdb_limits(self, stage: LocalPdbStage) -> LocalPdbLimits:
        memory = self._memory if self._memory is not None else 1 << 62
        return LocalPdbLimits(
            states=stage.states,
            filled=stage.filled,
            memory=memory // self.stages.local_pdb_share,
            spots=self.stages.local_pdb_spots,
        )

    # --- One search ---

    def _announce(self, states: int) -> Generator[None, None, None]:
        """Add the cost of the tables to the work, and pause before building them, so that other searches can run
        first.
        """
        self.num_table_states += states
        if self._most < math.inf:
            yield

    def _until(self, work: float) -> _Steps:
        """Advance the current search until its total number of expansions reaches `work`; pause when a budget is used
        up.
        """
        while self._search.num_expanded < work:
            mine = work - self._search.num_expanded
            left = max(0, self._most - self.num_expanded)
            if left == 0:
                yield
                continue
            least = min(mine, left)
            budget = Budget(None if least == math.inf else math.ceil(least), self._budget.bytes)
            status = self._search.advance(budget, self._limits(), self._progress)
            self._bound = max(self._bound, self._search.packed_bound)
            if status != "running":
                return status
            size = self._budget.bytes
            if size is not None and self._search.bytes >= size:
                yield
        return "running"

    def _begin(self, algorithm: Algorithm, **options: Any) -> None:
        """Start a new search. The outcome of the previous search is kept in `_past`."""
        self.stop()
        if self._search.num_expanded > 0:
            self._past.append(self._search.outcome())
        self._search = self._made(algorithm, **options)

    def _made(self, algorithm: Algorithm, **options: Any) -> InformedSearch:
        return InformedSearch(
            self.problem,
            algorithm,
            at_least=self._bound,
            expanded_before=self._past_expanded(),
            weight=self.weight if algorithm == "a*" else (1, 1),
            **self.hints,
            **options,
        )

    def _past_expanded(self) -> int:
        return sum(int(one.facts["expanded"]) for one in self._past)

    @property
    def _packed_bound(self) -> int:
        return max(self._bound, self._search.packed_bound)

    def _limits(self) -> SearchLimits:
        memory = self._memory
        if memory is not None:
            memory = max(0, memory - self.problem.table_bytes)
        return SearchLimits(max(0.0, self._end - time.perf_counter()), memory)

    def _adding(
        self, progress: Callable[[Progress], None], began: float
    ) -> Callable[[Progress], None]:
        """A progress callback that includes the work of earlier stages."""

        def report(now: Progress) -> None:
            past = self._past
            more = {
                "num_states": now.num_states + sum(one.facts["states"] for one in past),
                "num_expanded": now.num_expanded + sum(one.facts["expanded"] for one in past),
                "seconds": time.perf_counter() - began,
            }
            progress(replace(now, **more))

        return report

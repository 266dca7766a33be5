"""The native informed searches (A*, IDA* and A* from both ends); this module checks their arguments. These searches
have no pure-Python versions.

An `InformedProblem` contains the lower bound and the tables that improve it. An `InformedSearch` of such a problem
advances by budgets. `engines/astar_stages.py` determines which search runs next.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from msgspec import Struct

from fewest.machine.memory import left_of
from fewest.model.costs import CostTable
from fewest.model.problem import Problem
from fewest.search import _native, native
from fewest.search.cost_packing import CostPacking
from fewest.search.interface import Budget, Progress, SearchLimits, Status
from fewest.search.native import (
    bound_costs,
    bound_limits,
    bound_problem,
    check_cost,
    threads_or_default,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Algorithm: TypeAlias = Literal["a*", "ida*", "bidirectional a*"]
Report: TypeAlias = "Callable[[Progress], None] | None"

_MOST_WORK = (1 << 64) - 1
_MOST_BYTES = sys.maxsize


class InformedOutcome(Struct, frozen=True):
    """The result of an informed search. Each cost consists of one number for each part of the metric. `facts` contains
    statistics of the search.

    If the status is "goal", `cost` is the minimum, except for a weighted search. A weighted search proves only that no
    plan costs less than `lower_bound`, and that its plan costs at most the weight times the minimum.
    """

    status: Status
    cost: tuple[int, ...] | None
    lower_bound: tuple[int, ...]
    initial_bound: tuple[int, ...]
    plan: tuple[int, ...]
    facts: Mapping[str, Any]


class LocalPdbLimits(Struct, frozen=True):
    """Limits on the sizes of local PDBs (docs/astar.md)."""

    states: int
    """the maximum number of states in one local PDB"""
    filled: int
    """the maximum total number of states in all local PDBs that the search tries"""
    memory: int
    """the maximum total number of bytes in all tables"""
    spots: int = 56
    """the maximum number of spots in one local PDB"""


class InformedProblem:
    """A problem, its lower bound that is computed from pieces, and the tables that improve this bound.

    A search uses only the tables that exist when it is created. `groups` are sets of facts; the number of true facts of
    a group is the same in every reachable state. `numbers` contains the number of the cell of each fact; for facts of
    an agent, the differences between these numbers affect the speed. Raises TypeError or ValueError for arrays of the
    wrong type or shape. Raises ValueError for permutations, for effects, and for metrics that merge moves in any other
    way than along lines (see `macro_moves.hpp`). Raises OverflowError for costs that do not fit.
    """

    def __init__(
        self,
        problem: Problem,
        cost: CostTable,
        *,
        groups: Sequence[Sequence[int]] = (),
        numbers: Sequence[int] = (),
    ) -> None:
        check_cost(problem, cost)
        self.units = CostPacking(cost)
        self.groups, self.numbers = groups, numbers
        hints = _native.Hints(groups, numbers, images=(), dead=())
        costs = bound_costs(self.units.costs)
        self.native = _native.InformedProblem(bound_problem(problem), costs, hints)

    @property
    def has_agent(self) -> bool:
        return self.native.has_agent

    @property
    def can_begin_at_goals(self) -> bool:
        """Whether the problem can be searched from its goal states. Among other things, this requires that an agent
        walks at no cost, that no move moves several pieces besides the agent, and that every goal cube determines the
        places of all pieces (see `can_go_backward` in `backward.cpp`).
        """
        return self.native.can_begin_at_goals

    # Pattern databases are for tasks without an agent. The methods that choose or build tables return "running" if they
    # have finished, and otherwise the status of the limit that stopped them.

    def choose_patterns(self, limits: SearchLimits, progress: Report = None) -> Status:
        """Choose the patterns so that their tables stay within the memory limit."""
        return self.native.choose_patterns(self._limits(limits, progress))

    @property
    def has_pattern_choice(self) -> bool:
        """Whether `choose_patterns` has chosen any patterns."""
        return self.native.has_pattern_choice

    @property
    def do_patterns_pay(self) -> bool:
        """Whether the expected gain of the chosen tables justifies the time to build them."""
        return self.native.do_patterns_pay

    @property
    def num_pattern_entries(self) -> int:
        return self.native.num_pattern_entries

    def build_patterns(
        self, limits: SearchLimits, progress: Report = None, *, threads: int | None = None
    ) -> Status:
        return self.native.build_patterns(
            self._limits(limits, progress), threads=threads_or_default(threads)
        )

    # local PDBs are for tasks with an agent

    @property
    def can_have_local_pdbs(self) -> bool:
        return self.native.can_have_local_pdbs

    @property
    def has_local_pdbs(self) -> bool:
        return self.native.has_local_pdbs

    def build_local_pdbs(
        self,
        limits: SearchLimits,
        progress: Report = None,
        *,
        pdb_limits: LocalPdbLimits,
        samples: _native.Samples | None,
    ) -> Status:
        """Build local PDBs; they replace any earlier ones. `samples` are states for which the local PDBs are
        evaluated.
        """
        return self.native.build_local_pdbs(
            self._limits(limits, progress), _pdb_limits(pdb_limits), samples
        )

    def build_local_pdbs_from_goals(
        self, limits: SearchLimits, progress: Report = None, *, pdb_limits: LocalPdbLimits
    ) -> Status:
        """Build local PDBs for the search from the goal states."""
        return self.native.build_local_pdbs_from_goals(
            self._limits(limits, progress), _pdb_limits(pdb_limits)
        )

    @property
    def table_bytes(self) -> int:
        """The number of bytes of the pattern databases and the local PDBs."""
        return self.native.pattern_bytes + self.native.local_pdb_bytes

    def facts(self) -> dict[str, Any]:
        """Data about the tables in use, for statistics."""
        facts: dict[str, Any] = {}
        if self.native.num_local_pdbs:
            facts["local_pdbs"] = {
                "count": self.native.num_local_pdbs,
                "bytes": self.native.local_pdb_bytes,
            }
        if self.native.patterns:
            facts["patterns"] = {
                "facts": self.native.patterns,
                "entries": self.native.num_pattern_entries,
                "bytes": self.native.pattern_bytes,
            }
        return facts

    def _limits(self, limits: SearchLimits, progress: Report) -> _native.Limits:
        return bound_limits(self.units, limits.seconds, limits.memory, progress)


class InformedSearch:
    """One informed search of a problem: an `interface.Search`.

    `images` are symmetries of the problem and its costs, each given by the image of every fact. Each pair in `dead` is
    a cube from which no goal state can be reached: all facts of the first set are true, and all facts of the second set
    are false. With several `threads`, or with a `file`, "a*" divides its states into parts by their hash.
    "bidirectional a*" uses at most two threads, one for each end. The number of threads does not affect the minimum,
    but it can affect which of several optimal plans is found. `at_least`: a known lower bound on the cost of all plans,
    as a packed cost (`CostPacking`).
    `expanded_before`: the number of expansions of earlier searches; the larger it is, the earlier the search for
    deadlocks begins. `most_in_table`: the maximum number of bytes of the table of "ida*"; this is part of the memory
    limit. `file`: the states of "a*" are saved in this file at most once every SAVE_EVERY seconds, and when a limit
    ends the search; the search resumes from this file. The query must be the same, including its hints. `weight`: a
    fraction of at least 1 by which the heuristic is multiplied. With a weight above 1, the search finds a plan sooner,
    and this plan costs at most the weight times the minimum. A weight is possible only for "a*" on one thread without a
    file, and only if each cost is a single number.

    The memory limit of the first call of `advance` applies to all calls. Budgets count work in expansions; an expansion
    with many successors counts as several expansions. The constructor raises ValueError for hints that do not fit the
    problem. `advance` raises ValueError if there are too many facts, or if the algorithm or the weight is not
    supported; OverflowError if a cost does not fit; and DamageError or OSError if the file cannot be used.
    """

    def __init__(
        self,
        problem: InformedProblem,
        algorithm: Algorithm = "a*",
        *,
        images: Sequence[Sequence[int]] = (),
        dead: Sequence[tuple[Sequence[int], Sequence[int]]] = (),
        threads: int = 1,
        weight: tuple[int, int] = (1, 1),
        at_least: int = 0,
        expanded_before: int = 0,
        most_in_table: int = 1 << 28,
        file: str = "",
    ) -> None:
        self.problem, self.algorithm = problem, algorithm
        self._at_least = at_least
        self._arguments: dict[str, Any] = {
            "hints": _native.Hints(problem.groups, problem.numbers, images, dead),
            "algorithm": algorithm,
            "threads": threads,
            "weight": weight,
            "at_least": at_least,
            "expanded_before": expanded_before,
            "most_in_table": most_in_table,
            "file": file,
            "save_every": native.SAVE_EVERY,
        }
        self._native: _native.InformedSearch | None = None
        self._seconds = 0.0

    def advance(self, budget: Budget, limits: SearchLimits, progress: Report = None) -> Status:
        units = self.problem.units
        search = self._made(limits.memory)
        work = _MOST_WORK if budget.expansions is None else search.work + budget.expansions
        size = _MOST_BYTES if budget.bytes is None else budget.bytes
        began = time.perf_counter()
        try:
            return search.advance(
                bound_limits(units, limits.seconds, None, progress), work=work, bytes=size
            )
        finally:
            self._seconds += time.perf_counter() - began

    def _made(self, memory: int | None) -> _native.InformedSearch:
        if self._native is None:
            left = left_of(memory)
            self._native = _native.InformedSearch(
                self.problem.native,
                memory=_MOST_BYTES if left is None else max(0, left),
                **self._arguments,
            )
        return self._native

    @property
    def packed_bound(self) -> int:
        return self._at_least if self._native is None else self._native.bound

    @property
    def bound(self) -> tuple[int, ...]:
        return self.problem.units.split(self.packed_bound)

    @property
    def num_expanded(self) -> int:
        return 0 if self._native is None else self._native.work

    @property
    def bytes(self) -> int:
        return 0 if self._native is None else self._native.bytes

    def samples(self, count: int) -> _native.Samples:
        """At most `count` of the expanded states. The result is empty unless the search is "a*" on one thread."""
        return self._made(None).samples(count)

    def outcome(self) -> InformedOutcome:
        found = self._made(None).outcome()
        units = self.problem.units
        facts: dict[str, Any] = {
            "states": found.num_states,
            "expanded": found.num_expanded,
            "generated": found.num_generated,
            "dead": found.num_dead,
            "corrals": found.num_corrals,
            "learned_deadlocks": found.num_learned_deadlocks,
            "seconds": self._seconds,
            "bytes": found.bytes,
            "agent": found.has_agent,
            "regions": found.merges_regions,
            "symmetries": found.num_images,
            "algorithm": found.algorithm,
        }
        if found.num_resumed:
            facts["resumed"] = found.num_resumed
        if found.iterations:
            facts["iterations"] = [(units.split(i.limit), i.num_expanded) for i in found.iterations]
        return InformedOutcome(
            status=found.state,
            cost=None if found.cost is None else units.split(found.cost),
            lower_bound=units.split(found.lower_bound),
            initial_bound=units.split(found.initial_bound),
            plan=tuple(found.plan),
            facts=facts,
        )


def _pdb_limits(limits: LocalPdbLimits) -> _native.LocalPdbLimits:
    return _native.LocalPdbLimits(
        spots=limits.spots,
        states=limits.states,
        filled=limits.filled,
        memory=limits.memory,
    )

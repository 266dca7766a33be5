"""Property-directed reachability (IC3), which searches for cubes that contain all goal states and no reachable state.

Bradley, SAT-based model checking without unrolling (VMCAI 2011); Eén, Mishchenko and Brayton (FMCAD 2011).

Frame i is a set of cubes. These cubes contain no state that can be reached by at most i moves. Frame i + 1 is a subset
of the cubes of frame i. The algorithm takes a goal cube with a state outside the cubes of the last frame, and checks
whether a move leads into it from a state outside the cubes of the previous frame. If so, the algorithm checks the cube
of such predecessors in the same way; if a chain of predecessors reaches the start, there is a plan. If not, those facts
of the checked cube that suffice for this conclusion become a new cube. If two consecutive frames are equal, their cubes
are an invariant.

An operator is a cube and a flip, so the regression of a cube is exactly one cube: predecessors need no lifting to
larger cubes.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from itertools import combinations, count
from math import inf
from typing import Any, Self

from pysat.card import CardEnc, EncType
from pysat.solvers import Solver

from fewest.analysis.invariants import proven_at_most_one
from fewest.errors import InternalError
from fewest.machine.cancellation import check_cancelled
from fewest.model.answer import LimitReached
from fewest.model.task import Cube, Operator, Task, facts_in

_SOLVER = "minisat22"
_FRESH = 4_000  # after this number of queries, a new solver replaces the current one
_MAX_OPERATORS = 20_000
_FEW = 100  # Up to this number of cubes, each cube is tested for whether it can be removed.
_FAILED_DROPS = 12  # After more than this number of necessary facts, no further fact is tested.


def unreachable_cubes(task: Task, seconds: float = inf) -> tuple[Cube, ...] | None:
    """Cubes that contain no reachable state and together contain all goal states. The result is None if there is a
    plan, if time runs out, or if the algorithm does not support the task.

    The start is in none of the cubes. No operator leads into a cube from a state that satisfies the task's groups and
    is outside all cubes. One test per operator verifies this. Without the limit `seconds`, the search takes anything
    from milliseconds to hours.
    """
    if not can_search(task):
        return None
    deadline = time.perf_counter() + seconds
    try:
        with _Search(task, deadline) as search:
            found = search.run()
        if found is None:
            return None
        with _Closure(task, found, deadline) as closure:
            return closure.run()
    except LimitReached:
        return None


def can_search(task: Task) -> bool:
    """Whether the algorithm supports the task. The task must have a goal. Moves must not permute facts or have
    consequences, and there must be at most _MAX_OPERATORS operators.
    """
    return (
        task.has_goal
        and bool(task.goal)
        and len(task.operators) <= _MAX_OPERATORS
        and not task.consequences
        and not task.permutations
    )


class GoalRefutation:
    """A search for an invariant. A planner runs the search briefly, again and again, between its horizons.

    The result does not depend on the metric: if no sequence of moves reaches a goal state, there is no plan in any
    metric. `num_cubes` is the number of cubes of the invariant (0 if none has been found).
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.num_cubes = 0
        self.spent = 0.0
        self._retry_from = 0.0  # the value of `allowed` from which the next attempt is made
        self._search: _Search | None = None
        self._is_over = False  # whether a plan or an invariant has been found

    def close(self) -> None:
        """Free the solver. All later calls of `succeeds` return False."""
        if self._search is not None:
            self._search.solver.delete()
            self._search = None
        self._is_over = True

    def succeeds(self, allowed: float, deadline: float) -> bool:
        """Whether the search proves, during this call and within the time limits, that no goal state can be reached.

        `allowed`: the total number of seconds for all calls. Raises LimitReached when the deadline passes, and
        InternalError if the cubes that the search finds are not an invariant.
        """
        if self._is_over or self.spent >= allowed or allowed < self._retry_from:
            return False
        began = time.perf_counter()
        until = min(deadline, began + allowed - self.spent)
        try:
            if self._search is None:
                self._search = _Search(self.task, until)
            self._search.deadline = until
            cubes = self._search.run()
        except LimitReached:
            # The next attempt begins again with the same goal cube, so if attempts are always too short, none of them
            # succeeds.
            self._retry_from = 2 * allowed
            if time.perf_counter() >= deadline:
                raise
            return False
        finally:
            self.spent += time.perf_counter() - began
        self.close()
        if cubes is None:
            return False
        with _Closure(self.task, cubes, inf) as closure:
            if not closure.is_invariant(range(len(cubes))):
                raise InternalError(
                    "the cubes of property-directed reachability are not an invariant"
                )
        self.num_cubes = len(cubes)
        return True


def preserved_groups(task: Task) -> list[tuple[int, int]]:
    """The exactly-k groups that every operator preserves, because it adds as many facts of the group as it deletes.
    Each group is a bit set of facts and the number of them that are true.
    """
    out = []
    for group in task.exactly:
        mask = sum(1 << fact for fact in group.facts)
        if (task.initial & mask).bit_count() == group.count and all(
            (o.flip & o.value & mask).bit_count() == (o.flip & ~o.value & mask).bit_count()
            for o in task.operators
        ):
            out.append((mask, group.count))
    return out


def _exclusions(task: Task, groups: Iterable[tuple[int, int]]) -> list[Cube]:
    """Cubes of two facts that cover one cell and are never true together, except cubes that the groups exclude."""
    known = [mask for mask, number in groups if number == 1]
    pairs = {
        1 << one | 1 << other
        for facts in proven_at_most_one(task)
        for one, other in combinations(facts, 2)
    }
    return [(pair, pair) for pair in sorted(pairs) if all(pair & ~mask for mask in known)]


class _Steps:
    """A solver that contains the clauses of one move. Variable f + 1 is fact f before the move, and n + f + 1 is fact f
    after it, where n is the number of facts.
    """

    def __init__(self, task: Task, deadline: float) -> None:
        self.task, self.deadline = task, deadline
        self.num_facts = len(task.facts)
        self.solver: Any = Solver(name=_SOLVER)
        self.top = 2 * self.num_facts
        self.of_operator = [self.new() for _ in task.operators]
        self.groups = preserved_groups(task)
        self._add_operators()
        self._add_groups()
        for mask, value in task.forbid:
            self.solver.add_clause([-v for v in self.literals((mask, value), after=True)])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.solver.delete()

    def new(self) -> int:
        self.top += 1
        return self.top

    def literals(self, cube: Cube, *, after: bool = False) -> list[int]:
        """The literals of a cube, before or after the move."""
        mask, value = cube
        more = self.num_facts + 1 if after else 1
        return [fact + more if value >> fact & 1 else -fact - more for fact in facts_in(mask)]

    def is_satisfiable(self, assumptions: list[int]) -> bool:
        """Whether the clauses and these literals can be satisfied together. Raises LimitReached."""
        check_cancelled()
        if time.perf_counter() > self.deadline:
            raise LimitReached("time")
        # In `solve`, Ctrl-C would cause an error inside python-sat. A call is short, so Ctrl-C can wait until the call
        # is over.
        return bool(self.solver.solve_limited(assumptions=assumptions, expect_interrupt=True))

    def _add_operators(self) -> None:
        add = self.solver.add_clause
        bits = [self.new() for _ in range(len(self.of_operator).bit_length())]
        adding: list[list[int]] = [[] for _ in range(self.num_facts)]
        deleting: list[list[int]] = [[] for _ in range(self.num_facts)]
        for number, (chosen, operator) in enumerate(
            zip(self.of_operator, self.task.operators, strict=True)
        ):
            for v in self.literals((operator.mask, operator.value)):
                add([-chosen, v])
            for v in self.literals((operator.flip, operator.inverse_value), after=True):
                add([-chosen, v])
            for fact in facts_in(operator.flip):
                (deleting if operator.value >> fact & 1 else adding)[fact].append(chosen)
            # the bits encode the number of one operator, so at most one operator is chosen
            for at, bit in enumerate(bits):
                add([-chosen, bit if number >> at & 1 else -bit])
        for fact in range(self.num_facts):
            now, then = fact + 1, self.num_facts + fact + 1
            add([-now, then, *deleting[fact]])
            add([now, -then, *adding[fact]])

    def _add_groups(self) -> None:
        for mask, number in self.groups:
            facts = [fact + 1 for fact in facts_in(mask)]
            if number == 1:
                self.solver.add_clause(facts)
                for one, other in combinations(facts, 2):
                    self.solver.add_clause([-one, -other])
                continue
            rows = CardEnc.equals(facts, number, top_id=self.top, encoding=EncType.seqcounter)
            self.top = max(self.top, rows.nv)
            for clause in rows.clauses:
                self.solver.add_clause(clause)


class _Search(_Steps):
    """The frames. `blocked[i]` are the cubes that are in frame i but not in frame i + 1; frame 0 is the start."""

    def __init__(self, task: Task, deadline: float) -> None:
        super().__init__(task, deadline)
        self.always = _exclusions(task, self.groups)
        self.blocked: list[list[Cube]] = [[], []]
        self._prepare()

    def _prepare(self) -> None:
        """Add the guards, the cubes of all frames and the goal to a new solver."""
        self.guards = [self.new() for _ in self.blocked]
        self.num_queries = 0
        for cube in self.always:
            self.solver.add_clause([-v for v in self.literals(cube)])
        everything = (1 << self.num_facts) - 1
        for v in self.literals((everything, self.task.initial)):
            self.solver.add_clause([-self.guards[0], v])
        for level, cubes in enumerate(self.blocked):
            for cube in cubes:
                self._add_cube(cube, level)
        self.bad = self.new()
        chosen = []
        for goal in self.task.goal:
            chosen.append(self.new())
            for v in self.literals(goal):
                self.solver.add_clause([-chosen[-1], v])
        self.solver.add_clause([-self.bad, *chosen])
        self.of_goal = chosen

    def run(self) -> list[Cube] | None:
        """The cubes of an invariant, or None if there is a plan. Raises LimitReached."""
        if self.task.is_goal(self.task.initial):
            return None
        while True:
            last = len(self.blocked) - 1
            while self.is_satisfiable([self.bad, *self.guards[last:]]):
                model = self.solver.get_model()
                number = next(n for n, v in enumerate(self.of_goal) if model[v - 1] > 0)
                if not self._block(self.task.goal[number], last):
                    return None
            self.blocked.append([])
            self.guards.append(self.new())
            level = self._push()
            if level is not None:
                return [
                    *self.always,
                    *(cube for cubes in self.blocked[level + 1 :] for cube in cubes),
                ]

    def _push(self) -> int | None:
        """Move every cube to the last frame in which it holds. Returns a frame that equals the next frame, or None if
        there is no such frame.
        """
        for level in range(1, len(self.blocked) - 1):
            for cube in list(self.blocked[level]):
                if self._core(cube, level) is not None:
                    self.blocked[level].remove(cube)
                    self._add(cube, level + 1)
            if not self.blocked[level]:
                return level
        return None

    def _block(self, goal: Cube, last: int) -> bool:
        """Prove that no state of a cube can be reached by at most `last` moves. Returns False if a plan reaches a state
        of the cube.
        """
        numbers = count()
        queue = [(last, next(numbers), goal)]
        while queue:
            level, _, cube = heappop(queue)
            mask, value = cube
            if self.task.initial & mask == value:
                return False
            if self._is_blocked(cube, level):
                if level < last:
                    heappush(queue, (level + 1, next(numbers), cube))
                continue
            before = self._before(cube, level)
            if before is not None:
                heappush(queue, (level - 1, next(numbers), before))
                heappush(queue, (level, next(numbers), cube))
                continue
            smaller = self._generalized(cube, level)
            while level < last and self._core(smaller, level) is not None:
                level += 1
            self._add(smaller, level)
            if level < last:
                heappush(queue, (level + 1, next(numbers), cube))
        return True

    def _is_blocked(self, cube: Cube, level: int) -> bool:
        mask, value = cube
        return any(
            not known & ~mask and value & known == wanted
            for cubes in self.blocked[level:]
            for known, wanted in cubes
        )

    def _before(self, cube: Cube, level: int) -> Cube | None:
        """A cube of states from which one move leads into `cube`. One of these states is outside `cube` and the cubes
        of frame `level - 1`. The result is None if there is no such move.
        """
        if self._core(cube, level - 1) is not None:
            return None
        model = self.solver.get_model()
        number = next(n for n, v in enumerate(self.of_operator) if model[v - 1] > 0)
        after = sum(1 << f for f in range(self.num_facts) if model[self.num_facts + f] > 0)
        return regressed(cube, self.task.operators[number], after, self.task.forbid)

    def _core(self, cube: Cube, level: int) -> Cube | None:
        """A cube with some of the facts of `cube`, such that no move leads into it from a state outside it and outside
        the cubes of frame `level`. The result is None if such a move leads into `cube` itself.
        """
        self.num_queries += 1
        if self.num_queries > _FRESH:
            self._restart()
        once = self.new()
        self.solver.add_clause([-once, *(-v for v in self.literals(cube))])
        behind = self.literals(cube, after=True)
        has_move = self.is_satisfiable([once, *self.guards[level:], *behind])
        core = None if has_move else set(self.solver.get_core() or ())
        self.solver.add_clause([-once])
        if core is None:
            return None
        core_mask = sum(1 << abs(v) - 1 - self.num_facts for v in behind if v in core)
        return self._without_start((core_mask, cube[1] & core_mask), cube)

    def _without_start(self, part: Cube, whole: Cube) -> Cube:
        """The cube `part`, with one more fact of the cube `whole` if the start is in `part`. This fact excludes the
        start.
        """
        mask, value = part
        if self.task.initial & mask != value:
            return part
        differing = (self.task.initial ^ whole[1]) & whole[0]
        low = differing & -differing
        return mask | low, value | whole[1] & low

    def _generalized(self, cube: Cube, level: int) -> Cube:
        """A cube with as few facts of `cube` as the search finds, such that no move leads into it from a state outside
        it and outside the cubes of frame `level - 1`. Facts are dropped one by one.
        """
        found = self._core(cube, level - 1)
        assert found is not None
        num_failed = 0
        for fact in facts_in(found[0]):
            bit = 1 << fact
            if not found[0] & bit or num_failed > _FAILED_DROPS:
                continue
            fewer = (found[0] & ~bit, found[1] & ~bit)
            if self.task.initial & fewer[0] == fewer[1]:
                continue
            smaller = self._core(fewer, level - 1)
            if smaller is None:
                num_failed += 1
            else:
                found = smaller
        return found

    def _add(self, cube: Cube, level: int) -> None:
        mask, value = cube
        for cubes in self.blocked[: level + 1]:  # cubes that the new cube contains are removed
            cubes[:] = [known for known in cubes if mask & ~known[0] or known[1] & mask != value]
        self.blocked[level].append(cube)
        self._add_cube(cube, level)

    def _add_cube(self, cube: Cube, level: int) -> None:
        self.solver.add_clause([-self.guards[level], *(-v for v in self.literals(cube))])

    def _restart(self) -> None:
        self.solver.delete()
        super().__init__(self.task, self.deadline)
        self._prepare()


def regressed(cube: Cube, operator: Operator, after: int, forbid: Sequence[Cube]) -> Cube:
    """A cube of states from which an operator leads into a cube, but not to a forbidden state.

    `after` is one of the states to which the operator leads. This state determines which fact excludes each forbidden
    cube.
    """
    mask, value = cube[0] | operator.mask, operator.value | cube[1] & ~operator.mask
    behind = operator.inverse_value | cube[1] & ~operator.mask
    for bad, wanted in forbid:
        if (behind ^ wanted) & bad & mask:
            continue
        differing = (after ^ wanted) & bad & ~mask
        low = differing & -differing
        mask, value, behind = mask | low, value | after & low, behind | after & low
    return mask, value


class _Closure(_Steps):
    """The necessary cubes of an invariant: the cubes that the refutation of the goal needs, the cubes that the proofs
    of these cubes need, and so on. If there are few such cubes, a cube is removed whenever the remaining cubes are
    still an invariant.
    """

    def __init__(self, task: Task, cubes: Sequence[Cube], deadline: float) -> None:
        super().__init__(task, deadline)
        self.cubes = cubes
        self.guards = [self.new() for _ in cubes]
        for guard, cube in zip(self.guards, cubes, strict=True):
            self.solver.add_clause([-guard, *(-v for v in self.literals(cube))])

    def run(self) -> tuple[Cube, ...]:
        """The necessary cubes."""
        number_of = {guard: number for number, guard in enumerate(self.guards)}
        needed: list[int] = []
        known: set[int] = set()

        def refuted(assumptions: list[int]) -> None:
            # The cubes that are already known to be necessary are tried first, so that fewer other cubes become
            # necessary.
            if self.is_satisfiable([*assumptions, *(self.guards[n] for n in needed)]):
                assert not self.is_satisfiable([*assumptions, *self.guards]), "an invariant"
                for v in self.solver.get_core() or ():
                    number = number_of.get(v)
                    if number is not None and number not in known:
                        known.add(number)
                        needed.append(number)

        for goal in self.task.goal:
            refuted(self.literals(goal))
        at = 0
        while at < len(needed):
            refuted(self.literals(self.cubes[needed[at]], after=True))
            at += 1
        if len(needed) <= _FEW:
            for number in needed[::-1]:
                rest = [other for other in needed if other != number]
                if self.is_invariant(rest):
                    needed = rest
        return tuple(self.cubes[number] for number in needed)

    def is_invariant(self, numbers: Sequence[int]) -> bool:
        """Whether these cubes alone exclude the goal and no move leads into any of them."""
        guards = [self.guards[number] for number in numbers]
        return not any(
            self.is_satisfiable([*self.literals(goal), *guards]) for goal in self.task.goal
        ) and not any(
            self.is_satisfiable([*self.literals(self.cubes[number], after=True), *guards])
            for number in numbers
        )

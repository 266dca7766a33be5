"""A search backward from the goal over cubes, in which a SAT solver finds each new cube.

McMillan, Applying SAT methods in unbounded symbolic model checking (CAV 2002).

Layer d is a set of cubes. The first d + 1 layers together contain exactly those states from which at most d moves lead
to the goal. The formula describes one move between any two states, and excludes the cubes found so far for the first
state. If the formula has a model in which the second state is in a cube of layer d, then the regression of this cube
through the move is a cube of layer d + 1. If there is no such model for any cube of layer d, layer d + 1 is complete.
If it does not contain the start, no plan has d + 1 moves. If it is empty, there is no plan. Free moves may come before
the move in the same layer, so a cube is also regressed through these.

In contrast to the formula for a horizon, this formula does not grow with the length of plans. However, the number of
cubes can be as large as the number of states. The method is sound for every metric of one part: each move of a planning
task costs one unit.

An automorphism of the task maps each layer to itself. If a small group of automorphisms is known, the formula also
excludes the images of each cube, and only one cube of each orbit is regressed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import accumulate, product
from math import inf, prod
from typing import Any

from fewest.errors import InternalError
from fewest.machine.cancellation import check_cancelled
from fewest.model.task import Cube, facts_in, union
from fewest.planning.automorphisms import Permutation, automorphism_group, image, inverse
from fewest.planning.bounds import Bounds
from fewest.planning.free_graph import free_graph
from fewest.planning.macros import MacroOperator
from fewest.planning.sat.encoding import Encoding
from fewest.planning.sat.profile import Profile, StatePart, TransitionPart
from fewest.planning.task import PlanningTask

SOLVER = "minisat22"
_ONE_MOVE = Profile(
    "one move from any state",
    TransitionPart("leave-arrive", idle="none"),
    StatePart(exactly="counters"),
)
_MAX_MOVES = 20_000
_MAX_GOALS = 10_000
_MAX_CUBES = 300_000  # these cubes and their clauses take about 200 MB
_MAX_CONFLICTS = 20_000
"""After this number of conflicts in one query, the search gives up. The solver cannot be interrupted, and a query
usually takes a few conflicts.
"""


def can_search_backward(planning: PlanningTask) -> bool:
    """Whether the search supports the task. There must be no consequences, at most _MAX_MOVES moves, and at most
    _MAX_GOALS combinations of goal cubes. The goal must not depend on facts that free moves change.
    """
    goals = (planning.goal, *planning.further_goals)
    free = union(move.changing for move in planning.free)
    return (
        not planning.rounds
        and len(planning.moves) <= _MAX_MOVES
        and prod(map(len, goals)) <= _MAX_GOALS
        and not any(mask & free for cubes in goals for mask, _ in cubes)
    )


class BackwardSearch:
    """A search that a planner advances between its horizons. The task must be supported (`can_search_backward`).

    `refuted`: no plan has at most this number of moves. `states`: the states of a minimal plan, if it has been found.
    `is_exhausted`: whether there is no plan. `is_over`: whether the search has an answer or has given up.
    `seconds`, `cpu_seconds`: the wall-clock time and the CPU time of all calls of `advance`.
    """

    def __init__(self, bounds: Bounds) -> None:
        self.planning = bounds.planning
        self.refuted = -1
        self.states: list[int] | None = None
        self.is_exhausted = False
        self.seconds = self.cpu_seconds = 0.0
        self._bounds = bounds
        self._solver: Any = None
        self.is_over = False
        self._cubes: list[Cube] = []
        self._via: list[tuple[Sequence[MacroOperator], int]] = []
        """for each cube, the free moves and the move through which it is a regression, and the number of the cube to
        which the move leads; no moves and -1 for a goal cube
        """
        self._current = 0  # the first cube that may have predecessors outside all cubes
        self._end = 0  # the number of cubes when the layer of the current cube was complete

    @property
    def has_answer(self) -> bool:
        return self.states is not None or self.is_exhausted

    @property
    def num_cubes(self) -> int:
        return len(self._cubes)

    def close(self) -> None:
        """Free the solver. Later calls of `advance` do nothing."""
        self.is_over = True
        if self._solver is not None:
            self._solver.delete()
            self._solver = None

    def advance(self, until: float, cpu: float = inf) -> None:
        """Search until `until`, a time of `perf_counter`; for `cpu` CPU seconds; or until the search is over."""
        began, cpu_began = time.perf_counter(), time.thread_time()
        try:
            if not self.is_over and self._solver is None:
                self._open()
            cpu_end = cpu_began + cpu
            while not self.is_over and time.perf_counter() < until:
                if time.thread_time() > cpu_end:
                    break
                check_cancelled()
                self._next_cube()
        finally:
            self.seconds += time.perf_counter() - began
            self.cpu_seconds += time.thread_time() - cpu_began

    def _open(self) -> None:
        """Create the formula and layer 0, the goal cubes."""
        from pysat.solvers import Solver

        planning = self.planning
        encoding = Encoding(self._bounds, _ONE_MOVE)
        self._state, self._num_variables = encoding.state, encoding.num_variables
        self._solver = Solver(name=SOLVER)
        for rows in encoding.one_move():
            self._solver.append_formula(rows.tolist())
        self._moves_by_flip: dict[int, list[MacroOperator]] = {}
        for move in planning.moves:
            if not move.image:
                self._moves_by_flip.setdefault(move.flip, []).append(move)
        self._permuting = [move for move in planning.moves if move.image]
        self._symmetries: list[Permutation] = automorphism_group(planning)
        self._starts = [planning.initial]
        self._starts += [image(symmetry, planning.initial) for symmetry in self._symmetries]
        if planning.free:
            self._open_free(encoding.num_variables)
        for cubes in product(planning.goal, *planning.further_goals):
            mask, value = (union(cube[part] for cube in cubes) for part in (0, 1))
            if all(value & own_mask == own_value for own_mask, own_value in cubes):
                self._add(self._without_implied(mask, value), (), -1)
            if self.is_over:
                return
        self._end = self.num_cubes
        self.refuted = 0

    def _next_cube(self) -> None:
        """Find a new predecessor of the current cube, or continue with the next cube if there are no more."""
        if self._current == self._end:
            self.refuted += 1
            if self.num_cubes == self._end:
                self.is_exhausted = True
                self.close()
                return
            self._end = self.num_cubes
        cube = self._cubes[self._current]
        self._solver.conf_budget(_MAX_CONFLICTS)
        has_model = self._solver.solve_limited(
            assumptions=self._literals_after(cube), expect_interrupt=True
        )
        if has_model is None:
            self.close()
        elif not has_model:
            self._current += 1
        else:
            states, moves = self._moves_of(self._solver.get_model())
            for state, move in zip(reversed(states), reversed(moves), strict=True):
                cube = self._regressed(cube, move, state)
            self._add(cube, moves, self._current)

    def _literals_after(self, cube: Cube) -> list[int]:
        """The literals of a cube for the second state."""
        mask, value = cube
        variables = (
            (fact, self._state.fact[fact] + self._num_variables) for fact in facts_in(mask)
        )
        return [v if value >> fact & 1 else -v for fact, v in variables]

    def _moves_of(self, model: list[int]) -> tuple[list[int], list[MacroOperator]]:
        """Free moves and a move that lead from the first state of a model to the second, with the state before each
        of them.
        """
        before = after = 0
        shift = self._num_variables - 1
        for fact, variable in enumerate(self._state.fact):
            if model[variable - 1] > 0:
                before |= 1 << fact
            if model[variable + shift] > 0:
                after |= 1 << fact
        for state, path in self._free_paths(before):
            for move in (*self._moves_by_flip.get(state ^ after, ()), *self._permuting):
                if move.is_applicable(state) and move.apply(state) == after:
                    states = list(accumulate(path, lambda at, one: one.apply(at), initial=before))
                    return states, [*path, move]
        raise InternalError("no move leads from the first state of a model to the second")

    def _free_paths(self, state: int) -> Iterator[tuple[int, tuple[MacroOperator, ...]]]:
        """The state, and the states to which free moves lead, nearest first, each with a shortest path."""
        yield state, ()
        if not self.planning.free:
            return
        known = {state}
        paths: list[tuple[int, tuple[MacroOperator, ...]]] = [(state, ())]
        for at, path in paths:
            for move in self._free_from.get(at & self._places, ()):
                target = move.apply(at)
                if target in known or not move.is_applicable(at):
                    continue
                known.add(target)
                if not self.planning.is_forbidden(target):
                    paths.append((target, (*path, move)))
                    yield paths[-1]

    def _open_free(self, num_variables: int) -> None:
        """Prepare for free moves, and add a clause: the first state is the start or a possible state after a move.
        Without this clause, each place of the agent would need its own cube.
        """
        planning = self.planning
        graph = free_graph(planning)
        self._places = graph.mask
        self._free_from: dict[int, list[MacroOperator]] = {}
        for source, _, move in graph.edges:
            self._free_from.setdefault(graph.values[source], []).append(move)
        if self._permuting:
            return
        whole = (1 << len(planning.facts)) - 1
        cubes = {(whole, start) for start in self._starts}
        cubes |= {(move.mask, move.value ^ move.flip) for move in planning.moves}
        variables = range(2 * num_variables + 1, 2 * num_variables + 1 + len(cubes))
        self._solver.add_clause(variables)
        for variable, cube in zip(variables, sorted(cubes), strict=True):
            for literal in self._state.literals(cube):
                self._solver.add_clause([-variable, literal])

    def _add(self, cube: Cube, moves: Sequence[MacroOperator], behind: int) -> None:
        """Add a cube of the next layer; end the search if it contains the start or an image of the start."""
        self._cubes.append(cube)
        self._via.append((moves, behind))
        mask, value = cube
        images = [(image(one, mask), image(one, value)) for one in self._symmetries]
        for each in {cube, *images}:
            self._solver.add_clause([-literal for literal in self._state.literals(each)])
        for number, start in enumerate(self._starts):
            if start & mask == value:
                states = self._plan_from(start)
                if number:
                    back = inverse(self._symmetries[number - 1])
                    states = [image(back, state) for state in states]
                self.states = states
                self.close()
                return
        if self.num_cubes >= _MAX_CUBES:
            self.close()

    def _plan_from(self, state: int) -> list[int]:
        """The states of the plan from a state in the newest cube."""
        states = [state]
        moves, behind = self._via[-1]
        while behind >= 0:
            for move in moves:
                state = move.apply(state)
            states.append(state)
            moves, behind = self._via[behind]
        return states

    def _regressed(self, cube: Cube, move: MacroOperator, before: int) -> Cube:
        """A cube that contains the state `before`. From each of its states, the move leads into `cube`, and neither
        through nor into a forbidden state.

        One fact excludes a forbidden cube: its value in `before` differs from that in the forbidden cube.
        """
        rest = _before_effect(cube, move)
        assert rest is not None
        mask, value = rest[0] | move.mask, rest[1] | move.value
        entered = (_before_effect(forbidden, move) for forbidden in self.planning.forbid)
        for bad in (*sorted(move.avoid), *entered):
            if bad is None or (bad[1] ^ value) & bad[0] & mask:
                continue
            differing = (before ^ bad[1]) & bad[0] & ~mask
            low = differing & -differing
            mask, value = mask | low, value | before & low
        return self._without_implied(mask, value)

    def _without_implied(self, mask: int, value: int) -> Cube:
        """The cube without the false facts that its true facts exclude."""
        false = mask & ~value
        for fact in facts_in(value):
            false &= ~self._state.mutexes[fact]
        return value | false, value


def _before_effect(cube: Cube, move: MacroOperator) -> Cube | None:
    """The cube of the states from which the effect of a move leads into `cube`, without the facts that the move flips:
    the precondition determines their values. The result is None if these values contradict the cube.
    """
    mask, value = cube
    if (move.value ^ move.flip ^ value) & move.flip & mask:
        return None
    mask, value = mask & ~move.flip, value & ~move.flip
    carried = move.carried
    moved = sum(1 << fact for fact in carried)
    sources = [(fact, move.image[fact]) for fact in carried]
    return (
        mask & ~moved | sum((mask >> to & 1) << fact for fact, to in sources),
        value & ~moved | sum((value >> to & 1) << fact for fact, to in sources),
    )

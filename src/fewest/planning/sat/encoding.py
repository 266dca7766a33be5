"""A planning task as CNF according to a profile: the clauses of each layer, and the formula for a horizon."""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from fewest.model.task import Cube
from fewest.planning.bounds import Bounds
from fewest.planning.projections import Projection
from fewest.planning.sat.cardinality import AT_MOST_ONE
from fewest.planning.sat.clauses import Clauses, Formula, Layer, Template, following, formula
from fewest.planning.sat.conditional_effects import add_conditional_effects
from fewest.planning.sat.free import add_free_moves
from fewest.planning.sat.mirror import add_mirror, find_mirror
from fewest.planning.sat.profile import Profile
from fewest.planning.sat.pruning import (
    add_no_repeat,
    add_no_undo,
    add_waste,
    far_apart,
)
from fewest.planning.sat.state import State, add_cells, add_cubes_false, add_exactly
from fewest.planning.sat.transition import Transition, add_idle, add_transition
from fewest.planning.sums import has_costly_sums
from fewest.planning.task import PlanningTask

MAX_WAITS = 100


class Encoding:
    """The CNF of a planning task according to a profile.

    Every layer has the same `num_variables` variables; variable v of layer t (counted from 0) has the number `t *
    num_variables + v`. Layer t contains the state after t moves and the transition to the next layer.
    """

    def __init__(self, bounds: Bounds, profile: Profile) -> None:
        planning = bounds.planning
        self.bounds = bounds
        self.planning = planning
        self.profile = profile
        self.is_exact = profile.transition.idle == "none"
        layer = Layer()
        in_layer, between = Clauses(), Clauses()
        at_most_one = AT_MOST_ONE[profile.transition.at_most_one]
        state = State(planning, layer)
        add_cells(state, profile.state, layer, in_layer)
        add_exactly(state, profile.state, layer, in_layer)
        may_start_anywhere = planning.is_forbidden(planning.initial)
        if not may_start_anywhere:
            add_cubes_false(state, planning.forbid, in_layer)
        add_free_moves(planning, state, at_most_one, layer, in_layer)
        self.reached = _add_goal(planning, state, layer, in_layer)
        self.mirror = find_mirror(planning) if profile.pruning.symmetry else None
        self.mirrored = 0
        in_a_row = Clauses()
        if self.mirror:
            self.mirrored = add_mirror(self.mirror, state, layer, in_layer, between)
            in_a_row = Clauses(self.mirrored)
        self.unfinished = add_conditional_effects(planning, state, layer, in_layer, between)
        transition = add_transition(planning, state, profile.transition, layer, between)
        add_idle(transition, profile.transition, between, in_a_row)
        if may_start_anywhere:  # a plan may begin in a forbidden state, but must not enter one
            for cube in planning.forbid:
                there = (following(literal) for literal in state.literals(cube))
                between.add(-transition.active, *(-literal for literal in there))
        self._add_pruning(transition, layer, in_a_row)
        spending = Clauses()
        self._wasted: list[int] = []
        is_adaptive = profile.state.exactly == "adaptive"
        has_waste = profile.pruning.waste and not (is_adaptive and has_costly_sums(planning))
        if self.mirror and has_waste:
            # Otherwise, the mirror would change the potential, although no move wastes anything.
            has_waste = bounds.potential.is_invariant_under(self.mirror.facts)
        if has_waste and bounds.potential.start:
            self._wasted = add_waste(bounds.potential, transition, layer, spending)
        not_goal = Clauses()
        # If the goal has several lists, each combination of one cube from every list would need a clause; these clauses
        # are omitted.
        for cube in () if planning.further_goals else planning.goal:
            not_goal.add(*(-literal for literal in state.literals_here(cube)))
        self.state = state
        self.active = transition.active
        self.names = layer.names
        self.num_variables = layer.num_variables
        (
            self._in_layer,
            self._between,
            self._in_a_row,
            self._not_goal,
            self._spending,
        ) = (
            part.template(layer.num_variables)
            for part in (in_layer, between, in_a_row, not_goal, spending)
        )
        self._apart: dict[int, Template] = {}
        if profile.pruning.apart:
            parts = far_apart(bounds, state, self.mirror)
            self._apart = {k: part.template(layer.num_variables) for k, part in parts.items()}

    def _add_pruning(self, transition: Transition, layer: Layer, in_a_row: Clauses) -> None:
        pruning, planning = self.profile.pruning, self.planning
        if pruning.repeat:
            add_no_repeat(planning, transition, layer, in_a_row)
        if pruning.undo:
            add_no_undo(planning, transition, in_a_row)

    def formula_for(self, horizon: int, refuted: int = -1) -> Formula:
        """The formula including the goal. It is satisfiable iff there is a plan of at most `horizon` moves (exactly
        `horizon` moves if the profile allows no idle layer). If consequences may take more rounds than the encoding
        describes, a satisfiable formula does not imply a plan.

        `refuted`: a horizon up to which no plan exists (-1: unknown).
        """
        is_exact = self.is_exact_above(horizon, refuted)
        return [
            *self.layers(-1, horizon),
            *self.known(self._newly_refuted(-1, refuted), range(horizon) if is_exact else range(0)),
            *formula([[u] for u in self._bounds(range(horizon + 1), horizon, is_exact)]),
            *self._use_of_moves(-1, horizon),
            *formula([[self.goal(horizon)]]),
        ]

    def addition(self, have: int, horizon: int, known: int, refuted: int) -> Formula:
        """The clauses that extend layers 0 … `have` to the formula for `horizon`; the formula requires the goal only
        under the assumption `goal(horizon)`.

        No plan exists up to the horizon `refuted`; when the earlier clauses were generated, this was proved only up to
        `known`.
        """
        new = range(have + 1, horizon + 1)
        is_exact = self.is_exact_above(horizon, refuted)
        anyway = self._bounds(new, None, is_exact)
        near = [*self._bounds(range(horizon + 1), horizon, is_exact)]
        skip, goal = set(anyway), self.goal(horizon)
        return [
            *self.layers(have, horizon),
            *self.known(
                self._newly_refuted(known, refuted), range(horizon) if is_exact else range(0)
            ),
            *formula([[unit] for unit in anyway]),
            *formula([[-goal, unit] for unit in near if unit not in skip]),
            *self._use_of_moves(have, horizon),
        ]

    def _newly_refuted(self, known: int, refuted: int) -> range:
        return range(known + 1, refuted + 1) if self.profile.pruning.refuted else range(0)

    def is_exact_above(self, horizon: int, refuted: int) -> bool:
        """Whether a plan of at most `horizon` moves must have exactly `horizon` moves."""
        return self.is_exact or (self.profile.pruning.refuted and refuted == horizon - 1)

    def known(self, refuted: range, active: range) -> Formula:
        """Clauses that state that the layers `refuted` contain no goal states, and that the layers `active` are not
        idle.
        """
        return [
            *self._not_goal.at(refuted),
            *formula([[self._at(self.active, layer)] for layer in active]),
        ]

    def finished(self, horizon: int) -> Formula:
        """Clauses that state that no move before the layer `horizon` is unfinished. A model of `formula_for` and these
        clauses is a plan.
        """
        layers = range(horizon) if self.unfinished else range(0)
        return formula([[-self._at(self.unfinished, layer)] for layer in layers])

    def layers(self, have: int, horizon: int, is_open: bool = False) -> Formula:
        """The clauses that extend layers 0 … `have` (-1: no layers) to layers 0 … `horizon`.

        `is_open`: whether layer 0 may have any state, not only the initial state.
        """
        start: Formula = []
        if have < 0 and not is_open:
            initial = self.planning.initial
            start = formula(
                [[v if initial >> f & 1 else -v] for f, v in enumerate(self.state.fact)]
            )
        return [
            *start,
            *self._in_layer.at(range(have + 1, horizon + 1)),
            *self._between.at(range(max(have, 0), horizon)),
            *self._in_a_row.at(range(max(have - 1, 0), horizon - 1)),
            *chain.from_iterable(
                clauses.at(range(max(have + 1 - distance, 0), horizon + 1 - distance))
                for distance, clauses in self._apart.items()
            ),
        ]

    def one_move(self) -> Formula:
        """The clauses for one move (or, if layers may be idle, at most one move) between two states. The first state is
        any state that the invariants allow; the second state is in layer 1 and is not forbidden.
        """
        # If the start is forbidden, the clauses of the transition exclude forbidden states.
        forbid = () if self.planning.is_forbidden(self.planning.initial) else self.planning.forbid
        return [
            *self._in_layer.at(range(1)),
            *self._between.at(range(1)),
            *self.without(forbid, range(1, 2)),
        ]

    def _use_of_moves(self, have: int, horizon: int) -> Formula:
        """Clauses that limit the waste of a plan that ends at this horizon, and count the waste in the layers after
        `have`.
        """
        most = self.bounds.potential.most(horizon) if self._wasted else None
        if most is None:
            return []
        too_much = self._at(self._wasted[most], horizon)
        return [
            *self._spending.at(range(max(have, 0), horizon)),
            *formula([[-self.goal(horizon), -too_much]]),
        ]

    def _bounds(self, layers: range, horizon: int | None, is_exact: bool) -> list[int]:
        """Literals that small projections imply in these layers: facts and empty cells that are necessary or
        impossible.

        The list is empty if the profile does not use projections; it is a contradiction if no state is possible. See
        `planning/projections.py`.
        """
        kind = self.profile.pruning.distances
        if kind == "none":
            return []
        until = horizon if kind == "both" else None
        literals: list[int] = []
        for projection in self._projections:
            variables = [self.state.fact[fact] for fact in projection.facts]
            variables += [self.state.empty[cell] for cell in projection.cells if self.state.empty]
            for layer in layers:
                states = projection.possible(layer, until, is_exact)
                if not states.any():
                    return [self._at(self.reached, layers[0]), -self._at(self.reached, layers[0])]
                some, every = projection.bits_of_some_and_all(states)
                for index, variable in enumerate(variables):
                    if not some >> index & 1:
                        literals.append(-self._at(variable, layer))
                    elif every >> index & 1:
                        literals.append(self._at(variable, layer))
        return literals

    @cached_property
    def _projections(self) -> list[Projection]:
        """The projections except those onto more than MAX_WAITS waits: if a move takes hundreds of layers, their
        literals would make up most of the formula, although the transitions imply nearly all of them.
        """
        own = len(self.planning.task.facts)
        return [
            one
            for one in self.bounds.projections
            if len(one.facts) <= MAX_WAITS or one.facts[0] < own
        ]

    def mutexes(self, layers: range) -> Formula:
        """Clauses that exclude facts, empty cells and pairs of these in these layers. No plan violates the clauses. See
        `planning/pair_mutexes.py`.

        These clauses are not part of `formula_for`, because computing them takes longer than solving most horizons.
        """
        ones, pairs, first_of_ones, first_of_pairs = self._mutexes
        out: Formula = []
        for layer in layers:
            shift = layer * self.num_variables
            for clauses, first in ((ones, first_of_ones), (pairs, first_of_pairs)):
                out.append(-(clauses[first > layer] + shift).astype(np.int32))
        return [rows for rows in out if len(rows)]

    def without(self, cubes: Sequence[Cube], layers: range) -> Formula:
        """Clauses that exclude the states in these cubes from the beginning of these layers."""
        clauses = Clauses()
        add_cubes_false(self.state, cubes, clauses)
        return clauses.template(self.num_variables).at(layers)

    @cached_property
    def _mutexes(self) -> tuple[NDArray[np.int32], ...]:
        """The variables that are false, as int32[n, 1], and the pairs of variables that are not both true, as
        int32[m, 2]; also, for each variable and each pair, the layer before which this holds, as int32[n] and int32[m].
        """
        num_facts = len(self.planning.facts)
        variable = dict(enumerate(self.state.fact))
        variable |= {num_facts + cell: empty for cell, empty in self.state.empty.items()}
        rows: tuple[list[list[int]], list[list[int]]] = ([], [])
        first: tuple[list[int], list[int]] = ([], [])
        for each in self.bounds.pair_mutexes:
            if each.one in variable and each.other in variable:
                elements = sorted({variable[each.one], variable[each.other]})
                rows[len(elements) - 1].append(elements)
                first[len(elements) - 1].append(each.first)
        ones, pairs = (np.array(r, np.int32).reshape(-1, n + 1) for n, r in enumerate(rows))
        return ones, pairs, np.array(first[0], np.int32), np.array(first[1], np.int32)

    def goal(self, horizon: int) -> int:
        """The literal that implies that layer `horizon` has a goal state after its free moves."""
        return self._at(self.reached, horizon)

    def states(self, model: Set[int], horizon: int) -> list[int]:
        """The state at the beginning of each layer, from the true variables of a model.

        If the encoding uses a mirror, the states are mirrored back.
        """
        is_image = False
        states: list[int] = []
        for layer in range(horizon + 1):
            true = (f for f, v in enumerate(self.state.fact) if self._at(v, layer) in model)
            state = sum(1 << fact for fact in true)
            states.append(self.mirror.image(state) if self.mirror and is_image else state)
            is_image ^= self.mirrored > 0 and self._at(self.mirrored, layer) in model
        return states

    def _at(self, variable: int, layer: int) -> int:
        return variable + layer * self.num_variables


def _add_goal(planning: PlanningTask, state: State, layer: Layer, clauses: Clauses) -> int:
    """A new variable, which implies that the state after the layer's free moves is in a cube of every list of the
    goal.
    """
    reached = layer.new("goal reached")
    number = 0
    for goal in (planning.goal, *planning.further_goals):
        cubes = [state.literals_here(cube) for cube in goal]
        if len(cubes) == 1:
            clauses.add_all((-reached, literal) for literal in cubes[0])
            continue
        chosen = [layer.new(f"goal {number + index}") for index in range(len(cubes))]
        number += len(cubes)
        clauses.add(-reached, *chosen)
        for variable, literals in zip(chosen, cubes, strict=True):
            clauses.add_all((-variable, literal) for literal in literals)
    return reached

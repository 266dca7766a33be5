"""A planning task as CNF, by a profile: the clauses of any layer, and of the question at a horizon."""

from __future__ import annotations

from collections.abc import Set
from functools import cached_property

import numpy as np

from fewest.analysis.distances import Distances, from_start, to_goal
from fewest.analysis.planning import PlanningTask
from fewest.sat.cardinality import AT_MOST_ONE
from fewest.sat.clauses import Clauses, Formula, Layer, formula
from fewest.sat.free import add_free_moves
from fewest.sat.profile import Profile
from fewest.sat.pruning import add_commuting_order, add_no_repeat, add_no_undo
from fewest.sat.state import State, add_cells, add_cubes_false, add_exactly
from fewest.sat.transition import add_idle, add_transition


class Encoding:
    """The CNF of a planning task by a profile.

    Every layer has the same `num_variables` variables; variable v of layer t (from 0) is
    `t * num_variables + v`. Layer t holds the state after t moves and what happens from it to the
    next.
    """

    def __init__(self, planning: PlanningTask, profile: Profile) -> None:
        self.planning = planning
        self.profile = profile
        layer = Layer()
        in_layer, between, in_a_row = Clauses(), Clauses(), Clauses()
        at_most_one = AT_MOST_ONE[profile.transition.at_most_one]
        state = State(planning, layer)
        add_cells(state, profile.state, layer, in_layer)
        add_exactly(state, profile.state, layer, in_layer)
        add_cubes_false(state, planning.forbid, in_layer)
        add_free_moves(planning, state, at_most_one, layer, in_layer)
        self.reached = _add_goal(planning, state, layer, in_layer)
        transition = add_transition(planning, state, profile.transition, layer, between)
        add_idle(transition, profile.transition, between, in_a_row)
        if profile.pruning.repeat:
            add_no_repeat(planning, transition, layer, in_a_row)
        if profile.pruning.undo:
            add_no_undo(planning, transition, in_a_row)
        if profile.pruning.commuting:
            add_commuting_order(planning, transition, in_a_row)
        not_goal = Clauses()
        for cube in planning.goal:
            not_goal.add(*(-literal for literal in state.literals_here(cube)))
        self.state = state
        self.active = transition.active
        self.names = layer.names
        self.num_variables = layer.num_variables
        self._in_layer, self._between, self._in_a_row, self._not_goal = (
            part.template(layer.num_variables) for part in (in_layer, between, in_a_row, not_goal)
        )

    def question(self, horizon: int, refuted: int = -1) -> Formula:
        """All clauses of "is there a plan of at most `horizon` moves", the goal included.

        (Exactly so many, where the profile allows no idle layer.) `refuted`: a horizon up to which
        there is none; the profile decides whether that is said.
        """
        return [
            *self.layers(-1, horizon),
            *self.bounds(range(horizon + 1), horizon),
            *(self.refuted(range(refuted + 1)) if self.profile.pruning.refuted else ()),
            np.array([[self.goal(horizon)]], dtype=np.int32),
        ]

    def layers(self, have: int, horizon: int) -> Formula:
        """The clauses that lead from layers 0 … `have` (-1: nothing) to layers 0 … `horizon`."""
        start: Formula = []
        if have < 0:
            initial = self.planning.initial
            start = formula(
                [[v if initial >> f & 1 else -v] for f, v in enumerate(self.state.fact)]
            )
        return [
            *start,
            *self._in_layer.at(range(have + 1, horizon + 1)),
            *self._between.at(range(max(have, 0), horizon)),
            *self._in_a_row.at(range(max(have - 1, 0), horizon - 1)),
        ]

    def bounds(self, layers: range, horizon: int | None = None) -> Formula:
        """Facts that these layers cannot have: too far from the start, or (of a fixed horizon) from
        the goal. Nothing if the profile does not ask for it.
        """
        kind = self.profile.pruning.distances
        if kind == "none":
            return []
        literals: list[list[int]] = []
        for layer in layers:
            for fact, variable in enumerate(self.state.fact):
                for value in (0, 1):
                    is_early = self._from_start.value[fact][value] > layer
                    is_late = (
                        kind == "both"
                        and horizon is not None
                        and self._to_goal.value[fact][value] > horizon - layer
                    )
                    if is_early or is_late:
                        shifted = variable + layer * self.num_variables
                        literals.append([-shifted if value else shifted])
        return formula(literals)

    def refuted(self, layers: range) -> Formula:
        """These layers are no goal: it has been proved that no plan is as short."""
        return self._not_goal.at(layers)

    def goal(self, horizon: int) -> int:
        """The literal that says that the layer of this horizon is a goal."""
        return self.reached + horizon * self.num_variables

    def states(self, model: Set[int], horizon: int) -> list[int]:
        """The state at the beginning of each layer, from the true variables of a model."""
        return [
            sum(
                1 << fact
                for fact, variable in enumerate(self.state.fact)
                if variable + layer * self.num_variables in model
            )
            for layer in range(horizon + 1)
        ]

    @cached_property
    def _from_start(self) -> Distances:
        return from_start(self.planning)

    @cached_property
    def _to_goal(self) -> Distances:
        return to_goal(self.planning)


def _add_goal(planning: PlanningTask, state: State, layer: Layer, clauses: Clauses) -> int:
    """A variable that implies one of the goal's cubes, after the layer's free moves."""
    reached = layer.new("goal reached")
    cubes = [state.literals_here(cube) for cube in planning.goal]
    if len(cubes) == 1:
        clauses.add_all((-reached, literal) for literal in cubes[0])
        return reached
    chosen = [layer.new(f"goal {number}") for number in range(len(cubes))]
    clauses.add(-reached, *chosen)
    for variable, literals in zip(chosen, cubes, strict=True):
        clauses.add_all((-variable, literal) for literal in literals)
    return reached

"""The state part of a layer: one variable per fact, the contents of cells, and the invariants."""

from __future__ import annotations

from collections.abc import Iterable

from fewest.analysis.invariants import mutexes, num_empty_cells
from fewest.model.task import Cube, facts_in, union
from fewest.planning.sat.cardinality import AT_MOST_ONE, counter
from fewest.planning.sat.clauses import Clauses, Layer, following
from fewest.planning.sat.profile import StatePart
from fewest.planning.sums import has_costly_sums
from fewest.planning.task import PlanningTask


class State:
    """The variables of a layer's state.

    `fact[f]` is the variable of fact f at the beginning of the layer. `here[f]` is the variable of fact f after the
    layer's free moves; it differs from `fact[f]` only if free moves may change f. `after[f]` is the variable of fact f
    after the layer's move: the variable of the next layer, unless a mirror or consequences come between the move and
    the next layer. `mutexes[f]` is the bit set of the facts that fact f excludes. `empty[c]`, if the profile uses such
    variables, is true iff cell c (an index of `at_most_one`) is empty.
    """

    def __init__(self, planning: PlanningTask, layer: Layer) -> None:
        self.planning = planning
        self.fact = [layer.new(name) for name in planning.facts]
        self.here = list(self.fact)
        self.after = [following(variable) for variable in self.fact]
        self.empty: dict[int, int] = {}
        self.cells = [sum(1 << f for f in facts) for facts in planning.at_most_one]
        ones = [sum(1 << f for f in g.facts) for g in planning.exactly if g.count == 1]
        self.mutexes = mutexes(len(planning.facts), (*self.cells, *ones))

    def literals(self, cube: Cube) -> list[int]:
        """The literals of a cube at the beginning of the layer; literals that the invariants imply are omitted.

        If cells have variables, a single literal states that a cell is empty.
        """
        return self._literals(cube, self.fact)

    def literals_here(self, cube: Cube) -> list[int]:
        """Like `literals`, but for the state after the layer's free moves."""
        return self._literals(cube, self.here)

    def _literals(self, cube: Cube, variables: list[int]) -> list[int]:
        mask, value = cube
        negative = mask & ~value
        needed = negative & ~union(self.mutexes[fact] for fact in facts_in(value))
        out = [variables[fact] for fact in facts_in(value)]
        covered = 0
        for cell, empty in self.empty.items():
            facts = self.cells[cell]
            if facts & ~negative or not facts & needed & ~covered:
                continue
            if all(variables[fact] == self.fact[fact] for fact in facts_in(facts)):
                out.append(empty)
                covered |= facts
        out += [-variables[fact] for fact in facts_in(needed & ~covered)]
        return out


def add_cells(state: State, part: StatePart, layer: Layer, clauses: Clauses) -> None:
    """Add the constraints on the contents of cells. There are two kinds (`StatePart.cells`):

    - `none`: at most one fact covers a cell.
    - `empty`: a cell has a variable that is true if no fact covers the cell; exactly one of the variable and the facts
      is true.
    """
    at_most_one = AT_MOST_ONE[part.covered]
    planning = state.planning
    for cell, facts in enumerate(planning.at_most_one):
        variables = [state.fact[fact] for fact in facts]
        name = f"cell {cell}"
        if part.cells == "none":
            at_most_one(layer, clauses, variables, name)
            continue
        empty = layer.new(f"{name} empty")
        state.empty[cell] = empty
        clauses.add(empty, *variables)
        at_most_one(layer, clauses, [empty, *variables], name)


def add_exactly(state: State, part: StatePart, layer: Layer, clauses: Clauses) -> None:
    """Add the exactly-k groups, if the profile has them; also add the group of the empty cells, if their number is
    fixed and they have variables.

    The start and the transitions already imply these groups. The explicit clauses, however, let a solver use the groups
    in any layer without reasoning about other layers. If `StatePart.exactly` is `adaptive`, sums over interchangeable
    pieces are omitted where they cost more time than they save.
    """
    planning = state.planning
    if part.exactly == "none":
        return
    has_sums = part.exactly == "counters" or not has_costly_sums(planning)
    for number, group in enumerate(planning.exactly):
        if group.count != 1 and not has_sums:
            continue
        variables = [state.fact[fact] for fact in group.facts]
        counter(layer, clauses, variables, group.count, f"group {number}")
    count = num_empty_cells(planning.exactly, planning.at_most_one)
    if state.empty and count is not None and has_sums:
        counter(layer, clauses, list(state.empty.values()), count, "empty cells")


def add_cubes_false(state: State, cubes: Iterable[Cube], clauses: Clauses) -> None:
    """Add one clause per cube to exclude it."""
    for cube in cubes:
        clauses.add(*(-literal for literal in state.literals(cube)))

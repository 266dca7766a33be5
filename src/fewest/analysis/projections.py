"""Which parts of a state are possible after exactly, or at most, so many moves.

A *projection* keeps a few facts and which cells are empty, and forgets the rest. Its states are few,
so the sets of them that t moves lead to, and from which r moves lead to the goal, are computed one
after the other. What is impossible in a projection is impossible. In tile puzzles the one empty cell
alternates between two colours: half of all horizons are refuted by that alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from fewest.analysis.composites import Composite
from fewest.analysis.invariants import num_empty_cells
from fewest.analysis.planning import PlanningTask

MAX_STATES = 2_000
MAX_WORK = 1_000_000  # states times moves

Abstract: TypeAlias = tuple[int, int]
"""Facts that are true and cells that are empty, as sets."""


@dataclass(frozen=True)
class _Step:
    """A move as a projection sees it: a cube and a flip of facts; cells that must be empty, covered;
    cells that get covered, get empty."""

    mask: int
    value: int
    flip: int
    needs_empty: int
    needs_covered: int
    covers: int
    empties: int


class Census:
    """The projection onto how many pieces of a class there are: moves capture and create them.

    In peg solitaire every jump takes one away, so that one horizon alone is possible.
    """

    def __init__(self, planning: PlanningTask, facts: int) -> None:
        self.changes = {
            (
                (move.flip & ~move.value & facts).bit_count()
                - (move.flip & move.value & facts).bit_count()
            )
            for move in planning.moves
        }
        self.is_small = not any(move.flip & facts for move in planning.free)
        self.limit = facts.bit_count()
        goals = {
            count
            for mask, value in planning.goal
            for count in range(
                (value & facts).bit_count(), self.limit - (mask & ~value & facts).bit_count() + 1
            )
        }
        self._after = [{(planning.initial & facts).bit_count()}]
        self._before = [goals]

    def after(self, layer: int) -> set[int]:
        """The numbers that exactly so many moves may lead to."""
        while len(self._after) <= layer:
            self._after.append(self._moved(self._after[-1], 1))
        return self._after[layer]

    def before(self, distance: int) -> set[int]:
        """The numbers from which exactly so many moves may lead to a goal."""
        while len(self._before) <= distance:
            self._before.append(self._moved(self._before[-1], -1))
        return self._before[distance]

    @property
    def is_hopeless(self) -> bool:
        """Whether no number of moves leads to a goal."""
        counts = self._after[0]
        while True:
            longer = counts | self._moved(counts, 1)
            if longer == counts:
                return not counts & self._before[0]
            counts = longer

    def _moved(self, counts: set[int], sign: int) -> set[int]:
        moved = {count + sign * change for count in counts for change in self.changes}
        return {count for count in moved if 0 <= count <= self.limit}


class Projection:
    """The projection onto some facts and, with `with_cells`, onto which cells are empty.

    `is_small` says whether it is within MAX_STATES and MAX_WORK; if not, nothing is known.
    """

    def __init__(self, planning: PlanningTask, facts: int, with_cells: bool) -> None:
        self.planning = planning
        self.facts = facts
        self.cells = [sum(1 << f for f in cell) for cell in planning.at_most_one if with_cells]
        self.start = self._project(planning.initial)
        moves = {self._step(move) for move in planning.moves}
        free = {self._step(move) for move in planning.free} if planning.free else set()
        self._targets: dict[Abstract, set[Abstract]] = {}
        self._closures: dict[Abstract, set[Abstract]] = {}
        self.is_small = self._explore(moves, free)
        self._after = [self._close({self.start}) if self.is_small else set()]

    def _project(self, state: int) -> Abstract:
        empty = sum(1 << cell for cell, mask in enumerate(self.cells) if not state & mask)
        return state & self.facts, empty

    def _step(self, move: Composite) -> _Step:
        negative = move.mask & ~move.value
        deleted, added = move.flip & move.value, move.flip & ~move.value
        covers = self._touched(added)
        return _Step(
            move.mask & self.facts, move.value & self.facts, move.flip & self.facts,
            sum(1 << cell for cell, mask in enumerate(self.cells) if mask & ~negative == 0),
            self._touched(move.value), covers, self._touched(deleted) & ~covers,
        )  # fmt: skip

    def _touched(self, facts: int) -> int:
        return sum(1 << cell for cell, mask in enumerate(self.cells) if mask & facts)

    def _explore(self, moves: set[_Step], free: set[_Step]) -> bool:
        frontier = [self.start]
        known = {self.start}
        num_steps = len(moves) + len(free)
        for state in frontier:
            targets = {step for step in (_after(state, move) for move in moves) if step}
            nearby = {step for step in (_after(state, move) for move in free) if step}
            self._targets[state] = targets
            self._closures[state] = nearby
            frontier += sorted((targets | nearby) - known)
            known |= targets | nearby
            if len(known) > MAX_STATES or len(known) * num_steps > MAX_WORK:
                return False
        return True

    def _close(self, states: set[Abstract]) -> set[Abstract]:
        frontier = list(states)
        for state in frontier:
            frontier += self._closures[state] - states
            states |= self._closures[state]
        return states

    def after(self, layer: int) -> set[Abstract]:
        """What exactly so many moves lead to, free moves behind them included."""
        while len(self._after) <= layer:
            reached = set().union(*(self._targets[state] for state in self._after[-1]))
            self._after.append(self._close(reached))
        return self._after[layer]

    def before(self, distance: int) -> set[Abstract]:
        """From what exactly so many moves lead to a goal."""
        while len(self._before) <= distance:
            goal = self._before[-1]
            sources = {state for state, targets in self._targets.items() if targets & goal}
            self._before.append(self._close_back(sources))
        return self._before[distance]

    @property
    def is_hopeless(self) -> bool:
        """Whether no number of moves leads to a goal."""
        return not self.before(0)

    @cached_property
    def _before(self) -> list[set[Abstract]]:
        goals: set[Abstract] = set()
        for mask, value in self.planning.goal:
            empty = sum(1 << c for c, m in enumerate(self.cells) if m & ~(mask & ~value) == 0)
            covered = self._touched(value)
            goals |= {
                state
                for state in self._targets
                if (state[0] ^ value) & mask & self.facts == 0
                and state[1] & empty == empty
                and not state[1] & covered
            }
        return [self._close_back(goals)]

    def _close_back(self, states: set[Abstract]) -> set[Abstract]:
        while True:
            more = {state for state, near in self._closures.items() if near & states}
            if more <= states:
                return states
            states |= more


def _after(state: Abstract, step: _Step) -> Abstract | None:
    facts, empty = state
    if facts & step.mask != step.value or empty & step.needs_empty != step.needs_empty:
        return None
    if empty & step.needs_covered:
        return None
    return facts ^ step.flip, empty & ~step.covers | step.empties


def projections(planning: PlanningTask) -> list[Projection]:
    """The small ones: the empty cells, where their number is certain, and each group of facts."""
    out: list[Projection] = []
    if num_empty_cells(planning.exactly, planning.at_most_one) is not None:
        out.append(Projection(planning, 0, with_cells=True))
    for group in planning.exactly:
        out.append(Projection(planning, sum(1 << f for f in group.facts), with_cells=False))
    return [projection for projection in out if projection.is_small]


def censuses(planning: PlanningTask) -> list[Census]:
    """One for each class of pieces whose number changes."""
    steady = {fact for group in planning.exactly for fact in group.facts}
    classes: dict[int, int] = {}
    for number, fact in enumerate(planning.task.facts):
        if number not in steady and fact.class_id >= 0:
            classes[fact.class_id] = classes.get(fact.class_id, 0) | 1 << number
    found = [Census(planning, facts) for facts in classes.values()]
    return [census for census in found if census.is_small]


def is_excluded(
    all_projections: Sequence[Projection | Census], horizon: int, is_exact: bool
) -> bool:
    """Whether some projection has no plan of that length (of at most that length)."""
    return any(not possible(each, 0, horizon, is_exact) for each in all_projections)


def possible(
    projection: Projection | Census, layer: int, horizon: int | None, is_exact: bool
) -> set[Any]:
    """The states of a projection that layer `layer` of a plan may be in.

    `is_exact`: the plan has exactly `horizon` moves; else at most so many, idle layers behind them.
    `horizon` None: nothing is said of the goal.
    """
    allowed: set[Any]
    if is_exact:
        allowed = set(projection.after(layer))
        return allowed if horizon is None else allowed & projection.before(horizon - layer)
    allowed = set().union(*(projection.after(t) for t in range(layer + 1)))
    if horizon is not None:
        allowed &= set().union(*(projection.before(r) for r in range(horizon - layer + 1)))
    return allowed

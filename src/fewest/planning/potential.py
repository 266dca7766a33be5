"""A lower bound that is a sum over facts, and the amount that each move wastes.

The *potential* of a state is a sum over its pieces: for each piece, the number of moves that it would need if it were
alone on the board. In tile puzzles, this is the Manhattan distance. If several pieces are interchangeable, as in
Sokoban, each piece has its own goal in the cheapest assignment of pieces to goals (`_matched`). A move lowers the
potential by at most one. A move that lowers the potential by less wastes the difference. The waste of a plan of h moves
is therefore h minus the potential of the start:

    Σ waste(move) = h - potential(start)

If the horizon is only slightly above the potential, few plans are possible. The idea is from Pommerening, Helmert,
Röger, Seipp, From non-negative to general operator cost partitioning (AAAI 2015), where potentials are optimised; here
the potentials are distances.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from fewest.model.task import Group, facts_in
from fewest.planning.assignment import assignment_weights
from fewest.planning.macros import MacroOperator
from fewest.planning.task import PlanningTask

MAX_WASTED = 12
"""the maximum waste that is counted, in units; with a larger limit, the count would exclude hardly any plan"""

FAR = 1_000_000
"""the cost of an assignment that is impossible"""


class Potential:
    """The potential of the start and the waste of every move.

    The bound is sound in every single-part metric, because a layer is a unit of cost. `start` is the potential of the
    initial state minus that of the goal; `unit` is the greatest common divisor of the waste of all moves that a plan
    can contain; `waste[m]` is the waste of move m in units, rounded down. If moves have consequences, or if no group of
    pieces has suitable distances, `start` is 0, `unit` is 1, and every move wastes 1.
    """

    def __init__(self, planning: PlanningTask) -> None:
        distance: dict[int, int] = {}
        wastes = [1] * len(planning.moves)
        at_goal = dead = 0
        for group in () if planning.rounds else planning.exactly:
            near = _matched(planning, group) or _distances(planning, group)
            if not near:
                continue
            farthest = max(near.values()) + 1
            found = {fact: near.get(fact, farthest) for fact in group.facts}
            # Only the moves that change these facts waste more or less than before.
            more = {fact: steps - distance.get(fact, 0) for fact, steps in found.items()}
            facts = sum(1 << fact for fact in more)
            changed = {
                number: wastes[number] + _increase(move, more)
                for number, move in enumerate(planning.moves)
                if move.flip & facts
            }
            if min(changed.values(), default=0) >= 0:
                distance |= found
                dead |= sum(1 << fact for fact in group.facts if fact not in near)
                at_goal += sum(found.get(fact, 0) for fact in facts_in(planning.goal[0][1]))
                for number, waste in changed.items():
                    wastes[number] = waste
        self._distance = distance
        self.start = sum(distance.get(fact, 0) for fact in facts_in(planning.initial)) - at_goal
        # No plan contains a move to a dead fact: from there, no piece reaches the goal.
        useful = (
            waste
            for move, waste in zip(planning.moves, wastes, strict=True)
            if not move.effect[1] & dead
        )
        self.unit = gcd(*useful) or 1
        self.waste = [waste // self.unit for waste in wastes]

    def is_invariant_under(self, facts: Sequence[int]) -> bool:
        """Whether every state has the same potential as its image, in which fact f becomes fact `facts[f]`."""
        distance = self._distance
        return all(distance.get(f, 0) == distance.get(to, 0) for f, to in enumerate(facts))

    def is_excluded(self, horizon: int, is_exact: bool) -> bool:
        """Whether the potential proves that no plan has at most `horizon` moves (with `is_exact`: exactly `horizon`
        moves).
        """
        surplus = horizon - self.start
        return surplus < 0 or (is_exact and surplus % self.unit != 0)

    def most(self, horizon: int) -> int | None:
        """The number of units that a plan of at most `horizon` moves may waste; None if counting the waste is not
        worthwhile.
        """
        units = (horizon - self.start) // self.unit
        return units if 0 <= units <= MAX_WASTED and self.start else None


def _increase(move: MacroOperator, potential: dict[int, int]) -> int:
    """The change of the sum of the potentials of all true facts when the move applies."""
    deleted, added = (sum(potential.get(f, 0) for f in facts_in(side)) for side in move.effect)
    return added - deleted


def _matched(planning: PlanningTask, group: Group) -> dict[int, int]:
    """For a group of several pieces with one goal cube: a potential that has, at the start, the cost of the cheapest
    assignment of the pieces to the goal facts.

    The weights w of the goal facts are a dual solution of the assignment. The potential of a fact is the least value of
    its distance to a goal fact minus the weight of this goal fact, so a move lowers it by at most one. At the goal, the
    sum of the potentials is the same in every state of the cube, but not 0. The result is empty if the goal has several
    cubes, if `_distances` is empty, or if there is no assignment.
    """
    if group.count < 2 or len(planning.goal) != 1 or not _distances(planning, group):
        return {}
    facts = sum(1 << fact for fact in group.facts)
    wanted = facts_in(planning.goal[0][1] & facts)
    away = [_distances_to(planning, facts, 1 << goal) for goal in wanted]
    costs = [[far.get(fact, FAR) for far in away] for fact in facts_in(planning.initial & facts)]
    weights = assignment_weights(costs)
    found = {
        fact: min(
            far[fact] - weight for far, weight in zip(away, weights, strict=True) if fact in far
        )
        for fact in group.facts
        if any(fact in far for far in away)
    }
    if any(fact not in found for fact in facts_in(planning.initial & facts)):
        return {}
    return found


def _distances(planning: PlanningTask, group: Group) -> dict[int, int]:
    """For each fact of the group, the number of moves that a piece needs from this fact to a fact that some goal cube
    requires, on an otherwise empty board.

    The result is empty if some goal cube does not determine the places of the group's pieces, or if free moves or
    permutations may move these pieces. It omits facts from which no such fact can be reached.
    """
    facts = sum(1 << fact for fact in group.facts)
    goals = [value & facts for _, value in planning.goal]
    if any(goal.bit_count() != group.count for goal in goals):
        return {}
    if any(move.flip & facts for move in planning.free):
        return {}
    if any(move.image and move.changing & facts for move in (*planning.moves, *planning.free)):
        return {}  # a single permutation can move several pieces closer to the goal
    frontier = 0
    for goal in goals:
        frontier |= goal
    return _distances_to(planning, facts, frontier)


def _distances_to(planning: PlanningTask, facts: int, frontier: int) -> dict[int, int]:
    """For each of these facts from which a piece that is alone can reach a fact of `frontier`, the number of moves."""
    sources: dict[int, int] = {}
    for move in planning.moves:
        deleted, added = (side & facts for side in move.effect)
        for fact in facts_in(added):
            sources[fact] = sources.get(fact, 0) | deleted
    distance: dict[int, int] = {}
    steps = 0
    while frontier:
        distance |= dict.fromkeys(facts_in(frontier), steps)
        nearer = 0
        for fact in facts_in(frontier):
            nearer |= sources.get(fact, 0)
        frontier = sum(1 << fact for fact in facts_in(nearer) if fact not in distance)
        steps += 1
    return distance

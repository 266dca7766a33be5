"""Whether every plan has an even number of moves, or every plan has an odd number.

Some sets of facts change parity with every move: after a move, an odd number of them is true if an even number was true
before. In Sokoban, for example, every push changes the number of boxes on the black cells of a chessboard by one. If
the goal determines the parity, only every second horizon can have a plan. Solvers hardly ever find this argument,
because it concerns all layers at once.

The sets are the solutions of linear equations modulo 2: one unknown for each fact, and one equation for each move.
"""

from __future__ import annotations

from collections.abc import Iterable

from fewest.model.task import union
from fewest.planning.task import PlanningTask

MAX_WORK = 3_000_000
"""the limit on the number of different moves times the number of facts"""


def length_parity(planning: PlanningTask) -> int | None:
    """The number of moves of every plan, including waits, modulo 2; None if it is unknown.

    It is unknown if moves have consequences or permutations.
    """
    everything = (*planning.moves, *planning.free)
    if planning.rounds or any(move.image for move in everything):
        return None
    known = _known_at_goal(planning)
    # Bit 0 of an equation is its right side; bit f + 1 is the coefficient of fact f.
    rows = {(move.flip & known) << 1 | 1 for move in planning.moves}
    rows |= {(move.flip & known) << 1 for move in planning.free}
    if not planning.goal or len(rows) * known.bit_count() > MAX_WORK:
        return None
    facts = _solution(rows)
    if facts is None:
        return None
    ends = {(facts & value).bit_count() % 2 for _, value in planning.goal}
    return (ends.pop() ^ (facts & planning.initial).bit_count() % 2) if len(ends) == 1 else None


def _known_at_goal(planning: PlanningTask) -> int:
    """The facts that have a known value in every cube of the goal. If a cube contains all pieces of a group, the other
    facts of the group are known to be false.
    """
    groups = [(union(1 << fact for fact in group.facts), group.count) for group in planning.exactly]
    known = -1
    for mask, value in planning.goal:
        full = (facts for facts, count in groups if (value & facts).bit_count() == count)
        known &= mask | union(full)
    return known & ((1 << len(planning.facts)) - 1)


def _solution(rows: Iterable[int]) -> int | None:
    """A set of facts that solves the equations; None if they have no solution."""
    pivots: dict[
        int, int
    ] = {}  # for the highest bit of each equation of a triangular system, the equation
    for row in rows:
        left = row
        while left > 1:
            pivot = left.bit_length()
            if pivot not in pivots:
                pivots[pivot] = left
                break
            left ^= pivots[pivot]
        if left == 1:
            return None
    found = 1  # bit 0 is the right side
    for pivot in sorted(pivots):
        if (pivots[pivot] & found).bit_count() % 2:
            found |= 1 << pivot - 1
    return found >> 1

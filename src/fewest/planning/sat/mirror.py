"""Symmetry breaking by a mirror: if the start and the goal are their own images, only one state of each pair of mirror
images is needed.

The encoding requires that one particular piece is never beyond the middle of the board. If a move takes this piece
beyond the middle, the encoding mirrors the whole board, and the plan continues with mirrored moves. The length of the
plan stays the same, but fewer states are possible. This is sound for every single-part metric. (It would also be sound
if the start were not its own image. In that case, however, the encoding was slower on every puzzle tested, because the
images of states near the start are not near the start.)
"""

from __future__ import annotations

from msgspec import Struct

from fewest.model.task import union
from fewest.planning.automorphisms import Permutation, automorphisms, image, keeps_invariants
from fewest.planning.sat.clauses import Clauses, Layer
from fewest.planning.sat.state import State
from fewest.planning.task import PlanningTask


class Mirror(Struct, frozen=True):
    """An automorphism that is its own inverse and maps the start to itself; fact f becomes fact `facts[f]`.

    `beyond` contains those facts of one piece that place it beyond the middle. Each of them is the image of another
    fact of the piece.
    """

    facts: Permutation
    beyond: tuple[int, ...]

    def image(self, state: int) -> int:
        """The mirror image of a state."""
        return image(self.facts, state)


def find_mirror(planning: PlanningTask) -> Mirror | None:
    """The first mirror that moves a piece that is the only one of its class; None if no such mirror is found. If the
    mirror moves several such pieces, `beyond` belongs to a piece in the goal, if possible.
    """
    single = [group.facts for group in planning.exactly if group.count == 1]
    if not single:
        return None
    goal = union(mask for mask, _ in planning.goal)
    named = [any(goal >> fact & 1 for fact in group) for group in single]
    for facts in automorphisms(planning, (planning.initial,)):
        if any(facts[to] != fact for fact, to in enumerate(facts)):
            continue
        if not keeps_invariants(planning, facts):
            continue
        sides = [tuple(f for f in group if facts[f] < f and facts[f] in group) for group in single]
        found = [(name, len(side), side) for name, side in zip(named, sides, strict=True) if side]
        if found:
            return Mirror(facts, max(found)[-1])
    return None


def add_mirror(
    mirror: Mirror, state: State, layer: Layer, in_layer: Clauses, between: Clauses
) -> int:
    """Add the clauses for the mirror.

    Returns the variable that is true iff the board is mirrored after the layer's move. Afterwards `state.after` is the
    state between the move and the mirror.
    """
    mirrored = layer.new("mirrored after the move")
    there = list(state.after)
    for fact, to in enumerate(mirror.facts):
        if to == fact:
            continue
        state.after[fact] = after = layer.new(f"{state.planning.facts[fact]} after the move")
        between.add_all([(mirrored, -after, there[fact]), (mirrored, after, -there[fact])])
        between.add_all([(-mirrored, -after, there[to]), (-mirrored, after, -there[to])])
    in_layer.add_all((-state.fact[fact],) for fact in mirror.beyond)
    between.add(-mirrored, *(state.after[fact] for fact in mirror.beyond))
    between.add_all((mirrored, -state.after[fact]) for fact in mirror.beyond)
    return mirrored

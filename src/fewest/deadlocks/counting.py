"""Counting arguments, which show that the pieces cannot be assigned to the goal spots.

The projection onto one piece determines the goal spots that this piece may still reach. If a goal cube has spots for a
group of interchangeable pieces, each spot needs a different piece. By Hall's theorem (1935), there is no such
assignment if and only if some set of pieces can reach too few spots, or some set of spots can be reached by too few
pieces. A well-known case is an edge of the board along which there are more boxes than goals. Here, this case follows
from the projection, which also takes into account a doorway in the wall along this edge. The arguments are sound in
every metric, because they show that there is no plan at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import combinations

from msgspec import Struct

from fewest.deadlocks.deadlock_sets import SetSearch
from fewest.model.task import facts_in

MAX_SPOTS = 64  # The maximum number of goal spots for which there are counting arguments.
MAX_CUBES = 64  # The maximum number of goal cubes for which there are counting arguments.
MAX_REGIONS = 256
# the maximum number of different sets of goal spots; with more sets, pairs and triples of sets are not tested
MAX_KINDS = 32


class Shortage(Struct, frozen=True):
    """A violation of Hall's condition.

    If `are_pieces_many` is true, `pieces` can reach only `spots`, and there are fewer spots than pieces. Otherwise,
    only `pieces` can reach `spots`, and there are fewer pieces than spots.
    """

    pieces: int
    spots: int
    are_pieces_many: bool


class Region(Struct, frozen=True):
    """A set of facts such that no goal state can be reached if more than `most` of them are true."""

    facts: int
    most: int


class Counting:
    """The goal spots that each piece can reach, and a test of whether these spots suffice."""

    def __init__(self, sets: SetSearch) -> None:
        self.sets = sets
        self.view = sets.view
        # for each goal cube, triples (group, count, spots)
        self.needs: list[list[tuple[int, int, int]]] = []
        if sets.largest < 1 or len(self.view.task.goal) > MAX_CUBES:
            return
        groups = [(g, c) for g, c in self.view.groups if not g & self.view.agent]
        wanted = 0
        for mask, value in self.view.task.goal:
            if not mask & ~value & value:
                self.needs.append([(g, count, value & g) for g, count in groups if value & g])
                for group, _ in groups:
                    wanted |= value & group
        if wanted.bit_count() > MAX_SPOTS:
            self.needs = []

    @cached_property
    def goal_access(self) -> Mapping[int, Mapping[int, int]]:
        """For each goal spot and each spot of its group, the places of the agent for which it may be possible to bring
        a piece from the spot to the goal spot.
        """
        out: dict[int, dict[int, int]] = {}
        for need in self.needs:
            for group, _, spots in need:
                for spot in facts_in(spots):
                    if spot in out:
                        continue
                    goals = {1 << fact: 0 for fact in facts_in(group)}
                    goals[1 << spot] = self.view.open_places(1 << spot)
                    # If the work limit was reached, the distances are incomplete; therefore, every spot counts as able
                    # to reach the goal spot.
                    found = self.sets.alive(goals)
                    if found is None:
                        found = dict.fromkeys(goals, self.view.all_places)
                    out[spot] = {p.bit_length() - 1: places for p, places in found.items()}
        return out

    def shortage(self, state: int) -> Shortage | None:
        """The reason why the first goal cube cannot be satisfied; None if some goal cube may be satisfiable."""
        first: Shortage | None = None
        place = self.view.place(state) if self.needs else 0
        for need in self.needs:
            for group, count, spots in need:
                pieces = facts_in(state & group)
                near = {
                    spot: [p for p in pieces if self.goal_access[spot][p] & place]
                    for spot in facts_in(spots)
                }
                found = _violation(near, pieces, len(near) == count)
                if found is not None:
                    first = first or found
                    break
            else:
                return None
        return first


def _violation(near: Mapping[int, list[int]], pieces: list[int], is_full: bool) -> Shortage | None:
    """A set that violates Hall's condition; None if there is no such set. `near` contains, for each spot, the pieces
    that can reach it.

    If each piece needs a spot (`is_full`), the set consists of pieces; otherwise, it consists of spots. The function
    matches as many spots as possible with different pieces. If a spot or piece remains, the set consists of all spots
    (or pieces) on alternating paths from it: there are more of them than possible partners.
    """
    owner: dict[int, int] = {}  # piece -> spot

    def augment(spot: int, seen: set[int]) -> bool:
        for piece in near[spot]:
            if piece not in seen:
                seen.add(piece)
                if piece not in owner or augment(owner[piece], seen):
                    owner[piece] = spot
                    return True
        return False

    lonely = [spot for spot in near if not augment(spot, set())]
    if not lonely:
        return None
    if not is_full:
        spots, able = _alternating(lonely[0], near, owner)
        return Shortage(_bits(able), _bits(spots), False)
    goal_access = {piece: [spot for spot in near if piece in near[spot]] for piece in pieces}
    free = next(piece for piece in pieces if piece not in owner)
    many, few = _alternating(free, goal_access, {spot: piece for piece, spot in owner.items()})
    return Shortage(_bits(many), _bits(few), True)


def _alternating(
    start: int, partners: Mapping[int, list[int]], owner: Mapping[int, int]
) -> tuple[list[int], list[int]]:
    """The vertices on alternating paths from `start`: those on the side of `start`, and their possible partners. The
    number of partners is one less than the number of vertices on the side of `start`.
    """
    own, others = [start], list[int]()
    for one in own:
        for other in partners[one]:
            if other not in others:
                others.append(other)
                own.append(owner[other])
    return own, others


def regions(counting: Counting) -> tuple[Region, ...]:
    """Sets of spots, each with the number of goal spots that can be reached from it: there must be at most this number
    of pieces on the set.

    There are regions only if the goal is one cube with a spot for every piece of the group. For every spot, the set of
    goal spots that can be reached from it defines a region; so does each union of two or three such sets. Regions that
    follow from another region are omitted; so are spots where a single piece is dead.
    """
    if len(counting.needs) != 1:
        return ()
    found: list[Region] = []
    for group, count, spots in counting.needs[0]:
        if spots.bit_count() != count:
            continue
        reach: dict[int, int] = {}
        for fact in facts_in(group):
            reach[fact] = sum(1 << s for s in facts_in(spots) if counting.goal_access[s].get(fact))
        kinds = sorted({goals for goals in reach.values() if goals})
        size = 3 if len(kinds) <= MAX_KINDS else 1
        unions = {_union(some) for n in range(size) for some in combinations(kinds, n + 1)}
        unions -= {spots}
        for goals in sorted(unions, key=int.bit_count):
            facts = _bits(fact for fact, own in reach.items() if own and not own & ~goals)
            most = goals.bit_count()
            if facts.bit_count() <= most or len(found) >= MAX_REGIONS:
                continue
            if not any(r.most <= most and not facts & ~r.facts for r in found):
                found = [r for r in found if not (most <= r.most and not r.facts & ~facts)]
                found.append(Region(facts, most))
    return tuple(found)


def _union(sets: tuple[int, ...]) -> int:
    out = 0
    for facts in sets:
        out |= facts
    return out


def _bits(facts: Iterable[int]) -> int:
    return sum(1 << fact for fact in facts)

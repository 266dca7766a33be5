"""Deadlock sets of up to four pieces, found by an exhaustive search of the projection onto these pieces."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import comb

from msgspec import Struct

from fewest.deadlocks.projection import PieceView
from fewest.model.task import Cube, facts_in

MAX_SIZE = 4  # The maximum number of pieces in a set.
# The maximum number of sets of one size above 1 that are searched. If more sets are possible, only the sets of pieces
# that block each other are searched.
MAX_SETS = 1_000
MAX_EVALUATIONS = 8_000  # The maximum number of evaluations, in total, for all sets of one size.


class DeadCube(Struct, frozen=True):
    """A deadlock: no goal state can be reached from a state that contains these pieces while the agent is at one of
    `places` (None: wherever the agent is). `cube` contains the states to which this applies.
    """

    pieces: int
    cube: Cube
    places: int | None

    @property
    def size(self) -> int:
        return self.pieces.bit_count()


class SetSearch:
    """Searches for deadlock sets, one size after another.

    `largest`: the greatest number of pieces of the sets that have been searched; -1 before the first search.
    """

    def __init__(self, view: PieceView) -> None:
        self.view = view
        self.largest = -1
        # for each set, the places of the agent for which it is a deadlock
        self.dead: dict[int, int] = {}
        self.found: list[DeadCube] = []
        self._rest: dict[int, int] = {}
        self._near: list[int] | None = None

    def run(self, size: int) -> bool:
        """Search all sets of this size. Returns whether this was possible within the limits."""
        self._rest = {}
        candidates = self._candidates(size)
        if candidates is None:
            return False
        goals = {pieces: self.view.goal_places(pieces) for pieces in candidates}
        alive = self.alive(goals)
        if alive is None:
            return False
        for pieces in candidates:
            dead = self.not_known_dead(pieces) & ~alive[pieces]
            if dead:
                self._add(pieces, dead)
        self.largest = size
        return True

    def not_known_dead(self, pieces: int) -> int:
        """The places of the agent for which no known deadlock set shows that `pieces` are dead."""
        known = self._rest.get(pieces)
        if known is None:
            known = self.view.open_places(pieces) & ~self.dead.get(pieces, 0)
            # Every smaller subset is also a subset of the pieces without one of them.
            rest = pieces
            while rest and known:
                piece = rest & -rest
                known &= self.not_known_dead(pieces ^ piece)
                rest ^= piece
            self._rest[pieces] = known
        return known

    def _add(self, pieces: int, dead: int) -> None:
        view = self.view
        # the cube need not exclude places for which a smaller set is dead
        others = self.not_known_dead(pieces) & ~dead
        mask = pieces | view.facts_of_places(others)
        self.dead[pieces] = dead
        self.found.append(DeadCube(pieces, (mask, pieces), dead if others else None))

    def _candidates(self, size: int) -> list[int] | None:
        """The possible sets that are not yet known to be dead; None if there are too many."""
        view = self.view
        if size == 0:
            return [0]
        singles = [
            1 << fact
            for fact in range(len(view.task.facts))
            if not view.agent >> fact & 1 and (size == 1 or self.not_known_dead(1 << fact))
        ]
        if size == 1:
            return singles
        if comb(len(singles), size) <= MAX_SETS:
            sets = [sum(group) for group in combinations(singles, size)]
        else:
            sets = self._neighbouring(singles, size)
            if len(sets) > MAX_SETS:
                return None
        return [s for s in sets if view.is_consistent(s) and self.not_known_dead(s)]

    def _neighbouring(self, singles: list[int], size: int) -> list[int]:
        """The sets of pieces that are connected by the relation "one piece blocks another"; if there are too many, a
        list of more than MAX_SETS zeros.
        """
        near = self._blockers()
        allowed = sum(singles)
        sets = set(singles)
        for _ in range(size - 1):
            larger: set[int] = set()
            for pieces in sets:
                around = 0
                for fact in facts_in(pieces):
                    around |= near[fact]
                larger.update(pieces | 1 << fact for fact in facts_in(around & allowed & ~pieces))
                if len(larger) > 4 * MAX_SETS:
                    return [0] * (MAX_SETS + 1)
            sets = {pieces for pieces in larger if self.view.is_consistent(pieces)}
        return sorted(sets)

    def _blockers(self) -> list[int]:
        """For each fact, the facts that block a move of its piece, and the facts that it blocks."""
        if self._near is None:
            view = self.view
            near = [0] * len(view.task.facts)
            for fact, moves in enumerate(view.moves_of):
                for move in moves:
                    near[fact] |= move.conflicts & ~view.excludes[fact] & ~(1 << fact)
            for fact in range(len(near)):
                for other in facts_in(near[fact]):
                    near[other] |= 1 << fact
            self._near = near
        return self._near

    def alive(self, goals: Mapping[int, int]) -> dict[int, int] | None:
        """For each set, the places of the agent for which the set is not known to be dead. From such a place, the agent
        may reach one of the places in `goals`, or moves may lead to a set outside `goals` that is not known to be dead.

        The result is the least fixpoint, computed backward, so the pieces are dead for all other places. The result is
        None if the computation needs more than MAX_EVALUATIONS evaluations.
        """
        view = self.view
        alive = dict.fromkeys(goals, 0)
        moves = {pieces: view.moves(pieces) for pieces in goals}
        users: dict[int, list[int]] = {}
        for pieces, found in moves.items():
            for then in {then for _, then in found}:
                if then in alive:
                    users.setdefault(then, []).append(pieces)
        waiting = dict.fromkeys(goals)
        budget = MAX_EVALUATIONS
        while waiting:
            budget -= 1
            if budget < 0:
                return None
            pieces, _ = waiting.popitem()
            within = self.not_known_dead(pieces)
            if alive[pieces] == within:
                continue
            places = goals[pieces]
            for move, then in moves[pieces]:
                later = alive[then] if then in alive else self.not_known_dead(then)
                if move.target < 0:
                    places |= move.sources & later
                elif later >> move.target & 1:
                    places |= move.sources
            places = view.backwards(pieces, places, within)
            if places != alive[pieces]:
                alive[pieces] = places
                waiting.update(dict.fromkeys(users.get(pieces, ())))
        return alive

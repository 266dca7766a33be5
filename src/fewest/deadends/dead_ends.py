"""Dead ends: partial states from which no goal can be reached, found before any search.

    Task ─ dead_ends ─> DeadEnds: cubes, regions, and an argument that kills a given state

- *pieces*: a single piece at a spot (a "dead square"), perhaps only while the agent is in some places;
- *sets*: two, three or four pieces that together are lost, by exhausting the projection onto them;
- *regions*: more pieces in some spots than goals that can be reached from there (`counting`);
- *freezing*: pieces that block each other for good (`freezing`), a question to ask of each state.

All are proofs that no plan exists at all. So leaving such states out keeps every minimum, in every
metric, weighted, merging or lexicographic, and "unsolvable"; only numbers of reachable states change.
They are proved for states that the task's invariants allow, which all reachable ones do.

**For a search**: a state is dead if it is in any of `cubes`, or has more than `most` facts of the mask
of any of `regions`. A cube names 1 to MAX_SIZE facts as true; those about the agent's place name
the places where the set is not lost as false (the agent is one of the facts of `agent`, so it is
in none of them). No cube lies in another one. They do not depend on the state that a search starts
from, only on what never changes from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb

from fewest.deadends.piece_view import PieceView
from fewest.model.task import Cube, Task, facts_in

MAX_SIZE = 4  # pieces of a set
MAX_SETS = 1_000  # sets of a size that are searched; over that, only pieces near each other
MAX_EVALUATIONS = 8_000  # times that a set of one size is looked at


@dataclass(frozen=True)
class DeadEnd:
    """Some pieces with which no goal is reached while the agent is in `places` (None: wherever it is)."""

    pieces: int
    cube: Cube
    places: int | None

    @property
    def size(self) -> int:
        return self.pieces.bit_count()


@dataclass(frozen=True)
class Region:
    """No goal is reached while more than `most` of these facts are true."""

    facts: int
    most: int


@dataclass(frozen=True)
class DeadEnds:
    """What is known to be dead.

    `largest` is the number of pieces up to which sets were searched, -1 if none were.
    """

    view: PieceView
    search: Search
    found: tuple[DeadEnd, ...]
    largest: int

    @cached_property
    def cubes(self) -> tuple[Cube, ...]:
        """As the task's `forbid`: a state in any of them is dead. The smallest sets first."""
        return tuple(dead.cube for dead in self.found)

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """Where so many pieces are too many; see `counting.regions`."""
        from fewest.deadends.counting import regions

        return regions(self)

    def is_dead(self, state: int) -> bool:
        """Whether a cube or a region has the state."""
        return self.cube_of(state) is not None or any(
            (state & region.facts).bit_count() > region.most for region in self.regions
        )

    def cube_of(self, state: int) -> DeadEnd | None:
        """The first dead end that a state is in."""
        for dead in self.found:
            mask, value = dead.cube
            if state & mask == value:
                return dead
        return None


def dead_ends(task: Task, largest: int = MAX_SIZE) -> DeadEnds:
    """All dead sets of at most `largest` pieces within the bounds, none of which contains another.

    Every set of a size is searched if there are at most MAX_SETS of them; else those of pieces
    that stand in each other's way, one by one; sizes for which even these are too many are left out, with
    all larger ones. Nothing is found in tasks without a goal, or over the bounds of `piece_view`.
    Cost: some 20 µs for each set of up to MAX_SETS, times how often it is looked at.
    """
    view = PieceView(task)
    if not view.is_small or not task.has_goal:
        return DeadEnds(view, Search(view), (), -1)
    search = Search(view)
    reached = -1
    for size in range(min(largest, MAX_SIZE) + 1):
        if not search.run(size):
            break
        reached = size
    return DeadEnds(view, search, tuple(search.found), reached)


class Search:
    """The sets of one size after those of the size before."""

    def __init__(self, view: PieceView) -> None:
        self.view = view
        self.dead: dict[int, int] = {}  # set -> places of the agent with which it is lost
        self.found: list[DeadEnd] = []
        self._rest: dict[int, int] = {}
        self._near: list[int] | None = None

    def run(self, size: int) -> bool:
        """Whether the sets of this size were searched."""
        self._rest = {}
        candidates = self._candidates(size)
        if candidates is None:
            return False
        goals = {pieces: self.view.goal_places(pieces) for pieces in candidates}
        alive = self.alive(goals)
        if alive is None:
            return False
        for pieces in candidates:
            lost = self.not_known_dead(pieces) & ~alive[pieces]
            if lost:
                self._add(pieces, lost)
        return True

    def not_known_dead(self, pieces: int) -> int:
        """Places of the agent with which no smaller set in it is dead."""
        known = self._rest.get(pieces)
        if known is None:
            known = self.view.open_places(pieces)
            facts = [1 << fact for fact in facts_in(pieces)]
            for size in range(len(facts) + 1):
                for part in combinations(facts, size):
                    known &= ~self.dead.get(sum(part), 0)
            self._rest[pieces] = known
        return known

    def _add(self, pieces: int, lost: int) -> None:
        view = self.view
        # Where smaller sets are dead the cube need not say anything.
        others = self.not_known_dead(pieces) & ~lost
        mask = pieces | view.facts_of_places(others)
        self.dead[pieces] = lost
        self.found.append(DeadEnd(pieces, (mask, pieces), lost if others else None))

    def _candidates(self, size: int) -> list[int] | None:
        """Sets that can be and are not dead already; None if there are too many."""
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
        """Sets in which each piece is in the way of the others, directly or through one of the set."""
        near = self._in_the_way()
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

    def _in_the_way(self) -> list[int]:
        """For each fact those that hinder a move of it, or whose move it hinders."""
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
        """For each set the places with which it may get to its places in `goals`, or to other sets.

        The least such sets of places, grown backwards: so what they leave out is dead. None if that
        takes more than MAX_EVALUATIONS.
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

"""Random positions of a spec, and random changes to positions."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fewest.commands.generate.universe import Universe
    from fewest.space.placements import PlacedFact

_TRIES = 40


class Candidates:
    """Generates random positions that a spec allows, as sets of facts. `pieces` contains the minimum and the maximum
    number of pieces; if it is None, only the numbers under `fill` limit them.
    """

    def __init__(self, universe: Universe, pieces: Sequence[int] | None) -> None:
        self._universe = universe
        self._rules = universe.rules
        self._facts = sorted(universe.facts, key=lambda placed: placed.fact)
        least = sum(self._rules.least.values())
        most = sum(self._rules.most.values())
        self._least = max(least, pieces[0]) if pieces else least
        self._most = min(most, pieces[1]) if pieces else most

    def random(self, random: Random) -> int | None:
        """A random position; None if none was found."""
        for _ in range(_TRIES):
            placed: list[PlacedFact] = []
            wanted = random.randint(self._least, max(self._least, self._most))
            for class_id, least in self._rules.least.items():
                for _ in range(least):
                    self._add(random, placed, class_id)
            while len(placed) < wanted and self._add(random, placed, None):
                pass
            if self._is_right(placed):
                return _state(placed)
        return None

    def changed(self, random: Random, state: int) -> int | None:
        """The position after one to three pieces were removed, added, moved or exchanged; None if no such position was
        found.
        """
        for _ in range(_TRIES):
            placed = [fact for fact in self._facts if state >> fact.fact & 1]
            for _ in range(random.choice((1, 1, 1, 2, 2, 3))):
                kind = random.randrange(4)
                gone = None
                if kind != 0 and placed:
                    gone = placed.pop(random.randrange(len(placed)))
                if kind == 0 or kind == 2:
                    self._add(random, placed, None)
                elif kind == 3 and gone is not None:
                    self._add(random, placed, gone.class_id)
            if self._is_right(placed) and _state(placed) != state:
                return _state(placed)
        return None

    def _add(self, random: Random, placed: list[PlacedFact], class_id: int | None) -> bool:
        """Add a piece of this class (None: of any class) to `placed`, at a random place; return False if no piece can
        be added.
        """
        taken = sum(fact.cells for fact in placed)
        counts: dict[int, int] = {}
        for fact in placed:
            counts[fact.class_id] = counts.get(fact.class_id, 0) + 1
        room = {
            line: capacity - sum(fact.cells.bit_count() for fact in placed if fact.line == line)
            for line, capacity in self._rules.capacity.items()
        }
        fitting = [
            fact
            for fact in self._facts
            if not fact.cells & taken
            and (class_id is None or fact.class_id == class_id)
            and counts.get(fact.class_id, 0) < self._rules.most[fact.class_id]
            and fact.cells.bit_count() <= room.get(fact.line, 64)
        ]
        if not fitting:
            return False
        placed.append(random.choice(fitting))
        return True

    def _is_right(self, placed: Sequence[PlacedFact]) -> bool:
        counts = dict.fromkeys(self._rules.least, 0)
        for fact in placed:
            counts[fact.class_id] += 1
        return (
            self._least <= len(placed) <= self._most
            and all(counts[name] >= least for name, least in self._rules.least.items())
            and not self._universe.task.is_forbidden(_state(placed))
        )


def _state(placed: Sequence[PlacedFact]) -> int:
    return sum(1 << fact.fact for fact in placed)

"""Numbers of pieces as hidden facts, for rules in which `count(...)` has too many cases.

"Four of 28 cells contain a box" has a case for each choice of four cells. A *counter* has a hidden fact for each
possible number instead. Effects compute the number cell by cell: at each cell with such a piece, the fact of the number
so far becomes false, and the fact of the next number becomes true. Conditions then test one fact. `TestedRules` adds
these effects; it also determines when the facts are outdated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from fewest.grounding.partial import DraftEffect, PartialState, partial
from fewest.grounding.view import UndecidedError
from fewest.model.expression import Area

if TYPE_CHECKING:
    from fewest.grounding.grounder import Grounder
    from fewest.grounding.view import FactView

Counted: TypeAlias = Sequence[tuple[str, Area | None]]

_RULE = "count"


class Counter:
    """A number: the sum of the weights of all true facts among some facts of pieces."""

    def __init__(self, grounder: Grounder, name: str, weights: Mapping[int, int]) -> None:
        self.weights = weights
        least = -_most_pieces(grounder, [fact for fact, weight in weights.items() if weight < 0])
        most = _most_pieces(grounder, [fact for fact, weight in weights.items() if weight > 0])
        largest = max(map(abs, weights.values()))
        values = range(largest * least, largest * most + 1)
        self.facts = {value: grounder.add_hidden(f"({name} is {value})") for value in values}

    def value(self, view: FactView, least: int, most: int) -> int:
        """The number in a partial state, which is between `least` and `most`. Raises UndecidedError."""
        possible: list[int] = []
        for value, fact in self.facts.items():
            if least <= value <= most:
                truth = view.truth(fact)
                if truth:
                    return value
                if truth is None:
                    possible.append(fact)
        raise UndecidedError([([fact], []) for fact in possible])

    def places(self, grounder: Grounder, outdated: int) -> Iterator[tuple[DraftEffect, ...]]:
        """The places that compute the number while the fact `outdated` is true. All facts of the number are false
        before.
        """
        fixed = grounder.fixed
        start = sum(weight for fact, weight in self.weights.items() if fixed.get(fact))
        first = frozenset((self.facts[start],))
        yield (DraftEffect(_RULE, partial([outdated], first), first),)
        for counted, weight in self.weights.items():
            if weight and counted not in fixed:
                yield tuple(
                    DraftEffect(
                        _RULE,
                        PartialState(frozenset((outdated, counted, fact)), frozenset((after,))),
                        frozenset((fact, after)),
                    )
                    for value, fact in self.facts.items()
                    if (after := self.facts.get(value + weight)) is not None
                )


class Counters:
    """The counters of a grounder, created when they are first needed."""

    def __init__(self, grounder: Grounder) -> None:
        self._grounder = grounder
        self._counters: dict[tuple[tuple[int, int], ...], Counter] = {}

    def counter(self, name: str, weights: Mapping[int, int]) -> Counter:
        """The counter of the facts with these weights; `name` is for the names of new facts."""
        key = tuple(weights.items())
        found = self._counters.get(key)
        if found is None:
            found = self._counters[key] = Counter(self._grounder, name, weights)
        return found

    @property
    def facts(self) -> frozenset[int]:
        """The facts of all counters."""
        return frozenset(f for counter in self._counters.values() for f in counter.facts.values())

    def places(self, outdated: int) -> Iterator[tuple[DraftEffect, ...]]:
        """The places that compute all numbers while the fact `outdated` is true."""
        for counter in self._counters.values():
            yield from counter.places(self._grounder, outdated)


def _most_pieces(grounder: Grounder, facts: Sequence[int]) -> int:
    """The maximum number of these facts of pieces that can be true in one state."""
    pieces = {grounder.facts[fact].class_id for fact in facts}
    families: dict[int, int] = {}
    for class_id in pieces:
        count = grounder.class_count[class_id]
        if count is None:
            return len(facts)
        families[grounder.puzzle.classes[class_id].family] = count
    return min(len(facts), sum(families.values()))

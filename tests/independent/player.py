"""Plays puzzles breadth-first on boards of every geometry, and puzzles without a board.

The player is written from `docs/language.md` alone, and shares no code with `fewest`. It takes documents that the
expander has expanded, and raises `UnsupportedError` for every construct that it does not cover.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tests.independent.folding import normal
from tests.independent.geometries.goals import Goals
from tests.independent.geometries.pieces import Document, Piece, State
from tests.independent.plain_yaml import UnsupportedError

_KEYS = {
    "slide": {"slide", "directions", "distance", "over", "stopped-by", "carries", "sticky", "most"},
    "before": {"before", "after", "directions", "distance", "whole", "rotations"},
    "cycle": {"cycle", "steps", "directions"},
    "cycles": {"cycles", "steps", "directions"},
    "pivot": {"pivot", "about", "directions", "swept"},
}


class Game(Goals):
    """The moves of an expanded document."""

    def successors(self, state: State) -> set[State]:
        found: set[State] = set()
        for rule in self.rules.values():
            for after in self.applied(rule, state):
                if after != state and not self.forbidden(after):
                    found.add(after)
        return found

    def applied(self, rule: Document, state: State) -> Iterator[State]:
        if "when" in rule and not self.true(rule["when"], state):
            return
        kinds = {
            "slide": self._slides,
            "before": self._patterns,
            "cycle": self._cycles,
            "cycles": self._cycles,
            "pivot": self._pivots,
        }
        known = {"when", "set"}
        handler: Callable[[Document, State], Iterator[tuple[Piece, ...]]] | None = None
        for key, each in kinds.items():
            if key in rule:
                handler = each
                known |= _KEYS[key]
        if set(rule) - known:
            raise UnsupportedError(f"the keys {sorted(set(rule) - known)}")
        values: tuple[Any, ...] | None = None
        boards = [state.pieces] if handler is None else handler(rule, state)
        for pieces in boards:
            if values is None:
                values = self._assigned(rule, state)
            yield self.canonical(pieces, values)

    def fits(self, name: str, state: State) -> bool:
        if name not in self.rules:
            raise UnsupportedError(f"the rule {name}")
        return any(True for _ in self.applied({**self.rules[name], "set": {}}, state))

    def _assigned(self, rule: Document, state: State) -> tuple[Any, ...]:
        values = list(state.values)
        for name, text in (rule.get("set") or {}).items():
            if name not in self.index:
                raise UnsupportedError(f"the target {name}")
            i = self.index[name]
            value = normal(self.value(text, state))
            if value not in self.domains[i]:
                raise UnsupportedError(f"{name} is set to {value}")
            values[i] = value
        return tuple(values)


class Played(NamedTuple):
    minimum: int | None
    positions: int
    goals: int


class TooManyError(Exception):
    """There are too many positions for this slow player."""


def play(document: Document, most: int = 5000) -> Played:
    """The minimum in moves, and the numbers of reachable positions and goal positions."""
    game = Game(document)
    layer, seen = [game.start], {game.start}
    depth, minimum, goals = 0, None, 0
    while layer:
        found = sum(game.is_goal(state) for state in layer)
        goals += found
        if found and minimum is None:
            minimum = depth
        following = []
        for state in layer:
            for after in game.successors(state):
                if after not in seen:
                    seen.add(after)
                    following.append(after)
            if len(seen) > most:
                raise TooManyError
        layer, depth = following, depth + 1
    return Played(minimum, len(seen), goals)

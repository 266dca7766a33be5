"""The meaning of the characters of a drawing."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.independent.boards.expressions import Scope
from tests.independent.boards.failures import Rejected, Unsupported
from tests.independent.boards.kinds import Kind
from tests.independent.boards.loops import filled


class Meaning(NamedTuple):
    """The contents of a cell: pieces as pairs of a kind and a letter, a terrain, or a wall."""

    pieces: tuple[tuple[str, str | None], ...] = ()
    terrain: str | None = None
    is_wall: bool = False


class Legend:
    """The meaning of each character or token."""

    def __init__(
        self,
        given: dict[str, Any] | None,
        kinds: dict[str, Kind],
        terrains: frozenset[str],
        own_kinds: list[str],
        scope: Scope,
    ) -> None:
        self.given = {
            filled(str(key), scope): filled(str(text), scope) for key, text in (given or {}).items()
        }
        self.kinds, self.terrains, self.own_kinds = kinds, terrains, own_kinds

    def meaning(self, token: str) -> Meaning:
        """The meaning of a character or token."""
        if token not in self.given:
            return Meaning(((self._kind_of(token), token),))
        text = self.given[token]
        if text == "floor":
            return Meaning()
        if text == "wall":
            return Meaning(is_wall=True)
        if text in self.terrains and text not in self.kinds:
            return Meaning(terrain=text)
        if text in self.terrains:
            raise Unsupported("a terrain with the name of a kind in the legend")
        words, _, terrain = text.partition(" on ")
        if terrain and terrain.strip() not in self.terrains:
            raise Unsupported(f"the legend's terrain {terrain}")
        pieces = tuple(self._piece(each.strip(), token) for each in words.split("&"))
        layers = [self.kinds[kind].layer for kind, _ in pieces]
        if len(set(layers)) != len(layers):
            raise Rejected("two pieces of one layer on a cell")
        return Meaning(pieces, terrain.strip() or None)

    def _piece(self, name: str, token: str) -> tuple[str, str | None]:
        if name not in self.kinds:
            raise Unsupported(f"the legend's word {name}")
        letters = self.kinds[name].letters
        if letters and token not in letters:
            raise Unsupported("a character for a kind with other letters")
        return name, token if letters else None

    def _kind_of(self, letter: str) -> str:
        kinds = [name for name, kind in self.kinds.items() if letter in kind.letters]
        own = [name for name in kinds if self.kinds[name].base in self.own_kinds]
        if len(own) == 1:
            kinds = own
        if len(kinds) != 1:
            raise Rejected(f"the character {letter!r} has {len(kinds)} meanings")
        return kinds[0]

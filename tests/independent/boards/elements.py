"""One place of a pattern, before or after a move."""

from __future__ import annotations

from typing import NamedTuple

from tests.independent.boards.edges import Cell
from tests.independent.boards.failures import Rejected, Unsupported
from tests.independent.boards.game import Game
from tests.independent.boards.state import Piece, State

NOTHING = ("_", "ground")  # words that describe no layer


class Part(NamedTuple):
    """The words for one layer of a place, such as `A|B` or `not A`."""

    text: str
    names: frozenset[str]
    is_negated: bool
    layer: int | None  # None: a word such as `wall`, which describes no layer

    @property
    def is_movable(self) -> bool:
        """Whether the words can mean only pieces."""
        return not self.is_negated and not self.names & {"empty", "wall", "ground", "_"}

    @property
    def is_plain(self) -> bool:
        """Whether the words are `empty`."""
        return self.names == {"empty"} and not self.is_negated


class Element(NamedTuple):
    """A place of a pattern: its words for each layer, its terrain, and whether it is a stretch."""

    text: str
    parts: tuple[Part, ...]
    on: str | None
    is_off: bool
    is_stretch: bool

    @property
    def is_anything(self) -> bool:
        """Whether the element is `_`, which changes nothing at its place."""
        return self.on is None and [part.text for part in self.parts] == ["_"]

    def part(self, layer: int) -> Part | None:
        """The words for a layer."""
        for part in self.parts:
            if part.layer == layer:
                return part
        return None


def read_element(game: Game, text: str, uppermost: int) -> Element:
    """The meaning of an element. `uppermost`: the layer of words that name no kind."""
    words, full = text.strip(), text.strip()
    is_stretch = words.endswith("...")
    words = words.removesuffix("...").strip()
    on, is_off = None, False
    for preposition in (" on ", " off "):
        if preposition in words:
            words, _, on = words.partition(preposition)
            is_off = preposition == " off "
            if "&" in on:
                raise Unsupported("a terrain before `&`")
    parts = tuple(_part(game, each.strip(), uppermost) for each in words.split("&"))
    layers = [part.layer for part in parts if part.layer is not None]
    if len(layers) != len(set(layers)):
        raise Rejected(f"two words of one layer in {text!r}")
    return Element(full, parts, None if on is None else on.strip(), is_off, is_stretch)


def _part(game: Game, text: str, uppermost: int) -> Part:
    is_negated = text.startswith("not ")
    names = frozenset(each.strip() for each in text.removeprefix("not ").split("|"))
    layer = layer_of(game, names)
    if layer is None and (names & {"empty", "any", "ground"} or is_negated):
        layer = uppermost
    return Part(text, names, is_negated, layer)


def layer_of(game: Game, names: frozenset[str]) -> int | None:
    """The layer of the kinds that words name; None if they name no kind."""
    layers = set()
    for name in names:
        if name in ("any", "empty", "wall", "ground", "_"):
            continue
        if name.startswith("any-") and name[4:] in game.bases:
            name = name[4:]
        kinds = [kind for kind in game.kinds.values() if name in kind.words or name in kind.letters]
        if not kinds:
            raise Rejected(f"the word {name!r} in a pattern")
        layers |= {kind.layer for kind in kinds}
    if len(layers) > 1:
        raise Unsupported("words of several layers")
    return layers.pop() if layers else None


def matches(game: Game, element: Element, state: State, cell: Cell | None) -> bool:
    """Whether a cell fits an element; None is a cell outside the board."""
    is_floor = cell is not None and cell in game.board.floor
    if element.on is not None:
        if not is_floor or cell is None:
            return False
        if game.board.is_on(cell, element.on) is element.is_off:
            return False
    for part in element.parts:
        piece = None
        if is_floor and cell is not None and part.layer is not None:
            piece = state.at.get((cell, part.layer))
        for name in part.names:  # a loop, because a generator would take half of the time
            if _is(game, name, piece, is_floor, part):
                found = True
                break
        else:
            found = False
        if found is part.is_negated:
            return False
    return True


def _is(game: Game, name: str, piece: Piece | None, is_floor: bool, part: Part) -> bool:
    if name == "_":
        return True
    if name == "wall":
        return not is_floor
    if name == "ground":
        return is_floor
    if name == "empty":
        return is_floor and piece is None
    return piece is not None and piece_is(game, name, piece)


def piece_is(game: Game, name: str, piece: Piece) -> bool:
    """Whether a word names a piece."""
    if name.startswith("any-") and name[4:] in game.bases and name not in game.kinds:
        name = name[4:]
    return name in game.words(piece)

"""What expressions say about a position."""

from __future__ import annotations

from typing import Any

from tests.independent.boards.board import GRAPH, Direction
from tests.independent.boards.edges import Cell
from tests.independent.boards.expressions import HIDDEN, Content, Scope, World
from tests.independent.boards.failures import NoValue, Rejected, Unsupported
from tests.independent.boards.game import Game
from tests.independent.boards.state import Piece, State
from tests.independent.boards.words import word


class Play(World):
    """A position of a puzzle."""

    def __init__(self, game: Game, state: State) -> None:
        self.game, self.state = game, state

    def is_variable(self, name: str) -> bool:
        return name in self.game.variables.names

    def variable(self, name: str, index: tuple[Any, ...]) -> Any:
        place = self.game.variables.places.get((name, index))
        if place is None:
            raise NoValue(f"no variable {name} {index}")
        return self.state.values[place]

    def call(self, function: str, arguments: list[Any], scope: Scope) -> Any:
        rule = getattr(self, f"_{function}", None)
        if rule is None or function.startswith("_"):
            raise Unsupported(f"the function {function}")
        return rule(*arguments)

    def _cell(self, row: Any, column: Any, layer: Any = 0) -> Content:
        cell = _place(row, column)
        if cell not in self.game.board.floor:
            return Content({"wall"})
        piece = self.state.at.get((cell, layer))
        if piece is None:
            return Content({"empty"})
        words: set[Any] = {word(each) for each in self.game.words(piece) - {"any"}}
        if piece.letter is None and self.game.kinds[piece.kind].letters:
            words.add(HIDDEN)
        return Content(words)

    def _terrain(self, row: Any, column: Any) -> Content:
        cell = _place(row, column)
        if cell not in self.game.board.floor:
            return Content({"wall"})
        return Content(self.game.board.terrains.get(cell) or {"floor"})

    def _pieces(self, words: Any) -> list[Piece]:
        if not isinstance(words, (str, int)):
            raise Unsupported(f"the piece {words!r}")
        fits = self.game.matcher(str(words))
        return [piece for piece in self.state.pieces if fits(piece)]

    def _corner(self, words: Any) -> Cell:
        found = self._pieces(words)
        if len(found) > 1:
            raise NoValue("a word that names several pieces")
        return self.game.corner(found[0]) if found else (-1, -1)

    def _row(self, words: Any) -> int:
        return self._corner(words)[0]

    def _col(self, words: Any) -> int:
        return self._corner(words)[1]

    def _count(self, words: Any, terrain: str | None = None) -> int:
        found = self._pieces(words)
        if terrain is None:
            return len(found)
        return sum(self._is_at(self.game.corner(piece), terrain) for piece in found)

    def _is_at(self, cell: Cell, terrain: str) -> bool:
        board = self.game.board
        if cell not in board.floor and board.contains(cell):
            # The top-left cell of a bounding box can be a wall: it is on `not a`, but not on `floor`.
            return terrain.strip().startswith("not ")
        return board.is_on(cell, terrain)

    def _sees(self, one: Any, other: Any) -> bool:
        return any(
            self._is_seen(first, second)
            for first in self._pieces(one)
            for second in self._pieces(other)
            if first != second
        )

    def _is_seen(self, first: Piece, second: Piece) -> bool:
        return any(
            self._is_met(cell, direction, first, second)
            for cell in first.cells
            for direction in self.game.board.plane.sights
        )

    def _is_met(self, cell: Cell, direction: Direction, first: Piece, second: Piece) -> bool:
        """Whether the second piece is the first thing that the first one sees from one of its cells."""
        if self.game.board.plane.geometry == GRAPH:
            return not second.cells.isdisjoint(self.game.board.steps(cell, direction))
        layers, passed = {first.layer, second.layer}, {cell}
        here = self.game.board.step(cell, direction)
        while here is not None and here in self.game.board.floor and here not in passed:
            met = [self.state.at.get((here, layer)) for layer in layers]
            if any(piece is not None for piece in met):
                return second in met
            passed.add(here)
            here = self.game.board.step(here, direction)
        return False

    def _can(self, name: str) -> bool:
        from tests.independent.boards.rules import fits_anywhere

        for rule in self.game.moves:
            if rule.name == name:
                return fits_anywhere(self.game, rule, self.state)
        raise Rejected(f"no rule {name}")


def _place(row: Any, column: Any) -> Cell:
    if not isinstance(row, int) or not isinstance(column, int):
        raise NoValue("a place that is no pair of numbers")
    return int(row), int(column)

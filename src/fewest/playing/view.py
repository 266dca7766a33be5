"""The class through which expressions read a position."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from fewest.model.board import Board, Direction
from fewest.model.expression import Area, Content, Ground
from fewest.model.position import Position
from fewest.model.puzzle import Spot


class PositionView:
    """The View protocol of expressions for a position; all values are known.

    `playing.rules` sets `possible`, the function that tests whether a rule fits somewhere. This module cannot import
    `playing.rules` itself: `playing.rules` imports the modules for all kinds of rules, and these import this module to
    evaluate expressions.
    """

    __slots__ = ("position",)
    possible: ClassVar[Callable[[Position, str], bool]]

    def __init__(self, position: Position) -> None:
        self.position = position

    @property
    def board(self) -> Board:
        return self.position.board

    def variable(self, slot: int) -> int | str:
        return self.position.values[slot]

    def variable_is(self, slot: int, value: object) -> bool:
        return bool(self.position.values[slot] == value)

    def content(self, row: int, column: int, layer: int) -> Content:
        cell = self.board.cell(row, column)
        if cell is None or cell in self.board.walls:
            return Content("wall")
        spot = self.position.layers[layer].get(cell)
        if spot is None:
            return Content("empty")
        piece = self.position.puzzle.classes[spot[0]]
        return Content(piece.kind, piece.label, piece.any_colour)

    def ground(self, row: int, column: int) -> Ground:
        cell = self.board.cell(row, column)
        if cell is None or cell in self.board.walls:
            return Ground(frozenset({"wall"}))
        names = [name for name, cells in self.board.terrain.items() if cell in cells]
        return Ground(frozenset(names or ["floor"]))

    def place(self, name: str) -> tuple[int, int]:
        for class_id, anchor in self.position.pieces:
            if self.position.puzzle.classes[class_id].answers_to(name):
                return self.board.at(anchor)
        return (-1, -1)

    def count(self, name: str, area: Area | None) -> int:
        return sum(
            self.position.puzzle.classes[class_id].answers_to(name)
            and (area is None or self._is_in(area, anchor))
            for class_id, anchor in self.position.pieces
        )

    def _is_in(self, area: Area, cell: int) -> bool:
        ground = self.ground(*self.board.at(cell))
        return any(ground == terrain for terrain in area.terrains) != area.is_negated

    def count_is(
        self,
        counted: Sequence[tuple[str, Area | None]],
        holds: Callable[[int], bool],
        less: Sequence[tuple[str, Area | None]] = (),
    ) -> bool:
        counts, others = (
            sum(self.count(name, area) for name, area in pairs) for pairs in (counted, less)
        )
        return holds(counts - others)

    def sees(self, one: str, other: str) -> bool:
        classes = self.position.puzzle.classes
        looked_for = {piece.layer for piece in classes if piece.answers_to(other)}
        for spot in self.position.pieces:
            watcher = classes[spot[0]]
            if watcher.answers_to(one):
                layers = sorted({watcher.layer, *looked_for})
                for cell in self.board.cover(watcher.shape, spot[1]) or ():
                    for direction in self.board.straight:
                        met = self._first_pieces(cell, direction, layers)
                        if any(s != spot and classes[s[0]].answers_to(other) for s in met):
                            return True
        return False

    def can(self, rule: str) -> bool:
        return PositionView.possible(self.position, rule)

    def _first_pieces(self, cell: int, direction: Direction, layers: list[int]) -> list[Spot]:
        """The pieces on the first occupied cell in a direction, in the given layers."""
        here = self.board.step(cell, direction.offset)
        passed = {cell}  # visited cells: closed rows and portals can make a path endless
        while here is not None and here not in passed and here not in self.board.walls:
            passed.add(here)
            found = [self.position.layers[layer].get(here) for layer in layers]
            met = [spot for spot in found if spot is not None]
            if met:
                return met
            here = self.board.step(here, direction.offset)
        return []

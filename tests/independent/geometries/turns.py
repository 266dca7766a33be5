"""Plays rings and pivots."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from tests.independent.geometries.patterns import Patterns
from tests.independent.geometries.pieces import Document, Piece, State
from tests.independent.plain_yaml import UnsupportedError
from tests.independent.topology import Cell, SquareBoard


class Turns(Patterns):
    """The rings and pivots of a document."""

    def _cycles(self, rule: Document, state: State) -> Iterator[tuple[Piece, ...]]:
        rings = rule["cycles"] if "cycles" in rule else [rule["cycle"]]
        steps = int(rule.get("steps", 1))
        at = self.at(state)
        ways = rule.get("directions", "forward backward")
        for way in ways.split() if isinstance(ways, str) else ways:
            if way not in ("forward", "backward"):
                raise UnsupportedError(f"the direction {way} of a ring")
            goes: dict[Cell, Cell] = {}
            for ring in rings:
                cells = [self._place(cell) for cell in ring]
                if any(not self.is_floor(cell) for cell in cells):
                    raise UnsupportedError("a wall on a ring")
                for i, cell in enumerate(cells):
                    if cell in goes:
                        raise UnsupportedError("rings that share a cell")
                    shift = steps if way == "forward" else -steps
                    goes[cell] = cells[(i + shift) % len(cells)]
            moved: dict[Piece, tuple[Cell, ...]] = {}
            for cell, there in goes.items():
                piece = at.get(cell)
                if piece is None:
                    continue
                if len(piece.cells) > 1 or not (cell == there or self.may_enter(piece, there)):
                    break
                moved[piece] = (there,)
            else:
                yield self._with(state, moved)

    def _pivots(self, rule: Document, state: State) -> Iterator[tuple[Piece, ...]]:
        board = self.board
        if not isinstance(board, SquareBoard) or board.geometry != "square" or board.has_lines:
            raise UnsupportedError("pivot on this board")
        if board.wraps_rows or board.wraps_columns or board.levels > 1:
            raise UnsupportedError("pivot with wrap or levels")
        at = self.at(state)
        about = rule.get("about", "own")
        ways = rule.get("directions", "clockwise counterclockwise")
        for piece in state.pieces:
            if not any(self.matches(word, piece) for word in self._kinds_of(rule["pivot"])):
                continue
            if about == "own":
                centres = list(piece.cells)
            elif isinstance(about, str):
                centres = [c for c in piece.cells if self.is_on(c, about)]
            else:
                centres = [self._place(cell) for cell in about]
            for centre, way in itertools.product(
                centres, ways.split() if isinstance(ways, str) else ways
            ):
                paths = [
                    _quarter(cell, centre, clockwise=way == "clockwise") for cell in piece.cells
                ]
                swept = [p[-1:] if rule.get("swept") == "any" else p for p in paths]
                after = tuple(sorted(path[-1] for path in paths))
                is_free = all(self._is_free(c, piece, at) for path in swept for c in path)
                if is_free and after != piece.cells:
                    yield self._with(state, {piece: after})


def _quarter(cell: Cell, centre: Cell, *, clockwise: bool) -> list[Cell]:
    """The path of a cell along the square around a centre, through the corners of the square."""
    r, c = cell[0] - centre[0], cell[1] - centre[1]
    size = max(abs(r), abs(c))
    path = [cell]
    for _ in range(2 * size):
        if clockwise:
            if r == -size and c < size:
                c += 1
            elif c == size and r < size:
                r += 1
            elif r == size and c > -size:
                c -= 1
            else:
                r -= 1
        elif r == -size and c > -size:
            c -= 1
        elif c == -size and r < size:
            r += 1
        elif r == size and c < size:
            c += 1
        else:
            r -= 1
        path.append((centre[0] + r, centre[1] + c))
    return path

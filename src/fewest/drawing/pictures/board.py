"""The board of a position as SVG: the parts below the pieces, the pieces, and the parts above the pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from fewest.drawing.pictures.colours import ink_on
from fewest.drawing.pictures.edges import thin_walls
from fewest.drawing.pictures.goals import GoalMark, open_cells
from fewest.drawing.pictures.graph import edges
from fewest.drawing.pictures.grid import UNIT
from fewest.drawing.pictures.outline import number, outline
from fewest.drawing.pictures.puzzle_style import PuzzleStyle, text_at
from fewest.model.board import Board
from fewest.model.conditions import PiecesAsDrawn
from fewest.model.position import Position, reading_order_labels
from fewest.model.puzzle import PieceClass, Spot

MARGIN = 7.0  # the number of pixels around the board
_CORNER = 7.0
_ASIDE = 0.28 * UNIT
Arrow = tuple[Spot, Spot]  # a piece moves from the first spot to the second


class BoardPicture(Struct, frozen=True, dict=True):
    """Draws the boards of one puzzle, with any pieces on them."""

    look: PuzzleStyle

    @property
    def board(self) -> Board:
        board = self.look.puzzle.board
        assert board is not None
        return board

    @cached_property
    def shown(self) -> tuple[int, ...]:
        """The cells that are drawn. Walls are hidden if their colour is `none`; by default, they are also hidden if
        cells are not squares.
        """
        board, style = self.board, self.look.puzzle.style
        hides = style.colours.get("wall") == "none" or (
            not self.look.grid.is_square and "wall" not in style.colours
        )
        return board.floors if hides else tuple(range(board.num_cells))

    @cached_property
    def box(self) -> tuple[float, float, float, float]:
        """The left edge, the top edge, the width and the height, including the margin."""
        left, top, right, bottom = self.look.grid.box(map(self.board.at, self.shown))
        return (
            left - MARGIN,
            top - MARGIN,
            right - left + 2 * MARGIN,
            bottom - top + 2 * MARGIN,
        )

    def svg(
        self,
        position: Position,
        labels: Mapping[Spot, str] | None = None,
        arrows: Sequence[Arrow] = (),
        *,
        with_goal: bool = True,
    ) -> str:
        """The whole picture, without the enclosing `<svg>` element."""
        known = reading_order_labels(position) if labels is None else labels
        look, spots = self.look, sorted(position.pieces, key=self._height)
        over = self._written_last(position, known) if with_goal else set[Spot]()
        lettered = frozenset(cell for spot in over for cell in position.puzzle.under[spot])
        parts = [
            self.below(with_goal=with_goal),
            *(
                self.piece(spot, known, look.plain_piece if spot in over else look.piece)
                for spot in spots
            ),
            self.above(lettered) if with_goal else "",
            *(self.piece(spot, known, look.writing) for spot in spots if spot in over),
            *(self.arrow(*arrow) for arrow in arrows),
        ]
        return "".join(parts)

    def _written_last(self, position: Position, labels: Mapping[Spot, str]) -> set[Spot]:
        """The pieces that have a text, cover a cell with a goal mark, and lie below no other piece. Their texts are
        drawn above the mark.
        """
        goal, puzzle = self.look.goal, position.puzzle
        marked = frozenset(goal.cells or {}).union(*(place.cells for place in goal.places))
        found: set[Spot] = set()
        for spot in {spot for cell, spot in position.occupied.items() if cell in marked}:
            kind = puzzle.classes[spot[0]]
            if self.look.writing(kind, labels.get(spot, kind.kind)) and all(
                position.occupied[cell] == spot for cell in puzzle.under[spot]
            ):
                found.add(spot)
        return found

    # -- below the pieces -----------------------------------------------------------------------------

    def below(self, *, with_goal: bool = True) -> str:
        """Everything below the pieces: the edges of a graph, floor, terrain, lines, walls, the places of the goal, and
        the arrows at open sides.
        """
        look, board, theme = self.look, self.board, self.look.theme
        style = look.puzzle.style
        floor = style.colours.get("floor", theme.floor)
        parts = [
            edges(look),
            f'<path d="{self._region(board.floors, 0)}" fill="{floor}"/>',
            self._chequers() if style.cells == "chequered" else "",
            *(self._terrain(name, i) for i, name in enumerate(board.terrain)),
            self._lines(),
        ]
        parts.append("" if look.grid.is_round else thin_walls(look))
        walls = [cell for cell in self.shown if cell in board.walls]
        if walls:
            colour = style.colours.get("wall", theme.wall)
            parts.append(f'<path d="{self._region(walls, 0)}" fill="{colour}"/>')
            if "wall" in style.symbols:
                parts += [self._symbol(cell, "wall", ink_on(colour)) for cell in walls]
        if with_goal:
            parts += [self._place(place, is_over=False) for place in look.goal.places]
        parts.append(self._open_sides())
        return "".join(parts)

    def _region(self, cells: Iterable[int], inset: float, corner: float = _CORNER) -> str:
        grid = self.look.grid
        return outline([grid.polygon(*self.board.at(cell)) for cell in cells], inset, corner)

    def _chequers(self) -> str:
        dark = [c for c in self.board.floors if sum(self.board.at(c)) % 2]
        path = "".join(self._region([cell], 0, 0) for cell in dark)
        return f'<path d="{path}" fill="{self.look.theme.other_floor}"/>'

    def _lines(self) -> str:
        if self.look.puzzle.style.cells == "chequered":
            return ""
        path = "".join(self._region([cell], 0, 0) for cell in self.board.floors)
        return f'<path d="{path}" fill="none" stroke="{self.look.theme.line}" stroke-width="1"/>'

    def _terrain(self, name: str, number_: int) -> str:
        """The cells of a terrain, in its colour and with its symbol."""
        look, style = self.look, self.look.puzzle.style
        cells = sorted(self.board.terrain[name])
        tints = look.theme.terrains
        colour = style.colours.get(name, tints[number_ % len(tints)])
        shade = f'<path d="{self._region(cells, 0)}" fill="{colour}"/>' if cells else ""
        if name not in style.symbols:
            return shade
        ink = look.theme.ink if colour == "none" else ink_on(colour)
        return shade + "".join(self._symbol(cell, name, ink) for cell in cells)

    def _symbol(self, cell: int, word: str, ink: str) -> str:
        x, y = self.look.grid.middle(*self.board.at(cell))
        return text_at(x, y, self.look.puzzle.style.symbols[word], UNIT * 0.56, ink)

    def _open_sides(self) -> str:
        """Arrows at those sides of a closed board through which pieces leave and re-enter on the opposite side."""
        board, parts = self.board, []
        left, top, width, height = self.box
        x, y = left + width / 2, top + height / 2
        pairs = []
        if board.wraps_rows:
            pairs += [(left, y, -1, 0), (left + width, y, 1, 0)]
        if board.wraps_columns:
            pairs += [(x, top, 0, -1), (x, top + height, 0, 1)]
        for at_x, at_y, right, down in pairs:
            tip = (at_x - right, at_y - down)
            wings = [
                (tip[0] - 5 * right + 7 * s * down, tip[1] - 5 * down + 7 * s * right)
                for s in (1, -1)
            ]
            points = " ".join(f"{number(a)},{number(b)}" for a, b in (wings[0], tip, wings[1]))
            parts.append(
                f'<polyline points="{points}" fill="none" stroke="{self.look.theme.faint}"'
                ' stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/>'
            )
        return "".join(parts)

    def _height(self, spot: Spot) -> tuple[int, Spot]:
        """The order in which pieces are drawn: the lowest layer first."""
        return self.look.puzzle.classes[spot[0]].layer, spot

    # -- pieces ---------------------------------------------------------------------------------------

    def piece(
        self,
        spot: Spot,
        labels: Mapping[Spot, str],
        draw: Callable[[PieceClass, str], str] | None = None,
    ) -> str:
        """A piece (or the result of `draw` for it) at its place; if it crosses the edge of a closed board, also at
        the place where it re-enters.
        """
        look, board = self.look, self.board
        kind = look.puzzle.classes[spot[0]]
        drawn = (draw or look.piece)(kind, labels.get(spot, kind.kind))
        row, column = board.at(spot[1])
        rows = [row]
        columns = [column]
        if board.wraps_columns and row + max(r for r, _ in kind.shape) >= board.rows:
            rows.append(row - board.rows)
        if board.wraps_rows and column + max(c for _, c in kind.shape) >= board.columns:
            columns.append(column - board.columns)
        out = "".join(
            f'<g transform="{self.shift(r, c)}">{drawn}</g>' for r in rows for c in columns
        )
        if len(rows) == len(columns) == 1:
            return out
        return _clipped(self.look.grid.box(map(board.at, self.shown)), out)

    def shift(self, row: int, column: int) -> str:
        """The transformation that moves a drawing from the cell (0, 0) to another cell."""
        (x, y), (x0, y0) = self.look.grid.middle(row, column), self.look.grid.middle(0, 0)
        return f"translate({number(x - x0)} {number(y - y0)})"

    # -- above the pieces -----------------------------------------------------------------------------

    def above(self, lettered: frozenset[int] = frozenset()) -> str:
        """The outlines of the goal's places, and rings on the cells that must be covered; on cells with letters, the
        rings are to one side.
        """
        look, parts = self.look, []
        parts += [self._place(place, is_over=True) for place in look.goal.places]
        for cell, word in (look.goal.cells or {}).items():
            x, y = look.grid.middle(*self.board.at(cell))
            if cell in lettered:
                x, y = x - _ASIDE, y - _ASIDE
            parts.append(
                f'<circle cx="{number(x)}" cy="{number(y)}" r="7" fill="{look.colour_of_word(word)}"'
                f' stroke="#ffffff" stroke-width="2"/><circle cx="{number(x)}" cy="{number(y)}" r="8.5"'
                ' fill="none" stroke="#000000" stroke-width="1.2"/>'
            )
        return "".join(parts)

    def _place(self, place: GoalMark, *, is_over: bool) -> str:
        colour = self.look.colour_of_word(place.word)
        path = self._region(sorted(place.cells), 4)
        if not is_over:
            return f'<path d="{path}" fill="{colour}" fill-opacity="0.2"/>'
        under = f'<path d="{path}" fill="none" stroke="#ffffff" stroke-opacity="0.75" stroke-width="4"/>'
        return (
            f'{under}<path d="{path}" fill="none" stroke="{colour}" stroke-width="2.6"'
            ' stroke-dasharray="7 5"/>'
        )

    def arrow(self, source: Spot, target: Spot) -> str:
        """An arrow from the old centre of a piece to its new centre."""
        shape = self.look.puzzle.classes[source[0]].shape
        row = max(r for r, _ in shape) / 2
        column = max(c for _, c in shape) / 2
        ends = []
        for _, anchor in (source, target):
            place = self.board.at(anchor)
            ends.append(self.look.grid.middle(place[0] + row, place[1] + column))
        (x1, y1), (x2, y2) = ends
        length = max(1.0, ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5)
        dx, dy = (x2 - x1) / length, (y2 - y1) / length
        base = (x2 - 11 * dx, y2 - 11 * dy)
        head = [
            (x2, y2),
            (base[0] - 7 * dy, base[1] + 7 * dx),
            (base[0] + 7 * dy, base[1] - 7 * dx),
        ]
        points = " ".join(f"{number(a)},{number(b)}" for a, b in head)
        line = f"M{number(x1)} {number(y1)}L{number(base[0])} {number(base[1])}"
        ink = 'stroke-linecap="round" fill="none"'
        return (
            f'<path d="{line}" stroke="#ffffff" stroke-width="8" {ink}/>'
            f'<polygon points="{points}" stroke="#ffffff" stroke-width="3" fill="#111111"/>'
            f'<path d="{line}" stroke="#111111" stroke-width="4" {ink}/>'
            f'<polygon points="{points}" fill="#111111"/>'
        )

    # -- a goal's drawing -------------------------------------------------------------------------------

    def drawn_goal(self, position: Position, drawn: PiecesAsDrawn) -> str:
        """The board with the pieces of a drawing in the goal; cells that the goal leaves open are shaded."""
        open_path = self._region(sorted(open_cells(self.look.puzzle, drawn)), 9, 4)
        faint = self.look.theme.faint
        hatch = f'<path d="{open_path}" fill="{faint}" fill-opacity="0.35"/>' if open_path else ""
        return self.svg(position, with_goal=False) + hatch


def _clipped(sides: tuple[float, float, float, float], inner: str) -> str:
    """The part of a picture between these edges: left, top, right, bottom."""
    left, top, right, bottom = sides
    x, y, width, height = map(number, (left, top, right - left, bottom - top))
    return (
        f'<svg x="{x}" y="{y}" width="{width}" height="{height}" viewBox="{x} {y} {width} {height}">'
        f"{inner}</svg>"
    )

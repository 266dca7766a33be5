"""The placements of a form of a pattern on the board, for any pieces."""

from __future__ import annotations

from collections.abc import Iterator

from fewest.grounding.steps import places_from
from fewest.model.board import Board
from fewest.model.rules import Form, Orientation


class PatternPlacements:
    """The placements of a form. The class evaluates the form's conditions on walls, edges and terrain only once for
    each place of the form.
    """

    def __init__(self, form: Form, board: Board) -> None:
        self.form, self.board = form, board
        walls: frozenset[int | None] = board.walls.union((None,))
        floors: frozenset[int | None] = frozenset(board.floors)
        self.cells = [walls | floors] * form.num_places
        """the possible cells of each place; None represents all cells outside the board"""
        for place, element, after in zip(form.at, form.elements, form.after_cells, strict=True):
            names_wall = ("wall" in element.words) != element.is_negated
            if not names_wall and "_" not in element.words:
                self.cells[place] -= walls
            if names_wall and element.words == ("wall",):
                self.cells[place] -= floors
            for known in (element.cells, after):
                if known is not None:
                    self.cells[place] &= known
        on_board = (place for place, cells in enumerate(self.cells) if None not in cells)
        self._most_beyond = next(on_board, form.num_places - 1)
        self._may_meet = board.wraps_rows or board.wraps_columns or bool(board.exits)

    def everywhere(self, orientation: Orientation) -> Iterator[list[int | None]]:
        """The cells of the elements for each placement, in the order of the first place that is on the board."""
        if orientation.offsets or self.board.nodes or self._most_beyond:
            for cell in range(self.board.num_cells):
                yield from self.at(orientation, cell)
            return
        steps = orientation.steps[: self.form.num_places - 1]
        onward = [*zip(map(self.board.beyond, steps), self.cells[1:], strict=True)]
        for first in range(self.board.num_cells):
            if first not in self.cells[0]:
                continue
            here: int | None = first
            places: list[int | None] = [first]
            for beyond, allowed in onward:
                here = None if here is None else beyond[here]
                if here not in allowed:
                    break
                places.append(here)
            else:
                if not self._may_meet or _are_apart(places):
                    yield [places[place] for place in self.form.at]

    def at(self, orientation: Orientation, cell: int) -> Iterator[list[int | None]]:
        """The cells of the elements for each placement that has its first place on the board at a cell.

        Placements that are impossible, or that contain a cell twice (on a closed row or column, or because of portals),
        are omitted. Earlier places of the form may be outside the board, provided that they may be walls.
        """
        for outside in range(self._most_beyond + 1):
            if cell in self.cells[outside]:
                places = places_from(self.board, cell, orientation, self.form, outside)
                if places is None or not _are_apart(places):
                    continue
                if all(map(frozenset.__contains__, self.cells, places)):
                    yield [places[place] for place in self.form.at]


def _are_apart(places: list[int | None]) -> bool:
    """Whether all places that are on the board have different cells."""
    inside = [cell for cell in places if cell is not None]
    return len(inside) == len(set(inside))

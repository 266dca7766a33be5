"""Patterns on a position: the pieces stand as `before` says, and go where `after` says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias
from weakref import WeakKeyDictionary

from fewest.model.board import GRAPH, Board, Direction
from fewest.model.position import Position
from fewest.model.puzzle import Spot
from fewest.model.rules import Form, Orientation, Pattern
from fewest.playing.guard import assigned, turn_of
from fewest.playing.move import Move, made

Site: TypeAlias = "tuple[Form, Direction, list[int | None]]"

# Where a pattern can ever stand: that is asked on every position of a board.
_sites: WeakKeyDictionary[Pattern, tuple[Board, list[Site]]] = WeakKeyDictionary()


def pattern_moves(rule: Pattern, position: Position, carrier: Spot | None = None) -> Iterator[Move]:
    """The moves that the rule allows; those in which the piece at `carrier` takes part, if it is given."""
    sites = _sites_on(rule, position.board)
    if carrier is not None:
        sites = [site for site in sites if carrier[1] in site[2]]
    return _moves(rule, position, sites)


def pattern_moves_at(rule: Pattern, position: Position, cell: int) -> Iterator[Move]:
    """The moves that the rule allows where its first place lies on the cell."""
    sites = [site for site in _sites_on(rule, position.board) if site[2][0] == cell]
    return _moves(rule, position, sites)


def _moves(rule: Pattern, position: Position, sites: list[Site]) -> Iterator[Move]:
    for form, direction, cells in sites:
        changes = _changes(position, form, cells)
        if changes is None:
            continue
        values = assigned(rule.guard, position, form.names)
        if values is not None:
            pieces, created = changes
            yield made(
                position,
                rule.name,
                pieces,
                values,
                created=created,
                direction=direction,
                words=turn_of(rule.guard, form.names),
                turn=form.turn,
            )


def _sites_on(rule: Pattern, board: Board) -> list[Site]:
    known = _sites.get(rule)
    if known is None or known[0] is not board:
        sites: list[Site] = []
        for form in rule.forms:
            for orientation in rule.orientations:
                for row in range(board.rows):
                    for column in range(board.columns):
                        cells = _laid(board, row, column, orientation, len(form.elements))
                        if cells is not None and _can_ever_stand(form, cells, board):
                            sites.append((form, orientation.direction, cells))
        known = _sites[rule] = (board, sites)
    return known[1]


def _laid(
    board: Board, row: int, column: int, orientation: Orientation, length: int
) -> list[int | None] | None:
    """The cells of the places of a pattern that starts at a cell.

    None where walls cut a rectangle, and where a graph has no such path.
    """
    is_path = board.geometry == GRAPH
    if is_path and len(orientation.steps) != length - 1:
        return None
    if not orientation.offsets:
        here = board.cell(row, column)
        line = [here]
        for offset in orientation.steps[: length - 1]:
            here = None if here is None else board.step(here, offset)
            line.append(here)
        return None if is_path and None in line else line
    places = {(r, c): board.cell(row + r, column + c) for r, c in orientation.offsets}
    for (r, c), cell in places.items():
        for offset in ((0, 1), (1, 0)):
            beside = places.get((r + offset[0], c + offset[1]))
            if cell is not None and beside is not None and board.is_cut(cell, offset):
                return None
    return list(places.values())


def _can_ever_stand(form: Form, cells: list[int | None], board: Board) -> bool:
    """Whether walls, edges and terrain are where the pattern wants them, and no cell is there twice."""
    inside = [cell for cell in cells if cell is not None]
    if len(inside) != len(set(inside)):
        return False
    for element, after, cell in zip(form.elements, form.after_cells, cells, strict=True):
        if "_" not in element.words:
            is_wall = cell is None or cell in board.walls
            if is_wall and ("wall" in element.words) == element.is_negated:
                return False
            if not is_wall and element.content == (("wall",), False):
                return False
        if element.cells is not None and cell not in element.cells:
            return False
        if after is not None and cell not in after:
            return False
    return True


def _changes(
    position: Position, form: Form, cells: list[int | None]
) -> tuple[dict[Spot, Spot | None], list[Spot]] | None:
    """Where each piece goes (None: captured) and what appears; None if the pattern is not there."""
    classes = position.puzzle.classes
    standing: dict[int, Spot] = {}
    for place, (element, cell) in enumerate(zip(form.elements, cells, strict=True)):
        if cell is None or cell in position.board.walls or "_" in element.words:
            continue  # looked at once, when the place was found
        spot = position.occupied.get(cell)
        if spot is None:
            is_named = "empty" in element.words
        else:
            is_named = any(map(classes[spot[0]].answers_to, element.words))
            standing[place] = spot
        if is_named == element.is_negated:
            return None
    changes: dict[Spot, Spot | None] = {
        standing[start]: (standing[start][0], _floor(cells[end]))
        for start, end in form.carried
        if start != end
    }
    changes.update((standing[place], None) for place in form.removed if place in standing)
    created = [(class_id, _floor(cells[place])) for place, class_id in form.created]
    if any(len(classes[class_id].shape) > 1 for class_id, _ in changes):
        return None  # a pattern moves and takes pieces of one cell
    arrivals = [*(spot for spot in changes.values() if spot is not None), *created]
    if any(cell not in classes[class_id].cells for class_id, cell in arrivals):
        return None
    return changes, created


def _floor(cell: int | None) -> int:
    assert cell is not None  # a place that takes a piece is a floor cell
    return cell

"""The pieces that move together with a piece: the pieces that it pushes, and the pieces that stick to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fewest.model.board import Direction
from fewest.model.position import Position
from fewest.model.puzzle import PieceClass, Spot
from fewest.model.rules import Slide
from fewest.playing.passability import is_passable


def pushed_group(
    rule: Slide, position: Position, first: Spot, direction: Direction
) -> Mapping[Spot, Spot | None] | None:
    """The target of the first piece and of each piece that moves together with it; the first piece is the last entry.
    The result is None if these pieces cannot move.
    """
    classes, board = position.puzzle.classes, position.board
    together = [first]
    goes: dict[Spot, Spot | None] = {}
    for spot in together:  # the loop appends to the list over which it iterates
        class_id, anchor = spot
        there = board.next_anchor(classes[class_id].shape, anchor, direction.offset)
        cells = None if there is None else board.cover(classes[class_id].shape, there)
        if there is None or cells is None or not classes[class_id].cells.issuperset(cells):
            return None
        if not is_passable(board, classes[class_id], anchor, direction, cells):
            return None
        if there == anchor:
            return None  # on a closed row of one cell, or at a portal, a step leads back to where it began
        goes[spot] = (class_id, there)
        for cell in cells:
            other = position.layers[classes[class_id].layer].get(cell)
            if other is None or other in together:
                continue
            is_pushed = any(map(classes[other[0]].answers_to, (*rule.carries, *rule.sticky)))
            if not is_pushed and not _is_own(rule, classes[class_id], classes[other[0]]):
                return None
            together.append(other)
        for other in _touching(position, spot):
            sticks = any(map(classes[other[0]].answers_to, rule.sticky))
            sticks = sticks or _is_own(rule, classes[class_id], classes[other[0]])
            if other not in together and sticks:
                together.append(other)
        if rule.most is not None and len(together) - 1 > rule.most:
            return None
    covered = [cell for spot in goes.values() if spot for cell in position.puzzle.under[spot]]
    if len(covered) != len(set(covered)):
        return None  # portals would take two pieces to the same cell
    goes[first] = goes.pop(first)
    return goes


def _is_own(rule: Slide, one: PieceClass, other: PieceClass) -> bool:
    """Whether two pieces stick to each other because they are of the same kind."""
    return one.kind == other.kind and one.kind in rule.own


def _touching(position: Position, spot: Spot) -> Iterator[Spot]:
    """The pieces that touch a piece from above, from below, from the left or from the right, or across any side of a
    hexagon.
    """
    piece = position.puzzle.classes[spot[0]]
    for cell in position.board.cover(piece.shape, spot[1]) or ():
        for offset in position.board.touching:
            near = position.board.step(cell, offset)
            other = None if near is None else position.layers[piece.layer].get(near)
            if other is not None and other != spot:
                yield other

"""Patterns that move and remove pieces of any shape: a change of one cell applies to the whole piece."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fewest.model.board import Direction
from fewest.model.position import Position
from fewest.model.puzzle import Spot
from fewest.model.rules import Form


def moved_whole(
    position: Position,
    form: Form,
    cells: Sequence[int | None],
    standing: Mapping[int, Spot],
    direction: Direction,
) -> tuple[dict[Spot, Spot | None], list[Spot]] | None:
    """The target of each piece (None: the piece is captured) and the new pieces; None if the move is impossible.

    `standing` contains the pieces at the places of the form; they already match `before`.
    """
    targets: dict[Spot, Spot | None] = {}
    for start, end in form.carried:
        spot = standing[start]
        steps = form.at[end] - form.at[start]
        target = _shifted(position, spot, cells[start], cells[end], direction, steps)
        if target is None or targets.get(spot, target) != target:
            # the piece cannot get to its target, or two of its cells would move differently
            return None
        targets.pop(spot, None)
        targets[spot] = target  # in the order of each piece's last pair in form.carried
    for place in form.removed:
        if place in standing and targets.setdefault(standing[place], None) is not None:
            return None
    created = [(class_id, _floor(cells[place])) for place, class_id in form.created]
    after = _after(position, targets, created)
    if after is None or not _matches_pattern(position, form, cells, standing, targets, after):
        return None
    return targets, created


def _shifted(
    position: Position,
    spot: Spot,
    source: int | None,
    target: int | None,
    direction: Direction,
    steps: int,
) -> Spot | None:
    """The new place of a piece when its cell at `source` moves to `target`; None if the piece does not fit there or
    cannot pass.
    """
    board, under, piece = position.board, position.puzzle.under, position.puzzle.classes[spot[0]]
    own = under[spot]
    down, right = piece.shape[own.index(_floor(source))]
    row, column = board.at(_floor(target))
    anchor = board.cell(row - down, column - right)
    cells = () if anchor is None else under[piece.id, anchor]
    if anchor is None or not cells or not piece.cells.issuperset(cells):
        return None
    if board.exits and direction.offset != (0, 0):
        first, last = (own, cells) if steps > 0 else (cells, own)
        for here, there in zip(first, last, strict=True):
            cell: int | None = here
            for _ in range(abs(steps)):
                cell = None if cell is None else board.step(cell, direction.offset)
            if cell != there:
                return None
    return (piece.id, anchor)


def _after(
    position: Position, targets: Mapping[Spot, Spot | None], created: Sequence[Spot]
) -> dict[tuple[int, int], Spot] | None:
    """The piece on each cell and layer after the move, identified by its place before the move; None if there is no
    room.
    """
    classes, under = position.puzzle.classes, position.puzzle.under
    arriving = [(spot, target) for spot, target in targets.items() if target is not None]
    after: dict[tuple[int, int], Spot] = {}
    for spot, target in (*arriving, *((spot, spot) for spot in created)):
        layer = classes[target[0]].layer
        if not classes[target[0]].cells.issuperset(under[target]):
            return None
        for cell in under[target]:
            other = position.layers[layer].get(cell)
            if (layer, cell) in after or (other is not None and other not in targets):
                return None
            after[layer, cell] = spot
    return after


def _matches_pattern(
    position: Position,
    form: Form,
    cells: Sequence[int | None],
    standing: Mapping[int, Spot],
    targets: Mapping[Spot, Spot | None],
    after: Mapping[tuple[int, int], Spot],
) -> bool:
    """Whether every place has the contents that the form requires after the move."""
    wanted: dict[int, Spot | None] = dict(standing)
    wanted.update((start, None) for start, _ in form.carried)
    wanted.update((place, None) for place in form.removed)
    wanted.update((end, standing[start]) for start, end in form.carried)
    wanted.update((place, (class_id, _floor(cells[place]))) for place, class_id in form.created)
    for place, (element, cell) in enumerate(zip(form.elements, cells, strict=True)):
        if cell is None or cell in position.board.walls or "_" in element.words:
            continue
        before = position.layers[element.layer].get(cell)
        remaining = None if before in targets else before
        if after.get((element.layer, cell), remaining) != wanted.get(place):
            return False
    return True


def _floor(cell: int | None) -> int:
    assert cell is not None  # such a place is a floor cell
    return cell

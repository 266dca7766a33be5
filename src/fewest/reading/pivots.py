"""Reads a pivot: the pieces that turn, the centres of the turns, and the shapes of the turned pieces."""

from __future__ import annotations

from collections.abc import Iterator

from fewest.model.board import HEXAGONAL, TRIANGULAR, Shape
from fewest.model.rules import CLOCKWISE, COUNTERCLOCKWISE, Pivot
from fewest.reading.context import Context, Path
from fewest.reading.direction_expressions import read_turns
from fewest.reading.document import MoveEntry
from fewest.reading.guard import read_guard
from fewest.reading.slides import piece_words

_SENSES = {
    "clockwise": (CLOCKWISE,),
    "counterclockwise": (COUNTERCLOCKWISE,),
    "both": (CLOCKWISE, COUNTERCLOCKWISE),
}


def read_pivot(context: Context, name: str, move: MoveEntry, path: Path) -> Pivot | None:
    """The rule that a `pivot` defines; None if a mistake was reported."""
    assert move.pivot is not None
    here = (*path, "pivot")
    words = piece_words(context, here, move.pivot)
    for word in words or ():
        context.warn_of_parts(here, word)
    guard = read_guard(context, move, path)
    board = context.board
    assert board is not None, "a rule of pieces needs a board"
    has_levels = context.document.levels is not None
    if (
        has_levels
        or board.wraps_rows
        or board.wraps_columns
        or board.nodes
        or board.geometry in (*HEXAGONAL, *TRIANGULAR)
    ):
        message = "`pivot` is allowed only on a flat board of square cells that does not wrap"
        context.error(here, "move-key-unused", message)
        return None
    raw = "both" if move.directions is None else move.directions
    place, what = (*path, "directions"), "direction of a pivot"
    headed = read_turns(context, place, raw, guard, _SENSES, what)
    if headed is None:
        return None
    about = _about(context, move, (*path, "about"))
    if words is None or (about is None and move.about not in (None, "own")):
        return None
    is_covered = isinstance(move.about, str)
    guard, senses = headed.guard, headed.directions
    return Pivot(name, guard, words, senses, about, is_covered, move.swept != "any")


def _about(context: Context, move: MoveEntry, path: Path) -> frozenset[int] | None:
    """The centres of the turns; None if all cells of a piece are centres, or if a mistake was reported."""
    raw, board = move.about, context.board
    assert board is not None
    if raw is None or raw == "own":
        return None
    if isinstance(raw, str):
        return context.terrain(path, raw)
    cells: set[int] = set()
    for index, (row, column) in enumerate(raw):
        cell = board.cell(row, column)
        if cell is None:
            message = f"({row}, {column}) is outside the board"
            context.error((*path, index), "cycle-cell", message)
            return None
        cells.add(cell)
    return frozenset(cells)


def rotated_shapes(context: Context, kind: str, label: str | None, shape: Shape) -> Iterator[Shape]:
    """The other shapes of a piece, turned by 90°, 180° and 270°; empty if no rule turns the piece."""
    known = (kind, label, context.family_of(kind), "any")
    if not any(word in known for word in _words_of_pivots(context)):
        return
    seen = {shape}
    for _ in range(3):
        height = 1 + max(down for down, _ in shape)
        shape = tuple(sorted((right, height - 1 - down) for down, right in shape))
        if shape not in seen:
            seen.add(shape)
            yield shape


def _words_of_pivots(context: Context) -> set[str]:
    """The kinds and letters that rules turn."""
    moves = (context.document.moves or {}).values()
    words = {word.strip() for move in moves for word in (move.pivot or "").split("|")} - {""}
    return {context.aliases.get(word, word) for word in words}

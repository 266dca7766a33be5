"""Reads a `together` rule, in which one command moves all pieces of a kind."""

from __future__ import annotations

from fewest.model.board import TRIANGULAR
from fewest.model.rules import Guard, Slide, Together
from fewest.reading.context import Context, Path
from fewest.reading.direction_expressions import directed
from fewest.reading.document import MoveEntry
from fewest.reading.guard import read_guard
from fewest.reading.slides import own_kinds, piece_words, read_pushing


def read_together(context: Context, name: str, move: MoveEntry, path: Path) -> Together | None:
    """The rule that a `together` defines; None if a mistake was reported."""
    assert move.together is not None
    here = (*path, "together")
    words = piece_words(context, here, move.together)
    for word in words or ():
        context.warn_of_parts(here, word)
    guard = read_guard(context, move, path)
    guard, directions = directed(context, (*path, "directions"), move.directions, guard)
    carries, sticky = read_pushing(context, move, path)
    assert context.board is not None, "a rule of pieces needs a board"
    if not _is_plain(context):
        message = "`together` is not allowed on a board that wraps, on a graph, or with portals"
        context.error(here, "move-key-unused", message)
        return None
    if words is None or carries is None or sticky is None:
        return None
    bare = Guard(({},), ())
    own = own_kinds(context, move, (*words, *carries))
    slide = Slide(name, bare, words, None, carries=carries, sticky=sticky, most=move.most, own=own)
    allowed = context.board.directions if directions is None else directions
    return Together(name, guard, slide, allowed, move.distance == "blocked")


def _is_plain(context: Context) -> bool:
    """Whether every exit of the board leads to the adjacent cell or is missing; on boards of triangles, exits along
    strips are also allowed.
    """
    board = context.board
    assert board is not None
    if board.wraps_rows or board.wraps_columns or board.nodes:
        return False
    if board.geometry in TRIANGULAR:
        return True
    return all(
        there is None or board.at(there) == (board.at(cell)[0] + down, board.at(cell)[1] + right)
        for (cell, (down, right)), there in board.exits.items()
    )

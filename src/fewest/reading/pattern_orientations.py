"""The orientations of a pattern: rotations of a rectangle, directions of a line, and paths of a graph."""

from __future__ import annotations

from fewest.model.board import GRAPH, HEXAGONAL, TRIANGULAR, Direction, Offset
from fewest.model.rules import Guard, Orientation
from fewest.reading.context import Context, Path
from fewest.reading.direction_expressions import directed
from fewest.reading.document import MoveEntry
from fewest.reading.graph import paths

Rows = list[list[str]]


def rectangle_orientations(
    context: Context, move: MoveEntry, path: Path, before: Rows
) -> tuple[Orientation, ...] | None:
    """The orientations of a rectangle: the drawn orientation, and rotated orientations if the rule allows them;
    None if a mistake was reported.
    """
    assert context.board is not None
    if context.board.geometry == GRAPH:
        message = "a rectangle is not allowed on a graph"
        hint = "write a line, which follows the paths of the graph"
        context.error((*path, "before"), "pattern-length", message, hint=hint)
        return None
    if context.board.geometry in TRIANGULAR:
        message = "a rectangle is not allowed on a triangular board"
        hint = "write a line with `directions: strips`"
        context.error((*path, "before"), "pattern-length", message, hint=hint)
        return None
    if move.directions is not None:
        context.error(
            (*path, "directions"),
            "move-key-unused",
            "`directions` has no effect on a rectangle",
            hint="write `rotations: true` to allow rotations",
        )
        return None
    places = [(r, c) for r, row in enumerate(before) for c in range(len(row))]
    found: dict[tuple[Offset, ...], Orientation] = {}
    geometry = context.board.geometry
    num_turns = 6 if geometry in HEXAGONAL else 4
    for turn in range(num_turns if move.rotations else 1):
        name = "as drawn" if turn == 0 else f"turned {turn * 360 // num_turns}°"
        found.setdefault(
            tuple(places), Orientation(Direction((0, 0), name, "▦"), offsets=tuple(places))
        )
        places = [_turned(place, geometry) for place in places]
    return tuple(found.values())


def _turned(place: Offset, geometry: str) -> Offset:
    """The offset after a clockwise turn by 90°; on a hexagonal board, where the rows are drawn shifted, by 60°."""
    row, column = place
    if geometry == "hex-right":
        return row + column, -row
    return column, column - row if geometry == "hex-left" else -row


def line_directions(
    context: Context, move: MoveEntry, path: Path, guard: Guard
) -> tuple[Guard, tuple[Direction, ...] | None]:
    """The guard with the directions of its bindings, and the directions along which the pattern is a line; None if a
    mistake was reported.
    """
    if move.rotations is not None:
        context.error(
            (*path, "rotations"),
            "move-key-unused",
            "`rotations` has no effect on a line",
            hint="use `directions`",
        )
    if move.directions is not None:
        return directed(context, (*path, "directions"), move.directions, guard)
    board = context.board
    assert board is not None
    is_longer = len(move.before or ()) > 2 or "..." in str(move.before)
    # each path follows edges of one kind, even if all kinds are possible
    if board.kinds and is_longer:
        return guard, tuple(each for of_kind in board.kinds.values() for each in of_kind)
    return guard, board.directions


def path_orientations(
    context: Context, path: Path, directions: tuple[Direction, ...], longest: int
) -> tuple[Orientation, ...]:
    """The paths of a graph as orientations; for a line of one place, every node is a path."""
    found = paths(context, path, directions, longest)
    alone = Orientation(directions[0]) if directions else None
    lines = tuple(
        Orientation(each[-1], tuple(direction.offset for direction in each)) for each in found
    )
    return lines if alone is None else (alone, *lines)


def line_orientations(directions: tuple[Direction, ...], length: int) -> tuple[Orientation, ...]:
    """The orientations of a line of this length, one for each direction."""
    return tuple(Orientation(d, steps=(d.offset,) * (length - 1)) for d in directions)

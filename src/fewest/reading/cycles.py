"""Reading a cycle: its rings, cell by cell."""

from __future__ import annotations

from fewest.model.board import Direction
from fewest.model.rules import BACKWARD, FORWARD, Cycle, Ring
from fewest.reading.context import Context, Path
from fewest.reading.document import MoveEntry
from fewest.reading.guard import read_guard


def read_cycle(
    context: Context, name: str, move: MoveEntry, path: Path, first_ring: int
) -> Cycle | None:
    """The rule of a `cycle`, mistakes reported; rings are numbered from `first_ring` on."""
    assert move.cycle is not None and context.board is not None
    guard = read_guard(context, move, path)
    rings: list[Ring] = []
    here = (*path, "cycle")
    for names in guard.bindings:
        cells: list[int] = []
        for index, (row_text, column_text) in enumerate(move.cycle):
            row = context.integer((*here, index, 0), row_text, names)
            column = context.integer((*here, index, 1), column_text, names)
            if row is None or column is None:
                return None
            cell = context.board.cell(row, column)
            if cell is None or cell in context.board.walls:
                what = "outside the board" if cell is None else "a wall"
                context.error((*here, index), "cycle-cell", f"({row}, {column}) is {what}")
                return None
            cells.append(cell)
        if len(cells) < 2 or len(set(cells)) < len(cells):
            context.error(here, "cycle-cell", "a ring has at least two cells, each of them once")
            return None
        rings.append(Ring(first_ring + len(rings), tuple(cells), names))
    turns: tuple[Direction, ...] = (FORWARD, BACKWARD)
    if move.directions is not None:
        chosen = {"forward": (FORWARD,), "backward": (BACKWARD,), "both": turns}.get(
            str(move.directions)
        )
        if chosen is None:
            context.unknown(
                (*path, "directions"),
                "unknown-direction",
                "direction of a ring",
                str(move.directions),
                ["forward", "backward", "both"],
            )
            return None
        turns = chosen
    return Cycle(name, guard, tuple(rings), turns)

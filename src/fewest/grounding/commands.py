"""Commands to all pieces of a kind. A command determines the direction of each piece and the order in which the pieces
move, and has two hidden facts.

One fact is true while the command is pending. The other fact is true once some piece has obeyed the command. Both facts
are false in every state of the search, so no position shows them.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from fewest.model.board import HEXAGONAL, Board, Direction, direction_of
from fewest.model.rules import Slide, Together

# the order in which pieces move: first the pieces without a mirror, then those with each of these mirrors
MIRRORS = (None, "columns", "rows", "both")


class Command(Struct, frozen=True):
    """A command in one direction. The fact `given` is true while the command is pending, and the fact `moved` once some
    piece has obeyed it.
    """

    rule: Together
    direction: Direction
    given: int
    moved: int

    def slide_of(self, board: Board, mirror: str | None) -> Slide:
        """The slide that a piece with this mirror makes."""
        return slide_in(self.rule, self.direction, mirror, board)

    def cells_of(self, board: Board, mirror: str | None) -> list[int]:
        """All cells, in the order in which pieces with this mirror move: the cell that is furthest in the direction of
        these pieces comes first. Each piece moves when its first cell in this order is reached.
        """
        down, right = _mirrored(self.direction, mirror, board).offset
        at = [board.at(cell) for cell in range(board.num_cells)]
        return sorted(range(len(at)), key=lambda c: (-at[c][0] * down - at[c][1] * right, c))


def slide_in(rule: Together, direction: Direction, mirror: str | None, board: Board) -> Slide:
    """The slide that a piece with this mirror makes for a command in a direction."""
    return replace(rule.slide, directions=(_mirrored(direction, mirror, board),))


def _mirrored(direction: Direction, mirror: str | None, board: Board) -> Direction:
    if direction.name in ("above", "below"):  # these lead to other levels
        return direction
    down, right = direction.offset
    if mirror in ("columns", "both"):
        right = -right - _lean(board) * down
    if mirror in ("rows", "both"):
        right += _lean(board) * down
        down = -down
    return direction_of((down, right))


def _lean(board: Board) -> int:
    """Twice the number of cells by which a row is further to the right than the row above it."""
    return 0 if board.geometry not in HEXAGONAL else 1 if board.geometry == "hex-right" else -1

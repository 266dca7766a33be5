"""Common moves: many pieces slide at once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from tests.independent.boards.board import GRAPH, Direction, Plane
from tests.independent.boards.directions import ALONG, directions_of
from tests.independent.boards.edges import Cell
from tests.independent.boards.failures import Rejected, Unsupported
from tests.independent.boards.fits import Fit, Rule
from tests.independent.boards.game import Game
from tests.independent.boards.headings import OFFSETS, WORDS
from tests.independent.boards.slides import Taking, own_directions, taken, taking
from tests.independent.boards.state import State


def tilts(game: Game, rule: Rule, state: State, binding: dict[str, Any]) -> Iterator[Fit]:
    """The common moves of a rule in a position, for one binding."""
    plane = game.board.plane
    if game.board.edges.portals or plane.wraps or plane.geometry == GRAPH:
        raise Rejected("`together` on a board without an edge in every direction")
    takes = taking(game, rule)
    distance = str(rule.keys.get("distance", "1"))
    if distance not in ("1", "blocked"):
        raise Unsupported("the distance")
    directions = directions_of(plane, rule.keys.get("directions"), game.scope(state, binding))
    for number, direction in enumerate(directions):
        if direction == ALONG:
            raise Unsupported("`along` in a common move")
        now, is_moved = _round(game, rule, state, direction, takes)
        if not is_moved:
            continue
        seen = {state, now}
        is_endless = False
        while distance == "blocked" and is_moved and not is_endless:
            now, is_moved = _round(game, rule, now, direction, takes)
            is_endless = is_moved and now in seen
            seen.add(now)
        if is_endless:
            continue
        yield Fit(now, None, (number,), direction, None, is_command=True)


def _round(
    game: Game, rule: Rule, state: State, direction: Direction, takes: Taking
) -> tuple[State, bool]:
    """The position after every piece has moved by one cell, if it can."""
    fits = game.matcher(rule.keys["together"])
    layers = sorted({piece.layer for piece in state.pieces})
    is_moved = False
    for mirror in (None, "columns", "rows", "both"):
        own = _mirrored(game.board.plane, mirror, direction)
        cells = game.board.plane.cells()
        cells.sort(key=lambda cell: (_behind(cell, own), cell))
        for cell, layer in product(cells, layers):
            piece = state.at.get((cell, layer))
            if piece is None or not fits(piece) or game.kinds[piece.kind].mirror != mirror:
                continue
            foremost = min(piece.cells, key=lambda each: (_behind(each, own), each))
            if foremost != cell or own not in own_directions(game, [own], piece):
                continue
            moved = taken(game, state, piece, own, takes)
            if moved:
                new = [old.moved(place) for old, place in moved.items()]
                after = state.replacing(set(moved), new)
                if after is not None:
                    state, is_moved = after, True
    return state, is_moved


def _behind(cell: Cell, direction: Direction) -> int:
    """The number is least for the foremost cell in a direction."""
    if direction in ("above", "below"):
        return cell[0] if direction == "above" else -cell[0]
    down, right = OFFSETS[direction] if isinstance(direction, str) else direction
    return -cell[0] * down - cell[1] * right


def _mirrored(plane: Plane, mirror: str | None, direction: Direction) -> Direction:
    if mirror is None or direction in ("above", "below"):
        return direction
    down, right = OFFSETS[direction] if isinstance(direction, str) else direction
    # Twice the distance to the right, because each row of a hexagonal board is shifted by half a cell.
    shift = {"hex-right": 1, "hex-left": -1}.get(plane.geometry, 0)
    across = 2 * right + shift * down
    if mirror in ("rows", "both"):
        down = -down
    if mirror in ("columns", "both"):
        across = -across
    found = down, (across - shift * down) // 2
    return WORDS[found] if isinstance(direction, str) else found

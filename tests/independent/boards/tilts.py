"""Common moves: many pieces slide at once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from tests.independent.boards.edges import Cell
from tests.independent.boards.failures import Rejected, Unsupported
from tests.independent.boards.fits import Fit, Rule
from tests.independent.boards.game import Game
from tests.independent.boards.headings import Offset
from tests.independent.boards.slides import Taking, own_ways, taken, taking
from tests.independent.boards.state import State
from tests.independent.boards.ways import ways_of


def tilts(game: Game, rule: Rule, state: State, binding: dict[str, Any]) -> Iterator[Fit]:
    """The common moves of a rule in a position, for one binding."""
    if game.board.edges.portals:
        raise Rejected("`together` on a board with portals")
    takes = taking(game, rule)
    distance = str(rule.keys.get("distance", "1"))
    if distance not in ("1", "blocked"):
        raise Unsupported("the distance")
    for number, way in enumerate(ways_of(rule.keys.get("directions"), game.scope(state, binding))):
        if isinstance(way, str):
            raise Unsupported("`along` in a common move")
        now, is_moved = _round(game, rule, state, way, takes)
        if not is_moved:
            continue
        seen = {state, now}
        is_endless = False
        while distance == "blocked" and is_moved and not is_endless:
            now, is_moved = _round(game, rule, now, way, takes)
            is_endless = is_moved and now in seen
            seen.add(now)
        if is_endless:
            continue
        yield Fit(now, None, (number,), way, None, is_command=True)


def _round(game: Game, rule: Rule, state: State, way: Offset, takes: Taking) -> tuple[State, bool]:
    """The position after every piece has moved by one cell, if it can."""
    fits = game.matcher(rule.keys["together"])
    layers = sorted({piece.layer for piece in state.pieces})
    is_moved = False
    for mirror in (None, "columns", "rows", "both"):
        own = _mirrored(mirror, way)
        cells = [(r, c) for r in range(game.board.height) for c in range(game.board.width)]
        cells.sort(key=lambda cell: (_behind(cell, own), cell))
        for cell, layer in product(cells, layers):
            piece = state.at.get((cell, layer))
            if piece is None or not fits(piece) or game.kinds[piece.kind].mirror != mirror:
                continue
            foremost = min(piece.cells, key=lambda each: (_behind(each, own), each))
            if foremost != cell or own not in own_ways(game, [own], piece):
                continue
            moved = taken(game, state, piece, own, takes)
            if moved:
                new = [old.moved(place) for old, place in moved.items()]
                after = state.replacing(set(moved), new)
                if after is not None:
                    state, is_moved = after, True
    return state, is_moved


def _behind(cell: Cell, way: Offset) -> int:
    """The number is least for the foremost cell in a direction."""
    return -cell[0] * way[0] - cell[1] * way[1]


def _mirrored(mirror: str | None, way: Offset) -> Offset:
    rows = -1 if mirror in ("rows", "both") else 1
    columns = -1 if mirror in ("columns", "both") else 1
    return way[0] * rows, way[1] * columns

"""Common moves: many pieces slide at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.independent.boards.edges import Cell
from tests.independent.boards.failures import Rejected, Unsupported
from tests.independent.boards.fits import Fit, Rule
from tests.independent.boards.game import Game
from tests.independent.boards.headings import Offset
from tests.independent.boards.slides import Taking, own_ways, taken, taking
from tests.independent.boards.state import Piece, State
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
        while distance == "blocked" and is_moved:
            now, is_moved = _round(game, rule, now, way, takes)
            if is_moved and now in seen:
                raise Unsupported("a common move that never ends")
            seen.add(now)
        yield Fit(now, None, (number,), way, None, is_command=True)


def _round(game: Game, rule: Rule, state: State, way: Offset, takes: Taking) -> tuple[State, bool]:
    """The position after every piece has moved by one cell, if it can."""
    fits = game.matcher(rule.keys["together"])
    movers = [piece for piece in state.pieces if fits(piece)]
    queue: list[Piece] = []
    for mirror in (None, "columns", "rows", "both"):
        alike = [piece for piece in movers if game.kinds[piece.kind].mirror == mirror]
        queue += sorted(alike, key=lambda piece: _turn(piece, _mirrored(game, piece, way)))
    return _all_moved(game, state, way, takes, queue)


def _turn(piece: Piece, way: Offset) -> tuple[int, Cell, int]:
    """The foremost piece is first; of pieces that are equally far forward, the first one in reading order."""
    distance, cell = min((-r * way[0] - c * way[1], (r, c)) for r, c in piece.cells)
    return distance, cell, piece.layer


def _mirrored(game: Game, piece: Piece, way: Offset) -> Offset:
    mirror = game.kinds[piece.kind].mirror
    rows = -1 if mirror in ("rows", "both") else 1
    columns = -1 if mirror in ("columns", "both") else 1
    return way[0] * rows, way[1] * columns


def _all_moved(
    game: Game, state: State, way: Offset, takes: Taking, queue: list[Piece]
) -> tuple[State, bool]:
    waiting = list(queue)
    is_moved = False
    places = {piece: piece for piece in queue}
    carried: set[Piece] = set()
    for first in waiting:
        piece = places[first]
        if first in carried:
            raise Unsupported("a piece that moves by itself and with another piece")
        own = _mirrored(game, piece, way)
        if own not in own_ways(game, [own], piece):
            continue
        moved = taken(game, state, piece, own, takes)
        if not moved:
            continue
        after = state.replacing(set(moved), [old.moved(new) for old, new in moved.items()])
        if after is None:
            continue
        is_moved = True
        for other, place in list(places.items()):
            if place in moved:
                places[other] = place.moved(moved[place])
                if other != first and waiting.index(other) > waiting.index(first):
                    carried.add(other)
        state = after
    return state, is_moved

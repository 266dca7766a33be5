"""The forms of goals and of `forbid`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.independent.boards.drawings import drawing
from tests.independent.boards.edges import split_drawing
from tests.independent.boards.expressions import evaluate, truth
from tests.independent.boards.failures import NoValue, Rejected, Unsupported
from tests.independent.boards.game import Game
from tests.independent.boards.state import Piece, State

_PLACES = ("on", "at", "touches", "covers")


def holds(game: Game, given: Any, state: State) -> bool:
    """Whether a goal holds in a position."""
    if isinstance(given, list):
        return any(holds(game, each, state) for each in given)
    if isinstance(given, str):
        try:
            return truth(given, game.scope(state, {}))
        except NoValue as error:
            raise Rejected(f"a condition without a value: {error}") from None
    if not isinstance(given, dict):
        raise Unsupported("the form of a goal")
    if "every" in given or "some" in given:
        return _quantified(game, given, state)
    return all(_holds_for(game, key, value, state) for key, value in given.items())


def _holds_for(game: Game, key: str, value: Any, state: State) -> bool:
    if key == "all":
        if not isinstance(value, list):
            raise Unsupported("the form of `all`")
        return all(holds(game, each, state) for each in value)
    if key == "any":
        return any(holds(game, each, state) for each in value)
    if key == "count":
        return all(_counted(game, name, number, state) for name, number in value.items())
    if key == "board":
        return _is_drawn(game, value, state)
    is_such = _named(game, key)
    return any(_is_placed(game, piece, value, state) for piece in state.pieces if is_such(piece))


def _counted(game: Game, name: str, number: Any, state: State) -> bool:
    is_such = _named(game, name)
    found = sum(1 for piece in state.pieces if is_such(piece))
    return bool(found == evaluate(number, game.scope(state, {})))


def _named(game: Game, name: str) -> Callable[[Piece], bool]:
    """Whether a piece is one of those that a letter, a kind, or a character of the legend stands for."""
    if game.is_piece_word(name):
        return game.matcher(name)
    if name in game.legend.given:
        meaning = game.legend.meaning(name)
        if len(meaning.pieces) == 1 and meaning.pieces[0][1] is None:
            kind = meaning.pieces[0][0]
            return lambda piece: piece.kind == kind
    raise Unsupported(f"the goal's word {name}")


def _quantified(game: Game, given: dict[str, Any], state: State) -> bool:
    keys = set(given) - {"every", "some"}
    word = "every" if "every" in given else "some"
    if ("every" in given and "some" in given) or len(keys) != 1:
        raise Unsupported("the keys of a goal with `every` or `some`")
    name = given[word]
    if keys == {"holds"}:
        if word == "some":
            raise Unsupported("`some` with `holds`")
        fits = _named(game, given["holds"])
        cells = [cell for cell in game.board.floor if game.board.is_on(cell, name)]
        if not cells:
            raise Unsupported("a terrain without cells")
        filled = {cell for piece in state.pieces if fits(piece) for cell in piece.cells}
        return filled >= set(cells)
    is_such = _named(game, name)
    place = {key: given[key] for key in keys}
    found = [_is_placed(game, piece, place, state) for piece in state.pieces if is_such(piece)]
    return all(found) if word == "every" else any(found)


def _is_placed(game: Game, piece: Piece, place: Any, state: State) -> bool:
    if not isinstance(place, dict) or not place or set(place) - set(_PLACES):
        raise Unsupported("the place in a goal")
    return all(_is_there(game, piece, key, value, state) for key, value in place.items())


def _is_there(game: Game, piece: Piece, key: str, value: Any, state: State) -> bool:
    board = game.board
    if key == "at":
        node = board.plane.nodes.get(value) if isinstance(value, str) else None
        return game.corner(piece) == (node or tuple(evaluate(value, game.scope(state, {}))))
    if key == "on":
        return all(board.is_on(cell, value) for cell in piece.cells)
    if key == "covers":
        cells = {cell for cell in board.floor if board.is_on(cell, value)}
        if not cells:
            raise Unsupported("a terrain without cells")
        return piece.cells >= cells
    rows = {r for r, _ in piece.cells}
    columns = {c for _, c in piece.cells}
    found = {
        "left": 0 in columns,
        "right": board.width - 1 in columns,
        "top": 0 in rows,
        "bottom": board.height - 1 in rows,
    }
    if value not in found:
        raise Unsupported(f"touches: {value}")
    return found[value]


def _is_drawn(game: Game, given: Any, state: State) -> bool:
    """Whether the pieces are as drawn; `?` stands for any content."""
    rows = drawing(given, game.scope(state, {}))
    board = game.board
    if len(rows) == 2 * board.height + 1 and len(rows[0]) == 2 * board.width + 1:
        cells, _ = split_drawing(["".join(row) for row in rows], board.plane)
        rows = [list(row) for row in cells]
    if len(rows) != board.height or len(rows[0]) != board.width:
        raise Rejected("a drawing of another size")
    found = True
    for r, row in enumerate(rows):
        for c, token in enumerate(row):
            if token == "?" or not board.contains((r, c)):
                continue
            meaning = game.legend.meaning(token)
            if meaning.is_wall is ((r, c) in board.floor):
                raise Unsupported("a goal with other walls")
            here = {piece for (cell, _), piece in state.at.items() if cell == (r, c)}
            if {(p.kind, p.letter) for p in here} != set(meaning.pieces):
                found = False
    return found

"""Slides of one piece, and of the pieces that it takes along."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.independent.boards.board import GRAPH, Direction
from tests.independent.boards.directions import directions_for, directions_of
from tests.independent.boards.edges import Cell
from tests.independent.boards.failures import Rejected, Unsupported
from tests.independent.boards.fits import Change, Fit, Rule
from tests.independent.boards.game import Game
from tests.independent.boards.state import Piece, State
from tests.independent.boards.words import as_list, word


class Taking(NamedTuple):
    """Which other pieces a slide by one cell takes along."""

    carries: Callable[[Piece], bool] | None
    sticks: Callable[[Piece, Piece], bool] | None
    most: int | None


def taking(game: Game, rule: Rule) -> Taking:
    """What the keys `carries`, `sticky` and `most` of a rule say."""
    carried, sticky, most = (rule.keys.get(key) for key in ("carries", "sticky", "most"))
    carries = None if carried is None else game.matcher("|".join(as_list(carried)))
    sticks: Callable[[Piece, Piece], bool] | None = None
    if sticky == "own":

        def sticks(one: Piece, other: Piece) -> bool:
            return one.kind == other.kind

    elif sticky is not None:
        sticky_words = game.matcher("|".join(as_list(sticky)))

        def sticks(one: Piece, other: Piece) -> bool:
            return sticky_words(other)

    number = word(most)
    if number is not None and not isinstance(number, int):
        raise Unsupported("`most` as an expression")
    return Taking(carries, sticks, number)


def slides(game: Game, rule: Rule, state: State, binding: dict[str, object]) -> Iterator[Fit]:
    """The slides of a rule in a position, for one binding."""
    keys = rule.keys
    directions = directions_of(game.board.plane, keys.get("directions"), game.scope(state, binding))
    takes = taking(game, rule)
    distance = str(keys.get("distance", "1"))
    if distance not in ("1", "blocked"):
        raise Unsupported("the distance")
    is_far = distance == "blocked"
    if is_far and takes != Taking(None, None, None):
        raise Unsupported("a far slide that takes pieces along")
    if not is_far and (keys.get("over") is not None or keys.get("stopped-by") is not None):
        raise Unsupported("`over` or `stopped-by` of a slide by one cell")
    fits = game.matcher(keys["slide"])
    for piece in state.pieces:
        if not fits(piece):
            continue
        for number, direction in enumerate(
            own_directions(game, directions, piece, "directions" in keys)
        ):
            if game.board.plane.geometry == GRAPH:
                if is_far or takes != Taking(None, None, None):
                    raise Rejected("a far slide, or a slide that takes pieces along, on a graph")
                yield from _along_edges(
                    game, state, piece, direction, number if "directions" in keys else 0
                )
                continue
            if is_far:
                cells = _far(
                    game, state, piece, direction, keys.get("over"), as_list(keys.get("stopped-by"))
                )
                moved = {} if cells is None else {piece: cells}
            else:
                moved = taken(game, state, piece, direction, takes)
            if not moved:
                continue
            new = tuple(old.moved(cells) for old, cells in moved.items())
            target = state.replacing(set(moved), list(new))
            if target is None:
                continue
            change = Change(
                frozenset(moved), frozenset(moved), new, dict(zip(moved, new, strict=True))
            )
            after = piece.moved(moved[piece])
            order = (number, piece.layer, *min(piece.cells))
            yield Fit(target, game.corner(piece), order, direction, piece, after, change)


def _along_edges(
    game: Game, state: State, piece: Piece, direction: Direction, number: int
) -> Iterator[Fit]:
    """The slides along the edges of one kind."""
    (cell,) = piece.cells
    for end in game.board.steps(cell, direction):
        if not game.may_enter(piece, end) or (end, piece.layer) in state.at:
            continue
        after = piece.moved(frozenset({end}))
        target = state.replacing({piece}, [after])
        if target is not None:
            change = Change(frozenset({piece}), frozenset({piece}), (after,), {piece: after})
            order = (number, *game.board.plane.node_order([end]), piece.layer)
            yield Fit(target, cell, order, (direction, end), piece, after, change)


def own_directions(
    game: Game, directions: list[Direction], piece: Piece, is_limited: bool = True
) -> list[Direction]:
    """The directions of a rule in which the kind of the piece may slide."""
    given = game.kinds[piece.kind].directions
    found = directions_for(game.board.plane, directions, piece)
    if given is None:
        return found
    allowed = directions_for(
        game.board.plane, directions_of(game.board.plane, given, game.plain_scope), piece
    )
    # A rule without directions allows all directions of the kind.
    return [direction for direction in found if direction in allowed] if is_limited else allowed


def stepped(game: Game, piece: Piece, direction: Direction) -> frozenset[Cell] | None:
    """The cells of a piece after a step, whether or not they are free; None if it cannot pass as a whole."""
    cells = []
    for cell in piece.cells:
        end = game.board.step(cell, direction)
        if end is None:
            return None
        if end == cell:
            return None  # a portal leads back to the cell, so the piece does not move
        shift = game.board.plane.inside((end[0] - cell[0], end[1] - cell[1]))
        cells.append((*shift, end))
    if len({each[:2] for each in cells}) != 1:
        if not game.board.edges.portals:
            raise AssertionError("only portals change a step")
        return None
    found = frozenset(end for _, _, end in cells)
    return found if game.board.is_whole(found) else None


def taken(
    game: Game, state: State, first: Piece, direction: Direction, takes: Taking
) -> dict[Piece, frozenset[Cell]] | None:
    """The new cells of all pieces that a step of the first one moves; None if it cannot move."""
    moved: dict[Piece, frozenset[Cell]] = {}
    waiting = [first]
    while waiting:
        piece = waiting.pop()
        if piece in moved:
            continue
        cells = stepped(game, piece, direction)
        if cells is None or not all(game.may_enter(piece, cell) for cell in cells):
            return None
        moved[piece] = cells
        for cell in cells:
            other = state.at.get((cell, piece.layer))
            if other is None or other in moved:
                continue
            if takes.carries is None or not takes.carries(other):
                # A sticky piece may still move away.
                if takes.sticks is None:
                    return None
                continue
            waiting.append(other)
        if takes.sticks is not None:
            waiting += _touching(game, state, piece, takes.sticks)
    if takes.most is not None and len(moved) - 1 > takes.most:
        return None
    for piece, cells in moved.items():
        for cell in cells:
            other = state.at.get((cell, piece.layer))
            if other is not None and other not in moved:
                return None
    return moved


def _touching(
    game: Game, state: State, piece: Piece, sticks: Callable[[Piece, Piece], bool]
) -> list[Piece]:
    found = []
    for cell in piece.cells:
        for direction in game.board.plane.sides:
            near = game.board.step(cell, direction)
            other = None if near is None else state.at.get((near, piece.layer))
            if other is not None and other != piece and sticks(piece, other):
                found.append(other)
    return found


def _far(
    game: Game,
    state: State,
    piece: Piece,
    direction: Direction,
    over: str | None,
    stoppers: list[str],
) -> frozenset[Cell] | None:
    """The cells where a slide ends; None if it is not allowed."""
    here = piece
    seen = {piece.cells}
    while True:
        obstacle, cells = _next(game, state, piece, here, direction)
        if cells is None:
            if stoppers and obstacle not in stoppers:
                return None
            return None if here == piece else here.cells
        here = here.moved(cells)
        if over is not None and not all(game.board.is_on(cell, over) for cell in cells):
            return cells
        if cells in seen:
            return None  # nothing ever stops the piece
        seen.add(cells)


def _next(
    game: Game, state: State, piece: Piece, here: Piece, direction: Direction
) -> tuple[str, frozenset[Cell] | None]:
    """The next cells of a slide, or the type of obstacle that stops it."""
    # A terrain that the piece may not enter counts as a wall, and a wall counts more than a piece.
    walls = pieces = 0
    for cell in here.cells:
        end = game.board.step(cell, direction)
        if end is None or not game.may_enter(piece, end):
            walls += 1
        elif state.at.get((end, piece.layer), piece) != piece:
            pieces += 1
    if walls or pieces:
        return "wall" if walls else "piece", None
    return "wall", stepped(game, here, direction)

"""Determines how detailed the text of a move must be, so that no other legal move has the same text.

If a move has a moving piece (its *mover*), the text names the move by this piece; otherwise, it names the move by the
rule and its places. If another legal move from the same position would have the same text but a different result, the
text contains more details: first the places, and then the changes that distinguish the results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from fewest.model.board import Board, is_named
from fewest.model.position import Position
from fewest.model.puzzle import Puzzle, Spot
from fewest.model.rules import Slide, Together
from fewest.playing.move import Move
from fewest.playing.rules import legal_moves

SHORT, PLACES, CHANGES = range(3)  # the levels of detail

_MOST_PLACES = 6  # the maximum number of new and vanished pieces that a short text shows


def mover(move: Move) -> tuple[Spot, Spot] | None:
    """The old and the new spot of the moving piece; None if the rule itself moves no piece."""
    return move.carrier or move.alone.carrier


def detail(origin: Position, move: Move) -> int:
    """The lowest level of detail at which the text of the move is unambiguous: no legal move from `origin` with a
    different result has the same text.
    """
    if _has_own_arrow(origin, move):
        return SHORT
    alternatives = _alternatives(origin, move)
    for level in (SHORT, PLACES):
        text = _text(origin, move, level)
        alternatives = [other for other in alternatives if _text(origin, other, level) == text]
        if not alternatives:
            return level
    return CHANGES


def _has_own_arrow(origin: Position, move: Move) -> bool:
    """Whether the arrow distinguishes the move from all other moves of the same rule and piece: the rule slides pieces
    by one cell, and the direction has a name, so no other direction has the same arrow.
    """
    rule = next((rule for rule in origin.puzzle.rules if rule.name == move.rule), None)
    return (
        isinstance(rule, Slide)
        and not rule.is_blocked
        and len(rule.guard.bindings) == 1
        and move.direction is not None
        and is_named(move.direction)
    )


def changes(origin: Position, move: Move) -> str:
    """The changes, such as `{x=2}`, that distinguish a move from the other moves with the same text and places."""
    text = _text(origin, move, PLACES)
    alternatives = [
        other for other in _alternatives(origin, move) if _text(origin, other, PLACES) == text
    ]
    own = _changes(origin, move)
    shared = set(own).intersection(*(_changes(origin, other) for other in alternatives))
    listed = [change for change in own if change not in shared]
    columns = zip(*(other.target.values for other in (move, *alternatives)), strict=True)
    for variable, values in zip(origin.puzzle.variables, columns, strict=True):
        if len(set(values)) > 1:
            listed.append(f"{variable.name}={values[0]}")
    return f"{{{'; '.join(listed or own)}}}"


def consequences(move: Move) -> str:
    """The consequences of a move, such as `(fall ×2, vanish)`; empty if the move has none."""
    if not move.then:
        return ""
    counts = Counter(move.then)
    return f"({', '.join(name if n == 1 else f'{name} ×{n}' for name, n in counts.items())})"


def places(origin: Position, move: Move, level: int) -> str:
    """The places of a move without a moving piece, such as `(1, 1) (1, 2)→(1, 3)`.

    These are the places of the pieces that the rule itself removes and creates; a short text omits them if there are
    many, or if the move is a command to several pieces. If the rule removes and creates no pieces, these are the places
    where it applies; a short text omits them for a ring, and if each piece there has a unique letter or kind.
    """
    own, board = move.alone, origin.puzzle.board
    if not own.removed and not own.created:
        cells = _matched(origin, own)
        is_omitted = own.ring is not None or _are_unique(origin, cells)
        return "" if level == SHORT and is_omitted else _listed(board, cells)
    rule = next((rule for rule in origin.puzzle.rules if rule.name == move.rule), None)
    is_long = len(own.removed) + len(own.created) > _MOST_PLACES
    if level == SHORT and (is_long or isinstance(rule, Together)):
        return ""
    gone, appeared = (
        _listed(board, {cell for _, cell in spots}) for spots in (own.removed, own.created)
    )
    return "→".join(dict.fromkeys(text for text in (gone, appeared) if text))


def _listed(board: Board | None, cells: Iterable[int]) -> str:
    return "" if board is None else " ".join(board.coordinates(cell) for cell in sorted(cells))


def _matched(origin: Position, own: Move) -> set[int]:
    """The cells with pieces at which a rule applies; if there are no such pieces, all cells of the rule."""
    cells = {cell for cell in own.cells if cell is not None}
    return {cell for cell in cells if any(cell in layer for layer in origin.layers)} or cells


def _are_unique(origin: Position, cells: set[int]) -> bool:
    """Whether these cells contain pieces and each of these pieces is the only one with its letter or kind."""
    classes = origin.puzzle.classes
    names = Counter(classes[spot[0]].label or classes[spot[0]].kind for spot in origin.pieces)
    spots = [layer[cell] for layer in origin.layers for cell in cells if cell in layer]
    return bool(spots) and all(
        names[classes[spot[0]].label or classes[spot[0]].kind] == 1 for spot in spots
    )


def _text(origin: Position, move: Move, level: int) -> str:
    """The text of a move without its subject, for comparing the move with other moves of the same rule and piece."""
    moving = mover(move)
    if moving is None:
        where = places(origin, move, level)
    else:
        where = "" if level == SHORT else origin.board.coordinates(moving[1][1])
    direction = move.shown_direction
    arrow = "" if direction is None else direction.arrow
    return " ".join((where, move.words, arrow, consequences(move)))


def _alternatives(origin: Position, move: Move) -> list[Move]:
    """The other legal moves of the same rule and piece that have the same short text but a different result."""
    moving = mover(move)
    source = None if moving is None else moving[0]
    known = _by_text(origin.puzzle, origin, move.rule, source)
    alternatives = known.get(_text(origin, move, SHORT), ())
    return [other for other in alternatives if other.target != move.target]


@lru_cache(maxsize=256)
def _by_text(
    _: Puzzle, origin: Position, rule: str, source: Spot | None
) -> Mapping[str, Sequence[Move]]:
    """The legal moves of a rule, by their short texts. If `source` is given, these are the moves of the piece there;
    otherwise, they are the moves without a mover.

    The puzzle is part of the cache key, because positions of different puzzles can be equal.
    """
    found: dict[str, list[Move]] = {}
    for move in legal_moves(origin, rule, source):
        moving = mover(move)
        if (None if moving is None else moving[0]) == source:
            found.setdefault(_text(origin, move, SHORT), []).append(move)
    return found


def _changes(origin: Position, move: Move) -> list[str]:
    """The pieces that move, vanish and appear in a move and its consequences, as texts."""
    puzzle, target = origin.puzzle, move.target

    def placed(spot: Spot) -> str:
        piece = puzzle.classes[spot[0]]
        return f"{piece.label or piece.kind} {target.board.coordinates(spot[1])}"

    out = [f"{placed(a)}→{target.board.coordinates(b[1])}" for a, b in sorted(move.moved)]
    out += [f"-{placed(spot)}" for spot in sorted(move.removed)]
    out += [f"+{placed(spot)}" for spot in sorted(move.created)]
    return out

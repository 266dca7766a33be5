"""Determines piece classes: sets of interchangeable pieces.

Pieces form one class if they have the same kind and shape and, if a rule, a condition or a terrain names the letter of
one of them, the same letter. Pieces of a kind with `interchangeable: false` have a class each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from fewest.model.board import Direction, Shape
from fewest.model.puzzle import PieceClass
from fewest.reading.clock import look
from fewest.reading.context import Context
from fewest.reading.directions import read_directions
from fewest.reading.document import TerrainEntry
from fewest.reading.drawn_pieces import DrawnPiece
from fewest.reading.layers import layer_of


def build_classes(
    context: Context, drawn: list[DrawnPiece], labels: frozenset[str]
) -> tuple[tuple[PieceClass, ...], list[int]] | None:
    """The classes, and for each drawn piece the id of its class; None if a mistake was reported.

    A kind without pieces gets a class with the kind's shape (by default, one cell), so that rules can create such
    pieces.
    """
    kinds = context.document.pieces or {}
    keys: dict[tuple[object, ...], int] = {}
    classes: list[PieceClass] = []
    class_of: list[int] = []
    for number, piece in enumerate(drawn):
        spec = kinds[piece.kind]
        label = piece.label if piece.label in labels else None
        member = number if spec is not None and not spec.interchangeable else None
        directions = _directions(context, piece.kind, piece.shape, piece.cell)
        key = (piece.kind, piece.shape, label, member)
        if key not in keys:
            keys[key] = len(classes)
            if context.board is not None and context.board.goes_round(piece.shape):
                context.error(
                    ("pieces", piece.kind),
                    "piece-round",
                    f"`{piece.label or piece.kind}` goes round the board, so it covers the same cells at several "
                    "places",
                    hint="make the piece shorter, draw a wall instead, or remove `wrap`",
                )
            classes.append(
                _class(
                    context,
                    len(classes),
                    piece.kind,
                    piece.shape,
                    directions,
                    label,
                    member,
                    piece.label,
                )
            )
            for shape in _rotated_shapes(context, piece.kind, label, piece.shape):
                _add_rotated(context, classes, keys, classes[keys[key]], shape)
        class_of.append(keys[key])
    if context.board is not None:
        known = {one.kind for one in classes}
        for kind in context.kinds:
            if kind not in known:
                shape = context.shapes.get(kind, ((0, 0),))
                classes.append(
                    _class(
                        context,
                        len(classes),
                        kind,
                        shape,
                        _directions(context, kind, shape),
                        None,
                        None,
                        None,
                    )
                )
    return None if context.report.has_errors() else (tuple(classes), class_of)


def _rotated_shapes(
    context: Context, kind: str, label: str | None, shape: Shape
) -> Iterable[Shape]:
    """The shapes that a piece can also have because rules turn pieces."""
    if all(move.pivot is None for move in (context.document.moves or {}).values()):
        return ()
    from fewest.reading.pivots import rotated_shapes

    return rotated_shapes(context, kind, label, shape)


def _add_rotated(
    context: Context,
    classes: list[PieceClass],
    keys: dict[tuple[object, ...], int],
    piece: PieceClass,
    shape: Shape,
) -> None:
    """Add the class that a piece has in a different shape, after a turn."""
    key = (piece.kind, shape, piece.label, piece.member)
    if key not in keys:
        keys[key] = len(classes)
        directions = _directions(context, piece.kind, shape)
        turned = replace(piece, shape=shape, directions=directions, turned_from=piece.family)
        classes.append(replace(turned, id=keys[key]))


def _directions(
    context: Context, kind: str, shape: Shape, cell: int | None = None
) -> tuple[Direction, ...] | None:
    """The directions of a kind for pieces of this shape; `cell` is the cell of a drawn piece, for messages."""
    spec = (context.document.pieces or {})[kind]
    if spec is None or spec.directions is None:
        return None
    return read_directions(context, ("pieces", kind, "directions"), spec.directions, shape, cell)


def _class(
    context: Context,
    class_id: int,
    kind: str,
    shape: Shape,
    directions: tuple[Direction, ...] | None,
    label: str | None,
    member: int | None,
    drawn_label: str | None,
) -> PieceClass:
    cells = _cells(context, kind, drawn_label)
    assert context.board is not None
    spec = (context.document.pieces or {})[kind]
    mirror = None if spec is None else spec.mirror
    layer = layer_of(context, kind)
    family = context.family_of(kind)
    return PieceClass(
        class_id, kind, shape, directions, cells, label, member, mirror, layer, any_colour=family
    )


def _cells(context: Context, kind: str, label: str | None) -> frozenset[int]:
    """The cells that a piece may cover, according to the `enters` of its kind and the pieces that each terrain
    allows.
    """
    look()
    board = context.board
    assert board is not None
    cells = set(board.floors)
    spec = (context.document.pieces or {})[kind]
    if spec is not None and spec.enters is not None:
        allowed: set[int] = set()
        raw = [spec.enters] if isinstance(spec.enters, str) else spec.enters
        for index, word in enumerate(raw):
            path = ("pieces", kind, "enters")
            here = path if isinstance(spec.enters, str) else (*path, index)
            allowed |= context.terrain(here, word) or frozenset()
        cells &= allowed
    terrain = context.document.terrain
    if isinstance(terrain, Mapping):
        for name, entry in terrain.items():
            given_words = entering_words(entry)
            if given_words is None:
                continue
            words = [context.piece_word(("terrain", name), word) or word for word in given_words]
            if not {kind, label, context.family_of(kind), "any"}.intersection(words):
                cells -= board.terrain[name]
    return frozenset(cells)


def entering_words(spec: str | list[str] | TerrainEntry | None) -> list[str] | None:
    """The kinds and letters that may enter a terrain; None if all pieces may enter it."""
    enters = spec.enters if isinstance(spec, TerrainEntry) else spec
    return [enters] if isinstance(enters, str) else enters

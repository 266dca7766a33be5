"""Evaluates conditions on a position."""

from __future__ import annotations

from fewest.model.conditions import (
    AllOf,
    AnyOf,
    CellsCovered,
    Condition,
    ExpressionHolds,
    PieceCount,
    PiecesAsDrawn,
    PiecesAt,
)
from fewest.model.position import Position
from fewest.playing.view import PositionView


def holds(condition: Condition, position: Position) -> bool:
    """Whether the condition holds in the position."""
    match condition:
        case CellsCovered():
            return all(_is_occupied_by(position, cell, condition.word) for cell in condition.cells)
        case PiecesAt(is_every=True):
            return all(
                anchor in condition.anchors.get(class_id, ())
                for class_id, anchor in position.pieces
                if position.puzzle.classes[class_id].answers_to(condition.word)
            )
        case PiecesAt():
            allowed = condition.anchors
            return any(
                anchor in allowed[class_id]
                for class_id, anchor in position.pieces
                if class_id in allowed
            )
        case PieceCount():
            classes = position.puzzle.classes
            return condition.number == sum(
                classes[c].answers_to(condition.word) for c, _ in position.pieces
            )
        case PiecesAsDrawn():
            standing = position.pieces
            return all(
                any((class_id, anchor) in standing for class_id in classes)
                for classes, anchor in condition.pieces
            ) and not any(cell in position.layers[layer] for cell, layer in condition.empty)
        case ExpressionHolds():
            return bool(condition.expression.evaluate(condition.names, PositionView(position)))
        case AllOf():
            return all(holds(part, position) for part in condition.parts)
        case AnyOf():
            return any(holds(part, position) for part in condition.parts)


def _is_occupied_by(position: Position, cell: int, word: str) -> bool:
    """Whether some piece on a cell matches `word`."""
    classes = position.puzzle.classes
    spots = (layer[cell] for layer in position.layers if cell in layer)
    return any(classes[class_id].answers_to(word) for class_id, _ in spots)

"""The places of static pieces, which no rule moves, removes or creates."""

from __future__ import annotations

from collections.abc import Mapping

from fewest.model.puzzle import PieceClass, Puzzle
from fewest.model.rules import Action, Cycle, Pattern, Pivot, Rule, Slide, Together


def static_placements(puzzle: Puzzle) -> Mapping[int, frozenset[int]]:
    """For each class that no rule changes, the anchors of its pieces."""
    rules = (*puzzle.rules, *puzzle.then)
    return {
        piece.id: frozenset(p.anchor for p in puzzle.pieces if p.class_id == piece.id)
        for piece in puzzle.classes
        if not any(may_change(rule, piece) for rule in rules)
    }


def may_change(rule: Rule, piece: PieceClass) -> bool:
    """Whether a rule could move, remove or create pieces of the class."""
    match rule:
        case Slide():
            return _answers(piece, (*rule.word, *rule.carries, *rule.sticky, *rule.own))
        case Together():
            return may_change(rule.slide, piece)
        case Pivot():
            return _answers(piece, rule.word)
        case Cycle():
            return piece.is_single_cell
        case Action():
            return False
        case Pattern():
            return any(
                class_id == piece.id for form in rule.forms for _, class_id in form.created
            ) or any(
                _answers(piece, form.elements[place].words) != form.elements[place].is_negated
                for form in rule.forms
                for place in form.going
            )


def _answers(piece: PieceClass, words: tuple[str, ...]) -> bool:
    return any(map(piece.answers_to, words))

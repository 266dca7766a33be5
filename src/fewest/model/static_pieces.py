"""The places of static pieces, which no rule moves, removes or creates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fewest.model.puzzle import PieceClass, Puzzle, classes_by_word
from fewest.model.rules import Action, Cycle, Pattern, Pivot, Rule, Slide, Together


def static_placements(puzzle: Puzzle) -> Mapping[int, frozenset[int]]:
    """For each class that no rule changes, the anchors of its pieces."""
    changing = changing_classes((*puzzle.rules, *puzzle.then), puzzle.classes)
    anchors: dict[int, list[int]] = {
        piece.id: [] for piece in puzzle.classes if piece.id not in changing
    }
    for piece in puzzle.pieces:
        if piece.class_id in anchors:
            anchors[piece.class_id].append(piece.anchor)
    return {class_id: frozenset(found) for class_id, found in anchors.items()}


def changing_classes(rules: Sequence[Rule], classes: Sequence[PieceClass]) -> set[int]:
    """The ids of the classes with pieces that some rule could move, remove or create."""
    found: set[int] = set()
    words: set[str] = set()
    without: set[tuple[str, ...]] = set()
    for rule in rules:
        match rule:
            case Slide():
                words.update(_words_of(rule))
            case Together():
                words.update(_words_of(rule.slide))
            case Pivot():
                words.update(rule.word)
            case Cycle() | Action():
                pass
            case Pattern():
                for form in rule.forms:
                    found.update(class_id for _, class_id in form.created)
                    for place in form.going:
                        element = form.elements[place]
                        if element.is_negated:
                            without.add(element.words)
                        else:
                            words.update(element.words)
    known = classes_by_word(classes)
    found.update(piece.id for word in words for piece in known.get(word, ()))
    for excluded in without:
        among = frozenset(excluded)
        found.update(piece.id for piece in classes if not piece.answers_to_one_of(among))
    if any(isinstance(rule, Cycle) for rule in rules):
        found.update(piece.id for piece in classes if piece.is_single_cell)
    return found


def _words_of(rule: Slide) -> Iterator[str]:
    yield from (*rule.word, *rule.carries, *rule.sticky, *rule.own)

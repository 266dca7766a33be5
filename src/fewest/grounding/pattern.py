"""Grounds patterns: one operator for each combination of pieces at each placement of the pattern."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from fewest.grounding.facts import ProvisionalFacts
from fewest.grounding.grounder import Grounder
from fewest.grounding.guard import ground_guard, words
from fewest.grounding.multi_cell import multi_cell_effects
from fewest.grounding.partial import partial
from fewest.model.board import Direction
from fewest.model.puzzle import PieceClass, Puzzle
from fewest.model.rules import Element, Form, Orientation, Pattern


def ground_pattern(rule: Pattern, grounder: Grounder) -> None:
    for form in rule.forms:
        options = _Options(rule, form, grounder)
        placements = grounder.placements(form)
        for orientation in orientations_of(rule, form):
            for cells in placements.everywhere(orientation):
                _ground_at(rule, grounder, options, orientation.direction, cells)


def orientations_of(rule: Pattern, form: Form) -> Sequence[Orientation]:
    """The orientations of a form. If the directions of the rule depend on the binding, the result contains only the
    orientations for the binding of the form.
    """
    if not rule.guard.directions_of_binding:
        return rule.orientations
    own = rule.guard.directions_of_binding[form.binding]
    return [each for each in rule.orientations if each.direction in own]


class _Options:
    """The possible contents of the places of a form, computed once per cell for all orientations."""

    def __init__(self, rule: Pattern, form: Form, grounder: Grounder) -> None:
        self.form, self.grounder = form, grounder
        self.words = words(rule.guard, form.names)
        changing = form.going
        # The places that allow only one-cell pieces.
        large = frozenset[int]() if rule.is_whole else changing
        self._classes: list[frozenset[int]] = []  # The possible classes of each place.
        for place, element in enumerate(form.elements):
            fitting = classes_of(element, grounder.puzzle)
            self._classes.append(
                frozenset(p.id for p in fitting if p.is_single_cell or place not in large)
            )
        self.is_anything = ["_" in element.words for element in form.elements]
        self.may_be_empty = [("empty" in e.words) != e.is_negated for e in form.elements]
        self.stays = [
            is_empty and place not in changing for place, is_empty in enumerate(self.may_be_empty)
        ]
        self._taking: list[dict[int, list[int | None]]] = [{} for _ in form.elements]
        self._barred: list[dict[int, list[int]]] = [{} for _ in form.elements]

    def layer_cell(self, place: int, cell: int | None) -> int:
        """The layer cell of a place on a floor cell."""
        assert cell is not None  # a place with a piece is a floor cell
        return self.grounder.layer_cell(cell, self.form.elements[place].layer)

    def taking(self, place: int, cell: int) -> list[int | None]:
        """The possible contents of a place on a floor cell: facts, and None if the place may be empty."""
        found = self._taking[place].get(cell)
        if found is None:
            found = [None] if self.may_be_empty[place] else []
            found += (fact for fact, is_fitting in self._facts(place, cell) if is_fitting)
            self._taking[place][cell] = found
        return found

    def barred(self, place: int, cell: int) -> list[int]:
        """The facts that must be false for a place on a floor cell, if the place may be empty and does not change."""
        found = self._barred[place].get(cell)
        if found is None:
            found = [fact for fact, is_fitting in self._facts(place, cell) if not is_fitting]
            self._barred[place][cell] = found
        return found

    def _facts(self, place: int, cell: int) -> Iterator[tuple[int, bool]]:
        """The facts of all pieces that can cover the cell, each with a flag: whether the form allows the piece."""
        grounder, fitting = self.grounder, self._classes[place]
        for fact in grounder.covering(self.layer_cell(place, cell)):
            class_id = grounder.class_of(fact)
            if grounder.class_count[class_id] != 0:
                yield fact, class_id in fitting


def _ground_at(
    rule: Pattern,
    grounder: Grounder,
    options: _Options,
    direction: Direction,
    cells: list[int | None],
) -> None:
    walls = grounder.board.walls
    free: list[int] = []  # the facts that are false whichever contents are chosen
    places: list[int] = []
    choices: list[list[int | None]] = []
    for place, cell in enumerate(cells):
        if cell is None or cell in walls or options.is_anything[place]:
            continue
        if options.stays[place]:
            free += options.barred(place, cell)
        else:
            places.append(place)
            choices.append(options.taking(place, cell))
    for chosen in _choose(grounder, choices, ()):
        standing = {p: fact for p, fact in zip(places, chosen, strict=True) if fact is not None}
        nobody = free
        if len(standing) < len(places):
            empty = (p for p in places if p not in standing)
            covering = (grounder.covering(options.layer_cell(p, cells[p])) for p in empty)
            nobody = [*free, *chain.from_iterable(covering)]
        _add(rule, grounder, options, direction, cells, standing, nobody)


def _choose(
    grounder: Grounder, choices: list[list[int | None]], chosen: tuple[int | None, ...]
) -> Iterator[tuple[int | None, ...]]:
    """All consistent combinations of one element from each choice, appended to the elements that are already chosen."""
    if len(chosen) == len(choices):
        yield chosen
        return
    known = [fact for fact in chosen if fact is not None]
    standing = grounder.standing(known) if known else None
    is_last = len(chosen) + 1 == len(choices)
    for fact in choices[len(chosen)]:
        if fact is None or standing is None or fact in known or grounder.fits_among(fact, standing):
            if is_last:
                yield (*chosen, fact)
            else:
                yield from _choose(grounder, choices, (*chosen, fact))


def _add(
    rule: Pattern,
    grounder: Grounder,
    options: _Options,
    direction: Direction,
    cells: list[int | None],
    standing: dict[int, int],
    free: list[int],
) -> None:
    form = options.form
    created = created_by(form, grounder, cells)
    if created is None:
        return
    if rule.is_whole:
        found = multi_cell_effects(grounder, form, cells, standing, created, direction)
        if found is None:
            return
        moved, removed = found.moved, found.removed
        free = [*free, *found.blockers(grounder)]
    else:
        gone = moved_by(form, grounder, cells, standing)
        if gone is None:
            return
        moved, removed = gone, [standing[p] for p in form.removed if p in standing]
    at = partial(standing.values(), free)
    if not at.positive.isdisjoint(at.negative):
        return  # the contents contradict each other, so there is no operator
    for refined, changes in ground_guard(rule.guard, grounder, form.names, at):
        grounder.add(
            rule.name,
            refined,
            changes,
            moved=moved,
            removed=removed,
            created=created,
            direction=direction,
            words=options.words,
            binding=form.binding,
            is_possible=True,
        )


def moved_by(
    form: Form, facts: ProvisionalFacts, cells: Sequence[int | None], standing: Mapping[int, int]
) -> list[tuple[int, int]] | None:
    """The facts of the one-cell pieces that a form moves, before and after; None if a piece does not fit."""
    moved: list[tuple[int, int]] = []
    for start, end in form.carried:
        if start != end:
            target = facts.fact(facts.class_of(standing[start]), _at(cells, end))
            if target is None:
                return None
            moved.append((standing[start], target))
    return moved


def created_by(
    form: Form, facts: ProvisionalFacts, cells: Sequence[int | None]
) -> list[int] | None:
    """The facts of the pieces that a form creates; None if a piece does not fit."""
    found = [facts.fact(class_id, _at(cells, place)) for place, class_id in form.created]
    known = [fact for fact in found if fact is not None]
    return known if len(known) == len(found) else None


def answers(facts: ProvisionalFacts, fact: int, words: tuple[str, ...]) -> bool:
    """Whether the piece of a fact matches one of the words."""
    piece = facts.puzzle.classes[facts.class_of(fact)]
    return any(map(piece.answers_to, words))


def may_be(element: Element, piece: PieceClass) -> bool:
    return piece.answers_to_one_of(element.alternatives) != element.is_negated


def classes_of(element: Element, puzzle: Puzzle) -> Sequence[PieceClass]:
    """The piece classes that match a pattern element, in the order of their ids."""
    if not element.is_negated:
        return puzzle.answering(element.words)
    return [piece for piece in puzzle.classes if may_be(element, piece)]


def _at(cells: Sequence[int | None], place: int) -> int:
    cell = cells[place]
    assert cell is not None  # a place with a piece is a floor cell
    return cell

"""Grounding patterns: one operator for each choice of pieces at each place where the pattern fits."""

from __future__ import annotations

from collections.abc import Iterator

from fewest.grounding.facts import ProvisionalFacts
from fewest.grounding.grounder import Grounder
from fewest.grounding.guard import ground_guard, words
from fewest.grounding.partial import partial
from fewest.grounding.ways import places_from
from fewest.model.board import Direction
from fewest.model.puzzle import PieceClass
from fewest.model.rules import Element, Form, Pattern


def ground_pattern(rule: Pattern, grounder: Grounder) -> None:
    board = grounder.board
    for form in rule.forms:
        for orientation in rule.orientations:
            for origin in range(board.num_cells):
                cells = places_from(board, origin, orientation, form)
                if cells is not None and pattern_fits(form, cells, board.walls):
                    _ground_at(rule, grounder, form, orientation.direction, cells)


def _ground_at(
    rule: Pattern, grounder: Grounder, form: Form, direction: Direction, cells: list[int | None]
) -> None:
    changing = {start for start, end in form.carried if start != end}.union(form.removed)
    classes = grounder.puzzle.classes
    free: list[int] = []  # of what is nowhere, whatever the choice
    places: list[int] = []
    options: list[list[int | None]] = []
    for place, (element, cell) in enumerate(zip(form.elements, cells, strict=True)):
        if cell is None or cell in grounder.board.walls or "_" in element.words:
            continue
        facts = grounder.covering(cell)
        fitting = [fact for fact in facts if may_be(element, classes[grounder.class_of(fact)])]
        may_be_empty = ("empty" in element.words) != element.is_negated
        if may_be_empty and place not in changing:
            free.extend(fact for fact in facts if fact not in fitting)
            continue
        if place in changing:
            fitting = [f for f in fitting if classes[grounder.class_of(f)].is_single_cell]
        places.append(place)
        options.append([*([None] if may_be_empty else []), *fitting])

    def choose(index: int, chosen: tuple[int | None, ...]) -> Iterator[tuple[int | None, ...]]:
        if index == len(places):
            yield chosen
            return
        known = [fact for fact in chosen if fact is not None]
        for fact in options[index]:
            if fact is None or fact in known or grounder.fits_with(fact, known):
                yield from choose(index + 1, (*chosen, fact))

    for chosen in choose(0, ()):
        standing = {p: fact for p, fact in zip(places, chosen, strict=True) if fact is not None}
        nobody = [
            fact for p in places if p not in standing for fact in grounder.covering(_at(cells, p))
        ]
        _add(rule, grounder, form, direction, cells, standing, [*free, *nobody])


def _add(
    rule: Pattern,
    grounder: Grounder,
    form: Form,
    direction: Direction,
    cells: list[int | None],
    standing: dict[int, int],
    free: list[int],
) -> None:
    moved: list[tuple[int, int]] = []
    for start, end in form.carried:
        if start == end:
            continue
        target = grounder.fact(grounder.class_of(standing[start]), _at(cells, end))
        if target is None:
            return
        moved.append((standing[start], target))
    created: list[int] = []
    for place, class_id in form.created:
        fact = grounder.fact(class_id, _at(cells, place))
        if fact is None:
            return
        created.append(fact)
    removed = [standing[place] for place in form.removed if place in standing]
    at = partial(standing.values(), free)
    if not grounder.is_consistent(at):
        return
    for refined, changes in ground_guard(rule.guard, grounder, form.names, at):
        grounder.add(
            rule.name,
            refined,
            changes,
            moved=moved,
            removed=removed,
            created=created,
            direction=direction,
            words=words(rule.guard, form.names),
            turn=form.turn,
        )


def answers(facts: ProvisionalFacts, fact: int, words: tuple[str, ...]) -> bool:
    """Whether the piece of a fact answers to one of the words."""
    piece = facts.puzzle.classes[facts.class_of(fact)]
    return any(piece.answers_to(word) for word in words)


def may_be(element: Element, piece: PieceClass) -> bool:
    return any(piece.answers_to(word) for word in element.words) != element.is_negated


def _at(cells: list[int | None], place: int) -> int:
    cell = cells[place]
    assert cell is not None  # a place that takes a piece is a floor cell
    return cell


def pattern_fits(form: Form, cells: list[int | None], walls: frozenset[int]) -> bool:
    """Whether the pattern can ever stand here: walls, edges and terrain are where it wants them."""
    for place, (element, cell) in enumerate(zip(form.elements, cells, strict=True)):
        may_be_wall = ("wall" in element.words) != element.is_negated
        is_floor = cell is not None and cell not in walls
        if is_floor and element.words == ("wall",) and may_be_wall:
            return False
        if not is_floor and "_" not in element.words and not may_be_wall:
            return False
        for allowed in (element.cells, form.after_cells[place]):
            if allowed is not None and cell not in allowed:
                return False
    inside = [cell for cell in cells if cell is not None]
    return len(set(inside)) == len(inside)  # a closed row must not meet itself

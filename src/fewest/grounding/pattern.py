"""Grounding patterns: one operator for each choice of pieces at each place where the pattern fits."""

from __future__ import annotations

from collections.abc import Iterator

from fewest.grounding.grounder import Grounder
from fewest.grounding.guard import ground_guard, words
from fewest.grounding.partial import partial
from fewest.model.board import Direction
from fewest.model.puzzle import PieceClass
from fewest.model.rules import Element, Form, Pattern


def ground_pattern(rule: Pattern, grounder: Grounder) -> None:
    board = grounder.board
    for form in rule.forms:
        for orientation in rule.orientations:
            for origin in range(board.num_cells):
                cells = [board.step(origin, offset) for offset in orientation.offsets]
                if _fits(form, cells, board.walls):
                    _ground_at(rule, grounder, form, orientation.direction, cells)


def _ground_at(
    rule: Pattern, grounder: Grounder, form: Form, direction: Direction, cells: list[int | None]
) -> None:
    free = [
        fact
        for element, cell in zip(form.elements, cells, strict=True)
        if element.words[0] == "empty" and cell is not None
        for fact in grounder.covering(cell)
    ]
    stays = {start for start, end in form.carried if start == end}
    classes = grounder.puzzle.classes
    places = [index for index, element in enumerate(form.elements) if element.is_piece]

    def choose(index: int, chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if index == len(places):
            yield chosen
            return
        place = places[index]
        cell = cells[place]
        assert cell is not None
        for fact in grounder.covering(cell):
            piece = classes[grounder.class_of(fact)]
            if not _may_be(form.elements[place], piece):
                continue
            if place not in stays and not piece.is_single_cell:
                continue
            if fact in chosen or grounder.fits_with(fact, chosen):
                yield from choose(index + 1, (*chosen, fact))

    for chosen in choose(0, ()):
        standing = dict(zip(places, chosen, strict=True))
        _add(rule, grounder, form, direction, cells, standing, free)


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
    removed = [standing[place] for place in form.removed]
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
        )


def _may_be(element: Element, piece: PieceClass) -> bool:
    return any(piece.answers_to(word) for word in element.words)


def _at(cells: list[int | None], place: int) -> int:
    cell = cells[place]
    assert cell is not None  # a place that takes a piece is a floor cell
    return cell


def _fits(form: Form, cells: list[int | None], walls: frozenset[int]) -> bool:
    """Whether the pattern can ever stand here: walls, edges and terrain are where it wants them."""
    for place, (element, cell) in enumerate(zip(form.elements, cells, strict=True)):
        word = element.words[0]
        is_floor = cell is not None and cell not in walls
        if word == "wall" and is_floor:
            return False
        if word not in ("wall", "_") and not is_floor:
            return False
        for allowed in (element.cells, form.after_cells[place]):
            if allowed is not None and cell not in allowed:
                return False
    inside = [cell for cell in cells if cell is not None]
    return len(set(inside)) == len(inside)  # a closed row must not meet itself

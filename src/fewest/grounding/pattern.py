"""Grounding patterns: one operator for each choice of pieces at each place where the pattern fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from fewest.grounding.facts import ProvisionalFacts
from fewest.grounding.grounder import Grounder
from fewest.grounding.guard import ground_guard, words
from fewest.grounding.partial import partial
from fewest.grounding.ways import places_from
from fewest.grounding.whole import wholes
from fewest.model.board import Board, Direction
from fewest.model.puzzle import PieceClass
from fewest.model.rules import Element, Form, Orientation, Pattern


def ground_pattern(rule: Pattern, grounder: Grounder) -> None:
    board = grounder.board
    for form in rule.forms:
        options = _Options(form, grounder, is_whole=rule.is_whole)
        demands = Demands(form, board)
        for orientation in rule.orientations:
            for origin in range(board.num_cells):
                for cells in cells_at(board, demands, orientation, form, origin):
                    _ground_at(rule, grounder, options, orientation.direction, cells)


class _Options:
    """What may stand at the places of a form: asked once for each cell, whichever way the form lies."""

    def __init__(self, form: Form, grounder: Grounder, *, is_whole: bool) -> None:
        self.form, self.grounder = form, grounder
        classes = grounder.puzzle.classes
        changing = {start for start, end in form.carried if start != end}.union(form.removed)
        large = frozenset[int]() if is_whole else changing  # where no large piece may stand
        self._classes: list[frozenset[int]] = []  # of each place, those that may stand there
        for place, element in enumerate(form.elements):
            fitting = (piece for piece in classes if may_be(element, piece))
            self._classes.append(
                frozenset(p.id for p in fitting if p.is_single_cell or place not in large)
            )
        self.is_anything = ["_" in element.words for element in form.elements]
        self.may_be_empty = [("empty" in e.words) != e.is_negated for e in form.elements]
        self.stays = [
            is_empty and place not in changing for place, is_empty in enumerate(self.may_be_empty)
        ]
        self._known: dict[tuple[int, int], list[int]] = {}

    def berth(self, place: int, cell: int | None) -> int:
        """Where the piece of a place on a floor cell stands."""
        assert cell is not None  # a place that takes a piece is a floor cell
        return self.grounder.berth(cell, self.form.elements[place].layer)

    def at(self, place: int, cell: int) -> list[int]:
        """The facts that may hold there; of a place that may be empty and stays as it is, those that may not."""
        found = self._known.get((place, cell))
        if found is None:
            fitting, facts = self._classes[place], self.grounder.facts
            found = [
                fact
                for fact in self.grounder.covering(self.berth(place, cell))
                if (facts[fact].class_id in fitting) != self.stays[place]
            ]
            self._known[place, cell] = found
        return found


def _ground_at(
    rule: Pattern,
    grounder: Grounder,
    options: _Options,
    direction: Direction,
    cells: list[int | None],
) -> None:
    walls = grounder.board.walls
    free: list[int] = []  # of what is nowhere, whatever the choice
    places: list[int] = []
    choices: list[list[int | None]] = []
    for place, cell in enumerate(cells):
        if cell is None or cell in walls or options.is_anything[place]:
            continue
        facts = options.at(place, cell)
        if options.stays[place]:
            free.extend(facts)
        else:
            places.append(place)
            choices.append([None, *facts] if options.may_be_empty[place] else [*facts])
    for chosen in _choose(grounder, choices, ()):
        standing = {p: fact for p, fact in zip(places, chosen, strict=True) if fact is not None}
        nobody = free
        if len(standing) < len(places):
            empty = (p for p in places if p not in standing)
            covering = (grounder.covering(options.berth(p, cells[p])) for p in empty)
            nobody = [*free, *chain.from_iterable(covering)]
        _add(rule, grounder, options.form, direction, cells, standing, nobody)


def _choose(
    grounder: Grounder, choices: list[list[int | None]], chosen: tuple[int | None, ...]
) -> Iterator[tuple[int | None, ...]]:
    """One of each of the choices, in all ways in which they can hold together."""
    if len(chosen) == len(choices):
        yield chosen
        return
    known = [fact for fact in chosen if fact is not None]
    for fact in choices[len(chosen)]:
        if fact is None or not known or fact in known or grounder.fits_with(fact, known):
            yield from _choose(grounder, choices, (*chosen, fact))


def _add(
    rule: Pattern,
    grounder: Grounder,
    form: Form,
    direction: Direction,
    cells: list[int | None],
    standing: dict[int, int],
    free: list[int],
) -> None:
    created = created_by(form, grounder, cells)
    if created is None:
        return
    if rule.is_whole:
        found = wholes(grounder, form, cells, standing, created, direction)
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
        return  # what stands there was chosen to fit together
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


def moved_by(
    form: Form, facts: ProvisionalFacts, cells: Sequence[int | None], standing: Mapping[int, int]
) -> list[tuple[int, int]] | None:
    """The facts before and after of the pieces of one cell that a form moves; None where one does not fit."""
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
    """The facts of the pieces that a form lets appear; None where one does not fit."""
    found = [facts.fact(class_id, _at(cells, place)) for place, class_id in form.created]
    known = [fact for fact in found if fact is not None]
    return known if len(known) == len(found) else None


def answers(facts: ProvisionalFacts, fact: int, words: tuple[str, ...]) -> bool:
    """Whether the piece of a fact answers to one of the words."""
    piece = facts.puzzle.classes[facts.class_of(fact)]
    return any(piece.answers_to(word) for word in words)


def may_be(element: Element, piece: PieceClass) -> bool:
    return any(piece.answers_to(word) for word in element.words) != element.is_negated


def _at(cells: Sequence[int | None], place: int) -> int:
    cell = cells[place]
    assert cell is not None  # a place that takes a piece is a floor cell
    return cell


class Demands:
    """What the places of a form ask of the cells of a board, whatever stands there: walls, edges and terrain."""

    def __init__(self, form: Form, board: Board) -> None:
        self.walls = board.walls
        self.may_be_wall, self.may_be_floor = [True] * form.num_places, [True] * form.num_places
        self.allowed: list[tuple[frozenset[int], ...]] = [()] * form.num_places
        for place, element, after in zip(form.at, form.elements, form.after_cells, strict=True):
            names_wall = ("wall" in element.words) != element.is_negated
            self.may_be_wall[place] &= names_wall or "_" in element.words
            self.may_be_floor[place] &= not (names_wall and element.words == ("wall",))
            self.allowed[place] += tuple(c for c in (element.cells, after) if c is not None)
        closed = (place for place, is_open in enumerate(self.may_be_wall) if not is_open)
        self.most_beyond = min([*closed, form.num_places - 1])
        """so many places, the first ones, may be beyond the board"""

    def is_met(self, place: int, cell: int | None) -> bool:
        """Whether a place may be a cell, or beyond the board."""
        is_wall = cell is None or cell in self.walls
        if not (self.may_be_wall if is_wall else self.may_be_floor)[place]:
            return False
        return all(cell in known for known in self.allowed[place])

    def are_met(self, places: list[int | None]) -> bool:
        """Whether the places of a form may all lie there, each on a cell of its own."""
        if not all(map(self.is_met, range(len(places)), places)):
            return False
        inside = [cell for cell in places if cell is not None]
        return len(inside) == len(set(inside))


def cells_at(
    board: Board, demands: Demands, orientation: Orientation, form: Form, cell: int
) -> Iterator[list[int | None]]:
    """The cells under the elements of a form, for each way to lay it with its first place on the board at a cell.

    Not where it can never stand, and not where a closed row would meet itself. The places before the first may be
    beyond the board if walls may stand there.
    """
    for outside in range(demands.most_beyond + 1):
        if demands.is_met(outside, cell):
            places = places_from(board, cell, orientation, form, outside)
            if places is not None and demands.are_met(places):
                yield [places[place] for place in form.at]

"""Patterns: `before` and `after` along a line, or as equal rectangles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from fewest.language.board import Board, Direction, Offset
from fewest.language.puzzle import PieceClass
from fewest.moves.guard import Guard, Names, words

if TYPE_CHECKING:
    from fewest.grounding import Grounder
    from fewest.reference import Move, Position, Spot

NO_PIECE = frozenset({"empty", "wall", "_"})


@dataclass(frozen=True)
class Element:
    """One place of `before`: the words that may stand there, and the cells that it may be (or all)."""

    words: tuple[str, ...]
    cells: frozenset[int] | None = None

    @property
    def is_piece(self) -> bool:
        return self.words[0] not in NO_PIECE

    def matches(self, piece: PieceClass) -> bool:
        return any(piece.answers_to(word) for word in self.words)


@dataclass(frozen=True)
class Form:
    """A pattern with its templates filled: what stands where, and what becomes of each piece.

    `carried` pairs places of `before` with places of `after` (equal where a piece stays), `removed`
    are places whose piece is captured, `created` are places with the kind that appears there.
    """

    names: Names
    elements: tuple[Element, ...]
    carried: tuple[tuple[int, int], ...]
    removed: tuple[int, ...]
    created: tuple[tuple[int, int], ...]  # (place, class id)
    after_cells: tuple[frozenset[int] | None, ...]


@dataclass(frozen=True)
class Orientation:
    """One way to lay the pattern on the board: an offset for each place."""

    direction: Direction
    offsets: tuple[Offset, ...]


Placement: TypeAlias = tuple[Form, Direction, list[int | None]]


@dataclass(frozen=True)
class Pattern:
    """`before` and `after`, in all their orientations."""

    name: str
    guard: Guard
    forms: tuple[Form, ...]
    orientations: tuple[Orientation, ...]
    count: int = 1
    _laid: list[tuple[Board, list[Placement]]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    @property
    def created_classes(self) -> frozenset[int]:
        """The classes of which this rule can put new pieces on the board."""
        return frozenset(class_id for form in self.forms for _, class_id in form.created)

    def _words(self, form: Form) -> str:
        return words(form.names, self.guard.loop_names)

    # -- grounding --------------------------------------------------------------------------------

    def ground(self, grounder: Grounder) -> None:
        board = grounder.board
        for form in self.forms:
            for orientation in self.orientations:
                for origin in range(board.num_cells):
                    cells = [board.step(origin, offset) for offset in orientation.offsets]
                    if _fits(form, cells, board.walls):
                        self._ground_at(grounder, form, orientation.direction, cells)

    def _ground_at(
        self, grounder: Grounder, form: Form, direction: Direction, cells: list[int | None]
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
                if not form.elements[place].matches(piece):
                    continue
                if place not in stays and not piece.is_single_cell:
                    continue
                if fact in chosen or grounder.fits_with(fact, chosen):
                    yield from choose(index + 1, (*chosen, fact))

        for chosen in choose(0, ()):
            standing = dict(zip(places, chosen, strict=True))
            self._add(grounder, form, direction, cells, standing, free)

    def _add(
        self, grounder: Grounder, form: Form, direction: Direction, cells: list[int | None],
        standing: dict[int, int], free: list[int],
    ) -> None:  # fmt: skip
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
        cube = grounder.cube(standing.values(), free)
        if not grounder.is_consistent(cube):
            return
        for refined, changes in self.guard.ground(grounder, form.names, cube):
            grounder.add(
                self.name, refined, changes, moved=moved, removed=removed, created=created,
                direction=direction, words=self._words(form),
            )  # fmt: skip

    # -- interpreting -------------------------------------------------------------------------------

    def moves(self, position: Position) -> Iterator[Move]:
        for form, direction, cells in self._placements(position.board):
            changes = self._changes(position, form, cells)
            if changes is None:
                continue
            assigned = self.guard.apply(position, form.names)
            if assigned is not None:
                pieces, created = changes
                yield position.move(
                    self.name, pieces, assigned, created=created,
                    direction=direction, words=self._words(form),
                )  # fmt: skip

    def _placements(self, board: Board) -> list[Placement]:
        """Where the pattern can ever stand, in each form and direction."""
        if not self._laid or self._laid[0][0] is not board:
            found: list[Placement] = []
            for form in self.forms:
                for orientation in self.orientations:
                    for origin in range(board.num_cells):
                        cells = [board.step(origin, offset) for offset in orientation.offsets]
                        if _fits(form, cells, board.walls):
                            found.append((form, orientation.direction, cells))
            self._laid[:] = [(board, found)]
        return self._laid[0][1]

    def _changes(
        self, position: Position, form: Form, cells: list[int | None]
    ) -> tuple[dict[Spot, Spot | None], list[Spot]] | None:
        """Where each piece goes (None: captured) and what appears; None if the pattern is not there."""
        classes = position.puzzle.classes
        standing: dict[int, Spot] = {}
        for place, element in enumerate(form.elements):
            cell = cells[place]
            spot = None if cell is None else position.occupied.get(cell)
            if element.words[0] == "empty" and spot is not None:
                return None
            if element.is_piece:
                if spot is None or not element.matches(classes[spot[0]]):
                    return None
                standing[place] = spot
        changes: dict[Spot, Spot | None] = {}
        created: list[Spot] = []
        for start, end in form.carried:
            if start != end:
                changes[standing[start]] = (standing[start][0], _at(cells, end))
        for place in form.removed:
            changes[standing[place]] = None
        for place, class_id in form.created:
            created.append((class_id, _at(cells, place)))
        if any(not classes[spot[0]].is_single_cell for spot in changes):
            return None
        arrivals = [new for new in changes.values() if new is not None] + created
        if any(cell not in classes[class_id].cells for class_id, cell in arrivals):
            return None
        return changes, created


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

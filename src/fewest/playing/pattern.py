"""Patterns on a position: the pieces stand as `before` says, and go where `after` says."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TypeAlias
from weakref import WeakKeyDictionary

from fewest.model.board import GRAPH, Board, Direction, Offset
from fewest.model.position import Position
from fewest.model.puzzle import Spot
from fewest.model.rules import Form, Orientation, Pattern
from fewest.playing.guard import assigned, turn_of
from fewest.playing.move import Move, made
from fewest.playing.whole import moved_whole

Site: TypeAlias = "tuple[Form, Direction, list[int | None]]"


class _Sites:
    """Where a pattern can ever stand on a board: that is asked on every position."""

    def __init__(self, rule: Pattern, board: Board) -> None:
        self.rule, self.board = rule, board
        self._through: dict[tuple[int, Direction | None], list[Site]] = {}
        self._at: dict[int, list[Site]] = {}

    @cached_property
    def all(self) -> list[Site]:
        """Form by form, orientation by orientation, in reading order."""
        return self._of(None, None)

    def through(self, cell: int, way: Direction | None = None) -> list[Site]:
        """Those of which a place lies on the cell, in the same order; those alone that lie that way, if one is said."""
        if (cell, way) not in self._through:
            self._through[cell, way] = self._of(cell, way)
        return self._through[cell, way]

    def at(self, cell: int) -> list[Site]:
        """Those whose first place on the board lies on the cell."""
        if cell not in self._at:
            self._at[cell] = [
                site
                for site in self.through(cell)
                if next(c for c in site[2] if c is not None) == cell
            ]
        return self._at[cell]

    def _of(self, cell: int | None, way: Direction | None) -> list[Site]:
        """All of them, or those through a cell, or that way."""
        sites: list[Site] = []
        ways = [each for each in self.rule.orientations if way in (None, each.direction)]
        for form in self.rule.forms:
            for orientation in ways:
                for laid in _layings(self.board, orientation, form.num_places, cell):
                    if _meets_itself(laid):
                        continue
                    cells = [laid[place] for place in form.at]
                    if _can_ever_stand(form, cells, self.board):
                        sites.append((form, orientation.direction, cells))
        return sites


_sites: WeakKeyDictionary[Pattern, _Sites] = WeakKeyDictionary()


def pattern_moves(
    rule: Pattern,
    position: Position,
    carrier: Spot | None = None,
    way: Direction | None = None,
) -> Iterator[Move]:
    """The moves that the rule allows; those in which the piece at `carrier` takes part, if it is given.

    With `way` those alone of which the pattern lies that way.
    """
    known = _sites_on(rule, position.board)
    is_far = rule.is_whole or rule.goes_on  # the carrier need not stand at a place of the pattern
    if carrier is not None and not is_far:
        return _moves(rule, position, known.through(carrier[1], way))
    sites = known.all if way is None else [site for site in known.all if site[1] == way]
    return _moves(rule, position, sites)


def pattern_moves_at(rule: Pattern, position: Position, cell: int) -> Iterator[Move]:
    """The moves that the rule allows where the first of its places that is on the board lies on the cell."""
    return _moves(rule, position, _sites_on(rule, position.board).at(cell))


def _moves(rule: Pattern, position: Position, sites: list[Site]) -> Iterator[Move]:
    for form, direction, cells in sites:
        changes = _fit(rule, position, (form, direction, cells))
        if changes is not None and rule.goes_on:
            changes = _gone_on(rule, position, (form, direction, cells), changes)
        if changes is None:
            continue
        values = assigned(rule.guard, position, form.names)
        if values is not None:
            pieces, created = changes
            yield made(
                position,
                rule.name,
                pieces,
                values,
                created=created,
                direction=direction,
                words=turn_of(rule.guard, form.names),
                turn=form.turn,
            )


def _sites_on(rule: Pattern, board: Board) -> _Sites:
    known = _sites.get(rule)
    if known is None or known.board is not board:
        known = _sites[rule] = _Sites(rule, board)
    return known


def _layings(
    board: Board, orientation: Orientation, length: int, cell: int | None
) -> Iterator[list[int | None]]:
    """The cells of the places of a pattern for each way to lay it on the board, or through a cell of it.

    Its first places may be beyond the board, as its last ones may.
    """
    if orientation.offsets:
        yield from _rectangles(board, orientation.offsets, cell)
        return
    steps = orientation.steps[: length - 1]
    if board.geometry == GRAPH:
        starts = [(0, here) for here in range(board.num_cells)]
    elif cell is None or board.exits:  # a line may come from anywhere
        starts = [s for here in range(board.num_cells) for s in _starts(board, here, steps)]
    else:
        starts = list(_starts_behind(board, cell, steps))
    for outside, first in starts:
        line: list[int | None] = [*[None] * outside, first]
        for offset in steps[outside:]:
            here = line[-1]
            line.append(None if here is None else board.step(here, offset))
        is_path = board.geometry == GRAPH
        if is_path and (len(orientation.steps) != length - 1 or None in line):
            continue  # a graph has no such path
        if cell is None or cell in line:
            yield line


def _starts(board: Board, cell: int, steps: tuple[Offset, ...]) -> Iterator[tuple[int, int]]:
    """How many places of a line are beyond the board, if the next one is on the cell."""
    yield 0, cell
    if steps and board.step(cell, (-steps[0][0], -steps[0][1])) is None:
        yield from ((outside, cell) for outside in range(1, len(steps) + 1))


def _starts_behind(board: Board, cell: int, steps: tuple[Offset, ...]) -> Iterator[tuple[int, int]]:
    """The same of all lines through the cell."""
    here: int | None = cell
    for behind in range(len(steps) + 1):
        if here is None:
            return
        for outside, first in _starts(board, here, steps):
            if outside + behind <= len(steps):
                yield outside, first
        here = board.step(here, (-steps[0][0], -steps[0][1])) if steps else None


def _rectangles(
    board: Board, offsets: tuple[Offset, ...], cell: int | None
) -> Iterator[list[int | None]]:
    """The cells of each rectangle that is at least partly on the board, and that no wall cuts."""
    known = set[tuple[int | None, ...]]()
    for here in range(board.num_cells) if cell is None else [cell]:
        row, column = board.at(here)
        for down, right in offsets:
            laid = [board.cell(row - down + r, column - right + c) for r, c in offsets]
            if tuple(laid) not in known and not _is_cut(board, offsets, laid):
                known.add(tuple(laid))
                yield laid


def _is_cut(board: Board, offsets: tuple[Offset, ...], cells: list[int | None]) -> bool:
    places = dict(zip(offsets, cells, strict=True))
    for (r, c), cell in places.items():
        for offset in ((0, 1), (1, 0)):
            beside = places.get((r + offset[0], c + offset[1]))
            if cell is not None and beside is not None and board.is_cut(cell, offset):
                return True
    return False


def _meets_itself(cells: list[int | None]) -> bool:
    """Whether a cell is there twice: a line may go round a closed row."""
    inside = [cell for cell in cells if cell is not None]
    return len(inside) != len(set(inside))


def _can_ever_stand(form: Form, cells: list[int | None], board: Board) -> bool:
    """Whether walls, edges and terrain are where the pattern wants them."""
    for element, after, cell in zip(form.elements, form.after_cells, cells, strict=True):
        if "_" not in element.words:
            is_wall = cell is None or cell in board.walls
            if is_wall and ("wall" in element.words) == element.is_negated:
                return False
            if not is_wall and element.content == (("wall",), False):
                return False
        if element.cells is not None and cell not in element.cells:
            return False
        if after is not None and cell not in after:
            return False
    return True


def _fit(
    rule: Pattern, position: Position, site: Site
) -> tuple[dict[Spot, Spot | None], list[Spot]] | None:
    """Where each piece goes (None: captured) and what appears; None if the pattern does not fit there."""
    form, direction, cells = site
    standing = _standing(position, form, cells)
    if standing is None:
        return None
    if rule.is_whole:
        return moved_whole(position, form, cells, standing, direction)
    return _changes(position, form, cells, standing)


def _gone_on(
    rule: Pattern,
    position: Position,
    site: Site,
    changes: tuple[dict[Spot, Spot | None], list[Spot]],
) -> tuple[dict[Spot, Spot | None], list[Spot]] | None:
    """What has become of everything once the pattern has applied as often as it fits; None: it would never end."""
    came_from: dict[Spot, Spot | None] = {spot: spot for spot in position.pieces}
    counted = [spot for spot, target in changes[0].items() if target not in (None, spot)][-1]
    seen: set[frozenset[Spot]] = set()
    found: tuple[dict[Spot, Spot | None], list[Spot]] | None = changes
    while found is not None:
        origins = [(target, came_from.pop(spot)) for spot, target in found[0].items()]
        came_from.update((target, origin) for target, origin in origins if target is not None)
        came_from.update(dict.fromkeys(found[1]))
        pieces = frozenset(came_from)
        if pieces in seen:
            return None
        seen.add(pieces)
        site, found = _next(rule, Position(position.puzzle, pieces, position.values), site)
    went = {origin: spot for spot, origin in came_from.items() if origin is not None}
    gone = {spot: went.get(spot) for spot in sorted(position.pieces) if went.get(spot) != spot}
    if counted in gone:
        gone[counted] = gone.pop(counted)
    return gone, sorted(spot for spot, origin in came_from.items() if origin is None)


def _next(
    rule: Pattern, here: Position, site: Site
) -> tuple[Site, tuple[dict[Spot, Spot | None], list[Spot]] | None]:
    """Where the pattern fits next, the same way and from where its first piece has come to, and what it does."""
    form, direction, cells = site
    assert form.lead is not None, "the reader checked that something moves"
    lead = _floor(cells[form.lead[1]])
    for other in _sites_on(rule, here.board).through(lead):
        known, way, places = other
        assert known.lead is not None, "the reader checked that something moves"
        if (way, known.turn, places[known.lead[0]]) == (direction, form.turn, lead):
            found = _fit(rule, here, other)
            if found is not None:
                return other, found
    return site, None


def _standing(position: Position, form: Form, cells: list[int | None]) -> dict[int, Spot] | None:
    """The pieces at the places of the pattern; None if they do not stand as it says."""
    classes = position.puzzle.classes
    standing: dict[int, Spot] = {}
    for place, (element, cell) in enumerate(zip(form.elements, cells, strict=True)):
        if cell is None or cell in position.board.walls or "_" in element.words:
            continue  # looked at once, when the place was found
        spot = position.layers[element.layer].get(cell)
        if spot is None:
            is_named = "empty" in element.words
        else:
            is_named = any(map(classes[spot[0]].answers_to, element.words))
            standing[place] = spot
        if is_named == element.is_negated:
            return None
    return standing


def _changes(
    position: Position, form: Form, cells: list[int | None], standing: dict[int, Spot]
) -> tuple[dict[Spot, Spot | None], list[Spot]] | None:
    """Where each piece goes (None: captured) and what appears; None if they cannot."""
    classes = position.puzzle.classes
    changes: dict[Spot, Spot | None] = {
        standing[start]: (standing[start][0], _floor(cells[end]))
        for start, end in form.carried
        if start != end
    }
    changes.update((standing[place], None) for place in form.removed if place in standing)
    created = [(class_id, _floor(cells[place])) for place, class_id in form.created]
    if any(len(classes[class_id].shape) > 1 for class_id, _ in changes):
        return None  # a pattern moves and takes pieces of one cell
    arrivals = [*(spot for spot in changes.values() if spot is not None), *created]
    if any(cell not in classes[class_id].cells for class_id, cell in arrivals):
        return None
    return changes, created


def _floor(cell: int | None) -> int:
    assert cell is not None  # a place that takes a piece is a floor cell
    return cell

"""Patterns on a position: pieces that match `before` move to match `after`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from weakref import WeakKeyDictionary, ref

from msgspec import Struct

from fewest.model.board import GRAPH, Board, Direction, Offset
from fewest.model.position import Position
from fewest.model.puzzle import Puzzle, Spot
from fewest.model.rules import Element, Form, Orientation, Pattern
from fewest.playing.guard import assigned, binding_of
from fewest.playing.move import Move, made
from fewest.playing.multi_cell import moved_whole

Contents = tuple[Spot | None, ...]
"""The pieces on a cell, layer by layer."""


class Site(Struct, frozen=True, eq=False):
    """One placement of a form of a pattern on the board: the cells of its elements, and their conditions on pieces.

    Each condition consists of the number of the place in the form, its layer and cell, the possible classes of the
    piece, and whether the place may be empty.
    """

    form: Form
    direction: Direction
    cells: list[int | None]
    conditions: tuple[tuple[int, int, int, frozenset[int], bool], ...]


class _Sites:
    """All sites on a board where a pattern could ever fit. The sites are cached, because every position needs them."""

    def __init__(self, rule: Pattern, puzzle: Puzzle, board: Board) -> None:
        # A strong reference would keep the rule alive forever, because the rule is the key of this object in `_sites`.
        self._rule = ref(rule)
        self.classes, self.board = puzzle.classes, board
        self._through: dict[tuple[int, Direction | None], list[Site]] = {}
        self._counting: dict[tuple[int, Direction | None], list[Site]] = {}
        self._at: dict[int, list[Site]] = {}
        self._fitting: dict[tuple[int, tuple[int, ...]], list[Site]] = {}
        self.tests: list[tuple[list[_Sites], dict[tuple[int, Contents], bool]]] = []
        """for lists of patterns that begin with this one, the known results of `cells_to_try`"""
        self._wanted = {id(form): [*map(self._want, form.elements)] for form in rule.forms}

    @property
    def rule(self) -> Pattern:
        """The rule; the caller must keep it alive."""
        rule = self._rule()
        assert rule is not None, "a caller that uses the sites of a rule has the rule"
        return rule

    def _want(self, element: Element) -> tuple[frozenset[int], bool]:
        """The possible classes of an element, and whether it may be empty."""
        named = (p.id for p in self.classes if p.answers_to_one_of(element.alternatives))
        others = frozenset(piece.id for piece in self.classes)
        fitting = others.difference(named) if element.is_negated else frozenset(named)
        return fitting, ("empty" in element.words) != element.is_negated

    @cached_property
    def all(self) -> list[Site]:
        """All sites, form by form and orientation by orientation, in reading order."""
        return [*self._of(None, None)]

    def through(self, cell: int, in_direction: Direction | None = None) -> list[Site]:
        """The sites that have a place on the cell, in the order of `all`; if `in_direction` is given, only sites in
        this direction.
        """
        if (cell, in_direction) not in self._through:
            self._through[cell, in_direction] = [*self._of(cell, in_direction)]
        return self._through[cell, in_direction]

    def counting(self, cell: int, in_direction: Direction | None = None) -> list[Site]:
        """The sites where the piece on the cell is the last one that moves; metrics with merged moves count these moves
        for this piece. If `in_direction` is given, only sites in this direction.
        """
        if (cell, in_direction) not in self._counting:
            self._counting[cell, in_direction] = [*self._counting_of(cell, in_direction)]
        return self._counting[cell, in_direction]

    def at(self, cell: int) -> list[Site]:
        """The sites that have the cell as their first place on the board."""
        if cell not in self._at:
            self._at[cell] = [
                site
                for site in self.through(cell)
                if next(c for c in site.cells if c is not None) == cell
            ]
        return self._at[cell]

    def fitting(self, cell: int, contents: tuple[int, ...]) -> list[Site]:
        """The sites of `at` that fit the pieces on the cell (`_contents`)."""
        if (cell, contents) not in self._fitting:
            self._fitting[cell, contents] = [
                site
                for site in self.at(cell)
                if all(
                    may_be_empty if contents[layer] < 0 else contents[layer] in fitting
                    for _, layer, where, fitting, may_be_empty in site.conditions
                    if where == cell
                )
            ]
        return self._fitting[cell, contents]

    def _of(self, cell: int | None, in_direction: Direction | None) -> Iterator[Site]:
        """All sites, or only those through `cell` and in the direction `in_direction`, as far as these are given."""
        for form, orientation in self._lying(in_direction):
            for laid in _cells_of_places(self.board, orientation, form.num_places, cell):
                yield from self._site(form, orientation, laid)

    def _counting_of(self, cell: int, in_direction: Direction | None) -> Iterator[Site]:
        board = self.board
        for form, orientation in self._lying(in_direction):
            goes = [form.at[start] for start, end in form.carried if form.at[start] != form.at[end]]
            if not goes:
                continue
            if orientation.offsets or board.exits or board.geometry == GRAPH:
                lines = _cells_of_places(board, orientation, form.num_places, cell)
            else:
                steps = orientation.steps[: form.num_places - 1]
                lines = iter([_line(board, cell, steps, goes[-1])])
            for laid in lines:
                if laid[goes[-1]] == cell:
                    yield from self._site(form, orientation, laid)

    def _lying(self, in_direction: Direction | None) -> Iterator[tuple[Form, Orientation]]:
        orientations = [
            each for each in self.rule.orientations if in_direction in (None, each.direction)
        ]
        for form in self.rule.forms:
            of_binding = (
                self.rule.guard.directions_of_binding[form.binding]
                if self.rule.guard.directions_of_binding
                else None
            )
            for orientation in orientations:
                if of_binding is None or orientation.direction in of_binding:
                    yield form, orientation

    def _site(self, form: Form, orientation: Orientation, laid: list[int | None]) -> Iterator[Site]:
        """The site with its places on these cells; empty if the form can never fit there."""
        cells = [laid[place] for place in form.at]
        if _meets_itself(laid) or not _can_ever_stand(form, cells, self.board):
            return
        walls, wanted = self.board.walls, self._wanted[id(form)]
        conditions = tuple(
            (place, element.layer, cell, *wanted[place])
            for place, (element, cell) in enumerate(zip(form.elements, cells, strict=True))
            if cell is not None and cell not in walls and "_" not in element.words
        )
        yield Site(form, orientation.direction, cells, conditions)


_sites: WeakKeyDictionary[Pattern, _Sites] = WeakKeyDictionary()


def pattern_moves(
    rule: Pattern,
    position: Position,
    carrier: Spot | None = None,
    in_direction: Direction | None = None,
    allowed: Callable[[int], bool] | None = None,
) -> Iterator[Move]:
    """The moves that the rule allows.

    If `carrier` is given, moves that metrics with merged moves do not count for the piece at this spot may be missing.
    If `in_direction` is given, the result contains only moves in this direction of the pattern. If `allowed` is given
    without
    `carrier`, the result contains only the moves of bindings for which `allowed` is true.
    """
    known = _sites_on(rule, position)
    is_far = rule.is_whole or rule.goes_on  # the carrier may be outside the pattern's places
    if carrier is not None and not is_far:
        return _moves(rule, position, known.counting(carrier[1], in_direction))
    sites = (
        known.all
        if in_direction is None
        else [site for site in known.all if site.direction == in_direction]
    )
    if allowed is not None:
        sites = [site for site in sites if allowed(site.form.binding)]
    return _moves(rule, position, sites)


def pattern_moves_at(rule: Pattern, position: Position, cell: int) -> Iterator[Move]:
    """The moves of the rule that have this cell as their first place on the board."""
    sites = _sites_on(rule, position).fitting(cell, _contents(position, cell))
    return _moves(rule, position, sites)


def cells_to_try(rules: Sequence[Pattern], position: Position) -> Callable[[Position, int], bool]:
    """A test that is false if no pattern has a move at a cell (`pattern_moves_at`), because none fits the pieces on the
    cell. The test also accepts later positions on the same board.
    """
    known = [_sites_on(rule, position) for rule in rules]
    tests = known[0].tests if known else []
    results = next((results for patterns, results in tests if patterns == known), None)
    if results is None:
        results = {}
        tests.append((known, results))

    def may_fit(position: Position, cell: int) -> bool:
        # A sweep tests every cell, so a single look-up must decide most of these tests.
        place = cell, tuple([layer.get(cell) for layer in position.layers])
        found = results.get(place)
        if found is None:
            contents = _contents(position, cell)
            found = results[place] = any(sites.fitting(cell, contents) for sites in known)
        return found

    return may_fit


def _contents(position: Position, cell: int) -> tuple[int, ...]:
    """The class of the piece on the cell in each layer, or -1."""
    pieces = [layer.get(cell) for layer in position.layers]
    return tuple([-1 if piece is None else piece[0] for piece in pieces])


def _moves(rule: Pattern, position: Position, sites: list[Site]) -> Iterator[Move]:
    for site in sites:
        changes, form = _fit(rule, position, site), site.form
        if changes is not None and rule.goes_on:
            changes = _repeat_pattern(rule, position, site, changes)
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
                direction=site.direction,
                words=binding_of(rule.guard, form.names),
                binding=form.binding,
                cells=site.cells,
            )


def _sites_on(rule: Pattern, position: Position) -> _Sites:
    puzzle, known = position.puzzle, _sites.get(rule)
    if known is None or known.board is not puzzle.board or known.classes is not puzzle.classes:
        known = _sites[rule] = _Sites(rule, puzzle, position.board)
    return known


def _line(board: Board, cell: int, steps: tuple[Offset, ...], place: int) -> list[int | None]:
    """The cells of the places of a line, given that place number `place` is on this cell."""
    behind: list[int | None] = [cell]
    for down, right in reversed(steps[:place]):
        behind.append(None if behind[-1] is None else board.step(behind[-1], (-down, -right)))
    line = behind[::-1]
    for offset in steps[place:]:
        line.append(None if line[-1] is None else board.step(line[-1], offset))
    return line


def _cells_of_places(
    board: Board, orientation: Orientation, length: int, cell: int | None
) -> Iterator[list[int | None]]:
    """The cells of the places of a pattern, for each placement on the board or, if a cell is given, for each placement
    through it.

    The first and the last places may be outside the board.
    """
    if orientation.offsets:
        yield from _rectangles(board, orientation.offsets, cell)
        return
    steps = orientation.steps[: length - 1]
    if board.geometry == GRAPH:
        starts = [(0, here) for here in range(board.num_cells)]
    # if there are portals, a line may reach the cell from any other cell
    elif cell is None or board.exits:
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
            continue  # the graph has no such path
        if cell is None or cell in line:
            yield line


def _starts(board: Board, cell: int, steps: tuple[Offset, ...]) -> Iterator[tuple[int, int]]:
    """The possible starts of a line that has `cell` as its first cell on the board. A start is the cell together with
    the number of places outside the board that precede it.
    """
    yield 0, cell
    if steps and not board.is_entered(cell, steps[0]):
        yield from ((outside, cell) for outside in range(1, len(steps) + 1))


def _starts_behind(board: Board, cell: int, steps: tuple[Offset, ...]) -> Iterator[tuple[int, int]]:
    """The starts (see `_starts`) of all lines through the cell."""
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
    """The cells of each rectangle that is at least partly on the board and not divided by walls."""
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
    """Whether a cell occurs twice, for example because a line goes around a closed row."""
    inside = [cell for cell in cells if cell is not None]
    return len(inside) != len(set(inside))


def _can_ever_stand(form: Form, cells: list[int | None], board: Board) -> bool:
    """Whether walls, edges and terrain match the form."""
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
    """The target of each piece (None: the piece is captured) and the new pieces; None if the pattern does not fit
    there.
    """
    standing = _standing(position, site)
    if standing is None:
        return None
    if rule.is_whole:
        return moved_whole(position, site.form, site.cells, standing, site.direction)
    return _changes(position, site.form, site.cells, standing)


def _repeat_pattern(
    rule: Pattern,
    position: Position,
    site: Site,
    changes: tuple[dict[Spot, Spot | None], list[Spot]],
) -> tuple[dict[Spot, Spot | None], list[Spot]] | None:
    """The total change when the pattern is applied again and again until it no longer fits; None if it would apply
    endlessly.
    """
    came_from: dict[Spot, Spot | None] = {spot: spot for spot in position.pieces}
    counted = [spot for spot, target in changes[0].items() if target not in (None, spot)][-1]
    # an application can leave all cells as they are, and still continue from another cell
    seen: set[tuple[frozenset[Spot], int]] = set()
    found: tuple[dict[Spot, Spot | None], list[Spot]] | None = changes
    while found is not None:
        origins = [(target, came_from.pop(spot)) for spot, target in found[0].items()]
        came_from.update((target, origin) for target, origin in origins if target is not None)
        came_from.update(dict.fromkeys(found[1]))
        pieces, lead = frozenset(came_from), _lead_of(site)
        if (pieces, lead) in seen:
            return None
        seen.add((pieces, lead))
        site, found = _next(rule, Position(position.puzzle, pieces, position.values), site)
    went = {origin: spot for spot, origin in came_from.items() if origin is not None}
    gone = {spot: went.get(spot) for spot in sorted(position.pieces) if went.get(spot) != spot}
    if counted in gone:
        gone[counted] = gone.pop(counted)
    return gone, sorted(spot for spot, origin in came_from.items() if origin is None)


def _next(
    rule: Pattern, here: Position, site: Site
) -> tuple[Site, tuple[dict[Spot, Spot | None], list[Spot]] | None]:
    """The next site where the pattern fits in the same direction, starting from the new place of its first piece, and
    the change there. The change is None if the pattern fits nowhere.
    """
    form, lead = site.form, _lead_of(site)
    for other in _sites_on(rule, here).through(lead):
        known = other.form
        assert known.lead is not None, "the reader checked that something moves"
        reached = (other.direction, known.binding, other.cells[known.lead[0]])
        if reached == (site.direction, form.binding, lead):
            found = _fit(rule, here, other)
            if found is not None:
                return other, found
    return site, None


def _lead_of(site: Site) -> int:
    """The new cell of the first piece that the pattern moves."""
    assert site.form.lead is not None, "the reader checked that something moves"
    return _floor(site.cells[site.form.lead[1]])


def _standing(position: Position, site: Site) -> dict[int, Spot] | None:
    """The pieces at the places of the pattern; None if the pieces do not match."""
    layers = position.layers
    standing: dict[int, Spot] = {}
    for place, layer, cell, fitting, may_be_empty in site.conditions:
        spot = layers[layer].get(cell)
        if spot is not None and spot[0] in fitting:
            standing[place] = spot
        elif spot is not None or not may_be_empty:
            return None
    return standing


def _changes(
    position: Position, form: Form, cells: list[int | None], standing: dict[int, Spot]
) -> tuple[dict[Spot, Spot | None], list[Spot]] | None:
    """The target of each piece (None: the piece is captured) and the new pieces; None if the move is impossible."""
    classes = position.puzzle.classes
    changes: dict[Spot, Spot | None] = {
        standing[start]: (standing[start][0], _floor(cells[end]))
        for start, end in form.carried
        if start != end
    }
    for place in form.removed:
        if place in standing:
            changes[standing[place]] = None
    created = [(class_id, _floor(cells[place])) for place, class_id in form.created]
    for class_id, _ in changes:
        if not classes[class_id].is_single_cell:
            return None  # without `is_whole`, only one-cell pieces can move or be captured
    for spot in (*changes.values(), *created):
        if spot is not None and spot[1] not in classes[spot[0]].cells:
            return None
    return changes, created


def _floor(cell: int | None) -> int:
    assert cell is not None  # such a place is a floor cell
    return cell

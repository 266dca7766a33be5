"""Decides whether a rule fits at a place in a partial state, and computes the changes that the rule makes there.

If the state does not decide a test, the functions raise UndecidedError. If any test is false, however, the rule does
not fit, even if other tests are undecided.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fewest.errors import DocumentError
from fewest.grounding.grounder import Grounder
from fewest.grounding.guard import assigned
from fewest.grounding.motion import bindings_in, directions_of
from fewest.grounding.multi_cell import multi_cell_effects
from fewest.grounding.partial import Change
from fewest.grounding.pattern import classes_of, created_by, moved_by, orientations_of
from fewest.grounding.pushing import pushed_group
from fewest.grounding.slide import entered_layer_cells
from fewest.grounding.steps import shifted_fact
from fewest.grounding.view import FactView, UndecidedError
from fewest.model.board import Direction
from fewest.model.rules import Action, Element, Form, Guard, Names, Pattern, Rule, Slide
from fewest.model.undefined import is_undefined


class ElementTest(NamedTuple):
    """The condition of a pattern element at a layer cell. `matters`: whether the effect depends on the piece on this
    cell.
    """

    element: Element
    layer_cell: int
    matters: bool
    place: int  # The place of the element in its form.
    classes: frozenset[int]  # The classes that match the element.


class Site(NamedTuple):
    """One placement of a rule at a cell.

    The site of a pattern consists of its form, the cells of its elements and their conditions. The site of a slide
    consists of the piece's facts before and after, the layer cells that the piece enters, and the number of the
    binding. `touched` are all layer cells of the placement.
    """

    form: Form | None
    cells: tuple[int | None, ...]
    start: int
    target: int
    touched: frozenset[int]
    direction: Direction
    element_tests: tuple[ElementTest, ...] = ()
    binding: int = -1


def fitting(
    moved: list[tuple[int, int]],
    removed: list[int],
    created: list[int],
    changes: dict[int, tuple[int, int]],
    *,
    keeps_idle: bool = False,
) -> Change | None:
    """The change that moves, removes and creates these pieces, and gives variables these new values; None if nothing
    changes, unless `keeps_idle` is true.
    """
    pairs = tuple(pair for pair in moved if pair[0] != pair[1])
    deleted = {source for source, _ in pairs} | set(removed)
    added = {target for _, target in pairs} | set(created)
    for old, new in changes.values():
        if old != new:
            deleted.add(old)
            added.add(new)
    if deleted == added and not keeps_idle:
        return None
    return Change(
        pairs, tuple(removed), tuple(created), frozenset(deleted - added), frozenset(added)
    )


def sites_of(rule: Rule, grounder: Grounder, cell: int) -> list[Site]:
    """The placements of a rule at a cell, in the order in which they are tried."""
    if isinstance(rule, Pattern):
        return _pattern_sites(rule, grounder, cell)
    assert isinstance(rule, Slide), "only rules with a place are laid"
    # binding by binding, then direction by direction, then layer by layer; in a layer, the piece that covers the first
    # cell comes first
    found: list[tuple[tuple[int, int, int, int], Site]] = []
    for piece in grounder.puzzle.answering(rule.word):
        start = grounder.fact(piece.id, cell)
        if start is None:
            continue
        first = min(grounder.board.cover(piece.shape, cell) or (cell,))
        for number, direction in enumerate(directions_of(rule, piece, grounder.board)):
            target = shifted_fact(grounder, start, direction.offset)
            if target is not None and target != start:
                there = grounder.facts[target].cell
                entered = tuple(entered_layer_cells(grounder, piece.id, cell, there))
                touched = frozenset({*grounder.layer_cells_at(piece.id, cell), *entered})
                for binding, _ in bindings_in(rule.guard, direction):
                    site = Site(None, entered, start, target, touched, direction, binding=binding)
                    found.append(((binding, number, piece.layer, first), site))
    return [site for _, site in sorted(found, key=lambda one: one[0])]


def _pattern_sites(rule: Pattern, grounder: Grounder, cell: int) -> list[Site]:
    board = grounder.board
    sites: list[Site] = []
    for form in rule.forms:
        going = form.going
        placements = grounder.placements(form)
        classes = [_classes(element, grounder) for element in form.elements]
        for orientation in orientations_of(rule, form):
            for cells in placements.at(orientation, cell):
                touched = frozenset(
                    grounder.layer_cell(here, element.layer)
                    for here, element in zip(cells, form.elements, strict=True)
                    if here is not None and here not in board.walls
                )
                element_tests = tuple(
                    ElementTest(
                        element,
                        grounder.layer_cell(here, element.layer),
                        place in going,
                        place,
                        classes[place],
                    )
                    for place, (element, here) in enumerate(zip(form.elements, cells, strict=True))
                    if here is not None and here not in board.walls and "_" not in element.words
                )
                heading = orientation.direction
                sites.append(Site(form, tuple(cells), -1, -1, touched, heading, element_tests))
    return sites


def _classes(element: Element, grounder: Grounder) -> frozenset[int]:
    """The piece classes that match a pattern element."""
    return frozenset(piece.id for piece in classes_of(element, grounder.puzzle))


def fits_pattern(
    rule: Pattern, sites: list[Site], view: FactView, *, keeps_idle: bool = False
) -> Iterator[Change]:
    """The changes of all fitting sites, in their order. Sites where nothing changes are omitted, unless `keeps_idle` is
    true. Raises UndecidedError, and DocumentError if an expression has no value.
    """
    for site in sites:
        assert site.form is not None
        form = site.form
        tests = _Tests()
        standing: dict[int, int] = {}
        for element_test in site.element_tests:
            if not tests.may_hold(_ElementMatches(element_test, standing), view):
                break
        else:
            if not tests.may_hold(_ConditionHolds(rule.guard, form.names), view):
                continue
            tests.raise_open()
            found = _pattern_effect(rule, site, form, standing, view, tests, keeps_idle)
            if found is not None:
                yield found


def _pattern_effect(
    rule: Pattern,
    site: Site,
    form: Form,
    standing: dict[int, int],
    view: FactView,
    tests: _Tests,
    keeps_idle: bool,
) -> Change | None:
    facts, cells = view.facts, site.cells
    created = created_by(form, facts, cells)
    if created is None:
        return None
    if rule.is_whole:
        found = multi_cell_effects(facts, form, cells, standing, created, site.direction)
        if found is None or not found.has_room(view):
            return None
        changes = tests.assigned(rule.guard, form.names, view)
        return fitting(found.moved, found.removed, created, changes, keeps_idle=keeps_idle)
    if any(
        not facts.puzzle.classes[facts.class_of(standing[place])].is_single_cell
        for place in form.going
        if place in standing
    ):
        return None
    moved = moved_by(form, facts, cells, standing)
    if moved is None:
        return None
    removed = [standing[place] for place in form.removed if place in standing]
    changes = tests.assigned(rule.guard, form.names, view)
    return fitting(moved, removed, created, changes, keeps_idle=keeps_idle)


def fits_slide(rule: Slide, sites: list[Site], view: FactView) -> Iterator[Change]:
    """The changes of all fitting sites, in their order. Raises the same errors as `fits_pattern`."""
    for site in sites:
        names = rule.guard.bindings[site.binding]
        tests = _Tests()
        if rule.has_pushing:
            if not tests.may_hold(_IsTrue(site.start), view):
                continue
            if not tests.may_hold(_ConditionHolds(rule.guard, names), view):
                continue
            tests.raise_open()
            moved = pushed_group(rule, view, site.start, site.direction.offset)
            if moved is not None:
                found = fitting(moved, [], [], tests.assigned(rule.guard, names, view))
                if found is not None:
                    yield found
        elif (
            tests.may_hold(_IsTrue(site.start), view)
            and all(
                tests.may_hold(_IsFree(cell, site.start), view)
                for cell in site.cells
                if cell is not None
            )
            and tests.may_hold(_ConditionHolds(rule.guard, names), view)
        ):
            tests.raise_open()
            changes = tests.assigned(rule.guard, names, view)
            found = fitting([(site.start, site.target)], [], [], changes)
            if found is not None:
                yield found


def fits_action(rule: Action, view: FactView) -> Change | None:
    """The change of the first binding for which the rule changes anything; None if no binding changes anything. Raises
    the same errors as `fits_pattern`.
    """
    for names in rule.guard.bindings:
        found = fits_turn(rule, names, view)
        if found is not None:
            return found
    return None


def fits_turn(rule: Action, names: Names, view: FactView) -> Change | None:
    """The change of one binding; None if the rule does not apply or changes nothing. Raises the same errors as
    `fits_pattern`.
    """
    tests = _Tests()
    if not tests.may_hold(_ConditionHolds(rule.guard, names), view):
        return None
    tests.raise_open()
    return fitting([], [], [], tests.assigned(rule.guard, names, view))


# -- conditions that must all hold --------------------------------------------------------------------


class _IsTrue(NamedTuple):
    fact: int

    def answer(self, view: FactView) -> bool:
        found = view.truth(self.fact)
        if found is None:
            raise UndecidedError([([self.fact], []), ([], [self.fact])])
        return found


class _IsFree(NamedTuple):
    """Whether no piece covers a layer cell, except perhaps the piece of the fact `own`."""

    layer_cell: int
    own: int

    def answer(self, view: FactView) -> bool:
        found = {f: view.truth(f) for f in view.facts.covering(self.layer_cell) if f != self.own}
        if any(found.values()):
            return False
        possible = [fact for fact, truth in found.items() if truth is None]
        if possible:
            raise UndecidedError([*(([fact], []) for fact in possible), ([], possible)])
        return True


class _ElementMatches(NamedTuple):
    """A test of whether the contents of a layer cell match a pattern element. The test records the piece on the layer
    cell. If the effect depends on an undecided piece, the test is undecided.
    """

    test: ElementTest
    standing: dict[int, int]

    def answer(self, view: FactView) -> bool:
        facts, (element, layer_cell, matters, place, classes) = view.facts, self.test
        none_fits = ("empty" in element.words) != element.is_negated
        known, truth_of = facts.facts, view.truth
        possible: list[int] = []
        for fact in facts.covering(layer_cell):
            truth = truth_of(fact)
            if truth:
                self.standing[place] = fact
                return known[fact].class_id in classes
            if truth is None:
                possible.append(fact)
        if not possible:
            return none_fits
        fitting_facts = [f for f in possible if known[f].class_id in classes]
        if not fitting_facts and not none_fits:
            return False
        others = [f for f in possible if f not in fitting_facts] if none_fits else []
        if none_fits and not matters and not others:
            return True
        candidates = possible if matters and none_fits else others if none_fits else fitting_facts
        raise UndecidedError([*(([fact], []) for fact in candidates), ([], candidates)])


class _ConditionHolds(NamedTuple):
    """Whether the condition of a rule holds."""

    guard: Guard
    names: Names

    def answer(self, view: FactView) -> bool:
        return self.guard.when is None or bool(self.guard.when.evaluate(self.names, view))


class _Tests:
    """A conjunction of tests: one false test decides it, even if other tests are undecided.

    A condition that has no value (`failure`) is an error only if all other conditions hold; the reference interpreter
    has the same rule.
    """

    def __init__(self) -> None:
        self.open: UndecidedError | None = None
        self.failure: DocumentError | None = None

    def may_hold(
        self, test: _IsTrue | _IsFree | _ElementMatches | _ConditionHolds, view: FactView
    ) -> bool:
        """Returns False if the condition is false; True if it is true or undecided, or has no value."""
        try:
            return test.answer(view)
        except UndecidedError as error:
            self.open = self.open or error
            return True
        except DocumentError as error:
            if not is_undefined(error):
                raise
            self.failure = error
            return True

    def raise_open(self) -> None:
        """Raise the error of the first undecided condition."""
        if self.open is not None:
            raise self.open

    def assigned(self, guard: Guard, names: Names, view: FactView) -> dict[int, tuple[int, int]]:
        """The assignments of the rule, if all conditions hold. Raises DocumentError if a condition or an expression
        has no value.
        """
        if self.failure is not None:
            raise self.failure
        return assigned(guard, names, view)

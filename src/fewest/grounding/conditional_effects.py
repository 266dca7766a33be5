"""Consequences become conditional effects, one for each case of each rule at each place, in the order of the sweeps.

This form is meant for puzzles that would have too many operators if each operator included its consequences, as in
`consequences.py`. Here, a case depends only on the condition of one rule at one place. The number of effects is
therefore about the number of operators that the rules of `then` would have if they were moves. The search applies the
effects (`model/conditional_effects.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf
from random import Random

from msgspec import structs

from fewest.errors import DocumentError
from fewest.grounding.cases_at_sites import cases_at, independent_cases
from fewest.grounding.commands import Command
from fewest.grounding.consequences import Consequences
from fewest.grounding.grounder import FAR_BEYOND, MAX_OPERATORS, Grounder
from fewest.grounding.intermediate_view import IntermediateView, RuleInstance, fits
from fewest.grounding.matching import fits_turn
from fewest.grounding.motion import directions_of
from fewest.grounding.partial import Change, DraftEffect, DraftStage, PartialState, partial
from fewest.grounding.pushing_size import check_size
from fewest.grounding.remedies import remedy
from fewest.grounding.tree_size import TRIALS
from fewest.grounding.view import PartialView
from fewest.model.rules import Action, Names, Slide
from fewest.model.undefined import is_undefined


def effect_stages(rules: Consequences, done: Callable[[str], None]) -> tuple[DraftStage, ...]:
    """The stages of all commands and consequences. Consequences that only set variables, and do not have `once`, are in
    the last stage, at a single place.

    `done` is called after each place of a rule, with the name of the rule. Raises DocumentError (`task-too-large`) if a
    limit of the grounder is exceeded.
    """
    grounder = rules.grounder
    for rule in grounder.puzzle.then:
        if isinstance(rule, Slide) and rule.has_pushing:
            grounder.part = ("then", rule.name)
            for piece in grounder.puzzle.answering(rule.word):
                check_size(rule, grounder, piece.id, directions_of(rule, piece, grounder.board))
    numbers: Counter[str] = Counter()
    stages: list[DraftStage] = []
    for number, (ranks, is_everywhere) in enumerate(rules.stages):
        pending = frozenset() if number < rules.num_obeying else _orders(grounder)
        places: list[tuple[DraftEffect, ...]] = []
        checked = set[str]()
        for rank in ranks:
            place: list[DraftEffect] = []
            for unit in (rules.units[number] for number in rules.places[rank]):
                name = unit.rule.name
                grounder.part = ("then" if unit.order is None else "moves", name)
                when = unit.rule.guard.when
                reads = when is not None and when.reads_state
                if reads and unit.order is None and unit.sites and name not in checked:
                    checked.add(name)
                    _check_size(grounder, unit, rules, ranks, is_everywhere)
                before = len(place)
                for effect in _effects_of(grounder, unit, is_everywhere):
                    place.append(_without(effect, pending))
                numbers[name] += len(place) - before
                done(name)
            if numbers.total() > MAX_OPERATORS:
                grounder.too_many("consequences", numbers)
            if place:
                places.append(tuple(place))
        stages.append(DraftStage(tuple(places), is_everywhere))
    if rules.actions:
        pending = _orders(grounder)
        found: list[DraftEffect] = []
        for rule in rules.actions:
            grounder.part = ("then", rule.name)
            found += (_without(effect, pending) for effect in _effects_of_action(grounder, rule))
            done(rule.name)
        stages.append(DraftStage((tuple(found),)))
    grounder.part = ("then",)
    return tuple(stages)


def _orders(grounder: Grounder) -> frozenset[int]:
    """The facts that are true while commands are pending."""
    return frozenset(order.given for order in grounder.orders)


def _without(effect: DraftEffect, pending: frozenset[int]) -> DraftEffect:
    """The effect, with the additional condition that no command is pending. A command that no piece has obeyed remains
    pending; it is not a move, so it has no consequences.
    """
    at = PartialState(effect.at.positive, effect.at.negative | pending)
    return structs.replace(effect, at=at) if pending else effect


def _effects_of(
    grounder: Grounder, unit: RuleInstance, is_everywhere: bool
) -> Iterator[DraftEffect]:
    """The effects of a rule at a cell, in disjoint cases for each site."""
    if unit.order is not None:
        yield from _executing(grounder, unit, unit.order)
        return
    if unit.to_come is not None:
        yield from _in_one_sweep(grounder, unit, unit.to_come, is_everywhere)
        return
    for site in unit.sites:
        known = independent_cases(grounder, unit.rule, site)
        if known is None:
            decide = _changes_at(grounder, replace(unit, sites=[site]), is_everywhere)
            found = iter(grounder.split(decide))
        else:
            found = cases_at(grounder, unit, site, known)
        for changes, at in found:
            if isinstance(changes, DocumentError):
                yield _stray(grounder, unit.rule.name, at, changes)
                continue
            for change in changes:
                if is_everywhere:
                    yield _marked(grounder, unit.rule.name, at, change)
                else:
                    yield _effect(unit.rule.name, at, change)


def _changes_at(
    grounder: Grounder, alone: RuleInstance, is_everywhere: bool
) -> Callable[[PartialView], list[Change] | DocumentError]:
    """A function that returns the changes of a rule at its only site, or the error if an expression has no value."""

    def decide(plain: PartialView) -> list[Change] | DocumentError:
        found = fits(alone, IntermediateView(grounder, plain.at))
        try:
            return list(found) if is_everywhere else [change for change, _ in zip(found, "1")]  # noqa: B905
        except DocumentError as error:
            return _undefined(error)

    return decide


def _check_size(
    grounder: Grounder, first: RuleInstance, rules: Consequences, ranks: range, is_everywhere: bool
) -> None:
    """Raises DocumentError (`task-too-large`) if a rule has far too many effects at the places of a stage, as estimates
    at some places show. This takes far less time than adding the effects.
    """
    units = [rules.units[number] for rank in ranks for number in rules.places[rank]]
    units = [unit for unit in units if unit.rule is first.rule and unit.sites]
    total = inf
    for seed in range(TRIALS):
        random = Random(seed)
        unit = random.choice(units)
        found = 0.0
        for site in unit.sites:
            alone = replace(unit, sites=[site], to_come=None)
            decide = _changes_at(grounder, alone, is_everywhere)
            found += grounder.expected_results(decide, random)
        total = min(total, found * len(units))
        if total <= FAR_BEYOND * MAX_OPERATORS:
            return
    name = first.rule.name
    grounder.too_large(
        f"`{name}` has about {round(total):,} cases at {len(units):,} places",
        f"{MAX_OPERATORS:,}",
        remedy(grounder.puzzle, grounder.part),
    )


def _in_one_sweep(
    grounder: Grounder, unit: RuleInstance, to_come: int, is_everywhere: bool
) -> Iterator[DraftEffect]:
    """The effects of a `once` rule at a cell during its sweep, and the effect that ends the sweep."""
    facts = frozenset((to_come,))
    if unit.ends_sweep:
        yield DraftEffect(unit.rule.name, partial(facts), facts)
        return
    if isinstance(unit.rule, Action):
        found = _effects_of_action(grounder, unit.rule)
    else:
        found = _effects_of(grounder, replace(unit, to_come=None), is_everywhere)
    for effect in found:
        at = PartialState(effect.at.positive | facts, effect.at.negative)
        # If a rule applies everywhere simultaneously, all marked effects happen, and the first of them ends the sweep.
        clear = effect.clear | facts if is_everywhere else effect.clear
        yield structs.replace(effect, at=at, clear=clear)


def _executing(grounder: Grounder, unit: RuleInstance, order: Command) -> Iterator[DraftEffect]:
    """The effects of a pending command at a cell. If the instance has no sites, its only effect ends the command."""
    if not unit.sites:
        facts = frozenset((order.given, order.moved))
        yield DraftEffect(unit.rule.name, partial(facts), facts)
    for site in unit.sites:
        alone = replace(unit, sites=[site])

        def decide(plain: PartialView, alone: RuleInstance = alone) -> Change | None:
            view = IntermediateView(grounder, plain.at)
            view.known[order.given] = True
            return next(fits(alone, view), None)

        for change, at in grounder.split(decide):
            if change is not None:
                step = _effect(
                    unit.rule.name, at, structs.replace(change, added=change.added - {order.moved})
                )
                given = PartialState(step.at.positive | {order.given}, step.at.negative)
                moved = frozenset((order.moved,))
                yield DraftEffect(step.rule, given, step.flip | moved, moved)


def _effects_of_action(grounder: Grounder, rule: Action) -> Iterator[DraftEffect]:
    """The effects of a rule that only sets variables, binding by binding; the first effect that fits applies."""
    for names in rule.guard.bindings:

        def decide(plain: PartialView, names: Names = names) -> Change | DocumentError | None:
            try:
                return fits_turn(rule, names, plain)
            except DocumentError as error:
                return _undefined(error)

        for change, at in grounder.split(decide):
            if isinstance(change, DocumentError):
                yield _stray(grounder, rule.name, at, change)
            elif change is not None:
                yield _effect(rule.name, at, change)


def _undefined(error: DocumentError) -> DocumentError:
    """Returns the error if an expression of the rule has no value; raises any other error."""
    if not is_undefined(error):
        raise error
    return error


def _stray(grounder: Grounder, rule: str, at: PartialState, error: DocumentError) -> DraftEffect:
    """The effect of a rule in states where an expression of the rule has no value: it makes a forbidden fact true."""
    stray = grounder.stray
    whole = PartialState(at.positive, at.negative | {stray})
    # If two such effects are marked, the second effect must not undo the first.
    return DraftEffect(
        rule, whole, frozenset((stray,)), needs=partial([], [stray]), undefined=error.diagnostics
    )


def _effect(rule: str, at: PartialState, change: Change) -> DraftEffect:
    """The effect that applies a change wherever it fits."""
    deleted, added = _net(change)
    whole = PartialState(at.positive | deleted, at.negative | added)
    return DraftEffect(rule, whole, deleted | added)


def _marked(grounder: Grounder, rule: str, at: PartialState, change: Change) -> DraftEffect:
    """The effect of a change that is marked first and applied later; `needs` is the precondition for applying it."""
    values = {fact for fact in change.added if grounder.facts[fact].slot >= 0}
    slots = {grounder.facts[fact].slot for fact in values}
    clear = frozenset(fact for slot in slots for fact in grounder.value_facts[slot])
    deleted, added = _net(change)
    deleted, added = deleted - clear, added - values
    going = {*(source for source, _ in change.moved), *change.removed}
    arriving = {*(target for _, target in change.moved), *change.created}
    if not arriving:
        return DraftEffect(rule, at, frozenset(values), clear | deleted)
    taken = {
        other
        for fact in arriving
        for layer_cell in grounder.layer_cells_of(fact)
        for other in grounder.covering(layer_cell)
        if other not in going
    }
    return DraftEffect(rule, at, deleted | added | values, clear, partial(going, taken))


def _net(change: Change) -> tuple[frozenset[int], frozenset[int]]:
    """The facts that become false, and the facts that become true."""
    going = {*(source for source, _ in change.moved), *change.removed}
    return change.deleted, change.added - going

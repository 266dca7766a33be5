"""Simultaneous assignments: a move that sets variables to the values of other variables can become one operator with
effects.

If such a move is divided into flips, it has one operator for each combination of the values that it reads and replaces:
copying a variable with ten values to another takes 90 operators, and changing five lamps together takes 32. If an
expression depends only on the value of one variable or on the place of one piece, its cases are independent of the
cases of other expressions. If this is true of all expressions, the move makes a hidden fact *pending* true, which is
false in every position. The effects are in a stage that applies to all places simultaneously; this stage has one place
for each partition into cases, with an effect for each case, and a last place that ends the assignment. The number of
effects is therefore the number of values, not the number of pairs of values. For engines that need plain operators,
`analysis.case_split` replaces these effects by operators, one for each case.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TypeAlias

from msgspec import Struct

from fewest.grounding.facts import MAX_FACTS
from fewest.grounding.grounder import Grounder
from fewest.grounding.guard import ground_guard, words
from fewest.grounding.partial import DraftEffect, DraftStage, PartialState, partial
from fewest.grounding.remedies import FEWER_BINDINGS
from fewest.grounding.view import PartialView, UndecidedError
from fewest.model.expression import Env, Expression, out_of_range
from fewest.model.rules import Action, Names

_FEW = 4  # a case with at most this many operators is divided into plain operators

Partition: TypeAlias = tuple[PartialState, ...]
"""A partition of all states into cubes, the cases, for example one for each value of a variable."""

_ONE_CASE: Partition = (partial(),)


class Assigned(Struct, frozen=True):
    """The assignments of a move: for each partition and each of its cases, the facts that become true.

    `slots` are the variables that get a new value that depends on the case; `num_flips` is the number of operators
    that the move has if it is divided.
    """

    made: dict[Partition, tuple[frozenset[int], ...]]
    slots: dict[Partition, frozenset[int]]
    num_flips: int


def ground_assignments(
    rule: Action,
    grounder: Grounder,
    binding: int,
    names: Names,
    cases: Sequence[PartialState] | None = None,
) -> None:
    """Add the operators and the effects of a binding that has more than `Grounder.most_flips` cases.

    A case with few operators is divided into plain operators. `cases`: disjoint cubes that contain exactly the states
    in which the condition is true; None if they are not known.
    """
    text = words(rule.guard, names)
    few = min(_FEW, grounder.most_flips)
    when = rule.guard.when if cases is None else None

    def decide(view: PartialView) -> Assigned | None:
        if when is not None and not when.evaluate(names, view):
            return None
        return _assigned(rule, names, view)

    known_cases = [partial()] if cases is None else cases
    found = (pair for case in known_cases for pair in grounder.split(decide, case))
    for assigned, at in found:
        if assigned is None:
            continue
        if assigned.num_flips <= few:
            known = _known_changes(grounder, assigned, at)
            parts = (
                ground_guard(rule.guard, grounder, names, at) if known is None else [(at, known)]
            )
            for refined, changes in parts:
                grounder.add(rule.name, refined, changes, words=text, binding=binding)
            continue
        pending = grounder.add_hidden(f"({rule.name}{text and ' '}{text})")
        grounder.add(rule.name, at, {}, created=[pending], words=text, binding=binding)
        grounder.pending.append(pending)
        if len(grounder.pending) > MAX_FACTS:
            grounder.too_large(
                f"`{rule.name}` needs more than {MAX_FACTS:,} hidden facts, one for each case of a move that sets "
                "variables to values that depend on the position",
                f"{MAX_FACTS:,}",
                FEWER_BINDINGS,
            )
        grounder.assigning += _places(grounder, rule.name, pending, assigned)
    if grounder.assigning:
        grounder.effects = (DraftStage(tuple(grounder.assigning), is_everywhere=True),)


def _known_changes(
    grounder: Grounder, assigned: Assigned, at: PartialState
) -> dict[int, tuple[int, int]] | None:
    """By slot, the facts of the old and the new value; None if a new or a replaced value depends on the state."""
    if assigned.num_flips > 1 or set(assigned.made) != {_ONE_CASE}:
        return None
    made = assigned.made[_ONE_CASE][0]
    changes: dict[int, tuple[int, int]] = {}
    for slot in assigned.slots[_ONE_CASE]:
        values = grounder.values_of(slot)
        (new,) = made & values
        old = at.positive & values
        if len(old) != 1:
            return None
        changes[slot] = (next(iter(old)), new)
    return changes


def _places(
    grounder: Grounder, rule: str, pending: int, assigned: Assigned
) -> list[tuple[DraftEffect, ...]]:
    """The effects, place by place: one place for each partition, and a last place that ends the assignment."""
    places: list[tuple[DraftEffect, ...]] = []
    needs = partial([pending])
    ended = frozenset([pending])
    partitions = [partition for partition in assigned.made if partition != _ONE_CASE]
    for partition in (*partitions, _ONE_CASE):
        made = assigned.made.get(partition, (frozenset(),))
        slots = assigned.slots.get(partition, ())
        clear = frozenset(fact for slot in slots for fact in grounder.value_facts[slot])
        if partition == _ONE_CASE:
            made = (made[0] | ended,)
        places.append(
            tuple(
                DraftEffect(
                    rule,
                    PartialState(case.positive | ended, case.negative),
                    facts,
                    clear,
                    needs,
                )
                for case, facts in zip(partition, made, strict=True)
            )
        )
    return places


def _assigned(rule: Action, names: Names, view: PartialView) -> Assigned:
    """The assignments of the rule in a partial state in which its condition is true.

    Raises UndecidedError if the index of a target is undecided, or if an expression depends on more than one partition.
    Raises DocumentError if an expression has no value, or a value out of range.
    """
    guard = rule.guard
    by_slot: dict[int, dict[PartialState, int]] = {}
    for target, expression in guard.assignments:
        for slot, env in target.assignments(Env(names, view)):
            by_slot[slot] = _values(slot, expression, env, view)
    made: dict[Partition, list[set[int]]] = {}
    slots: dict[Partition, set[int]] = {}
    for slot, values in by_slot.items():
        partition = tuple(values)
        facts = made.setdefault(partition, [set() for _ in partition])
        for known, fact in zip(facts, values.values(), strict=True):
            known.add(fact)
        slots.setdefault(partition, set()).add(slot)
    return Assigned(
        {partition: tuple(map(frozenset, facts)) for partition, facts in made.items()},
        {partition: frozenset(found) for partition, found in slots.items()},
        _num_flips(view, by_slot),
    )


def _values(
    slot: int, expression: Expression, env: Env, view: PartialView
) -> dict[PartialState, int]:
    """The fact that an expression makes true, for each case of its only partition."""

    def made(undecided: PartialView) -> int:
        value = expression.evaluate_in(env_of(undecided))
        fact = view.facts.value_fact(slot, value)
        if fact is None:
            variable = view.facts.puzzle.variables[slot]
            raise expression.error_for(out_of_range(variable.name, value, variable.values))
        return fact

    def env_of(undecided: PartialView) -> Env:
        return Env(env.names, undecided)

    try:
        return {partial(): made(view)}
    except UndecidedError as undecided:
        values: dict[PartialState, int] = {}
        for positive, negative in undecided.alternatives:
            case = partial(positive, negative)
            at = PartialState(view.at.positive | case.positive, view.at.negative | case.negative)
            try:
                values[case] = made(PartialView(view.facts, at))
            except UndecidedError:
                raise undecided from None
        return values


def _num_flips(view: PartialView, by_slot: dict[int, dict[PartialState, int]]) -> int:
    """The number of operators if the move is divided: the product of the numbers of cases of the partitions and, for
    each variable with an old value that no case determines, the number of its possible old values.
    """
    partitions = {tuple(values) for values in by_slot.values()}
    replaced = 1
    for slot in by_slot:
        values = view.facts.values_of(slot)
        possible = view.at.positive & values or values - view.at.negative
        if not any(_determines_value(partition, possible) for partition in partitions):
            replaced *= len(possible)
    return prod(map(len, partitions)) * replaced


def _determines_value(partition: Partition, values: frozenset[int]) -> bool:
    """Whether every case determines the value of the variable that has these values."""
    return all(
        not values.isdisjoint(case.positive) or len(values - case.negative) == 1
        for case in partition
    )

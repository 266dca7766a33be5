"""Simultaneous assignments: a move that sets variables to the values of other variables can become one operator with
effects.

If such a move is divided into flips, it has one operator for each combination of the values that it reads and replaces:
copying a variable with ten values to another takes 90 operators, and changing five lamps together takes 32. If an
expression depends on only one question (the value of a variable or the place of a piece), its cases are independent of
the cases of other expressions. If this is true of all expressions, the move makes a hidden fact *pending* true, which
is false in every position. The effects are in a stage that applies to all places simultaneously; this stage has one
place for each question, with an effect for each answer, and a last place that ends the assignment. The number of
effects is therefore the number of values, not the number of pairs of values. For engines that need plain operators,
`analysis.case_split` replaces these effects by operators, one for each case.
"""

from __future__ import annotations

from math import prod
from typing import TypeAlias

from msgspec import Struct

from fewest.grounding.grounder import Grounder
from fewest.grounding.guard import ground_guard, words
from fewest.grounding.partial import DraftEffect, DraftStage, PartialState, partial
from fewest.grounding.view import PartialView, UndecidedError
from fewest.model.expression import Env, Expression, out_of_range
from fewest.model.rules import Action, Names

_FEW = 4  # a case with at most this many operators is divided into plain operators

Question: TypeAlias = tuple[PartialState, ...]
"""A partition of all states into cubes, one for each possible answer to a question about the state."""

_NO_QUESTION: Question = (partial(),)


class Assigned(Struct, frozen=True):
    """The assignments of a move: for each question and each of its answers, the facts that become true.

    `slots` are the variables that get a new value that depends on the question; `num_flips` is the number of operators
    that the move has if it is divided.
    """

    made: dict[Question, tuple[frozenset[int], ...]]
    slots: dict[Question, frozenset[int]]
    num_flips: int


def ground_assignments(rule: Action, grounder: Grounder, binding: int, names: Names) -> None:
    """Add the operators and the effects of a binding that has more than `Grounder.most_flips` cases.

    A case with few operators is divided into plain operators.
    """
    text = words(rule.guard, names)
    few = min(_FEW, grounder.most_flips)
    for assigned, at in grounder.split(lambda view: _assigned(rule, names, view)):
        if assigned is None:
            continue
        if assigned.num_flips <= few:
            known = _known_changes(grounder, assigned, at)
            cases = (
                ground_guard(rule.guard, grounder, names, at) if known is None else [(at, known)]
            )
            for refined, changes in cases:
                grounder.add(rule.name, refined, changes, words=text, binding=binding)
            continue
        pending = grounder.add_hidden(f"({rule.name}{text and ' '}{text})")
        grounder.add(rule.name, at, {}, created=[pending], words=text, binding=binding)
        grounder.pending.append(pending)
        grounder.assigning += _places(grounder, rule.name, pending, assigned)
    if grounder.assigning:
        grounder.effects = (DraftStage(tuple(grounder.assigning), is_everywhere=True),)


def _known_changes(
    grounder: Grounder, assigned: Assigned, at: PartialState
) -> dict[int, tuple[int, int]] | None:
    """By slot, the facts of the old and the new value; None if a new or a replaced value depends on the state."""
    if assigned.num_flips > 1 or set(assigned.made) != {_NO_QUESTION}:
        return None
    made = assigned.made[_NO_QUESTION][0]
    changes: dict[int, tuple[int, int]] = {}
    for slot in assigned.slots[_NO_QUESTION]:
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
    """The effects, place by place: one place for each question, and a last place that ends the assignment."""
    places: list[tuple[DraftEffect, ...]] = []
    needs = partial([pending])
    ended = frozenset([pending])
    questions = [question for question in assigned.made if question != _NO_QUESTION]
    for question in (*questions, _NO_QUESTION):
        made = assigned.made.get(question, (frozenset(),))
        slots = assigned.slots.get(question, ())
        clear = frozenset(fact for slot in slots for fact in grounder.value_facts[slot])
        if question == _NO_QUESTION:
            made = (made[0] | ended,)
        places.append(
            tuple(
                DraftEffect(
                    rule,
                    PartialState(answer.positive | ended, answer.negative),
                    facts,
                    clear,
                    needs,
                )
                for answer, facts in zip(question, made, strict=True)
            )
        )
    return places


def _assigned(rule: Action, names: Names, view: PartialView) -> Assigned | None:
    """The assignments of the rule in a partial state; None if the rule does not apply there.

    Raises UndecidedError if the condition or the index of a target is undecided, or if an expression has more than one
    question. Raises DocumentError if an expression has no value, or a value out of range.
    """
    guard = rule.guard
    if guard.when is not None and not guard.when.evaluate(names, view):
        return None
    by_slot: dict[int, dict[PartialState, int]] = {}
    for target, expression in guard.assignments:
        for slot, env in target.assignments(Env(names, view)):
            by_slot[slot] = _values(slot, expression, env, view)
    made: dict[Question, list[set[int]]] = {}
    slots: dict[Question, set[int]] = {}
    for slot, values in by_slot.items():
        question = tuple(values)
        facts = made.setdefault(question, [set() for _ in question])
        for known, fact in zip(facts, values.values(), strict=True):
            known.add(fact)
        slots.setdefault(question, set()).add(slot)
    return Assigned(
        {question: tuple(map(frozenset, facts)) for question, facts in made.items()},
        {question: frozenset(found) for question, found in slots.items()},
        _num_flips(view, by_slot),
    )


def _values(
    slot: int, expression: Expression, env: Env, view: PartialView
) -> dict[PartialState, int]:
    """The fact that an expression makes true, for each answer to its only question."""

    def made(asked: PartialView) -> int:
        value = expression.evaluate_in(env_of(asked))
        fact = view.facts.value_fact(slot, value)
        if fact is None:
            name = view.facts.puzzle.variables[slot].name
            raise expression.blame(out_of_range(name, value))
        return fact

    def env_of(asked: PartialView) -> Env:
        return Env(env.names, asked)

    try:
        return {partial(): made(view)}
    except UndecidedError as asked:
        values: dict[PartialState, int] = {}
        for positive, negative in asked.alternatives:
            answer = partial(positive, negative)
            at = PartialState(
                view.at.positive | answer.positive, view.at.negative | answer.negative
            )
            try:
                values[answer] = made(PartialView(view.facts, at))
            except UndecidedError:
                raise asked from None
        return values


def _num_flips(view: PartialView, by_slot: dict[int, dict[PartialState, int]]) -> int:
    """The number of operators if the move is divided: the product of the numbers of answers to the questions and, for
    each variable with an old value that no question determines, the number of its possible old values.
    """
    questions = {tuple(values) for values in by_slot.values()}
    replaced = 1
    for slot in by_slot:
        values = view.facts.values_of(slot)
        possible = view.at.positive & values or values - view.at.negative
        if not any(_determines_value(question, possible) for question in questions):
            replaced *= len(possible)
    return prod(map(len, questions)) * replaced


def _determines_value(question: Question, values: frozenset[int]) -> bool:
    """Whether every answer determines the value of the variable that has these values."""
    return all(
        not values.isdisjoint(answer.positive) or len(values - answer.negative) == 1
        for answer in question
    )

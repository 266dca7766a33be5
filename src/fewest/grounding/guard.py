"""Grounds the parts that every rule may have in addition to its motion: `for`, `when` and `set`."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import TypeAlias

from msgspec.structs import replace

from fewest.errors import DocumentError
from fewest.grounding.grounder import MAX_OPERATORS, Grounder, ManyCasesError
from fewest.grounding.partial import PartialState, partial
from fewest.grounding.view import FactView, PartialView
from fewest.model.expression import Env, out_of_range
from fewest.model.rules import Action, Guard, Names

Changes: TypeAlias = dict[int, tuple[int, int]]
"""The old and the new fact of every assigned variable, by slot."""

BEYOND = 1.5
"""the factor by which the estimated number of operators of a rule must exceed the limit"""
MANY_CASES = 32
"""from this number of cases at each place, the number of operators is estimated before the operators are added"""
MOST_CALLS = 200
"""the limit on the number of evaluations if the cases of assignments are computed once for all places"""


def ground_guard(
    guard: Guard, grounder: Grounder, names: Names, at: PartialState, most: float = inf
) -> Iterator[tuple[PartialState, Changes]]:
    """Disjoint refinements of `at` in which the condition of the guard is true (see `refinements`), each with the old
    and the new fact of every assigned variable, by slot.

    Raises ManyCasesError if variables change in more than `most` of these states. Raises DocumentError if an expression
    has no value, if a value is out of range, or if there are too many cases.
    """
    if guard.when is None and not guard.assignments:
        yield at, {}
        return
    if guard.when is None and most == inf:
        known = _cases_of_variables(guard, grounder, names, at)
        if known is not None:
            for case, changes in known:
                yield (
                    PartialState(at.positive | case.positive, at.negative | case.negative),
                    changes,
                )
            return
    from fewest.grounding.late_conditions import refinements

    num_cases = 0

    def decide(view: PartialView) -> Changes:
        nonlocal num_cases
        changes = assigned(guard, names, view)
        num_cases += any(old != new for old, new in changes.values())
        if num_cases > most:
            raise ManyCasesError
        return changes

    for changes, refined in refinements(guard.when, names, grounder, at, decide):
        yield refined, changes


def _cases_of_variables(
    guard: Guard, grounder: Grounder, names: Names, at: PartialState
) -> list[tuple[PartialState, Changes]] | None:
    """The cases of assignments that depend only on variables; these cases are the same wherever the rule applies.

    The result is None if the assignments depend on data other than variables, if they have too many cases or no value
    in some state, if `at` contains facts of variables or is inconsistent, or if the grounder has a budget and has not
    computed the cases before.
    """
    variables = grounder.variable_facts
    if not (variables.isdisjoint(at.positive) and variables.isdisjoint(at.negative)):
        return None
    key = id(guard), id(names)
    if key not in grounder.guard_cases:
        if grounder.budget is not None:
            return None
        # The entry keeps the guard and the names alive, so that no other object can get the same id.
        grounder.guard_cases[key] = guard, names, _independent_cases(guard, grounder, names)
    cases = grounder.guard_cases[key][2]
    return None if cases is None or not grounder.is_consistent(at) else cases


def _independent_cases(
    guard: Guard, grounder: Grounder, names: Names
) -> list[tuple[PartialState, Changes]] | None:
    num_calls = 0

    def decide(view: PartialView) -> Changes:
        nonlocal num_calls
        num_calls += 1
        if num_calls > MOST_CALLS:
            raise ManyCasesError
        return assigned(guard, names, view)

    try:
        cases = grounder.split(decide)
    except ManyCasesError:
        _check_operators(guard, grounder, names)
        return None
    # the caller computes the cases (or raises the error) for each place separately
    except DocumentError:
        return None
    facts = grounder.variable_facts
    if all(case.positive <= facts and case.negative <= facts for _, case in cases):
        if len(cases) >= MANY_CASES:
            _check_operators(guard, grounder, names)
        return [(case, changes) for changes, case in cases]
    return None


def _check_operators(guard: Guard, grounder: Grounder, names: Names) -> None:
    """Raises DocumentError (`task-too-large`) if the cases of assignments at all places are certainly too many
    operators. This takes far less time than adding the operators up to the limit.

    If the assignments read only variables, the cases are the same at all places. The number of places is the number of
    operators of the same rule without assignments.
    """
    rule = next((rule for rule in grounder.puzzle.rules if rule.guard is guard), None)
    if rule is None or isinstance(rule, Action) or grounder.add_rule is None:
        return
    places = grounder.fresh()
    places.part = grounder.part
    grounder.add_rule(replace(rule, guard=replace(guard, assignments=())), places)
    binding = next(i for i, known in enumerate(guard.bindings) if known is names)
    num_places = sum(draft.binding == binding for draft in places.drafts)
    most = BEYOND * MAX_OPERATORS / max(1, num_places)
    try:
        size = grounder.size_beyond(lambda view: assigned(guard, names, view), most)
    except DocumentError:  # raised again where the rule applies
        return
    if size is None:
        return
    facts = grounder.variable_facts
    states = [node.state for node in size.found]
    if all(at.positive <= facts and at.negative <= facts for at in states):
        from fewest.grounding.remedies import remedy

        number = round(size.leaves) * num_places
        grounder.too_large(
            f"`{rule.name}` has about {number:,} operators, {num_places:,} moves of pieces with "
            f"about {round(size.leaves):,} cases of `set` each",
            f"{MAX_OPERATORS:,}",
            remedy(grounder.puzzle, grounder.part),
        )


def ground_set(
    guard: Guard, grounder: Grounder, names: Names, most: float
) -> Iterator[tuple[PartialState, dict[int, tuple[int | None, int]]]]:
    """Like `ground_guard` for all states, but a replaced value never causes a case split: an old fact that the
    refinement does not determine is None.

    Raises ManyCasesError if there are more than `most` cases.
    """
    from fewest.grounding.late_conditions import refinements

    num_cases = 0

    def decide(view: PartialView) -> dict[int, tuple[int | None, int]]:
        nonlocal num_cases
        changes: dict[int, tuple[int | None, int]] = {}
        for slot, new in new_facts(guard, names, view):
            changes[slot] = (view.value_fact(slot), new)
        num_cases += 1
        if num_cases > most:
            raise ManyCasesError
        return changes

    for changes, refined in refinements(guard.when, names, grounder, partial(), decide):
        yield refined, changes


def words(guard: Guard, names: Names) -> str:
    """The text of a binding in a plan, such as `d=0, to=2`."""
    return ", ".join(f"{name}={names[name]}" for name in guard.loop_names)


def assigned(guard: Guard, names: Names, view: FactView) -> Changes:
    """The old and the new fact of every variable that a rule sets, by slot. Raises UndecidedError, and DocumentError if
    an expression has no value or a value is out of range.
    """
    changes: Changes = {}
    for slot, new in new_facts(guard, names, view):
        changes[slot] = (view.facts.value_fact_of(slot, view.variable(slot)), new)
    return changes


def new_facts(guard: Guard, names: Names, view: FactView) -> Iterator[tuple[int, int]]:
    """For each slot that a rule sets, the slot and the fact that becomes true. Raises the same errors as `assigned`."""
    facts = view.facts
    for target, expression in guard.assignments:
        for slot, env in target.assignments(Env(names, view)):
            value = expression.evaluate_in(env)
            new = facts.value_fact(slot, value)
            if new is None:
                variable = facts.puzzle.variables[slot]
                raise expression.error_for(out_of_range(variable.name, value, variable.values))
            yield slot, new

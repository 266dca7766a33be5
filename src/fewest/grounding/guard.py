"""Grounding what every rule may carry besides its motion: `for`, `when` and `set`."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from fewest.grounding.grounder import Grounder
from fewest.grounding.partial import PartialState
from fewest.grounding.view import FactView, PartialView
from fewest.model.expression import Env, out_of_range
from fewest.model.rules import Guard, Names


class ManyCasesError(Exception):
    """What a rule sets changes in more ways than were asked for."""


def ground_guard(
    guard: Guard, grounder: Grounder, names: Names, at: PartialState, most: float = inf
) -> Iterator[tuple[PartialState, dict[int, tuple[int, int]]]]:
    """Partial states that refine `at`, each with the facts of variables that change: old, new by slot.

    Raises ManyCasesError for more than `most` of them in which anything changes.
    """
    num_cases = 0
    if guard.when is None and not guard.assignments:
        yield at, {}
        return

    def decide(view: PartialView) -> dict[int, tuple[int, int]] | None:
        nonlocal num_cases
        if guard.when is not None and not guard.when.evaluate(names, view):
            return None
        changes = assigned(guard, names, view)
        num_cases += any(old != new for old, new in changes.values())
        if num_cases > most:
            raise ManyCasesError
        return changes

    for changes, refined in grounder.split(decide, at):
        if changes is not None:
            yield refined, changes


def words(guard: Guard, names: Names) -> str:
    """How a plan names the turn of the loops: `d=0, to=2`."""
    return ", ".join(f"{name}={names[name]}" for name in guard.loop_names)


def assigned(guard: Guard, names: Names, view: FactView) -> dict[int, tuple[int, int]]:
    """The facts of variables that a rule changes: old and new, by slot. Raises what `blame` makes of a value."""
    changes: dict[int, tuple[int, int]] = {}
    facts = view.facts
    for target, expression in guard.assignments:
        for slot, env in target.assignments(Env(names, view)):
            value = expression.evaluate_in(env)
            new = facts.value_fact(slot, value)
            if new is None:
                name = facts.puzzle.variables[slot].name
                raise expression.blame(out_of_range(name, value))
            changes[slot] = (facts.value_fact_of(slot, view.variable(slot)), new)
    return changes

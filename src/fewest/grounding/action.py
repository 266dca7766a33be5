"""Grounds actions, which are rules that only set variables."""

from __future__ import annotations

from math import inf

from fewest.grounding.assignments import ground_assignments
from fewest.grounding.grounder import Grounder, ManyCasesError
from fewest.grounding.guard import ground_guard, ground_set, words
from fewest.grounding.partial import PartialState, SetMove, partial
from fewest.model.rules import Action

MANY_TURNS = 500
"""with at least this number of bindings of a rule, it saves time to analyse the pairs of values first (`pairs.py`)"""


def ground_action(rule: Action, grounder: Grounder) -> None:
    """Add the operators of the rule, or store its assignments for `divide_set_moves`."""
    most = inf if grounder.has_consequences else grounder.most_flips
    if len(rule.guard.bindings) >= MANY_TURNS and most < inf and grounder.waits_for_pairs:
        ground_later(rule, grounder, most)
        return
    for binding in range(len(rule.guard.bindings)):
        ground_binding(rule, grounder, binding, most)


def ground_binding(rule: Action, grounder: Grounder, binding: int, most: float) -> None:
    """Add the operators of one binding of the rule."""
    names = rule.guard.bindings[binding]
    text = words(rule.guard, names)
    try:
        cases = list(ground_guard(rule.guard, grounder, names, partial(), most))
    except ManyCasesError as error:
        ground_assignments(rule, grounder, binding, names, error.cases)
        return
    for at, changes in cases:
        grounder.add(rule.name, at, changes, words=text, binding=binding, waits=rule.waits)


def ground_later(rule: Action, grounder: Grounder, most: float) -> None:
    """Store the assignments of the rule for `divide_set_moves`, which adds operators once all rules are known: one for
    each combination of replaced values.

    This function adds the operators itself for each binding with more than `most` cases, and for all bindings if every
    replaced value is known.
    """
    moves: list[SetMove] = []
    for binding, names in enumerate(rule.guard.bindings):
        try:
            cases = list(ground_set(rule.guard, grounder, names, most))
        except ManyCasesError:
            ground_binding(rule, grounder, binding, most)
            continue
        moves += (SetMove(rule, binding, at, changes) for at, changes in cases)
    if any(old is None for move in moves for old, _ in move.changes.values()):
        grounder.set_moves += moves
        return
    for move in moves:
        add_set_move(move, grounder, move.at, {})


def add_set_move(
    move: SetMove, grounder: Grounder, at: PartialState, replaced: dict[int, int]
) -> None:
    """Add the operator of a move with the consistent precondition `at`. `replaced` contains the replaced facts that
    `move` does not determine, by slot.
    """
    changes = {
        slot: (replaced[slot] if old is None else old, new)
        for slot, (old, new) in move.changes.items()
    }
    text = words(move.rule.guard, move.rule.guard.bindings[move.binding])
    name, binding = move.rule.name, move.binding
    grounder.add(name, at, changes, words=text, binding=binding, is_possible=True)

"""Grounding actions: operators that change variables alone."""

from __future__ import annotations

from math import inf

from fewest.grounding.assignments import ground_assignments
from fewest.grounding.grounder import Grounder
from fewest.grounding.guard import ManyCasesError, ground_guard, words
from fewest.grounding.partial import partial
from fewest.model.rules import Action


def ground_action(rule: Action, grounder: Grounder) -> None:
    """Add every operator that the rule allows."""
    most = inf if grounder.has_consequences else grounder.most_flips
    for turn, names in enumerate(rule.guard.bindings):
        text = words(rule.guard, names)
        try:
            cases = list(ground_guard(rule.guard, grounder, names, partial(), most))
        except ManyCasesError:
            ground_assignments(rule, grounder, turn, names)
            continue
        for at, changes in cases:
            grounder.add(rule.name, at, changes, words=text, turn=turn)

"""Grounding actions: operators that change variables alone."""

from __future__ import annotations

from fewest.grounding.assigning import ground_assignments
from fewest.grounding.grounder import Grounder
from fewest.grounding.guard import ground_guard, words
from fewest.grounding.partial import partial
from fewest.model.rules import Action


def ground_action(rule: Action, grounder: Grounder) -> None:
    """Add every operator that the rule allows."""
    for turn, names in enumerate(rule.guard.bindings):
        if ground_assignments(rule, grounder, turn, names):
            continue
        text = words(rule.guard, names)
        for at, changes in ground_guard(rule.guard, grounder, names, partial()):
            grounder.add(rule.name, at, changes, words=text, turn=turn)

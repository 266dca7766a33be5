"""Grounds commands to all pieces of a kind: operators give the command, and the pieces move in stages of effects, like
consequences.
"""

from __future__ import annotations

from fewest.grounding.commands import Command
from fewest.grounding.grounder import Grounder
from fewest.grounding.guard import ground_guard, words
from fewest.grounding.motion import bindings_in
from fewest.grounding.partial import partial
from fewest.model.rules import Together


def ground_together(rule: Together, grounder: Grounder) -> None:
    """Add the operators that give the command: one for every direction, binding and case of the guard."""
    for direction in rule.directions:
        given = grounder.add_hidden(f"({rule.name} {direction.name})")
        moved = grounder.add_hidden(f"({rule.name} {direction.name} is obeyed)")
        grounder.orders.append(Command(rule, direction, given, moved))
        for binding, names in bindings_in(rule.guard, direction):
            binding_words = words(rule.guard, names)
            for at, changes in ground_guard(rule.guard, grounder, names, partial()):
                grounder.add(
                    rule.name,
                    at,
                    changes,
                    created=[given],
                    direction=direction,
                    words=binding_words,
                    binding=binding,
                )

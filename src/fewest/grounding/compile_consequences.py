"""The consequences of a move: part of the operators if these stay few, otherwise separate effects."""

from __future__ import annotations

from fewest.grounding.conditional_effects import effect_stages
from fewest.grounding.consequences import Consequences, divide
from fewest.grounding.grounder import Grounder, TooManyCasesError
from fewest.grounding.static_facts import static_facts


def follow_moves(grounder: Grounder, most_divided: int) -> None:
    """Add the consequences to the operators; if that takes more than this number of steps, keep them as separate
    effects.
    """
    known, moves = static_facts(grounder)
    grounder.fix(known)
    moves = [move for move in moves if grounder.is_consistent(move.at)]
    rules = Consequences(grounder)
    grounder.drafts.clear()
    try:
        divide(rules, moves, most_divided)
        grounder.budget = None
    except TooManyCasesError:
        grounder.budget = None
        grounder.drafts = dict.fromkeys(moves)
        grounder.endless.clear()
        grounder.effects = effect_stages(rules)

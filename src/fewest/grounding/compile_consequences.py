"""Includes the consequences in the operators if this leads to few operators; otherwise, makes the consequences separate
effects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from fewest.grounding.conditional_effects import effect_stages
from fewest.grounding.consequences import Consequences, divide
from fewest.grounding.grounder import Grounder, TooManyCasesError
from fewest.grounding.partial import Draft, PartialState
from fewest.grounding.rule_test_limit import ManyRuleTestsError
from fewest.grounding.static_facts import static_facts


def follow_moves(
    grounder: Grounder,
    most_divided: int,
    done: Callable[[str], None],
    true_at_start: Iterable[int] = (),
) -> None:
    """Include the consequences in the operators or, if this exceeds a limit of `divide`, make them separate effects.
    `most_divided` is one of these limits (`most`).

    If the consequences become separate effects, `done` is called with `then` after the attempt to include them, and
    afterwards as described in `effect_stages`. `true_at_start`: the hidden facts that are true at the start.
    """
    for number, stage in enumerate(grounder.puzzle.stages):
        if stage.is_once:
            grounder.one_turn[number] = grounder.add_hidden(f"({stage.rules[0].name} is to come)")
    known, moves = static_facts(grounder)
    grounder.fix(known)
    moves = [move for move in moves if grounder.is_consistent(move.at)]
    rules = Consequences(grounder, true_at_start)
    grounder.drafts.clear()
    limit = grounder.test_limit
    try:
        if limit is not None:
            grounder.test_limit = limit.renewed()  # separate effects need fewer tests
        divide(rules, moves, most_divided)
        grounder.budget = None
    except (TooManyCasesError, ManyRuleTestsError):
        grounder.budget, grounder.test_limit = None, limit
        grounder.drafts = dict.fromkeys(_with_turns_to_come(grounder, move) for move in moves)
        grounder.endless.clear()
        done("then")
        grounder.effects = effect_stages(rules, done)


def _with_turns_to_come(grounder: Grounder, move: Draft) -> Draft:
    """The move with an additional effect for every `once` rule: the fact that the sweep of the rule is still to come
    becomes true.
    """
    if not grounder.one_turn:
        return move
    facts = frozenset(grounder.one_turn.values())
    at = PartialState(move.at.positive, move.at.negative | facts)
    return replace(move, at=at, flip=move.flip | facts)

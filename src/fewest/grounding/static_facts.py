"""Facts of pieces that no move and no consequence ever changes, and hidden facts.

A relaxation finds these facts: it treats all conditions of commands and consequences as true, and never makes a fact
false. `TaskBuilder` uses a similar relaxation to find the facts that can become true. The value of a static fact is
known, so moves need no cases for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from fewest.errors import FewestError
from fewest.grounding.commands import MIRRORS, slide_in
from fewest.grounding.grounder import Grounder
from fewest.grounding.partial import Draft
from fewest.grounding.pattern import ground_pattern
from fewest.grounding.slide import ground_slide
from fewest.model.rules import Pattern, Slide, Together


def static_facts(grounder: Grounder) -> tuple[Mapping[int, bool], list[Draft]]:
    """The values of the static facts, and the moves that can ever apply."""
    moves = list(grounder.drafts)
    scratch = grounder.fresh()
    try:
        _ground_bare(scratch)
    except FewestError:  # there are too many cases, so only hidden facts count as static
        hidden = [fact for order in grounder.orders for fact in (order.given, order.moved)]
        return dict.fromkeys([*hidden, *grounder.one_turn.values()], False), moves
    pieces = {number for number, fact in enumerate(grounder.facts) if fact.slot < 0}
    pieces.difference_update(grounder.fits.values())
    if grounder.counters is not None:
        pieces.difference_update(grounder.counters.facts)
    initial = set(grounder.initial_facts())
    reached, made = _relaxed(pieces, initial & pieces, [*moves, *scratch.drafts])
    flipped = {fact for draft in made for fact in draft.flip}
    known = dict.fromkeys(pieces - reached, False)
    if not grounder.may_lack_pieces:
        known.update((fact, True) for fact in initial & pieces - flipped)
    known.update((fact, False) for order in grounder.orders for fact in (order.given, order.moved))
    possible = set(map(id, made))
    return known, [move for move in moves if id(move) in possible]


def _ground_bare(grounder: Grounder) -> None:
    """Add operators for all possible applications of commands and consequences, without their conditions."""
    for order in (rule for rule in grounder.puzzle.rules if isinstance(rule, Together)):
        for direction in order.directions:
            for mirror in MIRRORS:
                ground_slide(slide_in(order, direction, mirror, grounder.board), grounder)
    for rule in grounder.puzzle.then:
        bare = replace(rule, guard=replace(rule.guard, when=None, assignments=()))
        if isinstance(bare, Pattern):
            ground_pattern(bare, grounder)
        elif isinstance(bare, Slide):
            ground_slide(bare, grounder)


def _relaxed(
    pieces: set[int], initial: Iterable[int], drafts: list[Draft]
) -> tuple[set[int], list[Draft]]:
    """The facts of pieces that can become true if no fact becomes false, and the operators that apply in this
    relaxation.
    """
    waiting: dict[int, list[int]] = {}
    missing: list[int] = []
    made: list[Draft] = []
    queue = list(initial)
    for index, draft in enumerate(drafts):
        wanted = draft.at.positive & pieces
        missing.append(len(wanted))
        for fact in wanted:
            waiting.setdefault(fact, []).append(index)
        if not wanted:
            made.append(draft)
            queue += (draft.flip - draft.at.positive) & pieces
    reached: set[int] = set()
    while queue:
        fact = queue.pop()
        if fact in reached:
            continue
        reached.add(fact)
        for index in waiting.get(fact, ()):
            missing[index] -= 1
            if missing[index] == 0:
                made.append(drafts[index])
                queue += (drafts[index].flip - drafts[index].at.positive) & pieces
    return reached, made

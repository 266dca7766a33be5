"""Conditions with `can(RULE)` with too many cases: hidden facts answer the question during each move.

"Neither of two rules fits" has a case for every combination of places. A question needs no case split if a fact answers
it. For each asked rule there is a hidden fact *fits*. All hidden facts are false in every position. A move that needs
an answer makes two hidden facts true: *in progress* and *outdated*. If *outdated* is true, the first stage computes all
facts *fits* again, from the partial states in which the rules fit. The condition of a move then tests only facts. So
the move itself becomes an effect: the operator makes true a hidden fact that represents the move, and the move happens
if its condition is true, or leads to a forbidden state. A rule under `then` reads the state after earlier changes.
Therefore, every change makes *outdated* true, and the facts are computed again before each place that tests them. The
last stage makes all hidden facts false again. This is sound in all metrics, because costs belong to operators.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from fewest.grounding.applicability import RuleApplicability
from fewest.grounding.grounder import MAX_OPERATORS, Grounder
from fewest.grounding.partial import DraftEffect, DraftStage, PartialState, partial
from fewest.grounding.remedies import remedy
from fewest.model.puzzle import Puzzle
from fewest.model.rules import Rule

Places = list[tuple[DraftEffect, ...]]

_QUESTION = "can"


class _Hidden(NamedTuple):
    """The hidden facts, apart from the facts of the asked rules."""

    in_progress: int
    outdated: int
    refused: int


def rules_tested_in_rules(puzzle: Puzzle) -> list[str]:
    """The rules that rules ask about with `can`; a rule comes after the rules that it asks about."""
    rules = {rule.name: rule for rule in puzzle.rules}
    found: dict[str, None] = {}

    def add(names: Iterable[str]) -> None:
        for name in sorted(names):
            add(_tested_by(rules[name]))
            found.setdefault(name)

    for rule in (*puzzle.rules, *puzzle.then):
        add(_tested_by(rule))
    return list(found)


def _tested_by(rule: Rule) -> frozenset[str]:
    guard = rule.guard
    asked = frozenset[str]() if guard.when is None else guard.when.asks_rules
    return asked.union(*(part.asks_rules for pair in guard.assignments for part in pair))


class TestedRules:
    """The hidden facts of the asked rules of one task."""

    def __init__(self, grounder: Grounder, names: Sequence[str], ways: RuleApplicability) -> None:
        self.grounder, self.ways = grounder, ways
        self.facts = add_facts(grounder, names)

    def cases(self) -> dict[int, Sequence[PartialState]]:
        """For each fact of an asked rule, the partial states in which the rule fits."""
        return {fact: self.ways(name) for name, fact in self.facts.items()}

    def true_at_start(self) -> list[int]:
        """The facts of the rules that fit at the start."""
        true = set(self.grounder.initial_facts())
        for fact, cases in self.cases().items():
            if any(case.positive <= true and case.negative.isdisjoint(true) for case in cases):
                true.add(fact)
        return [fact for fact in self.facts.values() if fact in true]

    def answer(self) -> int:
        """Change the moves and the effects of the grounder so that they answer the questions. Returns the forbidden
        fact that a move with a false condition makes true.
        """
        grounder = self.grounder
        hidden = _Hidden(*map(grounder.add_hidden, ("(in progress)", "(outdated)", "(refused)")))
        own = frozenset(self.facts.values())
        asks = any(
            bool(_literals(effect.at, own))
            for stage in grounder.effects
            for place in stage.places
            for effect in place
        )
        refresh = self._refresh(hidden)
        self._check_size(refresh)
        moves = self._moves(hidden, own, is_followed=asks)
        first = (*refresh, moves) if moves else tuple(refresh)
        stages = [DraftStage(first)]
        for stage in grounder.effects:
            stages.append(self._stage(stage, hidden, own, refresh) if asks else stage)
        end = DraftEffect(
            _QUESTION,
            partial([hidden.in_progress]),
            frozenset(),
            own | {hidden.in_progress},
        )
        grounder.effects = (*stages, DraftStage(((end,),)))
        return hidden.refused

    def _refresh(self, hidden: _Hidden) -> Places:
        """The places that compute the facts of all asked rules, if these facts are outdated."""
        own = frozenset(self.facts.values())
        outdated = frozenset((hidden.outdated,))
        places: Places = [
            (DraftEffect(_QUESTION, partial(outdated), frozenset(), own),),
        ]
        for fact, cases in self.cases().items():
            if cases:
                places.append(
                    tuple(
                        DraftEffect(
                            _QUESTION,
                            PartialState(case.positive | outdated, case.negative | {fact}),
                            frozenset((fact,)),
                        )
                        for case in cases
                    )
                )
        places.append((DraftEffect(_QUESTION, partial(outdated), outdated),))
        return places

    def _moves(
        self, hidden: _Hidden, own: frozenset[int], *, is_followed: bool
    ) -> tuple[DraftEffect, ...]:
        """The effects of the moves that ask about rules; their operators now only represent these moves.

        `is_followed`: whether consequences ask about rules.
        """
        grounder = self.grounder
        drafts, grounder.drafts = grounder.drafts, {}
        begin = frozenset((hidden.in_progress, hidden.outdated))
        effects: list[DraftEffect] = []
        for draft in drafts:
            at = draft.at
            asked = _literals(at, own)
            if not asked:
                if is_followed:
                    at = PartialState(at.positive, at.negative | begin)
                    draft = replace(draft, at=at, flip=draft.flip | begin)
                grounder.draft(draft)
                continue
            move = grounder.add_hidden(f"(move {len(effects) // 2})")
            going = frozenset((move,))
            plain = PartialState(at.positive - own, (at.negative - own) | begin | going)
            grounder.draft(replace(draft, at=plain, flip=begin | going))
            made = PartialState(at.positive | going, at.negative)
            effect = DraftEffect(draft.rule, made, draft.flip | going)
            effects.append(_outdating(effect, hidden) if is_followed else effect)
            forbidden = going | {hidden.refused}
            effects.append(DraftEffect(draft.rule, partial(going, [hidden.refused]), forbidden))
        return tuple(effects)

    def _stage(
        self, stage: DraftStage, hidden: _Hidden, own: frozenset[int], refresh: Places
    ) -> DraftStage:
        """A stage of consequences in which every change makes the answers outdated, and in which the answers are
        computed again before each place that tests them.

        If a rule applies everywhere simultaneously, it reads the state at the start of the stage. At this time, the
        answers are never outdated.
        """
        places: Places = []
        for place in stage.places:
            asks = any(_literals(effect.at, own) for effect in place)
            if asks and places and not stage.is_everywhere:
                places += refresh
            places.append(
                tuple(_testing(_outdating(effect, hidden), hidden, own) for effect in place)
            )
        return replace(stage, places=tuple(places))

    def _check_size(self, refresh: Places) -> None:
        """Raises DocumentError (`task-too-large`) if there are too many effects."""
        grounder = self.grounder
        own = frozenset(self.facts.values())
        size = sum(map(len, refresh))
        total, numbers = 0, dict[str, int]()
        for stage in grounder.effects:
            for place in stage.places:
                total += len(place)
                rules = {e.rule for e in place if _literals(e.at, own)}
                for rule in () if stage.is_everywhere else rules:
                    numbers[rule] = numbers.get(rule, 0) + size
        if total + sum(numbers.values()) <= MAX_OPERATORS:
            return
        number, rule = max((number, rule) for rule, number in numbers.items())
        grounder.part = ("then", rule)
        grounder.too_large(
            f"`{rule}` asks about rules at so many places that this takes {number:,} effects",
            f"{MAX_OPERATORS:,}",
            remedy(grounder.puzzle, grounder.part),
        )


def add_facts(grounder: Grounder, names: Iterable[str]) -> dict[str, int]:
    """Add the facts that answer whether these rules fit."""
    found = {name: grounder.add_hidden(f"({name} fits)") for name in names}
    grounder.fits = found
    return found


def _literals(at: PartialState, own: frozenset[int]) -> frozenset[int]:
    """The facts among `own` that a partial state determines."""
    return (at.positive | at.negative) & own


def _outdating(effect: DraftEffect, hidden: _Hidden) -> DraftEffect:
    """The effect, which now also makes the answers outdated."""
    outdated = frozenset((hidden.outdated,))
    return replace(effect, flip=effect.flip | outdated, clear=effect.clear | outdated)


def _testing(effect: DraftEffect, hidden: _Hidden, own: frozenset[int]) -> DraftEffect:
    """The effect, which needs current answers if it tests any."""
    at = effect.at
    if not _literals(at, own):
        return effect
    needs = PartialState(at.positive | {hidden.in_progress}, at.negative | {hidden.outdated})
    return replace(effect, at=needs)

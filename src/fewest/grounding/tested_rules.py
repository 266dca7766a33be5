"""Conditions with `can(RULE)` or `count(...)` that have too many cases: hidden facts answer these calls during each
move.

"Neither of two rules fits" has a case for each combination of places. If a fact states whether a rule fits, no cases
are necessary. Each tested rule therefore has a hidden fact *fits*. The same is true of numbers of pieces; `counters.py`
defines their hidden facts. All hidden facts are false in every position. A move that needs these facts makes two hidden
facts true: *in progress* and *outdated*. While *outdated* is true, the first stage computes all facts *fits* from the
partial states in which the rules fit. The condition of a move then tests only facts. Therefore, the move itself is an
effect: the operator makes a hidden fact true that represents the move, and the move happens if its condition is true,
or leads to a forbidden state. A rule under `then` reads the state after earlier changes. Therefore, every change makes
*outdated* true, and the facts are computed again before each place that tests them. The last stage makes all hidden
facts false again. This is sound in all metrics that do not merge moves, because costs belong to operators.
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

Places = list[tuple[DraftEffect, ...]]

_TEST = "can"


class _HiddenFacts(NamedTuple):
    """The hidden facts, apart from the facts of the tested rules."""

    in_progress: int
    outdated: int
    refused: int


def rules_tested_in_rules(puzzle: Puzzle) -> list[str]:
    """The rules that rules test with `can`; a rule comes after the rules that it tests."""
    rules = {rule.name: rule for rule in puzzle.rules}
    found: dict[str, None] = {}

    def add(names: Iterable[str]) -> None:
        for name in sorted(names):
            add(rules[name].guard.tested_rules)
            found.setdefault(name)

    for rule in (*puzzle.rules, *puzzle.then):
        add(rule.guard.tested_rules)
    return list(found)


class TestedRules:
    """The hidden facts that state which of the tested rules fit."""

    def __init__(
        self, grounder: Grounder, names: Sequence[str], applicability: RuleApplicability
    ) -> None:
        """Adds a fact for each of these rules, before any other hidden fact."""
        self.grounder, self.applicability = grounder, applicability
        self.facts = {name: grounder.add_hidden(f"({name} fits)") for name in names}
        grounder.fits = self.facts

    def cases(self) -> dict[int, Sequence[PartialState]]:
        """For each fact of a tested rule, the partial states in which the rule fits."""
        return {fact: self.applicability(name) for name, fact in self.facts.items()}

    def true_at_start(self) -> list[int]:
        """The facts of the rules that fit at the start."""
        true = set(self.grounder.initial_facts())
        for fact, cases in self.cases().items():
            if any(case.positive <= true and case.negative.isdisjoint(true) for case in cases):
                true.add(fact)
        return [fact for fact in self.facts.values() if fact in true]

    def add_tests(self) -> int:
        """Change the moves and the effects of the grounder so that they compute and test the facts. Returns the
        forbidden fact that a move with a false condition makes true.
        """
        grounder = self.grounder
        self._own = frozenset(self.facts.values())
        if grounder.counters is not None:
            self._own |= grounder.counters.facts
        hidden = _HiddenFacts(
            *map(grounder.add_hidden, ("(in progress)", "(outdated)", "(refused)"))
        )
        has_tests = any(
            self._tests(effect)
            for stage in grounder.effects
            for place in stage.places
            for effect in place
        )
        computing = self._computing(hidden)
        self._check_size(computing)
        moves = self._moves(hidden, has_tests=has_tests)
        stages = [DraftStage((*computing, moves) if moves else tuple(computing))]
        for stage in grounder.effects:
            stages.append(self._stage(stage, hidden, computing) if has_tests else stage)
        end = DraftEffect(
            _TEST,
            partial([hidden.in_progress]),
            frozenset(),
            self._own | {hidden.in_progress},
        )
        grounder.effects = (*stages, DraftStage(((end,),)))
        return hidden.refused

    def _computing(self, hidden: _HiddenFacts) -> Places:
        """The places that compute the facts of all tested rules, if these facts are outdated."""
        outdated = frozenset((hidden.outdated,))
        places: Places = [(DraftEffect(_TEST, partial(outdated), frozenset(), self._own),)]
        if self.grounder.counters is not None:
            places += self.grounder.counters.places(hidden.outdated)
        for fact, cases in self.cases().items():
            if cases:
                places.append(
                    tuple(
                        DraftEffect(
                            _TEST,
                            PartialState(case.positive | outdated, case.negative | {fact}),
                            frozenset((fact,)),
                        )
                        for case in cases
                    )
                )
        places.append((DraftEffect(_TEST, partial(outdated), outdated),))
        return places

    def _moves(self, hidden: _HiddenFacts, *, has_tests: bool) -> tuple[DraftEffect, ...]:
        """The effects of the moves with tests; the operators of these moves only represent them.

        `has_tests`: whether consequences test rules.
        """
        grounder = self.grounder
        drafts, grounder.drafts = grounder.drafts, {}
        begin = frozenset((hidden.in_progress, hidden.outdated))
        effects: list[DraftEffect] = []
        for draft in drafts:
            at = draft.at
            if not self._literals(at):
                if has_tests:
                    at = PartialState(at.positive, at.negative | begin)
                    draft = replace(draft, at=at, flip=draft.flip | begin)
                grounder.draft(draft)
                continue
            move = grounder.add_hidden(f"(move {len(effects) // 2})")
            going = frozenset((move,))
            plain = PartialState(at.positive - self._own, (at.negative - self._own) | begin | going)
            grounder.draft(replace(draft, at=plain, flip=begin | going))
            made = PartialState(at.positive | going, at.negative)
            effect = DraftEffect(draft.rule, made, draft.flip | going)
            effects.append(_outdating(effect, hidden) if has_tests else effect)
            forbidden = going | {hidden.refused}
            effects.append(DraftEffect(draft.rule, partial(going, [hidden.refused]), forbidden))
        return tuple(effects)

    def _stage(self, stage: DraftStage, hidden: _HiddenFacts, computing: Places) -> DraftStage:
        """A stage of consequences in which every change makes the facts outdated, and in which they are computed again
        before each place that tests them.

        If a rule applies everywhere simultaneously, it reads the state at the start of the stage. At this time, the
        facts are never outdated.
        """
        places: Places = []
        for place in stage.places:
            possible = [effect for effect in place if not self._is_excluded(effect)]
            if places and not stage.is_everywhere and any(map(self._tests, possible)):
                places += computing
            if possible:
                places.append(
                    tuple(self._testing(_outdating(effect, hidden), hidden) for effect in possible)
                )
        return replace(stage, places=tuple(places))

    def _is_excluded(self, effect: DraftEffect) -> bool:
        """Whether an effect for an expression without a value contradicts the tested rules, because a rule fits in all
        of its states or in none of them. Such an effect never applies, and would cause a wrong warning.
        """
        if not effect.undefined:
            return False
        at = effect.at
        # The grounder treats hidden facts as always false. They are false in every position, but not during a move.
        known = PartialState(self._without_hidden(at.positive), self._without_hidden(at.negative))
        for fact, cases in self.cases().items():
            if fact in at.negative and any(
                case.positive <= at.positive and case.negative <= at.negative for case in cases
            ):
                return True
            if fact in at.positive and not any(
                self.grounder.is_consistent(
                    PartialState(
                        self._without_hidden(case.positive) | known.positive,
                        self._without_hidden(case.negative) | known.negative,
                    )
                )
                for case in cases
            ):
                return True
        return False

    def _without_hidden(self, facts: frozenset[int]) -> frozenset[int]:
        """The facts about pieces and variables among these facts."""
        all_facts = self.grounder.facts
        return frozenset(f for f in facts if all_facts[f].class_id >= 0 or all_facts[f].slot >= 0)

    def _check_size(self, computing: Places) -> None:
        """Raises DocumentError (`task-too-large`) if there are too many effects."""
        grounder = self.grounder
        size = sum(map(len, computing))
        total, numbers = 0, dict[str, int]()
        for stage in grounder.effects:
            for place in stage.places:
                total += len(place)
                rules = {effect.rule for effect in place if self._tests(effect)}
                for rule in () if stage.is_everywhere else rules:
                    numbers[rule] = numbers.get(rule, 0) + size
        if total + sum(numbers.values()) <= MAX_OPERATORS:
            return
        number, rule = max((number, rule) for rule, number in numbers.items())
        grounder.part = ("then", rule)
        grounder.too_large(
            f"the uses of `can` and `count` in `{rule}` need {number:,} effects",
            f"{MAX_OPERATORS:,}",
            remedy(grounder.puzzle, grounder.part),
        )

    def _literals(self, at: PartialState) -> frozenset[int]:
        """The facts of tested rules that a partial state determines."""
        return (at.positive | at.negative) & self._own

    def _tests(self, effect: DraftEffect) -> bool:
        return bool(self._literals(effect.at))

    def _testing(self, effect: DraftEffect, hidden: _HiddenFacts) -> DraftEffect:
        """The effect; if it tests facts of rules, they must not be outdated."""
        if not self._tests(effect):
            return effect
        at = effect.at
        needs = PartialState(at.positive | {hidden.in_progress}, at.negative | {hidden.outdated})
        return replace(effect, at=needs)


def _outdating(effect: DraftEffect, hidden: _HiddenFacts) -> DraftEffect:
    """The effect, which now also makes the facts of tested rules outdated."""
    outdated = frozenset((hidden.outdated,))
    return replace(effect, flip=effect.flip | outdated, clear=effect.clear | outdated)

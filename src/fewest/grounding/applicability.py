"""The condition that some move of a rule is applicable: the preconditions of its operators, without consequences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fewest.grounding.grounder import Grounder
from fewest.grounding.partial import PartialState, partial
from fewest.model.rules import Rule

GroundRule = Callable[[Rule, Grounder], None]


class RuleApplicability:
    """For each rule the partial states in which it is applicable, computed on the first request."""

    def __init__(self, grounder: Grounder, ground_rule: GroundRule) -> None:
        self.grounder, self.ground_rule = grounder, ground_rule
        self._known: dict[str, Sequence[PartialState]] = {}

    def __call__(self, name: str) -> Sequence[PartialState]:
        """Raises DocumentError (`task-too-large`) if the rule has too many operators."""
        if name not in self._known:
            rule = next(rule for rule in self.grounder.puzzle.rules if rule.name == name)
            self._known[name] = tuple(dict.fromkeys(self._cases(rule)))
        return self._known[name]

    def _cases(self, rule: Rule) -> Iterator[PartialState]:
        alone = Grounder(self.grounder.puzzle, self.grounder.watch)
        alone.part, alone.ways = self.grounder.part, self
        self.ground_rule(rule, alone)
        yield from (draft.at for draft in alone.drafts)
        for turn in alone.turns:  # a permutation changes nothing if all moved contents are equal
            yield from (partial([old], [new]) for old, new in turn.image.items() if old != new)

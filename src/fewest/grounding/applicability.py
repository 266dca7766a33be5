"""The states in which a rule fits: its pattern matches or its motion is possible, and its `when` is true. The rule may
have no effect in such a state.

The assignments of the rule, and the consequences of its moves, do not matter here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from fewest.grounding.grounder import Grounder
from fewest.grounding.partial import PartialState, partial
from fewest.model.rules import Rule

GroundRule = Callable[[Rule, Grounder], None]


class RuleApplicability:
    """For each rule, the partial states in which the rule fits. The partial states are computed when they are first
    requested.
    """

    def __init__(self, grounder: Grounder, ground_rule: GroundRule) -> None:
        self.grounder, self.ground_rule = grounder, ground_rule
        self._known: dict[str, Sequence[PartialState]] = {}

    def __call__(self, name: str) -> Sequence[PartialState]:
        """The partial states in which the rule fits. Raises DocumentError if the rule has too many operators or cases
        (`task-too-large`), or if its condition has no value in some state.
        """
        if name not in self._known:
            rule = next(rule for rule in self.grounder.puzzle.rules if rule.name == name)
            self._known[name] = tuple(dict.fromkeys(self._cases(rule)))
        return self._known[name]

    def _cases(self, rule: Rule) -> Iterator[PartialState]:
        alone = self.grounder.fresh()
        alone.part, alone.applicability, alone.keeps_idle = self.grounder.part, self, True
        alone.test_limit = self.grounder.test_limit
        for name in self.grounder.fits:
            alone.add_hidden(name)  # both grounders have the same facts
        alone.fits = self.grounder.fits
        self.ground_rule(replace(rule, guard=replace(rule.guard, assignments=())), alone)
        if alone.permutations:  # permutations apply in every state
            yield partial()
            return
        yield from (draft.at for draft in alone.drafts)

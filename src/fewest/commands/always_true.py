"""Finds conditions that are true in every position: they have no effect, so they may be mistakes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from fewest.errors import DocumentError
from fewest.grounding.alternatives import lists_of
from fewest.grounding.conditions import ground_condition
from fewest.grounding.grounder import Grounder, TooManyCasesError
from fewest.grounding.partial import PartialState, partial
from fewest.grounding.view import PartialView
from fewest.model.conditions import AllOf, AnyOf, Condition, ExpressionHolds, PieceCount, PiecesAt
from fewest.model.expression import Expression, ExpressionError, Value
from fewest.model.position import start
from fewest.model.puzzle import Puzzle
from fewest.model.rules import Guard
from fewest.model.task import Task
from fewest.playing.view import PositionView
from fewest.reading.clock import look

# the total number of steps for all conditions; once it is used up, no further condition is reported
_MOST_STEPS = 5_000
_EVERYWHERE = partial()
_Least = tuple[frozenset[int], int]
"""the facts of some classes, and the least number of their pieces in every position"""


class _FalseError(Exception):
    """Raised if a condition is false in some case."""


class AlwaysTrue:
    """Decides whether conditions of one puzzle are always true; all conditions share one budget.

    An exactly-k group of the task gives the least number of pieces of one class, or of several classes together. This
    number is exact if all facts of these classes are in such groups. It is not if the group contains only a part of the
    class: for example, if pieces of the class are captured in another part of the board.
    """

    def __init__(self, puzzle: Puzzle, task: Task) -> None:
        self._grounder = Grounder(puzzle, lambda _, __: look())
        self._grounder.budget = _MOST_STEPS
        self._parameters = frozenset(puzzle.parameters)
        self._start = PositionView(start(puzzle))
        counts: dict[frozenset[int], int] = {}
        grouped: dict[frozenset[int], set[int]] = {}
        for group in task.exactly:  # groups of the same classes are disjoint
            classes = frozenset(task.facts[fact].class_id for fact in group.facts)
            counts[classes] = counts.get(classes, 0) + group.count
            grouped.setdefault(classes, set()).update(group.facts)
        # Facts that no rule can make true also count as places. A condition may be true only because, on this board, no
        # move reaches some place; such a condition is not a mistake.
        self._groups = [
            (frozenset(f for c in classes for f in self._grounder.facts_of_class(c)), count)
            for classes, count in counts.items()
            if min(classes) >= 0
        ]
        self._exact = [
            (frozenset(f for c in classes for f in self._grounder.facts_of_class(c)), count)
            for classes, count in counts.items()
            if min(classes) >= 0
            and sum(piece.class_id in classes for piece in puzzle.pieces) == count
            and all(
                number in grouped[classes]
                for number, fact in enumerate(task.facts)
                if fact.class_id in classes
            )
        ]

    def is_guard(self, guard: Guard, *, is_consequence: bool = False) -> bool:
        """Whether the `when` of a rule depends on the position, but is proven to be true in every position, for every
        binding of the rule's loops.

        `is_consequence`: whether the rule is under `then`. Such a rule also applies in intermediate positions, in which
        a class may have fewer pieces.
        """
        when = guard.when
        if when is None or not when.reads_state or not self._is_decided(when):
            return False
        groups = [] if is_consequence else self._groups
        return bool(guard.bindings) and all(
            self._is_expression(when, names, groups) for names in guard.bindings
        )

    def parts(self, condition: Condition | None) -> Iterator[str]:
        """The texts of the conditions in a goal (or in its `all` and `any`) that are proven to be always true."""
        match condition:
            case AllOf() | AnyOf():
                for part in condition.parts:
                    yield from self.parts(part)
            case ExpressionHolds(expression=expression, names=names):
                if self._is_decided(expression) and self._is_expression(
                    expression, names, self._groups
                ):
                    yield " ".join(expression.text.split())
            case PieceCount(word=word, number=number):
                if self._is_everywhere(condition):
                    yield f"count: {{{word}: {number}}}"
            case PiecesAt(word=word, is_every=is_every):
                if self._is_anywhere(condition):
                    yield f"{'every' if is_every else 'some'}: {word}"

    def _is_decided(self, expression: Expression) -> bool:
        """Whether the answer is the same for all values of the parameters, because the expression contains no
        parameters and tests no rules.
        """
        words = re.findall(r"\w+", expression.text)
        return not expression.tested_rules and self._parameters.isdisjoint(words)

    def _is_expression(
        self, expression: Expression, names: Mapping[str, Value], groups: Sequence[_Least]
    ) -> bool:
        grounder = self._grounder
        try:
            if not expression.evaluate(
                names, self._start
            ):  # this test is much faster than testing all cases
                return False
            if all(_EVERYWHERE in cubes for cubes in lists_of(expression, names, grounder)):
                return True
            grounder.split(
                lambda view: _check(bool(expression.evaluate(names, view)), view, groups)
            )
        except (DocumentError, ExpressionError, TooManyCasesError, _FalseError):
            return False
        return True

    def _is_anywhere(self, condition: PiecesAt) -> bool:
        """Whether the condition allows all places where a piece of its kind can be.

        Unless the condition is about every piece, each position must also contain such a piece.
        """
        facts = set(self._grounder.facts_of(condition.word))
        there = {
            self._grounder.fact(c, a) for c, anchors in condition.anchors.items() for a in anchors
        }
        is_there = any(count > 0 and group <= facts for group, count in self._groups)
        return bool(facts) and facts <= there and (condition.is_every or is_there)

    def _is_everywhere(self, condition: PieceCount) -> bool:
        facts = set(self._grounder.facts_of(condition.word))
        groups = [group for group in self._exact if group[0] <= facts]
        if sum(len(group[0]) for group in groups) == len(facts):
            return sum(group[1] for group in groups) == condition.number
        try:
            return _EVERYWHERE in ground_condition(condition, self._grounder)
        except (DocumentError, TooManyCasesError):
            return False


def _check(value: bool, view: PartialView, groups: Sequence[_Least]) -> None:
    """Raises _FalseError if a condition is false in a case that may be reachable; then no other case matters."""
    if not value and not _is_unreachable(view.at, groups):
        raise _FalseError


def _is_unreachable(case: PartialState, groups: Sequence[_Least]) -> bool:
    """Whether, in this case, the pieces of some classes outnumber the places that are possible for them."""
    return any(len(facts - case.negative) < count for facts, count in groups)

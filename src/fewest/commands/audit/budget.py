"""The budget of an audit: a share of the CPU time of the call, or of all calls with the same rules.

Solving a Rush Hour board takes as long as playing about thirty positions by the rules. Therefore, each call passes its
unused budget on to the next call with the same rules. A seed determines which boards of a batch are audited. A
whole batch is therefore audited as thoroughly as one long call.

An answer without a plan immediately gets a larger budget, on credit: a tenth of a second, or a second if the answer
claims that no goal position can be reached. Later calls with the same rules repay the credit. An answer gets no credit
while half of its credit or more is still owed from earlier audits.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Literal, TypeAlias

from fewest.commands.audit.walk import AuditLimits
from fewest.errors import UsageError
from fewest.model.puzzle import Puzzle
from fewest.model.rules import Pattern, Rule, Slide

# the share of a call's CPU time that its audit may use; with its overhead, the audit takes less than 5 %
SHARE = 0.035
FLOOR = 0.1  # The number of seconds that an audit gets on credit if no plan was replayed.
# The number of seconds on credit if the answer claims that no goal position can be reached. No plan tests this claim,
# and a single position can refute it.
NO_GOAL_FLOOR = 1.0
# the maximum number of seconds of an audit: more positions hardly ever reveal more faults
CEILING = 10.0
# If the first call begins within this number of seconds of CPU time after the start of the process, this time counts as
# part of the call. The first call of a command therefore includes the time for imports.
_STARTUP = 1.0
# the range, in seconds, from which the minimum budget of an audit is drawn
_LEAST, _MOST = 0.0003, 0.004

VARIABLE = "FEWEST_AUDIT"
"""The environment variable that sets the default audit for calls and for their helper processes."""

Key: TypeAlias = tuple[object, ...]
AuditOption: TypeAlias = int | Literal["auto", "all", "off"]


def audit_option(value: object) -> AuditOption:
    """The option as data: `auto`, `all`, `off` or a number of positions; for None, the value of the environment
    variable.

    Raises UsageError for any other value.
    """
    if value is None:
        value = os.environ.get(VARIABLE, "auto")
    if value in ("auto", "all", "off"):
        return value
    try:
        number = int(str(value))
    except ValueError:
        number = 0
    if number < 1:
        raise UsageError(
            f"`{value}` is not a valid audit", hint="use auto, all, off, or a number of positions"
        )
    return number


class _RulesBudget:
    """The number of seconds that remain for audits of calls with the same rules."""

    def __init__(self) -> None:
        # negative after an audit on credit, until later calls have repaid the credit
        self.credit = 0.0
        self.least = _LEAST


class AuditBudgets:
    """The accounts of one process, one for each set of rules. `clock` returns the CPU time of the process."""

    def __init__(self, clock: Callable[[], float] = time.process_time, seed: int = 1) -> None:
        self._clock = clock
        self._accounts: dict[Key, _RulesBudget] = {}
        self._is_new = True
        self._random = seed

    def extent(self, puzzle: Puzzle, began: float, floor: float) -> AuditLimits | None:
        """The extent of an audit after a call that began at `began`; None if no audit is due.

        `floor`: the number of seconds that this answer gets on credit; 0 if a plan was replayed.
        """
        if self._is_new and began < _STARTUP:
            began = 0.0
        self._is_new = False
        account = self._accounts.setdefault(_rules_of(puzzle), _RulesBudget())
        spent = max(0.0, self._clock() - began)
        account.credit += SHARE * spent
        seconds = account.credit
        if seconds > -floor / 2:
            seconds = max(seconds, floor)
        if seconds < account.least:
            return None
        return AuditLimits(seconds=min(seconds, CEILING))

    def charge(self, puzzle: Puzzle, seconds: float) -> None:
        """Subtract the cost of an audit from the account, and draw the minimum budget of the next audit with these
        rules.
        """
        account = self._accounts[_rules_of(puzzle)]
        account.credit = max(account.credit - seconds, -2 * NO_GOAL_FLOOR)
        self._random = self._random * 48271 % 2147483647
        account.least = _LEAST + (_MOST - _LEAST) * self._random / 2147483647


def _rules_of(puzzle: Puzzle) -> Key:
    """A key that is equal for all boards with the same rules and differs for most other puzzles.

    The key contains the types and names of the rules, their words, directions and expressions, but no cells.
    """
    return tuple(map(_content_of, (*puzzle.rules, *puzzle.then)))


def _content_of(rule: Rule) -> Key:
    guard = rule.guard
    expressions = [value.text for _, value in guard.assignments]
    if guard.when is not None:
        expressions.append(guard.when.text)
    content: tuple[object, ...] = ()
    if isinstance(rule, Slide):
        content = (rule.word, rule.directions, rule.is_blocked, rule.carries, rule.sticky)
    elif isinstance(rule, Pattern):
        first = rule.forms[:1]  # a loop without values gives no form
        words = tuple((e.words, e.is_negated) for form in first for e in form.elements)
        directions = tuple(orientation.direction for orientation in rule.orientations)
        content = (words, tuple(form.carried for form in first), directions, rule.is_whole)
    return (type(rule).__name__, rule.name, *expressions, *content)

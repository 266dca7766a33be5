"""The budget of an audit: a share of the CPU time of the call, or of all calls with the same rules.

Solving a Rush Hour board takes as long as playing about thirty positions by the rules. So each call passes its unused
budget on to the next call with the same rules. A seed determines which boards of a batch are audited. So the batch as a
whole is audited as thoroughly as one long call.

An answer without a plan gets a larger budget immediately and on credit: a tenth of a second, or a second if the answer
claims that no goal can be reached. Later calls with these rules repay the credit; only then can another answer without
a plan receive credit.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Literal, TypeAlias

from fewest.errors import UsageError
from fewest.model.puzzle import Puzzle
from fewest.model.rules import Pattern, Rule, Slide
from fewest.questions.audit.walk import Extent

# the share of a call's CPU time for its audit: together with its overhead, the audit stays below 5 %
SHARE = 0.035
FLOOR = 0.1  # The number of seconds that an audit gets on credit if no plan is replayed.
# The number of seconds on credit if the answer claims that no goal can be reached: no plan tests this claim, and one
# position can refute it.
NO_GOAL_FLOOR = 1.0
CEILING = 10.0  # the maximum, in seconds: more positions hardly ever reveal more faults
_STARTUP = 1.0  # if fewer seconds precede the first call, they count as part of it, as in a command
_LEAST, _MOST = 0.0003, 0.004  # in seconds: the minimum budget of an audit is drawn from this range

VARIABLE = "FEWEST_AUDIT"
"""The environment variable that sets the default audit for calls and their helper processes."""

Key: TypeAlias = tuple[object, ...]
AuditOption: TypeAlias = int | Literal["auto", "all", "off"]


def audit_option(value: object) -> AuditOption:
    """The option as data: `auto`, `all`, `off` or a number of positions; None means the environment variable.

    Raises UsageError.
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


class _Account:
    """The remaining seconds for audits of calls with the same rules."""

    def __init__(self) -> None:
        self.credit = 0.0  # negative after an audit on credit, until later calls repay the credit
        self.least = _LEAST


class Ledger:
    """The accounts of one process, one for each set of rules. `clock` returns the CPU time of the process."""

    def __init__(self, clock: Callable[[], float] = time.process_time, seed: int = 1) -> None:
        self._clock = clock
        self._accounts: dict[Key, _Account] = {}
        self._is_new = True
        self._random = seed

    def extent(self, puzzle: Puzzle, began: float, floor: float) -> Extent | None:
        """The extent of an audit after a call that began at `began`; None if there is no audit now.

        `floor`: the seconds that this answer gets on credit; 0 if a plan was replayed.
        """
        if self._is_new and began < _STARTUP:
            began = 0.0
        self._is_new = False
        account = self._accounts.setdefault(_rules_of(puzzle), _Account())
        spent = max(0.0, self._clock() - began)
        account.credit += SHARE * spent
        seconds = account.credit
        if seconds > -floor / 2:
            seconds = max(seconds, floor)
        if seconds < account.least:
            return None
        return Extent(seconds=min(seconds, CEILING))

    def charge(self, puzzle: Puzzle, seconds: float) -> None:
        """Charge the cost of an audit to the account."""
        account = self._accounts[_rules_of(puzzle)]
        account.credit = max(account.credit - seconds, -2 * NO_GOAL_FLOOR)
        self._random = self._random * 48271 % 2147483647
        account.least = _LEAST + (_MOST - _LEAST) * self._random / 2147483647


def _rules_of(puzzle: Puzzle) -> Key:
    """A key that is equal for all boards with the same rules, and differs for most other puzzles.

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
        first = rule.forms[:1]  # a loop without values yields no form
        words = tuple((e.words, e.is_negated) for form in first for e in form.elements)
        ways = tuple(orientation.direction for orientation in rule.orientations)
        content = (words, tuple(form.carried for form in first), ways, rule.is_whole)
    return (type(rule).__name__, rule.name, *expressions, *content)

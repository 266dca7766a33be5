"""The remedies that error messages suggest if a puzzle is too large. A remedy describes how to change the part that has
too many cases.
"""

from __future__ import annotations

import re

from fewest.model.conditions import AllOf, AnyOf, Condition, ExpressionHolds, PieceCount
from fewest.model.puzzle import Path, Puzzle
from fewest.model.rules import Action, Rule, Slide, Together

# This matches a number that is computed from several variables or pieces; such a number causes a case for each
# combination that gives the same result.
_COMPUTED = re.compile(r"\b(?:sum|count)\s*\(|[\w\])]\s*[+*]|//")

_NUMBER = (
    "let the rules store this number in a variable with `set`, and limit the variable with `when`; then compare the "
    "variable"
)
_APART = {
    "goal": "write the goal as `all` of several conditions, each about few pieces or variables, because such "
    "conditions stay separate",
    "forbid": "write `forbid` as a list of conditions, each about few pieces or variables",
}
_LESS = "let the rule read only single cells or variables, or a number that other rules update"
FEWER_PIECES = (
    "limit the number of pieces that move along (`most`), or draw a group as one piece (`letters`)"
)
_OWN_RULE = (
    "set these variables in a separate rule that has only `set`, because such a rule needs no cases"
)
_ONE_BY_ONE = "let the rule set one variable at a time, with `for` and a variable that counts down"


def remedy(puzzle: Puzzle, part: Path) -> str:
    """The remedy for a part (a path in the document) with too many cases; empty if only the general advice applies."""
    if not part:
        return ""
    section = str(part[0])
    if section == "goal":
        is_number = puzzle.goal is not None and _compares_number(puzzle.goal)
        return _NUMBER if is_number else _APART["goal"]
    if section == "forbid":
        return _NUMBER if any(map(_compares_number, puzzle.forbid)) else _APART["forbid"]
    rules = puzzle.then if section == "then" else puzzle.rules
    for rule in rules:
        if rule.name == part[-1]:
            return _for_rule(rule, section)
    return ""


def _for_rule(rule: Rule, section: str) -> str:
    slide = rule.slide if isinstance(rule, Together) else rule
    if isinstance(slide, Slide) and slide.has_pushing:
        return FEWER_PIECES
    when = rule.guard.when
    if when is not None and _COMPUTED.search(when.text):
        return _NUMBER
    if rule.guard.assignments and section == "then":
        return _ONE_BY_ONE
    if rule.guard.assignments and not isinstance(rule, Action):
        return _OWN_RULE
    return _LESS


def _compares_number(condition: Condition) -> bool:
    match condition:
        case AllOf() | AnyOf():
            return any(map(_compares_number, condition.parts))
        case ExpressionHolds():
            return _COMPUTED.search(condition.expression.text) is not None
    return isinstance(condition, PieceCount)

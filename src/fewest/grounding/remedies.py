"""The remedies that error messages suggest if a puzzle is too large. A remedy describes how to change the part that has
too many cases.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fewest.model.conditions import AllOf, AnyOf, Condition, ExpressionHolds, PieceCount
from fewest.model.puzzle import Path, Puzzle
from fewest.model.rules import Action, Rule, Slide, Together

if TYPE_CHECKING:
    from fewest.model.expression import Expression

# This matches a number that is computed from several variables or pieces; such a number causes a case for each
# combination that gives the same result.
_COMPUTED = re.compile(r"\b(?:sum|count)\s*\(|[\w\])]\s*[+*]|//")
_TOTAL = re.compile(r"\b(?:sum|count)\s*\(")
# This matches an index, a cell or the values of a loop; a computation there chooses what is read, and is not a number
# that the condition compares.
_PLACE = re.compile(r"\[[^\[\]]*\]|\b(?:range|cell|terrain)\([^()]*\)")
_OF_PIECES = re.compile(r"\bcount\s*\(")
_OF_CELLS = re.compile(r"\bsum\s*\(.*\bcell\s*\(", re.DOTALL)
_CONJUNCTION = re.compile(r"\ball\s*\(|\band\b")

_NUMBER = (
    "let the rules store this number in a variable with `set`, and limit the variable with `when`; then compare the "
    "variable"
)
_APART = {
    "goal": "write the goal as `all` of several conditions, each about few pieces or variables, because such "
    "conditions stay separate",
    "forbid": "write `forbid` as a list of conditions, each about few pieces or variables",
}
_UPDATE = (
    "let each rule that changes this number also change the variable, for example with `set: {n: n + 1}`, instead of "
    "computing the number again"
)
_CELLS = (
    "count the pieces of a kind on a terrain with `count(KIND, TERRAIN)` instead of adding up cells"
)
_TALLY = (
    "let a rule under `then` store the number of pieces in a variable (a separate rule for each number), as in "
    "`tally: {once: true, set: {n: 'count(KIND, TERRAIN)'}}`; then compare the variable"
)
_SEPARATE = (
    "let a separate rule store each of these numbers, because such rules need far fewer cases"
)
_PARTS = (
    "let a rule under `then` test one part of the condition at a time (`for`) and store in a variable whether a part "
    "is false; then read this variable"
)
_OUTSIDE = (
    "write `all` outside and `any` inside, because the parts of `all` stay separate: instead of "
    "`any: [A, all: [B, C]]`, write `all: [any: [A, B], any: [A, C]]`"
)
_LESS = "let the rule read only single cells or variables, or a number that other rules update"
FEWER_PIECES = (
    "limit the number of pieces that move along (`most`), or draw a group as one piece (`letters`)"
)
FEWER_BINDINGS = (
    "exclude bindings of loops that lead to the same move (for example with `a < b`), or give the variables fewer "
    "values"
)
_CONSEQUENCE = (
    "let the rule set only one variable, such as `set: {left: 8}`; then let a rule under `then` set these variables "
    "one at a time, while this variable counts down: `for: {i: range(8)}, when: left == i + 1`"
)
_ONE_BY_ONE = "let the rule set one variable at a time, with `for` and a variable that counts down"


def remedy(puzzle: Puzzle, part: Path) -> str:
    """The remedy for a part (a path in the document) with too many cases; empty if only the general advice applies."""
    if not part:
        return ""
    section = str(part[0])
    if section == "goal":
        goal = puzzle.goal
        if goal is not None and _counts_pieces(goal):
            return _TALLY
        if goal is not None and _compares_number(goal):
            return _NUMBER
        is_inside = isinstance(goal, AnyOf) and any(map(_is_conjunction, goal.parts))
        return _OUTSIDE if is_inside else _APART["goal"]
    if section == "forbid":
        found = [puzzle.forbid[int(part[1])]] if len(part) > 1 else puzzle.forbid
        if any(map(_counts_pieces, found)):
            return _TALLY
        if any(map(_compares_number, found)):
            return _NUMBER
        return _PARTS if any(map(_is_conjunction, found)) else _APART["forbid"]
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
    read = [when] if when is not None else []
    if any(
        _OF_CELLS.search(each.text) for each in (*read, *(v for _, v in rule.guard.assignments))
    ):
        return _CELLS
    if when is not None and _is_computed(when):
        return _NUMBER
    if section == "then" and len(rule.guard.assignments) > 1 and _has_counts(rule):
        return _SEPARATE
    if any(_TOTAL.search(value.text) for _, value in rule.guard.assignments):
        return _UPDATE
    if when is not None and _CONJUNCTION.search(when.text):
        return _PARTS
    if rule.guard.assignments and section == "then":
        return _ONE_BY_ONE
    if rule.guard.assignments and not isinstance(rule, Action):
        return _CONSEQUENCE
    return _LESS


def fewer_operators(rule: Rule, puzzle: Puzzle) -> str:
    """The remedy for a rule with too many operators."""
    found: list[str] = []
    if rule.guard.loop_names:
        found.append("exclude bindings of its loops with `when`")
    if puzzle.variables and (rule.guard.when is not None or rule.guard.assignments):
        found.append("give the variables that it reads fewer values")
    if not isinstance(rule, Action):
        found.append("choose a smaller board")
        if len(puzzle.classes) > 1:
            found.append("let pieces that need not be distinguished be interchangeable")
    *first, last = found or ["split it into several rules"]
    return f"in `{rule.name}`: {', '.join(first)}{' or ' if first else ''}{last}"


def _has_counts(rule: Rule) -> bool:
    """Whether the rule sets a variable to a number of pieces."""
    return any(_OF_PIECES.search(value.text) for _, value in rule.guard.assignments)


def _counts_pieces(condition: Condition) -> bool:
    match condition:
        case AllOf() | AnyOf():
            return any(map(_counts_pieces, condition.parts))
        case ExpressionHolds():
            text = condition.expression.text
            return bool(_OF_PIECES.search(text) or _OF_CELLS.search(text))
    return isinstance(condition, PieceCount)


def _compares_number(condition: Condition) -> bool:
    match condition:
        case AllOf() | AnyOf():
            return any(map(_compares_number, condition.parts))
        case ExpressionHolds():
            return _is_computed(condition.expression)
    return isinstance(condition, PieceCount)


def _is_computed(expression: Expression) -> bool:
    """Whether an expression computes a number from several variables or pieces."""
    text, before = expression.text, ""
    while text != before:
        text, before = _PLACE.sub("", text), text
    return _COMPUTED.search(text) is not None


def _is_conjunction(condition: Condition) -> bool:
    """Whether a condition requires several conditions at the same time."""
    if isinstance(condition, ExpressionHolds):
        return _CONJUNCTION.search(condition.expression.text) is not None
    return isinstance(condition, AllOf)

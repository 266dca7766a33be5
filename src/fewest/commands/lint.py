"""Warnings about likely mistakes in a document that is valid."""

from __future__ import annotations

from functools import partial
from math import factorial, prod
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from fewest.errors import Diagnostic, DocumentError, Report, SourceLocation, joined
from fewest.grounding.applicability import RuleApplicability
from fewest.grounding.ground import ground_rule
from fewest.grounding.grounder import Grounder
from fewest.model.answer import counted
from fewest.model.conditions import (
    AllOf,
    AnyOf,
    Condition,
    ExpressionHolds,
    PieceCount,
    PiecesAsDrawn,
    PiecesAt,
)
from fewest.model.rules import Action, Cycle, Rule
from fewest.reading.clock import look
from fewest.reading.goals import NEVER

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from fewest.model.board import Shape
    from fewest.model.puzzle import PieceClass, Puzzle
    from fewest.model.task import Fact, Task
    from fewest.reading.loader import LoadedDocument


_MOST_NAMES = 6  # the most pieces that a message names
_IDLE = "the rule changes nothing where it fits"
_UNDONE = "wherever it fits, the consequences undo it or do not allow it"
_UNREACHED = "no position that can be reached has the pieces where the rule requires them"
_NOT_ALLOWED = "no position that can be reached allows it"
_PLACES = "check the pieces, the terrain and the directions of the rule, and the start"
_WAIT = "if only the consequences should apply, write `{wait: true}`"
_CORRECT = "remove or correct the condition"
# Letters cause a warning only if they increase the number of positions by at least this factor. A smaller factor, as
# with two different jewels, is probably intended.
_MANY_TIMES = 24


def document_warnings(loaded: LoadedDocument, puzzle: Puzzle, task: Task) -> tuple[Diagnostic, ...]:
    """Warnings with their locations, for example about rules that can never apply and goals that can never hold.

    On most boards, some rules of a model never apply, so these warnings name only rules that the document itself
    defines.
    """
    report = Report()
    own = loaded.location(()).source
    used = {move.rule for move in task.moves} | _tested_rules(puzzle)
    for rule in puzzle.rules:
        location = loaded.key_location(("moves", rule.name))
        if rule.name not in used and location.source is own:
            why = _why(rule, puzzle, task)
            hint = _PLACES if why is _UNREACHED else None
            if why is _IDLE and any(stage.is_once for stage in puzzle.stages):
                hint = _WAIT
            message = f"`{rule.name}` can never apply, because {why}"
            report.warning("rule-idle", location, message, hint=hint)
    _warn_of_truths(loaded, puzzle, task, report)
    undefined = _warn_of_consequences(loaded, puzzle, task, report)
    if task.has_goal and not all(task.goal_lists):
        location = loaded.key_location(("goal",))
        report.warning(
            "goal-never", location, "no position that can be reached satisfies this goal"
        )
    if task.has_goal and task.is_goal(task.initial) and not _is_known_to_be_solved(puzzle):
        location = loaded.key_location(("goal",))
        hint = "if this is intended, add a minimum of 0 to `expect`"
        report.warning("start-solved", location, "the start already satisfies this goal", hint=hint)
    alike = _distinguishable(puzzle)
    if prod(factorial(len(group)) for group in alike) >= _MANY_TIMES:
        location = loaded.key_location(("goal",))
        _warn_of_letters(alike, location, report)
    if task.is_forbidden(task.initial):
        location = loaded.key_location(("forbid",))
        hint = "`forbid` is checked only after a move, so the start is still allowed"
        report.warning("start-forbidden", location, "`forbid` excludes the start", hint=hint)
    return (*report.diagnostics, *undefined)


def _is_known_to_be_solved(puzzle: Puzzle) -> bool:
    """Whether the document expects a minimum of 0 in some metric."""
    return any(
        e.key in puzzle.metrics and e.value in (0, (0, 0), [0, 0]) for e in puzzle.expectations
    )


def _warn_of_truths(loaded: LoadedDocument, puzzle: Puzzle, task: Task, report: Report) -> None:
    """Warn about conditions that are always true, if the document itself contains them."""
    from fewest.commands.always_true import AlwaysTrue

    own = loaded.location(()).source
    known = AlwaysTrue(puzzle, task)
    for section, rules in (("moves", puzzle.rules), ("then", puzzle.then)):
        for rule in rules:
            location = loaded.key_location((section, rule.name, "when"))
            is_true = partial(known.is_guard, rule.guard, is_consequence=section == "then")
            if location.source is own and is_true():
                message = f"this condition of `{rule.name}` is always true"
                report.warning("condition-always", location, message, hint=_CORRECT)
    location = loaded.key_location(("goal",))
    if location.source is own:
        for part in known.parts(puzzle.goal):
            message = f"a part of this goal is always true: `{part}`"
            report.warning("condition-always", location, message, hint=_CORRECT)


def unused(
    loaded: LoadedDocument, puzzle: Puzzle, task: Task, positions: int, seconds: float
) -> tuple[Diagnostic, ...]:
    """If all positions can be played within these limits, warnings about rules that never apply, and about conditions
    under `forbid` that exclude no position; otherwise, no warnings.

    Some rules of a model apply on only a few boards, so these warnings name only rules that the document itself
    defines.
    """
    from fewest.commands.unused_rules import unused_parts

    own = loaded.location(()).source
    known = {move.rule for move in task.moves} - _tested_rules(puzzle)
    locations = {
        rule.name: loaded.key_location((section, rule.name))
        for section, rules in (("moves", puzzle.rules), ("then", puzzle.then))
        for rule in rules
        if section == "then"
        or rule.name in known  # `document_warnings` warns about all other rules
    }
    names = [name for name, location in locations.items() if location.source is own]
    is_list = isinstance(loaded.document.forbid, list)
    parts = [
        loaded.location(("forbid", number) if is_list else ("forbid",))
        for number in range(len(puzzle.forbid))
    ]
    # the reader has already warned about conditions that are never true on this board
    numbers = [
        number
        for number, location in enumerate(parts)
        if location.source is own and puzzle.forbid[number] != NEVER
    ]
    if not names and not numbers:
        return ()
    found = unused_parts(puzzle, names, numbers, positions, seconds)
    if found is None:
        return ()
    report = Report()
    blocking = {rule.name: _large_pieces_on(rule, puzzle) for rule in (*puzzle.rules, *puzzle.then)}
    reachable = counted(found.positions, "positions")
    for name in found.rules:
        message = f"`{name}` applies in none of the {reachable} that can be reached"
        large = blocking[name]
        hint = "check the pattern and the `when` of the rule"
        if large:
            hint = f"a ring does not turn while a piece of several cells is on it; at the start: {large}"
        report.warning("rule-unused", locations[name], message, hint=hint)
    for number in found.conditions:
        message = f"no move from the {reachable} that can be reached makes this condition true"
        hint = _CORRECT
        report.warning("forbid-unused", parts[number], message, hint=hint)
    return report.diagnostics


def _warn_of_consequences(
    loaded: LoadedDocument, puzzle: Puzzle, task: Task, report: Report
) -> tuple[Diagnostic, ...]:
    """Warn about moves with endless consequences, and return the warnings about rules under `then` with expressions
    that may have no value.

    The compiler also considers positions that cannot be reached. In a small puzzle, there are therefore warnings only
    about moves from positions that can be reached.
    """
    if not (task.endless or task.undefined):
        return ()
    from fewest.commands.moves_without_result import find_moves_without_result, location_of

    found = find_moves_without_result(puzzle)
    for name, where in task.endless.items():
        if found is None or name in found.endless:
            _warn_of_endless(loaded, report, name, where, is_sure=found is not None)
    undefined = _undefined(task)
    if found is None:
        return undefined
    return tuple(warning for warning in undefined if location_of(warning) in found.undefined)


def _undefined(task: Task) -> tuple[Diagnostic, ...]:
    """Warnings about rules under `then` with expressions that may have no value, one for each location in the
    document.
    """
    first = {(d.file, d.line, d.column): d for d in reversed(task.undefined)}
    return tuple(
        replace(
            found,
            severity="warning",
            code="then-undefined",
            message=f"{found.message}; such a move is not allowed",
            hint="restrict the rule with `when`",
        )
        for found in reversed(first.values())
    )


def _distinguishable(puzzle: Puzzle) -> list[list[PieceClass]]:
    """Groups of pieces that have different letters but the same shape and the same moves, so that only the drawings in
    the goal distinguish them.

    The result is empty if all pieces in these drawings have the same shape, because then the distinction is intended,
    as for numbered tiles.
    """
    drawn, words = _goal_parts(puzzle.goal)
    groups: dict[tuple[object, ...], list[PieceClass]] = {}
    for one in puzzle.classes:
        if one.label is not None and one.label not in words and one.id in drawn:
            groups.setdefault((one.kind, one.shape, one.directions, one.cells), []).append(one)
    if len({one.shape for one in puzzle.classes if one.id in drawn}) == 1:
        return []
    return [found for found in groups.values() if len(found) > 1]


def _goal_parts(goal: Condition | None) -> tuple[set[int], set[str]]:
    """The classes in the drawings of a goal, and the words in its other parts."""
    drawn: set[int] = set()
    words: set[str] = set()
    waiting = [] if goal is None else [goal]
    while waiting:
        part = waiting.pop()
        if isinstance(part, PiecesAsDrawn):
            drawn.update(class_id for classes, _ in part.pieces for class_id in classes)
        elif isinstance(part, (AllOf, AnyOf)):
            waiting += part.parts
        elif isinstance(part, (PiecesAt, PieceCount)):
            words.add(part.word)
    return drawn, words


def _warn_of_letters(
    alike: list[list[PieceClass]], location: SourceLocation, report: Report
) -> None:
    """Warn about letters that distinguish pieces and so enlarge the state space. The warning states the factor,
    and suggests kinds that would avoid it.
    """
    times = prod(factorial(len(group)) for group in alike)
    names = "; ".join(" ".join(one.label or "" for one in group) for group in alike)
    message = (
        f"the goal drawing distinguishes pieces of the same shape ({names}),"
        f" so there are up to {times:,} times as many positions"
    )
    kinds = ", ".join(
        f"{' '.join(one.label or '' for one in group)}: {{shape: {_drawing(group[0].shape)}}}"
        for group in alike
    )
    hint = (
        f"if these pieces are interchangeable, define kinds: {kinds} (docs/how-to/exact-goals.md)"
    )
    report.warning("goal-exact", location, message, hint=hint)


def _drawing(shape: Shape) -> str:
    rows, columns = (max(offset[axis] for offset in shape) + 1 for axis in (0, 1))
    cells = set(shape)
    drawn = ("".join(".#"[(r, c) in cells] for c in range(columns)) for r in range(rows))
    import json

    return json.dumps("\n".join(drawn))


def warnings_from_search(
    loaded: LoadedDocument, statistics: Mapping[str, Any]
) -> tuple[Diagnostic, ...]:
    """Warnings that only a search can find: moves with consequences that never end."""
    report = Report()
    endless = statistics.get("endless")
    if endless is not None:
        _warn_of_endless(loaded, report, endless["rule"], ", ".join(endless["at"]))
    return report.diagnostics


def _warn_of_endless(
    loaded: LoadedDocument, report: Report, rule: str, where: str, *, is_sure: bool = True
) -> None:
    """Warn about a move with endless consequences. `is_sure`: whether such a move is possible."""
    message = (
        f"the consequences of `{rule}` would never end, so this move is not allowed, at {where}"
    )
    hint = None if is_sure else "perhaps no position with these facts can be reached"
    report.warning("then-endless", loaded.key_location(("then",)), message, hint=hint)


def _why(rule: Rule, puzzle: Puzzle, task: Task) -> str:
    """The reason why a rule never applies, as specific as possible.

    A position counts as one that can be reached if each of its facts can become true. Therefore, a rule that fits in no
    such position fits in no position that can be reached.
    """
    guard = rule.guard
    large = _large_pieces_on(rule, puzzle)
    if large:
        return f"a ring does not turn while a piece of several cells is on it: {large}"
    if not guard.bindings:
        return "the loops of the rule have no bindings"
    condition = replace(rule, guard=replace(guard, assignments=()))
    pattern = replace(rule, guard=replace(guard, when=None, assignments=()))
    reached = set(map(_key, task.facts))
    try:
        if not _fits(pattern, puzzle):
            return "pieces on this board can never be where the rule requires"
        if not _fits(condition, puzzle):
            return "`when` is never true where the rule fits"
        if not _fits(rule, puzzle, is_idle=False):
            return _IDLE
        if not _fits(pattern, puzzle, reached=reached):
            return _UNREACHED
        if not _fits(condition, puzzle, reached=reached):
            if isinstance(rule, Action):
                return "`when` is false in every position that can be reached"
            return "`when` is false wherever the rule fits in a position that can be reached"
        if not _fits(rule, puzzle, is_idle=False, reached=reached):
            return "the rule changes nothing in any position that can be reached"
    except DocumentError:  # a rule on its own can be too large, although the puzzle is not
        return _NOT_ALLOWED
    return _UNDONE if puzzle.then else _NOT_ALLOWED


def _large_pieces_on(rule: Rule, puzzle: Puzzle) -> str:
    """The names of the pieces of several cells that are on the rings of a rule at the start. The result is empty for
    other types of rules, and if one of the rings is free of such pieces, because this ring can turn.
    """
    if not isinstance(rule, Cycle) or puzzle.board is None:
        return ""
    large: dict[int, str] = {}
    for piece in puzzle.pieces:
        known = puzzle.classes[piece.class_id]
        if not known.is_single_cell:
            cells = puzzle.board.cover(known.shape, piece.anchor) or ()
            large.update(dict.fromkeys(cells, piece.label))
    found = [[large[cell] for cell in ring.cells if cell in large] for ring in rule.rings]
    if not all(found):
        return ""
    names = dict.fromkeys(f"`{name}`" for ring in found for name in ring)
    return joined(list(names)[:_MOST_NAMES], "and")


def _key(fact: Fact) -> tuple[int, int, int, int | str]:
    return fact.class_id, fact.cell, fact.slot, fact.value


def _fits(
    rule: Rule, puzzle: Puzzle, *, is_idle: bool = True, reached: Container[object] | None = None
) -> bool:
    """Whether a rule has a move anywhere, without consequences; if `is_idle` is true, moves that change nothing count
    too. With `reached`, the move must not require any other facts. A permutation requires no facts, so it always fits,
    but it changes nothing if it moves none of these facts.
    """
    look()
    grounder = Grounder(puzzle, lambda _, __: look())
    grounder.applicability = RuleApplicability(grounder, ground_rule)
    grounder.keeps_idle = is_idle
    ground_rule(rule, grounder)
    if reached is None:
        return bool(grounder.drafts or grounder.permutations)
    is_reached = [_key(fact) in reached for fact in grounder.facts]
    return any(
        all(is_reached[fact] for fact in draft.at.positive) for draft in grounder.drafts
    ) or any(
        is_idle or any(is_reached[fact] for fact in turn.image) for turn in grounder.permutations
    )


def _tested_rules(puzzle: Puzzle) -> set[str]:
    """The rules that expressions of the puzzle test with `can`."""
    found: set[str] = set()
    for guard in (rule.guard for rule in (*puzzle.rules, *puzzle.then)):
        found |= guard.tested_rules
    waiting = [*puzzle.forbid, *([] if puzzle.goal is None else [puzzle.goal])]
    while waiting:
        condition = waiting.pop()
        if isinstance(condition, (AllOf, AnyOf)):
            waiting += condition.parts
        elif isinstance(condition, ExpressionHolds):
            found |= condition.expression.tested_rules
    return found

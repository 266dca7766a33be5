"""What makes one suspect that a document does not say what was meant: it can be read, but not played so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from fewest.errors import Diagnostic, DocumentError, Report
from fewest.grounding.ground import ground_rule
from fewest.grounding.grounder import Grounder
from fewest.model.rules import Action, Rule

if TYPE_CHECKING:
    from fewest.model.puzzle import Puzzle
    from fewest.model.task import Task
    from fewest.reading.overlay import LoadedDocument


def suspicions(loaded: LoadedDocument, puzzle: Puzzle, task: Task) -> tuple[Diagnostic, ...]:
    """Warnings with their places: rules that can never apply, goals that can never hold, a forbidden start.

    Of a model's rules some are idle on most boards: only those of the document itself are named.
    """
    report = Report()
    own = loaded.place(()).source
    used = {operator.rule for operator in task.operators}
    for rule in puzzle.rules:
        place = loaded.key_place(("moves", rule.name))
        if rule.name not in used and place.source is own:
            report.warning(
                "rule-idle", place, f"`{rule.name}` can never apply: {_why(rule, puzzle)}"
            )
    for name, where in task.endless.items():
        place = loaded.key_place(("then",))
        message = (
            f"what follows from `{name}` would never end, so that there is no such move, at {where}"
        )
        report.warning("then-endless", place, message)
    if task.has_goal and not task.goal:
        place = loaded.key_place(("goal",))
        report.warning("goal-never", place, "no position can ever meet this goal")
    if task.is_forbidden(task.initial):
        place = loaded.key_place(("forbid",))
        hint = "what is forbidden is only asked after a move: the start stays as it is"
        report.warning("start-forbidden", place, "the start itself is forbidden", hint=hint)
    return report.diagnostics


def _why(rule: Rule, puzzle: Puzzle) -> str:
    """What keeps a rule from ever applying, as far as can be told."""
    bare = replace(rule, guard=replace(rule.guard, when=None, assignments=()))
    grounder = Grounder(puzzle)
    try:
        ground_rule(bare, grounder)
    except DocumentError:
        return "nothing that it asks for ever comes about"
    if rule.guard.when is not None and (grounder.drafts or not _has_motion(rule)):
        return "its `when` is never true where it could be made"
    if grounder.drafts:
        return "what it asks for never comes about"
    return "nothing on this board can ever stand as it asks"


def _has_motion(rule: Rule) -> bool:
    return not isinstance(rule, Action)

"""Reads an action, which is a rule that has `set` or `wait` but no motion."""

from __future__ import annotations

from fewest.model.rules import Action
from fewest.reading.context import Context, Path
from fewest.reading.document import MoveEntry
from fewest.reading.guard import read_guard


def read_action(context: Context, name: str, move: MoveEntry, path: Path) -> Action:
    """The rule that a `set` or a `wait` without any motion defines. Reports mistakes."""
    if move.directions is not None:
        message = "`directions` is not allowed in a rule that only sets variables"
        context.error((*path, "directions"), "move-key-unused", message)
    waits = move.wait is True and path[0] == "moves"
    if waits and not any(entry.once for entry in (context.document.then or {}).values()):
        message = "`wait` has no effect, because no rule under `then` has `once: true`"
        hint = "a position does not change while time passes unless a rule with `once` applies"
        context.error((*path, "wait"), "move-key-unused", message, hint=hint)
    return Action(name, read_guard(context, move, path), waits)

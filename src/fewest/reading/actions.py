"""Reads an action, which is a rule that has `set` but no motion."""

from __future__ import annotations

from fewest.model.rules import Action
from fewest.reading.context import Context, Path
from fewest.reading.document import MoveEntry
from fewest.reading.guard import read_guard


def read_action(context: Context, name: str, move: MoveEntry, path: Path) -> Action:
    """The rule that a `set` without any motion defines."""
    if move.directions is not None:
        message = "`directions` is not allowed in a rule that only sets variables"
        context.error((*path, "directions"), "move-key-unused", message)
    return Action(name, read_guard(context, move, path))

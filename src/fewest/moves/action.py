"""Actions: `when` and `set` over variables, with no motion on a board."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fewest.moves.guard import Guard, check_guard, words

if TYPE_CHECKING:
    from fewest.grounding import Grounder
    from fewest.language.context import Context, Path
    from fewest.language.document import Move as MoveDocument
    from fewest.reference import Move, Position


@dataclass(frozen=True)
class Action:
    """A rule that only sets variables."""

    name: str
    guard: Guard
    count: int = 1

    def ground(self, grounder: Grounder) -> None:
        for names in self.guard.bindings:
            text = words(names, self.guard.loop_names)
            for cube, changes in self.guard.ground(grounder, names, grounder.cube([])):
                grounder.add(self.name, cube, changes, words=text)

    def moves(self, position: Position) -> Iterator[Move]:
        for names in self.guard.bindings:
            changes = self.guard.apply(position, names)
            if changes:
                text = words(names, self.guard.loop_names)
                yield position.move(self.name, {}, changes, words=text)


def check(context: Context, name: str, move: MoveDocument, path: Path) -> Action:
    """The rule of a `set` without any motion."""
    if move.directions is not None:
        context.error((*path, "directions"), "move-key-unused", "an action has no directions")
    return Action(name, check_guard(context, move, path), 1 if move.count is None else move.count)

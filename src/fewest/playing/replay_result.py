"""The result of replaying a given plan, as text, as JSON, or as letters."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from fewest.errors import Exit
from fewest.model.answer import counted, single
from fewest.model.position import Position


class ReplayResult(Struct, frozen=True, kw_only=True):
    """The result of a replay.

    `problem` is empty if the plan is valid and solves the puzzle. `moves` is the number of moves that could be played,
    `position` is the position after these moves, and `costs` contains their cost in each metric of the puzzle.
    """

    moves: int
    position: Position
    problem: str
    costs: dict[str, tuple[int, ...]]

    @property
    def is_solution(self) -> bool:
        """Whether all moves could be played and the last position is a goal position."""
        return not self.problem

    @property
    def exit_code(self) -> Exit:
        """The exit code, which shows whether the plan solves the puzzle."""
        return Exit.ANSWERED if self.is_solution else Exit.FAILED

    def to_json(self) -> dict[str, Any]:
        """Plain data, as `--json` prints it."""
        return {
            "puzzle": self.position.puzzle.name,
            "is_solution": self.is_solution,
            "problem": self.problem or None,
            "moves": self.moves,
            "costs": {name: single(cost) for name, cost in self.costs.items()},
        }

    def text(self) -> list[str]:
        """The verdict as one line; if the plan solves the puzzle, a second line with the costs."""
        title, played = self.position.puzzle.title, self._counted()
        if not self.is_solution:
            return [f"{title}: the plan fails: {self.problem}" + (f" ({played})" if played else "")]
        return [f"{title}: solved" + (f", {played}" if played else ""), ", ".join(self._costs())]

    def _counted(self) -> str:
        """A text for the number of moves that were played; empty if the costs already show it."""
        return ""

    def _costs(self) -> list[str]:
        return [counted(single(cost), name) for name, cost in self.costs.items()]

"""Somebody's plan, in words or as JSON, played by the rules."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from fewest.errors import Exit, UsageError
from fewest.model.answer import counted, single
from fewest.model.position import Position
from fewest.model.puzzle import Puzzle
from fewest.playing.price import cost_of
from fewest.playing.rules import is_goal
from fewest.playing.told import opening, readings, told_moves


class Played(Struct, frozen=True):
    """What playing a plan came to: `problem` is empty for a solution; `costs` in each metric of the puzzle."""

    moves: int
    position: Position
    problem: str
    costs: dict[str, tuple[int, ...]]

    @property
    def is_solution(self) -> bool:
        """Whether all could be played and the end is a goal."""
        return not self.problem

    @property
    def exit_code(self) -> Exit:
        """Whether the claim that it is a solution holds."""
        return Exit.ANSWERED if self.is_solution else Exit.FAILED

    def to_json(self) -> dict[str, Any]:
        """Plain data: the same that `--json` prints."""
        return {
            "puzzle": self.position.puzzle.name,
            "is_solution": self.is_solution,
            "problem": self.problem or None,
            "moves": self.moves,
            "costs": {name: single(cost) for name, cost in self.costs.items()},
        }

    def text(self) -> list[str]:
        """The verdict in one line, and for a solution what it costs."""
        title = self.position.puzzle.title
        if not self.is_solution:
            return [f"{title}: no solution: {self.problem}"]
        costs = [counted(single(cost), name) for name, cost in self.costs.items()]
        return [f"{title}: solved", ", ".join(costs)]


def play_told(puzzle: Puzzle, text: str) -> Played:
    """Play the moves of a text (see `playing.told.told_moves`) from the start.

    Raises UsageError for a text that is no plan.
    """
    try:
        told = told_moves(text)
    except ValueError as error:
        hint = "give the lines of a plan, or what `fewest solve --json` prints"
        raise UsageError(f"this is no plan: {error}", hint=hint) from error
    scene = opening(puzzle)
    made = []
    problem, number = "", 0
    for number, move in enumerate(told, 1):
        said = move if isinstance(move, str) else ", ".join(str(s.get("text")) for s in move)
        found = readings(puzzle, scene, move)
        if len(found) != 1:
            why = "several moves are called so: say from where to where"
            problem = f"move {number}, `{said}`: {why if found else 'it cannot be made here'}"
            number -= 1
            break
        steps, scene = found[0]
        made += [step.move for step in steps]
    if not problem and not is_goal(scene.position):
        problem = "all moves played, but this is no goal position"
    costs = {name: cost_of(metric, made) for name, metric in puzzle.metrics.items()}
    return Played(number, scene.position, problem, costs)

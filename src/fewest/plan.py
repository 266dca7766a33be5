"""Plans for people: validated moves with the names of the pieces, the words and the positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fewest.reference import Move, Position, Spot


@dataclass(frozen=True)
class Step:
    """One operator of a plan as the reference interpreter played it.

    `labels` gives the letter of every piece on the position it leads to.
    """

    move: Move
    piece: str
    text: str
    labels: Mapping[Spot, str] = field(repr=False)


@dataclass(frozen=True)
class PlannedMove:
    """What counts as one move in the metric: one step, or a run of steps of one piece."""

    steps: tuple[Step, ...]
    cost: tuple[int, ...]

    @property
    def text(self) -> str:
        """`曹操 ↓↓`: the piece once, then each step."""
        first = self.steps[0]
        if len(self.steps) == 1 or first.move.direction is None or not first.piece:
            return ", ".join(step.text for step in self.steps)
        arrows = "".join(s.move.direction.arrow for s in self.steps if s.move.direction)
        same = all(step.piece == first.piece for step in self.steps)
        if not same or any(step.move.direction is None for step in self.steps):
            return ", ".join(step.text for step in self.steps)
        head = first.text.rsplit(" ", 1)[0]
        return f"{head} {arrows}"

    @property
    def position(self) -> Position:
        """The position after the move."""
        return self.steps[-1].move.target


@dataclass(frozen=True)
class Plan:
    """A validated plan: the start position and what to do."""

    start: Position = field(repr=False)
    labels: Mapping[Spot, str] = field(repr=False)
    moves: tuple[PlannedMove, ...]
    operators: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.moves)

    def text(self, *, positions: bool = False) -> str:
        """One numbered line a move; with `positions` each followed by the board."""
        from fewest.render.text import draw

        width = len(str(len(self.moves)))
        lines: list[str] = []
        if positions:
            lines += [*draw(self.start, self.labels), ""]
        for number, move in enumerate(self.moves, 1):
            lines.append(f"{number:>{width}}. {move.text}")
            if positions:
                lines += [*draw(move.position, move.steps[-1].labels), ""]
        return "\n".join(lines)

    def to_json(self) -> list[dict[str, Any]]:
        """Plain data, a row a move."""
        return [
            {
                "text": move.text,
                "cost": list(move.cost),
                "steps": [_step_json(step) for step in move.steps],
            }
            for move in self.moves
        ]


def _step_json(step: Step) -> dict[str, Any]:
    move = step.move
    out: dict[str, Any] = {"rule": move.rule, "piece": step.piece or None, "text": step.text}
    if move.direction is not None:
        out["direction"] = move.direction.name
    if move.moved:
        board = move.target.board
        source, target = move.moved[-1]
        out["from"], out["to"] = list(board.at(source[1])), list(board.at(target[1]))
    if move.words:
        out["words"] = move.words
    return out

"""Plans for people: validated moves with the names of the pieces, the words and the positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fewest.model.position import Position, Spot
from fewest.playing.move import Move


@dataclass(frozen=True)
class Step:
    """One operator of a plan as the reference interpreter played it.

    `subject` says what moves (the rule where there are several, the piece), `is_unique` whether that
    names one piece alone; `labels` gives the letter of every piece on the position it leads to.
    """

    move: Move
    subject: str
    is_unique: bool
    labels: Mapping[Spot, str] = field(repr=False)

    @property
    def arrow(self) -> str:
        return "" if self.move.direction is None else self.move.direction.arrow

    @property
    def is_motion(self) -> bool:
        """Whether one piece goes somewhere."""
        return bool(self.move.moved) and self.move.ring is None


@dataclass(frozen=True)
class PlannedMove:
    """What counts as one move in the metric: free steps that prepare it, then it, or a run of it."""

    steps: tuple[Step, ...]
    cost: tuple[int, ...]

    @property
    def text(self) -> str:
        """`曹操 ↓↓`, `walk player ↑→, push box (2, 3)→(2, 4) →`: a subject once, then its steps."""
        groups: list[list[Step]] = []
        for step in self.steps:
            last = groups[-1][-1] if groups else None
            if last is not None and _continues(last, step):
                groups[-1].append(step)
            else:
                groups.append([step])
        return ", ".join(_phrase(group) for group in groups)

    @property
    def position(self) -> Position:
        """The position after the move."""
        return self.steps[-1].move.target


def _continues(last: Step, step: Step) -> bool:
    """Whether a step can be said in one breath with the last: more of the same piece or ring."""
    if not (last.arrow and step.arrow and last.subject == step.subject):
        return False
    if step.move.ring is not None:
        return (last.move.ring, last.move.words) == (step.move.ring, step.move.words)
    return last.is_motion and step.is_motion and last.move.moved[-1][1] == step.move.moved[-1][0]


def _phrase(group: list[Step]) -> str:
    first, last = group[0], group[-1]
    parts = [first.subject]
    if first.is_motion and not first.is_unique:
        board = first.move.target.board
        source, target = first.move.moved[-1][0][1], last.move.moved[-1][1][1]
        parts.append(f"{board.coordinates(source)}→{board.coordinates(target)}")
    parts.append(first.move.words)
    parts.append("".join(step.arrow for step in group))
    return " ".join(part for part in parts if part)


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
        from fewest.drawing.text import draw

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
    out: dict[str, Any] = {"rule": move.rule, "text": _phrase([step])}
    if move.direction is not None:
        out["direction"] = move.direction.name
    if move.moved:
        board = move.target.board
        source, target = move.moved[-1]
        out["from"], out["to"] = list(board.at(source[1])), list(board.at(target[1]))
    if move.words:
        out["words"] = move.words
    return out

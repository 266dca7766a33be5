"""One step of a plan, as text and as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from fewest.model.board import Board
from fewest.model.position import Position
from fewest.model.puzzle import Spot
from fewest.model.rules import Together
from fewest.playing.move import Move

_MOST_PLACES = 6  # the maximal number of new and vanished pieces in a text


class Step(Struct, frozen=True, gc=False):
    """One operator of a plan, as the reference interpreter played it.

    `subject` names the rule, if there are several, and the moving piece; `is_unique`: whether this is a single piece.
    `labels` has the letter of every piece in the position after the step, and `before` the letters in the position
    before it. `move_label` is the label of the move, if its rule has a label; `is_clear` is false if another move from
    the same position has the same label.
    """

    move: Move
    subject: str
    is_unique: bool
    labels: Mapping[Spot, str]
    before: Mapping[Spot, str]
    move_label: str = ""
    is_clear: bool = True

    def __repr__(self) -> str:
        return f"<Step {phrase([self])}>"

    @property
    def arrow(self) -> str:
        return "" if self.move.way is None else self.move.way.arrow

    @property
    def position(self) -> Position:
        """The position after the step and all its consequences."""
        return self.move.target

    def to_json(self) -> dict[str, Any]:
        """Plain data: the rule, the pieces that moved, vanished and appeared with their places, and the position."""
        from fewest.drawing.text import draw

        move, puzzle = self.move, self.move.target.puzzle
        out: dict[str, Any] = {"rule": move.rule, "text": phrase([self])}
        if self.move_label:
            out["label"] = self.move_label
        if move.way is not None:
            out["direction"] = move.way.name
        if move.carrier is not None:
            source, target = move.carrier
            out["from"], out["to"] = _at(move.target, source), _at(move.target, target)
        if move.words:
            out["words"] = move.words
        if move.then:
            out["then"] = list(move.then)
        out["moved"] = [
            {
                "piece": _named(self.before, source, move),
                "from": _at(move.target, source),
                "to": _at(move.target, target),
            }
            for source, target in move.moved
        ]
        out["gone"] = [
            {"piece": _named(self.before, spot, move), "at": _at(move.target, spot)}
            for spot in move.removed
        ]
        out["appeared"] = [
            {"piece": _named(self.labels, spot, move), "at": _at(move.target, spot)}
            for spot in move.created
        ]
        if puzzle.variables:
            out["values"] = {
                variable.name: value
                for variable, value in zip(puzzle.variables, move.target.values, strict=True)
            }
        out["position"] = draw(move.target, self.labels)
        return out


def _named(labels: Mapping[Spot, str], spot: Spot, move: Move) -> str:
    """The letter of a piece, or its kind."""
    return labels.get(spot, move.target.puzzle.classes[spot[0]].kind)


def _at(position: Position, spot: Spot) -> list[int]:
    return list(position.board.at(spot[1]))


def phrase(group: Sequence[Step]) -> str:
    """The text of the steps of one phrase: `push box (2, 3)→(2, 4) →`, or the label of one step.

    The ordinary text follows a label that is not clear: `push it [push box (2, 3)→(2, 4) →]`.
    """
    first, last = group[0], group[-1]
    text = first.move_label if first.move_label and first.is_clear else plain_words(group)
    if first.move_label and not first.is_clear:
        text = f"{first.move_label} [{text}]"
    if last.move.then:
        counts = Counter(last.move.then)
        parts = (name if n == 1 else f"{name} ×{n}" for name, n in counts.items())
        text = f"{text} ({', '.join(parts)})"
    return text


def plain_words(group: Sequence[Step]) -> str:
    """The text of the steps without labels and consequences."""
    first, last = group[0], group[-1]
    parts = [first.subject]
    if first.move.carrier and last.move.carrier:
        if not first.is_unique:
            board = first.move.target.board
            source, target = first.move.carrier[0][1], last.move.carrier[1][1]
            parts.append(f"{board.coordinates(source)}→{board.coordinates(target)}")
    else:
        parts.append(_places(first.move))
    parts.append(first.move.words)
    parts.append("".join(step.arrow for step in group))
    return " ".join(part for part in parts if part)


def _places(move: Move) -> str:
    """The places of vanished and new pieces, for a move without a moving piece: `(1, 1) (1, 2)→(1, 3)`."""
    if not (move.removed or move.created) or move.ring is not None:
        return ""
    puzzle = move.target.puzzle
    rule = next((rule for rule in puzzle.rules if rule.name == move.rule), None)
    if isinstance(rule, Together) or len(move.removed) + len(move.created) > _MOST_PLACES:
        return ""
    board = move.target.board
    gone, appeared = _listed(board, move.removed), _listed(board, move.created)
    return "→".join(dict.fromkeys(change for change in (gone, appeared) if change))


def _listed(board: Board, spots: Sequence[Spot]) -> str:
    return " ".join(board.coordinates(cell) for cell in sorted({cell for _, cell in spots}))

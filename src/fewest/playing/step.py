"""One step of a plan, as text and as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from fewest.model.position import Position
from fewest.model.puzzle import Spot
from fewest.playing.move import Move
from fewest.playing.move_text import CHANGES, SHORT, changes, consequences, detail, mover, places


class Step(Struct, frozen=True, gc=False):
    """One operator of a plan, as the reference interpreter played it.

    `subject` names the rule (if there are several rules) and the moving piece; `is_unique`: whether no other piece has
    the same name. `labels` contains the letter of every piece in the position after the step, and `before` contains the
    letters in `origin`, the position before the step. `move_label` is the label of the move, if its rule has labels;
    `is_clear` is false if another move from the same position has the same label but a different result.
    """

    move: Move
    subject: str
    is_unique: bool
    labels: Mapping[Spot, str]
    before: Mapping[Spot, str]
    origin: Position
    move_label: str = ""
    is_clear: bool = True

    def __repr__(self) -> str:
        return f"<Step {phrase([self])}>"

    @property
    def arrow(self) -> str:
        direction = self.move.shown_direction
        return "" if direction is None else direction.arrow

    @property
    def detail(self) -> int:
        """The level of detail of the text; see `playing.move_text`."""
        return SHORT if self.move_label and self.is_clear else detail(self.origin, self.move)

    @property
    def position(self) -> Position:
        """The position after the step and all its consequences."""
        return self.move.target

    def to_json(self) -> dict[str, Any]:
        """Plain data: the rule, the text, the pieces that moved, vanished and appeared with their places, and the
        position; the label, the direction, the consequences and the variables, if there are any.
        """
        data = self.data()
        return {"rule": data.pop("rule"), "text": phrase([self]), **data}

    def data(self) -> dict[str, Any]:
        """Like `to_json`, but without the text."""
        from fewest.drawing.text import draw

        move, puzzle = self.move, self.move.target.puzzle
        out: dict[str, Any] = {"rule": move.rule}
        if self.move_label:
            out["label"] = self.move_label
        if move.shown_direction is not None:
            out["direction"] = move.shown_direction.name
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
    """The text of the steps of one phrase, such as `push box (2, 3)→(2, 4) →`, or the label of a single step.

    If the label is not clear, the ordinary text follows it: `push it [push box (2, 3)→(2, 4) →]`.
    """
    return _phrase(group, [step.detail for step in group])


def short_phrase(group: Sequence[Step]) -> str:
    """Like `phrase`, but the text need not distinguish the steps from other legal moves. This is faster than
    `phrase`.
    """
    return _phrase(group, [SHORT] * len(group))


def _phrase(group: Sequence[Step], levels: Sequence[int]) -> str:
    first, last = group[0], group[-1]
    text = first.move_label
    if not first.move_label or not first.is_clear:
        plain = _plain_words(group, levels)
        text = f"{first.move_label} [{plain}]" if first.move_label else plain
    return " ".join(part for part in (text, consequences(last.move)) if part)


def plain_words(step: Step) -> str:
    """The short text of a step without its label and consequences."""
    return _plain_words([step], [SHORT])


def _plain_words(group: Sequence[Step], levels: Sequence[int]) -> str:
    first = group[0]
    parts = [first.subject, _places(group, levels), first.move.words]
    parts.append("".join(step.arrow for step in group))
    parts += [
        changes(step.origin, step.move)
        for step, level in zip(group, levels, strict=True)
        if level == CHANGES
    ]
    return " ".join(part for part in parts if part)


def _places(group: Sequence[Step], levels: Sequence[int]) -> str:
    """The places of the piece that moves, such as `(1, 1)→(1, 3)`, and the places in between if the text needs them; if
    no piece moves, the places where the rule applies.
    """
    first, level = group[0], max(levels)
    spots = [pair for step in group if (pair := mover(step.move)) is not None]
    if not spots:
        return places(first.origin, first.move, level)
    if first.is_unique and first.move.carrier is not None and level == SHORT:
        return ""
    board = first.origin.board
    stops = [target for _, target in spots]
    shown = [spots[0][0], *(stops if level > SHORT else stops[-1:])]
    return "→".join(board.coordinates(cell) for _, cell in shown)

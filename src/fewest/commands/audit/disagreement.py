"""The error for a difference between the compiled task and the rules; it shows the position, the move, and the results
of both.
"""

from __future__ import annotations

from typing import Any

from fewest.commands.audit.comparison import Difference
from fewest.errors import InternalError
from fewest.model.position import Position, reading_order_labels
from fewest.model.task import Operator, PermutationOperator
from fewest.playing.move import Move


class DisagreementError(InternalError):
    """Raised if the compiled task differs from the rules, so that no result of an engine is valid."""

    def __init__(self, difference: Difference) -> None:
        name = difference.position.puzzle.name
        super().__init__(
            f"the compiled task of {name} disagrees with the rules, so there is no answer\n"
            + "\n".join(_lines(difference)),
            hint="please report this bug in fewest, together with the puzzle",
        )
        self.difference = difference

    def to_json(self) -> dict[str, Any]:
        """The position and both results as plain data."""
        from fewest.drawing.text import draw

        difference = self.difference
        return {
            "kind": difference.kind,
            "position": draw(difference.position),
            "by_rules": _by_rules(difference),
            "by_task": _by_task(difference),
        }


def _lines(difference: Difference) -> list[str]:
    lines = ["In this position", "", *_drawn(difference.position), ""]
    lines += [f"by the rules:        {_by_rules(difference)}"]
    lines += [f"by the compiled task: {_by_task(difference)}"]
    leads_to = difference.target if difference.move is None else difference.move.target
    if leads_to is not None and difference.kind != "state":
        lines += ["", "The move leads to", "", *_drawn(leads_to)]
    return lines


def _by_rules(difference: Difference) -> str:
    match difference.kind:
        case "missing":
            assert difference.move is not None
            return f"`{_move_text(difference.position, difference.move)}` is a move"
        case "extra":
            assert difference.operator is not None
            return f"`{_operator(difference.operator)}` is not a move with this result"
        case "goal":
            return "the goal holds"
        case "no goal":
            return "the goal does not hold"
        case "state" if difference.move is not None:
            return f"`{difference.move.rule}` leads to this position"
        case "index":
            return "not compared, because the index of the task is wrong"
        case _:
            return "this position can be reached"


def _by_task(difference: Difference) -> str:
    match difference.kind:
        case "missing":
            return "there is no such move"
        case "extra":
            assert difference.operator is not None
            return f"`{_operator(difference.operator)}` is a move"
        case "goal":
            return "the goal does not hold"
        case "no goal":
            return "the goal holds"
        case "state":
            return f"there is no fact for {difference.detail}"
        case "invariant":
            return f"always {difference.detail}"
        case "index":
            assert difference.operator is not None
            return f"`{_operator(difference.operator)}` applies, but no search finds it"


def _move_text(position: Position, move: Move) -> str:
    """A move, in the words that a plan uses."""
    from fewest.playing.replay import Subjects, follow
    from fewest.playing.step import Step, phrase

    puzzle = position.puzzle
    before = reading_order_labels(position)
    names, labels = dict(before), dict(before)
    subject, is_unique = Subjects(puzzle).of(move, names)
    follow(move, labels)
    return phrase([Step(move, subject, is_unique, labels, before, position)])


def _operator(operator: Operator | PermutationOperator) -> str:
    arrow = "" if operator.direction is None else operator.direction.arrow
    return " ".join(part for part in (operator.rule, operator.words, arrow) if part)


def _drawn(position: Position) -> list[str]:
    from fewest.drawing.text import draw

    return [f"   {line}" for line in draw(position)]

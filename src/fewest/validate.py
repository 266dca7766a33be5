"""Validation: an engine's operators are played by the reference interpreter before anybody sees them."""

from __future__ import annotations

from collections.abc import Sequence

from fewest.errors import InternalError
from fewest.language.puzzle import Metric, Puzzle
from fewest.plan import Plan, PlannedMove, Step
from fewest.reference import Move, Position, Run, Spot, price, start
from fewest.task import Task


def encode(task: Task, position: Position) -> int:
    """The state of a position. Raises KeyError for what the task proved unreachable."""
    state = 0
    for spot in position.pieces:
        state |= 1 << task.fact_of_spot[spot]
    for slot, value in enumerate(position.values):
        state |= 1 << task.fact_of_value[slot, value]
    return state


def validate(
    puzzle: Puzzle, task: Task, metric: Metric, operators: Sequence[int], cost: tuple[int, ...]
) -> Plan:
    """The plan of these operators, every one a legal move of the reference interpreter.

    Raises InternalError if a move is illegal, the end is no goal, or the cost is not what the
    engine claims: then the engine (or the grounder) is wrong.
    """
    position = start(puzzle)
    labels: dict[Spot, str] = {(p.class_id, p.anchor): p.label for p in puzzle.pieces}
    names: dict[Spot, str] = {(p.class_id, p.anchor): p.name for p in puzzle.pieces}
    first_position, first_labels = position, dict(labels)
    state = encode(task, position)
    runs: list[Run | None] = [None] * len(metric.parts)
    total = [0] * len(metric.parts)
    moves: list[PlannedMove] = []
    texts = _Texts(puzzle)
    for number, index in enumerate(operators, 1):
        operator = task.operators[index]
        if not operator.is_applicable(state):
            raise InternalError(f"step {number}: `{operator.rule}` is not applicable")
        state = operator.apply(state)
        move = _legal_move(task, position, index, state)
        if move is None:
            raise InternalError(
                f"step {number}: the reference interpreter knows no such `{operator.rule}`"
            )
        paid: list[int] = []
        for part, measure in enumerate(metric.parts):
            price_paid, runs[part] = price(measure, runs[part], move)
            paid.append(price_paid)
            total[part] += price_paid
        piece, text = texts.describe(move, names)
        _follow(move, labels)
        _follow(move, names)
        step = Step(move, piece, text, dict(labels))
        if any(paid) or not moves or _is_free(metric, move):
            moves.append(PlannedMove((step,), tuple(paid)))
        else:
            last = moves[-1]
            moves[-1] = PlannedMove((*last.steps, step), last.cost)
        position = move.target
    if not position.is_goal:
        raise InternalError("the plan does not end in a goal position")
    if tuple(total) != cost:
        raise InternalError(f"the plan costs {tuple(total)}, not {cost} as the engine says")
    return Plan(first_position, first_labels, tuple(moves), tuple(operators))


def _is_free(metric: Metric, move: Move) -> bool:
    return all(part.weights[move.rule] == 0 for part in metric.parts)


def _legal_move(task: Task, position: Position, index: int, target: int) -> Move | None:
    """The reference's move that does what the operator does, to the same piece."""
    operator = task.operators[index]
    fallback: Move | None = None
    for move in position.moves(operator.rule):
        if encode(task, move.target) != target:
            continue
        carrier = move.moved[-1] if move.moved and move.ring is None else None
        spots = (-1, -1)
        if carrier is not None:
            spots = (task.fact_of_spot[carrier[0]], task.fact_of_spot[carrier[1]])
        ring = -1 if move.ring is None else move.ring
        if (spots, ring, move.direction) == (
            (operator.from_fact, operator.to_fact), operator.ring, operator.direction,
        ):  # fmt: skip
            return move
        fallback = fallback or move
    return fallback


def _follow(move: Move, tags: dict[Spot, str]) -> None:
    """Carry the tags of pieces to where the pieces went."""
    carried = [(target, tags.pop(source)) for source, target in move.moved if source in tags]
    for spot in move.removed:
        tags.pop(spot, None)
    tags.update(carried)
    classes = move.target.puzzle.classes
    for class_id, anchor in move.created:
        tags[class_id, anchor] = classes[class_id].label or classes[class_id].kind


class _Texts:
    """How a plan names moves: the rule where there are several, the piece, where it needs saying."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.says_rule = len(puzzle.rules) > 1
        names = [piece.name for piece in puzzle.pieces]
        self.is_unique = {name: names.count(name) == 1 for name in names}

    def describe(self, move: Move, names: dict[Spot, str]) -> tuple[str, str]:
        """The name of the piece that moves (or ""), and the text of the move."""
        parts: list[str] = [move.rule] if self.says_rule or not move.moved else []
        piece = ""
        if move.ring is None and move.moved:
            source, target = move.moved[-1]
            piece = names.get(source, "")
            if len(move.moved) == 1 or not self.says_rule:
                parts.append(piece)
            if not self.is_unique.get(piece, False) and piece:
                board = move.target.board
                parts.append(f"{board.coordinates(source[1])}→{board.coordinates(target[1])}")
        if move.words:
            parts.append(move.words)
        if move.direction is not None:
            parts.append(move.direction.arrow)
        return piece, " ".join(part for part in parts if part)

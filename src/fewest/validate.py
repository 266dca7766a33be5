"""Validation: an engine's operators are played by the reference interpreter before anybody sees them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fewest.errors import InternalError
from fewest.language.puzzle import Metric, Puzzle
from fewest.plan import Plan, PlannedMove, Step
from fewest.reference import Move, Position, Run, Spot, price, start
from fewest.task import Task, facts_in


def encode(task: Task, position: Position) -> int:
    """The state of a position. Raises KeyError for what the task proved unreachable."""
    state = 0
    for spot in position.pieces:
        state |= 1 << task.fact_of_spot[spot]
    for slot, value in enumerate(position.values):
        state |= 1 << task.fact_of_value[slot, value]
    return state


def decode(puzzle: Puzzle, task: Task, state: int) -> Position:
    """The position of a state."""
    pieces: set[Spot] = set()
    values = [variable.initial for variable in puzzle.variables]
    for fact_id in facts_in(state):
        fact = task.facts[fact_id]
        if fact.class_id >= 0:
            pieces.add((fact.class_id, fact.cell))
        else:
            values[fact.slot] = fact.value
    return Position(puzzle, frozenset(pieces), tuple(values))


def validate(
    puzzle: Puzzle, task: Task, metric: Metric, operators: Sequence[int], cost: tuple[int, ...]
) -> Plan:
    """The plan of these operators, every one a legal move of the reference interpreter.

    Raises InternalError if a move is illegal, the end is no goal, or the cost is not what the
    engine claims: then the engine (or the grounder) is wrong.
    """
    position = start(puzzle)
    labels = {(p.class_id, p.anchor): p.label for p in puzzle.pieces}
    first_position = position
    runs: list[Run | None] = [None] * len(metric.parts)
    total = [0] * len(metric.parts)
    moves: list[PlannedMove] = []
    waiting: list[Step] = []
    for number, step in enumerate(play(puzzle, task, operators), 1):
        if position.is_goal and tuple(total) == cost:
            operators = operators[: number - 1]  # what is left are free moves that nobody needs
            break
        move = step.move
        paid: list[int] = []
        for part, measure in enumerate(metric.parts):
            price_paid, runs[part] = price(measure, runs[part], move)
            paid.append(price_paid)
            total[part] += price_paid
        if any(paid):
            moves.append(PlannedMove((*waiting, step), tuple(paid)))
            waiting = []
        elif moves and not waiting and not _is_free(metric, move):
            moves[-1] = PlannedMove(
                (*moves[-1].steps, step), moves[-1].cost
            )  # more of the same run
        else:
            waiting.append(step)  # free: it prepares the next move that counts
        position = move.target
    if waiting:
        moves.append(PlannedMove(tuple(waiting), (0,) * len(metric.parts)))
    if not position.is_goal:
        raise InternalError("the plan does not end in a goal position")
    if tuple(total) != cost:
        raise InternalError(f"the plan costs {tuple(total)}, not {cost} as the engine says")
    return Plan(first_position, labels, tuple(moves), tuple(operators))


def play(puzzle: Puzzle, task: Task, operators: Sequence[int]) -> Iterator[Step]:
    """The steps of these operators from the start, as the reference interpreter plays them.

    Raises InternalError if a move is illegal.
    """
    position = start(puzzle)
    labels: dict[Spot, str] = {(p.class_id, p.anchor): p.label for p in puzzle.pieces}
    names: dict[Spot, str] = {(p.class_id, p.anchor): p.name for p in puzzle.pieces}
    subjects = _Subjects(puzzle)
    state = encode(task, position)
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
        subject, is_unique = subjects.of(move, names)
        _follow(move, labels)
        _follow(move, names)
        yield Step(move, subject, is_unique, dict(labels))
        position = move.target


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


class _Subjects:
    """How a plan names what moves: the rule where there are several, and the piece."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.says_rule = len(puzzle.rules) > 1
        names = [piece.name for piece in puzzle.pieces]
        self.is_unique = {name: names.count(name) == 1 for name in names}

    def of(self, move: Move, names: dict[Spot, str]) -> tuple[str, bool]:
        """The subject of a move, and whether it is one piece alone."""
        parts = [move.rule] if self.says_rule or not move.moved or move.ring is not None else []
        is_unique = True
        if move.ring is None and move.moved:
            piece = names.get(move.moved[-1][0], "")
            is_unique = self.is_unique.get(piece, False)
            parts.append(piece)
        return " ".join(part for part in parts if part), is_unique

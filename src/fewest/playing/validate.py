"""Validation: the reference interpreter replays the operators of an engine before the plan is shown."""

from __future__ import annotations

from collections.abc import Sequence

from fewest.errors import InternalError
from fewest.model.metric import Metric
from fewest.model.position import start
from fewest.model.puzzle import Puzzle
from fewest.model.task import Task
from fewest.playing.move import Move
from fewest.playing.plan import Plan, PlannedMove
from fewest.playing.price import MergedRun, price
from fewest.playing.replay import play
from fewest.playing.rules import is_goal
from fewest.playing.step import Step


def validate(
    puzzle: Puzzle, task: Task, metric: Metric, operators: Sequence[int], cost: tuple[int, ...]
) -> Plan:
    """The plan that consists of these operators; each must be a legal move in the reference interpreter.

    Raises InternalError if a move is illegal, if the last position is not a goal position, or if the cost differs from
    the engine's cost. Each of these errors means that the engine or the grounder has a bug.
    """
    position = start(puzzle)
    first_position = position
    runs: list[MergedRun | None] = [None] * len(metric.parts)
    total = [0] * len(metric.parts)
    moves: list[PlannedMove] = []
    waiting: list[Step] = []
    for number, step in enumerate(play(puzzle, task, operators), 1):
        if tuple(total) == cost and is_goal(position):
            # the remaining operators are free moves without a purpose
            operators = operators[: number - 1]
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
            )  # this step continues the merged move
        else:
            waiting.append(step)  # a free step, which prepares the next move that has a cost
        position = move.target
    if waiting:
        moves.append(PlannedMove(tuple(waiting), (0,) * len(metric.parts)))
    if not is_goal(position):
        raise InternalError("the plan does not end in a goal position")
    if tuple(total) != cost:
        raise InternalError(f"the plan costs {tuple(total)}, not {cost} as the engine reports")
    return Plan(first_position, puzzle.labels, tuple(moves), tuple(operators))


def _is_free(metric: Metric, move: Move) -> bool:
    return all(part.weight(move.rule, move.binding) == 0 for part in metric.parts)

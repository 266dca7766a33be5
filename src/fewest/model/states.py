"""Converts positions to states of a task, and vice versa."""

from __future__ import annotations

from fewest.model.position import Position
from fewest.model.puzzle import Puzzle, Spot
from fewest.model.task import Task, facts_in


def encode(task: Task, position: Position) -> int:
    """The state of a position. Raises KeyError if the position is unreachable according to the task."""
    state = sum(map(task.bit_of_spot.__getitem__, position.pieces))  # each piece has its own fact
    for slot, value in enumerate(position.values):
        state |= 1 << task.fact_of_value[slot, value]
    for fact, others in task.never:
        if state & fact and state & others:
            raise KeyError(position)
    return state


def decode(puzzle: Puzzle, task: Task, state: int) -> Position:
    """The position of a state."""
    pieces: set[Spot] = set()
    values = [variable.initial for variable in puzzle.variables]
    for fact_id in facts_in(state):
        fact = task.facts[fact_id]
        if fact.class_id >= 0:
            pieces.add((fact.class_id, fact.cell))
        elif fact.slot >= 0:
            values[fact.slot] = fact.value
    return Position(puzzle, frozenset(pieces), tuple(values))

"""Counts the positions of a puzzle, and computes its minima."""

from __future__ import annotations

from typing import NamedTuple

from tests.independent.boards.failures import TooLarge
from tests.independent.boards.game import Game
from tests.independent.boards.rules import check_start, is_goal, moves
from tests.independent.boards.state import State


class Found(NamedTuple):
    """The number of reachable positions at each distance, the number of goal positions, and the minimum in moves."""

    layers: list[int]
    goals: int
    minimum: int | None


def explore(game: Game, most: int) -> Found:
    """Play all positions, breadth first. Raises TooLarge if there are more than `most`."""
    check_start(game)
    layer = [game.start]
    seen = {game.start}
    layers: list[int] = []
    goals = 0
    minimum: int | None = None
    while layer:
        reached = sum(is_goal(game, state) for state in layer)
        goals += reached
        if reached and minimum is None:
            minimum = len(layers)
        layers.append(len(layer))
        after: list[State] = []
        for state in layer:
            for move in moves(game, state):
                if move.target not in seen:
                    seen.add(move.target)
                    after.append(move.target)
            if len(seen) > most:
                raise TooLarge(f"more than {most} positions")
        layer = after
    return Found(layers, goals, minimum)

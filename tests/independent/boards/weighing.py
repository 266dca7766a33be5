"""Minima in the metrics of a document: weights of moves, and consecutive moves that count as one."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count
from typing import Any

from tests.independent.boards.expressions import evaluate
from tests.independent.boards.failures import Rejected, TooLarge, Unsupported
from tests.independent.boards.game import Game
from tests.independent.boards.rules import Move, is_goal, moves
from tests.independent.boards.state import State

Run = tuple[Any, Any, int] | None  # the piece, the direction and the weight of merged moves


def minimum(game: Game, name: str, most: int) -> int | None:
    """The minimum in a metric; None if no goal position can be reached. Raises TooLarge."""
    keys = game.document["metrics"][name] or {}
    if not isinstance(keys, dict) or set(keys) - {"count", "merge"}:
        raise Unsupported("a pair of metrics")
    merge = keys.get("merge", "none")
    numbers = count()
    waiting: list[tuple[int, int, State, Run]] = [(0, next(numbers), game.start, None)]
    done: set[tuple[State, Run]] = set()
    known: dict[State, list[Move]] = {}
    while waiting:
        cost, _, state, run = heappop(waiting)
        if (state, run) in done:
            continue
        done.add((state, run))
        if len(done) > most:
            raise TooLarge("merged moves")
        if is_goal(game, state):
            return cost
        if state not in known:
            known[state] = list(moves(game, state))
        for move in known[state]:
            cost_of_move = weight(game, keys.get("count"), move)
            added, after = cost_of_move, None
            if merge != "none":
                added, after = _merged(merge, run, move, cost_of_move)
            heappush(waiting, (cost + added, next(numbers), move.target, after))
    return None


def weight(game: Game, given: Any, move: Move) -> int:
    """The weight of a move in a metric with this key `count`."""
    own = move.rule.keys.get("count", "1")
    text = given.get(move.rule.name, own) if isinstance(given, dict) else given
    value = evaluate(own if text is None else text, game.plain_scope.having(move.binding))
    if isinstance(value, bool):
        value = int(value)
    if not isinstance(value, int) or value < 0:
        raise Rejected("the weight of a move")
    return value


def _merged(merge: str, run: Run, move: Move, weight: int) -> tuple[int, Run]:
    """The cost of a move after a run, and the run after the move."""
    fit = move.fit
    if weight == 0:
        is_ring = run is None or isinstance(run[0], str)
        return 0, run if is_ring or run is None or run[0] in move.target.pieces else None
    if merge not in ("line", "path"):
        raise Rejected(f"merge: {merge}")
    if fit.piece is None or move.piece == fit.piece:
        return weight, None
    direction = fit.direction if merge == "line" else None
    after = None
    if isinstance(fit.piece, str):
        after = (fit.piece, direction, weight)
    elif move.piece is not None:
        after = (move.piece, direction, weight)
    return (0 if after is not None and run == (fit.piece, direction, weight) else weight), after

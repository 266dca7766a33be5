"""The cost of moves in a metric: the reference definition of `merge`."""

from __future__ import annotations

from collections.abc import Hashable

from msgspec import Struct

from fewest.model.board import Direction
from fewest.model.metric import Metric, MetricPart
from fewest.playing.move import Move


class MergedRun(Struct, frozen=True):
    """The merged move in progress. The next move is free if its piece (or ring), its direction (None if the metric
    ignores it) and its weight are the same.
    """

    carrier: Hashable
    direction: Direction | None
    weight: int


def price(part: MetricPart, run: MergedRun | None, move: Move) -> tuple[int, MergedRun | None]:
    """The cost of a move in one part of a metric after `run`, and the merged move in progress after this move."""
    weight = part.weight(move.rule, move.binding)
    if weight == 0:
        is_broken = (
            run is not None
            and isinstance(run.carrier, tuple)
            and run.carrier not in move.target.pieces
        )
        return 0, None if is_broken else run
    if part.merge == "none":
        return weight, None
    direction = move.direction if part.merge == "line" else None
    if move.ring is not None:
        before = after = MergedRun(move.ring, direction, weight)
    elif move.carrier is not None:
        source, target = move.carrier
        before, after = MergedRun(source, direction, weight), MergedRun(target, direction, weight)
    else:
        return weight, None
    return (0 if run == before else weight), after


def cost_of(metric: Metric, moves: list[Move]) -> tuple[int, ...]:
    """The cost of a sequence of moves, with a number for each part of the metric."""
    totals: list[int] = []
    for part in metric.parts:
        total, run = 0, None
        for move in moves:
            paid, run = price(part, run, move)
            total += paid
        totals.append(total)
    return tuple(totals)

"""A plan as a section of a certificate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fewest.certificates.container import encode_head
from fewest.certificates.rules_checker import PlanHead, step_row
from fewest.model.position import Position
from fewest.playing.move import Move


def plan_section(start: Position, moves: Sequence[Move], cost: tuple[int, ...]) -> Iterator[bytes]:
    """The section of a plan: the moves from the start, which have already been played, and their cost."""
    position = start
    rows = []
    for move in moves:
        rows.append(step_row(position, move))
        position = move.target
    yield encode_head(PlanHead(cost, tuple(rows)))

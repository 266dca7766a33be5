"""Packs the distances of all positions of a puzzle into a table for the page.

If every move can be undone at the same cost, the distances of neighbouring positions differ by at most one move. In
this case, the distance modulo three, which needs two bits per position, determines the best moves (Cooperman and
Finkelstein, for Cayley graphs, 1992). Otherwise, the table contains, for each position, the number of its distance in
an ascending list of all distances.
"""

from __future__ import annotations

import base64
import time
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from fewest.model.answer import LimitReached, Limits
from fewest.model.costs import cost_table
from fewest.model.metric import Metric
from fewest.model.rules import BACKWARD, FORWARD
from fewest.model.task import Operator, Task

if TYPE_CHECKING:
    from collections.abc import Callable

    from fewest.search.interface import Progress
    from fewest.space.state_graph import StateSpace

MOST = 2_000_000  # by default, a page contains the distances of a puzzle with at most this number of positions
DEAD = 0  # the code of a dead position


class PackedDistances(Struct, frozen=True):
    """The distances as data for the page, or the reason why there are none. `num_states` is 0 if it is unknown."""

    data: dict[str, Any] | None
    num_states: int
    reason: str | None


class _TooManyError(Exception):
    """Raised if a puzzle has more positions than the limit on distances allows."""


def packed_distances(
    task: Task,
    metric: Metric,
    limits: Limits,
    most: int = MOST,
    progress: Callable[[Progress], None] | None = None,
) -> PackedDistances:
    """The distances of all reachable positions in a metric, within the limits.

    There are no distances for a metric of two parts if a part merges moves, because the remaining cost then depends on
    the merged move in progress.
    """
    if len(metric.parts) > 1 and any(part.merge != "none" for part in metric.parts):
        return PackedDistances(
            None, 0, "the metric has two parts, at least one of which merges moves"
        )
    from fewest.space.distances import goal_distances
    from fewest.space.state_graph import build_state_graph, limit_watch

    watch = limit_watch(limits.seconds, limits.memory, time.perf_counter(), progress)

    def watched(num_states: int, num_bytes: int) -> None:
        if num_states > most:
            raise _TooManyError
        watch(num_states, num_bytes)

    try:
        space = build_state_graph(task.problem, watched)
        distances = goal_distances(space, cost_table(task, metric), watched)
    except _TooManyError:
        return PackedDistances(None, most, f"there are more than {most:,} positions")
    except LimitReached as error:
        return PackedDistances(None, 0, f"{error.reason} limit")
    levels = distances.of_states
    by_threes = counts_by_threes(space, task, metric)
    if by_threes:
        codes, bits = levels % 3 + 1, 2
    else:
        codes, bits = levels + 1, max(1, len(distances.costs).bit_length())
    codes[levels < 0] = DEAD
    from fewest.web.packing import pack

    packed = pack(space.states, codes, bits)
    data = {
        "metric": metric.name,
        "states": len(space),
        "kind": "threes" if by_threes else "levels",
        "costs": [] if by_threes else [list(cost) for cost in distances.costs],
        "farthest": max(0, len(distances.costs) - 1),
        "seed": packed.seed,
        "segment": packed.segment,
        "bits": packed.bits,
        "table": base64.b64encode(packed.table).decode(),
    }
    return PackedDistances(data, len(space), None)


def counts_by_threes(space: StateSpace, task: Task, metric: Metric) -> bool:
    """Whether every move can be undone at the same cost, so that the distances of neighbours differ by at most one.

    This is true if all operators have weight 1 and every edge has an inverse that moves the same piece or ring; if only
    a straight line is one move, the inverse must also have the opposite direction. (Then the reverse of a merged move
    is a merged move.)
    """
    if len(metric.parts) != 1:
        return False
    (part,) = metric.parts
    if {part.weight(o.rule, o.binding) for o in task.operators} != {1}:
        return False
    import numpy as np

    is_line = part.merge == "line"
    numbers: dict[Signature, int] = {}
    there = [numbers.setdefault(_signature(o, is_line), len(numbers)) for o in task.operators]
    back = [numbers.setdefault(_inverse_move(o, is_line), len(numbers)) for o in task.operators]
    size = len(space)
    source = np.repeat(np.arange(size, dtype=np.int64), np.diff(space.first))
    target = space.target.astype(np.int64)
    edges = (source * size + target) * len(numbers) + np.array(there)[space.operator]
    wanted = (target * size + source) * len(numbers) + np.array(back)[space.operator]
    return bool(np.isin(wanted, edges).all())


Signature = tuple[int, int, int, tuple[int, int, str]]


def _signature(operator: Operator, is_line: bool) -> Signature:
    """The piece or ring that an operator moves and, if it matters, the direction."""
    heading = (0, 0, "")
    if is_line and operator.direction is not None:
        offset = operator.direction.offset
        heading = (*offset, operator.direction.name if offset == (0, 0) else "")
    return operator.from_fact, operator.to_fact, operator.ring, heading


def _inverse_move(operator: Operator, is_line: bool) -> Signature:
    """The signature that the inverse of an operator must have."""
    source, target, ring, (down, right, name) = _signature(operator, is_line)
    other = {FORWARD.name: BACKWARD.name, BACKWARD.name: FORWARD.name}.get(name, name)
    return target, source, ring, (-down, -right, other)

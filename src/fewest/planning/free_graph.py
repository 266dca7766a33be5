"""The graph of free moves: the part of a state that they may change, and how they lead on from one to another."""

from __future__ import annotations

from msgspec import Struct

from fewest.errors import UsageError
from fewest.planning.composites import Composite
from fewest.planning.task import PlanningTask

MAX_VALUES = 5_000


class FreeGraph(Struct, frozen=True):
    """The partial states over the facts of `mask` that can occur, and the free moves between.

    An edge is (value, value, move): indices into `values` and a move of `PlanningTask.free`.
    """

    mask: int
    values: tuple[int, ...]
    edges: tuple[tuple[int, int, Composite], ...]


def free_graph(planning: PlanningTask) -> FreeGraph:
    """All that is reachable in the projection onto what free moves change.

    Raises UsageError if there are over MAX_VALUES. Cost: values times moves.
    """
    mask = 0
    for free_move in planning.free:
        mask |= free_move.flip
    projected: set[tuple[int, int, int, Composite | None]] = set()
    projected |= {(m.mask & mask, m.value & mask, m.flip & mask, None) for m in planning.moves}
    projected |= {(m.mask & mask, m.value & mask, m.flip, m) for m in planning.free}
    steps = [step for step in projected if step[2]]
    values = [planning.initial & mask]
    number = {values[0]: 0}
    edges: list[tuple[int, int, Composite]] = []
    for index, value in enumerate(values):
        for step_mask, step_value, flip, move in steps:
            if value & step_mask != step_value:
                continue
            target = value ^ flip
            if target not in number:
                number[target] = len(values)
                values.append(target)
                if len(values) > MAX_VALUES:
                    raise UsageError(
                        f"free moves of `{planning.metric.name}` lead to over {MAX_VALUES:,} partial states",
                        hint="horizons need a metric in which they change less, or --engine bfs",
                    )
            if move is not None:
                edges.append((index, number[target], move))
    edges.sort(key=lambda edge: (edge[0], edge[1], edge[2].operators))
    return FreeGraph(mask, tuple(values), tuple(edges))

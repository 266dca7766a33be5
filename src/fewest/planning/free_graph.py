"""The graph of free moves: its nodes are values of that part of a state which free moves may change. An edge is a free
move from one value to another.
"""

from __future__ import annotations

from msgspec import Struct

from fewest.errors import UsageError
from fewest.model.task import union
from fewest.planning.macros import MacroOperator
from fewest.planning.task import PlanningTask

MAX_VALUES = 5_000


class FreeGraph(Struct, frozen=True):
    """The possible partial states over the facts of `mask`, and the free moves between them.

    An edge is (source, target, move): two indices into `values`, and a move of `PlanningTask.free`.
    """

    mask: int
    values: tuple[int, ...]
    edges: tuple[tuple[int, int, MacroOperator], ...]


def free_graph(planning: PlanningTask) -> FreeGraph:
    """The reachable part of the projection onto the facts that free moves change.

    Raises UsageError if there are more than MAX_VALUES values. The time is proportional to the number of values times
    the number of moves.
    """
    mask = _mask(planning)
    counted: list[tuple[MacroOperator, MacroOperator | None]] = [(m, None) for m in planning.moves]
    moves = [*counted, *((move, move) for move in planning.free)]
    # A dict preserves the order of the moves, so that values have the same numbers in every process.
    projected = dict.fromkeys((_seen(move, mask), free) for move, free in moves)
    steps = [step for step in projected if step[0].changing & mask]
    values = [planning.initial & mask]
    number = {values[0]: 0}
    edges: list[tuple[int, int, MacroOperator]] = []
    for index, value in enumerate(values):
        for step, move in steps:
            if value & step.mask != step.value:
                continue
            target = step.apply(value)
            if target not in number:
                number[target] = len(values)
                values.append(target)
                if len(values) > MAX_VALUES:
                    raise UsageError(
                        f"the free moves of the metric `{planning.metric.name}` lead to more than "
                        f"{MAX_VALUES:,} partial states",
                        hint="use a metric in which free moves change less, or --engine bfs",
                    )
            if move is not None:
                edges.append((index, number[target], move))
    edges.sort(key=lambda edge: (edge[0], edge[1], edge[2].operators))
    return FreeGraph(mask, tuple(values), tuple(edges))


def _mask(planning: PlanningTask) -> int:
    """The facts that free moves change, and all facts that a permutation maps to one of them."""
    mask = union(move.changing for move in planning.free)
    permutations = [move for move in planning.moves if move.image]
    while mask:
        before = mask
        for move in permutations:
            mask |= sum(1 << fact for fact in move.carried if mask >> move.image[fact] & 1)
        if mask == before:
            break
    return mask


def _seen(move: MacroOperator, mask: int) -> MacroOperator:
    """The projection of a move onto the facts of a mask."""
    return MacroOperator(
        (), move.mask & mask, move.value & mask, move.flip & mask, image=move.image
    )

"""Composes the operators that a metric counts as one move into a single operator, so that every move costs one or
nothing.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from fewest.analysis.reversibility import is_reversible
from fewest.errors import UsageError
from fewest.model.costs import cost_table
from fewest.model.problem import Problem, words_of
from fewest.model.task import facts_in

if TYPE_CHECKING:
    from fewest.model.metric import Metric
    from fewest.model.task import Cube, Operator, Task

_MOST = 50_000
_Cube = tuple[int, int, int]  # mask, value, flip


class MergedOperators(Struct, frozen=True, eq=False):
    """The moves of some metrics as operators of one problem.

    `in_metric` contains the cost of each operator in each metric: 1 for a move with a cost, 0 for a free move, -1 if
    the operator is not a move of the metric.
    """

    problem: Problem
    in_metric: dict[str, tuple[int, ...]]
    is_reversible: bool
    """whether, in each of the metrics, every move can be undone"""


def merged_operators(task: Task, metrics: Sequence[Metric]) -> MergedOperators:
    """The moves of all these metrics. Raises UsageError if a metric is a pair, has costs other than 0 and 1, or has
    both free and merged moves, and if there are too many moves.
    """
    found: dict[_Cube, dict[str, int]] = {}
    first: dict[_Cube, int] = {}
    for metric in metrics:
        for cube, (fact, cost) in _moves_of(task, metric).items():
            costs = found.setdefault(cube, {})
            costs[metric.name] = min(cost, costs.get(metric.name, cost))
            first[cube] = fact
    cubes = list(found)
    words = task.words
    problem = replace(
        task.problem,
        mask=words_of([mask for mask, _, _ in cubes], words),
        value=words_of([value for _, value, _ in cubes], words),
        flip=words_of([flip for _, _, flip in cubes], words),
        index_fact=array("i", [first[cube] for cube in cubes]),
    )
    in_metric = {
        metric.name: tuple(found[cube].get(metric.name, -1) for cube in cubes) for metric in metrics
    }
    undone = all(is_reversible(task, cost_table(task, metric)) for metric in metrics)
    return MergedOperators(problem, in_metric, undone)


def _moves_of(task: Task, metric: Metric) -> dict[_Cube, tuple[int, int]]:
    """The moves of a metric, each with the fact where its first operator begins, and with its cost.

    A move is omitted if another move, which begins with the same operator and has the same effect, has a weaker
    precondition and is not longer.
    """
    table = cost_table(task, metric)
    weights = {weight for row in table.rows.weight for weight in row}
    has_free = 0 in weights
    merges = any(key >= 0 for key in table.rows.run_in[0])
    if table.parts > 1 or weights - {0} != {1} or (has_free and merges):
        raise UsageError(
            f"a search of boards does not support the metric `{metric.name}`, because a move must cost 0 or 1",
            hint="choose another metric with --metric",
        )
    run_in, run_out = table.rows.run_in[0], table.rows.run_out[0]
    onward: dict[int, list[int]] = {}
    for number, key in enumerate(run_in):
        if key >= 0:
            onward.setdefault(key, []).append(number)
    found: dict[_Cube, tuple[int, int]] = {}
    for number, operator in enumerate(task.operators):
        seen: dict[int, list[tuple[int, int]]] = {}
        level = [((operator.mask, operator.value, operator.flip), run_out[number])]
        while level:
            following: list[tuple[_Cube, int]] = []
            for (mask, value, flip), token in level:
                if not flip or _is_implied(mask, value, seen.setdefault(flip, [])):
                    continue
                seen[flip].append((mask, value))
                cost = 1 if table.rows.weight[0][number] else 0
                cost = min(cost, found.get((mask, value, flip), (0, cost))[1])
                found[mask, value, flip] = operator.from_fact, cost
                if len(found) > _MOST:
                    raise UsageError(
                        f"the boards are too large: in the metric `{metric.name}`, they have more than "
                        f"{_MOST:,} merged moves"
                    )
                if token not in onward:
                    continue
                for passing in _not_entering(task.forbid, (mask, value, flip)):
                    following += (
                        (longer, run_out[other])
                        for other in onward[token]
                        if (longer := _joined(passing, task.operators[other])) is not None
                    )
            level = following
    return found


def _joined(first: _Cube, then: Operator) -> _Cube | None:
    """Two moves as one move; None if the second is never possible directly after the first."""
    mask, value, flip = first
    shared = mask & then.mask
    if (value ^ flip) & shared != then.value & shared:
        return None
    return mask | then.mask, value | then.value & ~mask, flip ^ then.flip


def _not_entering(forbid: Sequence[Cube], move: _Cube) -> list[_Cube]:
    """Disjoint moves that together are the move, without the cases in which it leads into a forbidden cube. A longer
    move must not pass through a forbidden position.
    """
    found = [move]
    for forbidden, wanted in forbid:
        outside: list[_Cube] = []
        for mask, value, flip in found:
            if (value ^ flip ^ wanted) & mask & forbidden:
                outside.append((mask, value, flip))
                continue
            # the first facts of the cube have the values in the cube, and the next fact has the other value
            for fact in facts_in(forbidden & ~mask):
                bit = 1 << fact
                mask |= bit
                outside.append((mask, value | bit & ~wanted, flip))
                value |= bit & wanted
        found = outside
    return found


def _is_implied(mask: int, value: int, known: list[tuple[int, int]]) -> bool:
    """Whether a known condition for the same effect is weaker than this one."""
    return any(less & mask == less and value & less == wanted for less, wanted in known)

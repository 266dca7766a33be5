"""Composes the operators that a metric counts as one move into a single operator, so that every move costs one or
nothing.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from fewest.analysis.reversibility import is_reversible
from fewest.errors import UsageError
from fewest.model.costs import cost_table
from fewest.model.problem import Problem, words_of
from fewest.model.task import Cube, facts_in

if TYPE_CHECKING:
    from fewest.model.metric import Metric
    from fewest.model.task import Task

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
    precondition and is not longer. No merged move passes through a forbidden state.
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
                others = onward.get(token, ())
                for part_mask, part_value in (
                    _outside(task.forbid, mask, value, flip) if others else ()
                ):
                    for other in others:
                        after = task.operators[other]
                        shared = part_mask & after.mask
                        if (part_value ^ flip) & shared == after.value & shared:
                            cube = (
                                part_mask | after.mask,
                                part_value | after.value & ~part_mask,
                                flip ^ after.flip,
                            )
                            following.append((cube, run_out[other]))
            level = following
    return found


def _outside(forbid: Sequence[Cube], mask: int, value: int, flip: int) -> Iterator[Cube]:
    """The states of the cube (mask, value) from which `flip` leads to a state that is in no cube of `forbid`, as
    disjoint cubes. All facts in `flip` must be in `mask`.
    """
    for number, (forbidden, wanted) in enumerate(forbid):
        wanted ^= flip & forbidden
        if (value ^ wanted) & mask & forbidden:
            continue
        for fact in facts_in(forbidden & ~mask):
            bit = 1 << fact
            other = value | (~wanted & bit)
            yield from _outside(forbid[number + 1 :], mask | bit, other, flip)
            mask, value = mask | bit, value | (wanted & bit)
        return
    yield mask, value


def _is_implied(mask: int, value: int, known: list[tuple[int, int]]) -> bool:
    """Whether a known condition for the same effect is weaker than this one."""
    return any(less & mask == less and value & less == wanted for less, wanted in known)

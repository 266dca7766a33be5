"""Operators that a metric counts as one, composed to single operators: every move costs the same then."""

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

if TYPE_CHECKING:
    from fewest.model.metric import Metric
    from fewest.model.task import Task

_MOST = 50_000
_Cube = tuple[int, int, int]  # mask, value, flip


class MergedOperators(Struct, frozen=True, eq=False):
    """The moves of some metrics as operators of one problem, and for each of them the metrics that count it once."""

    problem: Problem
    in_metric: dict[str, tuple[bool, ...]]
    is_reversible: bool
    """whether every move can be undone, in each of the metrics"""


def merged_operators(task: Task, metrics: Sequence[Metric]) -> MergedOperators:
    """The moves of all these metrics. Raises UsageError where moves cost different amounts, or are too many."""
    found: dict[_Cube, set[str]] = {}
    first: dict[_Cube, int] = {}
    for metric in metrics:
        for cube, fact in _moves_of(task, metric).items():
            found.setdefault(cube, set()).add(metric.name)
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
        metric.name: tuple(metric.name in found[cube] for cube in cubes) for metric in metrics
    }
    undone = all(is_reversible(task, cost_table(task, metric)) for metric in metrics)
    return MergedOperators(problem, in_metric, undone)


def _moves_of(task: Task, metric: Metric) -> dict[_Cube, int]:
    """The moves of a metric with the fact that each takes away; of two with the same effect the weaker condition."""
    table = cost_table(task, metric)
    weights = {weight for row in table.rows.weight for weight in row}
    if table.parts > 1 or len(weights) != 1 or 0 in weights:
        raise UsageError(
            f"boards are searched in metrics in which every move costs the same, and {metric.name} is none",
            hint="choose another one: --metric",
        )
    run_in, run_out = table.rows.run_in[0], table.rows.run_out[0]
    onward: dict[int, list[int]] = {}
    for number, key in enumerate(run_in):
        if key >= 0:
            onward.setdefault(key, []).append(number)
    found: dict[_Cube, int] = {}
    for number, operator in enumerate(task.operators):
        seen: dict[int, list[tuple[int, int]]] = {}
        level = [((operator.mask, operator.value, operator.flip), run_out[number])]
        while level:
            following: list[tuple[_Cube, int]] = []
            for (mask, value, flip), token in level:
                if not flip or _is_implied(mask, value, seen.setdefault(flip, [])):
                    continue
                seen[flip].append((mask, value))
                found[mask, value, flip] = operator.from_fact
                if len(found) > _MOST:
                    raise UsageError(
                        f"over {_MOST:,} moves of {metric.name}: boards of this kind are too large"
                    )
                for other in onward.get(token, ()):
                    after = task.operators[other]
                    shared = mask & after.mask
                    if (value ^ flip) & shared == after.value & shared:
                        cube = mask | after.mask, value | after.value & ~mask, flip ^ after.flip
                        following.append((cube, run_out[other]))
            level = following
    return found


def _is_implied(mask: int, value: int, known: list[tuple[int, int]]) -> bool:
    """Whether a condition with the same effect asks for less."""
    return any(less & mask == less and value & less == wanted for less, wanted in known)

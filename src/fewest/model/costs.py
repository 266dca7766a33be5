"""A metric of a task as the cores read it: weights and run keys.

Operators of one run cost nothing after its first. A run is continued by an operator whose `run_in`
equals the `run_out` of the last one that counted: the same piece (the fact it stands at) or ring, the
same weight, and for `merge: line` the same direction.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fewest.model.metric import Metric, MetricPart
from fewest.model.task import Task

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class CostTable:
    """One compiled metric of c components: c = 1, or 2 for a lexicographic pair.

    Per component a *token* (a run key or none) goes along with an operator sequence, none at first.
    An operator of weight w == 0 is free; the token stays, unless the operator flips the token's
    `run_fact`: then it is none. An operator of weight w > 0 costs nothing if the token is its
    `run_in`, else w; the token becomes its `run_out`.
    """

    weight: NDArray[np.int64]
    """int64[c, n], >= 0"""
    run_in: NDArray[np.int32]
    """int32[c, n]: the run key that the operator continues, or -1"""
    run_out: NDArray[np.int32]
    """int32[c, n]: the run key that it leaves, or -1"""
    run_fact: tuple[NDArray[np.int32], ...]
    """c times int32[number of keys]: the fact at which the run's piece stands, or -1.
    Where it is not -1, it is the `index_fact` of every operator that continues the key."""


def cost_table(task: Task, metric: Metric) -> CostTable:
    """Weights and run keys of every operator, one row for each part of the metric."""
    import numpy as np

    weights: list[list[int]] = []
    run_in: list[list[int]] = []
    run_out: list[list[int]] = []
    run_fact: list[np.ndarray] = []
    for part in metric.parts:
        weights.append([part.weights[operator.rule] for operator in task.operators])
        ins, outs, facts = runs_of(task, part)
        run_in.append(ins)
        run_out.append(outs)
        run_fact.append(np.array(facts, dtype=np.int32))
    shape = (len(metric.parts), len(task.operators))
    return CostTable(
        weight=np.array(weights, dtype=np.int64).reshape(shape),
        run_in=np.array(run_in, dtype=np.int32).reshape(shape),
        run_out=np.array(run_out, dtype=np.int32).reshape(shape),
        run_fact=tuple(run_fact),
    )


def plan_cost(task: Task, metric: Metric, plan: Iterable[int]) -> tuple[int, ...]:
    """What a sequence of operator ids costs, one number for each part of the metric."""
    operators = list(plan)
    totals: list[int] = []
    for part in metric.parts:
        weights = [part.weights[operator.rule] for operator in task.operators]
        ins, outs, facts = runs_of(task, part)
        total, token = 0, -1
        for index in operators:
            if weights[index] == 0:
                if (
                    token >= 0
                    and facts[token] >= 0
                    and task.operators[index].flip >> facts[token] & 1
                ):
                    token = -1
                continue
            if token < 0 or token != ins[index]:
                total += weights[index]
            token = outs[index]
        totals.append(total)
    return tuple(totals)


def runs_of(task: Task, part: MetricPart) -> tuple[list[int], list[int], list[int]]:
    """For each operator the key it continues and the key it leaves, and for each key its fact.

    -1: the operator continues or leaves no run; the key belongs to no fact (a ring).
    """
    weights = [part.weights[operator.rule] for operator in task.operators]
    size = len(task.operators)
    ins, outs = [-1] * size, [-1] * size
    facts: list[int] = []
    if part.merge == "none":
        return ins, outs, facts
    keys: dict[tuple[object, ...], int] = {}

    def key(fact: int, ring: int, weight: int, direction: object) -> int:
        found = keys.setdefault((fact, ring, weight, direction), len(keys))
        if found == len(facts):
            facts.append(fact)
        return found

    for index, operator in enumerate(task.operators):
        weight = weights[index]
        if weight == 0:
            continue
        direction = operator.direction if part.merge == "line" else None
        if operator.ring >= 0:
            ins[index] = outs[index] = key(-1, operator.ring, weight, direction)
        elif operator.from_fact >= 0:
            ins[index] = key(operator.from_fact, -1, weight, direction)
            outs[index] = key(operator.to_fact, -1, weight, direction)
    return ins, outs, facts

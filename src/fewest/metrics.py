"""A metric of a task as the cores read it: weights and run keys.

Operators of one run cost nothing after its first. A run is continued by an operator whose `run_in`
equals the `run_out` of the last one that counted: the same piece (the fact it stands at) or ring, the
same weight, and for `merge: line` the same direction.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fewest.errors import UsageError, suggest
from fewest.task import Task

if TYPE_CHECKING:
    from fewest.core.interface import CostTable
    from fewest.language.puzzle import Metric, MetricPart, Puzzle


def metric_of(task: Task | Puzzle, name: str | None) -> Metric:
    """The metric of that name, the default one for None. Raises UsageError."""
    wanted = task.default_metric if name is None else name
    metric = task.metrics.get(wanted)
    if metric is None:
        near = suggest(wanted, list(task.metrics))
        raise UsageError(
            f"{task.name} has no metric `{wanted}`",
            hint=f"did you mean `{near}`?" if near else f"it has {', '.join(task.metrics)}",
        )
    return metric


def cost_table(task: Task, metric: Metric) -> CostTable:
    """Weights and run keys of every operator, one row for each part of the metric."""
    import numpy as np

    from fewest.core.interface import CostTable

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

"""Potentials, which are lower bounds in the form of sums of weights. A certificate contains the weights, and its
checker verifies them.
"""

from __future__ import annotations

import msgspec

from fewest.certificates.container import Budget, RejectedError, Stream
from fewest.certificates.invariant_checker import Invariant, SumRow, proven_groups
from fewest.certificates.metric_tables import MetricTable
from fewest.certificates.rules_checker import LayersHead
from fewest.model.metric import Metric
from fewest.model.task import Task, facts_in

MOST_WEIGHT = 1 << 62  # the greatest weight of a fact for the native checkers


class BoundHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The head of a section of layers that omits the positions that the potential excludes."""

    layers: LayersHead
    potential: SumRow


def read_bound_head(stream: Stream, metric: Metric) -> BoundHead:
    """The head of a bound. Raises RejectedError if the metric has two parts or merges moves, or if the head contains no
    bound.
    """
    head = stream.head(BoundHead)
    if len(metric.parts) != 1 or metric.parts[0].merge != "none" or head.layers.bound is None:
        raise RejectedError("a potential needs a metric that has one part and merges no moves")
    return head


def checked_potential(task: Task, part: MetricTable, row: SumRow, budget: Budget) -> list[int]:
    """The weight of each fact; 0 for all other bits of a state. The sum of the weights of a state's true facts is a
    lower bound on the cost from the state to the goal.

    Raises RejectedError if an operator lowers the sum by more than its cost, if the sum is above 0 in some goal state,
    if the row is not a sum of weights, or if the task has permutations or separate consequences. Raises TooLargeError
    at a limit.
    """
    if task.permutations or task.consequences:
        raise RejectedError("potentials do not support permutations and consequences")
    if row.modulus or row.pieces:
        raise RejectedError("a potential must be a sum of weights, not a parity")
    turned = msgspec.structs.replace(
        row,
        spots=tuple((spot, -weight) for spot, weight in row.spots),
        values=tuple((value, -weight) for value, weight in row.values),
    )
    falling = Invariant(task, proven_groups(task, budget), turned)
    for operator, cost in zip(task.operators, part.weights, strict=True):
        budget.spend()
        added, deleted = operator.flip & ~operator.value, operator.flip & operator.value
        if falling.sum(added) - falling.sum(deleted) > cost:
            raise RejectedError(
                f"a move by rule `{operator.rule}` lowers the potential by more than its cost"
            )
    for cube in task.goal:
        budget.spend()
        if falling.least(cube) < 0:
            raise RejectedError("the potential is above 0 in a goal")
    weights = [0] * (task.words * 64)
    for fact in facts_in((1 << len(task.facts)) - 1):
        weights[fact] = -falling.sum(1 << fact)
        if abs(weights[fact]) > MOST_WEIGHT:  # a row may contain a spot or a value several times
            raise RejectedError("the sum of the weights of a spot or a value is too large")
    return weights

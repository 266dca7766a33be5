"""Computes a lower bound that is a sum of weights of facts. The weight of a fact is the cost of bringing its piece to a
place that the goal requires, on a board without other pieces.

In tile puzzles, this sum is the Manhattan distance; in Sokoban, it is the sum, over all boxes, of the numbers of pushes
to the nearest target. No operator lowers the sum by more than its cost, and in a goal state, the sum is at most 0. A
checker needs to verify only these two properties. (Unlike `planning.potential`, which bounds the number of layers, this
module bounds the cost.)
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from fewest.model.task import Group, Task, facts_in


def potential(task: Task, costs: Sequence[int], most: int) -> dict[int, int]:
    """The positive weights of facts, each at most `most`, for operators that have these costs and do not merge.

    A fact from which no goal fact can be reached gets the weight `most`. A group has no weights if some goal cube does
    not determine its facts, or if an operator would lower the sum by more than its cost. Raises UsageError if the task
    has moves other than flips.
    """
    task.require_operators("a bound by a potential")
    out: dict[int, int] = {}
    for group in task.exactly:
        longer = out | _distances(task, group, costs, most)
        if all(
            _weight(longer, o.flip & o.value) - _weight(longer, o.flip & ~o.value) <= cost
            for o, cost in zip(task.operators, costs, strict=True)
        ):
            out = longer
    return {fact: weight for fact, weight in out.items() if weight}


def _weight(weights: dict[int, int], facts: int) -> int:
    return sum(weights.get(fact, 0) for fact in facts_in(facts))


def _distances(task: Task, group: Group, costs: Sequence[int], most: int) -> dict[int, int]:
    """For each fact of the group, the cost of moving a piece from this fact to a goal fact without any other pieces, at
    most `most` (Dijkstra 1959). The result is empty if some goal cube does not determine the facts of the group.
    """
    facts = sum(1 << fact for fact in group.facts)
    goals = [value & facts for _, value in task.goal]
    if any(goal.bit_count() != group.count for goal in goals):
        return {}
    sources: dict[int, dict[int, int]] = {}
    for operator, cost in zip(task.operators, costs, strict=True):
        for added in facts_in(operator.flip & ~operator.value & facts):
            into = sources.setdefault(added, {})
            for deleted in facts_in(operator.flip & operator.value & facts):
                into[deleted] = min(cost, into.get(deleted, cost))
    found: dict[int, int] = {}
    queue = [(0, fact) for fact in {fact for goal in goals for fact in facts_in(goal)}]
    while queue:
        far, fact = heappop(queue)
        if fact not in found:
            found[fact] = far
            for source, cost in sources.get(fact, {}).items():
                heappush(queue, (far + cost, source))
    return {fact: min(most, found.get(fact, most)) for fact in group.facts}

"""Automorphisms of tasks: all permutations of facts that change nothing are known, and they are found."""

from __future__ import annotations

import fewest
from fewest.model.metric import metric_of
from fewest.planning.automorphisms import automorphisms
from fewest.planning.task import planning_task

# Each `p` can be taken, independently of the others.
ALIKE = """
puzzle: alike
board: "ppp"
legend: {p: p, ".": floor}
pieces: {p: {}}
moves: {take: {before: [p], after: [empty]}}
goal: {board: "..."}
"""


def test_each_image_of_the_first_fact_is_found_and_what_need_not_move_does_not() -> None:
    task = fewest.load("alike.yaml", text=ALIKE).task
    planning = planning_task(task, metric_of(task, None))
    assert len(planning.facts) == 3
    assert automorphisms(planning) == [(1, 0, 2), (2, 1, 0)]

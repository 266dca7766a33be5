"""Automorphisms of tasks: all permutations of facts that change nothing are known, and they are found."""

from __future__ import annotations

from itertools import permutations

import pytest
from msgspec.structs import replace

import fewest
from fewest.model.metric import metric_of
from fewest.model.task import Group
from fewest.planning.automorphisms import automorphism_group, automorphisms, image, inverse
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


def test_the_group_contains_all_products_and_inverses(monkeypatch: pytest.MonkeyPatch) -> None:
    task = fewest.load("alike.yaml", text=ALIKE).task
    planning = planning_task(task, metric_of(task, None))
    group = automorphism_group(planning)
    assert sorted([(0, 1, 2), *group]) == sorted(permutations(range(3)))
    assert {inverse(one) for one in group} == set(group)
    for one in group:
        assert image(inverse(one), image(one, 0b011)) == 0b011
    monkeypatch.setattr("fewest.planning.automorphisms.MAX_GROUP", 5)
    assert automorphism_group(planning) == []


def test_the_group_has_no_automorphism_that_changes_the_invariants() -> None:
    task = fewest.load("alike.yaml", text=ALIKE).task
    planning = replace(planning_task(task, metric_of(task, None)), exactly=(Group((0, 2), 2),))
    assert automorphisms(planning) == [(1, 0, 2), (2, 1, 0)]
    assert automorphism_group(planning) == [(2, 1, 0)]

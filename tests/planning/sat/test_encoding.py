"""A solver gets facts from small projections only if its profile includes these facts, and they exclude no plan."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

import fewest
from fewest.model.metric import metric_of
from fewest.planning.bounds import Bounds
from fewest.planning.sat.clauses import Formula
from fewest.planning.sat.encoding import Encoding
from fewest.planning.sat.profile import PruningPart, load_profile
from fewest.planning.task import PlanningTask, planning_task
from tests.helpers.layers import models

SMALL = [("tiles-2x2", None, 6), ("hanoi", None, 7), ("guarini", None, 16)]


def encoded(planning: PlanningTask, pruning: PruningPart) -> Encoding:
    profile = load_profile("leave-arrive")
    return Encoding(Bounds(planning), replace(profile, pruning=pruning))


def units(clauses: Formula) -> set[int]:
    return {int(row[0]) for rows in clauses if rows.shape[1] == 1 for row in rows}


@pytest.mark.parametrize(("name", "metric", "minimum"), SMALL)
def test_distances_are_encoded_if_the_profile_has_them(
    name: str, metric: str | None, minimum: int
) -> None:
    task = fewest.load(name).task
    planning = planning_task(task, metric_of(task, metric))
    num_units: dict[str, int] = {}
    for kind in ("none", "forward", "both"):
        encoding = encoded(planning, PruningPart(distances=kind))
        anyway = units(encoding.layers(-1, minimum)) | {encoding.goal(minimum)}
        clauses = units(encoding.formula_for(minimum))
        assert anyway <= clauses
        num_units[kind] = len(clauses - anyway)
    assert 0 == num_units["none"] <= num_units["forward"] <= num_units["both"] > 0
    assert (
        num_units["forward"] or name == "hanoi"
    )  # hanoi has facts only about distances to the goal


@pytest.mark.parametrize("extra", [0, 1])
def test_distances_exclude_no_plan(extra: int) -> None:
    task = fewest.load("tiles-2x2").task
    planning = planning_task(task, metric_of(task, None))
    minimum = fewest.load("tiles-2x2").solve().cost
    assert isinstance(minimum, int)
    found = []
    for kind in ("none", "forward", "both"):
        encoding = encoded(planning, PruningPart(distances=kind))
        horizon = minimum + extra
        projection = [
            variable + layer * encoding.num_variables
            for layer in range(horizon + 1)
            for variable in encoding.state.fact
        ]
        found.append(models(encoding.formula_for(horizon), projection))
    assert found[0] and found[0] == found[1] == found[2]


@pytest.mark.parametrize(("name", "metric"), [("microban-001", "moves"), ("tiles-2x3", None)])
def test_the_encoding_of_at_most_one_change_follows_the_profile(
    name: str, metric: str | None
) -> None:
    # A push changes the player's place, as a step does, so the constraint must include every step.
    task = fewest.load(name).task
    planning = planning_task(task, metric_of(task, metric))
    profile = load_profile("leave-arrive")
    assert profile.transition.at_most_one == "pairwise"
    grid = replace(profile, transition=replace(profile.transition, at_most_one="product"))
    num_rows = [
        sum(called.startswith("changes: row") for called in Encoding(Bounds(planning), p).names)
        for p in (profile, grid)
    ]
    assert num_rows[0] == 0 < num_rows[1]


def test_a_move_of_hundreds_of_layers_does_not_fill_the_formula_with_waits() -> None:
    text = """
puzzle: slow
variables: {a: {values: range(4), initial: 0}}
moves: {up: {when: a < 3, set: {a: a + 1}}, down: {when: a > 0, set: {a: a - 1}}}
goal: a == 3
metrics: {moves: {count: {up: 200, down: 1}}}
"""
    task = fewest.load("slow.yaml", text=text).task
    planning = planning_task(task, task.metrics["moves"])
    encoding = Encoding(Bounds(planning), load_profile("incremental"))
    horizon = 20
    num_units = len(units(encoding.formula_for(horizon)))
    assert num_units <= len(planning.facts) + (horizon + 1) * len(task.facts)
    near = fewest.load("slow.yaml", text=text.replace("a == 3", "a == 1"))
    assert near.solve("moves", engine="sat").cost == 200

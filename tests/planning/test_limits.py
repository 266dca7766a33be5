"""A size that is one above the limit is refused or omitted, but the limit itself is accepted."""

from __future__ import annotations

import pytest

import fewest
from fewest.engines.registry import ENGINES
from fewest.errors import UsageError
from fewest.model.metric import metric_of
from fewest.planning import automorphisms as automorphisms_module
from fewest.planning import free_graph as free_graph_module
from fewest.planning import macros as composites_module
from fewest.planning import projections as projections_module
from fewest.planning import task as task_module
from fewest.planning.automorphisms import automorphisms
from fewest.planning.free_graph import free_graph
from fewest.planning.projections import projections
from fewest.planning.task import PlanningTask, planning_task

# `walk` is free and `push` is not; the upper row is the mirror image of the lower one.
ALIKE = """
puzzle: alike
board: |
  ab..
  ab..
legend: {".": floor, a: a, b: b}
pieces: {a: {}, b: {}}
moves:
  walk: {before: [a, empty], after: [empty, a]}
  push: {before: [a, b, empty], after: [empty, a, b], directions: horizontal}
goal: {b: {touches: right}}
metrics: {pushes: {count: {walk: 0, push: 1}}, runs: {count: {walk: 0, push: 1}, merge: path}}
"""


def planned(metric: str) -> PlanningTask:
    compiled = fewest.load("alike.yaml", text=ALIKE)
    return planning_task(compiled.task, metric_of(compiled.task, metric))


def test_moves_of_every_cost_count_towards_the_most_there_may_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planning = planned("runs")
    assert any(name.startswith("run ") for name in planning.facts)
    number = len(planning.moves) + len(planning.free)
    monkeypatch.setattr(task_module, "MAX_COMPOSITES", number)
    assert planned("runs") == planning
    monkeypatch.setattr(task_module, "MAX_COMPOSITES", number - 1)
    with pytest.raises(
        UsageError,
        match=rf"`runs` has more than {number - 1} combinations of a move and a merged move",
    ):
        planned("runs")


def test_a_merging_metric_may_have_too_many_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = fewest.load("forty-01")
    metric = metric_of(compiled.task, "slides")
    number = len(planning_task(compiled.task, metric).moves)
    monkeypatch.setattr(composites_module, "MAX_COMPOSITES", number // 2)
    with pytest.raises(UsageError, match="different merged moves in this puzzle"):
        planning_task(compiled.task, metric)


def test_moves_that_are_never_merged_are_not_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    task = fewest.load("forty-01").task
    monkeypatch.setattr(composites_module, "MAX_COMPOSITES", 5)
    assert len(planning_task(task, metric_of(task, "steps")).moves) == len(task.moves)


def test_free_moves_may_lead_to_too_many_places_and_the_hint_names_an_engine_that_can(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planning = planned("pushes")
    graph = free_graph(planning)
    monkeypatch.setattr(free_graph_module, "MAX_VALUES", len(graph.values))
    assert free_graph(planning) == graph
    monkeypatch.setattr(free_graph_module, "MAX_VALUES", len(graph.values) - 1)
    with pytest.raises(UsageError, match="`pushes` lead to more than") as refused:
        free_graph(planning)
    assert refused.value.hint is not None
    words, _, engine = refused.value.hint.rpartition(" --engine ")
    assert engine in ENGINES and words.startswith("use a metric")


def test_free_moves_count_towards_the_size_of_the_symmetry_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planning = planned("pushes")
    monkeypatch.setattr(automorphisms_module, "MAX_MOVES", len(planning.moves) + len(planning.free))
    assert automorphisms(planning)
    monkeypatch.setattr(
        automorphisms_module, "MAX_MOVES", len(planning.moves) + len(planning.free) - 1
    )
    assert automorphisms(planning) == []


def test_free_moves_count_towards_the_work_of_a_projection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planning = planned("pushes")
    number = len(planning.moves) + len(planning.free)

    def sizes(most_states: int, less: int) -> list[tuple[int, int]]:
        monkeypatch.setattr(projections_module, "MAX_WORK", most_states * number - less)
        return [(len(p.facts), len(p.cells)) for p in projections(planning)]

    # Each `b` has the four places of its row; there are 70 choices of four empty cells among eight.
    assert sizes(4 * 70, 0) == [(4, 8), (4, 8), (8, 0)]
    assert sizes(4 * 70, 1) == [(0, 8), (8, 0), (4, 0), (4, 0)]
    assert sizes(70, 1) == [(8, 0), (4, 0), (4, 0)]
    assert sizes(28, 1) == [(4, 0), (4, 0)]
    assert sizes(4, 1) == []

"""The picture of a state space has the right coordinates of states, and shows the steps on shortest plans."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

import fewest
from fewest.commands.explore.picture import _mirror, space_picture
from fewest.model.costs import cost_table
from fewest.space.distances import goal_distances
from fewest.space.graph_layout import laid_out, layers_of
from fewest.space.plans import optimal_steps
from fewest.space.state_graph import StateSpace, build_state_graph


def edges(space: StateSpace) -> set[tuple[int, int]]:
    source = np.repeat(np.arange(len(space)), np.diff(space.first))
    return set(zip(source.tolist(), space.target.tolist(), strict=True))


def from_start(space: StateSpace) -> dict[int, int]:
    """The layer of every state, by a plain breadth-first search."""
    after: dict[int, list[int]] = {}
    for a, b in edges(space):
        after.setdefault(a, []).append(b)
    found, waiting = {0: 0}, deque([0])
    while waiting:
        state = waiting.popleft()
        for reached in after.get(state, ()):
            if reached not in found:
                found[reached] = found[state] + 1
                waiting.append(reached)
    return found


@pytest.mark.parametrize("name", ["jugs", "triangle-10", "bird", "hanoi"])
def test_layers_and_optimal_steps_are_those_of_the_definition(name: str) -> None:
    task = fewest.load(name).task
    metric = next(
        m for m in task.metrics.values() if len(m.parts) == 1 and m.parts[0].merge == "none"
    )
    assert {metric.parts[0].weight(o.rule, o.binding) for o in task.operators} == {1}
    space, table = build_state_graph(task.problem), cost_table(task, metric)
    layers = from_start(space)
    assert layers_of(space).tolist() == [layers[i] for i in range(len(space))]
    distances = goal_distances(space, table)
    left = [distances.cost(state) for state in range(len(space))]
    least = left[0]
    assert least is not None
    expected = {
        (a, b)
        for a, b in edges(space)
        if left[b] is not None and not space.is_goal[a] and layers[a] + 1 + left[b][0] == least[0]
        if layers[b] == layers[a] + 1
    }
    assert optimal_steps(space, table, distances) == expected


@pytest.mark.parametrize("name", ["heng-dao-li-ma", "microban-001", "keys-and-doors"])
def test_the_steps_of_a_plan_are_optimal_steps_in_every_metric(name: str) -> None:
    compiled = fewest.load(name)
    task = compiled.task
    space = build_state_graph(task.problem)
    for metric in task.metrics.values():
        table = cost_table(task, metric)
        found = optimal_steps(space, table, goal_distances(space, table))
        plan = compiled.solve(metric.name).plan
        assert plan is not None
        state, at = task.initial, 0
        for op in plan.operators:
            state ^= task.operators[op].flip
            row = np.frombuffer(state.to_bytes(8 * space.states.shape[1], "little"), dtype="<u8")
            reached = int(space.index.find(row.reshape(1, -1).astype(np.uint64))[0])
            assert (at, reached) in found, metric.name
            at = reached


def test_mirror_images_are_drawn_opposite_each_other() -> None:
    compiled = fewest.load("heng-dao-li-ma")
    task = compiled.task
    space = build_state_graph(task.problem)
    mirror = _mirror(task, cost_table(task, task.metrics["turns"]), space)
    assert mirror is not None and (mirror[mirror] == np.arange(len(space))).all()
    layout = laid_out(space, mirror)
    assert (layout.layer[mirror] == layout.layer).all()
    assert (layout.height[mirror] == -layout.height).all()
    assert np.abs(layout.height).max() == 1
    moved = mirror != np.arange(len(space))
    for layer in range(layout.layer.max() + 1):  # no two states have the same coordinates
        here = layout.height[moved & (layout.layer == layer)]
        assert len(np.unique(here)) == len(here)


def test_a_space_too_large_for_a_graph_is_a_histogram(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = fewest.load("jugs")
    found = compiled.explore()
    metric = compiled.task.metrics[found.metric]
    graph = space_picture(compiled.task, metric, found, "Jugs & <more>")
    assert graph.count("stroke-linecap") == 4 and "Jugs &amp; &lt;more&gt;" in graph
    monkeypatch.setattr("fewest.commands.explore.picture.MOST", 10)
    bars = space_picture(compiled.task, metric, found, "Jugs")
    assert "stroke-linecap" not in bars and bars.count("<rect") == 1 + len(found.layers)

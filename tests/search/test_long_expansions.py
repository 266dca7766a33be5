"""One merged move can reach thousands of states: the counts are right, and limits hold during the expansion."""

from __future__ import annotations

from pathlib import Path

import pytest

import fewest
from fewest.model.costs import cost_table
from fewest.search.interface import Progress
from fewest.search.pure import breadth_first as pure

native = pytest.importorskip("fewest.search.native", reason="built without a compiler")

EAT = """
puzzle: eat-all
legend: {".": floor, o: stone, "@": p}
pieces: {stone: {}, p: {}}
moves:
  walk: {before: [p, empty], after: [empty, p]}
  eat: {before: [p, stone], after: [empty, p]}
  leap: {before: [p, stone, empty], after: [empty, stone, p]}
metrics: {turns: {merge: path}, moves: {}}
goal: {count: {stone: 0}}
board: |
"""
MILLIONS = EAT + "  @oooooo\n  ooooooo\n  ooooooo\n  ooooooo\n"
"""the first merged move reaches more than a hundred million states"""


@pytest.mark.parametrize("board", ["  o@oo.\n  oo.oo\n", "  @oo\n  ooo\n  ooo\n"])
def test_the_native_core_counts_what_the_pure_core_counts(board: str) -> None:
    compiled = fewest.load("eat.yaml", text=EAT + board)
    task, turns = compiled.grounded, compiled.puzzle.metrics["turns"]
    table = cost_table(task, turns)
    found, expected = (core.search(task.problem, table, exhaust=True) for core in (native, pure))
    assert (found.layers, found.num_goal_states) == (expected.layers, expected.num_goal_states)
    assert found.layers[1][1] > 500, "the closure of the first move has many states"
    assert found.cost == expected.cost == (1,)
    # every plan is one merged move, which ends at the first goal state
    tables = pure.ProblemTables(task.problem)
    reached, open_states = {tables.initial}, [tables.initial]
    while open_states:
        for _, state in tables.successors(open_states.pop()):
            if state not in reached:
                reached.add(state)
                if not tables.is_goal(state):
                    open_states.append(state)
    explored = compiled.explore("turns")
    assert explored.num_states == expected.num_states
    assert explored.num_plans == sum(map(tables.is_goal, reached))


@pytest.mark.parametrize(
    "options", [{"engine": "bfs"}, {"engine": "bidirectional"}, {"engine": "bfs", "threads": 2}]
)
def test_limits_hold_during_an_expansion(options: dict[str, object]) -> None:
    compiled = fewest.load("eat.yaml", text=MILLIONS)
    full = compiled.solve("turns", memory=10_000_000, audit="off", **options)
    assert (full.status, full.reason, full.lower_bound) == ("limit", "memory", 1)
    late = compiled.solve("turns", seconds=0.15, audit="off", **options)
    assert (late.status, late.reason, late.lower_bound) == ("limit", "time", 1)


def test_an_expansion_can_be_interrupted() -> None:
    compiled = fewest.load("eat.yaml", text=MILLIONS)
    interrupted = False

    def progress(report: object) -> None:
        nonlocal interrupted
        if isinstance(report, Progress) and not interrupted:
            interrupted = True  # a second Ctrl-C may end the search before it has an answer
            raise KeyboardInterrupt

    result = compiled.solve("turns", engine="bfs", progress=progress, audit="off")
    assert (result.status, result.reason, result.lower_bound) == ("limit", "interrupted", 1)


def test_limits_hold_during_an_expansion_on_disk(tmp_path: Path) -> None:
    compiled = fewest.load("eat.yaml", text=MILLIONS)
    for limits in ({"seconds": 0.25}, {"memory": 10_000_000}):
        folder = tmp_path / next(iter(limits))
        stopped = compiled.explore("turns", store=f"disk:{folder}", audit="off", **limits)
        assert (stopped.is_exhausted, stopped.reason) == (
            False,
            next(iter(limits)).replace("seconds", "time"),
        )

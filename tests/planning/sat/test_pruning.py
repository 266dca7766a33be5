"""Each pruning part excludes the walks that it should exclude, and no necessary one; the tests compare all walks."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import fewest
from fewest.errors import DocumentError, UsageError
from fewest.planning import horizons
from fewest.planning.sat.profile import PruningPart, load_profile
from fewest.planning.task import PlanningTask, planning_task
from tests.helpers.agreement import compiled_or_none, relaxed
from tests.helpers.layers import layered, walks
from tests.helpers.random_puzzles import puzzles
from tests.helpers.symmetric_puzzles import coloured_rings

# Opposite rotations of a ring can have the same effect, so facts that change do not determine the run.
RINGS = """
puzzle: rings
board: |
  aab
  b..
legend: {".": floor, a: a, b: b}
pieces: {a: {}, b: {}}
moves:
  left: {cycle: [[0, 0], [0, 1], [1, 1], [1, 0]]}
  right: {cycle: [[0, 1], [0, 2], [1, 2], [1, 1]]}
goal: {board: [[a, ".", a], [b, ".", b]]}
metrics: {turns: {merge: line}}
"""


def fresh_walks(planning: PlanningTask, horizon: int) -> set[tuple[int, ...]]:
    """The walks in which no move continues the run of the move before it."""
    found = {((planning.initial,), -1)}
    for _ in range(horizon):
        longer: set[tuple[tuple[int, ...], int]] = set()
        for walk, run in found:
            for at in horizons.free_paths(planning, walk[-1]):
                for move in planning.moves:
                    target = at ^ move.flip
                    goes_on = run >= 0 and move.run_in == run
                    if move.is_applicable(at) and not goes_on and not planning.is_forbidden(target):
                        longer.add(((*walk, target), move.run_out))
        found = longer
    return {walk for walk, _ in found}


def check_no_repeat(planning: PlanningTask, profile: str) -> None:
    loaded = load_profile(profile)
    pruned = replace(
        loaded,
        pruning=PruningPart(repeat=True),
        transition=replace(loaded.transition, idle="none"),
    )
    found = layered(planning, pruned, 2)
    if profile == "operators":  # this profile has a variable for every move
        assert found == fresh_walks(planning, 2)
    else:
        assert fresh_walks(planning, 2) <= found <= walks(planning, 2)


@pytest.mark.parametrize("profile", ["operators", "leave-arrive"])
def test_only_a_variable_of_a_single_run_excludes_its_continuation(profile: str) -> None:
    compiled = fewest.load("rings.yaml", text=RINGS)
    planning = planning_task(compiled.task, compiled.puzzle.metrics["turns"])
    assert planning.has_whole_runs
    check_no_repeat(planning, profile)


@settings(relaxed, max_examples=30)
@given(st.one_of(puzzles(), coloured_rings()))
def test_no_walk_without_a_continued_run_is_excluded(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    for name in ("line", "path"):
        try:
            planning = planning_task(compiled.task, compiled.puzzle.metrics[name])
        except (DocumentError, UsageError):
            continue
        if not planning.has_whole_runs or len(walks(planning, 2)) > 300:
            continue
        for profile in ("operators", "leave-arrive"):
            check_no_repeat(planning, profile)

"""A part that prunes takes away what it says, and nothing that has to stay: move by move, on all walks."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import fewest
from fewest.errors import DocumentError, UsageError
from fewest.model.metric import metric_of
from fewest.model.task import union
from fewest.planning import horizons
from fewest.planning.sat.profile import PruningPart, load_profile
from fewest.planning.task import PlanningTask, planning_task
from tests.helpers.agreement import compiled_or_none, relaxed
from tests.helpers.layers import layered, walks
from tests.helpers.random_puzzles import puzzles
from tests.helpers.symmetric_puzzles import coloured_rings

# Rings whose turns, to and fro, may come to the same: which run it was, leaving and arriving do not say.
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
    """The walks that can be played so that no move goes on with the run of the move before it."""
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


def ordered_walks(planning: PlanningTask, horizon: int) -> set[tuple[int, ...]]:
    """The walks that can be played so that of two moves in a row which have nothing to do with each
    other the one that changes the smallest fact comes first."""
    found = {((planning.initial,), -1)}
    speaks = [move.mask | union(mask for mask, _ in move.avoid) for move in planning.moves]
    for _ in range(horizon):
        longer: set[tuple[tuple[int, ...], int]] = set()
        for walk, last in found:
            for index, move in enumerate(planning.moves):
                if not move.is_applicable(walk[-1]):
                    continue
                if last >= 0:
                    flips = planning.moves[last].flip | move.flip
                    is_linked = speaks[last] & speaks[index] & flips
                    first, second = (lowest(planning.moves[m].flip) for m in (last, index))
                    if not is_linked and first >= second:
                        continue
                longer.add(((*walk, walk[-1] ^ move.flip), index))
        found = longer
    return {walk for walk, _ in found}


def lowest(facts: int) -> int:
    return (facts & -facts).bit_length() if facts else 1 << 30


def check_commuting(planning: PlanningTask, profile: str, horizon: int = 2) -> None:
    loaded = load_profile(profile)
    pruned = replace(
        loaded,
        pruning=PruningPart(commuting=True),
        transition=replace(loaded.transition, idle="none"),
    )
    found = layered(planning, pruned, horizon)
    if profile == "operators":  # where every move has a word of its own
        assert found == ordered_walks(planning, horizon)
    else:
        assert ordered_walks(planning, horizon) <= found <= walks(planning, horizon)


@pytest.mark.parametrize("profile", ["operators", "leave-arrive", "split"])
@pytest.mark.parametrize(
    ("name", "parameters", "metric"),
    [
        ("hanoi", {"disks": 3}, None),
        ("guarini", {}, None),
        ("lights-out-3x3", {}, None),
        ("tiles-2x3", {}, None),
        ("qi-bu-cheng-shi", {}, "turns"),
        ("du-se-yao-dao", {}, "steps"),
    ],
)
def test_moves_that_commute_come_in_one_order_and_no_others_do(
    name: str, parameters: dict[str, int], metric: str | None, profile: str
) -> None:
    task = fewest.load(name, parameters).task
    planning = planning_task(task, metric_of(task, metric))
    assert not planning.free and not planning.forbid
    check_commuting(planning, profile)
    if name in ("guarini", "hanoi"):
        check_commuting(planning, profile, 3)


@settings(relaxed, max_examples=20)
@given(puzzles())
def test_commuting_moves_of_random_puzzles_come_in_one_order(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    try:
        planning = planning_task(compiled.task, compiled.puzzle.metrics["ones"])
    except (DocumentError, UsageError):
        assume(False)
    assume(not planning.free and not planning.forbid and len(walks(planning, 2)) <= 300)
    for profile in ("operators", "leave-arrive", "split"):
        check_commuting(planning, profile)


def check_no_repeat(planning: PlanningTask, profile: str) -> None:
    loaded = load_profile(profile)
    pruned = replace(
        loaded,
        pruning=PruningPart(repeat=True),
        transition=replace(loaded.transition, idle="none"),
    )
    found = layered(planning, pruned, 2)
    if profile == "operators":  # where every move has a word of its own
        assert found == fresh_walks(planning, 2)
    else:
        assert fresh_walks(planning, 2) <= found <= walks(planning, 2)


@pytest.mark.parametrize("profile", ["operators", "leave-arrive", "split"])
def test_only_a_word_that_stands_for_one_run_is_kept_from_going_on_with_it(profile: str) -> None:
    compiled = fewest.load("rings.yaml", text=RINGS)
    planning = planning_task(compiled.task, compiled.puzzle.metrics["turns"])
    assert planning.has_whole_runs
    check_no_repeat(planning, profile)


@settings(relaxed, max_examples=30)
@given(st.one_of(puzzles(), coloured_rings()))
def test_no_walk_is_lost_that_needs_no_move_to_go_on_with_the_last(text: str) -> None:
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
        for profile in ("operators", "leave-arrive", "split"):
            check_no_repeat(planning, profile)

"""A backward exhaustive search confirms that every pruned state is dead."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import assume, given, settings
from msgspec.structs import replace

import fewest
from fewest.commands import explain
from fewest.commands.result import Result
from fewest.deadlocks import projection
from fewest.deadlocks.argument import argument
from fewest.deadlocks.dead_cubes import DeadCubes, find_dead_cubes
from fewest.deadlocks.projection import PieceView, _agent
from fewest.engines import solve
from fewest.errors import DocumentError, UsageError
from fewest.model.answer import Limits
from fewest.model.task import Task
from tests.helpers.agreement import compiled_or_none, relaxed
from tests.helpers.command_line import run
from tests.helpers.dead_states import states_of
from tests.helpers.random_puzzles import puzzles
from tests.helpers.small_levels import compiled_level, level


def is_dead(dead: DeadCubes, state: int) -> bool:
    """Whether the state is in a dead cube or a dead region."""
    return dead.cube_of(state) is not None or any(
        (state & region.facts).bit_count() > region.most for region in dead.regions
    )


def kinds_of_dead_states(task: Task, largest: int, limit: int = 2_000) -> Counter[str]:
    """The number of dead states that each argument finds; fails if an argument prunes a state that is not dead."""
    dead = find_dead_cubes(task, largest)
    found: Counter[str] = Counter()
    for state, is_alive in states_of(task, limit):
        why = argument(dead, state)
        if is_alive:
            assert why is None and not is_dead(dead, state), (why, state)
        else:
            assert why is not None or not is_dead(dead, state)
            found["none" if why is None else why.kind] += 1
    return found


# For sixteen small levels: the number of dead states that each argument finds, of cubes, and of regions. The tests
# below prove that each of these states is dead; if an argument becomes weaker, these numbers change.
STRENGTH = {
    ("sokoban", 1): ({"agent": 927, "counting": 357, "frozen": 19, "none": 4, "piece": 1951}, 68, 11),
    ("sokoban", 2): ({"agent": 927, "frozen": 14, "piece": 1951, "set": 366}, 156, 11),
    ("sokoban", 4): ({"agent": 927, "piece": 1951, "set": 380}, 276, 11),
    ("sokoban-pull", 1): ({"agent": 2171}, 14, 0),
    ("sokoban-pull", 2): ({"agent": 2171}, 15, 0),
    ("sokoban-pull", 4): ({"agent": 2171}, 15, 0),
    ("sokoban-double-push", 1): (
        {"agent": 927, "counting": 346, "frozen": 5, "none": 4, "piece": 1989}, 68, 11,
    ),
    ("sokoban-double-push", 2): ({"agent": 927, "piece": 1989, "set": 355}, 155, 11),
    ("sokoban-double-push", 4): ({"agent": 927, "piece": 1989, "set": 355}, 270, 11),
}  # fmt: skip


@pytest.mark.parametrize(("model", "largest"), STRENGTH)
def test_every_pruned_state_of_small_levels_is_dead_and_as_many_are_found_as_ever(
    model: str, largest: int
) -> None:
    found: Counter[str] = Counter()
    num_cubes = num_regions = 0
    for seed in range(16):
        try:
            task = compiled_level(level(seed, model)).task
        except DocumentError:
            continue
        found += kinds_of_dead_states(task, largest)
        dead = find_dead_cubes(task, largest)
        num_cubes, num_regions = num_cubes + len(dead.cubes), num_regions + len(dead.regions)
    assert (found, num_cubes, num_regions) == STRENGTH[model, largest]
    if largest == 4:  # sets of four boxes cover every deadlock of a level with at most four
        assert set(found) <= {"agent", "piece", "set"}
    elif largest == 1 and model == "sokoban":
        assert {"agent", "piece", "counting", "frozen"} <= set(found)


@settings(relaxed, max_examples=40)
@given(puzzles())
def test_every_pruned_state_of_random_puzzles_is_dead(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    try:
        task = compiled.task
    except DocumentError:
        return
    kinds_of_dead_states(task, 4, limit=500)


@pytest.mark.parametrize(
    ("name", "found", "num_cubes", "num_regions"),
    [
        ("keys-and-doors", {"none": 266}, 1, 0),
        ("microban-001", {"piece": 405, "set": 76}, 14, 1),
        ("pull-home", {"set": 1}, 1, 0),
        ("pull-out", {}, 22, 0),
        ("double-push", {}, 6, 0),
        ("wolf-goat-cabbage", {}, 0, 0),
        ("jugs", {}, 0, 0),
        ("pyramid", {}, 0, 0),
        ("small-4x6", {}, 0, 0),
    ],
)
def test_every_pruned_state_of_shipped_puzzles_is_dead(
    name: str, found: dict[str, int], num_cubes: int, num_regions: int
) -> None:
    task = fewest.load(name).task
    assert kinds_of_dead_states(task, 4) == found
    dead = find_dead_cubes(task, 4)
    assert (len(dead.cubes), len(dead.regions)) == (num_cubes, num_regions)


def test_dead_states_left_out_change_no_minimum() -> None:
    for seed in range(12):
        task = fewest.load("small.yaml", text=level(seed)).task
        pruned = replace(task, forbid=(*task.forbid, *find_dead_cubes(task).cubes))
        for metric in task.metrics.values():
            plain, short = (solve("bfs", t, metric, Limits()) for t in (task, pruned))
            assert (plain.status, plain.cost) == (short.status, short.cost), (seed, metric.name)


def test_no_dead_cube_contains_another() -> None:
    for name in ("microban-015", "microban.xsb:36", "thorns"):
        cubes = find_dead_cubes(fewest.load(name).task).cubes
        for (mask, value), (other_mask, other_value) in itertools.permutations(cubes, 2):
            assert other_mask & ~mask or value & other_mask != other_value, name


def test_sliding_puzzles_have_no_dead_positions() -> None:
    for name in ("heng-dao-li-ma", "eight-puzzle", "hardest-6x6", "two-rings", "hanoi"):
        assert find_dead_cubes(fewest.load(name).task).cubes == (), name


# -- known deadlocks -------------------------------------------------------------------------------


def sokoban(*rows: str) -> fewest.CompiledPuzzle:
    board = "".join(f"  {row}\n" for row in rows)
    return fewest.load("level.yaml", text=f"puzzle: level\nmodel: sokoban\nboard: |\n{board}")


def block(window: str) -> fewest.CompiledPuzzle:
    """A room with `window` (a drawing of 2×2 cells) in its middle, another box, and a goal cell for each box."""
    goals = "." * window.count("$")
    return sokoban(
        "#########",
        f"#@{goals:<6}#",
        "#       #",
        f"#  {window[:2]}  .#",
        f"#  {window[2:]} $ #",
        "#       #",
        "#########",
    )


@pytest.mark.parametrize("window", ["".join(w) for w in itertools.product("#$", repeat=4)])
def test_a_block_of_walls_and_boxes_is_dead_unless_all_boxes_are_home(window: str) -> None:
    if "$" not in window:
        return
    compiled = block(window)
    dead = find_dead_cubes(compiled.task)
    why = argument(dead, compiled.task.initial)
    assert why is not None and why.kind in ("piece", "set"), (window, why)
    is_corner = window.count("#") == 3 or window in ("#$$#", "$##$")  # a single box is dead
    assert why.pieces.bit_count() == (1 if is_corner else window.count("$"))
    home = block(window.replace("$", "*"))
    why = argument(find_dead_cubes(home.task), home.task.initial)
    assert why is None, (window, why)
    for cell in range(4):  # all boxes but one are on goals
        if window[cell] == "$" and window.count("$") > 1:
            some = block(
                window[:cell].replace("$", "*") + "$" + window[cell + 1 :].replace("$", "*")
            )
            why = argument(find_dead_cubes(some.task), some.task.initial)
            assert why is not None and why.kind in ("piece", "set"), (window, cell, why)


@pytest.mark.parametrize("is_open", [False, True])
def test_a_doorway_in_the_wall_behind_frees_boxes_from_the_edge(is_open: bool) -> None:
    compiled = sokoban(
        "#########",
        "#       #",
        "# ## ## #" if is_open else "# ##### #",
        "#  $ $. #",
        "#    .  #",
        "#   $@. #",
        "#       #",
        "#########",
    )
    found = compiled.explain_deadlock(seconds=20)
    assert (found.status == "dead") != is_open
    if not is_open:
        assert {part.cells for part in found.pieces} == {((3, 3),), ((3, 5),)}
        why = argument(find_dead_cubes(compiled.task, 1), compiled.task.initial)
        assert why is not None and why.kind == "counting" and why.are_pieces_many


def test_surplus_boxes_may_be_dead_if_enough_are_left() -> None:
    two = sokoban("########", "#$   @ #", "#   $ .#", "#      #", "########")
    assert two.explain_deadlock(seconds=0).status == "unknown"
    assert two.solve().status == "optimal"
    three = sokoban("########", "#$   @ #", "#   $ .#", "#$    .#", "########")
    found = three.explain_deadlock(seconds=0)
    assert (found.status, found.kind, len(found.pieces)) == ("dead", "set", 2)


# -- explaining ------------------------------------------------------------------------------------


def test_a_deadlock_is_explained_on_the_command_line() -> None:
    corner = "######/#$.###/#  ###/#*@  #/#    #/#  ###/######"
    done = run("explain", "deadlock", "microban-001", "--at", corner)
    assert done.returncode == 0 and "with this piece where it is" in done.stdout
    assert "pieces: box (1, 1)" in done.stdout and "#.   #" in done.stdout
    data = json.loads(run("explain", "deadlock", "microban-001", "--at", corner, "--json").stdout)
    assert (data["status"], data["argument"]) == ("dead", "piece")
    assert data["pieces"] == [{"name": "box", "cells": [[1, 1]]}]
    alive = run("explain", "deadlock", "microban-001")
    assert alive.returncode == 0 and "it is not dead: 8 pushes" in alive.stdout
    assert run("explain", "deadlock", "tiles-3x4", "--time", "0").returncode == 4


def test_an_argument_does_not_mention_boards_without_the_other_pieces() -> None:
    text = """
puzzle: pinned
legend: {{".": floor, a: a, b: b}}
pieces: {{a: {{interchangeable: false}}, b: {{}}}}
moves: {{push: {{slide: any, carries: any, directions: horizontal}}}}
board: {board}
goal: {{a: {{at: [0, 4]}}}}
"""
    found = fewest.load("pinned.yaml", text=text.format(board="aab..")).explain_deadlock()
    assert found.status == "dead" and "without" not in found.text and "even" not in found.text
    # without `b`, more moves are possible, so the argument is not about the pieces `a` alone
    alone = fewest.load("pinned.yaml", text=text.format(board="aa...").replace(", b: b", ""))
    assert alone.solve().status == "optimal"


def test_a_dead_position_without_an_argument_is_reported_as_dead() -> None:
    found = fewest.load("tiles-2x3").explain_deadlock(seconds=20)
    assert found.status in ("solvable", "solved")
    found = fewest.load("tiles-2x3-swapped").explain_deadlock(seconds=20)
    assert (found.status, found.kind) == ("dead", "exhaustion")


def test_a_puzzle_without_a_goal_has_no_dead_positions() -> None:
    text = "puzzle: free\nmodel: sokoban\ngoal: null\nboard: |\n  ####\n  #@ #\n  ####\n"
    compiled = fewest.load("free.yaml", text=text)
    assert find_dead_cubes(compiled.task).cubes == ()
    with pytest.raises(UsageError):
        compiled.explain_deadlock()


LANES = """
puzzle: lanes
board: |
  a..
  b..
legend: {".": floor, a: a, b: b}
pieces: {a: {}, b: {}}
moves:
  go: {before: [a, empty], after: [empty, a], directions: horizontal}
  roll: {before: [b, empty], after: [empty, b], directions: horizontal}
goal: {a: {at: [0, 2]}}
"""


def test_a_piece_that_only_half_of_the_operators_move_is_no_agent() -> None:
    task = fewest.load("lanes.yaml", text=LANES).task
    assert len(task.operators) == 8 and _agent(task) == ()
    alone = fewest.load(
        "lanes.yaml", text=LANES.replace("b..", "b##").replace(" b: b}", ' b: b, "#": wall}')
    ).task
    assert [alone.facts[fact].cell for fact in _agent(alone)] == [0, 1, 2]


GOALS = """
puzzle: goals
board: |
  ab.
  ...
legend: {".": floor, a: a, b: b}
pieces: {a: {}, b: {}}
moves: {push: {before: [a, b, empty], after: [empty, a, b]}, walk: {before: [a, empty], after: [empty, a]}}
goal: {any: [{b: {at: [0, 0]}}, {b: {at: [0, 1]}}, {b: {at: [0, 2]}}]}
"""


def test_goal_lists_with_too_many_cubes_are_not_examined(monkeypatch: pytest.MonkeyPatch) -> None:
    # A subset of the goals would be unsound: states that can still reach one of the other goals would seem dead.
    task = fewest.load("goals.yaml", text=GOALS).task
    number = len(PieceView(task).goals)
    assert number == 3
    monkeypatch.setattr(projection, "MAX_GOALS", number)
    assert PieceView(task).is_small
    monkeypatch.setattr(projection, "MAX_GOALS", number - 1)
    assert not PieceView(task).is_small


def test_a_plan_of_a_stopped_search_shows_that_a_position_is_not_dead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = explain.solve

    def stopped(*arguments: Any, **options: Any) -> Result:
        return replace(real(*arguments, **options), status="limit", reason="memory")

    monkeypatch.setattr(explain, "solve", stopped)
    found = fewest.load("tiles-2x3").explain_deadlock(seconds=20)
    assert (found.status, found.cost) == ("solvable", None)
    assert found.text == "it is not dead: at most 21 moves to the goal"

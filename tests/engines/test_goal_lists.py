"""For goals that are several lists of cubes, A* and the index find the results of the pure-Python core and of one
list."""

from __future__ import annotations

import random
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

import fewest
from fewest import search
from fewest.analysis.regression import TooManyStatesError, goal_states
from fewest.commands.generate import generate_in_index, universe
from fewest.grounding.ground import ground
from fewest.reading.board_spec import load_board_spec
from tests.cluster.test_index_owners import location

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="A* needs the native core")

SORT = """
puzzle: sort
constants:
  start: {start}
  heights: {heights}
variables:
  c[b, h]: {{for: {{b: range({tubes}), h: range({depth})}}, values: range({colours}), initial: "start[b][h]"}}
  n[b]: {{for: {{b: range({tubes})}}, values: range({depth} + 1), initial: "heights[b]"}}
moves:
  move:
    for: {{a: range({tubes}), b: range({tubes}), i: range({depth}), j: range({depth}), v: "range(1, {colours})"}}
    when: a != b and n[a] == i + 1 and n[b] == j and c[a, i] == v and (j == 0 or c[b, max(j - 1, 0)] == v)
    set: {{"c[a, i]": 0, "n[a]": i, "c[b, j]": v, "n[b]": j + 1}}
goal: all(c[b, 0] == c[b, h] for b in range({tubes}) for h in range({depth}))
"""

BOXES = """
puzzle: boxes
legend: {"@": pusher, b: box, ".": floor}
pieces: {pusher: {}, box: {}}
moves: {push: {slide: pusher, carries: box}}
board: |
  ....
  ....
  ....
fill:
  "@": {shape: "#", number: 1}
  b: {shape: "#", number: [1, 3]}
goal: "(cell(1, 1) == box or cell(1, 2) == box) and (cell(0, 0) == box or cell(2, 3) == box)"
"""

SMALL_SORT = SORT.format(
    start="[[1, 2], [2, 1], [0, 0]]", heights="[2, 2, 0]", tubes=3, depth=2, colours=3
)


@cache
def several_lists(text: str) -> fewest.CompiledPuzzle:
    """The puzzle, with its goal as several lists of cubes even if it is small."""
    compiled = fewest.load("lists.yaml", text=text)
    compiled.__dict__["grounded"] = ground(compiled.puzzle, most_goals=0)
    return compiled


@cache
def one_list(text: str) -> fewest.CompiledPuzzle:
    return fewest.load("one.yaml", text=text)


def random_variables(seed: int) -> str:
    """A few variables, moves that set one or two of them under conditions, and alternative goal values for each."""
    choose = random.Random(seed)
    sizes = [choose.randint(2, 4) for _ in range(choose.randint(4, 6))]
    names = [f"v{i}" for i in range(len(sizes))]

    def one_of(i: int) -> str:
        values = choose.sample(range(1, sizes[i]), choose.randint(1, sizes[i] - 1))
        return "(" + " or ".join(f"{names[i]} == {value}" for value in values) + ")"

    lines = ["puzzle: random", "variables:"]
    lines += [
        f"  {n}: {{values: range({s}), initial: 0}}" for n, s in zip(names, sizes, strict=True)
    ]
    lines += ["moves:"]
    for number in range(2 * len(sizes) + choose.randint(0, 6)):
        changed = [number % len(sizes), *choose.sample(range(len(sizes)), choose.randint(0, 1))]
        changed = list(dict.fromkeys(changed))
        when = [
            f"{names[i]} == {choose.randrange(sizes[i]) * choose.randint(0, 1)}" for i in changed
        ]
        when += [one_of(choose.randrange(len(sizes))) for _ in range(choose.randrange(4) // 3)]
        effect = ", ".join(f"{names[i]}: {choose.randrange(sizes[i])}" for i in changed)
        lines += [f"  m{number}: {{when: {' and '.join(when)}, set: {{{effect}}}}}"]
    order = choose.sample(range(len(sizes)), len(sizes))
    pairs = [order[i : i + 2] for i in range(0, len(order) - 1, 2)]
    goal = " and ".join(f"({one_of(i)} or {one_of(j)})" for i, j in pairs)
    lines += [f"goal: {goal}"]
    weights = {f"m{number}": choose.choice([0, 1, 1, 2, 3]) for number in range(4)}
    count = ", ".join(f"{rule}: {weight}" for rule, weight in weights.items())
    lines += ["metrics:", "  moves: {}", f"  weighted: {{count: {{{count}}}}}"]
    lines += ["  pair: [weighted, moves]", "  other: [moves, weighted]"]
    return "\n".join(lines) + "\n"


OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"algorithm": "ida"},
    {"patterns": "on"},
    {"patterns": "off", "threads": 1},
    {"threads": 2},
)


@pytest.mark.parametrize("part", range(4))
def test_astar_finds_the_minima_of_random_puzzles(part: int) -> None:
    several = solved = 0
    for seed in range(part, 120, 4):
        compiled = several_lists(random_variables(seed))
        several += bool(compiled.grounded.further_goals)
        for metric in compiled.puzzle.metrics:
            expected = compiled.solve(metric, engine="python")
            solved += expected.status == "optimal"
            options = OPTIONS[seed % len(OPTIONS)]
            found = compiled.solve(metric, engine="astar", audit="off", **options)
            details = (seed, metric, options)
            assert (found.status, found.cost) == (expected.status, expected.cost), details
            bound = found.statistics["initial_bound"]
            if expected.cost is not None and len(compiled.puzzle.metrics[metric].parts) == 1:
                assert bound[0] <= expected.cost, details
    assert several >= 8
    assert solved >= 30


@pytest.mark.parametrize("seed", range(6))
def test_astar_sorts_balls(seed: int) -> None:
    colours, tubes, depth = 3, 5, 3
    choose = random.Random(seed)
    balls = [1 + i // depth for i in range(colours * depth)]
    choose.shuffle(balls)
    start = [balls[i : i + depth] for i in range(0, len(balls), depth)]
    heights = [depth] * len(start) + [0] * (tubes - len(start))
    start += [[0] * depth] * (tubes - len(start))
    text = SORT.format(start=start, heights=heights, tubes=tubes, depth=depth, colours=colours + 1)
    compiled = several_lists(text)
    assert len(compiled.grounded.goal_lists) == tubes
    expected = compiled.solve(engine="bfs")
    for engine in ("astar", "auto"):
        found = compiled.solve(engine=engine)
        assert (found.status, found.cost) == (expected.status, expected.cost), engine
    found = compiled.solve(engine="astar", threads=1)
    wrong = sum(len(set(tube)) - 1 for tube in start)  # a lower bound on the number of pours
    assert found.statistics["initial_bound"][0] >= wrong
    assert found.statistics["expanded"] < expected.statistics["expanded"]


def test_a_goal_of_several_conditions_for_boxes_is_solved() -> None:
    text = """
puzzle: boxes
legend: {"@": pusher, b: box, "#": wall, ".": floor}
pieces: {pusher: {}, box: {}}
moves: {push: {slide: pusher, carries: box}}
board: |
  ######
  #....#
  #.b..#
  #@.b.#
  #....#
  ######
goal: GOAL
"""
    one = "(cell(2, 3) == box or cell(3, 2) == box)"
    two = "(cell(2, 2) == box or cell(3, 3) == box)"
    for goal in (
        f"{one} and {two}",
        f"{one} and {two} and (cell(1, 1) == pusher or cell(4, 4) == pusher)",
    ):
        compiled = several_lists(text.replace("GOAL", f'"{goal}"'))
        assert compiled.grounded.further_goals
        for metric in compiled.puzzle.metrics:
            expected = compiled.solve(metric, engine="python")
            for options in OPTIONS:
                found = compiled.solve(metric, engine="astar", **options)
                assert (found.status, found.cost) == (expected.status, expected.cost), (
                    goal,
                    metric,
                )


def test_a_checkpoint_supports_an_agent_that_walks_at_no_cost(tmp_path: Path) -> None:
    text = """
puzzle: boxes
model: sokoban
goal: "(cell(1, 1) == box or cell(1, 2) == box) and (cell(2, 4) == box or cell(2, 3) == box)"
metrics: {pushes: {count: {push: 1, walk: 0}}}
board: |
  #######
  #     #
  # $@$ #
  #     #
  #######
"""
    compiled = several_lists(text)
    assert len(compiled.grounded.goal_lists) > 1
    result = compiled.solve("pushes", engine="bfs", checkpoint=str(tmp_path / "saved"))
    assert result.cost == compiled.solve("pushes", engine="python").cost == 1


def test_the_goal_states_of_several_lists_are_those_of_one_list() -> None:
    several = 0
    for text in (SMALL_SORT, *(random_variables(seed) for seed in range(40))):
        one = one_list(text).grounded
        lists = several_lists(text).grounded
        assert not one.further_goals and one.facts == lists.facts
        several += bool(lists.further_goals)
        assert goal_states(lists, 10_000) == goal_states(one, 10_000)
    assert several > 15


def test_the_goal_states_of_several_lists_are_counted_up_to_the_limit() -> None:
    lists = several_lists(SMALL_SORT).grounded
    number = len(goal_states(lists, 10_000))
    assert lists.further_goals and number > 1
    with pytest.raises(TooManyStatesError):
        goal_states(lists, number - 1)


@pytest.mark.parametrize("owners", [0, 2], ids=["one process", "two owners"])
def test_an_index_finds_the_goals_of_several_lists(owners: int) -> None:
    place = location(owners) if owners else "index"
    several = 0
    for text in (SMALL_SORT, *(random_variables(seed) for seed in range(0, 40, 1 + owners))):
        lists = several_lists(text)
        several += bool(lists.grounded.further_goals)
        expected = one_list(text).explore("moves")
        found = lists.explore("moves", store=place)  # type: ignore[arg-type]
        for field in ("num_goal_states", "layers", "minimum", "goal_distances"):
            assert getattr(found, field) == getattr(expected, field), field
        solved = lists.solve("moves", engine="bfs", store=place)
        assert solved.cost == expected.minimum
    assert several > 4


def test_all_boards_with_a_goal_of_several_lists_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec = load_board_spec("spec.yaml", text=BOXES)
    expected = generate_in_index(spec)
    monkeypatch.setattr(universe, "ground", partial(ground, most_goals=0))
    assert len(universe.universe(spec).task.goal_lists) == 2
    found = generate_in_index(spec)
    assert (found.num_positions, found.metrics[0].layers) == (
        expected.num_positions,
        expected.metrics[0].layers,
    )

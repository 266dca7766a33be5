"""Conditions that effects test after a move allow exactly the moves of the rules."""

from __future__ import annotations

from collections import Counter

import pytest

import fewest
from fewest.grounding.ground import ground
from fewest.playing.exhaust import exhaust

BOARD = """
puzzle: tubes
legend: {{".": floor, a: a, b: b}}
pieces: {{a: {{}}, b: {{}}}}
variables:
  c[i]: {{for: {{i: range(3)}}, values: range(3), initial: i}}
  n: {{values: range(3), initial: 0}}
moves:
  put: {{for: {{i: range(3), v: range(3)}}, when: "c[i] != v and ({when})", set: {{"c[i]": v}}}}
  count: {{set: {{n: (n + 1) % 3}}}}
  step: {{before: [any, empty], after: [empty, any], directions: horizontal, when: "{when}"}}
board: "a.b."
goal: c[0] == 2 and c[1] == 2 and c[2] == 0
"""
FLOOD = """
puzzle: flood
title: Flood of Simon Tatham's collection, one move for each cell; 4 dyes by a search written for this board alone
constants: {start: [[3, 1, 3, 2], [0, 0, 3, 1], [1, 0, 0, 2], [0, 0, 1, 1]]}
variables:
  c[r, k]: {for: {r: range(4), k: range(4)}, values: range(4), initial: "start[r][k]"}
  wet[r, k]: {for: {r: range(4), k: range(4)}, values: [0, 1], initial: 1 if r == 0 and k == 0 else 0}
  colour: {values: range(4), initial: "start[0][0]"}
  spreads: {values: [0, 1], initial: 1}
moves:
  dye: {for: {v: range(4)}, when: spreads == 0 and v != colour, set: {colour: v, spreads: 1}}
  spread:
    for: {r: range(4), k: range(4)}
    when: >-
      spreads == 1 and wet[r, k] == 0 and c[r, k] == colour and
      any(wet[x, y] == 1 for x in range(4) for y in range(4) if abs(x - r) + abs(y - k) == 1)
    set: {"wet[r, k]": 1}
  done: {when: "spreads == 1 and not can(spread)", set: {spreads: 0}}
metrics: {dyes: {count: {dye: 1, spread: 0, done: 0}}}
metric: dyes
goal: all(wet[r, k] == 1 for r in range(4) for k in range(4))
"""
MANY_TUBES = """
puzzle: many-tubes
variables:
  c[i, j]: {for: {i: range(8), j: range(3)}, values: range(3), initial: 0 if j == i % 3 else 1}
  is_over: {values: [0, 1], initial: 0}
moves:
  put: {for: {i: range(8)}, when: is_over == 0, set: {"c[i, i % 3]": "1"}}
  end:
    when: is_over == 0 and all(c[i, 0] == c[i, j] for i in range(8) for j in range(3))
    set: {is_over: 1}
goal: is_over == 1
"""
COUNTER = """
puzzle: counter
variables:
  c[i]: {for: {i: range(4)}, values: range(3), initial: i % 3}
  n: {values: range(3), initial: 0}
moves:
  turn: {for: {i: range(4)}, set: {"c[i]": "(c[i] + 1) % 3"}}
  count: {when: "all(c[i] == 1 or c[i] == c[(i + 1) % 4] for i in range(4)) and n < 2", set: {n: n + 1}}
goal: n == 2
"""


def late(text: str) -> fewest.CompiledPuzzle:
    """The puzzle, compiled so that effects test every `when` that has several cases."""
    compiled = fewest.load("late.yaml", text=text)
    compiled.__dict__["grounded"] = ground(compiled.puzzle, most_condition_steps=0)
    return compiled


def num_tests(compiled: fewest.CompiledPuzzle) -> int:
    return sum(fact.name.startswith("(test ") for fact in compiled.grounded.facts)


@pytest.mark.parametrize(
    "when",
    [
        "n == 0 or any(c[i] == c[j] for i in range(3) for j in range(i))",
        "all(c[i] >= n for i in range(3))",
        "not all([c[0] != 1, c[1] != 2, n < 2])",
        "c[0] < c[1] < c[2] or n != 1",
        "n > 0 if c[0] == 0 else c[1] != n or cell(0, 0) == a",
        "count(a) == count(any) - count(b) and col(a) + n != col(b)",
        "not can(count) or c[2] != n",
        "n != 2",
    ],
)
def test_late_conditions_allow_the_moves_of_the_rules(when: str) -> None:
    compiled = late(BOARD.format(when=when))
    assert num_tests(compiled) or when == "n != 2"  # this condition is a single cube
    metric = next(iter(compiled.puzzle.metrics.values()))
    reach = exhaust(compiled.puzzle, metric, 3_000)
    assert len(reach.costs) > 100
    explored = compiled.explore()
    assert explored.num_states == len(reach.costs)
    layers = sorted(Counter(cost for (cost,) in reach.costs.values()).items())
    assert [number for _, number in explored.layers] == [number for _, number in layers]
    assert reach.minimum is not None
    for engine in ("bfs", "python", "sat", "asp"):
        assert compiled.solve(engine=engine).cost == reach.minimum[0]


def test_a_late_condition_may_exclude_values_that_are_out_of_range() -> None:
    compiled = late(COUNTER)
    assert num_tests(compiled) == 1
    assert len(compiled.grounded.operators) == 4 * 3 + 2
    reach = exhaust(compiled.puzzle, next(iter(compiled.puzzle.metrics.values())), 3_000)
    assert compiled.explore().num_states == len(reach.costs)
    assert compiled.solve().cost == reach.minimum[0]


def test_no_spot_can_spread_has_a_cube_for_each_spot_that_can() -> None:
    """The condition that no spot can spread has a case for nearly every combination of spots and colours."""
    compiled = fewest.load("flood.yaml", text=FLOOD)
    assert num_tests(compiled) == 1
    result = compiled.solve(audit="all")
    assert result.cost == 4
    assert result.status == "optimal"
    assert compiled.explore().num_states == 537


def test_a_conjunction_of_alternatives_is_not_multiplied_out() -> None:
    """The condition of eight tubes, each with one colour, has 3^8 cases."""
    compiled = fewest.load("many-tubes.yaml", text=MANY_TUBES)
    assert num_tests(compiled) == 1
    assert len(compiled.grounded.operators) < 100
    assert compiled.solve().cost == 9


def test_a_metric_that_merges_moves_needs_cases() -> None:
    text = BOARD.format(when="all(c[i] >= n for i in range(3))")
    assert num_tests(late(text)) > 0
    assert num_tests(late(text + "metrics: {lines: {count: 1, merge: line}}\n")) == 0

"""The grounder and the reference interpreter agree about rules whose conditions mention other rules."""

from __future__ import annotations

import pytest

import fewest
from fewest.model.states import encode
from fewest.playing.exhaust import exhaust
from tests.helpers.dead_states import states_of

# `hop` and `wait` depend on which other rules apply, and a leap can make a waiting `b` movable.
FROGS = """
puzzle: frogs
board: "a.bab."
legend: {{".": floor, a: a, b: b}}
pieces: {{a: {{}}, b: {{}}}}
variables: {{x: {{values: [1, 2], initial: 1}}}}
moves:
  leap: {{before: [a, b, empty], after: [empty, b, a]}}
  hop: {{before: [a, empty], after: [empty, a], when: {hop}}}
  wait: {{before: [b, empty], after: [empty, b], when: {wait}, set: {{x: 3 - x}}}}
goal: {goal}
metrics: {{ones: {{}}}}
"""


@pytest.mark.parametrize("goal", ["can(leap)", "not can(hop)"])
@pytest.mark.parametrize(
    ("hop", "wait"),
    [
        ("not can(leap)", "can(hop) or x == 1"),
        ("can(leap)", "x == 1 or can(leap)"),
        ("x == 2", "not can(hop)"),
    ],
)
def test_rules_may_be_where_others_can_be_or_cannot(hop: str, wait: str, goal: str) -> None:
    text = FROGS.format(hop=hop, wait=wait, goal=goal)
    compiled = fewest.load("frogs.yaml", text=text)
    puzzle, task = compiled.puzzle, compiled.task
    reach = exhaust(puzzle, puzzle.metrics["ones"], 2_000)
    states = [state for state, _ in states_of(task, 2_000)]
    assert set(states) == {encode(task, position) for position in reach.costs}
    assert len(states) > 10
    assert sum(map(task.is_goal, states)) == reach.num_goal_states
    assert 0 < reach.num_goal_states < len(states)


# A rule that changes nothing makes no move, but `can` still finds that it applies.
IDLE = """
puzzle: idle
board: |
  ab..
  bb#.
legend: {{".": floor, "#": wall, a: a, b: b}}
pieces: {{a: {{}}, b: {{}}}}
variables: {{x: {{values: range(3), initial: 0}}}}
moves:
  idle: {idle}
  walk: {{before: [a|b, empty], after: [empty, a|b], set: {{x: (x + 1) % 3}}}}
goal: {goal}
"""


@pytest.mark.parametrize("goal", ["can(idle)", "not can(idle)"])
@pytest.mark.parametrize(
    "idle",
    [
        "{before: [a, wall], after: [a, wall], directions: right}",
        "{before: [a, b], after: [a, b], when: x == 2}",
        "{before: [b, b, empty], after: [b, b, empty], set: {x: x}}",
        "{when: x > 0, set: {x: x}}",
        '{when: x == 1, set: {"x for i in range(3) if x == 2": 0}}',
        "{when: x == 1, set: {x: 1}}",
        "{cycle: [[0, 1], [1, 1], [1, 0]], when: x != 1}",
        '{cycle: [[0, 2], [0, 3]], when: "cell(0, 2) == cell(0, 3)"}',
        "{before: [a, b, b...], after: [a, b, b...], distance: 1}",
    ],
)
def test_a_rule_that_changes_nothing_fits_where_its_pattern_and_its_condition_hold(
    idle: str, goal: str
) -> None:
    compiled = fewest.load("idle.yaml", text=IDLE.format(idle=idle, goal=goal))
    puzzle, task = compiled.puzzle, compiled.task
    reach = exhaust(puzzle, puzzle.metrics["moves"], 3_000)
    states = [state for state, _ in states_of(task, 3_000)]
    assert set(states) == {encode(task, position) for position in reach.costs}
    assert sum(map(task.is_goal, states)) == reach.num_goal_states
    assert 0 < reach.num_goal_states < len(states)


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("{before: [a, b], after: [a, b]}", "the rule changes nothing where it fits"),
        ("{before: [a, b], after: [a, b], when: x == 5}", "`when` is never true"),
        ("{set: {x: x}}", "the rule changes nothing where it fits"),
        ("{before: [a, a], after: [a, a], when: x == 1}", "pieces on this board can never be"),
        ("{for: {i: []}, set: {x: i}}", "the loops of the rule have no bindings"),
    ],
)
def test_the_warning_of_an_idle_rule_gives_the_true_reason(rule: str, why: str) -> None:
    compiled = fewest.load("idle.yaml", text=IDLE.format(idle=rule, goal="x == 2"))
    found = [w for w in compiled.warnings if w.code == "rule-idle"]
    assert len(found) == 1 and why in found[0].message
    used = fewest.load("idle.yaml", text=IDLE.format(idle=rule, goal="x == 2 and not can(idle)"))
    assert "rule-idle" not in {w.code for w in used.warnings}

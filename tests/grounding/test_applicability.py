"""Rules that look at other rules: what is grounded is what the reference plays."""

from __future__ import annotations

import pytest

import fewest
from fewest.model.states import encode
from fewest.playing.exhaust import exhaust
from tests.helpers.dead_states import states_of

# A frog hops only where none can leap, `b` waits for both, and a leap may set free who waits.
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

"""Conditions with `can` and many cases: hidden facts answer the questions, and allow exactly the moves of the rules."""

from __future__ import annotations

import time

import pytest

import fewest
from fewest.grounding.ground import ground
from fewest.grounding.tested_rules import rules_tested_in_rules
from tests.helpers.matrix.compare import Played, compare

SMALL = "@.o\n  .ox"
LARGE = "@.o...\n  ..ox..\n  .o.xo.\n  .x.o.x"
WALK = "walk: {slide: robot"
# the remaining rules of each puzzle, and its goal
RULES = {
    "neither": """
  break: {before: [robot, stone], after: [robot, empty], when: not can(hop) and not can(swap)}
goal: {count: {stone: 0}}""",
    "both": """
  break: {before: [robot, stone], after: [robot, empty], when: can(hop) and can(swap)}
goal: {count: {stone: 0}}""",
    "one of them": """
  ready: {before: [stone, empty], after: [stone, empty], when: not can(hop)}
  break: {before: [robot, stone], after: [robot, empty], when: can(hop) != can(ready)}
goal: {count: {stone: 0}}""",
    "a consequence": """
then:
  melt: {before: [stone], after: [empty], when: not can(hop) and not can(swap)}
goal: {count: {stone: 0}}""",
    "everywhere": """
then:
  melt: {before: [stone, box], after: [empty, box], everywhere: true, when: not can(hop) and not can(swap)}
goal: {count: {stone: 0}}""",
    "once": """
then:
  melt: {before: [stone], after: [empty], once: true, when: not can(hop) and not can(swap)}
goal: {count: {stone: 0}}""",
    "an action": """
variables: {lost: {values: [0, 1], initial: 0}}
then:
  end: {when: "lost == 0 and not can(hop) and not can(swap)", set: {lost: 1}}
goal: lost == 1""",
    "moves and falling": """
  break: {before: [robot, stone], after: [robot, empty], when: can(hop) and not can(swap)}
then:
  fall: {before: [stone, empty], after: [empty, stone], directions: right}
goal: {count: {stone: 0}}""",
    "together": """
  wind: {together: box, when: not can(hop), directions: left}
goal: {count: {stone: 0}}""",
}


def puzzle(rules: str, board: str) -> str:
    return f"""
puzzle: asking
legend: {{".": floor, o: stone, x: box, "@": robot}}
pieces: {{robot: {{}}, box: {{}}, stone: {{}}}}
moves:
  {WALK}}}
  hop: {{before: [box, stone, empty], after: [stone, empty, box]}}
  swap: {{before: [stone, box, empty], after: [box, empty, stone]}}
{rules.strip(chr(10))}
board: |
  {board}
"""


@pytest.mark.parametrize("name", RULES)
def test_facts_answer_questions_like_the_rules(name: str) -> None:
    loaded = fewest.load("asking.yaml", text=puzzle(RULES[name], SMALL)).puzzle
    task = ground(loaded, most_rule_tests=-1)
    assert any("fits" in fact.name for fact in task.facts), "facts answer the questions"
    Played(loaded, 200).compare(task)
    for number in range(2):
        assert compare(loaded, limit=200, number=number, most_calls=100).tasks > 1


def test_rules_come_after_the_rules_that_they_test() -> None:
    loaded = fewest.load("asking.yaml", text=puzzle(RULES["one of them"], SMALL)).puzzle
    assert rules_tested_in_rules(loaded) == ["hop", "ready"]


@pytest.mark.parametrize(
    "name", ["neither", "both", "one of them", "a consequence", "an action", "moves and falling"]
)
def test_several_questions_compile_quickly(name: str) -> None:
    board = LARGE
    if name == "moves and falling":
        board = "@....o\n  ..x..o\n  .....o\n  ..x..x"
    loaded = fewest.load("asking.yaml", text=puzzle(RULES[name], board)).puzzle
    began = time.process_time()
    task = ground(loaded)
    assert time.process_time() - began < 10, "it takes about a second; without facts, minutes"
    Played(loaded, 3).compare(task)


def test_a_set_without_a_value_in_states_that_the_tested_rule_excludes_needs_cases() -> None:
    text = """
puzzle: counting
variables: {n: {values: range(3), initial: 0}}
moves:
  add: {when: n < 2, set: {n: n + 1}}
  also: {when: can(add), set: {n: n + 1}}
goal: n == 2
"""
    loaded = fewest.load("counting.yaml", text=text).puzzle
    assert ground(loaded, most_rule_tests=-1) == ground(loaded)

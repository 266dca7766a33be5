"""Conditions with `can` and many cases: hidden facts answer `can`, and allow exactly the moves of the rules."""

from __future__ import annotations

import pytest

import fewest
from fewest.commands.explore.computation import explore
from fewest.errors import DocumentError
from fewest.grounding.ground import ground
from fewest.grounding.rule_test_limit import estimated_size
from fewest.grounding.tested_rules import rules_tested_in_rules
from fewest.model.task import Task
from tests.helpers.matrix.compare import Played, compare

SMALL = "@.o\n  .ox"
MOST_CALLS = 200  # calls of the progress callback, one after every 256 steps
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
variables: {over: {values: [0, 1], initial: 0}}
then:
  end: {when: "over == 0 and not can(hop) and not can(swap)", set: {over: 1}}
goal: over == 1""",
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


def has_facts(task: Task) -> bool:
    """Whether hidden facts answer `can`."""
    return any("fits" in fact.name for fact in task.facts)


@pytest.mark.parametrize("name", RULES)
def test_facts_answer_can_like_the_rules(name: str) -> None:
    loaded = fewest.load("asking.yaml", text=puzzle(RULES[name], SMALL)).puzzle
    task = ground(loaded, most_rule_tests=-1)
    assert has_facts(task)
    Played(loaded, 200).compare(task)
    for number in range(2):
        assert compare(loaded, limit=200, number=number, most_calls=100).tasks > 1


@pytest.mark.parametrize("name", RULES)
def test_goal_distances_do_not_depend_on_the_form(name: str) -> None:
    loaded = fewest.load("asking.yaml", text=puzzle(RULES[name], SMALL)).puzzle
    found = []
    for most in (-1, 10**9):
        task = ground(loaded, most_rule_tests=most)
        assert has_facts(task) == (most < 0)
        done = explore(task, loaded.metrics[loaded.default_metric])
        known = done.goal_distances
        distances = known and (known.histogram, known.num_dead)
        found.append((done.num_states, done.layers, done.minimum, done.num_plans, distances))
    assert found[0] == found[1]


def test_rules_come_after_the_rules_that_they_test() -> None:
    loaded = fewest.load("asking.yaml", text=puzzle(RULES["one of them"], SMALL)).puzzle
    assert rules_tested_in_rules(loaded) == ["hop", "ready"]


@pytest.mark.parametrize(
    "name", ["neither", "both", "one of them", "a consequence", "an action", "moves and falling"]
)
def test_several_tests_of_rules_compile_in_few_steps(name: str) -> None:
    board = LARGE
    if name == "moves and falling":
        board = "@....o\n  ..x..o\n  .....o\n  ..x..x"
    loaded = fewest.load("asking.yaml", text=puzzle(RULES[name], board)).puzzle
    calls = 0

    def watch(_: int, __: str) -> None:
        nonlocal calls
        calls += 1

    task = ground(loaded, watch)
    assert calls < MOST_CALLS, "the cases take several thousand calls"
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


MERGING = """
metrics:
  pushes: {merge: line}
"""


def test_a_metric_that_merges_moves_keeps_the_cases() -> None:
    text = puzzle(RULES["both"], SMALL) + MERGING
    loaded = fewest.load("asking.yaml", text=text).puzzle
    assert not ground(loaded, most_rule_tests=0).consequences
    compare(loaded, limit=200, most_calls=100)


def test_states_that_the_tested_rule_excludes_cause_no_warning() -> None:
    text = """
puzzle: counting
variables: {n: {values: range(3), initial: 0}, x: {values: [0, 1], initial: 0}}
moves:
  add: {when: n < 2, set: {x: 1}}
then:
  up: {when: x == 1 and can(add), set: {n: n + 1, x: 0}}
  down: {when: x == 1 and not can(add) and n == 1, set: {n: n + 2, x: 0}}
goal: n == 2
"""
    loaded = fewest.load("counting.yaml", text=text).puzzle
    task = ground(loaded, most_rule_tests=-1)
    assert has_facts(task)
    assert task.undefined == ()
    Played(loaded, 10).compare(task)


def test_a_once_rule_without_a_value_forbids_the_move_if_the_tested_rule_fits() -> None:
    text = """
puzzle: counting
variables: {n: {values: range(3), initial: 0}}
moves:
  add: {when: n < 2, set: {n: n + 1}}
then:
  last: {once: true, when: can(add), set: {n: n + 2}}
goal: n == 2
"""
    loaded = fewest.load("counting.yaml", text=text).puzzle
    task = ground(loaded, most_rule_tests=-1)
    assert has_facts(task)
    assert compare(loaded).is_complete
    Played(loaded, 10).compare(task)


def test_a_start_with_consequences_is_refused_without_an_outcome() -> None:
    text = puzzle(RULES["a consequence"], ".").replace("  .\n", "  o.@\n")
    loaded = fewest.load("asking.yaml", text=text).puzzle
    with pytest.raises(DocumentError, match="applies at the start") as error:
        ground(loaded, most_rule_tests=-1)
    assert error.value.diagnostics[0].hint == "draw the start as it is after the consequences"


def test_the_estimated_size_of_a_regular_tree_is_its_size() -> None:
    visited, size = estimated_size(0, lambda depth: [depth + 1] * 3 if depth < 4 else [])
    assert (visited, size) == (250, 1 + 3 + 9 + 27 + 81)

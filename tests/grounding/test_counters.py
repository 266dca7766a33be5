"""Hidden facts for numbers of pieces give the same moves as case splits, and take far fewer steps."""

from __future__ import annotations

import pytest

import fewest
from fewest.grounding.ground import ground
from tests.helpers.matrix.compare import Played, compare

TEXT = """
puzzle: counting
legend: {{".": floor, "@": man, o: jelly, "!": mark, x: coin, b: bug}}
pieces: {{man: {{}}, jelly: {{}}, coin: {{}}, bug: {{}}}}
terrain: [mark]
variables: {{n: {{values: range(20), initial: 0}}}}
moves:
  walk: {{before: [man, empty], after: [empty, man]}}
  push: {{before: [man, jelly, empty], after: [empty, man, jelly]{when}}}
  eat: {{before: [man, coin], after: [empty, man]}}
{then}
goal: {{count: {{coin: 0}}}}
board: |
{board}
"""
SMALL = """
  @o.!
  x!ob
"""
LARGE = """
  x!!!!!!
  !oo!!o!
  !!oo!o!
  !!!!!b@
"""
# `melt` depends on all three kinds of pieces, so it takes many steps on a smaller board, too.
MEDIUM = """
  x!!!!!
  !oo!o!
  !!!!b@
"""
WHEN = [
    "count(jelly, mark) != 1",
    "count(jelly, mark) % 2 == 0",
    "count(jelly, mark) + n < 1",
    "count(jelly, mark) <= count(bug, mark) and count(any) > 3",
]
THEN = [
    'hit: {before: [coin], after: [empty], directions: up, when: "count(jelly, mark) == 1"}',
    'tick: {once: true, set: {n: "count(jelly, mark) + count(coin)"}}',
    'spread: {before: [coin], after: [jelly], everywhere: true, when: "count(jelly, mark) == 2"}',
    'melt: {before: [jelly, empty], after: [empty, empty], when: "count(jelly) + n > 9 * count(coin)"}',
]


def text(when: str, then: str, board: str) -> str:
    return TEXT.format(
        when=f', when: "{when}"' if when else "",
        then=f"then:\n  {then}" if then else "",
        board=board.strip("\n"),
    )


@pytest.mark.parametrize(("when", "then"), [*((w, "") for w in WHEN), *(("", t) for t in THEN)])
def test_facts_count_like_the_rules(when: str, then: str) -> None:
    puzzle = fewest.load("counting.yaml", text=text(when, then, SMALL)).puzzle
    task = ground(puzzle, most_rule_tests=0)
    assert any(" is 1)" in fact.name for fact in task.facts)
    Played(puzzle, 200).compare(task)
    assert compare(puzzle, limit=200, most_calls=100).tasks > 1


@pytest.mark.parametrize(("when", "then"), [*((w, "") for w in WHEN[:3]), *(("", t) for t in THEN)])
def test_numbers_of_many_cells_compile_in_few_steps(when: str, then: str) -> None:
    board = MEDIUM if then.startswith("melt") else LARGE
    puzzle = fewest.load("counting.yaml", text=text(when, then, board)).puzzle
    calls = 0

    def watch(_: int, __: str) -> None:
        nonlocal calls
        calls += 1

    task = ground(puzzle, watch)
    assert calls < 300, "most of the conditions take a thousand calls with case splits"
    Played(puzzle, 3).compare(task)

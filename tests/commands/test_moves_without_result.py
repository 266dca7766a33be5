"""Consequences without a result cause a warning only if some position that can be reached has them."""

from __future__ import annotations

import pytest

import fewest
from fewest.commands import moves_without_result

COUNTING = """
puzzle: counting
variables:
  pressed: {{values: [0, 1], initial: 0}}
  times: {{values: range(4), initial: 0}}
  also: {{values: range(5), initial: 0}}
moves:
  press: {{when: also < {most}, set: {{pressed: 1}}}}
then:
  count: {{when: pressed == 1, set: {{pressed: 0, times: times + 1, also: "min(also + 1, 4)"}}}}
goal: times == 3
"""
SWINGING = """
puzzle: swinging
legend: {{".": floor, b: bell, "@": man}}
pieces: {{bell: {{}}, man: {{}}}}
variables: {{"x[i]": {{for: {{i: range(2)}}, values: range(3), initial: 0}}}}
moves:
  walk: {{before: [man, empty], after: [empty, man], set: {{"x[i] for i in range(2)": 0}}}}
  hit:
    before: [man, bell]
    after: [man, bell]
    when: "x[0] < {most}"
    set: {{"x[i] for i in range(2)": "min(x[i] + 1, 2)"}}
then:
  swing: {{before: [bell, empty], after: [empty, bell], directions: left right, when: "x[1] == 2"}}
goal: {{man: {{at: [1, 0]}}}}
board: |
  b..@
  ....
"""


def warned(text: str, most: int) -> set[str]:
    return {w.code for w in fewest.load("x.yaml", text=text.format(most=most)).warnings}


@pytest.mark.parametrize(
    ("text", "most", "code"),
    [
        (COUNTING, 4, "then-undefined"),
        (SWINGING, 2, "then-endless"),
    ],
)
def test_only_positions_that_can_be_reached_cause_a_warning(
    text: str, most: int, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert code in warned(text, most)
    assert code not in warned(text, most - 1)
    monkeypatch.setattr(moves_without_result, "MOST_POSITIONS", 2)
    assert code in warned(text, most - 1)

"""The row and the column of a piece that no rule removes are never -1."""

from __future__ import annotations

import pytest

import fewest
from fewest.errors import DocumentError
from tests.helpers.matrix.compare import compare

SHOP = """
puzzle: shop
legend: {".": floor, a: a, b: b}
pieces: {a: {}, b: {}}
constants: {price: [1, 0, 1, 1]}
moves:
  step: {slide: a}
  other: {slide: b, when: "price[col(a)] == 1"}
goal: {b: {at: [1, 0]}}
board: |
  .a..
  ..b.
"""


def test_a_column_can_be_the_index_of_a_table() -> None:
    compiled = fewest.load("shop.yaml", text=SHOP)
    assert all(compare(compiled.puzzle, number=number).is_complete for number in range(2))
    assert compiled.solve(engine="bfs").cost == 3


def test_a_piece_that_a_rule_removes_may_have_no_column() -> None:
    text = SHOP.replace("moves:", "moves:\n  eat: {before: [b, a], after: [empty, b]}")
    with pytest.raises(DocumentError, match="`price` has no index -1"):
        fewest.load("shop.yaml", text=text).solve()


@pytest.mark.parametrize("where", ["col(a)", "row(a)"])
def test_consequences_read_the_place_after_the_move(where: str) -> None:
    text = SHOP.replace(
        "goal:",
        "variables: {x: {values: range(4), initial: 0}}\n"
        f'then: {{look: {{set: {{x: "price[{where}]"}}, once: true}}}}\ngoal:',
    )
    compiled = fewest.load("shop.yaml", text=text)
    assert all(compare(compiled.puzzle, number=number).positions > 10 for number in range(2))

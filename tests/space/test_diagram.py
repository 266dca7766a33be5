"""A decision diagram has one variable for each cell, or one for each piece."""

from __future__ import annotations

import fewest
from fewest.analysis.invariants import proven_at_most_one
from fewest.space.diagram import DiagramVariable, variables_by_cells, variables_by_groups


def test_a_cell_becomes_a_variable_with_one_value_for_each_possible_piece() -> None:
    task = fewest.load("tiles-2x2").task  # this puzzle has three tiles on four cells
    every, cells = (1 << 12) - 1, proven_at_most_one(task)
    assert variables_by_cells(task, cells, every) == tuple(
        DiagramVariable((cell, cell + 4, cell + 8), True) for cell in range(4)
    )
    # The first tile cannot be on the first cell, nor the second on the second, nor the third on the last.
    assert variables_by_cells(task, cells, every & ~(1 << 0 | 1 << 5 | 1 << 11)) == (
        DiagramVariable((4, 8), True),
        DiagramVariable((1, 9), True),
        DiagramVariable((2, 6, 10), True),
        DiagramVariable((3, 7), True),
    )


def test_variables_follow_the_pieces_and_exactly_one_value_is_true() -> None:
    text = """
puzzle: two
board: "ab"
legend: {a: a, b: b}
pieces: {a: {}, b: {}}
variables: {x: {values: [1, 2], initial: 1}}
moves: {swap: {before: [a, b], after: [b, a], set: {x: 3 - x}}}
goal: x == 2
"""
    task = fewest.load("two.yaml", text=text).task
    every = (1 << len(task.facts)) - 1
    *cells, values = (
        ([task.facts[fact].name for fact in v.facts], v.may_be_none)
        for v in variables_by_cells(task, proven_at_most_one(task), every)
    )
    assert sorted(cells) == [(["a@0,0", "b@0,0"], True), (["a@0,1", "b@0,1"], True)]
    assert values == (["x=1", "x=2"], False)
    assert {v.facts for v in variables_by_groups(task, every)} == {g.facts for g in task.exactly}

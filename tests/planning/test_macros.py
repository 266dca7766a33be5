"""No macro operator contradicts the invariants, and each has the effect of its moves."""

from __future__ import annotations

from itertools import combinations, product

import pytest

import fewest
from fewest.model.metric import metric_of
from fewest.model.task import Group
from fewest.planning.macros import macro_operators

# A can pass B only while B is not in the middle; every place of B covers a middle cell.
BLOCKED = """
puzzle: blocked
board: |
  BB.A
  BB..
legend: {".": floor}
pieces: {block: {letters: A-Z}}
moves: {slide: {slide: block}}
goal: {A: {at: [0, 0]}}
metrics: {turns: {merge: path}}
"""

CROWDED = """
puzzle: crowded
board: |
  aa.
  bC.
legend: {".": floor, a: a, b: b}
pieces: {a: {}, b: {}, c: {letters: C}}
moves: {slide: {slide: any}}
goal: {C: {at: [0, 0]}}
metrics: {turns: {merge: path}}
"""


def choices(group: Group) -> list[int]:
    """All sets of facts that the group allows."""
    return [sum(1 << f for f in facts) for facts in combinations(group.facts, group.count)]


@pytest.mark.parametrize("text", [BLOCKED, CROWDED])
def test_every_run_has_a_precondition_that_pieces_can_meet(text: str) -> None:
    task = fewest.load("runs.yaml", text=text).task
    runs = [
        m for m in macro_operators(task, metric_of(task, "turns").parts[0]) if len(m.operators) > 1
    ]
    assert runs
    for move, group in product(runs, task.exactly):
        facts = sum(1 << fact for fact in group.facts)
        assert any((chosen ^ move.value) & move.mask & facts == 0 for chosen in choices(group)), (
            move
        )


@pytest.mark.parametrize("text", [BLOCKED, CROWDED])
def test_a_run_applies_where_its_steps_apply_and_has_the_same_result(text: str) -> None:
    task = fewest.load("runs.yaml", text=text).task
    cells = [sum(1 << fact for fact in cell) for cell in task.at_most_one]
    states = map(sum, product(*map(choices, task.exactly)))
    states = [s for s in states if all((s & cell).bit_count() <= 1 for cell in cells)]
    num_made = 0
    for move in macro_operators(task, metric_of(task, "turns").parts[0]):
        for state in filter(move.is_applicable, states):
            after = state
            for operator in (task.operators[index] for index in move.operators):
                assert operator.is_applicable(after)
                after = operator.apply(after)
            assert after == state ^ move.flip
            num_made += len(move.operators) > 1
    assert num_made


AROUND = """
puzzle: around
board: |
  .a..
  ##a#
legend: {".": floor, a: a, "#": wall}
pieces: {a: {}}
moves:
  step: {before: [a, empty], after: [empty, a]}
  push: {before: [a, a, empty], after: [empty, a, a]}
  hop: {slide: a, directions: [[2, 0], [-2, 0], [0, 2], [0, -2]]}
goal: {board: "a.a.\\n##.#"}
metrics: {runs: {merge: path}}
"""


@pytest.mark.parametrize("engine", ["bfs", "sat", "asp"])
def test_a_run_may_pass_through_a_position_twice_with_another_equal_piece(engine: str) -> None:
    """A push and a hop back restore the position, but the piece of the run is then the other one."""
    found = fewest.load("around.yaml", text=AROUND).solve(engine=engine)
    assert (found.status, found.cost) == ("optimal", 1)

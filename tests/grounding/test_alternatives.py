"""The cubes of alternative goals cover exactly the goal positions of the reference interpreter, and stay few."""

from __future__ import annotations

import pytest

import fewest
from fewest.errors import DocumentError
from fewest.grounding.alternatives import _Parts, cases_of
from fewest.grounding.ground import ground
from fewest.grounding.grounder import Grounder
from fewest.grounding.partial import PartialState, partial
from fewest.grounding.view import PartialView
from fewest.model.conditions import ExpressionHolds
from fewest.playing.exhaust import exhaust
from tests.helpers.dead_states import states_of

BOARD = """
puzzle: tubes
legend: {{".": floor, a: a, b: b}}
pieces: {{a: {{}}, b: {{}}}}
variables:
  c[i]: {{for: {{i: range(3)}}, values: range(3), initial: i}}
  n: {{values: range(3), initial: 0}}
moves:
  put: {{for: {{i: range(3), v: range(3)}}, when: "c[i] != v", set: {{"c[i]": v}}}}
  count: {{set: {{n: (n + 1) % 3}}}}
  step: {{before: [any, empty], after: [empty, any], directions: horizontal}}
board: "a.b."
goal: {goal}
"""


@pytest.mark.parametrize(
    "goal",
    [
        "any(c[i] == c[j] for i in range(3) for j in range(i))",
        "all(c[i] == c[0] for i in range(3))",
        "not any(c[i] == n for i in range(3) if i != n)",
        "all(c[i] >= 1 for i in range(3) if i % 2 == 0)",
        "not all([c[0] != 1, c[1] != 2, n < 2])",
        "c[0] < c[1] < c[2] or c[0] > c[1] > c[2]",
        "not (c[0] == c[1] == n)",
        "cell(0, 0) == a if n == 0 else cell(0, 3) == b",
        "not (n == 1 if c[0] == 0 else c[1] == n)",
        "any(cell(0, i) == a and (cell(0, i + 1) == b or c[0] == i) for i in range(3))",
        "any(c[x] == 2 for x in [n, col(a) % 3])",
        "n > 0 and c[n - 1] == 2 and (not can(step) or cell(0, 1) == empty)",
        "all(any(c[i] == v for i in range(3)) for v in range(3))",
        "(1 if n == 2 else c[0]) == 1",
        "count(a) == count(any) - count(b) and col(a) + 1 < col(b)",
        "any(True for i in range(2) if c[i] == n)",
        "n == 2 or (abs(col(a) - col(b)) <= 2 and col(a) + col(b) >= 3)",
        "n == 2 or (col(a) > 0 and 6 // col(a) > 2 and col(b) > col(a))",
        "n == 2 or (col(a) != 1 and (col(a) == 0 or c[col(a) - 1] == n) and c[0] + c[1] == n)",
    ],
)
def test_a_goal_holds_in_the_same_positions_as_in_the_reference(goal: str) -> None:
    compiled = fewest.load("tubes.yaml", text=BOARD.format(goal=f'"{goal}"'))
    puzzle, task = compiled.puzzle, compiled.grounded
    reach = exhaust(puzzle, next(iter(puzzle.metrics.values())), 3_000)
    states = [state for state, _ in states_of(task, 3_000)]
    assert len(states) == len(reach.costs) > 200
    assert sum(map(task.is_goal, states)) == reach.num_goal_states
    assert 0 < reach.num_goal_states < len(states)


def test_any_of_many_parts_has_the_cubes_of_its_parts() -> None:
    goal = '"any(c[i] == v and c[j] == v for v in range(3) for i in range(3) for j in range(i))"'
    task = fewest.load("tubes.yaml", text=BOARD.format(goal=goal)).grounded
    assert len(task.goal) == 9
    assert all(mask == value for mask, value in task.goal)


def test_the_second_test_of_the_same_pieces_is_evaluated_only_in_the_cubes_of_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def product(self: Grounder, options: list[list[PartialState]]) -> list[PartialState]:
        assert len(options) == 1, "the cubes of the two tests are multiplied"
        return options[0]

    monkeypatch.setattr(Grounder, "product", product)
    goal = '"n == 2 or (abs(col(a) - col(b)) <= 1 and col(a) + col(b) >= 4)"'
    task = fewest.load("tubes.yaml", text=BOARD.format(goal=goal)).grounded
    assert len(task.goal) == 3  # n, and the columns 2 and 3 in both orders


def test_expressions_without_a_value_are_refused() -> None:
    with pytest.raises(DocumentError) as refused:
        _ = fewest.load("tubes.yaml", text=BOARD.format(goal='"n < 5 and c[n + 1] == 0"')).grounded
    assert refused.value.diagnostics[0].code == "expression-index"


EVERY_BOX = """
puzzle: boxes
model: sokoban
goal: {goal}
board: |
  #######
  #@ $ .#
  # $  .#
  #    $#
  #######
"""


@pytest.mark.parametrize(
    "goal",
    [
        "count(box) == count(box, target)",
        "count(box, target) >= count(box)",
        "count(any) - 1 == count(box, target)",
        "not count(box, target) < count(box)",
    ],
)
def test_every_box_on_a_target_is_few_cubes(goal: str) -> None:
    two = EVERY_BOX.replace("#    $#", "#     #")
    task = fewest.load("boxes.yaml", text=two.format(goal=goal)).grounded
    by_hand = fewest.load("boxes.yaml", text=two.format(goal="{every: target, holds: box}"))
    found = fewest.load("boxes.yaml", text=two.format(goal=goal)).solve(exhaust=True)
    assert found.statistics["goal_states"] == by_hand.solve(exhaust=True).statistics["goal_states"]
    assert len(task.goal) == (1 if "any" not in goal else len(task.goal))


def test_every_box_on_a_target_is_impossible_with_more_boxes() -> None:
    text = EVERY_BOX.format(goal="count(box) == count(box, target)")
    assert fewest.load("boxes.yaml", text=text).solve().status == "unsolvable"


def test_a_condition_with_many_cases_is_evaluated_once_in_each_case(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = (
        "puzzle: copy\n"
        "variables: {x: {values: range(61), initial: 1}, y: {values: range(61), initial: 0}}\n"
        "moves: {paste: {when: x + y <= 60, set: {x: x + y}}, copy: {set: {y: x}}}\n"
        "goal: x == 60\n"
    )
    puzzle = fewest.load("copy.yaml", text=text).puzzle
    reads, variable = 0, PartialView.variable

    def counted(view: PartialView, slot: int) -> int | str:
        nonlocal reads
        reads += 1
        return variable(view, slot)

    monkeypatch.setattr(PartialView, "variable", counted)
    ground(puzzle)
    assert reads < 5 * 61 * 61


@pytest.mark.parametrize(
    "condition",
    [
        "c[0] == 1 and c[1] != 2 and n == 0",
        "c[0] != 1 and c[0] != 2 and c[0] == 0",
        "1 < 2 and (1 > 2 or c[0] == 1) and (c[1] == 0 or c[2] == 0) and n != 1",
        "all(c[i] == i for i in range(3)) and (1 > 2 or n == 1)",
        "(1 < 2 or c[0] == 1) and not any(c[i] == 2 for i in range(3)) and c[0] > n",
        "c[0] == 7 or (1 > 2 and c[1] == 1)",
    ],
)
def test_the_first_values_of_a_condition_narrow_its_cases_to_the_same_cubes(condition: str) -> None:
    puzzle = fewest.load("tubes.yaml", text=BOARD.format(goal=f'"{condition}"')).puzzle
    assert isinstance(puzzle.goal, ExpressionHolds)
    expression = puzzle.goal.expression
    grounder, at = Grounder(puzzle), partial()
    formula = expression.formula({}, PartialView(grounder, at))
    expected = [case for value, case in _Parts(grounder).cases(formula, at) if value]
    assert cases_of(expression, {}, grounder, at) == expected

"""Numbers, the text of numbers, truth values and letters that are digits mean the same in all parts of a document."""

from __future__ import annotations

import pytest

import fewest
from fewest.errors import DocumentError

BOARD = """puzzle: digits
legend: {".": floor}
pieces: {block: {letters: 1-3}}
moves: {slide: {slide: block}}
board: |
  12.
  ...
"""
REGISTER = "puzzle: register\nvariables: {%s}\nmoves: {step: {%s}}\ngoal: %s\n"


def cost(text: str) -> int | tuple[int, ...] | None:
    return fewest.load("x.yaml", text=text).solve().cost


def codes(text: str) -> list[str]:
    with pytest.raises(DocumentError) as error:
        fewest.load("x.yaml", text=text)
    return [diagnostic.code for diagnostic in error.value.diagnostics]


@pytest.mark.parametrize(
    ("goal", "wanted"),
    [
        ("cell(0, 2) == 2", 1),
        ("cell(0, 2) == 1", 3),
        ("2 == cell(0, 2)", 1),
        ("cell(0, 2) != empty and cell(0, 2) != 2", 3),
        ("cell(0, 2) in [1, 3 - 2]", 3),
        ("any(cell(0, 2 * i) == i for i in [1])", 3),
        ("cell(0, 2) == '1'", 3),
        ("any(1 == c for c in [cell(0, 2), cell(1, 2)])", 3),
    ],
)
def test_a_number_means_the_piece_with_that_letter(goal: str, wanted: int) -> None:
    assert cost(BOARD + f'goal: "{goal}"\n') == wanted


@pytest.mark.parametrize("goal", ["cell(0, 2) == 4", "cell(0, 2) == '7'", "cell(0, 2) in [1, 7]"])
def test_a_number_that_is_no_letter_is_an_error(goal: str) -> None:
    assert codes(BOARD + f'goal: "{goal}"\n') == ["expression-unknown-name"]


def test_a_cell_is_not_compared_with_a_terrain() -> None:
    text = BOARD.replace("moves:", "terrain: {ice: {cells: [[0, 2]]}}\nmoves:")
    assert codes(text + "goal: cell(0, 2) == ice\n") == ["expression-unknown-name"]
    assert codes(text + "goal: terrain(0, 2) == block\n") == ["expression-unknown-name"]


def test_a_terrain_can_be_a_number() -> None:
    text = BOARD.replace("moves:", "terrain: {7: {cells: [[0, 2]]}}\nmoves:")
    assert cost(text + "goal: terrain(0, 2) == 7 and cell(0, 2) == 1\n") == 3


@pytest.mark.parametrize(
    ("variables", "rule", "goal"),
    [
        ("x: {values: ['1', '2'], initial: '1'}", "set: {x: 2}", "x == 2"),
        ("x: {values: ['1', '2'], initial: 1}", "when: x == 1, set: {x: x + 1}", "x == '2'"),
        ("x: {values: [1, 2], initial: '1'}", "set: {x: \"'2'\"}", "x in ['2']"),
        ("x: {values: [n, 3], initial: n}", "set: {x: 3}", "x != n"),
        ("x: {values: [n - 1, 7], initial: 7}", "set: {x: n - 1}", "x == n - 1"),
        ("x: {values: ['max(n, 6)', 2], initial: 2}", "set: {x: 7}", "x == 7"),
    ],
)
def test_the_text_of_a_number_is_that_number(variables: str, rule: str, goal: str) -> None:
    text = REGISTER % (variables, rule, f'"{goal}"')
    compiled = fewest.load("x.yaml", text=text + "constants: {n: 7}\n")
    assert all(isinstance(value, int) for value in compiled.puzzle.variables[0].values)
    assert compiled.solve().cost == 1


def test_a_value_with_a_hyphen_is_a_word_unless_all_its_parts_are_names() -> None:
    text = REGISTER % ("x: {values: [up-n, n-n], initial: up-n}", "set: {x: 0}", "x == 0")
    values = fewest.load("x.yaml", text=text + "constants: {n: 7}\n").puzzle.variables[0].values
    assert values == ("up-n", 0)


def test_a_text_and_a_number_in_a_list_are_the_same_value() -> None:
    variables = "x: {values: [1, '1'], initial: 1}"
    assert codes(REGISTER % (variables, "set: {x: 1}", "x == 1")) == ["variable-values"]


@pytest.mark.parametrize("engine", ["python", "auto"])
@pytest.mark.parametrize("initial", ["0", "1 == 2", "'not 1'"])
def test_a_truth_value_is_stored_as_a_number(initial: str, engine: str) -> None:
    text = f"""puzzle: truth
variables:
  x: {{values: [0, 1, 2], initial: {initial}}}
  y: {{values: [0, 1], initial: 0}}
moves:
  compare: {{set: {{x: y == 1}}}}
  flip: {{set: {{y: y == 0}}}}
goal: x == 1
"""
    compiled = fewest.load("x.yaml", text=text)
    assert [type(variable.initial) for variable in compiled.puzzle.variables] == [int, int]
    result = compiled.solve(engine=engine)
    assert result.plan is not None
    assert result.cost == 2
    assert [type(value) for value in result.plan[-1].position.values] == [int, int]


def test_a_truth_value_in_a_constant_and_in_a_loop_is_a_number() -> None:
    text = REGISTER % (
        "x: {values: [0, 1], initial: 0}",
        'for: {i: "[1 == 1]"}, set: {x: i}, say: "now {i} and {c}"',
        "x == c",
    )
    compiled = fewest.load("x.yaml", text=text + "constants: {c: 1 == 1}\n")
    plan = compiled.solve().plan
    assert plan is not None and "now 1 and 1" in plan.text()


def test_and_and_or_have_the_same_values_as_in_python() -> None:
    text = REGISTER % (
        "x: {values: range(5), initial: 2}, y: {values: range(5), initial: 0}",
        "set: {x: y or 3, y: x and 4}",
        "x == 3 and y == 4",
    )
    assert cost(text) == 1


def test_an_index_that_occurs_twice_is_an_error() -> None:
    variables = '"x[i, j]": {for: {i: [1, 2, 1], j: range(2)}, values: [0, 1], initial: 0}'
    assert codes(REGISTER % (variables, '"set": {"x[1, 0]": 1}', "x[1, 0] == 1")) == [
        "variable-index"
    ]


def test_the_truth_values_of_json_are_numbers_in_a_position() -> None:
    text = REGISTER % ("x: {values: [0, 1], initial: 0}", "set: {x: 1}", "x == 1")
    moved = fewest.load("x.yaml", text=text).at({"pieces": [], "variables": {"x": True}})
    assert repr(moved.start.values) == "(1,)"


def test_an_initial_value_may_name_the_values_of_its_variable() -> None:
    variable = (
        "'lamp[i]': {for: {i: range(2)}, values: [red, blue], initial: red if i == 0 else blue}"
    )
    assert cost(REGISTER % (variable, "set: {'lamp[0]': 'lamp[1]'}", "lamp[0] == blue")) == 1
    with pytest.raises(DocumentError, match="green"):
        fewest.load(
            "x.yaml",
            text=REGISTER % (variable.replace("else blue", "else green"), "wait: true", "true"),
        )

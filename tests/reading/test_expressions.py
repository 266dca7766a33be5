"""Expressions have the right values, invalid expressions are rejected, and errors name the right locations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fewest
from fewest.model.expression import Env, ExpressionError, Scope
from fewest.playing.rules import legal_moves
from fewest.reading.expression_values import remembered
from fewest.reading.expressions import fill_template, parse_expression
from fewest.reading.guard import MANY_BINDINGS

NAMES = {"n": 3, "m": -2}
SCOPE = Scope(values=frozenset(NAMES))


def value(text: str) -> object:
    return parse_expression(text, SCOPE).evaluate(NAMES)


@pytest.mark.parametrize(
    "text",
    [
        "n * (n + 2)",
        "2 ** n - 1",
        "-7 // 2",
        "-7 % 3",
        "n if m < 0 else m",
        "1 < n <= 3 != m",
        "sum(i * i for i in range(n + 2) if i % 2)",
        "max(n, m, 7) - min([n, m])",
        "abs(m)",
        "all(i < n for i in range(n)) and not any(i == 5 for i in range(n))",
        "len([1, 2, n])",
        "n in (1, 2, 3) and m not in [1]",
        "'ab' * 2 + 'c'",
        "sum(i - j for i in range(3) for j in range(i))",
        "[i for i in range(3)]",
        "sum(sum(g) for g in [(j for j in range(i)) for i in range(n + 1)])",
        "sum(sum(g[0]) for g in ([(j for j in range(i))] for i in range(n + 1)))",
    ],
)
def test_an_expression_has_the_value_that_python_gives(text: str) -> None:
    expected = eval(text, dict(NAMES))
    found = value(text)
    assert bool(found) == expected if isinstance(found, bool) else found == expected


@pytest.mark.parametrize(
    ("text", "code", "offset"),
    [
        ("n +", "expression-syntax", 2),
        ("n + k", "expression-unknown-name", 4),
        ("1 / 2", "expression-unsupported", 0),
        ("n.real", "expression-unsupported", 0),
        ("lambda: 1", "expression-unsupported", 0),
        ("__import__('os')", "expression-unknown-name", 0),
        ("1.5", "expression-unsupported", 0),
        ("n // 0", "expression-type", 0),
        ("any(i for i, j in [1, 2])", "expression-type", 10),
        ("all(j for i, j in [[1, 2], [3]])", "expression-type", 10),
        ("10 ** 10 ** 10", "expression-runaway", 0),
        ("sum(range(10 ** 9))", "expression-runaway", 4),
        ("'a' * 10 ** 9", "expression-runaway", 0),
        ("n + 'a'", "expression-type", 0),
        ("  n + k", "expression-unknown-name", 6),
        ("cell(0, 0)", "expression-unknown-name", 0),
        ("max(1, 'a')", "expression-type", 0),
        ("2 ** -1", "expression-type", 0),
    ],
)
def test_a_bad_expression_has_its_code_and_place(text: str, code: str, offset: int) -> None:
    with pytest.raises(ExpressionError) as error:
        value(text)
    assert (error.value.code, error.value.offset) == (code, offset)


@given(st.text(max_size=40))
def test_any_text_is_an_expression_or_an_expression_error(text: str) -> None:
    try:
        found = value(text)
        if hasattr(found, "__next__"):
            list(found)  # type: ignore[call-overload]
    except ExpressionError:
        pass


def test_templates_are_filled_and_braces_can_be_written() -> None:
    assert fill_template("{'>' * n}_{{{n + 1}}}", NAMES) == ">>>_{4}"
    assert fill_template("no braces", NAMES) == "no braces"


@pytest.mark.parametrize(("text", "instead"), [("n is 1", "=="), ("1 < n is not m", "!=")])
def test_the_hint_for_a_test_of_identity_keeps_the_meaning(text: str, instead: str) -> None:
    with pytest.raises(ExpressionError) as error:
        value(text)
    assert error.value.hint == f"use `{instead}`"


@pytest.mark.parametrize("text", ["{", "}", "{n", "{k}", "{[1]}", "{n == 3}", "{'a' * 10 ** 6}"])
def test_a_bad_template_is_an_error(text: str) -> None:
    with pytest.raises(ExpressionError):
        fill_template(text, NAMES)


def test_a_loop_inside_any_does_not_leak_its_name() -> None:
    text = "any(i == 1 for i in range(5)) and sum(n for n in range(3)) == 3 and n == 3"
    assert value(text) is True


def test_a_remembered_value_is_evaluated_once_for_each_combination_of_the_names_it_reads() -> None:
    calls: list[int] = []

    def run(env: Env) -> int:
        calls.append(env.names["a"])
        if env.names["a"] == 3:
            raise ExpressionError("expression-type", "no value")
        return 10 * env.names["a"] + len(env.names["b"])

    found = remembered(run, ["a", "b"])
    for a, b, wanted in [(1, "", 10), (2, "", 20), (1, "x", 11), (1, "", 10), (2, "", 20)]:
        assert found(Env({"a": a, "b": b, "other": len(calls)})) == wanted
    assert calls == [1, 2, 1]
    for _ in range(2):  # an error is not a value, and a list can change
        with pytest.raises(ExpressionError):
            found(Env({"a": 3, "b": ""}))
        assert found(Env({"a": 4, "b": [0]})) == 41
    assert calls == [1, 2, 1, 3, 4, 3, 4]


@pytest.mark.parametrize("number", [2, MANY_BINDINGS])
def test_a_rule_with_many_bindings_assigns_the_values_of_all_names_it_reads(number: int) -> None:
    """Loops of the rule, loops of the target, constants and tables have the same values for any number of bindings."""
    text = f"""puzzle: marks
constants: {{table: [5, 6, 7], shift: 1}}
variables: {{"x[i]": {{for: {{i: range(3)}}, values: "range(-1, 300)", initial: 0}}}}
moves:
  mark:
    for: {{a: "range({number})"}}
    set: {{"x[(j + a) % 3] for j in range(2)": "7 * j + shift + a", "x[(a + 2) % 3]": "table[a % 3] - shift"}}
goal: x[0] == 299
"""
    puzzle = fewest.load("x.yaml", text=text)
    played = [move.target.values for move in legal_moves(puzzle.start)]
    wanted = [{a % 3: 1 + a, (a + 1) % 3: 8 + a, (a + 2) % 3: 4 + a % 3} for a in range(number)]
    assert played == [tuple(values[i] for i in range(3)) for values in wanted]

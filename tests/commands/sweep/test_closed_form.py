"""`fit` finds the known closed forms, and proposes none for other sequences."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewest.commands.sweep.closed_form import CHECK_POINTS, ClosedForm, closed_form

# OEIS A000045, A000040, A000142, A007664 (Reve's puzzle, four pegs), A000123 (binary partitions).
FIBONACCI = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89]
PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
FACTORIALS = [1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880]
REVE = [0, 1, 3, 5, 9, 13, 17, 25, 33, 41, 49, 65]
BINARY_PARTITIONS = [1, 2, 4, 6, 10, 14, 20, 26, 36, 46, 60, 74]


def fit(function: Callable[[int], int], numbers: Iterable[int] = range(10)) -> ClosedForm | None:
    return closed_form(["n"], {(n,): function(n) for n in numbers})


@pytest.mark.parametrize(
    ("function", "text", "expression"),
    [
        (lambda n: 7, "7", "7"),
        (lambda n: 0, "0", "0"),
        (lambda n: n * (n + 2), "n² + 2n", "n**2 + 2*n"),
        (lambda n: n * (n - 1) // 2, "(n² − n)/2", "(n**2 - n) // 2"),
        (lambda n: 2**n - 1, "2ⁿ − 1", "2**n - 1"),
        (lambda n: 3**n - 1, "3ⁿ − 1", "3**n - 1"),
        (lambda n: -3 * 2**n + n * n - 7, "−3·2ⁿ + n² − 7", "-3*2**n + n**2 - 7"),
        (lambda n: (-2) ** n, "(−2)ⁿ", "(-2)**n"),
        (lambda n: n * n // 4, "((−1)ⁿ + 2n² − 1)/8", "((-1)**n + 2*n**2 - 1) // 8"),
        (lambda n: 10 * n**3 - n, "10n³ − n", "10*n**3 - n"),
    ],
)
def test_a_known_sequence_gets_its_formula(
    function: Callable[[int], int], text: str, expression: str
) -> None:
    form = fit(function)
    assert form is not None
    assert (form.text, form.expression) == (text, expression)
    assert all(eval(expression, {"n": n}) == function(n) for n in range(20))
    assert form.num_degrees_of_freedom >= CHECK_POINTS


@pytest.mark.parametrize(
    "values", [FIBONACCI, PRIMES, FACTORIALS, REVE, BINARY_PARTITIONS, [n * 2**n for n in range(9)]]
)
def test_a_sequence_without_such_a_formula_gets_none(values: list[int]) -> None:
    assert fit(lambda n: values[n], range(len(values))) is None


def test_one_wrong_value_is_enough_to_refuse() -> None:
    values = [n * (n + 2) for n in range(11)]
    for wrong in range(11):
        changed = list(values)
        changed[wrong] += 1
        assert fit(lambda n: changed[n], range(11)) is None  # noqa: B023


@pytest.mark.parametrize("degree", range(5))
def test_a_form_needs_two_more_values_than_unknowns(degree: int) -> None:
    assert fit(lambda n: n**degree + 1, range(degree + 3)) is not None
    assert fit(lambda n: n**degree + 1, range(degree + 2)) is None


def test_two_to_the_n_needs_five_values_with_its_constant() -> None:
    # There are three unknowns: a, b and the constant.
    assert fit(lambda n: 2**n - 1, range(5)) is not None
    assert fit(lambda n: 2**n - 1, range(4)) is None


def test_gaps_steps_and_negative_parameters_do_not_matter() -> None:
    for numbers in (range(0, 21, 2), [0, 1, 3, 4, 7, 8], range(-5, 6), [100, 3, 50, 7, 12, 90]):
        form = fit(lambda n: n * n + 2 * n, numbers)
        assert form is not None and form.text == "n² + 2n"
    form = fit(lambda n: 2 ** (n + 3) - 1, range(0, 21, 2))
    assert form is not None and form.text == "8·2ⁿ − 1"


def grid(names: str, function: Callable[..., int], *ranges: Iterable[int]) -> ClosedForm | None:
    return closed_form(names.split(), {point: function(*point) for point in product(*ranges)})


def test_formulas_in_several_parameters() -> None:
    two = grid("n m", lambda n, m: n * m + n * n, range(5), range(5))
    assert two is not None and two.text == "n² + nm"
    power = grid("n m", lambda n, m: n * m + 2**m - 1, range(6), range(6))
    assert power is not None and power.expression == "2**m + n*m - 1"
    three = grid("a b pegs", lambda a, b, c: a * b * c - 3 * c, range(6), range(6), range(4))
    assert three is not None and three.text == "a·b·pegs − 3·pegs"


def test_a_parameter_that_never_changes_is_a_constant() -> None:
    form = grid("n m", lambda n, m: n * m, range(8), [4])
    assert form is not None and form.text == "4n"


def test_two_values_of_a_parameter_are_too_few_for_a_formula() -> None:
    assert grid("n m", lambda n, m: n + m, range(10), range(2)) is None
    assert grid("n m", lambda n, m: n + m, range(10), range(3)) is None
    assert grid("n m", lambda n, m: n + m, range(10), range(4)) is not None
    constant = grid("n m", lambda n, m: n + 3, range(10), range(3))
    assert constant is not None and constant.text == "n + 3"


def test_a_formula_that_contradicts_a_proven_bound_is_refused() -> None:
    values = {(n,): n * n for n in range(6)}
    assert closed_form(["n"], values, {(6,): (36, None)}) is not None
    assert closed_form(["n"], values, {(6,): (37, None)}) is None
    assert closed_form(["n"], values, {(6,): (0, 35)}) is None


def test_no_values_and_huge_values() -> None:
    assert closed_form(["n"], {}) is None
    form = fit(lambda n: n * 10**40 + 1)
    assert form is not None and form.value((3,)) == 3 * 10**40 + 1
    far = fit(lambda n: n + 1, range(10**17, 10**17 + 6))  # powers of such numbers are not tried
    assert far is not None and far.text == "n + 1"


@given(
    coefficients=st.lists(st.fractions(-9, 9, max_denominator=4), min_size=1, max_size=4),
    base=st.sampled_from([2, 3, 5, -2]),
    factor=st.integers(-3, 3),
)
def test_every_formula_of_the_family_is_recovered(
    coefficients: list[Fraction], base: int, factor: int
) -> None:
    def exact(n: int) -> Fraction:
        return factor * Fraction(base) ** n + sum(c * n**i for i, c in enumerate(coefficients))

    scale = 12
    values = {(n,): int(exact(n) * scale) for n in range(len(coefficients) + 6)}
    form = closed_form(["n"], values)
    assert form is not None
    assert all(form.value((n,)) == exact(n) * scale for n in range(-3, 25))

"""Finds a closed form for a table of whole numbers: a polynomial, or a·bⁿ + polynomial.

A form must match every value exactly, and there must be at least two more values than unknowns. A form is therefore a
well-founded guess, but it is not proven. All arithmetic is exact; no fit is approximate.

Each parameter must also take two more values than its unknowns require. A polynomial of degree d in m has d + 1
coefficients for m, so m must take d + 3 different values. For example, two values of m never suffice as evidence of
linear growth in m, however many values n takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import gcd, lcm

from msgspec import Struct

CHECK_POINTS = 2
MAX_DEGREE = 6
BASES = tuple(sign * size for size in range(1, 17) for sign in (1, -1) if sign * size != 1)
MAX_EXPONENT = 500  # larger powers take a long time to compute and provide no further evidence

ParameterValues = tuple[int, ...]


class Term(Struct, frozen=True):
    """`coefficient · base ** x[power_of] · x[0] ** degrees[0] · …`; if there is no power, `base` is 1."""

    coefficient: Fraction
    degrees: tuple[int, ...]
    base: int = 1
    power_of: int = 0

    def value(self, point: ParameterValues) -> Fraction:
        """The exact value of the term at a point."""
        out = self.coefficient
        if self.base != 1:
            out *= Fraction(self.base) ** point[self.power_of]
        for number, degree in zip(point, self.degrees, strict=True):
            out *= number**degree
        return out


class ClosedForm(Struct, frozen=True):
    """A formula in the parameters `names` that matches `num_values` values, with `num_unknowns` fitted numbers."""

    names: tuple[str, ...]
    terms: tuple[Term, ...]
    num_values: int
    num_unknowns: int

    @property
    def num_degrees_of_freedom(self) -> int:
        """The number of values that are not needed to determine the formula."""
        return self.num_values - self.num_unknowns

    def value(self, point: ParameterValues) -> Fraction:
        """The exact value of the formula at a point."""
        return sum((term.value(point) for term in self.terms), Fraction(0))

    @property
    def text(self) -> str:
        """The formula as text, such as `n² + 2n`, `(n² − n)/2` or `3·2ⁿ − 1`."""
        body, divisor = _sum(self.terms, lambda term: _shown(self.names, term), "−")
        return body if divisor == 1 else f"({body})/{divisor}"

    @property
    def expression(self) -> str:
        """The formula in the language of documents, for the key `expect`, such as `n**2 + 2*n` or `(n**2 - n) // 2`."""
        body, divisor = _sum(self.terms, lambda term: _written(self.names, term), "-")
        return body if divisor == 1 else f"({body}) // {divisor}"


def closed_form(
    names: Sequence[str],
    values: Mapping[ParameterValues, int],
    bounds: Mapping[ParameterValues, tuple[int | None, int | None]] | None = None,
) -> ClosedForm | None:
    """The formula with the fewest unknowns that matches all `values`; None if no formula matches.

    `bounds` are other points at which only a lower and an upper bound on the value are known (None: no such bound); the
    formula must satisfy these bounds. The candidates are polynomials up to degree 6, and a·bⁿ + polynomial for each
    parameter n and each whole b from -16 to 16 except 0 and 1; b counts as an unknown. A parameter that has the same
    value at all points counts as a constant. The time for each candidate is cubic in its number of unknowns.
    """
    points = sorted(values)
    changing = [i for i in range(len(names)) if len({point[i] for point in points}) > 1]
    for shape in _shapes(points, len(names), changing):
        if len(points) < shape.num_unknowns + CHECK_POINTS:
            # shapes are sorted by their number of unknowns, so no remaining shape has fewer unknowns
            return None
        coefficients = _solve(shape.terms, values, points)
        if coefficients is None or (shape.has_power and coefficients[0] == 0):
            continue
        terms = tuple(
            Term(coefficient, term.degrees, term.base, term.power_of)
            for coefficient, term in zip(coefficients, shape.terms, strict=True)
            if coefficient
        )
        form = ClosedForm(tuple(names), terms, len(points), shape.num_unknowns)
        if not any(
            _contradicts(form.value(point), *found) for point, found in (bounds or {}).items()
        ):
            return form
    return None


class _Shape(Struct, frozen=True):
    """A formula with unknown coefficients, which its terms represent by the coefficient 1."""

    terms: tuple[Term, ...]
    has_power: bool

    @property
    def num_unknowns(self) -> int:
        return len(self.terms) + self.has_power


def _shapes(
    points: Sequence[ParameterValues], num_names: int, changing: Sequence[int]
) -> Iterator[_Shape]:
    """All formulas for which every parameter has enough values; formulas with the fewest unknowns come first."""
    different = [len({point[i] for point in points}) for i in range(num_names)]

    def polynomial(degree: int, spent: Mapping[int, int]) -> tuple[Term, ...]:
        """The monomials up to this degree; empty if some parameter has too few values. `spent[i]`: the number of other
        unknowns in parameter i.
        """
        highest = [
            min(degree, different[i] - 1 - CHECK_POINTS - spent.get(i, 0)) if i in changing else 0
            for i in range(num_names)
        ]
        if min(highest, default=0) < 0:
            return ()
        monomials = (
            degrees
            for degrees in product(*(range(most + 1) for most in highest))
            if sum(degrees) <= degree
        )
        ordered = sorted(monomials, key=lambda degrees: (-sum(degrees), [-d for d in degrees]))
        return tuple(Term(Fraction(1), degrees) for degrees in ordered)

    found: dict[_Shape, tuple[int, int, int]] = {}
    for degree in range(MAX_DEGREE + 1):
        terms = polynomial(degree, {})
        if terms:
            found.setdefault(_Shape(terms, False), (len(terms), 0, 0))
    for i in changing:
        if max(abs(point[i]) for point in points) > MAX_EXPONENT:
            continue
        for degree in range(-1, MAX_DEGREE + 1):
            alone = degree < 0
            rest = () if alone else polynomial(degree, {i: 2})
            if (alone and different[i] < 2 + CHECK_POINTS) or (not alone and not rest):
                continue
            for rank, base in enumerate(BASES):
                power = Term(Fraction(1), (0,) * num_names, base, i)
                shape = _Shape((power, *rest), True)
                found.setdefault(shape, (shape.num_unknowns, 1, rank))
    return iter(sorted(found, key=found.__getitem__))


def _solve(
    terms: Sequence[Term], values: Mapping[ParameterValues, int], points: Sequence[ParameterValues]
) -> list[Fraction] | None:
    """The unique coefficients with which the terms match all points; None if no coefficients match, or if several do.

    The method is Gaussian elimination in whole numbers, one point at a time. A point that contradicts earlier points
    leaves a row in which all coefficients are zero but the value is not. Only the result needs fractions, and most
    candidates have no result. If the points do not determine all coefficients, several coefficients match.
    """
    # the pivot column of each row, and the row itself; the last entry of a row is the value
    rows: list[tuple[int, list[int]]] = []
    for point in points:
        row = _row(terms, point, values[point])
        for pivot, known in rows:
            if factor := row[pivot]:
                scale = known[pivot]
                row = [
                    scale * entry - factor * other for entry, other in zip(row, known, strict=True)
                ]
                if (common := gcd(*row)) > 1:
                    row = [entry // common for entry in row]
        pivot = next((i for i, entry in enumerate(row) if entry), -1)
        if pivot == len(terms):
            return None
        if pivot >= 0:
            rows.append((pivot, row))
    if len(rows) < len(terms):
        return None
    coefficients = [Fraction(0)] * len(terms)
    for pivot, row in reversed(rows):  # the other nonzero columns are pivots of later rows
        found = sum((c * entry for c, entry in zip(coefficients, row, strict=False)), Fraction(0))
        coefficients[pivot] = (row[-1] - found) / row[pivot]
    return coefficients


def _row(terms: Sequence[Term], point: ParameterValues, value: int) -> list[int]:
    """The values of the terms (with coefficient 1) at a point, then `value`; all entries are multiplied by a number
    that makes them whole.
    """
    below = (t.base ** -point[t.power_of] for t in terms if t.base != 1 and point[t.power_of] < 0)
    scale = lcm(*below)
    row: list[int] = []
    for term in terms:
        entry = scale
        if term.base != 1:
            exponent = point[term.power_of]
            power: int = term.base ** abs(exponent)
            entry = entry * power if exponent >= 0 else entry // power
        for number, degree in zip(point, term.degrees, strict=True):
            entry *= number**degree
        row.append(entry)
    return [*row, value * scale]


def _contradicts(value: Fraction, low: int | None, high: int | None) -> bool:
    return (low is not None and value < low) or (high is not None and value > high)


# -- as text ------------------------------------------------------------------------------------------


def _sum(terms: Sequence[Term], product_of: Callable[[Term], str], minus: str) -> tuple[str, int]:
    """The sum of the terms multiplied by their least common denominator, as text, and this denominator."""
    divisor = lcm(*(term.coefficient.denominator for term in terms))
    out = ""
    for term in terms:
        number = term.coefficient * divisor
        body = product_of(Term(abs(number), term.degrees, term.base, term.power_of))
        if out:
            out += f" {minus if number < 0 else '+'} {body}"
        else:
            out = f"{minus if number < 0 else ''}{body}"
    return out or "0", divisor


_RAISED = str.maketrans("0123456789n", "⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ")


def _shown(names: Sequence[str], term: Term) -> str:
    """A term as text, such as `2n²m`, `3·2ⁿ` or `5·disks`; names of one letter need no dots."""
    letters = [
        name + (str(degree).translate(_RAISED) if degree > 1 else "")
        for name, degree in zip(names, term.degrees, strict=True)
        if degree
    ]
    if term.base != 1:
        name = names[term.power_of]
        base = str(term.base) if term.base > 0 else f"(−{-term.base})"
        letters.insert(0, base + (name.translate(_RAISED) if name == "n" else f"^{name}"))
    number = "" if term.coefficient == 1 and letters else str(term.coefficient)
    is_tight = term.base == 1 and all(
        len(n) == 1 for n, d in zip(names, term.degrees, strict=True) if d
    )
    return ("" if is_tight else "·").join([number, *letters] if number else letters)


def _written(names: Sequence[str], term: Term) -> str:
    factors = [
        name if degree == 1 else f"{name}**{degree}"
        for name, degree in zip(names, term.degrees, strict=True)
        if degree
    ]
    if term.base != 1:
        base = str(term.base) if term.base > 0 else f"({term.base})"
        factors.insert(0, f"{base}**{names[term.power_of]}")
    if term.coefficient != 1 or not factors:
        factors.insert(0, str(term.coefficient))
    return "*".join(factors)

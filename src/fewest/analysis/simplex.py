"""Linear programming in exact fractions, for programs of a few hundred rows: Dantzig's simplex method (1947)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from fractions import Fraction
from math import gcd

from fewest.model.answer import LimitReached

Row = dict[int, int]

LIMIT = -1
"""The column of the limit of a row. The negated value of the objective has this column in the row of the objective."""


def maximum(
    objective: dict[int, int], rows: Sequence[tuple[dict[int, int], int]], deadline: float
) -> dict[int, Fraction]:
    """Non-negative values that maximise the objective under the constraint that no row exceeds its limit; zeros are
    omitted.

    Rows are sparse, and variables are numbered from 0. Limits must not be negative, so that zero for all variables is a
    solution; the program must be bounded. The column with the largest coefficient in the objective enters the basis.
    After a step that does not increase the objective, Bland's rule (1977) chooses the column. Raises LimitReached after
    `deadline`, which is a time of `perf_counter`.

    Each row and the objective are stored with whole coefficients, as a positive multiple of the row in fractions. The
    choice of the columns and rows does not depend on these multiples. Whole numbers are much faster than fractions.
    """
    num_variables = 1 + max((v for row, _ in rows for v in row), default=0)
    table: list[Row] = []
    basis: list[int] = []
    for number, (row, limit) in enumerate(rows):
        slack = num_variables + number
        table.append(row | {slack: 1, LIMIT: limit})
        basis.append(slack)
    gains = dict(objective)
    is_stuck = False
    while True:
        if time.perf_counter() > deadline:
            raise LimitReached("time")
        better = [v for v, gain in gains.items() if gain > 0 and v != LIMIT]
        if not better:
            return {
                v: Fraction(row[LIMIT], row[v])
                for v, row in zip(basis, table, strict=True)
                if v < num_variables and row.get(LIMIT)
            }
        enter = min(better) if is_stuck else max(better, key=lambda v: (gains[v], -v))
        leave = min(
            (i for i, row in enumerate(table) if row.get(enter, 0) > 0),
            key=lambda i: (Fraction(table[i].get(LIMIT, 0), table[i][enter]), basis[i]),
        )
        is_stuck = not table[leave].get(LIMIT)
        pivot = table[leave]
        for row in (*table, gains):
            if row is not pivot and enter in row:
                _eliminate(row, pivot, enter)
        basis[leave] = enter


def _eliminate(row: Row, pivot: Row, column: int) -> None:
    """Subtract a multiple of the pivot from a positive multiple of the row, so that the row has no such column."""
    scale, factor = pivot[column], row[column]
    if scale != 1:
        common = gcd(scale, factor)
        scale, factor = scale // common, factor // common
        for other in row:
            row[other] *= scale
    for other, value in pivot.items():
        new = row.get(other, 0) - factor * value
        if new:
            row[other] = new
        else:
            row.pop(other, None)
    if scale != 1:
        common = gcd(*row.values())
        if common > 1:
            for other in row:
                row[other] //= common

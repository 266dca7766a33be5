"""Linear programming in exact fractions, for programs of a few hundred rows: Dantzig's simplex method (1947)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from fractions import Fraction

from fewest.model.answer import LimitReached

Row = dict[int, Fraction]


def maximum(
    objective: dict[int, int], rows: Sequence[tuple[dict[int, int], int]], deadline: float
) -> dict[int, Fraction]:
    """Non-negative values that maximise the objective under the constraint that no row exceeds its limit; zeros are
    omitted.

    Rows are sparse, and variables are numbered from 0. Limits must not be negative, so that zero for all variables is a
    solution; the program must be bounded. The column with the largest coefficient in the objective enters the basis.
    After a step that does not increase the objective, Bland's rule (1977) chooses the column. Raises LimitReached after
    `deadline`, which is a time of `perf_counter`.
    """
    num_variables = 1 + max((v for row, _ in rows for v in row), default=0)
    table: list[Row] = []
    limits: list[Fraction] = []
    basis: list[int] = []
    for number, (row, limit) in enumerate(rows):
        slack = num_variables + number
        table.append({v: Fraction(c) for v, c in row.items()} | {slack: Fraction(1)})
        limits.append(Fraction(limit))
        basis.append(slack)
    gains: Row = {v: Fraction(c) for v, c in objective.items()}
    is_stuck = False
    while True:
        if time.perf_counter() > deadline:
            raise LimitReached("time")
        better = [v for v, gain in gains.items() if gain > 0]
        if not better:
            return {
                v: limit
                for v, limit in zip(basis, limits, strict=True)
                if v < num_variables and limit
            }
        enter = min(better) if is_stuck else max(better, key=lambda v: (gains[v], -v))
        leave = min(
            (i for i, row in enumerate(table) if row.get(enter, 0) > 0),
            key=lambda i: (limits[i] / table[i][enter], basis[i]),
        )
        is_stuck = limits[leave] == 0
        _pivot(table, limits, gains, leave, enter)
        basis[leave] = enter


def _pivot(table: list[Row], limits: list[Fraction], gains: Row, leave: int, enter: int) -> None:
    pivot = table[leave]
    scale = pivot[enter]
    if scale != 1:
        for column in pivot:
            pivot[column] /= scale
        limits[leave] /= scale
    for number, row in enumerate(table):
        factor = row.get(enter)
        if factor and number != leave:
            _subtract(row, pivot, factor)
            limits[number] -= factor * limits[leave]
    _subtract(gains, pivot, gains[enter])


def _subtract(row: Row, pivot: Row, factor: Fraction) -> None:
    for column, value in pivot.items():
        new = row.get(column, 0) - factor * value
        if new:
            row[column] = new
        else:
            row.pop(column, None)

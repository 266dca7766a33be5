"""The cheapest assignment of rows to columns, as weights of the columns."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf


def assignment_weights(costs: Sequence[Sequence[int]]) -> list[int]:
    """A dual solution of the assignment problem for a square matrix: a weight for each column.

    The cheapest assignment costs as much as the sum of the weights plus, for each row, the least difference between a
    cost and the weight of its column. The method is that of Kuhn (1955) and Munkres (1957), with shortest augmenting
    paths (Jonker and Volgenant 1987).
    """
    size = len(costs)
    row_weights, weights = [0] * (size + 1), [0] * (size + 1)
    row_of = [0] * (
        size + 1
    )  # the row that each column is assigned to, counted from 1; column 0 is a sentinel
    for row in range(1, size + 1):
        row_of[0], column = row, 0
        least: list[float] = [inf] * (size + 1)
        before, is_used = [0] * (size + 1), [False] * (size + 1)
        while row_of[column]:
            is_used[column] = True
            here = row_of[column]
            for other in range(1, size + 1):
                slack = costs[here - 1][other - 1] - row_weights[here] - weights[other]
                if not is_used[other] and slack < least[other]:
                    least[other], before[other] = slack, column
            following = min(
                (n for n in range(1, size + 1) if not is_used[n]), key=lambda n: least[n]
            )
            step = int(least[following])
            for other in range(size + 1):
                if is_used[other]:
                    row_weights[row_of[other]] += step
                    weights[other] -= step
                else:
                    least[other] -= step
            column = following
        while column:
            row_of[column] = row_of[before[column]]
            column = before[column]
    return weights[1:]

"""Cardinality constraints: at most one, and exactly k, of a list of literals.

The constraints hold under the condition of the `Clauses` to which they are added.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, sqrt
from typing import TypeAlias

from fewest.planning.sat.clauses import Clauses, Layer

AtMostOne: TypeAlias = Callable[[Layer, Clauses, Sequence[int], str], None]


def pairwise(layer: Layer, clauses: Clauses, literals: Sequence[int], name: str) -> None:
    """At most one: ¬x ∨ ¬y for every pair. This takes n(n-1)/2 clauses and no new variable."""
    clauses.add_pairs(literals)


def sequential(layer: Layer, clauses: Clauses, literals: Sequence[int], name: str) -> None:
    """At most one: s_i is true if any of x_1 … x_i is true. This takes 3n - 4 clauses and n - 1 variables. Up to four
    literals use `pairwise` instead.

    Sinz, Towards an optimal CNF encoding of Boolean cardinality constraints (2005).
    """
    if len(literals) <= 4:
        pairwise(layer, clauses, literals, name)
        return
    before = 0
    for number, literal in enumerate(literals):
        if before:
            clauses.add(-literal, -before)
        if number == len(literals) - 1:
            break
        seen = layer.new(f"{name}: one of the first {number + 1}")
        clauses.add(-literal, seen)
        if before:
            clauses.add(-before, seen)
        before = seen


def product(layer: Layer, clauses: Clauses, literals: Sequence[int], name: str) -> None:
    """At most one: the literals form a grid. At most one row and at most one column contain true literals. Up to six
    literals use `pairwise` instead.

    This takes 2n + 4√n + O(n^¼) clauses and 2√n + O(n^¼) new variables. Chen, A new SAT encoding of the at-most-one
    constraint (2010).
    """
    if len(literals) <= 6:
        pairwise(layer, clauses, literals, name)
        return
    num_columns = ceil(sqrt(len(literals)))
    num_rows = ceil(len(literals) / num_columns)
    rows = [layer.new(f"{name}: row {row}") for row in range(num_rows)]
    columns = [layer.new(f"{name}: column {column}") for column in range(num_columns)]
    for number, literal in enumerate(literals):
        clauses.add(-literal, rows[number // num_columns])
        clauses.add(-literal, columns[number % num_columns])
    product(layer, clauses, rows, f"{name}: rows")
    product(layer, clauses, columns, f"{name}: columns")


def counter(layer: Layer, clauses: Clauses, literals: Sequence[int], count: int, name: str) -> None:
    """Exactly k: for every i and j ≤ k, s_{i,j} is true iff at least j of x_1 … x_i are true.

    This takes O(n·k) clauses and new variables. Since s is defined in both directions, the literals determine its
    values. The encoding follows Sinz (2005).
    """
    num = len(literals)
    if count in (0, num):
        clauses.add_all([literal if count else -literal] for literal in literals)
        return
    # row[j] is true iff at least j of the literals processed so far are true. Only entries that are not constant have a
    # variable.
    row: dict[int, int] = {}
    for i, literal in enumerate(literals):
        longer: dict[int, int] = {}
        for j in range(max(1, count - (num - 1 - i)), min(i + 1, count) + 1):
            longer[j] = layer.new(f"{name}: at least {j} of the first {i + 1}")
        for j, now in longer.items():
            # None: constant false, because fewer than j literals have been processed
            previous = row.get(j) if i >= j else None
            fewer = row.get(j - 1)  # None: constant true
            if previous is not None:
                clauses.add(-previous, now)
                clauses.add(-now, previous, literal)
            else:
                clauses.add(-now, literal)
            if fewer is not None:
                clauses.add(-fewer, -literal, now)
                clauses.add(-now, *([] if previous is None else [previous]), fewer)
            else:
                clauses.add(-literal, now)
        if i >= count and count in row:
            clauses.add(-row[count], -literal)  # otherwise, k + 1 literals would be true
        row = longer
        # Only num - 1 - i literals remain, so at least `certain` of the literals processed so far must be true.
        certain = count - (num - 1 - i)
        if certain >= 1:
            clauses.add(row[certain])


AT_MOST_ONE: dict[str, AtMostOne] = {
    "pairwise": pairwise,
    "sequential": sequential,
    "product": product,
}

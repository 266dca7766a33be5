"""The clauses of one layer, which are generated once and then shifted, as arrays, to every layer.

A literal is a signed variable. The variables of a layer are numbered from 1. `following(v)` is the same variable, one
layer later. With V variables per layer, variable v of layer t has the number t * V + v in the CNF.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Formula: TypeAlias = list[NDArray[np.int32]]
"""Clauses as arrays int32[n, length], one array for each length."""


def packed(formula: Formula) -> list[tuple[int, int, bytes]]:
    """The formula as plain data: for each length of clauses, the number of clauses of this length, the length itself,
    and the literals of these clauses.
    """
    return [(*rows.shape, rows.astype(np.int32, copy=False).tobytes()) for rows in formula]


def unpacked(clauses: Iterable[tuple[int, int, bytes]]) -> Formula:
    """The inverse of `packed`."""
    return [
        np.frombuffer(literals, dtype=np.int32).reshape(count, length)
        for count, length, literals in clauses
    ]


_NEXT = 1 << 24  # the difference between a variable and the same variable of the next layer


def following(literal: int, layers: int = 1) -> int:
    """The same literal, `layers` layers later (at most 100)."""
    return literal + layers * _NEXT if literal > 0 else literal - layers * _NEXT


class Layer:
    """The variables of a layer, numbered from 1 in the order in which they are created."""

    def __init__(self) -> None:
        self.names: list[str] = [""]

    @property
    def num_variables(self) -> int:
        return len(self.names) - 1

    def new(self, name: str) -> int:
        """A new variable, listed in the symbol table under this name."""
        self.names.append(name)
        return len(self.names) - 1


class Clauses:
    """A set of clauses over a layer and later layers, to which the parts of an encoding add clauses.

    Every clause holds unless one of the literals `unless` is true.
    """

    def __init__(self, *unless: int) -> None:
        self._unless = unless
        self._by_length: dict[int, list[tuple[int, ...]]] = {}
        # for each length, the clauses that were added before those in `_by_length`, as arrays
        self._before: dict[int, list[NDArray[np.int32]]] = {}

    def add(self, *literals: int) -> None:
        """Add the disjunction of the literals; the disjunction of no literals is a contradiction."""
        clause = (*literals, *self._unless)
        self._by_length.setdefault(len(clause), []).append(clause)

    def add_all(self, clauses: Iterable[Sequence[int]]) -> None:
        for clause in clauses:
            self.add(*clause)

    def add_pairs(self, literals: Sequence[int]) -> None:
        """For every pair of these literals, add the clause that they are not both true, in the order of
        `itertools.combinations`.
        """
        negative = -np.array(literals, dtype=np.int32)
        one, other = np.triu_indices(len(literals), 1)
        length = 2 + len(self._unless)
        rows = np.empty((len(one), length), dtype=np.int32)
        rows[:, 0], rows[:, 1], rows[:, 2:] = negative[one], negative[other], self._unless
        self._before.setdefault(length, []).extend((self._added(length), rows))

    def _added(self, length: int) -> NDArray[np.int32]:
        """Convert the clauses of one length that were added one by one into an array."""
        rows = self._by_length.pop(length, [])
        return np.array(rows, dtype=np.int32).reshape(len(rows), length)

    def __len__(self) -> int:
        each = sum(len(rows) for rows in self._by_length.values())
        return each + sum(len(rows) for pieces in self._before.values() for rows in pieces)

    def template(self, num_variables: int) -> Template:
        """The clauses as arrays that can be shifted. The function takes time linear in the number of literals."""
        blocks: list[tuple[NDArray[np.int32], NDArray[np.int32]]] = []
        for length in sorted({*self._by_length, *self._before}):
            pieces = self._before.setdefault(length, [])
            pieces.append(self._added(length))
            raw = np.concatenate(pieces)
            variable = np.abs(raw)
            variable = variable % _NEXT + variable // _NEXT * num_variables
            blocks.append((variable, np.sign(raw)))
        return Template(num_variables, tuple(blocks))


class Template:
    """The clauses of one layer. For each length that occurs, `blocks` contains two arrays int32[n, length]: the
    variables and the signs of the literals.
    """

    def __init__(
        self,
        num_variables: int,
        blocks: tuple[tuple[NDArray[np.int32], NDArray[np.int32]], ...],
    ) -> None:
        self.num_variables = num_variables
        self.blocks = blocks

    def __len__(self) -> int:
        return sum(len(variable) for variable, _ in self.blocks)

    def at(self, layers: range) -> Formula:
        """The clauses for these layers, counted from 0."""
        shift = np.array(layers, dtype=np.int32).reshape(-1, 1, 1) * self.num_variables
        return [
            ((variable[np.newaxis] + shift) * sign[np.newaxis]).reshape(-1, variable.shape[1])
            for variable, sign in self.blocks
            if len(layers)
        ]


def formula(clauses: Sequence[Sequence[int]]) -> Formula:
    """Clauses over variables of the whole CNF as arrays."""
    lengths = sorted({len(clause) for clause in clauses})
    return [
        np.array([c for c in clauses if len(c) == length], dtype=np.int32).reshape(-1, length)
        for length in lengths
    ]


def num_clauses(arrays: Formula) -> int:
    return sum(len(rows) for rows in arrays)

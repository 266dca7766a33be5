"""Represents states by numbers: an injective map from the states of a task to integers, with few gaps.

Each group of facts with exactly k true facts (`Task.exactly`) becomes one digit: the rank of the chosen k among all
C(m, k) choices in the combinatorial number system (Lehmer 1964). Every other fact is a digit with radix 2. The digits
fill *limbs*, which are below 2^64; the first digit is the most significant. The key of a state is the integer with
these limbs; the first limb is the most significant.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fewest.space.state_graph import States

_LIMIT = 1 << 64


class Digit(Struct, frozen=True):
    """A set of facts. `count` of them are true; a single fact with the count -1 may be true or false."""

    facts: tuple[int, ...]
    count: int

    @property
    def radix(self) -> int:
        return 2 if self.count < 0 else comb(len(self.facts), self.count)


class Ranking:
    """Computes the limbs of keys. A limb is a sequence of digits, and the product of the radices of these digits is at
    most 2^64.
    """

    def __init__(self, limbs: Sequence[Sequence[Digit]]) -> None:
        self.limbs = tuple(tuple(limb) for limb in limbs)
        self._digits = [
            (
                number == 0,  # this digit is the first of its limb
                digit.radix,
                sum(1 << fact for fact in digit.facts),
                digit.count,
                {1 << fact: at for at, fact in enumerate(digit.facts)},
            )
            for limb in self.limbs
            for number, digit in enumerate(limb)
        ]
        self._all = sum(1 << fact for limb in self.limbs for digit in limb for fact in digit.facts)

    def key(self, state: int) -> int | None:
        """The key of a state; None if the state violates the invariants and is therefore unreachable."""
        if state & ~self._all:
            return None
        key = limb = 0
        for is_new_limb, radix, mask, count, place in self._digits:
            if is_new_limb:
                key, limb = key << 64 | limb, 0
            chosen = state & mask
            if count < 0:
                limb = limb * 2 + (chosen != 0)
                continue
            if chosen.bit_count() != count:
                return None
            rank = seen = 0
            while chosen:
                low = chosen & -chosen
                chosen ^= low
                seen += 1
                rank += comb(place[low], seen)
            limb = limb * radix + rank
        return key << 64 | limb

    def keys(self, states: States) -> NDArray[np.uint64]:
        """The limbs of every state, uint64[n, limbs]. The states must satisfy the invariants."""
        out = np.zeros((len(states), len(self.limbs)), dtype=np.uint64)
        for column, limb in enumerate(self.limbs):
            for digit in limb:
                out[:, column] *= np.uint64(digit.radix)
                out[:, column] += _ranks(states, digit)
        return out


def _ranks(states: States, digit: Digit) -> NDArray[np.uint64]:
    seen = np.zeros(len(states), dtype=np.int64)
    rank = np.zeros(len(states), dtype=np.uint64)
    for at, fact in enumerate(digit.facts):
        is_true = (states[:, fact // 64] >> np.uint64(fact % 64) & np.uint64(1)).astype(np.bool_)
        if digit.count < 0:
            return is_true.astype(np.uint64)
        seen += is_true
        # a number above the limit is never used: the rank, which is a sum of these numbers, is below the radix
        steps = np.array(
            [min(comb(at, k), _LIMIT - 1) for k in range(digit.count + 1)], dtype=np.uint64
        )
        rank += np.where(is_true, steps[np.minimum(seen, digit.count)], np.uint64(0))
    return rank


def ranking(num_facts: int, groups: Sequence[tuple[Sequence[int], int]]) -> Ranking:
    """The ranking of a task with `num_facts` facts and the given disjoint groups (facts, count). The facts of a group
    with more than 2^64 choices become single digits.
    """
    digits: list[Digit] = []
    single = set(range(num_facts))
    for facts, count in groups:
        if comb(len(facts), count) <= _LIMIT:
            digits.append(Digit(tuple(facts), count))
            single -= set(facts)
    digits += [Digit((fact,), -1) for fact in sorted(single)]
    limbs: list[list[Digit]] = [[]]
    size = 1
    for digit in digits:
        if size * digit.radix > _LIMIT:
            limbs.append([])
            size = 1
        limbs[-1].append(digit)
        size *= digit.radix
    return Ranking(limbs)

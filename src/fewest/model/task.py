"""The task: facts, cubes and flips. Everything below the language reads this and nothing else.

- A *fact* is a boolean of the state; a *state* is a set of facts, here one Python integer (bit f is
  fact f), in the cores a row of 64-bit words.
- A *cube* is a partial state `(mask, value)`; a state is in it iff `state & mask == value`.
- An *operator* is a cube and a flip inside its mask: where the cube holds, `state ^ flip`. It is a
  partial bijection; its inverse is the cube with the flipped bits inverted, and the same flip.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import or_

from fewest.model.board import Direction
from fewest.model.metric import Metric
from fewest.model.problem import Problem

Cube = tuple[int, int]  # (mask, value)


@dataclass(frozen=True)
class Fact:
    """One boolean of the state: a piece class at an anchor cell, or a variable's value."""

    name: str
    class_id: int = -1
    cell: int = -1
    slot: int = -1
    value: int | str = 0


@dataclass(frozen=True)
class Operator:
    """A ground move: where `state & mask == value`, the next state is `state ^ flip`.

    `from_fact` and `to_fact` are where the piece that a merging metric counts comes from and goes
    to (-1 if there is none); `ring` is the ring that turns, or -1; `words` are the turn of the
    rule's loops, for people.
    """

    rule: str
    mask: int
    value: int
    flip: int
    from_fact: int
    to_fact: int
    ring: int
    direction: Direction | None
    words: str

    def is_applicable(self, state: int) -> bool:
        return state & self.mask == self.value

    def apply(self, state: int) -> int:
        """The next state. Only meaningful where the operator is applicable."""
        return state ^ self.flip

    @property
    def inverse_value(self) -> int:
        """The value of the inverse operator's cube; its mask and flip are the same."""
        return self.value ^ self.flip


@dataclass(frozen=True)
class Group:
    """An invariant: in every reachable state exactly `count` of these facts are true."""

    facts: tuple[int, ...]
    count: int


@dataclass(frozen=True)
class Task:
    """A grounded puzzle. `goal` and `forbid` are disjunctions of cubes.

    `exactly` are the exactly-k groups, disjoint; `at_most_one` the facts that cover one cell, which
    overlap where pieces have several cells.
    """

    name: str
    facts: tuple[Fact, ...]
    operators: tuple[Operator, ...]
    initial: int
    goal: tuple[Cube, ...]
    has_goal: bool
    forbid: tuple[Cube, ...]
    exactly: tuple[Group, ...]
    at_most_one: tuple[tuple[int, ...], ...]
    metrics: Mapping[str, Metric]
    default_metric: str
    fact_of_spot: Mapping[tuple[int, int], int] = field(repr=False)
    fact_of_value: Mapping[tuple[int, int | str], int] = field(repr=False)

    @property
    def words(self) -> int:
        """64-bit words a state."""
        return max(1, -(-len(self.facts) // 64))

    def is_goal(self, state: int) -> bool:
        return any(state & mask == value for mask, value in self.goal)

    def is_forbidden(self, state: int) -> bool:
        return any(state & mask == value for mask, value in self.forbid)

    @cached_property
    def problem(self) -> Problem:
        """The same as arrays, for the search cores."""
        import numpy as np

        words = self.words

        def rows(values: list[int]) -> np.ndarray:
            size = words * 8
            raw = b"".join(value.to_bytes(size, "little") for value in values)
            return np.frombuffer(raw, dtype="<u8").astype(np.uint64, copy=False).reshape(-1, words)

        operators = self.operators
        return Problem(
            num_facts=len(self.facts),
            initial=rows([self.initial])[0],
            mask=rows([o.mask for o in operators]),
            value=rows([o.value for o in operators]),
            flip=rows([o.flip for o in operators]),
            index_fact=np.array([index_fact(o) for o in operators], dtype=np.int32),
            goal_mask=rows([mask for mask, _ in self.goal]),
            goal_value=rows([value for _, value in self.goal]),
            forbid_mask=rows([mask for mask, _ in self.forbid]),
            forbid_value=rows([value for _, value in self.forbid]),
            exactly_one=tuple(g.facts for g in self.exactly if g.count == 1),
            at_most_one=self.at_most_one,
        )


def union(masks: Iterable[int]) -> int:
    """The facts that are in any of these sets."""
    return reduce(or_, masks, 0)


def facts_in(mask: int) -> list[int]:
    """The facts of a set, in ascending order."""
    out: list[int] = []
    while mask:
        low = mask & -mask
        out.append(low.bit_length() - 1)
        mask ^= low
    return out


def index_fact(operator: Operator) -> int:
    """The positive fact under which a successor generator finds an operator; -1 if it has none."""
    if operator.from_fact >= 0:
        return operator.from_fact
    return operator.value.bit_length() - 1

"""The metric of a task, in the form that the search cores read: weights and run keys.

Only the first operator of a merged move (a *run*) has a cost. An operator continues a run if its `run_in`
equals the `run_out` of the last operator that is not free. Two keys are equal only if they have the same piece (the
fact of its place) or ring, the same weight and, for `merge: line`, the same direction. This file defines the cost of a
sequence in three forms: the description of `CostTable` in words, `RunRule.step` on integers, and `steps` on arrays.
(The reference interpreter has a separate definition, `playing.price`. The native core implements the definition of this
file in C++.)
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from fewest.errors import UsageError
from fewest.model.metric import Metric, MetricPart, Parts
from fewest.model.task import Task

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fewest.model.problem import Buffer


class CostTable(Struct, frozen=True, eq=False, dict=True, weakref=True):
    """One compiled metric of c parts: c = 1, or 2 for a lexicographic pair.

    For each part, an operator sequence has a *token*, which is a run key or none; before the first operator, it is
    none. An operator of weight w == 0 is free. Such an operator leaves the token unchanged, unless the operator flips
    the token's `run_fact`, which means that no equal piece takes the place of the run's piece; in this case, the token
    becomes none. An operator of weight w > 0 costs nothing if the token is its `run_in`, and w otherwise; afterward,
    the token is its `run_out`.
    """

    weight: Buffer
    """int64[c, n], >= 0"""
    run_in: Buffer
    """int32[c, n]: the run key that the operator continues; -1 if none"""
    run_out: Buffer
    """int32[c, n]: the run key that the next operator can continue; -1 if none"""
    run_fact: tuple[Buffer, ...]
    """c times int32[number of keys]: the fact of the place of the run's piece; -1 if none. If it is not -1, this fact
    is the `index_fact` of every operator that continues the key.
    """

    @property
    def parts(self) -> int:
        """the number c of parts"""
        return len(self.run_fact)

    @cached_property
    def rows(self) -> CostRows:
        """The table as lists of numbers."""
        return CostRows(
            self._split(self.weight),
            self._split(self.run_in),
            self._split(self.run_out),
            tuple(facts.tolist() for facts in self.run_fact),
        )

    @cached_property
    def arrays(self) -> CostArrays:
        """The table as NumPy arrays with the shapes above."""
        import numpy as np

        shape = (self.parts, -1 if len(self.weight) else 0)
        return CostArrays(
            np.asarray(self.weight, dtype=np.int64).reshape(shape),
            np.asarray(self.run_in, dtype=np.int32).reshape(shape),
            np.asarray(self.run_out, dtype=np.int32).reshape(shape),
            tuple(np.asarray(facts, dtype=np.int32) for facts in self.run_fact),
        )

    def _split(self, buffer: Buffer) -> tuple[list[int], ...]:
        flat: list[Any] = buffer.tolist()
        if flat and isinstance(flat[0], list):
            return tuple(flat)
        size = len(flat) // self.parts
        return tuple(flat[part * size : (part + 1) * size] for part in range(self.parts))


class CostRows(Struct, frozen=True, eq=False):
    """The rows of a cost table as lists, one row for each part."""

    weight: tuple[list[int], ...]
    run_in: tuple[list[int], ...]
    run_out: tuple[list[int], ...]
    run_fact: tuple[list[int], ...]


class CostArrays(Struct, frozen=True, eq=False):
    """A cost table as NumPy arrays."""

    weight: NDArray[np.int64]
    run_in: NDArray[np.int32]
    run_out: NDArray[np.int32]
    run_fact: tuple[NDArray[np.int32], ...]


def cost_table(task: Task, metric: Metric) -> CostTable:
    """The weights and run keys of every operator, with one row for each part of the metric. Raises the same errors as
    `runs_of`.
    """
    weight, run_in, run_out = array("q"), array("i"), array("i")
    run_fact: list[array[int]] = []
    for part in metric.parts:
        weight.extend(_weights(task, part))
        ins, outs, facts = runs_of(task, part)
        run_in.extend(ins)
        run_out.extend(outs)
        run_fact.append(array("i", facts))
    return CostTable(weight, run_in, run_out, tuple(run_fact))


class RunRule:
    """The token rule of a cost table, on integers; it computes the costs of a sequence of operators.

    `flips`: for each operator, the bit set of the facts that it flips.
    """

    def __init__(self, table: CostTable, flips: Sequence[int]) -> None:
        self.flips = flips
        rows = table.rows
        self.weight: list[Parts] = list(zip(*rows.weight, strict=True))
        self._run_in: list[Parts] = list(zip(*rows.run_in, strict=True))
        self._run_out: list[Parts] = list(zip(*rows.run_out, strict=True))
        self._run_bit = [
            [0 if fact < 0 else 1 << fact for fact in facts] for facts in rows.run_fact
        ]
        self.zero: Parts = (0,) * len(table.run_fact)
        """the cost of a free operator"""
        self.fresh: Parts = (-1,) * len(table.run_fact)
        """the tokens before the first operator: none in every part"""

    def step(self, index: int, tokens: Parts) -> tuple[Parts, Parts]:
        """The cost of an operator after these tokens, and the tokens after the operator."""
        paid: list[int] = []
        after: list[int] = []
        for part, weight in enumerate(self.weight[index]):
            token = tokens[part]
            if weight == 0:
                is_broken = token >= 0 and self.flips[index] & self._run_bit[part][token]
                paid.append(0)
                after.append(-1 if is_broken else token)
            else:
                continues = token >= 0 and token == self._run_in[index][part]
                paid.append(0 if continues else weight)
                after.append(self._run_out[index][part])
        return tuple(paid), tuple(after)

    def is_free(self, index: int) -> bool:
        """Whether an operator's weight is 0 in every part."""
        return self.weight[index] == self.zero

    def cost(self, operators: Iterable[int]) -> Parts:
        """The cost of a sequence of operators."""
        total, tokens = self.zero, self.fresh
        for index in operators:
            paid, tokens = self.step(index, tokens)
            total = added(total, paid)
        return total


def added(cost: Parts, more: Parts) -> Parts:
    """The sum of two costs, part by part."""
    if len(cost) == len(more) == 1:
        return (cost[0] + more[0],)
    return tuple(a + b for a, b in zip(cost, more, strict=True))


def steps(
    table: CostTable,
    part: int,
    operators: NDArray[np.integer],
    tokens: NDArray[np.int64],
    flips: NDArray[np.uint64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """`RunRule.step` in one part, for n pairs of an operator and a token: the cost of each operator, and the new token.

    `operators`, `tokens`: n numbers; `flips: uint64[operators of the table, words]`.
    """
    import numpy as np

    arrays = table.arrays
    weight = arrays.weight[part][operators]
    continues = (tokens >= 0) & (tokens == arrays.run_in[part][operators])
    held = np.flatnonzero((tokens >= 0) & (weight == 0))
    facts = arrays.run_fact[part][tokens[held]].astype(np.int64)
    held, facts = held[facts >= 0], facts[facts >= 0]
    bits = flips[operators[held], facts // 64] >> (facts % 64).astype(np.uint64) & np.uint64(1)
    after = np.where(weight == 0, tokens, arrays.run_out[part][operators])
    after[held[bits != 0]] = -1
    return np.where(continues, 0, weight), after


def plan_cost(task: Task, metric: Metric, plan: Iterable[int]) -> Parts:
    """The cost of a sequence of operator ids, one number for each part of the metric."""
    return run_rule(task, metric).cost(plan)


def run_rule(task: Task, metric: Metric) -> RunRule:
    """The token rule of a metric, for the operators of a task."""
    return RunRule(cost_table(task, metric), flips_of(task))


def flips_of(task: Task) -> list[int]:
    """For each move, the bit set of the facts that it may change."""
    moved = [
        sum(1 << fact for fact, to in enumerate(permutation.image) if to != fact)
        for permutation in task.permutations
    ]
    return [*(operator.flip for operator in task.operators), *moved]


def _weights(task: Task, part: MetricPart) -> list[int]:
    """The weight of every operator."""
    known: dict[tuple[str, int], int] = {}
    out: list[int] = []
    for operator in task.moves:
        of = (operator.rule, operator.binding)
        weight = known.get(of)
        if weight is None:
            weight = known[of] = part.weight(*of)
        out.append(weight)
    return out


def hint_of_unmerged_metric(task: Task) -> str:
    """A hint that names a metric in which every move counts, or that suggests adding such a metric."""
    for name, metric in task.metrics.items():
        if all(part.merge == "none" for part in metric.parts):
            return f"use a metric in which every move counts: --metric {name}"
    return "give the puzzle a metric without `merge`, in which every move counts"


def runs_of(task: Task, part: MetricPart) -> tuple[list[int], list[int], list[int]]:
    """For each operator, the key that it continues, and the key that the next operator can continue; for each key, its
    fact.

    The value -1 means that there is no such run, or that the key has no fact because it belongs to a ring. Raises
    UsageError if the metric merges moves and consequences are not part of the operators: the operators then do not
    contain the final places of the pieces. Raises UsageError also if the metric merges moves and a permutation is free:
    whether it ends a run depends on the state, because an equal piece may take the place of the run's piece.
    """
    weights = _weights(task, part)
    size = len(task.moves)
    ins, outs = [-1] * size, [-1] * size
    facts: list[int] = []
    if part.merge == "none":
        return ins, outs, facts
    if task.consequences:
        task.require_whole_moves(
            f"a metric that counts several moves as one (`merge: {part.merge}`)",
            hint_of_unmerged_metric(task),
        )
    if 0 in weights[len(task.operators) :]:
        raise UsageError(
            f"the metric `{part.name}` merges moves, so a rule that permutes the pieces on a ring cannot be free"
        )
    keys: dict[tuple[object, ...], int] = {}

    def key(fact: int, ring: int, weight: int, direction: object) -> int:
        found = keys.setdefault((fact, ring, weight, direction), len(keys))
        if found == len(facts):
            facts.append(fact)
        return found

    for index, operator in enumerate(task.moves):
        weight = weights[index]
        if weight == 0:
            continue
        direction = operator.direction if part.merge == "line" else None
        if operator.ring >= 0:
            ins[index] = outs[index] = key(-1, operator.ring, weight, direction)
        elif operator.from_fact >= 0:
            ins[index] = key(operator.from_fact, -1, weight, direction)
            outs[index] = key(operator.to_fact, -1, weight, direction)
    return ins, outs, facts

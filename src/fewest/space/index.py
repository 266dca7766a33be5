"""A perfect index: it numbers the consistent states of a task from 0 to N-1, without gaps.

A state is *consistent* if it satisfies every known invariant: the exactly-k groups, the at-most-one groups, facts that
can never be true, and parities. Every reachable state is consistent. (The method comes from the article on 横刀立马: of
its 12·11·C(10,4)·C(6,4) = 415,800 codes, 65,880 are consistent.)

The facts are divided into *variables*, sets of mutually exclusive facts, in a fixed order. A *diagram* reads a state
variable by variable. The nodes of a diagram contain only the data that determine the possible values of the later
variables: for each group, the number of remaining facts; the excluded facts; and the parities. The number of
completions of every node is computed from the end. The number of a state is the sum, along its path, of the completions
of all smaller options. This map is invertible. (Enumerative coding: Cover, 1973; with frontiers: Knuth, TAOCP 4A,
7.1.4.)
"""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from msgspec import Struct

from fewest.analysis.invariants import possible_facts, proven_at_most_one
from fewest.analysis.parity import Parity, parities
from fewest.errors import UsageError
from fewest.model.task import Task, facts_in
from fewest.space.diagram import (
    Builder,
    DiagramVariable,
    Layers,
    variables_by_cells,
    variables_by_groups,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fewest.model.problem import Numbering

MAX_ARCS = 300_000
MAX_SIZE = (1 << 40) - 1
"""The limit in the native core: a word has 40 bits for a number and 24 for a node."""
_STEP_ENTRIES = 1 << 14
"""The maximum number of entries in a table; a table of this size takes 128 KB, which fits into the caches. This limit
also determines how many variables one step can read.
"""


class StateIndex(Struct, frozen=True, eq=False, dict=True):
    """The numbering of the `size` consistent states of a task; see `state_index`.

    `layers[i]` are the nodes at which variable i is read. The first node of `layers[0]` is the root.
    """

    task: Task
    size: int
    variables: tuple[DiagramVariable, ...]
    layers: Layers
    parities: tuple[Parity, ...]

    @property
    def num_arcs(self) -> int:
        return sum(len(node) for layer in self.layers for node in layer)

    @cached_property
    def _masks(self) -> tuple[int, ...]:
        return tuple(sum(1 << fact for fact in facts) for facts, _ in self.variables)

    def rank(self, state: int) -> int | None:
        """The number of a state; None if the state is not consistent and therefore unreachable."""
        if state & ~sum(self._masks):
            return None
        number = node = 0
        for variable, mask, layer in zip(self.variables, self._masks, self.layers, strict=True):
            chosen = state & mask
            if chosen & chosen - 1 or not (chosen or variable.may_be_none):
                return None
            option = 0
            if chosen:
                option = variable.facts.index(chosen.bit_length() - 1) + variable.may_be_none
            arc = next((arc for arc in layer[node] if arc.option == option), None)
            if arc is None:
                return None
            number += arc.before
            node = arc.child
        return number

    def unrank(self, number: int) -> int:
        """The state with this number. Raises IndexError for a number outside 0..size-1."""
        if not 0 <= number < self.size:
            raise IndexError(number)
        state = node = 0
        for variable, layer in zip(self.variables, self.layers, strict=True):
            arc = next(arc for arc in reversed(layer[node]) if arc.before <= number)
            number -= arc.before
            node = arc.child
            fact = variable.fact(arc.option)
            state |= 0 if fact < 0 else 1 << fact
        return state

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """The number of variables that each step reads."""
        steps: list[int] = []
        entries = 0
        for variable, layer in zip(self.variables, self.layers, strict=True):
            if steps and entries << variable.bits <= _STEP_ENTRIES:
                steps[-1] += 1
                entries <<= variable.bits
            else:
                steps.append(1)
                entries = len(layer) << variable.bits
        return tuple(steps)

    @property
    def num_entries(self) -> int:
        """The size of the tables, in entries of 8 bytes."""
        total = first = 0
        for step in self.steps:
            bits = sum(variable.bits for variable in self.variables[first : first + step])
            total += len(self.layers[first]) << bits
            first += step
        return total

    @property
    def levels(self) -> tuple[int, ...]:
        """The steps if each step reads only one variable."""
        return (1,) * len(self.variables)

    @property
    def num_bytes(self) -> int:
        """The memory that a search in the index needs: slightly more than a quarter of a byte per state."""
        return self.size // 4 + self.size // 16_384 + 32 * self.num_entries + (1 << 20)

    def numbering(self, steps: tuple[int, ...] | None = None) -> Numbering:
        """The diagram in the form of the native core; by default, with the fastest `steps`.

        Raises UsageError if there are too many states for the native core.
        """
        import numpy as np

        from fewest.model.problem import Numbering

        if self.size > MAX_SIZE or max(map(len, self.layers), default=0) >= 1 << 24:
            raise UsageError(f"{self.size:,} consistent states are too many to be numbered")
        whole: list[NDArray[np.uint64]] = []
        steps = self.steps if steps is None else steps
        first = 0
        for step in steps:
            whole.append(np.array(self._entries(first, first + step), dtype=np.uint64))
            first += step
        ends = accumulate(steps, initial=0)
        return Numbering(
            size=self.size,
            variables=tuple(variable.facts for variable in self.variables),
            may_be_none=tuple(variable.may_be_none for variable in self.variables),
            steps=steps,
            nodes=tuple(len(self.layers[at]) for at in ends if at < len(self.layers)),
            entries=np.concatenate([*whole, np.zeros(0, dtype=np.uint64)]),
        )

    def _entries(self, first: int, end: int) -> list[int]:
        """The table for the step that reads the variables first..end-1."""
        read = self.variables[first:end]
        bits = sum(variable.bits for variable in read)
        entries = [(1 << 64) - 1] * (len(self.layers[first]) << bits)
        for root in range(len(self.layers[first])):
            paths = [(root, 0, root << bits)]
            shift = 0
            for layer, variable in zip(self.layers[first:end], read, strict=True):
                paths = [
                    (arc.child, before + arc.before, code | arc.option << shift)
                    for node, before, code in paths
                    for arc in layer[node]
                ]
                shift += variable.bits
            for child, before, code in paths:
                entries[code] = before << 24 | child
        return entries


def state_index(task: Task, max_arcs: int = MAX_ARCS) -> StateIndex:
    """The index of a task's consistent states.

    Variables are ordered by groups or by cells. The result uses the ordering with the faster diagram; `_cost` estimates
    the times. Raises UsageError if both diagrams have more than `max_arcs` arcs. The construction takes a few
    microseconds per arc.
    """
    at_most_one = proven_at_most_one(task)
    possible = possible_facts(task)
    known = parities(task, at_most_one, possible)
    by_cells = variables_by_cells(task, at_most_one, possible)
    found: list[StateIndex] = []
    for variables in dict.fromkeys((by_cells, variables_by_groups(task, possible))):
        built = Builder(task, at_most_one, known, variables).build(max_arcs)
        if built is not None:
            found.append(StateIndex(task, built[0], variables, built[1], known))
            max_arcs = min(
                max_arcs, 8 * found[0].num_arcs
            )  # a diagram that is much larger is not faster to read
    if not found:
        raise UsageError(
            f"the consistent states of {task.name} cannot be numbered, because their decision "
            "diagram would be too large",
            hint="use --store hash",
        )
    return min(found, key=_cost)


def index_of_all(task: Task, max_arcs: int = MAX_ARCS) -> StateIndex:
    """The index of all states that satisfy the groups of a task; it does not depend on the initial state. The size of
    the index may be 0.

    The caller must ensure that every operator preserves the groups. Raises UsageError if the diagram has more than
    `max_arcs` arcs.
    """
    variables = variables_by_cells(task, task.at_most_one, (1 << len(task.facts)) - 1)
    if sum(group.count for group in task.exactly) > len(variables):
        return StateIndex(task, 0, variables, (), ())
    built = Builder(task, task.at_most_one, (), variables).build(max_arcs)
    if built is None:
        raise UsageError(
            f"the positions of {task.name} cannot be numbered, because their decision diagram would be too large"
        )
    return StateIndex(task, built[0], variables, built[1], ())


def _cost(index: StateIndex) -> float:
    """The time to read a state, multiplied by the average fraction of the steps that one operator reads."""
    place = {fact: at for at, variable in enumerate(index.variables, 1) for fact in variable.facts}
    ends = [
        max((place.get(fact, 0) for fact in facts_in(operator.mask)), default=0)
        for operator in index.task.operators
    ]
    part = sum(ends) / max(1, len(ends) * len(index.variables))
    return (len(index.steps) + (index.num_entries >> 16)) * part

"""Decision diagrams that represent and count all sets of facts that satisfy the invariants of a task.

A diagram reads *variables* in order. A variable is a set of mutually exclusive facts. A node contains everything that
determines its completions: the number of facts of each group that must still be true, the later facts that are
excluded, and the parities. Nodes with the same completions are merged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fewest.analysis.parity import Parity
from fewest.model.task import Task, facts_in


class DiagramVariable(NamedTuple):
    """A set of facts such that exactly one of them is true (at most one if `may_be_none` is true). The options are
    numbered; the option "none" comes first.
    """

    facts: tuple[int, ...]
    may_be_none: bool

    @property
    def bits(self) -> int:
        """The number of bits of the largest option."""
        return (len(self.facts) + self.may_be_none - 1).bit_length()

    def fact(self, option: int) -> int:
        """The fact that an option makes true; -1 for the option "none"."""
        return -1 if self.may_be_none and option == 0 else self.facts[option - self.may_be_none]


class Arc(NamedTuple):
    """An option of a node, its target, and the number of completions of earlier options."""

    option: int
    child: int
    before: int


DiagramNode = tuple[Arc, ...]
Layers = tuple[tuple[DiagramNode, ...], ...]
_Key = tuple[tuple[int, ...], int, int, tuple[int, ...]]


def variables_by_groups(task: Task, possible: int) -> tuple[DiagramVariable, ...]:
    """One variable for each exactly-1 group, and one variable for each other fact, whether or not it is in a group.
    Facts that are not in `possible`, or that are in an exactly-0 group, are omitted.
    """
    return tuple(_remaining(task, possible, 0))


def variables_by_cells(
    task: Task, at_most_one: Sequence[tuple[int, ...]], possible: int
) -> tuple[DiagramVariable, ...]:
    """One variable for each at-most-one group, such as the facts that occupy a cell; then variables for the remaining
    facts. A fact in several groups belongs to the first of them. Facts that are not in `possible` are omitted.
    """
    taken = 0
    cells: list[DiagramVariable] = []
    sure = {group.facts for group in task.exactly if group.count == 1}
    for cell in at_most_one:
        facts = tuple(fact for fact in cell if possible >> fact & 1 and not taken >> fact & 1)
        if facts:
            cells.append(DiagramVariable(facts, facts not in sure))
            taken |= sum(1 << fact for fact in facts)
    return (*cells, *_remaining(task, possible, taken))


def _remaining(task: Task, possible: int, taken: int) -> Iterator[DiagramVariable]:
    grouped = 0
    for group in task.exactly:
        facts = tuple(f for f in group.facts if possible >> f & 1 and not taken >> f & 1)
        grouped |= sum(1 << fact for fact in group.facts)
        if group.count == 1 and facts and not taken & sum(1 << f for f in group.facts):
            yield DiagramVariable(facts, False)
        elif group.count > 0:
            yield from (DiagramVariable((fact,), True) for fact in facts)
    yield from (DiagramVariable((f,), True) for f in facts_in(possible & ~grouped & ~taken))


class Builder:
    """Builds the diagram of the states that satisfy the invariants of a task, with variables in the given order."""

    def __init__(
        self,
        task: Task,
        at_most_one: Sequence[tuple[int, ...]],
        parities: Sequence[Parity],
        variables: Sequence[DiagramVariable],
    ) -> None:
        self.variables = tuple(variables)
        self.parities = tuple(parities)
        self.groups = [sum(1 << fact for fact in group.facts) for group in task.exactly]
        self.counts = tuple(group.count for group in task.exactly)
        self.group_of = {f: n for n, group in enumerate(task.exactly) for f in group.facts}
        self.excluded: dict[int, int] = {}
        for cell in at_most_one:
            mask = sum(1 << fact for fact in cell)
            for fact in cell:
                self.excluded[fact] = self.excluded.get(fact, 0) | mask
        several = {id(one): one for parity in parities for one in parity.arrangements}
        self.arrangements = list(several.values())
        # for each arrangement, the set of parities that include its sign in their sums
        self.signed = [
            sum(
                1 << n
                for n, parity in enumerate(self.parities)
                if any(one is found for one in parity.arrangements)
            )
            for found in self.arrangements
        ]
        self.flips = {fact: self._flips(fact) for variable in variables for fact in variable.facts}
        # `matter`: for each parity, the facts on which it depends; `later`: for each variable, its facts and the facts
        # of all later variables
        self.matter = [
            one.facts | sum(1 << fact for a in one.arrangements for fact in a.inverted)
            for one in self.parities
        ]
        self.later = [0] * (len(self.variables) + 1)
        for number in reversed(range(len(self.variables))):
            here = sum(1 << fact for fact in self.variables[number].facts)
            self.later[number] = self.later[number + 1] | here
        # the groups that continue after each variable, with their remaining facts, and the groups that end there
        self.open_groups = [
            [(n, mask & later) for n, mask in enumerate(self.groups) if mask & later]
            for later in self.later
        ]
        before = [self.later[0], *self.later]
        self.closed_groups = [
            [
                n
                for n, mask in enumerate(self.groups)
                if not mask & later and (mask & last or at == 0)
            ]
            for at, (last, later) in enumerate(zip(before, self.later, strict=False))
        ]

    def _flips(self, fact: int) -> int:
        """The set of parities that this fact changes on its own."""
        return sum(1 << n for n, parity in enumerate(self.parities) if parity.facts >> fact & 1)

    def build(self, max_arcs: int) -> tuple[int, Layers] | None:
        """The number of states and the layers of nodes. The result is None if there are more than `max_arcs` arcs."""
        parity = sum(1 << n for n, one in enumerate(self.parities) if one.value)
        first = self._normal(0, list(self.counts), 0, parity, [0] * len(self.arrangements))
        if first is None:
            raise AssertionError("the initial state keeps the invariants")
        # by layer and node: pairs of an option and a child
        rough: list[list[list[tuple[int, int]]]] = []
        layer: dict[_Key, int] = {first: 0}
        num_arcs = 0
        for number, variable in enumerate(self.variables):
            following: dict[_Key, int] = {}
            nodes = []
            for key in layer:
                arcs = [
                    (option, following.setdefault(child, len(following)))
                    for option, child in self._children(number, variable, key)
                ]
                num_arcs += len(arcs)
                nodes.append(arcs)
            if num_arcs > max_arcs:
                return None
            rough.append(nodes)
            layer = following
        return _counted(rough)

    def _children(
        self, number: int, variable: DiagramVariable, key: _Key
    ) -> Iterator[tuple[int, _Key]]:
        left, ruled_out, parity, inverted = key
        if variable.may_be_none:
            child = self._normal(number + 1, list(left), ruled_out, parity, list(inverted))
            if child is not None:
                yield 0, child
        for option, fact in enumerate(variable.facts, variable.may_be_none):
            if ruled_out >> fact & 1:
                continue
            counts, now, mixed = list(left), parity ^ self.flips[fact], list(inverted)
            group = self.group_of.get(fact)
            if group is not None:
                if counts[group] == 0:
                    continue
                counts[group] -= 1
            for at, arrangement in enumerate(self.arrangements):
                if fact not in arrangement.inverted:
                    continue
                if mixed[at] >> fact & 1:  # an odd number of facts has been chosen so far
                    now ^= self.signed[at]
                mixed[at] ^= arrangement.inverted[fact]
            child = self._normal(
                number + 1, counts, ruled_out | self.excluded.get(fact, 0), now, mixed
            )
            if child is not None:
                yield option, child

    def _normal(
        self, number: int, left: list[int], ruled_out: int, parity: int, inverted: list[int]
    ) -> _Key | None:
        """Everything that determines the completions from variable `number` on. The result is None if these data show
        that there is no completion.
        """
        if sum(left) > len(self.variables) - number:  # each variable makes at most one fact true
            return None
        later = self.later[number]
        for group, facts in self.open_groups[number]:
            count = left[group]
            if count == 0:
                ruled_out |= facts
                continue
            free = facts & ~ruled_out
            if not free or (count > 1 and free.bit_count() < count):
                return None
        for group in self.closed_groups[number]:
            if left[group]:
                return None
        open_facts = later & ~ruled_out
        if parity:
            for n, matter in enumerate(self.matter):
                if parity >> n & 1 and not matter & open_facts:
                    return None
        # The list makes the tuple faster than a generator would.
        return (
            tuple(left),
            later & ruled_out,
            parity,
            tuple([mask & open_facts for mask in inverted]),
        )


def _counted(rough: list[list[list[tuple[int, int]]]]) -> tuple[int, Layers]:
    """Merge nodes with the same completions, drop dead ends, and count completions."""
    counts = [1]
    # for each node of the next layer, its new number; -1 if the node has no completion
    new_id: list[int] = [0]
    layers: list[tuple[DiagramNode, ...]] = []
    for nodes in reversed(rough):
        found: dict[DiagramNode, int] = {}
        here: list[int] = []
        totals: list[int] = []
        for arcs in nodes:
            before = 0
            node: list[Arc] = []
            for option, child in arcs:
                target = new_id[child]
                if target >= 0:
                    node.append(Arc(option, target, before))
                    before += counts[target]
            if not node:
                here.append(-1)
                continue
            number = found.setdefault(tuple(node), len(found))
            if number == len(totals):
                totals.append(before)
            here.append(number)
        layers.append(tuple(found))
        new_id, counts = here, totals
    return (counts[new_id[0]] if new_id[0] >= 0 else 0, tuple(reversed(layers)))

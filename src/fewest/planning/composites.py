"""Composite operators: what one move of a metric can do, as single operators.

Bounded-horizon planning counts layers, so a move must be one operator. In a merging metric a move is
a run: several operators of one piece. Two operators one after the other are again a cube and a flip:
the first's cube, the second's cube seen through the first's flip, and both flips together.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from fewest.analysis.invariants import num_empty_cells
from fewest.errors import UsageError
from fewest.model.costs import runs_of
from fewest.model.metric import MetricPart
from fewest.model.task import Cube, Task

MAX_COMPOSITES = 100_000

Effect: TypeAlias = tuple[int, int]
"""Facts that a move deletes, facts that it adds; as sets."""


class Composite(Struct, frozen=True):
    """One move: operator ids in order, and the cube and flip of all of them together.

    `layers` is what it costs. `avoid` are cubes from which the run would pass through a forbidden
    state. `run_in` and `run_out` are the runs that it continues and leaves (keys of `runs_of`).
    """

    operators: tuple[int, ...]
    mask: int
    value: int
    flip: int
    layers: int = 1
    avoid: frozenset[Cube] = frozenset()
    run_in: int = -1
    run_out: int = -1

    @property
    def effect(self) -> Effect:
        return self.flip & self.value, self.flip & ~self.value

    def is_applicable(self, state: int) -> bool:
        if state & self.mask != self.value:
            return False
        return not any(state & mask == value for mask, value in self.avoid)


def composites(task: Task, part: MetricPart) -> tuple[Composite, ...]:
    """Every move of positive weight, dominated ones left out.

    A composite is left out if another has the same flip and cost and may be made wherever it may:
    whatever it does, the other can do as well. A run never comes back to a state where it was; that
    loses nothing, since the loop could be cut out. Cubes that no state satisfies by the invariants
    (too many cells empty, too many pieces of a group) are dropped, which keeps the number of paths
    small. Sound for minima and solvability in every metric of one part in which no free move can
    happen within a run.

    Raises UsageError if there are over MAX_COMPOSITES.
    """
    run_in, run_out, _ = runs_of(task, part)
    continuing: dict[int, list[int]] = {}
    for index, key in enumerate(run_in):
        if key >= 0:
            continuing.setdefault(key, []).append(index)
    bounds = _Bounds(task)
    # While runs grow, only composites that can be continued in the same way are compared.
    open_runs: dict[tuple[int, int, int], list[Composite]] = {}
    frontier: list[tuple[Composite, frozenset[int]]] = []
    for index, o in enumerate(task.operators):
        weight = part.weight(o.rule, o.turn)
        single = Composite(
            (index,), o.mask, o.value, o.flip, weight, run_in=run_in[index], run_out=run_out[index]
        )
        if weight and _add(open_runs.setdefault(_key(single), []), single):
            frontier.append((single, frozenset({0, o.flip})))
    count = len(frontier)
    while frontier:
        longer: list[tuple[Composite, frozenset[int]]] = []
        for composite, seen in frontier:
            key = composite.run_out
            for index in continuing.get(key, ()) if key >= 0 else ():
                joined = _join(task, composite, index, run_out[index])
                if joined is None or joined.flip in seen or not bounds.allow(joined):
                    continue
                if _add(open_runs.setdefault(_key(joined), []), joined):
                    longer.append((joined, seen | {joined.flip}))
        frontier = longer
        count += len(longer)
        if count > MAX_COMPOSITES:
            raise UsageError(f"`{part.name}` has over {MAX_COMPOSITES:,} different moves here")
    closed: dict[tuple[int, int], list[Composite]] = {}
    for group in open_runs.values():
        for composite in group:
            _add(closed.setdefault((composite.flip, composite.layers), []), composite)
    return tuple(composite for group in closed.values() for composite in group)


def _key(composite: Composite) -> tuple[int, int, int]:
    return composite.flip, composite.run_out, composite.layers


def _join(task: Task, composite: Composite, index: int, run_out: int) -> Composite | None:
    """The run and one operator more; None if that is never possible."""
    operator = task.operators[index]
    seen_through = operator.value ^ (composite.flip & operator.mask)
    if (composite.value ^ seen_through) & composite.mask & operator.mask:
        return None
    mask, value = composite.mask | operator.mask, composite.value | seen_through
    passed = {(m, v ^ (composite.flip & m)) for m, v in task.forbid}  # the state between the two
    avoid: set[Cube] = set()
    for m, v in passed | composite.avoid:
        if (value ^ v) & mask & m:
            continue
        if m & ~mask == 0:
            return None
        avoid.add((m, v))
    return Composite(
        (*composite.operators, index),
        mask,
        value,
        composite.flip ^ operator.flip,
        composite.layers,
        frozenset(avoid),
        composite.run_in,
        run_out,
    )


def _dominates(one: Composite, other: Composite) -> bool:
    is_wider = one.mask & ~other.mask == 0 and (one.value ^ other.value) & one.mask == 0
    return is_wider and one.avoid <= other.avoid


def _add(group: list[Composite], new: Composite) -> bool:
    """Whether no composite of the group dominates the new one; it replaces those it dominates."""
    if any(_dominates(known, new) for known in group):
        return False
    group[:] = [known for known in group if not _dominates(new, known)]
    group.append(new)
    return True


class _Bounds:
    """What the invariants say about a cube: enough pieces, enough empty cells."""

    def __init__(self, task: Task) -> None:
        self.groups = [(sum(1 << f for f in g.facts), len(g.facts), g.count) for g in task.exactly]
        self.cells = [sum(1 << f for f in facts) for facts in task.at_most_one]
        empty = num_empty_cells(task.exactly, task.at_most_one)
        self.num_empty = len(self.cells) if empty is None else empty

    def allow(self, composite: Composite) -> bool:
        negative = composite.mask & ~composite.value
        for mask, size, count in self.groups:
            if (composite.value & mask).bit_count() > count:
                return False
            if (negative & mask).bit_count() > size - count:
                return False
        if any((composite.value & cell).bit_count() > 1 for cell in self.cells):
            return False
        empty = sum(cell & ~negative == 0 for cell in self.cells)
        return empty <= self.num_empty

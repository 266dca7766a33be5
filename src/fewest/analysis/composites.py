"""Composite operators: what one move of a metric can do, as single operators.

Bounded-horizon planning counts layers, so a move must be one operator. In a merging metric a move is
a run: several operators of one piece. Two operators one after the other are again a cube and a flip:
the first's cube, the second's cube seen through the first's flip, and both flips together.
"""

from __future__ import annotations

from dataclasses import dataclass

from fewest.errors import UsageError
from fewest.language.puzzle import Metric
from fewest.metrics import runs_of
from fewest.task import Task, facts_in

MAX_COMPOSITES = 100_000


@dataclass(frozen=True)
class Composite:
    """One move: operator ids in order, and the cube and flip of all of them together."""

    operators: tuple[int, ...]
    mask: int
    value: int
    flip: int


def composites(task: Task, metric: Metric) -> tuple[Composite, ...]:
    """Every move that counts once in the metric, dominated ones left out.

    A composite is left out if another has the same flip and a cube that contains its own: whatever
    it does, the other can do as well. A run never comes back to a state where it was; that loses
    nothing, since the loop could be cut out. Cubes that no state satisfies by the invariants (too
    many cells empty, too many pieces of a group) are dropped, which keeps the number of paths small.
    Sound for minima and solvability in metrics of one part whose weights are equal and positive.

    Raises UsageError for other metrics, and if there are over MAX_COMPOSITES.
    """
    if len(metric.parts) > 1:
        raise UsageError(f"`{metric.name}` is lexicographic: bounded horizons count one number")
    part = metric.parts[0]
    weights = {part.weights[operator.rule] for operator in task.operators}
    if len(weights) > 1 or 0 in weights:
        raise UsageError(
            f"`{metric.name}` gives moves different weights: a horizon counts equal ones"
        )
    run_in, run_out, _ = runs_of(task, part)
    continuing: dict[int, list[int]] = {}
    for index, key in enumerate(run_in):
        if key >= 0:
            continuing.setdefault(key, []).append(index)
    bounds = _Bounds(task)
    # While runs grow, only composites that can be continued in the same way are compared.
    open_runs: dict[tuple[int, int], list[Composite]] = {}
    frontier = [
        (Composite((index,), o.mask, o.value, o.flip), frozenset({0, o.flip}))
        for index, o in enumerate(task.operators)
    ]
    frontier = [entry for entry in frontier if _keep(open_runs, run_out, entry[0])]
    count = len(frontier)
    while frontier:
        longer: list[tuple[Composite, frozenset[int]]] = []
        for composite, seen in frontier:
            key = run_out[composite.operators[-1]]
            for index in continuing.get(key, ()) if key >= 0 else ():
                joined = _join(task, composite, index)
                if joined is None or joined.flip in seen or not bounds.allow(joined):
                    continue
                if _keep(open_runs, run_out, joined):
                    longer.append((joined, seen | {joined.flip}))
        frontier = longer
        count += len(longer)
        if count > MAX_COMPOSITES:
            raise UsageError(f"`{metric.name}` has over {MAX_COMPOSITES:,} different moves here")
    closed: dict[int, list[Composite]] = {}
    for group in open_runs.values():
        for composite in group:
            _add(closed.setdefault(composite.flip, []), composite)
    return tuple(composite for group in closed.values() for composite in group)


def _join(task: Task, composite: Composite, index: int) -> Composite | None:
    operator = task.operators[index]
    seen_through = operator.value ^ (composite.flip & operator.mask)
    if (composite.value ^ seen_through) & composite.mask & operator.mask:
        return None
    return Composite(
        (*composite.operators, index),
        composite.mask | operator.mask,
        composite.value | seen_through,
        composite.flip ^ operator.flip,
    )


def _keep(
    open_runs: dict[tuple[int, int], list[Composite]], run_out: list[int], new: Composite
) -> bool:
    return _add(open_runs.setdefault((new.flip, run_out[new.operators[-1]]), []), new)


def _add(group: list[Composite], new: Composite) -> bool:
    """Whether no composite of the group dominates the new one; it replaces those it dominates."""
    for known in group:
        if known.mask & ~new.mask == 0 and (known.value ^ new.value) & known.mask == 0:
            return False
    group[:] = [
        known for known in group if new.mask & ~known.mask or (known.value ^ new.value) & new.mask
    ]
    group.append(new)
    return True


class _Bounds:
    """What the invariants say about a cube: enough pieces, enough empty cells."""

    def __init__(self, task: Task) -> None:
        self.groups = [(sum(1 << f for f in g.facts), len(g.facts), g.count) for g in task.exactly]
        self.cells = [sum(1 << f for f in facts) for facts in task.at_most_one]
        # How many cells are empty follows if every fact that covers one is in an exactly-k group and
        # all facts of a group cover equally many.
        covered = 0
        grouped = 0
        for mask, _, count in self.groups:
            sizes = {sum(cell >> f & 1 for cell in self.cells) for f in facts_in(mask)}
            covered += count * max(sizes)
            grouped |= mask
            if len(sizes) > 1:
                covered = -(10**9)
        everything = 0
        for cell in self.cells:
            everything |= cell
        self.num_empty = len(self.cells) - covered if everything & ~grouped == 0 else 10**9

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

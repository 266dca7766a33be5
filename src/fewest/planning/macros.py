"""Macro operators, which represent each move of a metric as a single operator.

Bounded-horizon planning counts layers, so a move must be one operator. In a metric with merged moves, a move can be a
sequence of operators. A sequence of two operators can be written as one operator with a cube and a flip. Its cube is
the conjunction of the first operator's cube and the regression of the second operator's cube through the first flip;
its flip is the symmetric difference of the two flips. A sequence of permutations is itself a permutation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from fewest.analysis.invariants import num_empty_cells
from fewest.errors import UsageError
from fewest.model.costs import runs_of
from fewest.model.metric import MetricPart
from fewest.model.task import Cube, Operator, PermutationOperator, Task, facts_in

MAX_COMPOSITES = 100_000

Effect: TypeAlias = tuple[int, int]
"""The facts that a move deletes, and the facts that it adds, as bit sets."""

_Change: TypeAlias = tuple[int, tuple[tuple[int, int], ...]]
"""The facts that a move flips, as a bit set, and pairs of a fact that its permutation moves and the target of that
fact.
"""

_NOTHING: _Change = (0, ())

_Next: TypeAlias = tuple[int, int, int]
"""The number of a move and two bit sets: the facts that it requires, and the facts that are false in every state in
which it applies.
"""


class MacroOperator(Struct, frozen=True):
    """One move: the ids of its operators in order (none for a wait), and the cube and flip of the whole sequence.

    A non-empty `image` is a permutation: fact f moves to `image[f]`, and facts with numbers beyond the end of `image`
    do not move. In this case, `mask` and `flip` contain only facts that do not move.

    `layers` is the cost. `avoid` are cubes from which the sequence would pass through a forbidden state. `run_in` is
    the merged move that the sequence continues; `run_out` is the merged move that a next move can continue (both are
    keys of `runs_of`; -1: none).
    """

    operators: tuple[int, ...]
    mask: int
    value: int
    flip: int
    layers: int = 1
    avoid: frozenset[Cube] = frozenset()
    run_in: int = -1
    run_out: int = -1
    image: tuple[int, ...] = ()

    @property
    def effect(self) -> Effect:
        """The effect of the flip. The effect of a permutation is not included, because it depends on the state."""
        return self.flip & self.value, self.flip & ~self.value

    @property
    def carried(self) -> list[int]:
        """The facts that a permutation moves."""
        return [fact for fact, to in enumerate(self.image) if fact != to]

    @property
    def changing(self) -> int:
        """The facts that the move may change, as a bit set."""
        return self.flip | sum(1 << fact for fact in self.carried)

    def apply(self, state: int) -> int:
        """The state after the move. The move must be applicable."""
        size = len(self.image)
        if not size:
            return state ^ self.flip
        rest = (state ^ self.flip) >> size << size
        return rest | sum(1 << self.image[f] for f in facts_in((state ^ self.flip) ^ rest))

    def is_applicable(self, state: int) -> bool:
        if state & self.mask != self.value:
            return False
        return not any(state & mask == value for mask, value in self.avoid)


def macro_operators(task: Task, part: MetricPart) -> tuple[MacroOperator, ...]:
    """Every move that has a positive weight and is not dominated.

    A macro operator is dominated if another macro operator has the same effect and cost, and applies in at least the
    same states. No macro operator revisits a state in which it can continue in the same ways, because the same sequence
    without the loop has the same effect and is shorter. Nor does a macro operator revisit its first state, because the
    rest of the sequence can begin there. A sequence is dropped if its cube contradicts the invariants (for example, if
    it requires too many empty cells). These rules keep the number of sequences small. In every single-part metric, the
    result is sound for minima and for solvability, provided that no free move can occur inside a merged move.

    Raises UsageError if there are more than MAX_COMPOSITES sequences of several operators, or if the metric merges
    moves of a task with separate consequences.
    """
    run_in, run_out, _ = runs_of(task, part)
    bounds = _Bounds(task)
    continuing: dict[int, list[_Next]] = {}
    for index, key in enumerate(run_in):
        if key >= 0:
            continuing.setdefault(key, []).append(bounds.next(task, index))
    # While sequences grow, only sequences that can continue in the same ways are compared.
    open_runs: dict[tuple[_Change, int, int], list[MacroOperator]] = {}
    frontier: list[tuple[MacroOperator, frozenset[tuple[_Change, int]]]] = []
    for index, move in enumerate(task.moves):
        weight = part.weight(move.rule, move.binding)
        single = replace(
            single_move(index, move, weight), run_in=run_in[index], run_out=run_out[index]
        )
        if weight and _add(open_runs.setdefault(_key(single), []), single):
            frontier.append((single, frozenset({(_change(single), single.run_out)})))
    count = 0
    while frontier:
        longer: list[tuple[MacroOperator, frozenset[tuple[_Change, int]]]] = []
        for composite, seen in frontier:
            key = composite.run_out
            after = (composite.value ^ composite.flip) & composite.mask
            not_after = after ^ composite.mask
            for index, required, excluded in continuing.get(key, ()) if key >= 0 else ():
                if required & not_after or excluded & after:
                    continue
                joined = _join(task, composite, index, run_out[index])
                if joined is None or not bounds.allow(joined):
                    continue
                # Other pieces of the same kind may be where the run's piece was, so a run can differ in an equal state.
                reached = (_change(joined), joined.run_out)
                if reached[0] == _NOTHING or reached in seen:
                    continue
                if _add(open_runs.setdefault(_key(joined), []), joined):
                    longer.append((joined, seen | {reached}))
        frontier = longer
        count += len(longer)
        if count > MAX_COMPOSITES:
            raise UsageError(
                f"the metric `{part.name}` has more than {MAX_COMPOSITES:,} different merged moves in this puzzle"
            )
    closed: dict[tuple[_Change, int], list[MacroOperator]] = {}
    for group in open_runs.values():
        for whole in group:
            _add(closed.setdefault((_change(whole), whole.layers), []), whole)
    return tuple(whole for group in closed.values() for whole in group)


def single_move(index: int, move: Operator | PermutationOperator, weight: int) -> MacroOperator:
    """One move of a task as a macro operator."""
    if isinstance(move, PermutationOperator):
        return MacroOperator((index,), 0, 0, 0, weight, image=move.image)
    return MacroOperator((index,), move.mask, move.value, move.flip, weight)


def inverse(image: tuple[int, ...]) -> tuple[int, ...]:
    """The inverse permutation."""
    out = [0] * len(image)
    for fact, to in enumerate(image):
        out[to] = fact
    return tuple(out)


def _change(move: MacroOperator) -> _Change:
    """The effect of a move, in a form that is equal for two moves iff they have the same effect on every state."""
    if not move.image:
        return move.flip, ()
    return move.flip, tuple((fact, move.image[fact]) for fact in move.carried)


def _key(move: MacroOperator) -> tuple[_Change, int, int]:
    return _change(move), move.run_out, move.layers


def _join(task: Task, composite: MacroOperator, index: int, run_out: int) -> MacroOperator | None:
    """The sequence, extended by one operator, or None if that operator can never follow."""
    operator = task.moves[index]
    if isinstance(operator, PermutationOperator):
        return _join_permutation(task, composite, index, run_out)
    seen_through = operator.value ^ (composite.flip & operator.mask)
    if (composite.value ^ seen_through) & composite.mask & operator.mask:
        return None
    mask, value = composite.mask | operator.mask, composite.value | seen_through
    # the states from which the current sequence leads into a forbidden cube
    passed = {(m, v ^ (composite.flip & m)) for m, v in task.forbid}
    avoid: set[Cube] = set()
    for m, v in passed | composite.avoid:
        if (value ^ v) & mask & m:
            continue
        if m & ~mask == 0:
            return None
        avoid.add((m, v))
    return MacroOperator(
        (*composite.operators, index),
        mask,
        value,
        composite.flip ^ operator.flip,
        composite.layers,
        frozenset(avoid),
        composite.run_in,
        run_out,
    )


def _join_permutation(
    task: Task, run: MacroOperator, index: int, run_out: int
) -> MacroOperator | None:
    """A sequence of rotations of one ring, extended by one rotation. Such a sequence contains no other operators."""
    before, image = run.image, task.permutations[index - len(task.operators)].image
    back = inverse(before)
    passed = {(_seen_through(back, m), _seen_through(back, v)) for m, v in task.forbid}
    return MacroOperator(
        (*run.operators, index),
        0,
        0,
        0,
        run.layers,
        run.avoid | passed,
        run.run_in,
        run_out,
        tuple(image[to] for to in before),
    )


def _seen_through(back: Sequence[int], facts: int) -> int:
    """The facts that a permutation moves to any of these facts. `back` is the inverse of the permutation."""
    return sum(1 << back[fact] for fact in facts_in(facts))


def _dominates(one: MacroOperator, other: MacroOperator) -> bool:
    # A cube has no values outside its mask.
    return (
        one.mask & other.mask == one.mask
        and other.value & one.mask == one.value
        and one.avoid <= other.avoid
    )


def _add(group: list[MacroOperator], new: MacroOperator) -> bool:
    """Add a macro operator to a group unless a member of the group dominates it, and remove the members that it
    dominates. Returns whether the macro operator was added.
    """
    for known in group:
        if _dominates(known, new):
            return False
    group[:] = [known for known in group if not _dominates(new, known)]
    group.append(new)
    return True


class _Bounds:
    """Tests whether a cube agrees with the invariants: with the number of pieces of each group, with the limit of one
    piece per cell, and with the number of empty cells.
    """

    def __init__(self, task: Task) -> None:
        self.groups = [(sum(1 << f for f in g.facts), len(g.facts), g.count) for g in task.exactly]
        self.cells = [sum(1 << f for f in facts) for facts in task.at_most_one]
        empty = num_empty_cells(task.exactly, task.at_most_one)
        self.num_empty = len(self.cells) if empty is None else empty

    def next(self, task: Task, index: int) -> _Next:
        """The data of a move for a quick test. A move that fails the test cannot follow; for other moves, `_join`
        decides.
        """
        move = task.moves[index]
        if isinstance(move, PermutationOperator):
            return index, 0, 0
        without = move.mask & ~move.value
        for cell in self.cells:
            if move.value & cell:
                without |= cell & ~move.value
        return index, move.value, without

    def allow(self, composite: MacroOperator) -> bool:
        value, negative = composite.value, composite.mask & ~composite.value
        for mask, size, count in self.groups:
            if (value & mask).bit_count() > count:
                return False
            if (negative & mask).bit_count() > size - count:
                return False
        num_empty = 0
        for cell in self.cells:
            if (value & cell).bit_count() > 1:
                return False
            if cell & negative == cell:
                num_empty += 1
        return num_empty <= self.num_empty

"""Derives lower bounds, and facts that are necessary at each layer of a plan, from small abstractions.

A *projection* keeps a few facts or the empty cells (or both), and ignores all other facts. A projection has few states,
so these sets can be computed: for every t, the states that t moves can reach, and for every r, the states from which r
moves can reach the goal. A partial state that is impossible in a projection is impossible in the task. In tile puzzles,
for example, the empty cell alternates between the two colours of a chessboard, which refutes half of all horizons.

Sets of states are arrays bool[n] over the n states of an abstraction.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from math import comb, inf
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fewest.analysis.invariants import mutexes, num_empty_cells
from fewest.model.task import Group, facts_in, union
from fewest.planning.macros import MacroOperator
from fewest.planning.task import PlanningTask

MAX_STATES = 2_000
MAX_STATES_WITH_CELLS = 40_000
MAX_WORK = 20_000_000  # The limit on the number of states times the number of moves.
MAX_PAIRS = 200_000  # The limit on the number of pairs (state, move) in one NumPy operation.

States: TypeAlias = NDArray[np.bool_]
Words: TypeAlias = NDArray[np.uint64]


class TooManyStatesError(Exception):
    """Raised if a projection has more states than its limit."""


class LayeredRelaxation(ABC):
    """An abstraction of a task that computes which of its states are possible at each layer of a plan."""

    def __init__(self, start: States, goals: States) -> None:
        self._after, self._before = [start], [goals]
        self._within_after, self._within_before = [start], [goals]

    @abstractmethod
    def _forth(self, states: States) -> States:
        """The states that one move, with any free moves after it, can reach from the given states."""

    @abstractmethod
    def _back(self, states: States) -> States:
        """The states from which one move, with any free moves before it, can reach the given states."""

    def possible(self, layer: int, horizon: int | None, is_exact: bool) -> States:
        """The possible states of layer `layer` of a plan.

        `is_exact`: the plan has exactly `horizon` moves; otherwise it has at most `horizon` moves, with idle layers
        after the last move. If `horizon` is None, the goal is ignored.
        """
        while len(self._after) <= layer:
            self._after.append(self._forth(self._after[-1]))
            self._within_after.append(self._within_after[-1] | self._after[-1])
        allowed = (self._after if is_exact else self._within_after)[layer]
        if horizon is None:
            return allowed
        while len(self._before) <= horizon - layer:
            self._before.append(self._back(self._before[-1]))
            self._within_before.append(self._within_before[-1] | self._before[-1])
        return allowed & (self._before if is_exact else self._within_before)[horizon - layer]

    def is_excluded(self, horizon: int, is_exact: bool) -> bool:
        """Whether the abstraction proves that no plan has exactly `horizon` moves (if `is_exact` is false: at most
        `horizon` moves).
        """
        return not self.possible(0, horizon, is_exact).any()

    @property
    def is_unsolvable(self) -> bool:
        """Whether no sequence of moves of the abstraction leads to a goal state."""
        states = self._after[0]
        while True:
            longer = states | self._forth(states)
            if (longer == states).all():
                return not (states & self._before[0]).any()
            states = longer


class PieceCounter(LayeredRelaxation):
    """An abstraction that keeps only the number of pieces of a class, for tasks in which moves capture or create
    pieces.

    For example, in peg solitaire, every jump removes one piece, so only one horizon is possible.
    """

    def __init__(self, planning: PlanningTask, facts: int) -> None:
        self.changes = {
            (
                (move.flip & ~move.value & facts).bit_count()
                - (move.flip & move.value & facts).bit_count()
            )
            for move in planning.moves
        }
        limit = facts.bit_count()
        start, goals = np.zeros(limit + 1, np.bool_), np.zeros(limit + 1, np.bool_)
        start[(planning.initial & facts).bit_count()] = True
        for mask, value in planning.goal:
            least = (value & facts).bit_count()
            goals[least : limit - (mask & ~value & facts).bit_count() + 1] = True
        super().__init__(start, goals)

    def _forth(self, states: States) -> States:
        return self._changed(states, 1)

    def _back(self, states: States) -> States:
        return self._changed(states, -1)

    def _changed(self, states: States, sign: int) -> States:
        out = np.zeros_like(states)
        for change in self.changes:
            counts = np.flatnonzero(states) + sign * change
            out[counts[(counts >= 0) & (counts < len(out))]] = True
        return out


class _Edges(NamedTuple):
    """Edges between states: `source` and `target` are int64[n]."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]

    def forth(self, states: States) -> States:
        out = np.zeros_like(states)
        out[self.target[states[self.source]]] = True
        return out

    def reversed(self) -> _Edges:
        return _Edges(self.target, self.source)

    def closure(self, states: States) -> States:
        """These states, and all states that a path of any number of edges reaches from them."""
        while len(self.source):
            more = states | self.forth(states)
            if (more == states).all():
                break
            states = more
        return states


class Projection(LayeredRelaxation):
    """The projection onto some facts and, with `with_cells`, onto the set of empty cells.

    `rows` contains the states of the projection that can be reached from the start, as uint64[n, words]: one bit for
    each of `facts`, then one bit for each of `cells`, which is set if the cell is empty. Permutations must map
    `facts` to themselves, and cells to cells (`is_permuted`).
    """

    def __init__(
        self, planning: PlanningTask, facts: int, with_cells: bool, limit: float = inf
    ) -> None:
        """Explore the projection. Raises TooManyStatesError if more than `limit` states can be reached."""
        self._limit = limit
        self.facts = facts_in(facts)
        self.cells = list(range(len(planning.at_most_one))) if with_cells else []
        cells = [sum(1 << fact for fact in cell) for cell in planning.at_most_one]
        self._covering = cells if with_cells else []
        self._cell_bits = [(1 << n, c) for n, c in enumerate(self._covering, len(self.facts))]
        self._mutexes = mutexes(len(planning.facts), cells)
        self._runs = _runs(self.facts)
        self._num_words = (len(self.facts) + len(self.cells)) // 64 + 1
        self.rows, self._moves, self._free = self._explored(planning)
        start, goals = (np.zeros(len(self.rows), np.bool_) for _ in range(2))
        start[0] = True
        for mask, value in planning.goal:
            needed, bits = (self._words(side) for side in self._cube(mask, value))
            goals |= ((self.rows & needed) == bits).all(axis=1)
        super().__init__(self._free.closure(start), self._free.reversed().closure(goals))
        self._leading: list[States] = []

    def _forth(self, states: States) -> States:
        return self._free.closure(self._moves.forth(states))

    def _back(self, states: States) -> States:
        return self._free.reversed().closure(self._moves.reversed().forth(states))

    def bits_of_some_and_all(self, states: States) -> tuple[int, int]:
        """The bits that are set in some of these states, and the bits that are set in all of them."""
        rows = self.rows[states]
        some, every = np.bitwise_or.reduce(rows, axis=0), np.bitwise_and.reduce(rows, axis=0)
        return (
            int.from_bytes(some.astype("<u8").tobytes(), "little"),
            int.from_bytes(every.astype("<u8").tobytes(), "little"),
        )

    def far_apart(self, num_moves: int) -> NDArray[np.bool_]:
        """For each pair of facts f and g, as bool[facts, facts]: whether no path of at most `num_moves` moves leads
        from a state with f to a state with g.
        """
        having = self.bits()[: len(self.facts)]
        if not self._leading:
            closed = [self._free.closure(states) for states in having]
            self._leading.append(np.array(closed).reshape(having.shape))
        while len(self._leading) <= num_moves:
            before = self._leading[-1]
            self._leading.append(before | np.array([self._forth(states) for states in before]))
        return ~(self._leading[num_moves] @ having.T)

    def first_layers(self) -> NDArray[np.int64]:
        """The first layer in which each state is possible, as int64[n]."""
        out = np.full(len(self.rows), -1, np.int64)
        states, layer = self._after[0], 0
        while (states & (out < 0)).any():
            out[states & (out < 0)] = layer
            states, layer = self._forth(states), layer + 1
        return out

    def bits(self) -> NDArray[np.bool_]:
        """For each fact, the states that have it, and for each cell, the states in which it is empty, as bool[facts +
        cells, n].
        """
        bits = np.arange(len(self.facts) + len(self.cells), dtype=np.uint64)
        return (self.rows.T[bits // 64] >> (bits % 64)[:, np.newaxis] & 1).astype(np.bool_)

    def _explored(self, planning: PlanningTask) -> tuple[Words, _Edges, _Edges]:
        """All states (the start is first), the edges of moves, and the edges of free moves."""
        initial = planning.initial
        start = self._row(initial) | sum(bit for bit, c in self._cell_bits if not c & initial)
        rows = [self._words(start).reshape(1, -1)]
        number = {rows[0].tobytes(): 0}
        kinds = [(self._steps(m), self._permutations(m)) for m in (planning.moves, planning.free)]
        edges: list[list[_Edges]] = [[], []]
        first = 0
        for frontier in rows:
            if len(number) > self._limit:
                raise TooManyStatesError
            made = [self._made(frontier, *kind) for kind in kinds]
            reached = np.concatenate([targets for _, targets in made])
            keys = np.ascontiguousarray(reached).view(f"V{8 * self._num_words}").ravel()
            unique, where, inverse = np.unique(keys, return_index=True, return_inverse=True)
            known = len(number)
            ids = np.array([number.setdefault(key, len(number)) for key in unique.tolist()], int)
            new = ids >= known
            target = ids[inverse]
            split = len(made[0][0])
            edges[0].append(_Edges(made[0][0] + first, target[:split]))
            edges[1].append(_Edges(made[1][0] + first, target[split:]))
            first += len(frontier)
            if new.any():
                rows.append(reached[where[new]])
        moves, free = (_Edges(*map(np.concatenate, zip(*some, strict=True))) for some in edges)
        return np.concatenate(rows), moves, free

    def _made(
        self, rows: Words, steps: Words, permutations: list[tuple[list[Words], list[int]]]
    ) -> tuple[NDArray[np.int64], Words]:
        """For each row and each move that applies to it: the index of the row, and the next row."""
        sources, targets = [np.empty(0, np.int64)], [rows[:0]]
        # One NumPy operation processes many moves: most layers have few rows, so one operation for each move would take
        # longer.
        at_once = max(1, MAX_PAIRS // len(rows))
        for first in range(0, len(steps), at_once):
            mask, value, flip, clear, put = steps[first : first + at_once].swapaxes(0, 1)
            fits = ((rows & mask[:, np.newaxis]) == value[:, np.newaxis]).all(axis=2)
            step, source = np.nonzero(fits)
            sources.append(source)
            targets.append((rows[source] ^ flip[step]) & ~clear[step] | put[step])
        for (mask, value, flip), image in permutations:
            source = np.flatnonzero(((rows & mask) == value).all(axis=1))
            sources.append(source)
            targets.append(_permuted(rows[source] ^ flip, image))
        return np.concatenate(sources), np.concatenate(targets)

    def _steps(self, moves: Sequence[MacroOperator]) -> Words:
        """The moves without permutations in the projection, as uint64[n, 5, words]. The five rows are the bits that a
        move reads, their values, and the bits that it flips, clears and sets, in this order.
        """
        steps: set[tuple[int, ...]] = set()
        # A move that concerns no fact of the projection, nor a fact in the same cell as such a fact, changes nothing.
        near = union(1 << fact | self._mutexes[fact] for fact in self.facts)
        for move in moves:
            if move.image:
                continue
            if not self._covering and not (move.mask | move.flip) & near:
                steps.add((0, 0, 0, 0, 0))
                continue
            deleted, added = move.effect
            covered = sum(bit for bit, c in self._cell_bits if c & added)
            emptied = sum(bit for bit, c in self._cell_bits if c & deleted) & ~covered
            steps.add((*self._cube(move.mask, move.value), self._row(move.flip), covered, emptied))
        words = [[self._words(bits) for bits in step] for step in sorted(steps)]
        return np.array(words, np.uint64).reshape(len(steps), 5, self._num_words)

    def _permutations(self, moves: Sequence[MacroOperator]) -> list[tuple[list[Words], list[int]]]:
        """The permutations in the projection; for each, the bits that it reads, the values of these bits, the bits that
        it flips (only for facts that it does not move), and the target of each bit.
        """
        number = {fact: bit for bit, fact in enumerate(self.facts)}
        permutations: set[tuple[int, int, int, tuple[int, ...]]] = set()
        for move in moves:
            if not move.image:
                continue
            image = [number[_image(move, fact)] for fact in self.facts]
            for covering in self._covering:
                there = union(1 << _image(move, fact) for fact in facts_in(covering))
                image.append(len(self.facts) + self._covering.index(there))
            cube = self._cube(move.mask, move.value)
            permutations.add((*cube, self._row(move.flip), tuple(image)))
        return [
            ([self._words(bits) for bits in row[:3]], list(row[3])) for row in sorted(permutations)
        ]

    def _cube(self, mask: int, value: int) -> tuple[int, int]:
        """The bits of a cube, and their values. A true fact that covers a cell also makes the cell's other facts
        false.
        """
        negative = mask & ~value
        mask |= union(self._mutexes[fact] for fact in facts_in(value))
        empty = sum(bit for bit, c in self._cell_bits if not c & ~negative)
        covered = sum(bit for bit, c in self._cell_bits if c & value)
        return self._row(mask) | empty | covered, self._row(value) | empty

    def _row(self, facts: int) -> int:
        """The bits of these facts."""
        return sum((facts >> fact & ones) << bit for fact, ones, bit in self._runs)

    def _words(self, bits: int) -> Words:
        raw = bits.to_bytes(8 * self._num_words, "little")
        return np.frombuffer(raw, dtype="<u8").astype(np.uint64)


def _runs(facts: Sequence[int]) -> list[tuple[int, int, int]]:
    """For each maximal run of consecutive facts: its first fact, a bit set of as many ones as the run has facts, and
    the number of the bit of its first fact.
    """
    runs: list[tuple[int, int, int]] = []
    for bit, fact in enumerate(facts):
        if runs and runs[-1][0] + runs[-1][1].bit_length() == fact:
            first, ones, start = runs.pop()
            runs.append((first, 2 * ones + 1, start))
        else:
            runs.append((fact, 1, bit))
    return runs


def _permuted(rows: Words, image: list[int]) -> Words:
    """The rows after applying a permutation that moves bit b to bit `image[b]`."""
    out = np.zeros_like(rows)
    for bit, to in enumerate(image):
        found = rows[:, bit // 64] >> np.uint64(bit % 64) & np.uint64(1)
        out[:, to // 64] |= found << np.uint64(to % 64)
    return out


def _image(move: MacroOperator, fact: int) -> int:
    """The fact to which a permutation moves a fact."""
    return move.image[fact] if fact < len(move.image) else fact


def is_permuted(planning: PlanningTask, sets: Sequence[int]) -> bool:
    """Whether every permutation maps each of these sets of facts to one of these sets."""
    return all(
        union(1 << _image(move, fact) for fact in facts_in(facts)) in sets
        for move in (*planning.moves, *planning.free)
        if move.image
        for facts in sets
    )


def projections(planning: PlanningTask) -> list[Projection]:
    """Projections within the limits. There are no projections if moves have consequences.

    If the number of empty cells is fixed and positive, and permutations map cells to cells, there are projections onto
    the empty cells. Each of these keeps, in addition, either no piece or a bundle of pieces that are the only ones of
    their classes. Otherwise, if there are permutations, there are projections onto such bundles alone. There is also a
    projection onto each of the other groups of facts, unless permutations move its facts out of the group.
    """
    num_empty = num_empty_cells(planning.exactly, planning.at_most_one)
    most = MAX_WORK // max(len(planning.moves) + len(planning.free), 1)
    out: list[Projection] = []
    if planning.rounds:
        return []
    left = [
        group for group in planning.exactly if is_permuted(planning, [facts_of_groups([group])])
    ]
    if num_empty and is_permuted(
        planning, [facts_of_groups([Group(c, 1)]) for c in planning.at_most_one]
    ):
        size = comb(len(planning.at_most_one), num_empty)
        for bundle in _bundles(left, min(MAX_STATES_WITH_CELLS, most) // size):
            out.append(Projection(planning, facts_of_groups(bundle), with_cells=True))
            left = [group for group in left if group not in bundle]
        if not out and size <= min(MAX_STATES, most):
            out.append(Projection(planning, 0, with_cells=True))
    elif any(move.image for move in planning.moves):
        for bundle in _bundles(left, min(MAX_STATES_WITH_CELLS, most)):
            out.append(Projection(planning, facts_of_groups(bundle), with_cells=False))
            left = [group for group in left if group not in bundle]
    for group in left:
        if comb(len(group.facts), group.count) <= min(MAX_STATES, most):
            out.append(Projection(planning, facts_of_groups([group]), with_cells=False))
    return out


def facts_of_groups(groups: Sequence[Group]) -> int:
    return union(1 << fact for group in groups for fact in group.facts)


def _bundles(groups: Sequence[Group], limit: int) -> Iterator[list[Group]]:
    """Bundles of groups that have a single piece, in the order of the groups. Each bundle is as large as two limits
    allow: its pieces have at most `limit` combinations of places, and it contains at most half of all groups. A
    projection onto more groups could be the task itself.
    """
    bundle: list[Group] = []
    size = 1
    for group in groups:
        if group.count != 1 or len(group.facts) > limit:
            continue
        if size * len(group.facts) > limit or len(bundle) == len(groups) // 2:
            if bundle:
                yield bundle
            bundle, size = [], 1
        bundle.append(group)
        size *= len(group.facts)
    if bundle and len(groups) > 1:
        yield bundle


def censuses(planning: PlanningTask) -> list[PieceCounter]:
    """A counter for each class of pieces that moves capture or create. A class has no counter if free moves change it,
    or if permutations move its facts out of it. There are no counters if moves have consequences.
    """
    if planning.rounds:
        return []
    steady = {fact for group in planning.exactly for fact in group.facts}
    classes: dict[int, int] = {}
    for number, fact in enumerate(planning.task.facts):
        if number not in steady and fact.class_id >= 0:
            classes[fact.class_id] = classes.get(fact.class_id, 0) | 1 << number
    changed = union(move.flip for move in planning.free)
    return [
        PieceCounter(planning, facts)
        for facts in classes.values()
        if not facts & changed and is_permuted(planning, [facts])
    ]

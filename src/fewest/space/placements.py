"""Lists all placements of pieces on a board, as states of a task."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from fewest.space.state_graph import States, Watch, never_stop

MOST_CELLS = 64  # the maximum number of cells of a board: one word has a bit for each cell


class TooManyLimitsError(Exception):
    """Raised if the numbers that the limits bound do not fit into one word."""


class PlacedFact(Struct, frozen=True):
    """A fact about the place of a piece: the cells under the piece (as a mask), its class, and the line along which it
    moves.

    `line` is the number of this line, or -1 if the piece does not move along a single line.
    """

    fact: int
    cells: int
    class_id: int
    line: int = -1


class PlacementRules(Struct, frozen=True):
    """The minimum and maximum number of pieces of each class, and the maximum number of occupied cells in each line. If
    a line has no limit, all of its cells may be occupied.
    """

    least: dict[int, int]
    most: dict[int, int]
    capacity: dict[int, int]


CHUNK = 1 << 17
"""The number of rows in one step; with this number, temporary arrays stay in the cache, and the allocator reuses their
memory.
"""


class _Rows:
    """Partial placements: the occupied cells, the states, and the packed counters of pieces by class and of cells by
    line.

    The arrays grow at their ends; new arrays would cause page faults, which would take most of the time.
    """

    def __init__(self, words: int) -> None:
        self.length = 1
        self.taken = np.zeros(CHUNK, dtype=np.uint64)
        self.states = np.zeros((CHUNK, words), dtype=np.uint64)
        self.pieces = np.zeros(CHUNK, dtype=np.uint64)
        self.lines = np.zeros(CHUNK, dtype=np.uint64)

    @property
    def num_bytes(self) -> int:
        return self.states.nbytes + 3 * self.taken.nbytes

    def append(self, rows: np.ndarray) -> slice:
        """Append copies of these rows, and return the slice of the copies."""
        place = slice(self.length, self.length + len(rows))
        for name in ("taken", "states", "pieces", "lines"):
            column = getattr(self, name)
            if place.stop > len(column):
                column = np.empty((2 * place.stop, *column.shape[1:]), dtype=np.uint64)
                column[: self.length] = getattr(self, name)[: self.length]
                setattr(self, name, column)
            column[place] = column[rows]
        self.length = place.stop
        return place

    def restrict(self, rows: np.ndarray) -> None:
        """Delete all rows except these. `rows` must be ascending."""
        for column in (self.taken, self.states, self.pieces, self.lines):
            column[: len(rows)] = column[rows]
        self.length = len(rows)


def all_placements(
    facts: Sequence[PlacedFact],
    words: int,
    num_cells: int,
    rules: PlacementRules,
    watch: Watch = never_stop,
) -> States:
    """Every state in which no two facts share a cell, within the limits of `rules`: `uint64[n, words]`.

    The cells are processed in order. A piece may begin at each free cell. Time and memory are proportional to the size
    of the result. Raises ValueError for boards of more than 64 cells, TooManyLimitsError, and the exceptions of
    `watch`.
    """
    if num_cells > MOST_CELLS:
        raise ValueError(f"a board can have at most {MOST_CELLS} cells")
    classes = _Counters(_limits_of_classes(facts, num_cells, rules), "pieces")
    used = {placed.line for placed in facts}
    lines = _Counters(
        {line: most for line, most in rules.capacity.items() if line in used}, "lines"
    )
    beginning: list[list[PlacedFact]] = [[] for _ in range(num_cells)]
    for placed in facts:
        beginning[(placed.cells & -placed.cells).bit_length() - 1].append(placed)
    # for each cell, the classes that have no facts at later cells
    complete: list[list[int]] = [[] for _ in range(num_cells)]
    for class_id, least in rules.least.items():
        cells = [cell for cell in range(num_cells) if _begins(beginning[cell], class_id)]
        if least:
            complete[max(cells, default=num_cells - 1)].append(class_id)
    rows = _Rows(words)
    for cell, options in enumerate(beginning):
        free = [
            begin + np.flatnonzero(rows.taken[begin:end] & np.uint64(1 << cell) == 0)
            for begin, end in _chunks(rows.length)
        ]
        for placed in options:
            mask, size = np.uint64(placed.cells), placed.cells.bit_count()
            for is_free in free:
                fits = is_free[rows.taken[is_free] & mask == 0]
                fits = fits[classes.has_room(rows.pieces[fits], placed.class_id, 1)]
                fits = fits[lines.has_room(rows.lines[fits], placed.line, size)]
                new = rows.append(fits)
                rows.taken[new] |= mask
                rows.states[new, placed.fact // 64] |= np.uint64(1 << placed.fact % 64)
                rows.pieces[new] = classes.added(rows.pieces[new], placed.class_id, 1)
                rows.lines[new] = lines.added(rows.lines[new], placed.line, size)
        for class_id in complete[cell]:
            values = classes.value(rows.pieces[: rows.length], class_id)
            rows.restrict(np.flatnonzero(values >= np.uint64(rules.least[class_id])))
        watch(rows.length, rows.num_bytes)
    return rows.states[: rows.length]


def _limits_of_classes(
    facts: Sequence[PlacedFact], num_cells: int, rules: PlacementRules
) -> dict[int, int]:
    """The maximum number of pieces of each class that needs a counter. A class needs none if it has no minimum and its
    maximum allows as many pieces as there is room for.
    """
    room = {
        placed.class_id: min(
            sum(other.class_id == placed.class_id for other in facts),
            num_cells // placed.cells.bit_count(),
        )
        for placed in facts
    }
    return {
        class_id: most
        for class_id, most in rules.most.items()
        if rules.least.get(class_id, 0) > 0 or most < room.get(class_id, 0)
    }


def _chunks(length: int) -> list[tuple[int, int]]:
    return [(begin, min(begin + CHUNK, length)) for begin in range(0, length, CHUNK)]


def _begins(options: Sequence[PlacedFact], class_id: int) -> bool:
    return any(placed.class_id == class_id for placed in options)


class _Counters:
    """Small counters that are packed into one word; the methods apply to whole arrays of such words. `most` contains
    the limit of each counter.
    """

    def __init__(self, most: dict[int, int], what: str) -> None:
        self.most = most
        self.shift: dict[int, int] = {}
        self.width: dict[int, int] = {}
        at = 0
        for name in most:
            self.shift[name] = at
            self.width[name] = (most[name] + 1).bit_length()
            at += self.width[name]
        if at > 64:
            raise TooManyLimitsError(
                f"the limits on {what} need {at} bits, and a search has 64 bits for them"
            )

    def value(self, words: States, name: int) -> States:
        """The value of the counter `name` in each word."""
        mask = np.uint64((1 << self.width[name]) - 1)
        return words >> np.uint64(self.shift[name]) & mask

    def has_room(self, words: States, name: int, more: int) -> np.ndarray:
        """For each word, whether a counter can grow by `more`. A name that has no counter has no limit."""
        if name not in self.shift:
            return np.ones(len(words), dtype=np.bool_)
        return self.value(words, name) + np.uint64(more) <= np.uint64(self.most[name])

    def added(self, words: States, name: int, more: int) -> States:
        """The words with a counter increased by `more`."""
        if name not in self.shift:
            return words
        return words + np.uint64(more << self.shift[name])

"""Finds the hardest sliding-block puzzles on 4×4 cells for each number of pieces, as in the table of N. Bickford.

Pieces may have any shape, and pieces of the same shape are interchangeable. One piece covers the upper left cell, and
the goal is to move it to the lower right cell. A move takes one piece along any path. The table is in "Sliding Block
Puzzles, Part 3" (nbickford.wordpress.com, 2012).

Usage: python -m bench.sliding 15 14 13 [-o FOLDER]

For each number of pieces, the script generates all ways to partition some of the cells into that many connected pieces.
It searches backward from all partitions that have a piece on the lower right cell. With -o, it writes one of the
hardest boards of each row as a puzzle, lets `fewest` solve this puzzle again, and writes a certificate of its minimum.

A state is a number. It consists of three sets of cells, of 16 bits each, and of the first cell of
the piece that goes to the lower right cell. The sets contain the covered cells, the cells that
share a piece with the next cell of the row, and the cells that share a piece with the cell below. A
state and its image under the reflection that exchanges rows and columns count once.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import fewest

Words = NDArray[np.uint64]
SIZE = 4
CELLS = SIZE * SIZE
BLOCK = 1 << 15
_LOW = np.uint64(0xFFFF)
_COLUMNS = [sum(1 << row * SIZE + column for row in range(SIZE)) for column in range(SIZE)]
_ROWS = [sum(1 << row * SIZE + column for column in range(SIZE)) for row in range(SIZE)]
_REFLECTED = np.array(
    [
        sum(1 << cell % SIZE * SIZE + cell // SIZE for cell in range(CELLS) if mask >> cell & 1)
        for mask in range(1 << CELLS)
    ],
    dtype=np.uint64,
)
# For each direction, by how much a cell's number changes, and the cells from which a piece cannot move in this
# direction.
_DIRECTIONS = ((1, _COLUMNS[-1]), (-1, _COLUMNS[0]), (SIZE, _ROWS[-1]), (-SIZE, _ROWS[0]))


def word(number: int) -> np.uint64:
    """A constant that can be combined with arrays of words."""
    return np.uint64(number)


def shifted(words: Words, by: int) -> Words:
    """The words, with their bits shifted up, or down if `by` is negative."""
    return words << word(by) if by >= 0 else words >> word(-by)


def connected() -> list[list[int]]:
    """All connected sets of cells, grouped by their first cell."""
    found: set[int] = {1 << cell for cell in range(CELLS)}
    new = set(found)
    while new:
        grown: set[int] = set()
        for mask in new:
            near = (
                (mask & ~_COLUMNS[-1]) << 1
                | (mask & ~_COLUMNS[0]) >> 1
                | mask << SIZE
                | mask >> SIZE
            )
            near &= ~mask & (1 << CELLS) - 1
            while near:
                grown.add(mask | near & -near)
                near &= near - 1
        new = grown - found
        found |= new
    by_first: list[list[int]] = [[] for _ in range(CELLS)]
    for mask in sorted(found):
        by_first[(mask & -mask).bit_length() - 1].append(mask)
    return by_first


def cuts(pieces: int) -> Words:
    """All ways to partition some of the cells into this number of connected pieces."""
    options = connected()
    states = np.zeros(1, dtype=np.uint64)
    numbers = np.zeros(1, dtype=np.int8)
    for cell in range(CELLS):
        rows, counts = [states], [numbers]
        free = np.flatnonzero((states >> word(cell) & word(1) == 0) & (numbers < pieces))
        covered = states[free] & _LOW
        for mask in options[cell]:
            fits = free[covered & word(mask) == 0]
            if not len(fits):
                continue
            across = mask & mask >> 1 & ~_COLUMNS[-1]
            down = mask & mask >> SIZE
            rows.append(states[fits] | word(mask | across << CELLS | down << 2 * CELLS))
            counts.append(numbers[fits] + np.int8(1))
        states, numbers = np.concatenate(rows), np.concatenate(counts)
        # Each further piece needs a free cell after this cell.
        after = states & word((1 << CELLS) - (2 << cell))
        room = CELLS - 1 - cell - _num_bits(after)
        has_room = numbers + room >= pieces
        states, numbers = states[has_room], numbers[has_room]
    return states[numbers == pieces]


def _num_bits(masks: Words) -> NDArray[np.int64]:
    return _BITS[(masks & _LOW).astype(np.int64)]


_BITS = np.array([bin(mask).count("1") for mask in range(1 << CELLS)], dtype=np.int64)


def piece_at(states: Words, cells: Words) -> Words:
    """The cells of the piece that covers a cell, for each state."""
    across, down = states >> word(CELLS) & _LOW, states >> word(2 * CELLS) & _LOW
    piece = word(1) << cells
    while True:
        grown = piece | (piece & across) << word(1) | piece >> word(1) & across
        grown |= (grown & down) << word(SIZE) | grown >> word(SIZE) & down
        if (grown == piece).all():
            return piece
        piece = grown


def goals(states: Words) -> Words:
    """The states in which a piece on the lower right cell could also cover the upper left cell: the upper left cell of
    the box around the piece belongs to the piece.
    """
    found = []
    for first in range(CELLS):
        here = states[states >> word(first) & word(1) != 0]
        piece = piece_at(here, np.full(len(here), first, dtype=np.uint64))
        is_first = piece & word((1 << first) - 1) == 0
        left = sum(_COLUMNS[: first % SIZE])
        covers = piece & word(1 << CELLS - 1) != 0
        chosen = is_first & covers & (piece & word(left) == 0)
        found.append(here[chosen] | word(first << 3 * CELLS))
    return reflected_once(np.concatenate(found))


def reflected_once(states: Words) -> Words:
    """One state from each pair of a state and its reflection, sorted."""
    covered, across, down = (
        _REFLECTED[(states >> word(shift * CELLS) & _LOW).astype(np.int64)] for shift in (0, 2, 1)
    )
    first = states >> word(3 * CELLS)
    first = first % word(SIZE) * word(SIZE) + first // word(SIZE)
    image = covered | across << word(CELLS) | down << word(2 * CELLS) | first << word(3 * CELLS)
    return np.unique(np.minimum(states, image))


def steps(states: Words, cells: Words) -> Iterator[tuple[Words, Words]]:
    """The states after the piece that begins at a cell makes one step, and the cell where the piece begins
    afterwards.
    """
    piece = piece_at(states, cells)
    others = states & _LOW & ~piece
    parts = [states >> word(shift * CELLS) & _LOW for shift in (1, 2)]
    goes = states >> word(3 * CELLS)
    for by, edge in _DIRECTIONS:
        target = shifted(piece, by) & _LOW
        can = np.flatnonzero((piece & word(edge) == 0) & (target & others == 0))
        moved = others[can] | target[can]
        for shift, part in enumerate(parts, 1):
            links = part[can]
            links = links & ~piece[can] | shifted(links & piece[can], by)
            moved |= links << word(shift * CELLS)
        begins = (cells[can].astype(np.int64) + by).astype(np.uint64)
        first = np.where(goes[can] == cells[can], begins, goes[can])
        yield moved | first << word(3 * CELLS), begins


def after_one_move(states: Words) -> Words:
    """All states after one move, in which one piece follows any path."""
    found = []
    for cell in range(CELLS):
        here = states[states >> word(cell) & word(1) != 0]
        cells = np.full(len(here), cell, dtype=np.uint64)
        is_first = piece_at(here, cells) & word((1 << cell) - 1) == 0
        # The state, and the cell where the moving piece begins.
        front = here[is_first] | word(cell << 52)
        known = front = np.sort(front)
        while len(front):
            state, begins = front & word((1 << 52) - 1), front >> word(52)
            new = [moved | there << word(52) for moved, there in steps(state, begins)]
            front = np.unique(np.concatenate(new))
            front = front[~_is_in(front, known)]
            known = np.union1d(known, front)
            found.append(front & word((1 << 52) - 1))
    return reflected_once(np.concatenate(found)) if found else states[:0]


def _is_in(words: Words, known: Words) -> NDArray[np.bool_]:
    """A mask of the words that are among the sorted words `known`."""
    if not len(known):
        return np.zeros(len(words), dtype=np.bool_)
    places = np.searchsorted(known, words)
    places[places == len(known)] = 0
    return np.asarray(known[places] == words)


def layers(layer: Words) -> Iterator[Words]:
    """The states from which 0, 1, 2 … moves lead to a state of `layer`.

    Moves can be undone, so a move leads to the previous layer, the same layer or the next one.
    """
    before = layer[:0]
    while len(layer):
        yield layer
        parts = [after_one_move(layer[at : at + BLOCK]) for at in range(0, len(layer), BLOCK)]
        following = np.unique(np.concatenate(parts))
        following = following[~(_is_in(following, layer) | _is_in(following, before))]
        before, layer = layer, following


def row(pieces: int) -> tuple[int, int, int, Words]:
    """The record for a number of pieces, the total numbers of partitions and of states, and the hardest starts."""
    all_cuts = cuts(pieces)
    record, num_states, hardest = 0, 0, all_cuts[:0]
    for distance, layer in enumerate(layers(goals(all_cuts))):
        num_states += len(layer)
        starts = layer[layer >> word(3 * CELLS) == 0]
        if len(starts):
            record, hardest = distance, starts
    return record, len(all_cuts), num_states, hardest


def document(state: int, pieces: int, minimum: int) -> str:
    """A state, converted to a puzzle."""
    state_word = np.array([state], dtype=np.uint64)
    marks = ["."] * CELLS
    letters = iter("ABCDEFGHIJKLMNOPQRSTUVW")
    goal: list[int] = []
    for cell in range(CELLS):
        if state >> cell & 1 and marks[cell] == ".":
            mask = int(piece_at(state_word, np.array([cell], dtype=np.uint64))[0])
            letter = next(letters)
            inside = [other for other in range(CELLS) if mask >> other & 1]
            if cell == state >> 3 * CELLS:
                letter = "X"
                for line in ([at // SIZE for at in inside], [at % SIZE for at in inside]):
                    goal.append(SIZE - 1 - (max(line) - min(line)))
            for other in inside:
                marks[other] = letter
    board = "\n".join("  " + "".join(marks[at : at + SIZE]) for at in range(0, CELLS, SIZE))
    return (
        f"puzzle: sliding-4x4-{pieces}\nmodel: sliding-blocks\nboard: |\n{board}\n"
        f"goal: {{X: {{at: {goal}}}}}\nmetric: turns\n"
        f"expect: {{turns: {{value: {minimum}, source: 'computed: python -m bench.sliding {pieces}'}}}}\n"
    )


def main(arguments: Sequence[str]) -> None:
    """Print a line for each number of pieces."""
    parser = argparse.ArgumentParser(prog="python -m bench.sliding", description=__doc__)
    parser.add_argument("pieces", type=int, nargs="+")
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args(arguments)
    for pieces in options.pieces:
        began = time.process_time()
        record, num_cuts, num_states, hardest = row(pieces)
        spent = time.process_time() - began
        said = f"{pieces:2} pieces: {record:3} moves, {num_cuts:,} cuts, {num_states:,} states"
        print(f"{said}, {spent:.1f} s", flush=True)
        if options.output is not None and len(hardest):
            options.output.mkdir(parents=True, exist_ok=True)
            text = document(int(hardest[0]), pieces, record)
            puzzle = fewest.load(f"sliding-4x4-{pieces}.yaml", text=text)
            result = puzzle.solve("turns")
            assert result.cost == record, f"fewest finds {result.cost}"
            (options.output / f"sliding-4x4-{pieces}.yaml").write_text(text, encoding="utf-8")
            puzzle.prove(options.output / f"sliding-4x4-{pieces}.proof", "turns", result=result)


if __name__ == "__main__":
    main(sys.argv[1:])

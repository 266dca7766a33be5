"""Stretches: a word of a pattern with `...` stands for any number of consecutive places, including zero.

A pattern with stretches becomes several forms: one for each combination of lengths of the stretches, with the words
repeated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import gcd, lcm

from fewest.model.board import Board, Offset
from fewest.reading.context import Context, Path
from fewest.reading.document import STRETCH

MAX_STRETCHES = 2  # the maximum number of stretches in one pattern

Written = tuple[str, Path]  # an element as text, and its path in the document


def is_stretch(text: str) -> bool:
    """Whether an element stands for any number of places."""
    return text.rstrip().endswith(STRETCH)


def count_stretches(
    context: Context, path: Path, before: Iterable[str], after: Iterable[str]
) -> int | None:
    """The number of stretches of a pattern; None after reporting that its sides do not match."""
    numbers = [sum(map(is_stretch, side)) for side in (before, after)]
    if numbers[0] != numbers[1]:
        context.error(
            (*path, "after"),
            "pattern-length",
            "`before` and `after` must have the same number of stretches, which must match in length",
            expected=f"{numbers[0]} with `...`",
            found=str(numbers[1]),
            hint="write `_...` in `after` to leave a stretch unchanged",
        )
        return None
    if numbers[0] > MAX_STRETCHES:
        context.error(
            (*path, "before"),
            "pattern-length",
            f"this pattern has {numbers[0]} stretches; the limit is {MAX_STRETCHES}",
        )
        return None
    return numbers[0]


def lengths(number: int, longest: int) -> Iterator[tuple[int, ...]]:
    """All combinations of lengths for `number` stretches with a sum of at most `longest`; combinations with smaller
    sums come first.
    """
    found = (each for each in product(range(longest + 1), repeat=number) if sum(each) <= longest)
    return iter(sorted(found, key=lambda each: (sum(each), each)))


def written_out(side: Sequence[Written], each: Sequence[int]) -> list[Written]:
    """The elements of a side; each stretch is expanded to its length in `each`."""
    left = iter(each)
    out: list[Written] = []
    for text, path in side:
        bare = text.rstrip()
        if is_stretch(text):
            out += [(bare.removesuffix(STRETCH), path)] * next(left)
        else:
            out.append((text, path))
    return out


def longest_line(board: Board, offset: Offset) -> int:
    """The number of different cells on the longest line of the board."""
    if board.exits:
        return max((len(_line(board, offset, cell)) for cell in board.floors), default=0)
    down, right = offset
    ends = []
    if down and not board.wraps_columns:
        ends.append(-(-board.rows // abs(down)))
    if right and not board.wraps_rows:
        ends.append(-(-board.columns // abs(right)))
    if ends:
        return min(ends)
    return lcm(board.rows // gcd(board.rows, down), board.columns // gcd(board.columns, right))


def _line(board: Board, offset: Offset, cell: int) -> set[int]:
    """The cells of the line that starts at a cell."""
    found: set[int] = set()
    here: int | None = cell
    while here is not None and here not in found:
        found.add(here)
        here = board.step(here, offset)
    return found

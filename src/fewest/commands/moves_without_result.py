"""Finds out which moves of a small puzzle are not allowed because of their consequences, by playing all positions."""

from __future__ import annotations

import time

from msgspec import Struct

from fewest.errors import Diagnostic
from fewest.model.position import start
from fewest.model.puzzle import Puzzle
from fewest.playing.rules import legal_moves, moves_without_result

MOST_POSITIONS = 2_000
MOST_SECONDS = 0.5

Location = tuple[str | None, int | None, int | None]
"""The file, the line and the column of an expression."""


class MovesWithoutResult(Struct, frozen=True):
    """The rules that have moves with endless consequences, and the locations of the expressions without a value."""

    endless: frozenset[str]
    undefined: frozenset[Location]


def location_of(diagnostic: Diagnostic) -> Location:
    """The location of an expression without a value."""
    return diagnostic.file, diagnostic.line, diagnostic.column


def find_moves_without_result(puzzle: Puzzle) -> MovesWithoutResult | None:
    """The moves without a result in all positions that can be reached; None if there are more than MOST_POSITIONS
    positions, or if playing them takes more than MOST_SECONDS of CPU time.
    """
    endless: set[str] = set()
    undefined: set[Location] = set()
    first = start(puzzle)
    reached, waiting = {first}, [first]
    ends = time.process_time() + MOST_SECONDS
    for position in waiting:  # the loop appends to the list over which it iterates
        if len(reached) > MOST_POSITIONS or time.process_time() > ends:
            return None
        for move, error in moves_without_result(position):
            if error is None:
                endless.add(move.rule)
            else:
                undefined.update(map(location_of, error.diagnostics))
        for move in legal_moves(position):
            if move.target not in reached:
                reached.add(move.target)
                waiting.append(move.target)
    return MovesWithoutResult(frozenset(endless), frozenset(undefined))

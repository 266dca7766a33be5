"""Finds the rules that apply in no reachable position, by playing all positions of a small puzzle."""

from __future__ import annotations

import time
from collections.abc import Collection

from msgspec import Struct

from fewest.model.position import start
from fewest.model.puzzle import Puzzle
from fewest.playing.rules import legal_moves


class UnusedRules(Struct, frozen=True):
    """The names of the unused rules, and the number of all reachable positions."""

    names: tuple[str, ...]
    positions: int


def unused_rules(
    puzzle: Puzzle, names: Collection[str], positions: int, seconds: float
) -> UnusedRules | None:
    """The rules among `names` that never apply; None if all apply, or if this could not be decided.

    The search ends as soon as each rule has applied, after more than `positions` positions, or after `seconds` of
    CPU time.
    """
    left = dict.fromkeys(names)
    reached = {first := start(puzzle)}
    waiting = [first]
    ends = time.process_time() + seconds
    for position in waiting:  # the loop appends to this list
        if not left or len(reached) > positions or time.process_time() > ends:
            return None
        for move in legal_moves(position):
            for rule in (move.rule, *move.then):
                left.pop(rule, None)
            if move.target not in reached:
                reached.add(move.target)
                waiting.append(move.target)
    return UnusedRules(tuple(left), len(reached)) if left else None

"""Finds the rules that apply in no reachable position, and the conditions under `forbid` that exclude no position, by
playing all positions of a small puzzle.
"""

from __future__ import annotations

import time
from collections.abc import Collection

from msgspec import Struct, structs

from fewest.model.position import start
from fewest.model.puzzle import Puzzle
from fewest.playing.conditions import holds
from fewest.playing.rules import legal_moves


class Unused(Struct, frozen=True):
    """The names of the unused rules, the indices of the conditions of `forbid` that never hold, and the number of
    reachable positions.
    """

    rules: tuple[str, ...]
    conditions: tuple[int, ...]
    positions: int


def unused_parts(
    puzzle: Puzzle,
    rules: Collection[str],
    conditions: Collection[int],
    positions: int,
    seconds: float,
) -> Unused | None:
    """The rules among `rules` that never apply, and those of the `conditions` of `forbid` that hold neither at the
    start nor after a move from a reachable position.

    The result is None if there are no such rules and conditions, or if the search could not decide. The search ends as
    soon as each rule has applied and each condition has held, after more than `positions` positions, or after `seconds`
    of CPU time.
    """
    left = dict.fromkeys(rules)
    never = dict.fromkeys(conditions)
    forbidden = list(enumerate(puzzle.forbid))
    # without `forbid`, moves can also lead to forbidden positions
    first = start(structs.replace(puzzle, forbid=()))
    for number, condition in forbidden:
        if holds(condition, first):
            never.pop(number, None)
    reached = {first}
    waiting = [first]
    ends = time.process_time() + seconds
    for position in waiting:  # the loop appends to the list over which it iterates
        is_over = len(reached) > positions or time.process_time() > ends
        if is_over or not (left or never):
            return None
        for move in legal_moves(position):
            held = [number for number, condition in forbidden if holds(condition, move.target)]
            for number in held:
                never.pop(number, None)
            if held:
                continue
            for rule in (move.rule, *move.then):
                left.pop(rule, None)
            if move.target not in reached:
                reached.add(move.target)
                waiting.append(move.target)
    return Unused(tuple(left), tuple(never), len(reached)) if left or never else None

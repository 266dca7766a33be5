"""A puzzle that is no longer used leaves no data in memory."""

from __future__ import annotations

import gc
from weakref import ref

import fewest
from fewest.playing.rules import legal_moves


def test_the_sites_of_a_pattern_do_not_keep_its_rule_alive() -> None:
    puzzle = fewest.load("triangle-10")
    assert list(legal_moves(puzzle.start))
    rules = [ref(rule) for rule in puzzle.puzzle.rules]
    del puzzle
    gc.collect()
    assert [rule() for rule in rules] == [None] * len(rules)

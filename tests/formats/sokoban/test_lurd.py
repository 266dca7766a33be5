"""Plans of puzzles with consequences, written as letters."""

from __future__ import annotations

import fewest
from fewest.formats.sokoban.lurd import lurd, verify


def test_only_pieces_that_the_agent_moves_or_takes_are_pushed() -> None:
    rules = """
puzzle: coins
legend: {".": floor, "@": walker, c: coin}
pieces: {walker: {}, coin: {}}
variables: {time: {values: [0, 1], initial: 0}}
moves:
  go: {for: {what: [KINDS]}, before: [walker, "{what}"], after: [empty, walker]}
then:
  tick: {set: {time: 1 - time}, once: true}
goal: {count: {coin: 0}}
board: "@.c"
"""
    for kinds in ("empty, coin", "coin, empty"):
        compiled = fewest.load("coins.yaml", text=rules.replace("KINDS", kinds))
        plan = compiled.solve().plan
        assert plan is not None and lurd(plan) == "rR"
        assert verify(compiled.puzzle, "rR").pushes == 1

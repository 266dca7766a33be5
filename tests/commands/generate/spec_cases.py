"""Specs for the tests of the search of all boards."""

from __future__ import annotations

from typing import Any

from fewest.commands.generate import Generation, generate
from fewest.reading.board_spec import load_board_spec

JAMS = """
puzzle: jams
model: rush-hour
board: |
BOARD
stuck_lines: false
fill:
  X: {shape: "##", number: 1, rows: [EXIT]}
  A: {shape: "##", rows: OTHERS}
  B: {shape: "###", rows: OTHERS}
  C: {shape: "#\\n#"}
  D: {shape: "#\\n#\\n#"}
"""
SLIDING = """
puzzle: pairs
model: sliding-blocks
board: |
  ...
  ..#
goal: {X: {at: [0, 1]}}
fill:
  X: {shape: "#", number: 1}
  A: {shape: "##", number: [0, 1]}
  B: {shape: "#", number: [1, 2]}
"""
ROOM = """
puzzle: room
model: sokoban
board: |
  #####
  #. .#
  #   #
  ##  #
  #####
fill:
  "@": {shape: "#", number: 1}
  "$": {shape: "#", number: 2}
"""


def jams(size: int, exit_row: int) -> str:
    board = "\n".join("  " + "." * size for _ in range(size))
    others = [row for row in range(size) if row != exit_row]
    text = JAMS.replace("BOARD", board).replace("EXIT", str(exit_row))
    return text.replace("OTHERS", str(others))


def generated(text: str, *metrics: str) -> Generation:
    return generate(load_board_spec("spec.yaml", text=text), metrics)


def timeless(found: Generation) -> dict[str, Any]:
    return {key: value for key, value in found.to_json().items() if "seconds" not in key}

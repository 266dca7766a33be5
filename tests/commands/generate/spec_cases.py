"""Specs for the tests of the search of all boards."""

from __future__ import annotations

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


def jams(size: int, exit_row: int) -> str:
    board = "\n".join("  " + "." * size for _ in range(size))
    others = [row for row in range(size) if row != exit_row]
    text = JAMS.replace("BOARD", board).replace("EXIT", str(exit_row))
    return text.replace("OTHERS", str(others))


def generated(text: str, *metrics: str) -> Generation:
    return generate(load_board_spec("spec.yaml", text=text), metrics)

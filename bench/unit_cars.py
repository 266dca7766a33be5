"""Finds the hardest boards with one-cell cars and a single empty cell: `python -m bench.unit_cars SIZE [-o FOLDER]`.

Each car moves either along its row or along its column. The car X moves along its row, and must reach the left edge.
The script searches all such boards: for every row of X (up to symmetry), it tries every number of cars that move along
rows. With `-o`, it writes the hardest boards as documents with certificates.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from fewest.commands.generate.documents import write_documents
from fewest.commands.generate.drawing import drawing_of
from fewest.commands.generate.indexed import (
    IndexedGeneration,
    generate_in_index,
    named_boards,
)
from fewest.reading.board_spec import BoardSpec, load_board_spec

SPEC = """
puzzle: unit-cars-SIZE-ROW-WIDE
legend: {X: target, h: wide, v: tall, ".": floor}
pieces:
  target: {directions: [left, right]}
  wide: {directions: [left, right]}
  tall: {directions: [up, down]}
moves:
  target: {slide: target}
  wide: {slide: wide}
  tall: {slide: tall}
goal: {X: {touches: left}}
metrics: {moves: {}}
board: |
BOARD
fill:
  X: {shape: "#", number: 1, rows: [ROW]}
  h: {shape: "#", number: WIDE}
  v: {shape: "#", number: TALL}
"""


def spec_of(size: int, row: int, wide: int) -> BoardSpec:
    """The spec of all boards with X in this row, and with this number of other cars that move along rows."""
    values = {
        "SIZE": str(size),
        "ROW": str(row),
        "WIDE": str(wide),
        "TALL": str(size * size - 2 - wide),
        "BOARD": "\n".join(["  " + "." * size] * size),
    }
    text = SPEC
    for name, value in values.items():
        text = text.replace(name, value)
    return load_board_spec("unit-cars.yaml", text=text)


def searches(size: int) -> Iterator[tuple[BoardSpec, IndexedGeneration]]:
    """All searches for boards of this size; the rows below the middle are mirror images."""
    for row in range((size + 1) // 2):
        for wide in range(size * size - 1):
            spec = spec_of(size, row, wide)
            yield spec, generate_in_index(spec)


def main() -> None:
    """Search all boards of a size, and print the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("size", type=int)
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    began, positions = time.process_time(), 0
    record = 0
    best: list[tuple[BoardSpec, IndexedGeneration]] = []
    for spec, found in searches(arguments.size):
        positions += found.num_positions
        minimum = found.metrics[0].minimum or 0
        assert isinstance(minimum, int)
        if minimum > record:
            record, best = minimum, []
        if minimum == record:
            best.append((spec, found))
    seconds = time.process_time() - began
    print(f"{positions:,} positions, record {record} moves, {seconds:.1f} CPU seconds")
    for spec, found in best:
        for position in found.metrics[0].best:
            print("", *drawing_of(position), sep="\n")
        if arguments.output is not None:
            boards = named_boards(found)
            for file in write_documents(spec, boards, arguments.output, certificates=True):
                print(file)


if __name__ == "__main__":
    main()

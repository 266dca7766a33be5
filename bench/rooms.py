"""Finds the hardest Sokoban rooms of 6x6 cells: `python -m bench.rooms BOXES [-o FOLDER]`.

A room has a wall around 4x4 cells. Further walls and the targets may be on any of these cells, and there are as many
boxes as targets. The moves do not depend on the targets, so one graph of all positions serves every placement of the
targets; symmetric placements count once. The inner walls are pieces that no rule moves. The table shows the largest
number of pushes for each number of inner walls. With `-o`, the script writes the hardest boards as documents with
certificates.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np

from fewest.commands.generate.documents import NamedBoard, write_documents
from fewest.commands.generate.drawing import drawing_of
from fewest.commands.generate.universe import Universe, universe
from fewest.model.metric import metric_of
from fewest.model.position import Position
from fewest.model.problem import sets_in
from fewest.model.states import decode
from fewest.reading.board_spec import BoardSpec, load_board_spec
from fewest.space.board_graph import BoardGraph, board_graph, distances_to
from fewest.space.merged_operators import MergedOperators, merged_operators
from fewest.space.placements import all_placements
from fewest.space.state_graph import in_goal, sums_over_facts

SIZE = 4
SPEC = """
puzzle: rooms
model: sokoban
pieces: {player: {}, box: {}, stone: {}}
legend:
  "#": wall
  " ": floor
  ".": target
  "@": player
  "+": player on target
  "$": box
  "*": box on target
  "o": stone
board: |
BOARD
fill:
  "@": {shape: "#", number: 1}
  "$": {shape: "#", number: BOXES}
  o: {shape: "#"}
"""
Places = frozenset[tuple[int, int]]


def placements_of_targets(count: int) -> Iterator[Places]:
    """All sets of inner cells; symmetric sets count once."""
    seen: set[Places] = set()
    cells = [(row, column) for row in range(SIZE) for column in range(SIZE)]
    for chosen in combinations(cells, count):
        images, last = [frozenset(chosen)], SIZE - 1
        for _ in range(3):
            images.append(frozenset((column, last - row) for row, column in images[-1]))
        images += [frozenset((column, row) for row, column in image) for image in images]
        if not seen.intersection(images):
            seen.add(images[0])
            yield images[0]


def spec_of(targets: Places, boxes: int) -> BoardSpec:
    """The spec of all rooms with these targets."""
    rows = ["#" * (SIZE + 2)]
    for row in range(SIZE):
        inside = "".join("." if (row, column) in targets else " " for column in range(SIZE))
        rows.append(f"#{inside}#")
    rows.append("#" * (SIZE + 2))
    board = "\n".join(f"  {row}" for row in rows)
    return load_board_spec(
        "rooms.yaml", text=SPEC.replace("BOARD", board).replace("BOXES", str(boxes))
    )


def moves_of(made: Universe) -> MergedOperators:
    """The merged operators for the metric pushes."""
    return merged_operators(made.task, [metric_of(made.task, "pushes")])


def graph_of(made: Universe, merged: MergedOperators) -> BoardGraph:
    """The graph of all positions, for any targets."""
    assert made.puzzle.board is not None
    cells = made.puzzle.board.num_cells
    return board_graph(
        merged.problem, all_placements(made.facts, made.task.words, cells, made.rules)
    )


def main() -> None:
    """Search all placements of the targets, and print the table and the hardest rooms."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("boxes", type=int)
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    began = time.process_time()
    all_targets = list(placements_of_targets(arguments.boxes))
    first = universe(spec_of(all_targets[0], arguments.boxes))
    merged = moves_of(first)
    graph = graph_of(first, merged)
    print(
        f"{len(graph):,} positions, {len(graph.target):,} moves, {len(all_targets)} places of targets"
    )
    is_stone = np.zeros(len(first.facts), dtype=np.uint64)
    stone = first.letters.index("o")
    for placed in first.facts:
        is_stone[placed.fact] = placed.class_id == stone
    stones = sums_over_facts(graph.states, is_stone).astype(np.int64)
    greatest: dict[int, int] = {}
    best: list[tuple[int, Position, BoardSpec]] = []
    for targets in all_targets:
        spec = spec_of(targets, arguments.boxes)
        made = universe(spec)
        if made.task.facts != first.task.facts or made.task.operators != first.task.operators:
            raise SystemExit("the moves depend on the targets")
        distances = distances_to(
            graph,
            in_goal(graph.states, made.task.problem),
            merged.in_metric["pushes"],
            is_reversible=merged.is_reversible,
        )
        solvable = np.flatnonzero(distances >= 0)
        for number in range(SIZE * SIZE):
            here = solvable[stones[solvable] == number]
            if len(here):
                greatest[number] = max(greatest.get(number, 0), int(distances[here].max()))
        hardest = solvable[distances[solvable] == distances.max()]
        one = hardest[np.argmin(stones[hardest])]
        (state,) = sets_in(np.ascontiguousarray(graph.states[[one]]), first.task.words)
        best.append((int(distances.max()), decode(made.puzzle, made.task, state), spec))
    print("walls inside: pushes")
    for number, pushes in sorted(greatest.items()):
        print(f"  {number:2}: {pushes}")
    record = max(pushes for pushes, _, _ in best)
    records = [(position, spec) for pushes, position, spec in best if pushes == record]
    print(f"the record is {record} pushes, with {len(records)} of the places of targets")
    for number, (position, spec) in enumerate(records, 1):
        print("\n".join(["", *drawing_of(position)]))
        if arguments.output is not None:
            name = f"room-{arguments.boxes}-boxes-{number}"
            title = f"Hardest room with {arguments.boxes} boxes"
            by = f"the greatest number of pushes of all rooms of 6x6 cells with {arguments.boxes} boxes"
            board = NamedBoard(name, title, "pushes", record, position, by)
            for file in write_documents(spec, [board], arguments.output, certificates=True):
                print(file)
    print(f"{time.process_time() - began:.1f} CPU seconds")


if __name__ == "__main__":
    main()

"""Times of the search core on problems built here in plain NumPy, without the language above it.

python bench/core_bench.py                    the small cases
python bench/core_bench.py tiles-3x4 pegs     the giant ones: minutes and gigabytes, one by one
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from fewest import core
from fewest.core.interface import CostTable, Problem


@dataclass
class Builder:
    """Collects facts and operators as Python integers."""

    names: dict[object, int] = field(default_factory=dict)
    operators: list[tuple[int, int, int, int]] = field(default_factory=list)

    def fact(self, name: object) -> int:
        return self.names.setdefault(name, len(self.names))

    def bits(self, names: Sequence[object]) -> int:
        return sum(1 << self.names[name] for name in names)

    def operator(
        self, true: Sequence[object], false: Sequence[object], flip: Sequence[object], index: object
    ) -> int:
        positive, negative = self.bits(true), self.bits(false)
        self.operators.append(
            (positive | negative, positive, self.bits(flip), self.names.get(index, -1))
        )
        return len(self.operators) - 1

    def problem(
        self,
        initial: Sequence[object],
        goals: Sequence[tuple[int, int]] = (),
        exactly_one: Sequence[Sequence[object]] = (),
        at_most_one: Sequence[Sequence[object]] = (),
    ) -> Problem:
        words = max(1, -(-len(self.names) // 64))

        def rows(values: Sequence[int]) -> np.ndarray:
            raw = b"".join(value.to_bytes(words * 8, "little") for value in values)
            return np.frombuffer(raw, dtype=np.uint64).reshape(-1, words)

        def groups(named: Sequence[Sequence[object]]) -> tuple[tuple[int, ...], ...]:
            return tuple(tuple(sorted(self.names[name] for name in group)) for group in named)

        return Problem(
            num_facts=len(self.names),
            initial=rows([self.bits(initial)])[0],
            mask=rows([o[0] for o in self.operators]),
            value=rows([o[1] for o in self.operators]),
            flip=rows([o[2] for o in self.operators]),
            index_fact=np.array([o[3] for o in self.operators], dtype=np.int32),
            goal_mask=rows([mask for mask, _ in goals]),
            goal_value=rows([value for _, value in goals]),
            forbid_mask=rows([]),
            forbid_value=rows([]),
            exactly_one=groups(exactly_one),
            at_most_one=groups(at_most_one),
        )


def costs(
    weight: Sequence[int],
    run_in: Sequence[int] | None = None,
    run_out: Sequence[int] | None = None,
    run_fact: Sequence[int] = (),
) -> CostTable:
    """One component."""
    none = [-1] * len(weight)
    return CostTable(
        weight=np.array([weight], dtype=np.int64),
        run_in=np.array([none if run_in is None else run_in], dtype=np.int32),
        run_out=np.array([none if run_out is None else run_out], dtype=np.int32),
        run_fact=(np.array(run_fact, dtype=np.int32),),
    )


Case = tuple[Problem, CostTable]
Cell = tuple[int, int]
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def sliding(
    rows: int,
    columns: int,
    classes: Sequence[Sequence[Cell]],
    pieces: Sequence[tuple[int, Cell]],
    steps: Callable[[int], Sequence[Cell]],
    paths: bool,
    goal: tuple[int, Cell] | None = None,
) -> Case:
    """Sliding blocks: a class is a shape, a fact is (class, anchor); `paths` merges whole paths."""
    builder = Builder()
    board = {(r, c) for r in range(rows) for c in range(columns)}

    def cells(kind: int, anchor: Cell) -> set[Cell]:
        return {(anchor[0] + r, anchor[1] + c) for r, c in classes[kind]}

    anchors = {
        kind: [anchor for anchor in sorted(board) if cells(kind, anchor) <= board]
        for kind in range(len(classes))
    }
    covering: dict[Cell, list[object]] = {cell: [] for cell in board}
    for kind, places in anchors.items():
        for anchor in places:
            builder.fact((kind, anchor))
            for cell in cells(kind, anchor):
                covering[cell].append((kind, anchor))
    run_in, run_out = [], []
    for kind, places in anchors.items():
        for anchor in places:
            for row, column in steps(kind):
                to = (anchor[0] + row, anchor[1] + column)
                if to not in places:
                    continue
                entered = cells(kind, to) - cells(kind, anchor)
                false = {name for cell in entered for name in covering[cell]} | {(kind, to)}
                false -= {(kind, anchor)}
                builder.operator(
                    [(kind, anchor)], sorted(false, key=str), [(kind, anchor), (kind, to)],
                    (kind, anchor),
                )  # fmt: skip
                run_in.append(builder.names[kind, anchor])
                run_out.append(builder.names[kind, to])
    counts = [sum(kind == k for k, _ in pieces) for kind in range(len(classes))]
    goals = []
    if goal is not None:
        bit = builder.bits([goal])
        goals.append((bit, bit))
    problem = builder.problem(
        list(pieces),
        goals,
        exactly_one=[[(k, a) for a in anchors[k]] for k in anchors if counts[k] == 1],
        at_most_one=list(covering.values()),
    )
    size = len(builder.operators)
    if not paths:
        return problem, costs([1] * size)
    return problem, costs([1] * size, run_in, run_out, list(range(problem.num_facts)))


def klotski(paths: bool = True) -> Case:
    """Heng dao li ma (横刀立马), goal: the large piece at the bottom in the middle."""
    classes = [
        [(0, 0), (0, 1), (1, 0), (1, 1)], [(0, 0), (0, 1)], [(0, 0), (1, 0)], [(0, 0)],
    ]  # fmt: skip
    pieces = [
        (0, (0, 1)), (1, (2, 1)), (2, (0, 0)), (2, (0, 3)), (2, (2, 0)), (2, (2, 3)),
        (3, (3, 1)), (3, (3, 2)), (3, (4, 0)), (3, (4, 3)),
    ]  # fmt: skip
    return sliding(5, 4, classes, pieces, lambda kind: STEPS, paths, (0, (3, 1)))


def rush_hour(paths: bool = False) -> Case:
    """The hardest 6x6 position; cars of one length in one row or column are one class."""
    text = ["AAABCD", "EFFBCD", "E.XXCD", "GGH...", ".IH.JJ", ".IKKLL"]
    where: dict[str, list[Cell]] = {}
    for r, line in enumerate(text):
        for c, letter in enumerate(line):
            if letter != ".":
                where.setdefault(letter, []).append((r, c))
    builder = Builder()
    facts: dict[object, list[Cell]] = {}
    kinds: dict[str, tuple[object, ...]] = {}
    for letter, cells in where.items():
        (r0, c0), across, size = cells[0], cells[0][0] == cells[1][0], len(cells)
        kinds[letter] = (across, r0 if across else c0, size, letter == "X")
        for i in range(7 - size):
            anchor = (r0, i) if across else (i, c0)
            facts[kinds[letter], i] = [
                (anchor[0], anchor[1] + j) if across else (anchor[0] + j, anchor[1])
                for j in range(size)
            ]
    covering: dict[Cell, list[object]] = {}
    for name, cells in facts.items():
        builder.fact(name)
        for cell in cells:
            covering.setdefault(cell, []).append(name)
    run_in, run_out, run_fact = [], [], []
    for name, cells in facts.items():
        kind, at = name  # type: ignore[misc]
        for step in (1, -1):
            to = (kind, at + step)
            if to not in facts:
                continue
            entered = set(facts[to]) - set(cells)
            false = {n for cell in entered for n in covering[cell]} | {to}
            builder.operator([name], sorted(false - {name}, key=str), [name, to], name)
            run_in.append(2 * builder.names[name] + (step > 0))
            run_out.append(2 * builder.names[to] + (step > 0))
    counts: dict[object, int] = {}
    initial = []
    for letter, cells in where.items():
        counts[kinds[letter]] = counts.get(kinds[letter], 0) + 1
        initial.append((kinds[letter], cells[0][1] if kinds[letter][0] else cells[0][0]))
    goal = builder.bits([(kinds["X"], 4)])
    problem = builder.problem(
        initial,
        [(goal, goal)],
        exactly_one=[[n for n in facts if n[0] == k] for k in counts if counts[k] == 1],  # type: ignore[index]
        at_most_one=list(covering.values()),
    )
    size = len(builder.operators)
    if not paths:
        return problem, costs([1] * size)
    run_fact = [key // 2 for key in range(2 * problem.num_facts)]
    return problem, costs([1] * size, run_in, run_out, run_fact)


def tiles(rows: int, columns: int, goal: Sequence[int] | None = None) -> Case:
    """Numbered tiles, each a class of its own; `goal` lists the tile of each cell (0: none)."""
    size = rows * columns
    classes = [[(0, 0)]] * (size - 1)
    pieces = [(t, divmod(t + 1, columns)) for t in range(size - 1)]
    problem, cost = sliding(rows, columns, classes, pieces, lambda kind: STEPS, False)
    if goal is not None:
        names = {}
        for kind in range(size - 1):
            for place in range(size):
                names[kind, place] = len(names)
        value = sum(1 << names[tile - 1, place] for place, tile in enumerate(goal) if tile)
        words = problem.mask.shape[1]
        raw = np.frombuffer(value.to_bytes(words * 8, "little"), dtype=np.uint64)
        problem = Problem(
            **{**problem.__dict__, "goal_mask": raw[None].copy(), "goal_value": raw[None].copy()}
        )
    return problem, cost


def pegs(cells: Sequence[Cell], empty: Cell) -> Case:
    """Peg solitaire: a fact is a peg; jumps over a neighbour along rows and columns."""
    builder = Builder()
    for cell in cells:
        builder.fact(cell)
    for r, c in cells:
        for row, column in STEPS:
            over, to = (r + row, c + column), (r + 2 * row, c + 2 * column)
            if over in builder.names and to in builder.names:
                builder.operator([(r, c), over], [to], [(r, c), over, to], (r, c))
    return builder.problem([c for c in cells if c != empty]), costs([1] * len(builder.operators))


def english() -> Case:
    """The 33 holes of the English board, centre empty."""
    cells = [(r, c) for r in range(7) for c in range(7) if 2 <= r <= 4 or 2 <= c <= 4]
    return pegs(cells, (3, 3))


def sokoban(level: Sequence[str], metric: str = "pushes") -> Case:
    """Sokoban in XSB letters; metric: pushes, moves, or pairs (moves, pushes)."""
    builder = Builder()
    floor, boxes, goals, agent = [], [], [], (0, 0)
    for r, line in enumerate(level):
        for c, letter in enumerate(line):
            if letter == "#":
                continue
            floor.append((r, c))
            if letter in "$*":
                boxes.append((r, c))
            if letter in ".*+":
                goals.append((r, c))
            if letter in "@+":
                agent = (r, c)
    inside = {agent}
    todo = [agent]
    while todo:
        r, c = todo.pop()
        for row, column in STEPS:
            cell = (r + row, c + column)
            if cell in floor and cell not in inside:
                inside.add(cell)
                todo.append(cell)
    cells = sorted(inside)
    for cell in cells:
        builder.fact(("agent", cell))
    for cell in cells:
        builder.fact(("box", cell))
    is_push = []
    for cell in cells:
        for row, column in STEPS:
            to, beyond = (
                (cell[0] + row, cell[1] + column),
                (cell[0] + 2 * row, cell[1] + 2 * column),
            )
            if to not in inside:
                continue
            walk = [("agent", cell), ("agent", to)]
            builder.operator([walk[0]], [("box", to), walk[1]], walk, walk[0])
            is_push.append(0)
            if beyond in inside:
                builder.operator(
                    [walk[0], ("box", to)], [("box", beyond), ("agent", beyond), walk[1]],
                    [*walk, ("box", to), ("box", beyond)], ("box", to),
                )  # fmt: skip
                is_push.append(1)
    goal = builder.bits([("box", cell) for cell in goals])
    problem = builder.problem(
        [("agent", agent), *(("box", cell) for cell in boxes)],
        [(goal, goal)],
        exactly_one=[[("agent", cell) for cell in cells]],
        at_most_one=[[("agent", cell), ("box", cell)] for cell in cells],
    )
    if metric == "pushes":
        return problem, costs(is_push)
    if metric == "moves":
        return problem, costs([1] * len(is_push))
    none = np.full((2, len(is_push)), -1, dtype=np.int32)
    weight = np.array([[1] * len(is_push), is_push], dtype=np.int64)
    empty = np.array([], dtype=np.int32)
    return problem, CostTable(weight, none, none, (empty, empty))


# Microban 5 and 36 by David W. Skinner.
MICROBAN_5 = [" #######", " #     #", " # .$. #", "## $@$ #", "#  .$. #", "#      #", "########"]
MICROBAN_36 = [
    "####", "#  ############", "# $ $ $ $ $ @ #", "# .....       #", "###############",
]  # fmt: skip

CASES: dict[str, Callable[[], Case]] = {
    "klotski-paths": klotski,
    "klotski-steps": lambda: klotski(False),
    "rush-hour-steps": rush_hour,
    "rush-hour-slides": lambda: rush_hour(True),
    "tiles-3x3": lambda: tiles(3, 3),
    "sokoban-pushes": lambda: sokoban(MICROBAN_36),
    "sokoban-moves": lambda: sokoban(MICROBAN_36, "moves"),
    "sokoban-pairs": lambda: sokoban(MICROBAN_36, "pairs"),
}
GIANT: dict[str, Callable[[], Case]] = {
    "tiles-3x4": lambda: tiles(3, 4),
    "pegs": english,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", help=", ".join([*CASES, *GIANT]))
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--memory", type=float, default=4.0, help="gigabytes (10^9 bytes)")
    arguments = parser.parse_args()
    print(f"{'case':18} {'algorithm':17} {'states':>12} {'last':>9} {'best':>10}"
          f" {'states/s':>12} {'bytes/state':>11}")  # fmt: skip
    for name in arguments.cases or CASES:
        problem, cost = {**CASES, **GIANT}[name]()
        best = None
        for _ in range(1 if name in GIANT else arguments.repeat):
            outcome = core.search(problem, cost, exhaust=True, memory=int(arguments.memory * 1e9))
            if best is None or outcome.seconds < best.seconds:
                best = outcome
        assert best is not None
        rate = best.num_expanded / max(best.seconds, 1e-9)
        print(
            f"{name:18} {best.algorithm:17} {best.num_states:12,} {best.layers[-1][0]!s:>9}"
            f" {best.seconds * 1e3:8.2f}ms {rate:12,.0f} {best.bytes / best.num_states:11.1f}"
            f"  {best.status} {best.cost}"
        )


if __name__ == "__main__":
    main()

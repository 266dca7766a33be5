"""Draws small Sokoban levels: rooms with a few walls, one to four boxes, and as many targets or fewer."""

from __future__ import annotations

import random
from functools import cache

import fewest
from fewest.model.answer import Cost, Status


def level(seed: int, model: str = "sokoban-pairs") -> str:
    """A puzzle document; about half of these documents have a plan."""
    rng = random.Random(seed)
    rows, columns = rng.randint(3, 5), rng.randint(3, 6)
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    walls = set(rng.sample(cells, rng.randint(0, len(cells) // 5)))
    open_cells = [cell for cell in cells if cell not in walls]
    boxes = min(rng.choice((1, 2, 2, 3, 3, 4)), len(open_cells) // 3)
    middle = [(r, c) for r, c in open_cells if 0 < r < rows - 1 and 0 < c < columns - 1]
    from_middle = len(middle) >= boxes and rng.random() < 0.7
    stands = set(rng.sample(middle if from_middle else open_cells, boxes))
    player = rng.choice([cell for cell in open_cells if cell not in stands])
    num_targets = boxes if rng.random() < 0.75 else rng.randint(1, boxes)
    inner = [c for c in open_cells if rng.random() < 0.8] or open_cells
    targets = set(rng.sample(inner, min(num_targets, len(inner))))

    def symbol(cell: tuple[int, int]) -> str:
        if cell in walls:
            return "#"
        on_target = cell in targets
        if cell == player:
            return "+" if on_target else "@"
        if cell in stands:
            return "*" if on_target else "$"
        return "." if on_target else "-"

    lines = ["#" * (columns + 2)]
    lines += ["#" + "".join(symbol((r, c)) for c in range(columns)) + "#" for r in range(rows)]
    lines.append("#" * (columns + 2))
    board = "".join(f"  {line}\n" for line in lines)
    return f"puzzle: small-{seed}\nmodel: {model}\nboard: |\n{board}"


@cache
def compiled_level(text: str) -> fewest.CompiledPuzzle:
    """The level, compiled once for all tests of a process. A test must not change it."""
    return fewest.load("level.yaml", text=text)


@cache
def known_minimum(text: str, metric: str) -> tuple[Status, Cost | None]:
    """The status and the minimum that breadth-first search finds. This search audits the task, so other searches of the
    level need no audit.
    """
    found = compiled_level(text).solve(metric, engine="bfs")
    return found.status, found.cost


def exchanged(text: str) -> str:
    """The level with boxes and targets exchanged, or the level itself if it would then have more targets than boxes."""
    turned = text.translate(str.maketrans("$.", ".$"))
    board = turned.split("|")[1]
    return turned if board.count("$") >= board.count(".") + board.count("+") else text

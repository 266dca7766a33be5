"""Provides small boards that a test changes character by character, and their minima according to the rules alone."""

from __future__ import annotations

import random
from functools import cache
from itertools import combinations

import fewest
from fewest.errors import DocumentError
from fewest.model.position import start
from fewest.playing.rules import is_goal, legal_moves

PUSHING = """\
puzzle: small
pieces: {player: {}, box: {}}
legend: {".": floor, "#": wall, "@": player, "$": box, "!": exit}
terrain: {exit: }
moves:
  walk: {before: [player, empty], after: [empty, player]}
  push: {before: [player, box, empty], after: [empty, player, box]}
goal: {box: {on: exit}}
metrics: {moves: {}}
board: |
"""
GLIDING = """\
puzzle: small
pieces: {car: {letters: ABC}}
legend: {".": floor, "#": wall, "!": exit}
terrain: {exit: }
moves:
  glide: {slide: car, distance: blocked}
goal: {A: {on: exit}}
metrics: {moves: {}}
board: |
"""
FORBIDDEN = """\
puzzle: small
pieces: {player: {}, guard: {}}
legend: {".": floor, "#": wall, "@": player, "g": guard, "!": exit}
terrain: {exit: }
moves:
  walk: {before: [player, empty], after: [empty, player]}
forbid:
  - count(player, exit) == 1 and row(guard) == 0
  - row(guard) == row(player) and col(player) == 1
goal: {player: {on: exit}}
metrics: {moves: {}}
board: |
"""
RULES = {"pushing": PUSHING, "gliding": GLIDING, "forbidden": FORBIDDEN}
_PIECES = {"pushing": "@$!", "gliding": "AB!", "forbidden": "@g!"}
FLOOR = "."


def random_rows(rules: str, seed: int) -> list[str]:
    """The rows of a random board of three by four cells, with one of each piece, an exit and some walls."""
    chance = random.Random(f"{rules} {seed}")
    cells = [FLOOR] * 12
    marks = _PIECES[rules] + "#" * chance.randint(2, 4)
    for place, mark in zip(chance.sample(range(12), len(marks)), marks, strict=True):
        cells[place] = mark
    return ["".join(cells[row * 4 : row * 4 + 4]) for row in range(3)]


def document(rules: str, rows: list[str]) -> str:
    """The rows with their rules, as a document."""
    return RULES[rules] + "".join(f"  {row}\n" for row in rows)


def with_marks(rows: list[str], marks: dict[tuple[int, int], str]) -> list[str]:
    """The rows with the given characters in some cells."""
    return [
        "".join(marks.get((r, c), mark) for c, mark in enumerate(row)) for r, row in enumerate(rows)
    ]


@cache
def minimum_by_rules(text: str) -> int | str | None:
    """The minimum by the rules; None if there is no plan, `invalid` if the document has errors."""
    try:
        compiled = fewest.load("small.yaml", text=text)
        compiled.grounded  # noqa: B018 - only grounding reveals some errors
    except DocumentError:
        return "invalid"
    first = start(compiled.puzzle)
    depth = {first: 0}
    waiting = [first]
    for position in waiting:
        if is_goal(position):
            return depth[position]
        for move in legal_moves(position):
            if move.target not in depth:
                depth[move.target] = depth[position] + 1
                waiting.append(move.target)
    return None


def removable(rows: list[str]) -> list[tuple[int, int]]:
    """The cells with a wall or a piece."""
    return [(r, c) for r, row in enumerate(rows) for c, mark in enumerate(row) if mark not in ".!"]


def smallest_sets(rules: str, rows: list[str], largest: int) -> dict[frozenset[object], int]:
    """The smallest sets of cells and rules without which the board is solvable, with the minima, from a test of all
    sets."""
    lines = [line for line in RULES[rules].splitlines() if line.startswith("  - ")]
    things: list[object] = [*removable(rows), *lines]
    for size in range(1, largest + 1):
        found: dict[frozenset[object], int] = {}
        for chosen in combinations(things, size):
            text = document(
                rules, with_marks(rows, {c: FLOOR for c in chosen if isinstance(c, tuple)})
            )
            gone = [one for one in chosen if isinstance(one, str)]
            for line in gone:
                text = text.replace(line + "\n", "")
            if lines and len(gone) == len(lines):
                text = text.replace("forbid:\n", "")
            minimum = minimum_by_rules(text)
            if isinstance(minimum, int):
                found[frozenset(chosen)] = minimum
        if found:
            return found
    return {}

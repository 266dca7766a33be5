"""Draws small sliding puzzles: distinct tiles and dominoes, one or two gaps, walls, goals for all pieces or some."""

from __future__ import annotations

import random


def board(seed: int) -> str:
    """A puzzle document; in about half of these documents, the goal is reachable."""
    rng = random.Random(seed)
    rows, columns = rng.choice(((2, 3), (2, 4), (3, 3), (3, 2), (2, 5)))
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    walls = set(rng.sample(cells, rng.choice((0, 0, 0, 1))))
    gaps = rng.choice((1, 1, 2, 3))
    dominoes = rng.choice((0, 0, 1, 2))
    start = _filled(rng, rows, columns, walls, gaps, dominoes)
    while (goal := _filled(rng, rows, columns, walls, gaps, dominoes)) is None or start is None:
        start = _filled(rng, rows, columns, walls, gaps, dominoes)
    letters = sorted({c for line in start for c in line} - set("#."))
    named = letters if rng.random() < 0.6 else rng.sample(letters, rng.randint(1, len(letters)))
    shown = ["".join(c if c in named or c == "#" else "." for c in line) for line in goal]
    places = {
        letter: min((r, c) for r in range(rows) for c in range(columns) if shown[r][c] == letter)
        for letter in named
    }
    goals = "".join(f"  {letter}: {{at: [{r}, {c}]}}\n" for letter, (r, c) in places.items())
    drawn = "".join(f"  {line}\n" for line in start)
    return f"puzzle: small-{seed}\nmodel: sliding-blocks\nmetric: steps\nboard: |\n{drawn}goal:\n{goals}"


def _filled(
    rng: random.Random,
    rows: int,
    columns: int,
    walls: set[tuple[int, int]],
    gaps: int,
    dominoes: int,
) -> list[str] | None:
    """Pieces at random places, with the dominoes A and B horizontal; None if they do not fit."""
    at = dict.fromkeys(walls, "#")
    for letter in "AB"[:dominoes]:
        fits = [
            (r, c)
            for r in range(rows)
            for c in range(columns - 1)
            if (r, c) not in at and (r, c + 1) not in at
        ]
        if not fits:
            return None
        r, c = rng.choice(fits)
        at[r, c] = at[r, c + 1] = letter
    rest = [(r, c) for r in range(rows) for c in range(columns) if (r, c) not in at]
    rng.shuffle(rest)
    for i, cell in enumerate(rest[gaps:]):
        at[cell] = "CDEFGHIJK"[i]
    return ["".join(at.get((r, c), ".") for c in range(columns)) for r in range(rows)]

"""Draws parts of random puzzles, for all strategies."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hypothesis import strategies as st

METRICS = {
    "ones": {},
    "line": {"merge": "line"},
    "path": {"merge": "path"},
}


DIRECTIONS = [
    "up",
    "down",
    "left",
    "right",
    "horizontal",
    "vertical",
    "orthogonal",
    "diagonal",
    "all",
    "hex-right",
    "hex-left",
]


def document(**keys: object) -> str:
    """The keys as YAML; JSON is valid YAML and needs no quoting rules."""
    return "\n".join(f"{key}: {json.dumps(value)}" for key, value in keys.items()) + "\n"


@st.composite
def metrics(draw: st.DrawFn, rules: list[str], by_index: Sequence[str] = ()) -> dict[str, object]:
    """Unit, merging, weighted (also with zero) and lexicographic metrics over the rules.

    `by_index` contains further weights: expressions with the indices of the rules.
    """
    weights = {rule: draw(st.one_of(st.integers(0, 2), *map(st.just, by_index))) for rule in rules}
    found: dict[str, object] = {
        **METRICS,
        "weighted": {"count": weights},
        "weighted-path": {"count": weights, "merge": "path"},
        "weighted-line": {"count": weights, "merge": "line"},
        "pair": ["weighted", "ones"],
        "merged-pair": ["path", "weighted-line"],
    }
    return {name: found[name] for name in draw(st.permutations(list(found)))}


@st.composite
def grids(draw: st.DrawFn, characters: str, max_rows: int = 3, max_columns: int = 4) -> list[str]:
    rows = draw(st.integers(1, max_rows))
    columns = draw(st.integers(2, max_columns))
    row = st.text(st.sampled_from(characters), min_size=columns, max_size=columns)
    return draw(st.lists(row, min_size=rows, max_size=rows))


def wrap(draw: st.DrawFn, board: Sequence[str] = (), letters: str = "") -> dict[str, object]:
    """Sometimes rows or columns that wrap, but not if a piece of these letters would go round the board."""
    found = draw(st.sampled_from([None, None, None, "rows", "columns", "both"]))
    if found is None or any(_goes_round(board, letter, found) for letter in letters):
        return {}
    return {"wrap": found}


def _goes_round(board: Sequence[str], letter: str, wrapped: str) -> bool:
    """Whether a piece of a letter covers the same cells after a step along the rows or columns that wrap."""
    rights = range(len(board[0]) if wrapped != "columns" else 1)
    downs = range(len(board) if wrapped != "rows" else 1)
    for piece in pieces_of(board, letter):
        moved = [
            {((r + down) % len(board), (c + right) % len(board[0])) for r, c in piece}
            for down in downs
            for right in rights
        ]
        if moved.count(set(piece)) > 1:
            return True
    return False


def edges(draw: st.DrawFn, rows: int, columns: int) -> dict[str, object]:
    """Sometimes walls, one-way edges and portals between the cells of a board."""
    if draw(st.integers(0, 2)):
        return {}
    pairs = [
        [[r, c], [r + down, c + right]]
        for r in range(rows)
        for c in range(columns)
        for down, right in ((0, 1), (1, 0))
        if r + down < rows and c + right < columns
    ]
    chosen = draw(st.lists(st.sampled_from(pairs), max_size=4)) if pairs else []
    cut = draw(st.integers(0, len(chosen)))
    portals = [
        {
            "leaving": [draw(st.integers(0, rows - 1)), draw(st.integers(0, columns - 1))],
            "by": draw(st.sampled_from(["up", "down", "left", "right", "down-right"])),
            "entering": [draw(st.integers(0, rows - 1)), draw(st.integers(0, columns - 1))],
            "both": draw(st.booleans()),
        }
        for _ in range(draw(st.integers(0, 2)))
    ]
    turned = [pair[:: draw(st.sampled_from([1, -1]))] for pair in chosen[cut:]]
    return {"edges": {"walls": chosen[:cut], "one-way": turned, "portals": portals}}


def shuffled(draw: st.DrawFn, characters: list[str], rows: int, columns: int) -> list[str]:
    """A board with these characters in random order; the first character also fills the remaining cells."""
    cells = [*characters[1:], *characters[0] * (rows * columns)][: rows * columns]
    order = draw(st.permutations(cells))
    return ["".join(order[r * columns : (r + 1) * columns]) for r in range(rows)]


def any_of(draw: st.DrawFn, most: dict[str, int]) -> list[str]:
    """A list that contains each character a random number of times, up to its maximum."""
    return [c for c, number in most.items() for _ in range(draw(st.integers(0, number)))]


def cells_of(board: Sequence[str], characters: str) -> list[tuple[int, int]]:
    return [(r, c) for r, row in enumerate(board) for c, x in enumerate(row) if x in characters]


def pieces_of(board: Sequence[str], letter: str) -> list[list[tuple[int, int]]]:
    """The pieces of a letter: sets of connected cells, without regard to boards that wrap."""
    left = set(cells_of(board, letter))
    found = []
    while left:
        piece, waiting = [], [min(left)]
        while waiting:
            at = waiting.pop()
            if at in left:
                left.remove(at)
                piece.append(at)
                waiting += [(at[0] + y, at[1] + x) for y, x in ((0, 1), (1, 0), (0, -1), (-1, 0))]
        found.append(sorted(piece))
    return found

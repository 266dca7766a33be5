"""Draws rings of cells that rotate."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.helpers.random_puzzles.parts import document, grids, metrics


def _turned(board: list[str], rings: list[list[list[int]]]) -> list[list[str]]:
    """The board after each of the rings has rotated by one place."""
    turned = [list(row) for row in board]
    for ring in rings:
        held = [turned[r][c] for r, c in ring]
        for (r, c), x in zip(ring, held[-1:] + held[:-1], strict=True):
            turned[r][c] = x
    return turned


@st.composite
def cycles(draw: st.DrawFn) -> str:
    """Rings on a small board that rotate in one or both directions."""
    board = draw(grids("aab.", max_rows=3, max_columns=3).filter(lambda b: len(b) > 1))
    rows, columns = len(board), len(board[0])
    cells = [[r, c] for r in range(rows) for c in range(columns)]
    rules: dict[str, object] = {}
    rings = []
    for name in ["one", "two"][: draw(st.integers(1, 2))]:
        size = draw(st.integers(2, 4))
        order = list(draw(st.permutations(cells)))
        rings.append(order[:size])
        rules[name] = {"cycle": rings[-1]}
        steps = [step for step in (2, 3, -1) if step % size]  # other numbers are the identity
        if len(order) >= size + 2 and draw(st.integers(0, 2)) == 0:  # two rings in one move
            rules[name] = {"cycles": [rings[-1], order[size : size + 2]]}
            steps = [step for step in steps if step % 2]
        if draw(st.integers(0, 3)) == 0:
            rules[name]["steps"] = draw(st.sampled_from(steps))  # type: ignore[index]
        if draw(st.integers(0, 2)) == 0:
            rules[name]["directions"] = draw(st.sampled_from(["forward", "backward"]))  # type: ignore[index]
    if draw(st.booleans()):
        rules["hop"] = {"before": ["a", "empty"], "after": ["empty", "a"]}
    if draw(st.integers(0, 3)):
        goal = _turned(
            board, [draw(st.sampled_from(rings)) for _ in range(draw(st.integers(1, 3)))]
        )
    else:
        target = draw(st.permutations([c for row in board for c in row]))
        goal = [list(target[r * columns : (r + 1) * columns]) for r in range(rows)]
    return document(
        puzzle="random-cycles",
        board=[list(row) for row in board],
        legend={".": "floor", "a": "a", "b": "b"},
        pieces={"a": {"interchangeable": draw(st.booleans())}, "b": {}},
        moves=rules,
        goal={"board": goal},
        metrics=draw(metrics(list(rules))),
    )

"""Draws pieces of any shape that slide."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.helpers.random_puzzles.parts import (
    DIRECTIONS,
    any_of,
    cells_of,
    document,
    edges,
    grids,
    metrics,
    pieces_of,
    shuffled,
    wrap,
)


def _may_stand(board: list[str], shape: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The places for the upper left corner of a shape at which the shape covers no wall."""
    top, left = min(r for r, _ in shape), min(c for _, c in shape)
    walls = set(cells_of(board, "#"))
    corners = [(r, c) for r in range(len(board)) for c in range(len(board[0]))]
    return [
        (r, c)
        for r, c in corners
        if all(
            r + y - top < len(board)
            and c + x - left < len(board[0])
            and (r + y - top, c + x - left) not in walls
            for y, x in shape
        )
    ]


@st.composite
def slides(draw: st.DrawFn) -> str:
    """Letter pieces of any shape that slide by one cell, or until they are stopped."""
    levels = {"levels": 2} if draw(st.integers(0, 5)) == 0 else {}
    if levels or draw(st.integers(0, 3)):
        rows, columns = draw(st.sampled_from([(2, 3), (2, 4), (1, 4), (3, 3), (3, 4)]))
        if levels:
            rows, columns = draw(st.sampled_from([(4, 2), (4, 3)]))
        board = shuffled(
            draw,
            [".", "A", *any_of(draw, {"A": 1, "B": 2, "C": 1, "#": 1, "~": 2})],
            rows,
            columns,
        )
    else:
        board = draw(grids("AABBC....#~"))
        if not cells_of(board, "ABC"):
            board[0] = "A" + board[0][1:]
    rows, columns = len(board), len(board[0])
    letters = [letter for letter in "ABC" if cells_of(board, letter)]
    classes = ["block", "block", "any", letters[0], "|".join(letters[:2])]
    rules: dict[str, object] = {}
    for name in draw(
        st.lists(st.sampled_from(["one", "two"]), min_size=1, max_size=2, unique=True)
    ):
        rule: dict[str, object] = {"slide": draw(st.sampled_from(classes))}
        if draw(st.booleans()):
            rule["directions"] = draw(st.sampled_from(DIRECTIONS))
        if draw(st.integers(0, 2)) == 0:
            rule["distance"] = "blocked"
            if draw(st.booleans()):
                rule["stopped-by"] = draw(st.sampled_from(["piece", "wall"]))
            if draw(st.booleans()):
                rule["over"] = draw(st.sampled_from(["ice", "floor"]))
        elif (
            draw(st.booleans()) and len(cells_of(board, "ABC")) <= 3
        ):  # with more block cells, such rules compile to too many cases
            rule[draw(st.sampled_from(["carries", "sticky"]))] = draw(st.sampled_from(classes))
            if draw(st.integers(0, 2)) == 0:
                rule |= {"carries": "any", "most": draw(st.integers(1, 2))}
        rules[name] = rule
    piece: dict[str, object] = {"letters": "A-Z"}
    if draw(st.booleans()):
        piece["directions"] = draw(st.sampled_from(DIRECTIONS))
    if draw(st.integers(0, 3)) == 0:
        piece["interchangeable"] = False
    if draw(st.integers(0, 3)) == 0:
        piece["enters"] = draw(st.sampled_from(["floor", ["floor", "ice"]]))
    leaning: dict[str, object] = {}
    if not levels and draw(st.integers(0, 5)) == 0:
        leaning["geometry"] = draw(st.sampled_from(["hex-right", "hex-left"]))
        rules[next(iter(rules))]["directions"] = "hex"  # type: ignore[index]
    together = draw(st.integers(0, 4)) == 0
    if together:
        piece["parts"] = "together"
    terrain: object = ["ice"]
    if draw(st.integers(0, 3)) == 0:
        terrain = {"ice": draw(st.sampled_from(["block", letters[0], letters[:2]]))}
    letter = draw(st.sampled_from(letters))
    pieces = [cells_of(board, letter)] if together else pieces_of(board, letter)
    goals: list[object] = [
        f"cell({rows - 1}, {columns - 1}) == {letter}",
        f"row({letter}) == 0 or cell({rows - 1}, {columns - 1}) == empty"
        if len(pieces) == 1
        else f"cell(0, {columns - 1}) == {letter}",
    ]
    shape = pieces[0]
    if places := _may_stand(board, shape):
        goals.append({letter: {"at": list(draw(st.sampled_from(places)))}})
        sides = {"left": [c == 0 for _, c in places], "top": [r == 0 for r, _ in places]}
        goals += [{letter: {"touches": side}} for side, found in sides.items() if any(found)]
        low = rows - 1 - max(r for r, _ in shape) + min(r for r, _ in shape)
        right = columns - 1 - max(c for _, c in shape) + min(c for _, c in shape)
        goals += [{letter: {"touches": "bottom"}}] * any(r == low for r, _ in places)
        goals += [{letter: {"touches": "right"}}] * any(c == right for _, c in places)
        goals.append([goals[-1], goals[2]])
        goals.reverse()
    if len(shape) == 1 and piece.get("enters") != "floor" and terrain == ["ice"]:
        ice = cells_of(board, "~")
        goals += [{letter: {"on": "ice"}}] * bool(ice) + [{letter: {"covers": "ice"}}] * (
            len(ice) == 1
        )
    return document(
        puzzle="random-slides",
        board=[list(row) for row in board],
        legend={".": "floor", "#": "wall", "~": "ice"},
        terrain=terrain,
        pieces={"block": piece},
        moves=rules,
        goal=draw(st.sampled_from(goals)),
        metrics=draw(metrics(list(rules))),
        **({} if together or levels else wrap(draw, board, "ABC")),
        **levels,
        **leaning,
        **edges(draw, rows, columns),
    )

"""Draws pieces in several layers that share cells."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.helpers.random_puzzles.consequences import starts_at_rest
from tests.helpers.random_puzzles.parts import any_of, document, edges, metrics, shuffled, wrap

# There are walkers a and b, tiles t and u in a lower layer, clouds c in a higher one, and carpets of two cells among
# the tiles.
LEGEND = {
    ".": "floor",
    "#": "wall",
    "a": "a",
    "b": "b",
    "t": "t",
    "c": "c",
    "A": "a & t",
    "B": "t & b on spot",
    "C": "a & c & t",
    "*": "spot",
    "M": "carpet",
}
WALKS = [
    (["a", "empty"], ["empty", "a"]),
    (["a", "b", "empty"], ["empty", "a", "b"]),
    (["a|b", "empty & t"], ["empty", "a|b"]),
    (["a & not t", "empty"], ["t", "a"]),
    (["a & t", "empty"], ["empty", "a"]),
    (["a & t", "empty & not t"], ["empty & t", "a"]),
    (["a & t", "empty & not t"], ["empty", "a & t"]),
    (["a & t", "any|wall"], ["a & u", "_"]),
    (["b & c", "empty"], ["b", "c"]),
    (["c", "any"], ["empty", "c"]),
    (["a & t|u", "b"], ["a", "b"]),
    (["t & empty", "a"], ["a", "empty"]),
    (["t", "not t", "t"], ["_", "t", "t"]),
    (["a & c|empty", "b..."], ["a", "_..."]),
    (["a & t on spot", "_"], ["t", "_"]),
    (["not t|u & b", "wall|empty"], ["b", "_"]),
    (["t", "u|empty", "a"], ["empty", "t", "a"]),
    (["a", "empty & t...", "b"], ["_", "empty...", "empty"]),
]
SLIDES: list[dict[str, object]] = [
    {"slide": "a"},
    {"slide": "t|c"},
    {"slide": "a|t", "distance": "blocked"},
    {"slide": "carpet"},
    {"slide": "any", "carries": "any", "most": 1, "directions": "left right"},
    {"slide": "t", "sticky": "t|u", "directions": "down"},
    {"together": "a|t", "directions": "left up"},
    {"cycle": [[0, 0], [0, 1], [1, 1]]},
]
THEN: list[dict[str, object]] = [
    {"slide": "b", "directions": "down"},
    {"slide": "t", "directions": "right"},
    {"before": ["a & t"], "after": ["a"], "directions": "up"},
    {"before": ["b & c"], "after": ["empty"], "directions": "up", "everywhere": True},
    {"before": ["t", "a|empty & not t"], "after": ["empty", "a & t"], "directions": "down"},
    {"before": ["t", "b & not t"], "after": ["t", "t"], "everywhere": True},
    {"when": "cell(0, 0, -1) == t and x > 0", "set": {"x": "x - 1"}},
]


def layers() -> st.SearchStrategy[str]:
    """Moves of pieces that share cells."""
    return _layers(False)


def layers_following() -> st.SearchStrategy[str]:
    """Moves with consequences of pieces that share cells."""
    return _layers(True).filter(starts_at_rest)


@st.composite
def _layers(draw: st.DrawFn, is_followed: bool) -> str:
    rows, columns = draw(st.sampled_from([(2, 2), (2, 3), (1, 4), (3, 2)]))
    more = any_of(draw, {"b": 1, "t": 1, "B": 1, "c": 1, "C": 1, "#": 1, "*": 1})
    board = shuffled(draw, [".", draw(st.sampled_from("aA")), *more], rows, columns)
    column = next((c for c in range(columns) if rows > 1 and board[0][c] + board[1][c] == ".."), 0)
    if rows > 1 and board[0][column] + board[1][column] == ".." and draw(st.booleans()):
        for row in (0, 1):
            board[row] = board[row][:column] + "M" + board[row][column + 1 :]
    closed, between = wrap(draw, board, "M"), edges(draw, rows, columns)
    rules: dict[str, object] = {}
    for name in ["one", "two", "three"][: draw(st.integers(1, 3))]:
        if draw(st.integers(0, 2)):
            before, after = draw(st.sampled_from(WALKS))
            rules[name] = {"before": before, "after": after}
        else:
            has_end = not closed and not between.get("edges", {}).get("portals")  # type: ignore[attr-defined]
            known = [s for s in SLIDES if has_end or "together" not in s]
            known = [s for s in known if rows > 1 or "cycle" not in s]
            rules[name] = dict(draw(st.sampled_from(known)))
        if draw(st.integers(0, 3)) == 0:
            layers = [
                "cell(0, 0, -1) == t",
                "cell(0, 1) == empty",
                "count(t) != 1",
                "x < 2",
                "sees(a, t)",
            ]
            rules[name]["when"] = draw(st.sampled_from(layers))  # type: ignore[index]
        if draw(st.integers(0, 3)) == 0:
            rules[name]["set"] = {"x": "(x + 1) % 3"}  # type: ignore[index]
    last = f"cell({rows - 1}, {columns - 1}"
    goals: list[object] = [f"{last}) == a", f"{last}, -1) == t", f"{last}, 4) == empty"]
    goals += ["count(t) == 2", "x == 2 and cell(0, 0, -1) == empty"]
    blank = [["?"] * columns for _ in range(rows)]
    if board[-1][-1] != "#":
        for shown in "a.":
            goals.append({"board": [*blank[1:], [*blank[0][1:], shown]]})
    if any("*" in row or "B" in row for row in board):
        goals.append({"every": "spot", "holds": draw(st.sampled_from(["t", "a", "any"]))})
    chosen = st.lists(st.sampled_from(THEN), min_size=1, max_size=2, unique_by=id)
    then = {f"then-{n}": rule for n, rule in enumerate(draw(chosen))} if is_followed else {}
    return document(
        puzzle="random-layers",
        board=[list(row) for row in board],
        legend=LEGEND,
        terrain=["spot"],
        pieces={
            "a": {},
            "b": {"interchangeable": draw(st.booleans())},
            "t": {"layer": -1},
            "u": {"layer": -1},
            "c": {"layer": 4},
            "carpet": {"layer": -1, "shape": "#\n#"},
        },
        variables={"x": {"values": "range(3)", "initial": draw(st.integers(0, 1))}},
        moves=rules,
        **({"then": then} if then else {}),
        goal=draw(st.sampled_from(goals)),
        metrics=draw(metrics(list(rules))),
        **closed,
        **between,
    )

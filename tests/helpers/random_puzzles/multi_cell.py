"""Draws patterns that move and capture pieces of any shape."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.helpers.random_puzzles.parts import any_of, document, edges, metrics, shuffled, wrap

# These patterns push, pull, jump, capture, push rows, or move pieces along; `block` is a lettered piece of any shape.
LINES = [
    (["man", "block", "block...", "empty"], ["empty", "man", "block", "block..."]),
    (["empty", "man", "block"], ["man", "block", "empty"]),
    (["empty", "man", "block", "block..."], ["man", "block", "block...", "empty"]),
    (["man", "block", "empty"], ["empty", "man", "block"]),
    (["block", "block", "empty"], ["empty", "block", "block"]),
    (["block", "empty"], ["empty", "block"]),
    (["block...", "empty"], ["empty", "block..."]),
    (["man", "block"], ["empty", "man"]),
    (["man", "any", "empty"], ["empty", "empty", "man"]),
    (["block", "empty", "empty"], ["empty", "empty", "block"]),
    (["any", "_", "empty"], ["empty", "_", "any"]),
    (["block", "any|wall", "empty"], ["empty", "any|wall", "block"]),
    (["not man", "block", "empty"], ["_", "empty", "block"]),
    (["man", "block|empty", "empty"], ["empty", "empty", "man"]),
    (["A", "block", "empty"], ["empty", "block", "A"]),
    (["block", "empty on spot"], ["empty", "block"]),
    (["man", "block"], ["man", "man"]),
]
SQUARES = [
    ([["block", "_"], ["_", "empty"]], [["empty", "_"], ["_", "block"]]),
    ([["man", "block"], ["empty", "empty"]], [["empty", "empty"], ["man", "block"]]),
    ([["block", "empty"], ["block", "empty"]], [["empty", "block"], ["empty", "block"]]),
    ([["block", "man"], ["_", "empty"]], [["empty", "block"], ["_", "man"]]),
]
GOALS = ["cell(0, 0) == A", "count(block) == 1", {"A": {"touches": "right"}}, {"count": {"man": 0}}]


@st.composite
def multi_cell_patterns(draw: st.DrawFn) -> str:
    """A man and blocks of any shape that patterns move; some puzzles have consequences."""
    rows, columns = draw(st.sampled_from([(2, 3), (3, 3), (2, 4), (1, 5)]))
    more = any_of(draw, {"A": 2, "B": 2, "#": 1, "*": 1, "C": 1})
    board = shuffled(draw, [".", "@", "A", *more], rows, columns)
    rules: dict[str, object] = {}
    for name in ["one", "two"][: draw(st.integers(1, 2))]:
        is_square = draw(st.integers(0, 4)) == 0
        before, after = draw(st.sampled_from(SQUARES if is_square else LINES))
        rule: dict[str, object] = {"before": before, "after": after, "whole": True}
        if is_square:
            rule["rotations"] = draw(st.booleans())
        else:
            directions = ["left right", "up", "vertical", "diagonal", "knight", [[0, 2]]]
            rule["directions"] = draw(st.sampled_from(["orthogonal", *directions]))
            moves_one_piece = before[0] != "block..."
            if moves_one_piece and draw(st.integers(0, 2)) == 0:
                rule["distance"] = "blocked"
        if draw(st.integers(0, 3)) == 0:
            rule |= {"when": "x < 2", "set": {"x": "x + 1"}}
        rules[name] = rule
    rules["walk"] = {"before": ["man", "empty"], "after": ["empty", "man"]}
    then: dict[str, object] = {}
    if draw(st.integers(0, 9)) == 0:
        line = draw(st.sampled_from([*LINES[5:7], LINES[7]]))
        fall: dict[str, object] = {"before": line[0], "after": line[1], "whole": True}
        fall |= {"directions": "down", "when": "x == 1", "everywhere": draw(st.booleans())}
        then = {"then": {"fall": fall}}
    return document(
        puzzle="random-multi_cell_patterns",
        board=[list(row) for row in board],
        legend={".": "floor", "#": "wall", "*": "spot", "@": "man"},
        terrain=["spot"],
        pieces={"man": {}, "block": {"letters": "A-Z"}},
        variables={"x": {"values": "range(3)", "initial": 0}},
        moves=rules,
        goal=draw(st.sampled_from([*GOALS, f"cell({rows - 1}, {columns - 1}) == A"])),
        metrics=draw(metrics(list(rules))),
        **then,
        **wrap(draw, board, "ABC"),
        **edges(draw, rows, columns),
    )

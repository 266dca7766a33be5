"""Draws pieces of any shape that rotate by right angles, and also slide."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.helpers.random_puzzles.parts import any_of, document, edges, metrics, shuffled

SHAPES = [["AA"], ["AAA"], ["AA", "A."], ["A"], ["AAA", ".A."]]


@st.composite
def pivots(draw: st.DrawFn) -> str:
    """A bar, an L, a T or a cell that rotates about its own cells, about marked cells, or about any cell."""
    rows, columns = draw(st.sampled_from([(3, 3), (3, 4), (2, 3), (2, 4)]))
    more = any_of(draw, {"#": 1, "~": 2, "B": 2, "C": 1})
    board = [list(row) for row in shuffled(draw, [".", *more], rows, columns)]
    for r, line in enumerate(draw(st.sampled_from(SHAPES))):
        for c, x in enumerate(line):
            board[r][c] = "A" if x == "A" else board[r][c]
    text = "".join("".join(row) for row in board)
    rules: dict[str, object] = {}
    for name in ["one", "two"][: draw(st.integers(1, 2))]:
        words = ["A", "any", "block", *["A|B"] * ("B" in text)]
        rule: dict[str, object] = {"pivot": draw(st.sampled_from(words))}
        centre = draw(st.sampled_from([None, "own", "ice", "floor", [[1, 1]], [[0, 0], [1, 2]]]))
        if centre is not None:
            rule["about"] = centre
        if draw(st.booleans()):
            rule["swept"] = draw(st.sampled_from(["free", "any"]))
        if draw(st.booleans()):
            rule["directions"] = draw(st.sampled_from(["clockwise", "counterclockwise", "both"]))
        if draw(st.integers(0, 3)) == 0:
            rule |= {
                "when": "cell(1, 1) == empty or x == 1 or sees(A, block)",
                "set": {"x": "(x + 1) % 3"},
            }
        rules[name] = rule
    if draw(st.integers(0, 2)) == 0:
        rules["slide"] = {"slide": "any"}
    between = edges(draw, rows, columns)
    if not between and draw(st.integers(0, 2)) == 0:
        rules["order"] = {"together": "B" if "B" in text else "any", "directions": "left down"}
    letters: dict[str, object] = {"letters": "A-Z", "interchangeable": draw(st.booleans())}
    if draw(st.integers(0, 2)) == 0:
        letters["directions"] = "horizontal"
    if draw(st.integers(0, 3)) == 0:
        letters["enters"] = "floor"
    then = {}
    if "C" in text and draw(st.integers(0, 3)) == 0:
        then = {"then": {"fall": {"slide": "C", "directions": "right", "when": "x == 1"}}}
    last = f"cell({rows - 1}, {columns - 1})"
    goals: list[object] = [f"{last} == A", "row(A) == 1", {"A": {"touches": "bottom"}}]
    goals += [{"A": {"touches": "right"}}, f"{last} == empty and cell(0, 0) == empty"]
    return document(
        puzzle="random-pivots",
        board=board,
        legend={".": "floor", "#": "wall", "~": "ice"},
        terrain=["ice"],
        pieces={"block": letters},
        variables={"x": {"values": "range(3)", "initial": 0}},
        moves=rules,
        goal=draw(st.sampled_from(goals)),
        metrics=draw(metrics(list(rules))),
        **then,
        **between,
    )

"""Draws boards of triangular cells with steps to neighbours, and moves along strips."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.helpers.random_puzzles.parts import any_of, document, metrics, shuffled
from tests.helpers.random_puzzles.patterns import WELL_KNOWN

_DIRECTIONS = ["strips", "strips", "orthogonal", "down-left up-right", "left right", "up", "all"]

SLIDES: list[dict[str, object]] = [
    {"slide": "a"},
    {"slide": "any", "distance": "blocked"},
    {"slide": "a|b", "distance": "blocked", "over": "spot"},
    {"slide": "a", "carries": "b"},
    {"slide": "b", "carries": "any", "most": 1},
    {"slide": "a", "sticky": "b"},
    {"together": "b", "directions": "strips"},
    {"together": "a", "carries": "b", "directions": "left right"},
    {"cycle": [[0, 0], [0, 1], [1, 1], [1, 0]]},
]


@st.composite
def triangles(draw: st.DrawFn) -> str:
    """Pieces of one cell that step, push, run and fall on triangles."""
    rows, columns = draw(st.sampled_from([(2, 3), (3, 2), (2, 2), (3, 3), (2, 4)]))
    board = shuffled(
        draw, [".", "a", "b", *any_of(draw, {"*": 2, "#": 1, "b": 1, "a": 1})], rows, columns
    )
    rules: dict[str, object] = {}
    for name in ["one", "two"][: draw(st.integers(1, 2))]:
        if draw(st.booleans()):
            before, after = map(list, draw(st.sampled_from(WELL_KNOWN)))
            rule: dict[str, object] = {"before": before, "after": after}
        else:
            rule = {**draw(st.sampled_from(SLIDES))}
        if "cycle" not in rule and "together" not in rule and draw(st.integers(0, 3)):
            rule["directions"] = draw(st.sampled_from(_DIRECTIONS))
        if draw(st.integers(0, 3)) == 0:
            rule["when"] = draw(st.sampled_from(["sees(a, b)", "not sees(b, a)", "row(a) > 0"]))
        rules[name] = rule
    follows: dict[str, object] = {}
    if draw(st.integers(0, 3)) == 0:
        fall = {"slide": "b", "directions": draw(st.sampled_from(["down", "down-right"]))}
        follows = {
            "then": {"fall": fall},
            "order": draw(st.sampled_from(["bottom-up", "top-down"])),
        }
    closed = [
        *(["rows"] if columns % 2 == 0 else []),
        *(["columns"] if rows % 2 == 0 else []),
        *(["both"] if columns % 2 == rows % 2 == 0 else []),
    ]
    wrap = {"wrap": draw(st.sampled_from(closed))} if closed and draw(st.booleans()) else {}
    goals: list[object] = [
        f"cell({rows - 1}, {columns - 1}) == a",
        "cell(0, 0) == b and sees(a, b)",
        {"a": {"touches": "right"}},
        "count(b, spot) == 1",
    ]
    return document(
        puzzle="random-triangles",
        board=[list(row) for row in board],
        geometry=draw(st.sampled_from(["triangle-up", "triangle-down"])),
        legend={".": "floor", "#": "wall", "*": "spot", "a": "a", "b": "b"},
        terrain=["spot"],
        pieces={
            "a": draw(st.sampled_from([{}, {"directions": "strips"}, {"mirror": "columns"}])),
            "b": {},
        },
        moves=rules,
        **follows,
        goal=draw(st.sampled_from(goals)),
        metrics=draw(metrics(list(rules))),
        **wrap,
    )

"""Draws moves with consequences, and commands to all pieces of a kind."""

from __future__ import annotations

from hypothesis import strategies as st

from fewest.commands.load import load_puzzle
from fewest.errors import DocumentError
from fewest.grounding.ground import ground
from tests.helpers.random_puzzles.parts import (
    DIRECTIONS,
    any_of,
    document,
    edges,
    metrics,
    shuffled,
    wrap,
)
from tests.helpers.random_puzzles.patterns import WELL_KNOWN

# Consequences in which pieces fall, meet, grow or change, and variables count down.
FOLLOWING: list[dict[str, object]] = [
    {"slide": "b", "directions": "down"},
    {"slide": "a", "directions": "right"},
    {"slide": "a|b", "directions": "down", "when": "x > 0"},
    {"slide": "big", "directions": "down"},
    {"slide": "b", "directions": "down", "carries": "any", "sticky": "a"},
    {"slide": "a", "directions": "right", "carries": "b", "most": 1, "when": "x > 0"},
    {"before": ["b", "b", "b"], "after": ["empty", "empty", "empty"]},
    {"before": ["b", "b"], "after": ["b", "empty"], "directions": "right down"},
    {"before": ["a", "empty...", "b"], "after": ["_", "_...", "empty"], "directions": "left"},
    {"before": ["a", "b"], "after": ["a", "a"], "directions": "orthogonal"},
    {"before": ["b", "empty"], "after": ["empty", "b"], "directions": "down right"},
    {"before": ["b on spot"], "after": ["empty"], "directions": "up"},
    {"before": ["any|wall", "empty on spot"], "after": ["_", "b"], "directions": "left"},
    {"before": ["b", "not b", "empty"], "after": ["empty", "_", "b"], "directions": "down"},
    {"before": ["b", "empty"], "after": ["empty", "b"], "when": "x > 0", "set": {"x": "x - 1"}},
    {
        "before": ["b", "a|empty"],
        "after": ["empty", "b"],
        "directions": "left",
        "when": "col(a) < 2",
    },
    {"before": ["b", "a"], "after": ["b", "b"], "when": "x > 0", "set": {"x": 0}},
    {"before": ["b", "b", "empty"], "after": ["empty", "a", "b"], "directions": "orthogonal"},
    {"when": "x == 2", "set": {"x": 0}},
    {"when": "x > 0 and y != x", "set": {"y": "x", "x": "x - 1"}},
    {"when": "cell(0, 0) == b", "set": {"x": "(x + 1) % 3"}},
]


def following() -> st.SearchStrategy[str]:
    """Moves with consequences: pieces fall, vanish, grow or react after a move."""
    return _following().filter(starts_at_rest)


def starts_at_rest(text: str) -> bool:
    """Whether the start has no consequences (otherwise the puzzle would be refused)."""
    try:
        ground(
            load_puzzle("random.yaml", text=text), most_divided=0
        )  # the form that is grounded fastest
    except DocumentError as error:
        return all(found.code != "start-consequence" for found in error.diagnostics)
    return True


@st.composite
def _orders(draw: st.DrawFn) -> dict[str, object]:
    """A rule that is a command to several pieces."""
    rule: dict[str, object] = {"together": draw(st.sampled_from(["a", "b", "a|b", "any"]))}
    if draw(st.booleans()):
        rule["directions"] = draw(st.sampled_from(DIRECTIONS))
    if draw(st.integers(0, 2)) == 0:
        rule["distance"] = "blocked"
    if draw(st.integers(0, 2)) == 0:
        rule[draw(st.sampled_from(["carries", "sticky"]))] = draw(st.sampled_from(["b", "any"]))
    if draw(st.integers(0, 2)) == 0:
        rule["set"] = {"x": "2"}
    return rule


def _staged(draw: st.DrawFn, rule: dict[str, object]) -> dict[str, object]:
    """The rule, sometimes with `everywhere` or `otherwise`."""
    stage = draw(st.sampled_from([None, None, "everywhere", "otherwise"]))
    if stage is None or not {"slide", "before"} & rule.keys():
        return rule
    return {**rule, stage: True}


@st.composite
def _following(draw: st.DrawFn) -> str:
    """Moves with consequences, without the check of the start."""
    rows, columns = draw(st.sampled_from([(2, 3), (3, 2)]))
    more = any_of(draw, {"b": 2, "#": 1, "*": 2})
    board = shuffled(draw, [".", "a", "b", *more], rows, columns)
    legend = {".": "floor", "#": "wall", "*": "spot", "a": "a", "b": "b"}
    pieces: dict[str, object] = {"a": {}, "b": {"interchangeable": draw(st.booleans())}}
    if draw(st.booleans()) and "." in board[0] + board[1]:
        column = next((c for c in range(columns) if board[0][c] == board[1][c] == "."), None)
        if column is not None:
            legend["M"] = "big"
            pieces["big"] = {"shape": "#\n#"}
            for row in (0, 1):
                board[row] = board[row][:column] + "M" + board[row][column + 1 :]
    moves: dict[str, object] = {}
    for name in ["one", "two"][: draw(st.integers(1, 2))]:
        before, after = draw(st.sampled_from(WELL_KNOWN))
        rule: dict[str, object] = {"before": before, "after": after}
        if draw(st.integers(0, 2)) == 0:
            rule["set"] = {"x": draw(st.sampled_from(["2", "(x + 1) % 3"]))}
        moves[name] = rule
    closed = wrap(draw, board, "M")
    if not closed and draw(st.booleans()):
        moves["order"] = draw(_orders())
        mirrors = st.sampled_from(
            [{}, {"mirror": "columns"}, {"mirror": "rows"}, {"mirror": "both"}]
        )
        pieces["a"] = draw(mirrors)
    if draw(st.integers(0, 3)) == 0:
        ring = draw(st.sampled_from([[[0, 0], [0, 1], [1, 1], [1, 0]], [[0, 0], [1, 0], [1, 1]]]))
        moves["ring"] = {"cycle": ring}
    elif "M" in legend and draw(st.booleans()):
        moves["turn"] = {"pivot": "any"}
    if draw(st.integers(0, 2)) == 0:
        moves["tilt"] = {"when": "x == 0", "set": {"x": "1"}}
    known = [f for f in FOLLOWING if f.get("slide") != "big" or "big" in pieces]
    chosen = draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique_by=id))
    chosen = [_staged(draw, rule) for rule in chosen]
    goals = ["count(b) == 0", "x == 2", f"cell({rows - 1}, {columns - 1}) == b", "row(a) == 0"]
    clear = [goal for goal in goals if "row(a)" not in goal]
    return document(
        puzzle="random-following",
        board=[list(row) for row in board],
        legend=legend,
        terrain=["spot"],
        pieces=pieces,
        variables={
            "x": {"values": "range(3)", "initial": draw(st.integers(0, 1))},
            "y": {"values": [0, 1, 2], "initial": 1},
        },
        moves=moves,
        then={f"then-{number}": rule for number, rule in enumerate(chosen)},
        order=draw(st.sampled_from(["top-down", "bottom-up", "left-right", "right-left"])),
        goal=draw(st.sampled_from(clear)),
        metrics=draw(metrics(list(moves))),
        **({} if draw(st.integers(0, 3)) else {"forbid": "x == 1 and y == 1"}),
        **closed,
        **edges(draw, rows, columns),
    )

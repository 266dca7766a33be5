"""Hypothesis strategies for small puzzles that are symmetric by construction, as YAML text."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.helpers.random_puzzles.parts import document, grids, metrics

MIRRORED = """
puzzle: mirrored
model: sliding-blocks
board: |
  AXA
  BCB
  .D.
goal:
  X: {touches: bottom}
"""

ALL_DIRECTIONS = [None, "orthogonal", "all", "horizontal"]


def _mirrored(half: list[str], middle: str) -> list[str]:
    """Each row, its middle column, and the reversed row; capital letters become lower-case letters."""
    return [row + seam + row[::-1].swapcase() for row, seam in zip(half, middle, strict=True)]


@st.composite
def mirrored_slides(draw: st.DrawFn) -> str:
    """Blocks and their mirror images; the start may also be symmetric, or nearly symmetric."""
    half = draw(grids("AAB..#~", max_rows=3, max_columns=2))
    middle = "".join(draw(st.sampled_from(".~X#")) for _ in half)
    rows = _mirrored(half, middle)
    if draw(st.booleans()):  # the task stays symmetric if a piece is removed from the start
        at = draw(st.integers(0, len(rows) - 1))
        rows[at] = rows[at].replace(draw(st.sampled_from("AbX")), ".")
    letters = sorted({c for row in rows for c in row if c.isalpha()})
    if not letters:
        rows[0] = _mirrored(["A" + half[0][1:]], middle[:1])[0]
        letters = ["A", "a"]
    letter = draw(st.sampled_from(letters))
    goals: list[object] = [{letter: {"touches": "bottom"}}]
    if letter.swapcase() in letters:
        goals.append([{letter: {"touches": "left"}}, {letter.swapcase(): {"touches": "right"}}])
    if any("~" in row for row in rows) and sum(row.count(letter) for row in rows) == 1:
        goals.append({letter: {"on": "ice"}})
    if any("X" in row for row in rows) and rows[0][len(half[0])] != "#":
        goals.append({"X": {"at": [0, len(half[0])]}})
    goal = draw(st.sampled_from(goals))
    rule: dict[str, object] = {"slide": "block"}
    if (directions := draw(st.sampled_from(ALL_DIRECTIONS))) is not None:
        rule["directions"] = directions
    if draw(st.integers(0, 3)) == 0:
        rule["distance"] = "blocked"
    return document(
        puzzle="mirrored-slides",
        board=[list(row) for row in rows],
        legend={".": "floor", "#": "wall", "~": "ice"},
        terrain=["ice"],
        pieces={"block": {"letters": "A-Za-z", "interchangeable": draw(st.booleans())}},
        moves={"one": rule},
        goal=goal,
        metrics=draw(metrics(["one"])),
    )


def _with_boxes_for_targets(rows: list[str]) -> list[str]:
    """A mirrored level with at least one box, and with no more targets than boxes."""
    if not any(c in "$*" for row in rows for c in row):
        rows = [*rows[:-1], "$" + rows[-1][1:-1] + "$"]
    for number, row in enumerate(rows):
        boxes = sum(row.count(c) for row in rows for c in "$*")
        if sum(row.count(c) for row in rows for c in "t*") > boxes:
            rows = [*rows[:number], row.replace("t", "."), *rows[number + 1 :]]
    if not any(c in "t*" for row in rows for c in row):
        rows = [row.replace("$", "*") for row in rows]
    return rows


@st.composite
def mirrored_warehouses(draw: st.DrawFn) -> str:
    """A walker that pushes or pulls boxes on a mirrored floor, with and without forbidden cells."""
    half = draw(grids("..$*#t", max_rows=4, max_columns=2))
    middle = "@" + "".join(draw(st.sampled_from(".t$")) for _ in half[1:])
    rows = [row + seam + row[::-1] for row, seam in zip(half, middle, strict=True)]
    rows = _with_boxes_for_targets(rows)
    rules: dict[str, object] = {
        "walk": {"before": ["player", "empty"], "after": ["empty", "player"]},
        "push": {"before": ["player", "box", "empty"], "after": ["empty", "player", "box"]},
        "pull": {"before": ["empty", "player", "box"], "after": ["player", "box", "empty"]},
    }
    del rules[draw(st.sampled_from(["push", "pull"]))]
    names = [*rules]
    found = {
        "pushes": {"count": {names[0]: 0, names[1]: 1}},
        "toll": {"count": {names[0]: 1, names[1]: 3}},
        **draw(metrics(names)),
    }
    # The forbidden cells are in the middle, so they are also symmetric.
    forbid = draw(st.sampled_from([None, None, {"box": {"at": [len(rows) - 1, len(half[0])]}}]))
    extra = {} if forbid is None else {"forbid": forbid}
    return document(
        puzzle="mirrored-warehouse",
        board=[list(row) for row in rows],
        legend={
            ".": "floor",
            "#": "wall",
            "t": "target",
            "@": "player",
            "$": "box",
            "*": "box on target",
        },
        terrain=["target"],
        pieces={"player": {}, "box": {}},
        moves=rules,
        goal={"every": "target", "holds": "box"},
        metrics=found,
        **extra,
    )


@st.composite
def square_jumps(draw: st.DrawFn) -> str:
    """Pegs on a square with rotations and reflections, and interchangeable counters."""
    size = draw(st.integers(2, 3))
    rows = ["".join(draw(st.sampled_from("oo.")) for _ in range(size)) for _ in range(size)]
    rules: dict[str, object] = {
        "jump": {"before": ["peg", "peg", "empty"], "after": ["empty", "empty", "peg"]},
        "hop": {"before": ["peg", "empty"], "after": ["empty", "peg"]},
        "count": {"for": {"i": "range(2)"}, "when": "v[i] < 2", "set": {"v[i]": "v[i] + 1"}},
    }
    del rules[draw(st.sampled_from([*rules]))]
    goal = draw(st.sampled_from([{"count": {"peg": 1}}, "v[0] == v[1] and v[0] == 2"]))
    return document(
        puzzle="square-jumps",
        board=[list(row) for row in rows],
        legend={".": "floor", "o": "peg"},
        pieces={"peg": {}},
        variables={"v[i]": {"for": {"i": "range(2)"}, "values": "range(3)", "initial": "0"}},
        moves=rules,
        goal=goal,
        metrics=draw(metrics([*rules])),
    )


@st.composite
def coloured_rings(draw: st.DrawFn) -> str:
    """Two rings on a small board; the goal does not distinguish the colours of the beads."""
    beads = draw(st.permutations(list("aabb..")))
    rings = draw(
        st.sampled_from(
            [
                [[[0, 0], [0, 1], [1, 1], [1, 0]], [[0, 1], [0, 2], [1, 2], [1, 1]]],
                [[[0, 0], [0, 1], [0, 2]], [[1, 0], [1, 1], [1, 2]]],
            ]
        )
    )
    rules = {"left": {"cycle": rings[0]}, "right": {"cycle": rings[1]}}
    goal = draw(
        st.sampled_from(
            [
                [{"board": [list("aa?"), list("?bb")]}, {"board": [list("bb?"), list("?aa")]}],
                [{"board": [list("a?a"), list("b?b")]}, {"board": [list("b?b"), list("a?a")]}],
            ]
        )
    )
    return document(
        puzzle="coloured-rings",
        board=[list(beads[:3]), list(beads[3:])],
        legend={".": "floor", "a": "amber", "b": "blue"},
        pieces={"amber": {}, "blue": {}},
        moves=rules,
        goal=goal,
        metrics=draw(metrics(["left", "right"])),
    )


def symmetric_puzzles() -> st.SearchStrategy[str]:
    return st.one_of(mirrored_slides(), mirrored_warehouses(), square_jumps(), coloured_rings())

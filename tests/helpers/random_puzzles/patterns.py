"""Draws pieces of one cell that push, jump, capture, swap and appear."""

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
    shuffled,
    wrap,
)

_KINDS = st.sampled_from(["known", "line", "line", "square"])


# These patterns are moves of well-known puzzles: walk, push, jump over, capture, change places, multiply.
WELL_KNOWN = [
    (["a", "empty"], ["empty", "a"]),
    (["b", "empty"], ["empty", "b"]),
    (["a|b", "empty"], ["empty", "a|b"]),
    (["a", "b", "empty"], ["empty", "a", "b"]),
    (["b", "any", "empty"], ["empty", "any", "b"]),
    (["a", "b", "empty"], ["empty", "empty", "a"]),
    (["a", "b"], ["b", "a"]),
    (["a", "empty"], ["a", "b"]),
    (["b", "_", "empty"], ["empty", "_", "b"]),
    (["a", "empty on spot"], ["empty", "a"]),
    (["a", "b|empty"], ["empty", "a"]),
    (["a", "empty", "not wall"], ["empty", "a", "not wall"]),
    (["any|wall", "b", "empty"], ["any|wall", "empty", "b"]),
    (["not b on spot", "a", "empty"], ["_", "empty", "a"]),
    (["a", "b", "b...", "empty"], ["empty", "a", "b", "b..."]),
    (["a", "empty...", "b"], ["empty", "empty...", "a"]),
    (["b", "empty...", "empty", "any|wall"], ["empty", "empty...", "b", "_"]),
    (["a", "any...", "empty off spot..."], ["_", "empty...", "_..."]),
]


# If `before` has such an element, or a wall, `after` must leave the cell as it is.
SEVERAL = ["not a", "not wall", "not empty", "any|wall", "b|empty", "a|empty|wall off spot"]


def _stays(word: str) -> bool:
    return word in ("wall", "_") or word in SEVERAL


def _shuffle_free(draw: st.DrawFn, words: list[str]) -> list[str]:
    """The words without terrains, in a different order; words that must stay keep their positions."""
    bare = [word if _stays(word) else word.split()[0] for word in words]
    free = [number for number, word in enumerate(bare) if not _stays(word)]
    order = iter(draw(st.permutations([bare[number] for number in free])))
    return [next(order) if number in free else word for number, word in enumerate(bare)]


@st.composite
def patterns(draw: st.DrawFn) -> str:
    """Pieces of one cell that push, jump, capture, swap and appear, with variables."""
    if draw(st.integers(0, 3)):
        rows, columns = draw(st.sampled_from([(2, 3), (3, 2), (1, 4), (2, 2), (3, 3)]))
        board = shuffled(
            draw, [".", "a", "b", *any_of(draw, {"*": 2, "#": 1, "b": 1, "a": 1})], rows, columns
        )
    else:
        board = draw(grids("abb..#*", max_rows=3, max_columns=3))
    num_a, num_b, num_spots = (len(cells_of(board, c)) for c in "ab*")
    words = ["a", "b", "any", "a|b", "empty", "empty", "wall", "_", "empty on spot", "b off spot"]
    words.append(draw(st.sampled_from(SEVERAL)))
    rules: dict[str, object] = {}
    for name in ["one", "two"][: draw(st.integers(1, 2))]:
        kind = "known" if name == "one" and draw(st.integers(0, 3)) < 3 else draw(_KINDS)
        if kind == "square":
            before = [[draw(st.sampled_from(words)) for _ in range(2)] for _ in range(2)]
            flat = _shuffle_free(draw, [word for row in before for word in row])
            after: object = [flat[:2], flat[2:]]
            rule: dict[str, object] = {"before": before, "after": after, "rotations": True}
        else:
            if kind == "known":
                line, after_words = map(list, draw(st.sampled_from(WELL_KNOWN)))
            else:
                line = [draw(st.sampled_from(words)) for _ in range(draw(st.integers(2, 3)))]
                after_words = _shuffle_free(draw, line)
            place = draw(st.integers(0, len(line) - 1))
            may_be_wall = line[place].startswith("not") or "wall" in line[place]
            is_fixed = line[place] == "_" or may_be_wall or line[place].endswith("...")
            if draw(st.integers(0, 3)) == 3 and not is_fixed:
                after_words[place] = draw(st.sampled_from(["empty", "a", "b"]))
            rule = {"before": line, "after": after_words}
            if kind == "known" and line != ["a", "empty"] and draw(st.integers(0, 3)) == 0:
                rule["distance"] = "blocked"
            if draw(st.booleans()):
                rule["directions"] = draw(st.sampled_from([*DIRECTIONS, "knight", [[0, 1]]]))
        if draw(st.integers(0, 2)) == 2:
            rule["when"] = draw(
                st.sampled_from(
                    [
                        "x < 2",
                        "x == y",
                        "y != 0 or x == 0",
                        "cell(0, 0) != b",
                        "count(b) > 1",
                        "sees(a, b)",
                        "not sees(b, a) or x == 1",
                        "count(a, spot) == 0",
                        "count(a) + count(b, spot) != 2",
                        "1 < count(b) + count(a)",
                        "count(b) + count(b) in [0, 4, x]",
                        "terrain(0, 1) == spot or x == 0",
                        "terrain(x, y) != wall and terrain(y, -1) != floor",
                    ]
                )
            )
        if draw(st.integers(0, 2)) == 2:
            rule["set"] = draw(
                st.sampled_from([{"x": "(x + 1) % 3"}, {"y": "x"}, {"x": 0, "y": "2 - y"}])
            )
        rules[name] = rule
    goals: list[object] = []
    if num_a and any(row[-1] != "#" for row in board):
        goals.append({"a": {"touches": "right"}})
        goals.append({"all": [{"a": {"touches": "right"}}, "y == 0"]})
    if num_b and board[-1][0] != "#":
        blank = [["?"] * len(board[0]) for _ in board[1:]]
        goals.append({"board": [*blank, ["b", *"?" * (len(board[0]) - 1)]]})
    if 0 < num_spots <= num_b:
        goals.append({"every": "spot", "holds": "b"})
        goals.append({"every": "b", "on": "floor|spot", "touches": "left"})
    if num_spots and num_b:
        goals.append({"every": "b", "on": "spot"})
        goals.append("count(b, not spot) == 0 and count(b, floor) < columns")
    made = [
        str(rule["after"]).count("'b'") > str(rule["before"]).count("'b'")
        for rule in rules.values()
    ]  # type: ignore[index]
    if num_b == 1 or any(made):
        goals.append({"count": {"b": 1}})
    goals += [f"cell({len(board) - 1}, 0) == a", "x == 2 and count(b, spot) >= 1", "y == 0"]
    forbids: list[object] = [None, None, "x == 1 and y == 1"]
    if num_a and board[0][0] != "#":
        forbids.append({"a": {"at": [0, 0]}})
    forbid = draw(st.sampled_from(forbids))
    return document(
        puzzle="random-patterns",
        board=[list(row) for row in board],
        legend={".": "floor", "#": "wall", "*": "spot", "a": "a", "b": "b"},
        terrain=["spot"],
        pieces={"a": {}, "b": {"interchangeable": draw(st.booleans())}},
        variables={
            "x": {"values": "range(3)", "initial": 0},
            "y": {"values": [0, 1, 2], "initial": 1},
        },
        moves=rules,
        goal=draw(st.sampled_from(goals)),
        metrics=draw(metrics(list(rules))),
        **({} if forbid is None else {"forbid": forbid}),
        **wrap(draw),
        **edges(draw, len(board), len(board[0])),
    )

"""Hypothesis strategies for small random puzzles of every rule kind, as YAML text.

They are drawn as text on purpose: what is tested is everything from the parser down. Some are
refused (a goal that cannot be, a rule that makes no sense); tests pass over those.
"""

from __future__ import annotations

import json

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
]


def _document(**keys: object) -> str:
    """The keys as YAML; JSON is YAML, and leaves no doubt about quoting."""
    return "\n".join(f"{key}: {json.dumps(value)}" for key, value in keys.items()) + "\n"


@st.composite
def metrics(draw: st.DrawFn, rules: list[str]) -> dict[str, object]:
    """Unit, merging, weighted (zero too) and lexicographic metrics over the rules."""
    weights = {rule: draw(st.integers(0, 2)) for rule in rules}
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


def _wrap(draw: st.DrawFn) -> dict[str, object]:
    wrap = draw(st.sampled_from([None, None, None, "rows", "columns", "both"]))
    return {} if wrap is None else {"wrap": wrap}


@st.composite
def slides(draw: st.DrawFn) -> str:
    """Letter pieces of any shape that slide a cell, or until something stops them."""
    board = draw(grids("AABBC....#~"))
    rows, columns = len(board), len(board[0])
    rules: dict[str, object] = {}
    for name in draw(
        st.lists(st.sampled_from(["one", "two"]), min_size=1, max_size=2, unique=True)
    ):
        rule: dict[str, object] = {
            "slide": draw(st.sampled_from(["block", "block", "any", "A|B", "A"]))
        }
        if draw(st.booleans()):
            rule["directions"] = draw(st.sampled_from(DIRECTIONS))
        if draw(st.integers(0, 2)) == 0:
            rule["distance"] = "blocked"
            if draw(st.booleans()):
                rule["stopped-by"] = draw(st.sampled_from(["piece", "wall"]))
            if draw(st.booleans()):
                rule["over"] = draw(st.sampled_from(["ice", "floor"]))
        rules[name] = rule
    piece: dict[str, object] = {"letters": "A-Z"}
    if draw(st.booleans()):
        piece["directions"] = draw(st.sampled_from(DIRECTIONS))
    if draw(st.integers(0, 3)) == 0:
        piece["interchangeable"] = False
    if draw(st.integers(0, 3)) == 0:
        piece["enters"] = draw(st.sampled_from(["floor", "ice", ["floor", "ice"]]))
    letter = draw(st.sampled_from("ABC"))
    goal = draw(
        st.sampled_from(
            [
                {
                    letter: {
                        "at": [draw(st.integers(0, rows - 1)), draw(st.integers(0, columns - 1))]
                    }
                },
                {letter: {"touches": draw(st.sampled_from(["left", "right", "top", "bottom"]))}},
                {letter: {"on": "ice"}},
                {letter: {"covers": "ice"}},
                f"row({letter}) == 0 or cell({rows - 1}, {columns - 1}) == empty",
                f"cell(0, {columns - 1}) == {letter}",
                [{"A": {"touches": "right"}}, {"B": {"touches": "left"}}],
            ]
        )
    )
    terrain: object = ["ice"]
    if draw(st.integers(0, 3)) == 0:
        terrain = {"ice": draw(st.sampled_from(["block", "A", ["A", "B"]]))}
    return _document(
        puzzle="random-slides",
        board=board and [list(row) for row in board],
        legend={".": "floor", "#": "wall", "~": "ice"},
        terrain=terrain,
        pieces={"block": piece},
        moves=rules,
        goal=goal,
        metrics=draw(metrics(list(rules))),
        **_wrap(draw),
    )


@st.composite
def patterns(draw: st.DrawFn) -> str:
    """Single-cell pieces that push, jump, capture, swap and appear, with variables beside."""
    board = draw(grids("abb..#*", max_rows=3, max_columns=3))
    words = ["a", "b", "any", "a|b", "empty", "empty", "wall", "_", "empty on spot", "b off spot"]
    rules: dict[str, object] = {}
    for name in ["one", "two"][: draw(st.integers(1, 2))]:
        if draw(st.integers(0, 4)) == 0:
            before = [[draw(st.sampled_from(words)) for _ in range(2)] for _ in range(2)]
            flat = [word.split()[0] for row in before for word in row]
            shuffled = draw(st.permutations(flat))
            after: object = [list(shuffled[:2]), list(shuffled[2:])]
            rule: dict[str, object] = {"before": before, "after": after, "rotations": True}
        else:
            length = draw(st.integers(2, 3))
            line = [draw(st.sampled_from(words)) for _ in range(length)]
            after_words = list(draw(st.permutations([word.split()[0] for word in line])))
            if draw(st.integers(0, 3)) == 0:
                place = draw(st.integers(0, length - 1))
                after_words[place] = draw(st.sampled_from(["empty", "a", "b"]))
            rule = {"before": line, "after": after_words}
            if draw(st.booleans()):
                rule["directions"] = draw(st.sampled_from([*DIRECTIONS, "knight", [[0, 1]]]))
        if draw(st.integers(0, 2)) == 0:
            rule["when"] = draw(
                st.sampled_from(
                    [
                        "x < 2",
                        "x == y",
                        "y != 0 or x == 0",
                        "cell(0, 0) != b",
                        "count(b) > 1",
                        "count(any_, spot) == 0",
                    ]
                )
            ).replace("any_", "a")
        if draw(st.integers(0, 2)) == 0:
            rule["set"] = draw(
                st.sampled_from([{"x": "(x + 1) % 3"}, {"y": "x"}, {"x": 0, "y": "2 - y"}])
            )
        rules[name] = rule
    goal = draw(
        st.sampled_from(
            [
                {"every": "spot", "holds": "b"},
                {"count": {"b": 1}},
                {
                    "board": [["?"] * len(board[0]) for _ in board[1:]]
                    + [["b", *"?" * (len(board[0]) - 1)]]
                },
                "x == 2 and count(b, spot) >= 1",
                {"all": [{"a": {"touches": "right"}}, "y == 0"]},
            ]
        )
    )
    forbid = draw(st.sampled_from([None, None, "x == 1 and y == 1", {"a": {"at": [0, 0]}}]))
    return _document(
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
        goal=goal,
        metrics=draw(metrics(list(rules))),
        **({} if forbid is None else {"forbid": forbid}),
        **_wrap(draw),
    )


@st.composite
def cycles(draw: st.DrawFn) -> str:
    """Rings over a small board, turned both ways or one."""
    board = draw(grids("aab.", max_rows=3, max_columns=3).filter(lambda b: len(b) > 1))
    rows, columns = len(board), len(board[0])
    cells = [[r, c] for r in range(rows) for c in range(columns)]
    rules: dict[str, object] = {}
    for name in ["one", "two"][: draw(st.integers(1, 2))]:
        size = draw(st.integers(2, 4))
        ring = list(draw(st.permutations(cells)))[:size]
        rules[name] = {"cycle": ring}
        if draw(st.integers(0, 2)) == 0:
            rules[name]["directions"] = draw(st.sampled_from(["forward", "backward"]))  # type: ignore[index]
    if draw(st.booleans()):
        rules["hop"] = {"before": ["a", "empty"], "after": ["empty", "a"]}
    target = draw(st.permutations([c for row in board for c in row]))
    goal = [list(target[r * columns : (r + 1) * columns]) for r in range(rows)]
    return _document(
        puzzle="random-cycles",
        board=[list(row) for row in board],
        legend={".": "floor", "a": "a", "b": "b"},
        pieces={"a": {"interchangeable": draw(st.booleans())}, "b": {}},
        moves=rules,
        goal={"board": goal},
        metrics=draw(metrics(list(rules))),
    )


@st.composite
def actions(draw: st.DrawFn) -> str:
    """Indexed variables with guarded, looped assignments."""
    size = draw(st.integers(1, 3))
    conditions = [
        "v[i] != k",
        "v[i] < v[j]",
        "all(v[m] <= 1 for m in range(n))",
        "v[i] + v[j] == 2",
        "not (v[j] == k and s == left)",
        "s == right or v[i] == 0",
        "sum(v[m] for m in range(n)) % 2 == 0",
    ]
    assignments = [
        {"v[i]": "k"},
        {"v[i]": "v[j]", "v[j]": "v[i]"},
        {"v[j]": "max(v[i], k)"},
        {"v[m] for m in range(n) if m != i": "2 - v[m]"},
        {"s": "left if s == right else right"},
        {"v[i]": "min(2, v[i] + 1)", "s": "left"},
    ]
    rules = {
        name: {
            "for": {"i": "range(n)", "j": "range(n)", "k": "range(3)"},
            "when": draw(st.sampled_from(conditions)),
            "set": draw(st.sampled_from(assignments)),
        }
        for name in ["one", "two"][: draw(st.integers(1, 2))]
    }
    goal = draw(
        st.sampled_from(
            [
                "all(v[i] == 2 for i in range(n))",
                "v[0] == 1 and s == right",
                ["v[0] == 2", "s == right"],
                "sum(v[i] for i in range(n)) == n + 1",
            ]
        )
    )
    return _document(
        puzzle="random-actions",
        parameters={"n": size},
        variables={
            "v[i]": {
                "for": {"i": "range(n)"},
                "values": "range(3)",
                "initial": draw(st.sampled_from(["0", "i % 3"])),
            },
            "s": {"values": ["left", "right"], "initial": "left"},
        },
        moves=rules,
        goal=goal,
        metrics=draw(metrics(list(rules))),
    )


def puzzles() -> st.SearchStrategy[str]:
    """Small random puzzles of every rule kind, as YAML text."""
    return st.one_of(slides(), patterns(), cycles(), actions())

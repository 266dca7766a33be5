"""Hypothesis strategies for small random puzzles of every rule kind, as YAML text.

They are drawn as text on purpose: what is tested is everything from the parser down. Some are
refused (a goal that cannot be, a rule that makes no sense); tests pass over those.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from hypothesis import strategies as st

from fewest.errors import DocumentError
from fewest.grounding.ground import ground
from fewest.questions.load import load_puzzle

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
    "hex-right",
    "hex-left",
]


def _document(**keys: object) -> str:
    """The keys as YAML; JSON is YAML, and leaves no doubt about quoting."""
    return "\n".join(f"{key}: {json.dumps(value)}" for key, value in keys.items()) + "\n"


@st.composite
def metrics(draw: st.DrawFn, rules: list[str], by_index: Sequence[str] = ()) -> dict[str, object]:
    """Unit, merging, weighted (zero too) and lexicographic metrics over the rules.

    `by_index`: expressions in the indices of the rules, which are weights as well.
    """
    weights = {rule: draw(st.one_of(st.integers(0, 2), *map(st.just, by_index))) for rule in rules}
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


LOOPS: list[object] = ["range(3)", [0, 1, 2], [2, "n - 1"], ["cap[0]", 1]]


def _wrap(draw: st.DrawFn) -> dict[str, object]:
    wrap = draw(st.sampled_from([None, None, None, "rows", "columns", "both"]))
    return {} if wrap is None else {"wrap": wrap}


def _edges(draw: st.DrawFn, rows: int, columns: int) -> dict[str, object]:
    """Now and then walls, one-way edges and portals between the cells of a board."""
    if draw(st.integers(0, 2)):
        return {}
    pairs = [
        [[r, c], [r + down, c + right]]
        for r in range(rows)
        for c in range(columns)
        for down, right in ((0, 1), (1, 0))
        if r + down < rows and c + right < columns
    ]
    chosen = draw(st.lists(st.sampled_from(pairs), max_size=4)) if pairs else []
    cut = draw(st.integers(0, len(chosen)))
    portals = [
        {
            "leaving": [draw(st.integers(0, rows - 1)), draw(st.integers(0, columns - 1))],
            "by": draw(st.sampled_from(["up", "down", "left", "right", "down-right"])),
            "entering": [draw(st.integers(0, rows - 1)), draw(st.integers(0, columns - 1))],
            "both": draw(st.booleans()),
        }
        for _ in range(draw(st.integers(0, 2)))
    ]
    turned = [pair[:: draw(st.sampled_from([1, -1]))] for pair in chosen[cut:]]
    return {"edges": {"walls": chosen[:cut], "one-way": turned, "portals": portals}}


def _shuffled(draw: st.DrawFn, characters: list[str], rows: int, columns: int) -> list[str]:
    """A board of so many rows with these characters in any order; the first stands for all the rest."""
    cells = [*characters[1:], *characters[0] * (rows * columns)][: rows * columns]
    order = draw(st.permutations(cells))
    return ["".join(order[r * columns : (r + 1) * columns]) for r in range(rows)]


def _any_of(draw: st.DrawFn, most: dict[str, int]) -> list[str]:
    """Some of each character, at most so many."""
    return [c for c, number in most.items() for _ in range(draw(st.integers(0, number)))]


def _cells_of(board: list[str], characters: str) -> list[tuple[int, int]]:
    return [(r, c) for r, row in enumerate(board) for c, x in enumerate(row) if x in characters]


def _may_stand(board: list[str], shape: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where the upper left corner of a shape may be so that no wall is below it."""
    top, left = min(r for r, _ in shape), min(c for _, c in shape)
    walls = set(_cells_of(board, "#"))
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
    """Letter pieces of any shape that slide a cell, or until something stops them."""
    if draw(st.integers(0, 3)):
        rows, columns = draw(st.sampled_from([(2, 3), (2, 4), (1, 4), (3, 3), (3, 4)]))
        board = _shuffled(
            draw,
            [".", "A", *_any_of(draw, {"A": 1, "B": 2, "C": 1, "#": 1, "~": 2})],
            rows,
            columns,
        )
    else:
        board = draw(grids("AABBC....#~"))
        if not _cells_of(board, "ABC"):
            board[0] = "A" + board[0][1:]
    rows, columns = len(board), len(board[0])
    letters = [letter for letter in "ABC" if _cells_of(board, letter)]
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
        elif draw(st.booleans()) and len(_cells_of(board, "ABC")) <= 3:  # else many cases
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
    together = draw(st.integers(0, 4)) == 0
    if together:
        piece["parts"] = "together"
    terrain: object = ["ice"]
    if draw(st.integers(0, 3)) == 0:
        terrain = {"ice": draw(st.sampled_from(["block", letters[0], letters[:2]]))}
    letter = draw(st.sampled_from(letters))
    pieces = [_cells_of(board, letter)] if together else _pieces(board, letter)
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
        ice = _cells_of(board, "~")
        goals += [{letter: {"on": "ice"}}] * bool(ice) + [{letter: {"covers": "ice"}}] * (
            len(ice) == 1
        )
    return _document(
        puzzle="random-slides",
        board=[list(row) for row in board],
        legend={".": "floor", "#": "wall", "~": "ice"},
        terrain=terrain,
        pieces={"block": piece},
        moves=rules,
        goal=draw(st.sampled_from(goals)),
        metrics=draw(metrics(list(rules))),
        **({} if together else _wrap(draw)),
        **_edges(draw, rows, columns),
    )


def _pieces(board: list[str], letter: str) -> list[list[tuple[int, int]]]:
    """The pieces of a letter: its cells that hang together, wrapping aside."""
    left = set(_cells_of(board, letter))
    found = []
    while left:
        piece, waiting = [], [min(left)]
        while waiting:
            at = waiting.pop()
            if at in left:
                left.remove(at)
                piece.append(at)
                waiting += [(at[0] + y, at[1] + x) for y, x in ((0, 1), (1, 0), (0, -1), (-1, 0))]
        found.append(sorted(piece))
    return found


_KINDS = st.sampled_from(["known", "line", "line", "square"])

# What pieces do in puzzles that people play: walk, push, jump over, capture, change places, multiply.
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
# What may be no piece stays where it is, or makes way; walls and what may be anything stay.
SEVERAL = ["not a", "not wall", "not empty", "any|wall", "b|empty", "a|empty|wall off spot"]


def _stays(word: str) -> bool:
    return word in ("wall", "_") or word in SEVERAL


def _shuffle_free(draw: st.DrawFn, words: list[str]) -> list[str]:
    """The words without their places, in another order; what must stay where it is does."""
    bare = [word if _stays(word) else word.split()[0] for word in words]
    free = [number for number, word in enumerate(bare) if not _stays(word)]
    order = iter(draw(st.permutations([bare[number] for number in free])))
    return [next(order) if number in free else word for number, word in enumerate(bare)]


@st.composite
def patterns(draw: st.DrawFn) -> str:
    """Single-cell pieces that push, jump, capture, swap and appear, with variables beside."""
    if draw(st.integers(0, 3)):
        rows, columns = draw(st.sampled_from([(2, 3), (3, 2), (1, 4), (2, 2), (3, 3)]))
        board = _shuffled(
            draw, [".", "a", "b", *_any_of(draw, {"*": 2, "#": 1, "b": 1, "a": 1})], rows, columns
        )
    else:
        board = draw(grids("abb..#*", max_rows=3, max_columns=3))
    num_a, num_b, num_spots = (len(_cells_of(board, c)) for c in "ab*")
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
                        "count(a, spot) == 0",
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
        goal=draw(st.sampled_from(goals)),
        metrics=draw(metrics(list(rules))),
        **({} if forbid is None else {"forbid": forbid}),
        **_wrap(draw),
        **_edges(draw, len(board), len(board[0])),
    )


def _turned(board: list[str], rings: list[list[list[int]]]) -> list[list[str]]:
    """The board after each of the rings was turned by one."""
    turned = [list(row) for row in board]
    for ring in rings:
        held = [turned[r][c] for r, c in ring]
        for (r, c), x in zip(ring, held[-1:] + held[:-1], strict=True):
            turned[r][c] = x
    return turned


@st.composite
def cycles(draw: st.DrawFn) -> str:
    """Rings over a small board, turned both ways or one."""
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
        steps = [step for step in (2, 3, -1) if step % size]  # others turn it back to where it was
        if len(order) >= size + 2 and draw(st.integers(0, 2)) == 0:  # two of them at once
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
        "v[i] <= cap[i] and cap[j] > 0",
        "v[j] != start[i] or s == open[left]",
    ]
    assignments = [
        {"v[i]": "k"},
        {"v[i]": "v[j]", "v[j]": "v[i]"},
        {"v[j]": "max(v[i], k)"},
        {"v[m] for m in range(n) if m != i": "2 - v[m]"},
        {"s": "left if s == right else right"},
        {"v[i]": "min(2, v[i] + 1)", "s": "left"},
        {"v[i]": "min(cap[i], v[j])", "s": "open[s]"},
    ]
    rules = {
        name: {
            "for": {"i": "range(n)", "j": "range(n)", "k": draw(st.sampled_from(LOOPS))},
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
        constants={
            "cap": draw(st.lists(st.integers(0, 2), min_size=3, max_size=3)),
            "open": {"left": "right", "right": "left"},
            "start": "[i % 3 for i in range(n)]",
        },
        variables={
            "v[i]": {
                "for": {"i": "range(n)"},
                "values": "range(3)",
                "initial": draw(st.sampled_from(["0", "i % 3", "start[i]"])),
            },
            "s": {"values": ["left", "right"], "initial": "left"},
        },
        moves=rules,
        goal=goal,
        metrics=draw(metrics(list(rules), ["i", "k % 2 + j", "max(cap[i], 1)"])),
    )


# What happens by itself: pieces fall, meet, grow, change, and variables count down.
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
    """Moves with consequences: what falls, vanishes, grows or answers after a move."""
    return _following().filter(_is_settled)


def _is_settled(text: str) -> bool:
    """Whether nothing happens by itself at the start (that would be refused)."""
    try:
        ground(load_puzzle("random.yaml", text=text))
    except DocumentError as error:
        return all(found.code != "start-unsettled" for found in error.diagnostics)
    return True


@st.composite
def _orders(draw: st.DrawFn) -> dict[str, object]:
    """A rule that gives an order to many."""
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
    """The rule, now and then at all places at once, or in a stage of its own."""
    said = draw(st.sampled_from([None, None, "everywhere", "otherwise"]))
    if said is None or not {"slide", "before"} & rule.keys():
        return rule
    return {**rule, said: True}


@st.composite
def _following(draw: st.DrawFn) -> str:
    """Moves with consequences: what falls, vanishes, grows or answers after a move."""
    rows, columns = draw(st.sampled_from([(2, 3), (3, 2)]))
    more = _any_of(draw, {"b": 2, "#": 1, "*": 2})
    board = _shuffled(draw, [".", "a", "b", *more], rows, columns)
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
    wrap = _wrap(draw)
    if not wrap and draw(st.booleans()):
        moves["order"] = draw(_orders())
        mirrors = st.sampled_from(
            [{}, {"mirror": "columns"}, {"mirror": "rows"}, {"mirror": "both"}]
        )
        pieces["a"] = draw(mirrors)
    if draw(st.integers(0, 2)) == 0:
        moves["tilt"] = {"when": "x == 0", "set": {"x": "1"}}
    known = [f for f in FOLLOWING if f.get("slide") != "big" or "big" in pieces]
    chosen = draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique_by=id))
    chosen = [_staged(draw, rule) for rule in chosen]
    goals = ["count(b) == 0", "x == 2", f"cell({rows - 1}, {columns - 1}) == b", "row(a) == 0"]
    clear = [goal for goal in goals if "row(a)" not in goal]
    return _document(
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
        **wrap,
        **_edges(draw, rows, columns),
    )


@st.composite
def graphs(draw: st.DrawFn) -> str:
    """Pieces on the nodes of a small graph, along edges of two kinds, some of which lead one way."""
    names = "abcdef"[: draw(st.integers(3, 6))]
    pairs = [[one, other] for one in names for other in names if one != other]
    chosen = draw(st.lists(st.sampled_from(pairs), min_size=2, max_size=7, unique_by=tuple))
    edges = [draw(st.sampled_from([" ", " > "])).join(pair) for pair in chosen]
    cut = draw(st.integers(1, len(edges)))
    is_kinds = draw(st.booleans())
    standing = draw(st.permutations(["p", "q", *draw(st.lists(st.sampled_from("pq.")))][:5]))
    row = "".join(standing).ljust(len(names), ".")[: len(names)]
    rules: dict[str, object] = {"slide": {"slide": draw(st.sampled_from(["p", "any", "q"]))}}
    lines = [line for line in WELL_KNOWN if "spot" not in str(line)]
    before, after = draw(st.sampled_from(lines))
    named = str.maketrans("ab", "pq")
    rules["line"] = {
        "before": [_renamed(word, named) for word in before],
        "after": [_renamed(word, named) for word in after],
    }
    if is_kinds and draw(st.booleans()):
        rules[draw(st.sampled_from(list(rules)))]["directions"] = draw(  # type: ignore[index]
            st.sampled_from(["rail", "road", "rail road"])
        )
    kinds = {"rail": edges[:cut], "road": edges[cut:]}
    goal = draw(st.sampled_from(["cell(0, 0) == p", "cell(0, 1) == empty", {"q": {"at": "b"}}]))
    return _document(
        puzzle="random-graphs",
        board=row,
        graph={
            "nodes": {name: [0, column] for column, name in enumerate(names)},
            "edges": kinds if is_kinds else edges,
        },
        legend={".": "floor", "p": "p", "q": "q"},
        pieces={"p": {"interchangeable": draw(st.booleans())}, "q": {}},
        moves=rules,
        goal=goal,
        metrics=draw(metrics(list(rules))),
    )


def _renamed(text: str, table: dict[int, int]) -> str:
    """The words `a` and `b` of a place called otherwise."""
    return "".join(
        part.translate(table) if part in "ab" else part for part in re.split(r"(\b)", text)
    )


def puzzles() -> st.SearchStrategy[str]:
    """Small random puzzles of every rule kind, as YAML text; consequences take longer to ground."""
    return st.one_of(slides(), patterns(), cycles(), actions(), graphs())

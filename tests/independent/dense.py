"""Draws random puzzles on boards of every type, on which many rules meet many pieces."""

from __future__ import annotations

from random import Random
from typing import Any

Document = dict[str, Any]
BOARDS = ("hex", "triangle", "levels", "wrap", "graph", "edges", "drawn", "square")
LEGEND = {
    ".": "floor", "#": "wall", "t": "mark", "a": "ant", "b": "bee", "A": "ant on mark", "c": "cap", "C": "ant & cap",
    "B": "bee & cap", "d": "dom",
}  # fmt: skip
TURNS = (
    "facing",
    "left_of(facing)",
    "right_of(facing)",
    "back_of(facing)",
    "facing back_of(facing)",
)


_LAYERED = [
    {"before": ["ant & cap", "empty"], "after": ["cap", "ant"]},
    {"before": ["ant & cap", "empty"], "after": ["empty", "ant & cap"]},
    {"before": ["cap", "ant"], "after": ["empty", "ant & cap"]},
    {"before": ["bee & empty", "ant & cap"], "after": ["bee & cap", "ant"]},
    {"before": ["cap", "empty"], "after": ["empty", "cap"]},
    {"before": ["any", "cap"], "after": ["any", "empty"]},
    {"before": ["ant & not cap", "empty"], "after": ["empty", "ant"]},
]
_WHOLE = [
    {"before": ["block", "empty"], "after": ["empty", "block"]},
    {"before": ["ant", "block", "_"], "after": ["empty", "ant", "block"]},
    {"before": ["empty", "ant", "block"], "after": ["ant", "block", "empty"]},
    {"before": ["ant", "block..."], "after": ["ant", "empty..."]},
    {"before": ["block", "bee"], "after": ["empty", "block"]},
    {"before": ["any", "any", "empty"], "after": ["empty", "any", "any"]},
]


def draw(rng: Random, board: str) -> Document:
    """A random puzzle on a kind of board."""
    return _Drawer(rng, board).document()


class _Drawer:
    def __init__(self, rng: Random, board: str) -> None:
        self.rng, self.board = rng, board
        sizes = [(2, 3), (3, 3), (2, 4), (3, 2), (1, 5), (3, 4)]
        if board == "levels":
            sizes.remove((1, 5))
        self.rows, self.columns = rng.choice(sizes)
        is_plain = board in ("graph", "triangle")
        self.has_letters = not is_plain and rng.random() < 0.4
        self.has_shapes = not is_plain and self.columns > 2 and rng.random() < 0.15
        self.has_layers = rng.random() < 0.3
        self.has_facing = board != "graph" and rng.random() < 0.3
        self.geometry = ""
        self.kinds = ["ant", "bee"] + ["block"] * self.has_letters + ["cap"] * self.has_layers
        self.kinds += ["dom"] * self.has_shapes

    def document(self) -> Document:
        rng = self.rng
        found: Document = {"puzzle": "drawn", "legend": dict(LEGEND), "terrain": {"mark": None}}
        pieces: Document = {"ant": {}, "bee": {}, "cap": {"layer": 1}, "dom": {"shape": "##"}}
        if not self.has_layers:
            pieces.pop("cap")
            found["legend"] = {k: v for k, v in LEGEND.items() if "cap" not in v}
        if not self.has_shapes:
            pieces.pop("dom")
            found["legend"].pop("d")
        if self.board not in ("wrap", "graph") and rng.random() < 0.2:
            pieces["bee"]["mirror"] = rng.choice(["columns", "rows", "both"])
        if rng.random() < 0.1:
            pieces["ant"]["interchangeable"] = False
        if self.has_letters:
            pieces["block"] = {"letters": "X-Z"}
            if (rng.random() < 0.3 or self.board == "levels") and self.board != "wrap":
                pieces["block"]["parts"] = "together"
        if rng.random() < 0.2:
            found["terrain"] = {"mark": {"enters": rng.choice([["ant"], ["bee"]])}}
            found["legend"]["A"] = "ant"
            pieces["bee"]["enters"] = rng.choice(["floor", "mark|floor", "not mark"])
        found["pieces"] = pieces
        rows = [[self._token() for _ in range(self.columns)] for _ in range(self.rows)]
        if self.has_letters:
            self._add_letters(rows)
        if self.has_shapes:
            r, c = rng.randrange(self.rows), rng.randrange(self.columns - 1)
            rows[r][c : c + 2] = "dd"
        found["board"] = rows
        self._add_board(found, rows)
        if rng.random() < 0.3 and self.board != "graph":
            facing, self.has_facing = self.has_facing, False
            pieces["bee"]["directions"] = self._directions()
            self.has_facing = facing
        found["variables"] = {"x": {"values": [0, 1, 2], "initial": rng.randrange(2)}}
        if self.has_facing:
            group = {"hex": "hex", "triangle": "strips"}.get(self.board, "orthogonal")
            initial = rng.choice(["left", "right"])
            found["variables"]["facing"] = {"values": group, "initial": initial}
        then = {}
        if rng.random() < 0.6:
            then = {f"after{i}": self._consequence() for i in range(rng.choice([1, 2, 2, 3]))}
        self.has_once = "'once': True" in str(then)
        moves = {f"rule{i}": self._rule(i) for i in range(rng.choice([1, 2, 2, 3]))}
        if self.has_facing:
            moves["turn"] = {"set": {"facing": rng.choice(TURNS[1:4])}}
        found["moves"] = moves
        if then:
            found["then"] = then
            if rng.random() < 0.5:
                orders = ["top-down", "bottom-up", "left-right", "right-left"]
                found["order"] = rng.choice(orders)
        found["metrics"] = {"moves": {}, "merged": {"merge": rng.choice(["line", "path"])}}
        if rng.random() < 0.5:
            weights = {name: rng.randrange(3) for name in moves}
            found["metrics"]["merged"]["count"] = weights
        # A goal that `fewest` proves impossible would refuse the document.
        found["goal"] = [self._goal(), f"x == {rng.randrange(3)} and count(ant) == 1"]
        if rng.random() < 0.2:
            found["forbid"] = self._goal()
        return found

    def _token(self) -> str:
        more = ["c", "C", "B"] if self.has_layers else []
        return self.rng.choice([*".....##tabA", *more])

    def _add_letters(self, rows: list[list[str]]) -> None:
        rng = self.rng
        for letter in rng.sample("XYZ", rng.choice([1, 2])):
            r, c = rng.randrange(self.rows), rng.randrange(self.columns)
            for _ in range(rng.choice([1, 2, 2, 3])):
                rows[r][c] = letter
                r = min(self.rows - 1, r + rng.randrange(2))
                c = max(0, min(self.columns - 1, c + rng.choice([-1, 0, 1])))

    def _add_board(self, found: Document, rows: list[list[str]]) -> None:
        rng = self.rng
        match self.board:
            case "hex":
                self.geometry = found["geometry"] = rng.choice(["hex-right", "hex-left"])
                if rng.random() < 0.2 and not self.has_letters:
                    found["wrap"] = rng.choice(["rows", "columns", "both"])
            case "triangle":
                found["geometry"] = rng.choice(["triangle-up", "triangle-down"])
            case "levels":
                found["levels"] = 2
                more = [[self._token() for _ in range(self.columns)] for _ in rows]
                found["board"] = rows + more
            case "wrap":
                found["wrap"] = rng.choice(["rows", "columns", "both"])
            case "graph":
                self._add_graph(found)
            case "edges":
                self._add_edges(found)
            case "drawn":
                found["edges"] = "drawn"
                found["board"] = self._with_lines(rows)

    def _add_graph(self, found: Document) -> None:
        rng = self.rng
        places = [(r, c) for r in range(2) for c in range(4)]
        number = rng.choice([4, 5, 6])
        nodes = dict(zip("pqrsuv", sorted(rng.sample(places, number)), strict=False))
        drawn = [[" "] * 4 for _ in range(2)]
        for r, c in nodes.values():
            drawn[r][c] = self._token().replace("#", ".")
        pairs = []
        for _ in range(number + 1):
            p, q = rng.sample(sorted(nodes), 2)
            if not any({p, q} == set(each.replace(">", " ").split()) for each in pairs):
                pairs.append(f"{p} > {q}" if rng.random() < 0.3 else f"{p} {q}")
        self.names = list(nodes)
        self.places = [[r, c] for r, c in nodes.values() if drawn[r][c] != "#"]
        self.is_single = rng.random() < 0.5
        half = max(1, len(pairs) // 2)
        edges: Any = (
            pairs if self.is_single else {"rail": pairs[:half], "road": pairs[half:] or pairs[:1]}
        )
        found["graph"] = {"nodes": {k: list(v) for k, v in nodes.items()}, "edges": edges}
        found["board"] = "\n".join("".join(row) for row in drawn) + "\n"
        self.rows, self.columns = 2, 4

    def _pairs(self) -> list[list[list[int]]]:
        found = []
        for r in range(self.rows):
            for c in range(self.columns):
                found += [[[r, c], [r, c + 1]]] if c + 1 < self.columns else []
                found += [[[r, c], [r + 1, c]]] if r + 1 < self.rows else []
        return found

    def _add_edges(self, found: Document) -> None:
        rng = self.rng
        pairs = rng.sample(self._pairs(), 3)
        edges: Document = {"walls": pairs[:1]}
        if rng.random() < 0.5:
            edges["walls"] = pairs[:2]
        elif rng.random() < 0.6:
            edges["one-way"] = [rng.choice([pairs[1], pairs[1][::-1]])]
        if rng.random() < 0.5:
            direction = rng.choice(["up", "down", "left", "right"])
            ends = {
                "up": (0, None),
                "down": (self.rows - 1, None),
                "left": (None, 0),
                "right": (None, self.columns - 1),
            }[direction]
            leaving = [
                rng.randrange(n) if end is None else end
                for n, end in zip((self.rows, self.columns), ends, strict=True)
            ]
            back = [
                rng.randrange(n) if end is None else n - 1 - end
                for n, end in zip((self.rows, self.columns), ends, strict=True)
            ]
            portal: Document = {"leaving": leaving, "by": direction, "entering": back}
            if rng.random() < 0.4:
                portal["both"] = False
            edges["portals"] = [portal]
        found["edges"] = edges

    def _with_lines(self, rows: list[list[str]]) -> str:
        rng = self.rng
        lines = []
        portal = rng.random() < 0.4 and self.rows > 1
        for r in range(self.rows + 1):
            is_inner = 0 < r < self.rows
            between = [rng.choice("   -v^") if is_inner else "-" for _ in range(self.columns)]
            lines.append("+" + "+".join(between) + "+")
            if r < self.rows:
                text = "1" if portal and r == 0 else "|"
                for c in range(self.columns):
                    text += rows[r][c]
                    if c + 1 < self.columns:
                        text += rng.choice("    |<>")
                    else:
                        text += "1" if portal and r == self.rows - 1 else "|"
                lines.append(text)
        return "\n".join(lines) + "\n"

    def _directions(self) -> Any:
        rng = self.rng
        if self.has_facing and rng.random() < 0.4:
            return rng.choice(TURNS)
        words: list[Any] = ["left", "right", "up", "down", "horizontal", "vertical"]
        match self.board:
            case "hex":
                words = ["hex", "hex", "left", "down", "horizontal", "orthogonal"]
            case "triangle":
                words = ["strips", "left", "up-right", "down-left", "down-right left", "horizontal"]
            case "levels":
                words += ["above", "below", "left above", "orthogonal", "below above"]
            case "graph":
                words = ["edges"] if self.is_single else ["rail", "road", "rail road"]
            case "edges":
                words += ["up-left", "diagonal", "down-right left"]
            case "wrap" | "square":
                words += ["diagonal", "all", "knight", [[1, 2]], [[0, 2], [-1, 0]], "up-left"]
        return rng.choice(words)

    def _rule(self, number: int) -> Document:
        rng = self.rng
        kinds = ["slide"] * 3 + ["pattern"] * 4 + ["cycle", "wait"]
        if self.board not in ("wrap", "graph"):
            kinds += ["together"] * 2
        if self.board == "square" and self.has_letters:
            kinds += ["pivot"] * 4
        kind = rng.choice(kinds)
        found: Document
        if kind in ("slide", "together"):
            found = {kind: rng.choice(["any", "ant", "bee", "ant|bee", *self.kinds])}
            self._add_distance(found)
            if kind == "together" and {"over", "stopped-by"} & set(found):
                found = {kind: found[kind], "distance": "blocked"}
        elif kind == "wait":
            found = {"wait": True} if self.has_once else {"set": {"x": "(x + 1) % 3"}}
            if self.has_once:
                return found
        elif kind == "cycle":
            found = self._ring()
        elif kind == "pivot":
            found = {"pivot": "block"}
            if rng.random() < 0.4:
                found["about"] = rng.choice(["mark", [[1, 1]], [[0, 1], [1, 0]]])
            if rng.random() < 0.3:
                found["swept"] = "any"
            if rng.random() < 0.3:
                found["directions"] = rng.choice(["clockwise", "counterclockwise"])
        elif self.board in ("hex", "wrap", "square") and rng.random() < 0.4:
            found, kind = self._rectangle(), "rectangle"
        else:
            found = self._pattern()
            if self.board != "graph" and rng.random() < 0.1 and "..." not in str(found):
                found["distance"] = "blocked"
        if kind in ("slide", "pattern", "together") and not (
            self.board == "graph" and self.is_single
        ):
            needs = self.board == "triangle" and kind == "pattern"
            if needs or rng.random() < 0.6:
                found["directions"] = self._directions()
        if rng.random() < 0.35:
            found["when"] = self._condition(number)
        if rng.random() < 0.25:
            found["set"] = {
                "x": rng.choice([0, 1, 2, "min(x + 1, 2)", "1 if count(ant, mark) > 0 else 0"])
            }
        return found

    def _consequence(self) -> Document:
        rng = self.rng
        found: Document
        chance = rng.random()
        if chance < 0.15:
            found = {"set": {"x": rng.choice(["x + 1", "(x + 1) % 3", "0"])}}
            if rng.random() < 0.3 and self.has_facing:
                found["set"] = {"facing": rng.choice(TURNS[1:4])}
            found["when"] = rng.choice(["x == 1", "x < 2", "count(ant, mark) == 1", "can(rule0)"])
            found["once"] = rng.random() < 0.5
            return found
        if chance < 0.45:
            found = {"slide": rng.choice(["any", "ant", "bee", *self.kinds])}
            if self.board != "graph" and rng.random() < 0.4:
                found["carries"] = rng.choice(["any", "ant", "bee"])
            if self.board != "graph" and rng.random() < 0.2:
                found["sticky"] = rng.choice(["own", "any"])
        elif self.board in ("hex", "wrap", "square", "edges", "levels") and rng.random() < 0.2:
            found = self._rectangle()
        else:
            found = self._pattern()
        is_rectangle = isinstance(found.get("before", [""])[0], list)
        if not is_rectangle and not (self.board == "graph" and self.is_single):
            found["directions"] = self._directions()
        for key, share in (("everywhere", 0.35), ("once", 0.4), ("otherwise", 0.2)):
            if rng.random() < share and not (key == "otherwise" and len(found) > 5):
                found[key] = True
        if rng.random() < 0.35:
            found["when"] = self._condition(1)
        elif rng.random() < 0.6 and "once" not in found:
            found["when"] = "x == 1"  # it seldom applies at the start
            found["set"] = {"x": rng.choice([0, 2])}
        if rng.random() < 0.25:
            found["set"] = {"x": rng.choice([0, 1, 2, "min(x + 1, 2)", "1 if x == 0 else 0"])}
        return found

    def _add_distance(self, found: Document) -> None:
        rng = self.rng
        chance = rng.random()
        if chance < 0.4 and self.board != "graph":
            found["distance"] = "blocked"
            if rng.random() < 0.3:
                found["over"] = rng.choice(["mark", "floor", "not mark"])
            if rng.random() < 0.3:
                found["stopped-by"] = rng.choice(["piece", "wall"])
        elif chance < 0.7 and self.board != "graph":
            found["carries"] = rng.choice(["any", "ant", "bee", "ant|bee"])
            if rng.random() < 0.3:
                found["sticky"] = rng.choice(["own", "any", "ant"])
            if rng.random() < 0.3:
                found["most"] = rng.choice([1, 2])

    def _ring(self) -> Document:
        rng = self.rng
        cells = [[r, c] for r in range(self.rows) for c in range(self.columns)]
        if self.board == "graph":
            cells = self.places
            if len(cells) < 4:
                return self._pattern()
        found: Document = {"cycle": rng.sample(cells, rng.choice([2, 3, 4]))}
        if rng.random() < 0.3:
            ring = rng.sample(cells, 4)
            found = {"cycles": [ring[:2], ring[2:]]}
        if rng.random() < 0.3:
            found["steps"] = 2
        if rng.random() < 0.3:
            found["directions"] = rng.choice(["forward", "backward"])
        return found

    def _pattern(self) -> Document:
        rng = self.rng
        found = rng.choice(
            [
                {"before": ["ant", "empty"], "after": ["empty", "ant"]},
                {"before": ["bee", "empty"], "after": ["empty", "bee"]},
                {"before": ["ant", "bee"], "after": ["bee", "ant"]},
                {"before": ["ant", "bee", "empty"], "after": ["empty", "ant", "bee"]},
                {"before": ["ant", "any", "empty"], "after": ["empty", "_", "ant"]},
                {"before": ["ant", "any", "empty"], "after": ["empty", "empty", "ant"]},
                {"before": ["ant", "empty", "wall"], "after": ["empty", "ant", "wall"]},
                {"before": ["wall", "ant", "empty"], "after": ["wall", "empty", "ant"]},
                {"before": ["any|wall", "bee", "empty"], "after": ["_", "empty", "bee"]},
                {"before": ["not ant", "bee", "empty"], "after": ["_", "empty", "bee"]},
                {"before": ["ant", "ground"], "after": ["empty", "ant"]},
                {"before": ["ant", "bee|empty"], "after": ["empty", "ant"]},
                {"before": ["ant on mark", "empty"], "after": ["empty", "ant"]},
                {"before": ["ant", "empty off mark"], "after": ["empty", "ant"]},
                {"before": ["ant", "empty on not mark"], "after": ["bee", "ant"]},
                {"before": ["ant", "empty..."], "after": ["bee", "empty..."]},
                {"before": ["ant", "empty...", "bee"], "after": ["empty", "empty...", "ant"]},
                {"before": ["ant", "bee...", "empty"], "after": ["empty", "ant", "bee..."]},
                {"before": ["empty", "ant", "any..."], "after": ["ant", "any...", "empty"]},
                {"before": ["ant", "bee...", "wall"], "after": ["bee", "bee...", "wall"]},
                {"before": ["ant", "not wall...", "wall"], "after": ["empty", "_...", "wall"]},
                {"before": ["bee", "_", "empty"], "after": ["empty", "_", "bee"]},
                {"before": ["bee"], "after": ["ant"]},
                {"before": ["ant", "bee"], "after": ["empty", "ant"]},
                {"before": ["empty", "ant", "bee"], "after": ["ant", "bee", "empty"]},
                {"before": ["ant", "empty"], "after": ["bee", "ant"]},
                *[each for each in _LAYERED if self.has_layers],
                *[each for each in _LAYERED if self.has_layers],
                *[each for each in _WHOLE if self.has_letters],
            ]
        )
        copy: Document = {key: list(words) for key, words in found.items()}
        if self.has_letters and "ground" not in str(copy) and rng.random() < 0.5:
            copy["whole"] = True
        return copy

    def _rectangle(self) -> Document:
        rng = self.rng
        before, after = rng.choice(
            [
                ([["ant", "empty"], ["empty", "_"]], [["empty", "_"], ["ant", "_"]]),
                ([["ant", "bee"], ["empty", "any|wall"]], [["empty", "bee"], ["ant", "_"]]),
                ([["ant", "any"], ["any", "ground"]], [["any", "ant"], ["any", "_"]]),
                ([["wall", "wall"], ["ant", "empty"]], [["_", "_"], ["empty", "ant"]]),
                ([["bee"], ["empty"]], [["empty"], ["bee"]]),
                (
                    [["bee", "not bee", "empty"], ["_", "_", "_"]],
                    [["empty", "_", "bee"], ["_"] * 3],
                ),
                ([["_", "bee"], ["empty", "_"]], [["_", "empty"], ["bee", "_"]]),
            ]
        )
        found: Document = {"before": before, "after": after}
        if rng.random() < 0.7:
            found["rotations"] = True
        return found

    def _condition(self, number: int) -> str:
        rng = self.rng
        r, c = rng.randrange(self.rows), rng.randrange(self.columns)
        options = [
            "x < 2",
            "x == 0 or count(bee) > 1",
            f"cell({r}, {c}) == {rng.choice(['ant', 'bee', 'empty', 'wall'])}",
            f"terrain({r}, {c}) in [mark, wall]",
            "count(any, mark) < 2",
            "count(ant, not mark) == count(bee)",
            "not can(rule0)" if number else "x != 1",
        ]
        options += ["sees(ant, bee)", "not sees(bee, any)", "sees(any, ant)"]
        r, c = rng.randrange(self.rows), rng.randrange(self.columns)
        options += [f"cell({r}, {c}) == cell({self.rows - 1 - r}, {c})", "count(ant) < 2"]
        if self.has_layers:
            options += [f"cell({r}, {c}, 1) == cap", "count(cap) > count(bee)", "sees(cap, ant)"]
        if self.has_facing:
            options += [
                "facing == left",
                "left_of(facing) in [up, right]",
                "back_of(facing) != right",
            ]
        return rng.choice(options)

    def _goal(self) -> Any:
        rng = self.rng
        r, c = rng.randrange(self.rows), rng.randrange(self.columns)
        word = rng.choice(self.kinds)
        options: list[Any] = [
            {"every": "mark", "holds": word},
            {rng.choice(["every", "some"]): word, "on": rng.choice(["mark", "floor", "not mark"])},
            {"count": {"ant": rng.randrange(3)}},
            {word: {"at": [r, c]}},
            {word: {"on": "mark"}},
            {"all": [f"x == {rng.randrange(3)}", {"some": word, "at": [r, c]}]},
            f"cell({r}, {c}) == ant and cell({self.rows - 1 - r}, {self.columns - 1 - c}) == bee",
            [{"count": {"bee": 0}}, {"every": word, "at": [r, c]}],
        ]
        if self.board != "graph":
            options += [{word: {"touches": rng.choice(["left", "right", "top", "bottom"])}}] * 2
        if self.board == "graph":
            options = [*options[:3], {word: {"at": rng.choice(self.names)}}]
        if self.has_letters:
            options.append({rng.choice("XYZ"): {"at": [r, c]}})
            options.append({"all": [{"X": {"at": [r, c]}}, "row(X) == 0"]})
        return rng.choice(options)

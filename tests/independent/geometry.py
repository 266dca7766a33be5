"""Compare the independent player with `fewest`: `python -m tests.independent.geometry --puzzles 2000`.

The documents are random puzzles on boards of every geometry, puzzles with rings and pivots, and shipped puzzles. The
program prints every difference, and how many puzzles it compared.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from random import Random
from typing import Any

from tests.helpers.cells import ROOT
from tests.independent.comparing import RefusedError, TooLargeError, figures
from tests.independent.documents import MODELS, shipped
from tests.independent.expander import expand
from tests.independent.plain_yaml import UnsupportedError
from tests.independent.player import Played, TooManyError, play

Document = dict[str, Any]
MOST = 400  # positions
BOARDS = ("hex", "triangle", "levels", "wrap", "graph", "edges", "drawn", "square")
LEGEND = {".": "floor", "#": "wall", "t": "mark", "a": "ant", "b": "bee", "A": "ant on mark"}


def draw(rng: Random, board: str) -> Document:
    """A random puzzle on a kind of board."""
    return _Drawer(rng, board).document()


class _Drawer:
    def __init__(self, rng: Random, board: str) -> None:
        self.rng, self.board = rng, board
        self.rows, self.columns = rng.choice([(2, 3), (3, 3), (2, 4), (3, 2), (1, 5), (3, 4)])
        self.has_letters = board not in ("graph", "triangle") and rng.random() < 0.5
        self.geometry = ""
        self.kinds = ["ant", "bee"] + ["block"] * self.has_letters

    def document(self) -> Document:
        rng = self.rng
        found: Document = {"puzzle": "drawn", "legend": LEGEND, "terrain": {"mark": None}}
        pieces: Document = {"ant": {}, "bee": {}}
        if self.has_letters:
            pieces["block"] = {"letters": "X-Z"}
            if rng.random() < 0.3 or self.board == "levels":
                pieces["block"]["parts"] = "together"
        if rng.random() < 0.2:
            found["terrain"] = {"mark": {"enters": rng.choice([["ant"], ["bee"]])}}
            found["legend"] = LEGEND | {"A": "ant"}
            pieces["bee"]["enters"] = rng.choice(["floor", "mark|floor", "not mark"])
            found["legend"]["t"] = "mark"
        found["pieces"] = pieces
        rows = [[self._token() for _ in range(self.columns)] for _ in range(self.rows)]
        if self.has_letters:
            self._add_letters(rows)
        found["board"] = rows
        self._add_board(found, rows)
        if rng.random() < 0.3 and self.board != "graph":
            pieces["bee"]["directions"] = self._directions()
        found["variables"] = {"x": {"values": [0, 1, 2], "initial": rng.randrange(2)}}
        moves = {f"rule{i}": self._rule(i) for i in range(rng.choice([1, 2, 2, 3]))}
        found["moves"] = moves
        found["goal"] = self._goal()
        if rng.random() < 0.2:
            found["forbid"] = self._goal()
        return found

    def _token(self) -> str:
        return self.rng.choice([".", ".", ".", ".", "#", "t", "a", "b", "A"])

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
            drawn[r][c] = self._token()
        pairs = []
        for _ in range(number + 1):
            p, q = rng.sample(sorted(nodes), 2)
            if not any({p, q} == set(each.replace(">", " ").split()) for each in pairs):
                pairs.append(f"{p} > {q}" if rng.random() < 0.3 else f"{p} {q}")
        self.names = list(nodes)
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
            way = rng.choice(["up", "down", "left", "right"])
            ends = {
                "up": (0, None),
                "down": (self.rows - 1, None),
                "left": (None, 0),
                "right": (None, self.columns - 1),
            }[way]
            leaving = [
                rng.randrange(n) if end is None else end
                for n, end in zip((self.rows, self.columns), ends, strict=True)
            ]
            back = [
                rng.randrange(n) if end is None else n - 1 - end
                for n, end in zip((self.rows, self.columns), ends, strict=True)
            ]
            portal: Document = {"leaving": leaving, "by": way, "entering": back}
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
        kinds = ["slide"] * 3 + ["pattern"] * 4 + ["cycle"]
        if self.board == "square" and self.has_letters:
            kinds += ["pivot"] * 4
        kind = rng.choice(kinds)
        found: Document
        if kind == "slide":
            found = {"slide": rng.choice(["any", "ant", "bee", "ant|bee", *self.kinds])}
            self._add_distance(found)
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
        if kind in ("slide", "pattern") and not (self.board == "graph" and self.is_single):
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
        if self.board == "graph":
            return self._pattern()
        cells = [[r, c] for r in range(self.rows) for c in range(self.columns)]
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
            ]
        )
        return {key: list(words) for key, words in found.items()}

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
        if self.board in ("wrap", "square", "triangle"):
            options += ["sees(ant, bee)", "not sees(bee, ant)"] * 2
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
        if self.board == "square":
            options += [{word: {"touches": rng.choice(["left", "right", "top", "bottom"])}}] * 2
        if self.board == "graph":
            options = [*options[:3], {word: {"at": rng.choice(self.names)}}]
        if self.has_letters:
            options.append({rng.choice("XYZ"): {"at": [r, c]}})
            options.append({"all": [{"X": {"at": [r, c]}}, "row(X) == 0"]})
        return rng.choice(options)


def outcome(document: Document, most: int = MOST) -> str:
    """The outcome of one comparison."""
    text = json.dumps(document, ensure_ascii=False)
    try:
        expanded = expand(text, ROOT, MODELS)
        played = play(expanded, most)
    except UnsupportedError as error:
        return f"unsupported: {error}"
    except TooManyError:
        return "too large"
    try:
        found = figures(document)
    except RefusedError as error:
        errors = re.findall(r"error\[([\w-]+)\]", str(error))
        return f"refused: {errors[0] if errors else error}"
    except TooLargeError:
        return "too large"
    wanted = Played(found.minima["moves"], found.positions, found.goals)
    return "same" if wanted == played else f"DIFFERENT: fewest {wanted}, the player {played}"


def main() -> None:
    """Compare the puzzles, and print the outcomes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--puzzles", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--board", choices=BOARDS)
    parser.add_argument("--shipped", action="store_true", help="the shipped documents, too")
    given = parser.parse_args()
    outcomes: Counter[str] = Counter()
    if given.shipped:
        for name, text, folder, _ in shipped():
            try:
                document = expand(text, folder, MODELS)
            except UnsupportedError:
                continue
            document.pop("metric", None)
            _report(outcomes, name, document | {"metrics": {"moves": {"count": 1}}}, 20_000)
    for i in range(given.puzzles):
        board = given.board or BOARDS[i % len(BOARDS)]
        _report(
            outcomes, f"{board} {given.seed} {i}", draw(Random(f"{given.seed} {i}"), board), MOST
        )
    for name, number in outcomes.most_common():
        print(f"{number:6} {name}")


def _report(outcomes: Counter[str], name: str, document: Document, most: int) -> None:
    found = outcome(document, most)
    if found.startswith("DIFFERENT"):
        print(name, found, json.dumps(document, ensure_ascii=False), sep="\n", flush=True)
    outcomes[re.sub(r"\d+", "…", found)[:70]] += 1


if __name__ == "__main__":
    main()

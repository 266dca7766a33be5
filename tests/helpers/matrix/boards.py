"""Draws random boards with a wanted feature, and the pieces on them."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.helpers.matrix.agenda import Agenda
from tests.helpers.matrix.constructs import KIND_ROWS

SIZES = [(2, 3), (3, 2), (2, 2), (2, 2), (1, 4), (1, 4), (1, 5), (2, 3), (2, 4), (3, 3)]
FULL = 0.05  # the share of the boards on which a piece stands on each cell at the start
Entry = dict[str, Any]


class Drawing:
    """A board with its legend, terrain and kinds, as keys of a document."""

    def __init__(
        self, rng: Random, agenda: Agenda, features: set[str], needs: set[str], context: str
    ) -> None:
        self.rng, self.agenda, self.features = rng, agenda, features
        self.context = context
        self.keys: Entry = {}
        self.is_graph = "graph" in features
        self.edge_kinds: list[str] = []
        self.legend = {".": "floor", "#": "wall", "*": "spot", "m": "mark", "a": "a", "b": "b"}
        self.pieces: dict[str, Entry] = {"a": {}, "b": {}}
        self.wants_block = (
            "block" in needs
            or any(f in features for f in ("piece: letters", "piece: of several cells"))
            or any("parts" in f for f in features)
        )
        self.wants_tiles = (
            "tiles" in needs or {"piece: layer", "legend: KIND & KIND"} & features != set()
        )
        self.wants_shape = "piece: shape" in features or ("block" in needs and rng.random() < 0.15)
        self.is_drawn = False
        if self.is_graph or any("triangle" in feature for feature in features):
            self.wants_block = self.wants_shape = agenda.only is not None and self.wants_block
        self._size()
        self._stand()
        self._place()
        if not self.is_graph:
            self._edges()
        self._kinds()
        self._finish()

    # -- cells ------------------------------------------------------------------------------------------

    def _size(self) -> None:
        rng = self.rng
        is_bare = self.agenda.only is not None
        self.rows, self.columns = (2, 3) if is_bare else rng.choice(SIZES)
        if self.is_graph:
            self.rows, self.columns = 1, rng.choice([3, 4, 5])
        elif "levels" in self.features:
            self.rows, self.columns = rng.choice([(4, 1), (4, 2), (4, 3)])
        elif any("triangle" in feature for feature in self.features):
            even = any("wrap" in feature for feature in self.features)
            self.rows, self.columns = (2, 4) if even else rng.choice([(2, 3), (2, 4), (3, 3)])
        elif self.wants_block or self.wants_shape:
            sizes = [(2, 3), (2, 3), (3, 2), (1, 5), (3, 3), (2, 4)]
            self.rows, self.columns = rng.choice(sizes)

    def _stand(self) -> None:
        """Put pieces on random cells, and leave most of the others empty."""
        rng, number = self.rng, self.rows * self.columns
        self.cells = [["."] * self.columns for _ in range(self.rows)]
        if self.wants_block:
            if self.rows * self.columns > 7 and self.columns > 2 and rng.random() < 0.3:
                self._lay_around_a_wall("A")
            else:
                self._lay("A", rng.choice([1, 2, 2, 3]))
            if rng.random() < 0.4:
                self._lay("B", rng.choice([1, 2]))
        if self.wants_shape:
            row, places = self._pairs()
            if places:
                column = rng.choice(places)
                self.cells[row][column] = self.cells[row][column + 1] = "d"
                self.legend["d"] = "dom"
        more = ["a", "b"]
        if "legend: KIND on TERRAIN" in self.features or rng.random() < 0.2:
            self.legend["1"] = "b on spot"
            more[1] = "1"
        if self.wants_tiles:
            self.legend |= {"t": "t", "2": "a & t", "3": "b & t", "4": "t on spot"}
            more = [rng.choice("a2"), rng.choice([more[1], "3"])]
            more += rng.choice([["t"], ["t"], ["t", "4"], []])
        room = number - sum(cell != "." for row in self.cells for cell in row)
        extra = ["*", rng.choice("b*#.m"), rng.choice("b#.*m")][: max(0, room - len(more) - 1)]
        self._scatter(more + extra)
        if self.agenda.only is None and rng.random() < FULL:
            self._scatter(rng.choices("ab", k=number))

    def _lay(self, letter: str, size: int) -> None:
        """Put a letter on connected cells, or on any cells if its pieces may have several parts."""
        free = [
            (r, c) for r in range(self.rows) for c in range(self.columns) if self.cells[r][c] == "."
        ]
        if len(free) < size + 3:
            return
        chosen = [self.rng.choice(free)]
        is_apart = any("parts" in feature for feature in self.features)
        while len(chosen) < size:
            near = [
                cell
                for cell in free
                if cell not in chosen
                and (is_apart or any(abs(cell[0] - r) + abs(cell[1] - c) == 1 for r, c in chosen))
            ]
            if not near:
                break
            chosen.append(self.rng.choice(near))
        for r, c in chosen:
            self.cells[r][c] = letter

    def _lay_around_a_wall(self, letter: str) -> None:
        """Put a letter on three cells of a square, and a wall on its top-left cell, the corner of the piece."""
        r, c = self.rng.randrange(self.rows - 1), self.rng.randrange(self.columns - 1)
        self.cells[r][c] = "#"
        self.cells[r][c + 1] = self.cells[r + 1][c] = self.cells[r + 1][c + 1] = letter

    def _pairs(self) -> tuple[int, list[int]]:
        row = self.rng.randrange(self.rows)
        line = self.cells[row]
        return row, [c for c in range(self.columns - 1) if line[c] == line[c + 1] == "."]

    def _scatter(self, characters: list[str]) -> None:
        free = [
            (r, c) for r in range(self.rows) for c in range(self.columns) if self.cells[r][c] == "."
        ]
        self.rng.shuffle(free)
        for (r, c), character in zip(free, characters, strict=False):
            self.cells[r][c] = character

    # -- the geometry -------------------------------------------------------------------------------------

    def _place(self) -> None:
        for feature in sorted(self.features):
            key, _, value = feature.partition("=")
            if key in ("geometry", "wrap"):
                self.keys[key] = value
        if "levels" in self.features:
            self.keys["levels"] = 2
        if self.is_graph:
            names = "pqruz"[: self.columns]
            pairs = [(x, y) for x in names for y in names if x != y]
            line = [(names[i], names[i + 1]) for i in range(len(names) - 1)]
            chosen = [*line, *self.rng.sample(pairs, self.rng.randint(0, 3))]
            edges = [
                self.rng.choice([" ", " ", " > "]).join(pair) for pair in dict.fromkeys(chosen)
            ]
            nodes = {name: [0, column] for column, name in enumerate(names)}
            self.keys["graph"] = {"nodes": nodes, "edges": edges}
            if self.rng.random() < 0.6 and len(edges) > 1:
                cut = self.rng.randint(1, len(edges) - 1)
                self.edge_kinds = ["rail", "road"]
                self.keys["graph"]["edges"] = {"rail": edges[:cut], "road": edges[cut:]}

    def _edges(self) -> None:
        rng, edges = self.rng, Entry()
        pairs = [
            [[r, c], [r + down, c + right]]
            for r in range(self.rows)
            for c in range(self.columns)
            for down, right in ((0, 1), (1, 0))
            if r + down < self.rows and c + right < self.columns
        ]
        for key in ("walls", "one-way"):
            if f"edges: {key}" in self.features and pairs:
                chosen = [
                    pairs.pop(rng.randrange(len(pairs)))
                    for _ in range(min(len(pairs), rng.choice([1, 1, 2])))
                ]
                edges[key] = [pair[:: rng.choice([1, -1])] for pair in chosen]
        is_single = "edges: portals both=false" in self.features
        if "edges: portals" in self.features or is_single:
            edges["portals"] = [self._portal(both=not is_single)]
        if edges:
            self.keys["edges"] = edges
        self.is_drawn = "edges: drawn=true" in self.features and not edges

    def _portal(self, *, both: bool) -> Entry:
        ends = [[self.rng.randrange(self.rows), self.rng.randrange(self.columns)] for _ in range(2)]
        direction = self.rng.choice(["up", "down", "left", "right"])
        portal: Entry = {"leaving": ends[0], "by": direction, "entering": ends[1]}
        return portal if both else {**portal, "both": False}

    # -- kinds ------------------------------------------------------------------------------------------

    def _kinds(self) -> None:
        rng, features = self.rng, self.features
        drawn = {cell for row in self.cells for cell in row}
        if drawn & {"A", "B"}:
            self.pieces["block"] = {"letters": "A-C"}
        if "d" in drawn:
            self.pieces["dom"] = {"shape": "##"}
        if self.wants_tiles:
            self.pieces["t"] = {"layer": -1}
        terrain: Entry = {"spot": None, "mark": None}
        if "terrain: enters" in features:
            standing = drawn & {"1", "4"}
            movers = ["b"] * ("1" in drawn) + ["t"] * ("4" in drawn)
            terrain["spot"] = {
                "enters": rng.choice([["a"], ["a", "b"], "b"]) if not standing else movers
            }
        if "terrain: cells" in features:
            free = [
                [r, c]
                for r in range(self.rows)
                for c in range(self.columns)
                if self.cells[r][c] in ".ab"
            ]
            if free:
                terrain["spot"] = {**(terrain["spot"] or {}), "cells": [rng.choice(free)]}
        self.terrain = terrain
        named = [kind for kind in self.pieces if kind != "t"]
        for feature in sorted(features):
            if not feature.startswith("piece: ") or feature.endswith("cells"):
                continue
            key, _, value = feature.removeprefix("piece: ").partition("=")
            kind = "block" if key == "parts" else rng.choice(["a", *named])
            if kind not in self.pieces:
                continue
            if key in ("mirror", "parts"):
                self.pieces[kind][key] = value
            elif key == "colours":
                self._paint(rng.choice(["a", "b", "b"]))
            elif key == "interchangeable":
                self.pieces[rng.choice(["b", kind])][key] = False
            elif key == "enters":
                self.pieces[kind][key] = rng.choice(["floor", ["floor", "spot"], ["floor"]])
            elif key == "directions":
                self._lead(kind)

    def _paint(self, kind: str) -> None:
        """Give a kind several colours; some of the pieces are blue."""
        self.pieces[kind]["colours"] = ["red", "blue"]
        for key, meaning in self.legend.items():
            if meaning.split()[0] == kind:
                self.legend[key] = f"red-{meaning}"
        self.legend["e"] = f"blue-{kind}"
        for row in self.cells:
            for column, cell in enumerate(row):
                if cell == kind and self.rng.random() < 0.5:
                    row[column] = "e"

    def _lead(self, kind: str) -> None:
        row = self.agenda.choose(self.rng, "pieces", KIND_ROWS) or "directions: orthogonal"
        word: Any = row.removeprefix("directions: ")
        if self.agenda.only is None:
            has = " ".join([*self.features, "along" * ("dom" in self.pieces)])
            needs = {
                "above": "levels",
                "below": "levels",
                "strips": "triangle",
                "along": "along",
                "edges": "graph",
            }
            if needs.get(word, "") not in has or (self.is_graph and not self.edge_kinds):
                return
        if word == "along":
            kind = next((k for k in ("dom", "block") if k in self.pieces), kind)
        if word == "offsets":
            word = self.rng.choice([[[0, 1], [1, 0]], [[1, 1]], [[0, 2], [-1, 0]]])
        if word == "edges" or (self.is_graph and self.agenda.only is None):
            word = self.rng.choice(self.edge_kinds or ["rail"])
        self.pieces[kind]["directions"] = word

    # -- the document -----------------------------------------------------------------------------------

    def _finish(self) -> None:
        keys = self.keys
        if self.is_graph:
            self.is_drawn = False
        is_text = "board: tokens" not in self.features and self.rng.random() < 0.5
        if self.is_drawn:
            keys["edges"] = "drawn"
            keys["board"] = "\n".join(self._lined())
        elif is_text or self.is_graph:
            keys["board"] = "\n".join("".join(row) for row in self.cells)
        else:
            keys["board"] = [list(row) for row in self.cells]
        keys["legend"] = self.legend
        has_entries = any(entry is not None for entry in self.terrain.values())
        keys["terrain"] = self.terrain if has_entries else list(self.terrain)
        keys["pieces"] = self.pieces
        self._tidy()

    def _tidy(self) -> None:
        """Remove the kinds that occur nowhere in the drawing."""
        meant = " ".join(self.legend.get(cell, "block") for row in self.cells for cell in row)
        for kind in [k for k in self.pieces if k not in ("a", "b", "t") and k not in meant]:
            del self.pieces[kind]

    def _lined(self) -> list[str]:
        """The board with characters for walls around and between its cells."""
        rng = self.rng
        out = ["+" + "-+" * self.columns]
        for r, row in enumerate(self.cells):
            sides = ["|", *(rng.choice("   |<>") for _ in range(self.columns - 1)), "|"]
            out.append(
                "".join(side + cell for side, cell in zip(sides, row, strict=False)) + sides[-1]
            )
            last = r == self.rows - 1
            level_end = "levels" in self.features and (r + 1) == self.rows // 2
            lines = ["-" if last or level_end else rng.choice("   -^v") for _ in row]
            out.append("+" + "".join(line + "+" for line in lines))
        return out

    def count(self, kind: str) -> int:
        """The number of cells with a kind."""
        meant = (self.legend.get(cell, "block").split() for row in self.cells for cell in row)
        return sum(
            kind in {word.removeprefix("red-").removeprefix("blue-") for word in words}
            for words in meant
        )

    @property
    def letters(self) -> list[str]:
        return sorted({cell for row in self.cells for cell in row if cell in "AB"})

"""Draws random goals, forbidden positions and metrics."""

from __future__ import annotations

from typing import Any

from tests.helpers.matrix.boards import Entry
from tests.helpers.matrix.constructs import CONDITIONS, EXPRESSIONS, METRICS
from tests.helpers.matrix.drawer import Drawer
from tests.helpers.matrix.expressions import number
from tests.helpers.matrix.guards import TESTED


class Conditions(Drawer):
    """Draws conditions on positions, and metrics."""

    rules: Entry
    """the rules of the document"""

    def condition(self, key: str) -> Any:
        rng, agenda, around = self.rng, self.agenda, self.around
        around.loops = None
        around.rules = [name for name, rule in self.rules.items() if "together" not in rule]
        around.rules += TESTED
        row = agenda.choose(rng, key, CONDITIONS)
        is_looked_at = agenda.is_looked_at and key == "goal"
        if (
            self._only(f"{key}.expr")
            or is_looked_at
            or row is None
            or row == "expression"
            or rng.random() < 0.35
        ):
            return self._expression(key)
        if row == "list":
            return [self._form("at", key), self._expression(key)]
        if row in ("all", "any"):
            return {
                row: [
                    self._form(rng.choice(["at", "touches=left", "count"]), key),
                    self._expression(key),
                ]
            }
        if row == "map of several keys":
            return {**self._form("count", key), **self._form("at", key)}
        return self._form(row, key)

    def _expression(self, key: str) -> str:
        if self.agenda.only is None and self.rng.random() < 0.15:
            return self.around.test()
        return self._conditions(f"{key}.expr")

    def _form(self, row: str, key: str) -> Entry:
        rng, board = self.rng, self.board
        piece = rng.choice([*board.letters, "a", "a", *(k for k in board.pieces if board.count(k))])
        cell = [rng.randrange(board.rows), rng.randrange(board.columns)]
        if row == "touches: letter" and (board.letters or self.agenda.only is not None):
            return {
                rng.choice(board.letters or ["A"]): {
                    "touches": rng.choice(["left", "right", "top", "bottom"])
                }
            }
        if row in ("on: A|B", "on: not A"):
            area = rng.choice(
                ["spot|floor", "spot|mark|floor"] if "|" in row else ["not mark", "not spot"]
            )
            return rng.choice([{piece: {"on": area}}, {"every": piece, "on": area}])
        name, _, value = row.partition("=")
        if name == "touches":
            return {piece: {"touches": value}}
        spots = board.count("spot")
        is_wanted = self.agenda.only is not None
        can_stand = piece in ("a", "b", "t") and spots > 0
        if (name == "on" and can_stand) or (name == "covers" and can_stand and spots == 1):
            return {piece: {name: "spot"}}
        if name in ("covers", "on") and is_wanted and spots:
            return {piece: {name: "spot"}}
        kinds = [k for k in ("a", "b", "t") if board.count(k) >= spots > 0]
        if name.partition(": ")[0] in ("every", "some"):
            quantified = self._quantified(name, [k for k in board.pieces if board.count(k)], cell)
            if quantified is not None:
                return quantified
        if name in ("every", "holds") and kinds:
            return {"every": "spot", "holds": rng.choice([*kinds, "any"])}
        if name == "count":
            kind = rng.choice(["a", "b"])
            return {"count": {kind: rng.choice([0, 1, board.count(kind)])}}
        if name == "at: node" and board.is_graph:
            return {piece: {"at": rng.choice("pqr")}}
        if name.startswith("board"):
            return {"board": self._drawing(name)}
        return {piece: {"at": cell}}

    def _quantified(self, row: str, kinds: list[str], cell: list[int]) -> Entry | None:
        """A condition that every piece, or some piece, of a kind is at a place; None if the row has a different
        form."""
        rng = self.rng
        word, _, form = row.partition(": ")
        form = form or rng.choice(["on", "touches", "at", "covers", "holds"])
        has_spot = self.board.count("spot") > 0
        if form == "holds" or not kinds or (form == "covers" and not has_spot):
            return None
        kind = rng.choice([*kinds, "any"])
        if form == "on":
            return {word: kind, "on": rng.choice(["spot", "floor"])}
        if form == "at":
            return {word: kind, "at": cell}
        if form == "covers":
            return {word: kind, "covers": "spot"}
        return {word: kind, "touches": rng.choice(["left", "right", "top", "bottom"])}

    def _drawing(self, name: str) -> Any:
        rng, board = self.rng, self.board
        drawn = [["?"] * board.columns for _ in range(board.rows)]
        cells = [(r, c) for r in range(board.rows) for c in range(board.columns)]
        rng.shuffle(cells)
        options = ["a", "."]
        if name == "board: letter" and (board.letters or self.agenda.only is not None):
            letter = rng.choice(board.letters or ["A"])
            for r, c in cells:
                if board.cells[r][c] == letter:
                    drawn[r][c] = letter
            options = ["?"]
        for r, c in cells[: rng.choice([1, 1, 2])]:
            if board.cells[r][c] != "#" and drawn[r][c] == "?":
                drawn[r][c] = options.pop(0) if options else "."
        if name == "board: lines" and board.is_drawn:
            lines = ["+" + " +" * board.columns]
            for row in drawn:
                lines += [" " + " ".join(row) + " ", "+" + " +" * board.columns]
            return "\n".join(lines)
        return "\n".join("".join(row) for row in drawn)

    def metrics(self) -> Entry:
        rng, agenda = self.rng, self.agenda
        found: Entry = {"ones": {}}
        chosen = dict.fromkeys(agenda.choose(rng, "metric", METRICS) for _ in range(2))
        weights: Entry = {}
        name = rng.choice(list(self.rules))
        if agenda.chance(rng, 0.7) or self._only("metric.count") or "count: 0" in chosen:
            weights[name] = rng.choice([0, 2, 3])
            if "count: 0" in chosen:
                weights[name] = 0
            elif self._only("metric.count") or rng.random() < 0.75:
                weights[name] = self._weight("metric.count", self.rules[name])
        other = rng.choice(list(self.rules))
        if "count" not in self.rules[other] and (
            agenda.chance(rng, 0.3) or self._only("moves.count")
        ):
            self.rules[other]["count"] = self._weight("moves.count", self.rules[other])
        if weights or "count" in chosen:
            found["weighted"] = {"count": weights or {name: 2}}
        if "count: number" in chosen:
            found["twos"] = {"count": rng.choice([1, 2])}
        for row in chosen:
            if row is not None and row.startswith("merge="):
                merge = row.removeprefix("merge=")
                found[merge] = {"merge": merge}
                if weights and rng.random() < 0.5:
                    found[merge]["count"] = weights
        if "list" in chosen:
            names = list(found)
            found["pair"] = [rng.choice(names), rng.choice(names)]
        return dict(rng.sample(list(found.items()), len(found))) if agenda.only is None else found

    def _weight(self, context: str, rule: Entry) -> str:
        around = self.around
        around.is_static, around.loops = True, rule.setdefault("for", {})
        row = self.agenda.choose(self.rng, context, EXPRESSIONS) or "node Constant"
        text = number(around, row, 3)
        if not rule["for"]:
            del rule["for"]
        around.is_static, around.loops = False, None
        return text

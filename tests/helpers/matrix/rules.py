"""Draws random rules of every kind."""

from __future__ import annotations

import re
from random import Random
from typing import Any

from tests.helpers.matrix.agenda import Agenda
from tests.helpers.matrix.boards import Drawing, Entry
from tests.helpers.matrix.constructs import (
    HEADINGS,
    KEYS,
    LOOPS,
    MORE,
    TURNS,
    directions_of,
    word_rows,
)
from tests.helpers.matrix.drawer import Drawer
from tests.helpers.matrix.expressions import Surroundings
from tests.helpers.matrix.guards import Guards
from tests.helpers.matrix.tags import pattern_rows
from tests.helpers.matrix.templates import (
    LAYERED,
    LINES,
    RECTANGLES,
    STAYING,
    WHOLE,
    WHOLE_RECTANGLES,
    Side,
)


class Rules(Drawer):
    """Draws rules."""

    def __init__(self, rng: Random, agenda: Agenda, board: Drawing, around: Surroundings) -> None:
        super().__init__(rng, agenda, board, around)
        self.guards = Guards(rng, agenda, board, around)

    def walk(self) -> Entry:
        """A rule that applies in most positions, so that the puzzle has several of them."""
        rng = self.rng
        mover = rng.choice(["a", "a", "b"])
        if self.agenda.only is not None or rng.random() < 0.5:
            return {"before": [mover, "empty"], "after": ["empty", mover]}
        return {"slide": rng.choice([mover, "any"])}

    def rule(self, section: str, kind: str, stage: str) -> Entry:
        """A random rule of this kind. If possible, its constructs have not yet been tested in this context."""
        rng, agenda = self.rng, self.agenda
        context = f"{section}.{kind}" + (f"/{stage}" if stage else "")
        rows = [
            agenda.choose(rng, context, group)
            for group in (KEYS[kind], MORE[kind], word_rows(kind))
            if group and (agenda.only is not None or rng.random() < 0.75)
        ]
        wanted = [row for row in rows if row is not None]
        rule: Entry = getattr(self, f"_{kind}")(wanted)
        if stage:
            rule[stage] = True
        if stage == "once" and kind != "action" and agenda.chance(rng, 0.4):
            rule["everywhere"] = True
        self._direct(rule, kind, context)
        loops = agenda.choose(rng, context, LOOPS) if agenda.only or rng.random() < 0.3 else None
        if loops is not None or "for" in wanted:
            rule["for"] = {**rule.get("for", {}), **self.guards.loops(loops)}
        self.guards.guard(rule, section, kind, context)
        if "count" in wanted:
            rule["count"] = rng.choice([0, 2, 3])
        if "say" in wanted:
            rule["say"] = rng.choice(["go on", "move {n} at a time"])
        return rule

    def _named(self, rows: list[str], key: str, *, large: bool = False) -> str:
        """The word that names pieces in a key."""
        form = next(
            (row.removeprefix(f"{key}: ") for row in rows if row.startswith(f"{key}: ")), None
        )
        kinds = [k for k in self.board.pieces if k in ("block", "dom")] if large else []
        kinds = kinds or [k for k in self.board.pieces if self.board.count(k)] or ["a"]
        one = self.rng.choice(kinds)
        if form == "letter" and (self.board.letters or self.agenda.only is not None):
            return self.rng.choice(self.board.letters or ["A"])
        if form in ("any", "own"):
            return form
        if form == "A|B":
            return (
                "|".join(dict.fromkeys([one, self.rng.choice(["a", "b"])]))
                if one not in "ab"
                else "a|b"
            )
        return one

    def _slide(self, rows: list[str]) -> Entry:
        rng = self.rng
        rule: Entry = {"slide": self._named(rows, "slide")}
        given = [row.partition("=")[::2] for row in rows]
        if self.board.is_graph and self.agenda.only is None:
            given = []
        for key, value in given:
            if key == "distance":
                rule["distance"] = 1 if value == "1" else value
            elif key == "over" or key == "over: floor":
                rule |= {"distance": "blocked", "over": "floor" if ":" in key else "spot"}
            elif key == "stopped-by":
                rule |= {"distance": "blocked", "stopped-by": value}
            elif key == "stopped-by: both":
                rule |= {"distance": "blocked", "stopped-by": ["piece", "wall"]}
            elif key in ("carries", "sticky", "most") or key.startswith(("carries: ", "sticky: ")):
                self._take(rule, key, rows)
        if rule.get("distance") == "blocked" and {"carries", "sticky"} & rule.keys():
            for key in rng.choice(
                [("carries", "sticky", "most"), ("distance", "over", "stopped-by")]
            ):
                if not self._is_wanted(rule, key):
                    rule.pop(key, None)
        if self.board.features & {"with carries", "with sticky"} and "distance" not in rule:
            key = "carries" if "with carries" in self.board.features else "sticky"
            rule.setdefault(key, rng.choice(["b", "any"]))
        return rule

    def _is_wanted(self, rule: Entry, key: str) -> bool:
        return self.agenda.only is not None and self.agenda.only[1].startswith(key)

    def _take(self, rule: Entry, key: str, rows: list[str]) -> None:
        """Add `carries`, `sticky` or `most`, the keys for pieces that the moving piece takes along."""
        name = key.partition(":")[0]
        if name == "most":
            rule["most"] = self.rng.choice([1, 1, 2])
            if not {"carries", "sticky"} & rule.keys():
                rule[self.rng.choice(["carries", "sticky"])] = self.rng.choice(["any", "b", "a|b"])
        else:
            rule[name] = self._named(rows, name)

    def _together(self, rows: list[str]) -> Entry:
        rule: Entry = {"together": self._named(rows, "together")}
        for row in rows:
            key, _, value = row.partition("=")
            if key == "distance":
                rule["distance"] = 1 if value == "1" else value
            elif key in ("carries", "sticky", "most") or key.startswith(("carries: ", "sticky: ")):
                self._take(rule, key, rows)
        return rule

    def _pattern(self, rows: list[str]) -> Entry:
        rng, board = self.rng, self.board
        agenda_free = self.agenda.only is None
        is_whole = "whole=true" in rows or "with whole" in board.features
        if board.is_graph and agenda_free:
            is_whole = False
        elif agenda_free and "block" in board.pieces and rng.random() < 0.4:
            is_whole = True
        is_rectangle = "rotations=true" in rows or "rectangle" in rows
        choices = [*LINES]
        if "t" in board.pieces:
            choices += LAYERED
        if any(k in board.pieces for k in ("block",)) and (is_whole or "letter" in rows):
            choices = WHOLE if not board.letters else WHOLE + [x for x in WHOLE if "A" in str(x)]
            is_whole = True
            if agenda_free and rng.random() < 0.5:
                choices = STAYING
        if not self._has_rectangles and agenda_free:
            is_rectangle = False
        if is_rectangle:
            choices = WHOLE_RECTANGLES if is_whole and "block" in board.pieces else RECTANGLES
        elif agenda_free and self._has_rectangles and rng.random() < 0.15:
            choices = [*RECTANGLES]
        wanted = [row for row in rows if row in MORE["pattern"]]
        known = [pair for pair in choices if not wanted or wanted[0] in _elements(pair, board)]
        if not known and wanted:
            known = [
                p
                for p in (*LINES, *RECTANGLES, *LAYERED, *WHOLE)
                if wanted[0] in _elements(p, board)
            ]
        if agenda_free and not self._has_rectangles:
            known = [pair for pair in known if isinstance(pair[0][0], str)]
        known = [pair for pair in known if self._is_drawn(pair)]
        choices = [pair for pair in choices if self._is_drawn(pair)] or LINES
        before, after = rng.choice(known or choices)
        rule: Entry = {"before": _copied(before), "after": _copied(after)}
        if "block" in str(rule) or "A" in str(before) or is_whole:
            rule["whole"] = True
        if isinstance(before[0], list):
            if "rotations=true" in rows or rng.random() < 0.5:
                rule["rotations"] = True
        elif "distance=blocked" in rows:
            if not (agenda_free and (board.is_graph or not _moves(rule))):
                rule["distance"] = "blocked"
        elif "distance=1" in rows:
            rule["distance"] = 1
        return rule

    @property
    def _has_rectangles(self) -> bool:
        board = self.board
        return not board.is_graph and not any("triangle" in f for f in board.features)

    def _is_drawn(self, pair: tuple[Side, Side]) -> bool:
        """Whether the board has all pieces of a pattern."""
        words = set(re.findall(r"\w+", str(pair)))
        board = self.board
        return (
            ("block" not in words or "block" in board.pieces)
            and ("A" not in words or "A" in board.letters)
            and ("t" not in words or "t" in board.pieces)
        )

    def _cycle(self, rows: list[str]) -> Entry:
        rng, board = self.rng, self.board
        cells = [
            [r, c]
            for r in range(board.rows)
            for c in range(board.columns)
            if board.cells[r][c] not in "#"
        ]
        rng.shuffle(cells)
        size = min(len(cells), rng.choice([2, 3, 3, 4]))
        ring = cells[:size]
        rule: Entry = {"cycle": ring}
        if "ring: expression" in rows:
            rule["cycle"] = f"[[{ring[0][0]}, {ring[0][1]}], [{ring[1][0]}, {ring[1][1]}]]"
        if "cycles" in rows or "rings: expression" in rows:
            del rule["cycle"]
            rest = cells[size : size + 2]
            rings = [ring, rest] if len(rest) == 2 and rng.random() < 0.6 else [ring]
            rule["cycles"] = str(rings) if "rings: expression" in rows else rings
        if "steps: expression" in rows:
            rule["steps"] = "n - 1" if size <= 2 else rng.choice(["n", "n - 1"])
        elif "steps" in rows:
            rule["steps"] = rng.choice([1, 2 if size > 2 else 1, -1])
        return rule

    def _pivot(self, rows: list[str]) -> Entry:
        rng = self.rng
        rule: Entry = {"pivot": self._named(rows, "pivot", large=rng.random() < 0.8)}
        about = next(
            (row.removeprefix("about: ") for row in rows if row.startswith("about: ")), None
        )
        if about is None and "about" in rows:
            about = rng.choice(["own", "TERRAIN", "cells"])
        if about == "own":
            rule["about"] = "own"
        elif about == "TERRAIN":
            rule["about"] = "spot"
        elif about == "cells":
            rule["about"] = [[rng.randrange(self.board.rows), rng.randrange(self.board.columns)]]
        for row in rows:
            if row.startswith("swept="):
                rule["swept"] = row.removeprefix("swept=")
        if "swept" not in rule and rng.random() < 0.5:
            rule["swept"] = "any"
        return rule

    def _action(self, rows: list[str]) -> Entry:
        return {"set": {}, "wait": True} if "wait=true" in rows else {"set": {}}

    def _head(self, rule: Entry, kind: str, chosen: str) -> None:
        """Add directions that come from a loop or a variable."""
        rng, board = self.rng, self.board
        if board.is_graph and kind not in ("cycle", "pivot"):
            if chosen == "loop" and board.edge_kinds:
                rule["for"] = {"d": board.edge_kinds}
                rule["directions"] = "d"
            elif self.agenda.only is not None:
                rule["directions"] = "s" if chosen == "variable" else "left_of(s)"
            return
        options = [["left", "up"], ["right", "down"], ["up", "down", "right"], ["down-right"]]
        if kind in ("cycle", "pivot"):
            words = [word for word in TURNS[kind] if word not in HEADINGS]
            options = [[rng.choice(words)], words]
        if chosen != "loop" and kind in ("cycle", "pivot"):
            direction = f"{kind}_way"
            back = direction if board.is_graph else f"back_of({direction})"
            rule["directions"] = direction if chosen == "variable" else back
            if rng.random() < 0.7:  # so that both cases occur
                rule["set"] = {direction: back}
        elif chosen == "loop":
            rule["for"] = {"d": rng.choice(options)}
            rule["directions"] = "d"
        elif chosen == "variable":
            rule["directions"] = "s"
        else:
            rule["directions"] = rng.choice(["left_of(s)", "back_of(s)", "right_of(left_of(s))"])

    def _direct(self, rule: Entry, kind: str, context: str) -> None:
        rng, agenda = self.rng, self.agenda
        directions = directions_of(kind)
        if agenda.only is None and rng.random() < 0.5:
            return
        if isinstance(rule.get("before", [""])[0], list):
            return
        row = agenda.choose(rng, context, directions)
        if agenda.only is not None and agenda.only[1] == "directions" and agenda.only[0] == context:
            row = (
                "directions: forward"
                if kind == "cycle"
                else "directions: clockwise"
                if kind == "pivot"
                else "directions: right"
            )
        if row is None:
            return
        chosen: Any = row.removeprefix("directions: ")
        features = self.board.features
        if chosen in HEADINGS:
            self._head(rule, kind, chosen)
            return
        if self.board.is_graph and kind not in ("cycle", "pivot"):
            if agenda.only is not None and chosen != "edges":
                rule["directions"] = chosen
            elif self.board.edge_kinds:
                rule["directions"] = rng.choice([*self.board.edge_kinds, "rail road"])
            return
        if chosen == "offsets":
            chosen = rng.choice([[[0, 1]], [[0, -1], [1, 0]], [[1, 1]], [[0, 2]], [[1, 0]]])
        elif chosen == "edges":
            if agenda.only is None:
                return
            chosen = "rail"
        elif agenda.only is None and chosen == "hex" and not any("hex" in f for f in features):
            chosen = "hex-right"
        elif (
            agenda.only is None
            and chosen == "strips"
            and not any("triangle" in f for f in features)
        ) or (agenda.only is None and chosen in ("above", "below") and "levels" not in features):
            return
        rule["directions"] = chosen


def _moves(rule: Entry) -> bool:
    """Whether the pattern moves a piece."""
    words = [word.removesuffix("...").split()[0] for word in rule["before"]]
    after = [word.removesuffix("...").split()[0] for word in rule["after"]]
    return any(
        words[i] == after[j] and i != j and words[i] not in ("empty", "_") and words[j] != words[i]
        for i in range(len(words))
        for j in range(len(words))
    )


def _copied(side: Side) -> Any:
    return [item if isinstance(item, str) else list(item) for item in side]


def _elements(pair: tuple[Side, Side], board: Drawing) -> set[str]:
    return pattern_rows(pair[0], pair[1], frozenset(board.pieces), frozenset("AB"))

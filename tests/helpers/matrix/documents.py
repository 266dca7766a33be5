"""Random puzzles that have wanted pairs of the matrix, as plain documents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import Any

from tests.helpers.matrix.agenda import Agenda
from tests.helpers.matrix.boards import Drawing, Entry
from tests.helpers.matrix.constructs import (
    BOARDS,
    CONDITIONS,
    DIRECTIONS,
    EXPRESSIONS,
    KEYS,
    LOOPS,
    METRICS,
    MORE,
    ORDERS,
    RULE,
    TARGETS,
    WITH,
    WORD_KEYS,
    WORDS,
    rule_contexts,
    rule_rows,
)
from tests.helpers.matrix.expressions import Surroundings, condition, number, word
from tests.helpers.matrix.templates import (
    LAYERED,
    LINES,
    RECTANGLES,
    WHOLE,
    WHOLE_RECTANGLES,
    Side,
)

_PLACES = ("geometry", "levels", "wrap", "graph")
_TURNS = {"forward", "backward", "clockwise", "counterclockwise"}


def draw(rng: Random, agenda: Agenda) -> Entry:
    """A random document that has what the agenda lacks most."""
    return _Drawer(rng, agenda).document()


class _Drawer:
    def __init__(self, rng: Random, agenda: Agenda) -> None:
        self.rng, self.agenda = rng, agenda
        contexts = rule_contexts()
        rows = {
            context: rule_rows(context)
            for context in contexts
            if (context, RULE) not in agenda.refused
        }
        if agenda.only is not None and agenda.only[1] == RULE:
            rows = {context: [] for context in contexts}
        is_rule = agenda.only is not None and agenda.only[0].startswith(("moves.", "then."))
        if agenda.only is not None and (not is_rule or agenda.only[0] == "moves.count"):
            rows = {_home(agenda.only[0]): []}
        self.main = agenda.context(rng, rows)
        self.section, self.kind, self.stage = contexts[self.main]

    # -- the whole --------------------------------------------------------------------------------------

    def document(self) -> Entry:
        rng, agenda = self.rng, self.agenda
        features = self._features()
        has_then = self.section == "then" or "with then" in features or agenda.chance(rng, 0.2)
        needs = set()
        if self.kind == "pivot" or agenda.chance(rng, 0.25):
            needs.add("block")
        if agenda.chance(rng, 0.15):
            needs.add("tiles")
        if agenda.only is not None:
            needs |= _needed(agenda.only[1])
        agenda.boards = features
        board = self.board = Drawing(rng, agenda, features, needs, self.main)
        self.has_then = has_then
        self.around = Surroundings(
            rng,
            board.rows,
            board.columns,
            kinds=[k for k in board.pieces],
            single=[k for k in ("a", "b", "t") if k in board.pieces and board.count(k) == 1]
            + board.letters,
            letters=board.letters,
            terrains=["spot"],
            layers=[-1, 0] if "t" in board.pieces else [0],
            rules=["one"],
        )
        rules: Entry = {}
        then: Entry = {}
        main = self.rule(self.section, self.kind, self.stage)
        if self.section == "moves":
            rules["main"] = main
        else:
            then["main"] = main
        rules["one"] = self._walk()
        others = ("slide", "pattern", "action", "cycle", "pivot", "together")
        for name in ("two", "three") if not has_then else ("two",):
            if agenda.chance(rng, 0.6 if not has_then else 0.25):
                rules[name] = self.rule("moves", self._kind("moves", others), "")
        if has_then:
            for name in ("main", "next", "last"):
                if name not in then and agenda.chance(rng, 0.4 if then else 1):
                    then[name] = self._follow()
        if then:
            rules["one"].setdefault("set", {})["x"] = rng.choice(["1", "2"])
            if self.stage == "otherwise":
                then = dict(sorted(then.items(), reverse=True))  # there is something before it
        self.rules, self.then = rules, then
        self._ask()
        document: Entry = {"puzzle": "drawn", **board.keys}
        document["parameters"] = {"n": 2}
        document["constants"] = {
            "cap": [1, 0, 2],
            "grid": [[0, 1], [1, 2]],
            "speed": {"left": 1, "right": 2},
            "far": 1,
            "steps": [0, 1],
        }
        document["variables"] = self._variables()
        document["moves"] = rules
        if then:
            document["then"] = then
            order = agenda.choose(rng, self.main, ORDERS) if self.section == "then" else None
            if order is not None:
                document["order"] = order.removeprefix("order=")
        document["metrics"] = self._metrics()
        document["goal"] = self._condition("goal")
        if agenda.chance(rng, 0.3) or (agenda.only or ("",))[0].startswith("forbid"):
            document["forbid"] = self._condition("forbid")
        return document

    def _kind(self, section: str, kinds: Sequence[str]) -> str:
        """A kind of rule that the board takes."""
        features, refused = self.board.features, self.agenda.refused
        fits = [k for k in kinds if not any((f"{section}.{k}", f) in refused for f in features)]
        if any("portals" in f for f in features) and "together" in fits:
            fits.remove("together")
        if "pivot" in fits and "block" not in self.board.pieces:
            fits.remove("pivot")
        return self.rng.choice(fits)

    def _follow(self) -> Entry:
        """A rule under `then` of any kind and stage."""
        contexts = [
            parts
            for context, parts in rule_contexts().items()
            if parts[0] == "then" and (context, RULE) not in self.agenda.refused
        ]
        return self.rule(*self.rng.choice(contexts))

    def _features(self) -> set[str]:
        """Of the board: one place, what lies between its cells, and what is said of pieces."""
        rng, agenda = self.rng, self.agenda
        if agenda.only is not None:
            return _features_for(*agenda.only)
        found: set[str] = set()
        for _ in range(rng.choice([1, 2, 2, 3, 4])):
            row = agenda.choose(rng, rng.choice([self.main, self.main, "goal", "forbid"]), BOARDS)
            if (
                row is not None
                and (self.main, row) not in agenda.refused
                and _go_together(row, found)
            ):
                found.add(row)
        if rng.random() < 0.25:
            found.add(rng.choice(WITH))
        return found

    def _variables(self) -> Entry:
        variables: Entry = {
            "x": {"values": "range(3)", "initial": 0},
            "y": {"values": "range(3)", "initial": self.rng.randrange(2)},
            "s": {"values": ["left", "right"], "initial": "left"},
            "v[i]": {
                "for": {"i": "range(2)"},
                "values": "range(2)",
                "initial": self.rng.choice([0, "i"]),
            },
        }
        if self.rng.random() < 0.1:
            variables["v[i]"] |= {"layout": ["0", "i"], "characters": {"0": "o", "1": "l"}}
        return variables

    # -- rules ------------------------------------------------------------------------------------------

    def _walk(self) -> Entry:
        """What moves nearly always, so that there is more than one position."""
        rng = self.rng
        mover = rng.choice(["a", "a", "b"])
        if self.agenda.only is not None or rng.random() < 0.5:
            return {"before": [mover, "empty"], "after": ["empty", mover]}
        return {"slide": rng.choice([mover, "any"])}

    def rule(self, section: str, kind: str, stage: str) -> Entry:
        """A rule of that kind with what its context lacks."""
        rng, agenda = self.rng, self.agenda
        context = f"{section}.{kind}" + (f"/{stage}" if stage else "")
        rows = [
            agenda.choose(rng, context, group)
            for group in (KEYS[kind], MORE[kind], self._word_rows(kind))
            if group and (agenda.only is not None or rng.random() < 0.75)
        ]
        wanted = [row for row in rows if row is not None]
        rule: Entry = getattr(self, f"_{kind}")(wanted)
        if stage:
            rule[stage] = True
        self._direct(rule, kind, context)
        loops = agenda.choose(rng, context, LOOPS) if agenda.only or rng.random() < 0.3 else None
        if loops is not None or "for" in wanted:
            rule["for"] = self._loops(loops)
        self._guard(rule, section, kind, context)
        if "count" in wanted:
            rule["count"] = rng.choice([0, 2, 3])
        return rule

    @staticmethod
    def _word_rows(kind: str) -> list[str]:
        from fewest.reading.rules import OWN_KEYS

        return [f"{key}: {w}" for key in OWN_KEYS[kind] if key in WORD_KEYS for w in WORDS]

    def _named(self, rows: list[str], key: str, *, large: bool = False) -> str:
        """The word of a key that names pieces."""
        form = next(
            (row.removeprefix(f"{key}: ") for row in rows if row.startswith(f"{key}: ")), None
        )
        kinds = [k for k in self.board.pieces if k in ("block", "dom")] if large else []
        kinds = kinds or [k for k in self.board.pieces if self.board.count(k)] or ["a"]
        one = self.rng.choice(kinds)
        if form == "letter" and (self.board.letters or self.agenda.only is not None):
            return self.rng.choice(self.board.letters or ["A"])
        if form == "any":
            return "any"
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
        """Pieces that come along."""
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
        is_rectangle = "rotations=true" in rows or "rectangle" in rows
        choices = [*LINES]
        if "t" in board.pieces:
            choices += LAYERED
        if any(k in board.pieces for k in ("block",)) and (is_whole or "letter" in rows):
            choices = WHOLE if not board.letters else WHOLE + [x for x in WHOLE if "A" in str(x)]
            is_whole = True
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
        """Whether the board has what a pattern names."""
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
        return {"set": {}}

    def _direct(self, rule: Entry, kind: str, context: str) -> None:
        rng, agenda = self.rng, self.agenda
        ways = [
            f"directions: {w}"
            for w in (DIRECTIONS if kind in ("slide", "together", "pattern") else _TURNS)
        ]
        if agenda.only is None and rng.random() < 0.5:
            return
        if isinstance(rule.get("before", [""])[0], list):
            return
        row = agenda.choose(rng, context, ways)
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
        ):
            return
        elif agenda.only is None and chosen in ("above", "below") and "levels" not in features:
            return
        rule["directions"] = chosen

    def _loops(self, row: str | None) -> Entry:
        """The loops of a rule."""
        return {
            "for: list": {"i": [0, 1]},
            "for: constant": {"i": "steps"},
            "for: words": {"w": [k for k in ("a", "b")]},
            "for: two loops": {"i": "range(2)", "j": [1, 2]},
        }.get(row or "", {"i": "range(n)"})

    # -- when, set, count -------------------------------------------------------------------------------

    def _guard(self, rule: Entry, section: str, kind: str, context: str) -> None:
        """A condition and assignments, with constructs that the context lacks there."""
        rng, agenda = self.rng, self.agenda
        around = self.around
        around.loops = rule.setdefault("for", {})
        around.rules = ["one"] if section == "moves" else ["one", "one", "main"]
        if section == "then" and self.section == "then":
            around.rules = ["one"]
        assigns = (
            kind == "action"
            or agenda.chance(rng, 0.55)
            or self._only(f"{context}.set")
            or self._only(context, "set")
        )
        guards = (
            agenda.chance(rng, 0.7) or self._only(f"{context}.when") or self._only(context, "when")
        )
        parts = []
        if guards:
            parts.append(self._conditions(f"{context}.when"))
        assigned: Entry = {}
        if assigns:
            assigned = self._assignments(context)
        if section == "then" and (
            kind == "action" or agenda.only is not None or rng.random() < 0.85
        ):
            text = " and ".join(
                f"({part})" if " or " in part or " if " in part else part for part in parts
            )
            if agenda.only is None or not self._only(f"{context}.when") or kind == "action":
                parts = [f"x > 0 and {text}" if text else "x > 0"]
            else:
                parts = [f"x > 0 and {text}"]
            assigned["x"] = "x - 1"
        if assigned:
            rule["set"] = {**assigned, **rule.get("set", {})}
        if parts:
            rule["when"] = parts[0]
        if kind == "action" and not rule["set"]:
            rule["set"] = {"y": "(y + 1) % 3"}
        if not rule["for"]:
            del rule["for"]
        around.loops = None

    def _only(self, context: str, row: str | None = None) -> bool:
        only = self.agenda.only
        return only is not None and only[0] == context and (row is None or only[1] == row)

    def _assignments(self, context: str) -> Entry:
        rng, agenda, around = self.rng, self.agenda, self.around
        row = agenda.choose(rng, f"{context}.set", EXPRESSIONS) or "node Constant"
        form = agenda.choose(rng, f"{context}.set", TARGETS) or rng.choice(
            ["target", "target", "target[i]"]
        )
        section = context.partition(".")[0]
        plain = "y" if section == "then" or rng.random() < 0.6 else "x"
        if form == "target[i]":
            return {rng.choice(["v[0]", "v[1]"]): number(around, row, 2)}
        if form == "target[expression]":
            index = rng.choice(["1 - 0", "n - 1"])
            if around.loops is not None and rng.random() < 0.5:
                index = f"1 - {around.loop('int')}"
            return {f"v[{index}]": number(around, row, 2)}
        if form == "target for":
            value = number(around, row, 2)
            if agenda.only is None and rng.random() < 0.4:
                value = rng.choice(["1 - v[m]", "v[1 - m]", value])
            return {"v[m] for m in range(2)": value}
        if form == "target for … if":
            return {
                f"v[m] for m in range(2) if m {rng.choice(['!=', '>', '<='])} 0": number(
                    around, row, 2
                )
            }
        if form == "targets":
            return {
                plain: number(around, row, 3),
                "s": word(around, rng.choice(["compare Eq", "and", row])),
            }
        if rng.random() < 0.25:
            return {"s": word(around, row)}
        if agenda.only is None and rng.random() < 0.4:
            other = agenda.choose(rng, f"{context}.set", EXPRESSIONS) or "and"
            return {plain: number(around, row, 3), "v[0]": number(around, other, 2)}
        return {plain: number(around, row, 3)}

    def _ask(self) -> None:
        """No rule that asks for itself, and no order to many that is asked for."""
        for name, rule in [*self.rules.items(), *self.then.items()]:
            if name == "one" and "when" in rule and "can(" in rule["when"]:
                del rule["when"]
        if (
            self.agenda.only is not None
            and self.agenda.only[0].startswith("moves.")
            and "can" in self.agenda.only[1]
        ):
            return

    # -- goals and metrics --------------------------------------------------------------------------------

    def _condition(self, key: str) -> Any:
        rng, agenda, around = self.rng, self.agenda, self.around
        around.loops = None
        around.rules = [n for n, r in self.rules.items() if "together" not in r] or ["one"]
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

    def _conditions(self, context: str) -> str:
        """A condition with one construct or several that the context lacks."""
        rng, agenda = self.rng, self.agenda
        number = 1 if agenda.only is not None else rng.choice([1, 1, 2, 3])
        found = []
        for _ in range(number):
            row = agenda.choose(rng, context, EXPRESSIONS) or "compare Eq"
            found.append(condition(self.around, row, is_bare=agenda.only is not None or number > 1))
        if number == 1:
            return found[0]
        return f" {rng.choice(['and', 'or', 'or'])} ".join(
            f"({part})" if " if " in part else part for part in found
        )

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
        name, _, value = row.partition("=")
        if name == "touches":
            return {piece: {"touches": value}}
        spots = board.count("spot")
        is_single = piece in ("a", "b", "t")
        if name in ("covers", "on") and spots and (is_single or self.agenda.only is not None):
            if name == "on" or spots == 1 or self.agenda.only is not None:
                return {piece: {name: "spot"}}
        kinds = [k for k in ("a", "b", "t") if board.count(k) >= spots > 0]
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

    def _metrics(self) -> Entry:
        rng, agenda = self.rng, self.agenda
        found: Entry = {"ones": {}}
        chosen = {agenda.choose(rng, "metric", METRICS) for _ in range(2)} - {None}
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


def _moves(rule: Entry) -> bool:
    """Whether a line moves something."""
    words = [word.removesuffix("...").split()[0] for word in rule["before"]]
    after = [word.removesuffix("...").split()[0] for word in rule["after"]]
    return any(
        words[i] == after[j] and i != j and words[i] not in ("empty", "_") and words[j] != words[i]
        for i in range(len(words))
        for j in range(len(words))
    )


def _copied(side: Side) -> Any:
    return [item if isinstance(item, str) else list(item) for item in side]


def _go_together(row: str, found: set[str]) -> bool:
    """Whether a board can have a feature beside others."""
    both = {row, *found}
    if sum(feature.startswith(_PLACES) for feature in both) > 1:
        return False
    if any("parts" in f for f in both) and any("wrap" in f or "portals" in f for f in both):
        return False
    is_bare = any("triangle" in feature or feature == "graph" for feature in both)
    large = ("edges", "piece: letters", "piece: shape", "piece: parts", "piece: of several")
    return not (is_bare and any(feature.startswith(large) for feature in both))


def _features_for(context: str, row: str) -> set[str]:
    """What a board must have for a pair to be drawn."""
    found = {row} if row in BOARDS else set()
    if context == "pieces":
        found.add("piece: directions")
    if context.startswith("looked at: "):
        found.add(context.removeprefix("looked at: "))
    for word, feature in (
        ("directions: edges", "graph"),
        ("at: node", "graph"),
        ("along", "piece: shape"),
        ("strips", "geometry=triangle-up"),
        ("directions: hex", "geometry=hex-right"),
        ("above", "levels"),
        ("below", "levels"),
        ("board: lines", "edges: drawn=true"),
    ):
        if word in row:
            found.add(feature)
    return found


def _home(context: str) -> str:
    """The rule beside which something is looked at that no rule says."""
    return {
        "looked at: with together": "moves.together",
        "looked at: with carries": "moves.slide",
        "looked at: with sticky": "moves.slide",
        "looked at: with then": "then.pattern",
    }.get(context, "moves.pattern")


def _needed(row: str) -> set[str]:
    """What must stand on the board for a row to be drawn."""
    if row in ("A & B", "A & B in after", "piece: layer", "cell/3"):
        return {"tiles"}
    if "letter" in row or "whole" in row:
        return {"block"}
    return set()


def _elements(pair: tuple[Side, Side], board: Drawing) -> set[str]:
    from tests.helpers.matrix.tags import pattern_rows

    return pattern_rows(pair[0], pair[1], frozenset(board.pieces), frozenset("AB"))

"""Draws random puzzles with wanted pairs of the matrix, as plain documents."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tests.helpers.matrix.agenda import Agenda
from tests.helpers.matrix.boards import Drawing, Entry
from tests.helpers.matrix.conditions import Conditions
from tests.helpers.matrix.constructs import (
    BOARDS,
    HEADINGS,
    ORDERS,
    RULE,
    TURNS,
    WITH,
    rule_contexts,
    rule_rows,
)
from tests.helpers.matrix.expressions import Surroundings, several_can
from tests.helpers.matrix.guards import TESTED
from tests.helpers.matrix.rules import Rules

_PLACES = ("geometry", "levels", "wrap", "graph")


def draw(rng: Random, agenda: Agenda) -> Entry:
    """A random document that contains the pairs that have been drawn least often."""
    return _Drawer(rng, agenda).document()


def add_tests(document: Entry, rng: Random) -> None:
    """Add tests of several rules to the conditions of some rules of a document."""
    moves = {name: r for name, r in document["moves"].items() if name not in ("one", *TESTED)}
    then = document.get("then", {})
    changed = rng.sample([*moves.values(), *then.values()], min(2, len(moves) + len(then)))
    for rule in changed:
        names = ["one", *TESTED]
        if any(rule is each for each in then.values()):
            names += [name for name, each in moves.items() if "together" not in each]
        text = several_can(rng, names)
        known = rule.get("when")
        rule["when"] = text if known is None else f"({known}) and {text}"
    _add_tested_rules(document, rng)


def _add_tested_rules(document: Entry, rng: Random) -> None:
    """Add those rules of `TESTED` that expressions of a document test with `can`."""
    moves = document["moves"]
    for name in reversed(TESTED):
        if name in moves or f"can({name})" not in str(document):
            continue
        mover = rng.choice(["a", "b"])
        rule: Entry = rng.choice(
            [
                {"before": [mover, "empty"], "after": ["empty", mover]},
                {"slide": mover},
                {"before": ["a", "b"], "after": ["b", "a"]},
            ]
        )
        when = ["x < 2", "y == 0", "not can(one)"]
        when += ["not can(hop)", "can(one) != can(hop)"] if name == "pull" else []
        if rng.random() < 0.7:
            rule["when"] = rng.choice(when)
        moves[name] = rule


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
        is_whole = agenda.only is None and "with whole" in features
        share = 0.45 if self.kind == "pattern" else 0.25
        if self.kind == "pivot" or is_whole or agenda.chance(rng, share):
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
            kinds=list(board.pieces),
            single=[k for k in ("a", "b", "t") if k in board.pieces and board.count(k) == 1]
            + board.letters,
            letters=board.letters,
            terrains=["spot"],
            layers=[-1, 0] if "t" in board.pieces else [0],
            rules=["one", *TESTED],
        )
        self.drawer = Rules(rng, agenda, board, self.around)
        self.drawer.guards.is_followed = self.section == "then"
        rules: Entry = {}
        then: Entry = {}
        main = self.drawer.rule(self.section, self.kind, self.stage)
        if self.section == "moves":
            rules["main"] = main
        else:
            then["main"] = main
        rules["one"] = self.drawer.walk()
        others = ("slide", "pattern", "action", "cycle", "pivot", "together")
        for name in ("two", "three") if not has_then else ("two",):
            if agenda.chance(rng, (0.6 if not has_then else 0.25) * self._room):
                rules[name] = self.drawer.rule("moves", self._kind("moves", others), "")
        if has_then:
            for name in ("main", "next", "last"):
                if name not in then and agenda.chance(rng, 0.4 * self._room if then else 1):
                    then[name] = self._follow()
        has_once = any(rule.get("once") for rule in then.values())
        if any(rule.get("wait") for rule in rules.values()) and not has_once:
            then["tock"] = {"set": {"y": "(y + 1) % 3"}, "once": True}  # what a wait needs
        if then:
            rules["one"].setdefault("set", {})["x"] = rng.choice(["1", "2"])
            if self.stage == "otherwise":
                then = dict(
                    sorted(then.items(), reverse=True)
                )  # `otherwise` needs a rule before it
        walk = rules["one"]
        if "can(" in walk.get("when", ""):
            del walk["when"]  # other rules refer to this one with `can`
        document: Entry = {"puzzle": "drawn", **board.keys}
        document["parameters"] = {"n": 2}
        document["constants"] = {
            "cap": [1, 0, 2],
            "grid": [[0, 1], [1, 2]],
            "speed": {"left": 1, "right": 2},
            "far": 1,
            "steps": [0, 1],
        }
        document["variables"] = self._variables() | self._directions(rules)
        document["moves"] = rules
        if then:
            document["then"] = then
            order = agenda.choose(rng, self.main, ORDERS) if self.section == "then" else None
            if order is not None:
                document["order"] = order.removeprefix("order=")
        conditions = Conditions(rng, agenda, board, self.around)
        conditions.rules = rules
        document["metrics"] = conditions.metrics()
        document["goal"] = conditions.condition("goal")
        if agenda.chance(rng, 0.3) or (agenda.only or ("",))[0].startswith("forbid"):
            document["forbid"] = conditions.condition("forbid")
        _add_tested_rules(document, rng)
        return document

    @property
    def _room(self) -> float:
        """The share of further rules for which the board has room: many rules on many cells result in a large task."""
        return 1.0 if self.board.rows * self.board.columns <= 4 else 0.5

    def _kind(self, section: str, kinds: Sequence[str]) -> str:
        """A random kind of rule that the board allows."""
        features, refused = self.board.features, self.agenda.refused
        fits = [k for k in kinds if not any((f"{section}.{k}", f) in refused for f in features)]
        if any("portals" in f for f in features) and "together" in fits:
            fits.remove("together")
        if "pivot" in fits and "block" not in self.board.pieces:
            fits.remove("pivot")
        return self.rng.choice(fits)

    def _follow(self) -> Entry:
        """A rule under `then`, of any kind and stage."""
        contexts = [
            parts
            for context, parts in rule_contexts().items()
            if parts[0] == "then" and (context, RULE) not in self.agenda.refused
        ]
        return self.drawer.rule(*self.rng.choice(contexts))

    def _features(self) -> set[str]:
        """Features of the board: its geometry, walls between cells, and properties of pieces."""
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

    def _directions(self, rules: Entry) -> Entry:
        """The variables that give the direction of rings and pivots, if rules use such variables."""
        found: Entry = {}
        for kind in ("cycle", "pivot"):
            if any(f"{kind}_way" in str(rule.get("directions")) for rule in rules.values()):
                values = [word for word in TURNS[kind] if word not in HEADINGS]
                found[f"{kind}_way"] = {"values": values, "initial": self.rng.choice(values)}
        return found


def _go_together(row: str, found: set[str]) -> bool:
    """Whether a board can have a feature together with others."""
    both = {row, *found}
    if sum(feature.startswith(_PLACES) for feature in both) > 1:
        return False
    if any("parts" in f for f in both) and any("wrap" in f or "portals" in f for f in both):
        return False
    is_bare = any("triangle" in feature or feature == "graph" for feature in both)
    large = ("edges", "piece: letters", "piece: shape", "piece: parts", "piece: of several")
    return not (is_bare and any(feature.startswith(large) for feature in both))


def _features_for(context: str, row: str) -> set[str]:
    """The features that a board needs for a pair."""
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
    """The context of a rule for an expression that belongs to no rule."""
    return {
        "looked at: with together": "moves.together",
        "looked at: with carries": "moves.slide",
        "looked at: with sticky": "moves.slide",
        "looked at: with then": "then.pattern",
    }.get(context, "moves.pattern")


def _needed(row: str) -> set[str]:
    """The pieces that a board needs for a row."""
    if row in ("A & B", "A & B in after", "piece: layer", "cell/3"):
        return {"tiles"}
    if "letter" in row or "whole" in row:
        return {"block"}
    return set()

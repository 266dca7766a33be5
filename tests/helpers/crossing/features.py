"""Task features as fragments of a puzzle; any two of them make one small puzzle.

A fragment has rows of its own, in which its pieces move along the row, or it has variables of its own. Fragments
therefore do not interfere, and the positions of a puzzle are all pairs of positions of its fragments. A new entry of
FEATURES is automatically crossed with all others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import combinations
from typing import Any

from msgspec import Struct, field

import fewest
from fewest.grounding import cycle
from fewest.grounding.ground import ground
from tests.helpers.random_puzzles.parts import document as written_quickly

Rules = dict[str, dict[str, Any]]


class Fragment(Struct, frozen=True):
    """The part of a puzzle that has a feature.

    The goal of a puzzle is the conjunction of the `goal` of each fragment; `other_goals` are alternatives to this
    conjunction. `count` contains weights of rules for the metric `m`, and `merge` is the metric's value of `merge`.
    `top` contains further keys of the document, and `grounding` contains arguments of `ground`. With
    `has_permutations`, rings permute facts even if few pieces are on them.
    """

    rows: Sequence[str] = ()
    pieces: Mapping[str, Any] = {}
    variables: Mapping[str, Any] = {}
    moves: Rules = {}
    then: Rules = {}
    goal: str = ""
    other_goals: Sequence[str] = ()
    has_goal: bool = True
    forbid: str = ""
    count: Mapping[str, Any] = {}
    merge: str = "none"
    is_pair: bool = False
    top: Mapping[str, Any] = {}
    has_graph: bool = False
    grounding: Mapping[str, int] = field(default_factory=dict)
    has_permutations: bool = False


def _words(count: int) -> Callable[[int], Fragment]:
    """A fragment that needs `count` words of bits. Its first move excludes all others, so there are two positions."""
    name, size = f"w{count}", 64 * (count - 1) + 6

    def fragment(row: int) -> Fragment:
        before = f"all({name}[j] == 1 for j in range(i - 1, i) if j >= 0)"
        return Fragment(
            variables={
                f"{name}[i]": {"for": {"i": f"range({size})"}, "values": [0, 1], "initial": 0},
                f"gate{count}": {"values": [0, 1], "initial": 0},
            },
            moves={
                f"{name}-on": {
                    "for": {"i": f"range({size})"},
                    "when": f"gate{count} == 0 and {before}",
                    "set": {f"{name}[i]": 1, f"gate{count}": 1},
                }
            },
            goal=f"{name}[0] == 1",
        )

    return fragment


def _toggle(name: str) -> Rules:
    return {f"{name}-flip": {"set": {f"{name}[i] for i in range(2)": f"1 - {name}[i]"}}}


def _pair(name: str) -> dict[str, Any]:
    return {f"{name}[i]": {"for": {"i": "range(2)"}, "values": [0, 1], "initial": 0}}


_ALONG = "horizontal"

FEATURES: dict[str, Callable[[int], Fragment]] = {
    "permutations": lambda row: Fragment(
        rows=["abc"],
        pieces={"a": {}, "b": {}, "c": {}},
        moves={"turn": {"cycle": [[row, 0], [row, 1], [row, 2]]}},
        goal=f"cell({row}, 1) == a",
        has_permutations=True,
    ),
    "ring": lambda row: Fragment(
        rows=["ddd"],
        pieces={"d": {"interchangeable": False}},
        moves={"roll": {"cycle": [[row, 0], [row, 1], [row, 2]], "when": "col(h) < 3"}},
    ),
    "at-once": lambda row: Fragment(
        variables=_pair("o"), moves=_toggle("o"), goal="o[1] == 1", grounding={"most_flips": 0}
    ),
    "late-conditions": lambda row: Fragment(
        variables={"late[i]": {"for": {"i": "range(2)"}, "values": "range(3)", "initial": 0}},
        moves={
            "later": {
                "for": {"i": "range(2)"},
                "when": "late[i] < 2 and not (late[i] == 1 and late[1 - i] == 0)",
                "set": {"late[i]": "min(late[i] + 1, 2)"},
            }
        },
        goal="late[0] == 2",
        grounding={"most_condition_steps": 0},
    ),
    "divided": lambda row: Fragment(variables=_pair("p"), moves=_toggle("p"), goal="p[1] == 1"),
    "then": lambda row: Fragment(
        rows=["e.^"],
        pieces={"e": {}},
        moves={"push-e": {"slide": "e", "directions": _ALONG}},
        then={"sink": {"before": ["e on pit"], "after": ["empty"], "directions": "up"}},
        goal="count(e) == 0",
        top={"terrain": ["pit"], "legend": {"^": "pit"}},
    ),
    "apart": lambda row: Fragment(
        variables={"u": {"values": "range(4)", "initial": 0}},
        moves={
            "up": {"when": "u < 2", "set": {"u": "u + 1"}},
            "down": {"when": "u == 3", "set": {"u": 0}},
        },
        then={"carry": {"when": "u == 2", "set": {"u": 3}}},
        goal="u == 3",
        grounding={"most_divided": 0},
    ),
    "everywhere": lambda row: Fragment(
        rows=["f.f"],
        pieces={"f": {}},
        moves={"push-f": {"slide": "f", "directions": _ALONG}},
        then={
            "vanish": {
                "before": ["f", "f"],
                "after": ["empty", "empty"],
                "directions": "right",
                "everywhere": True,
            }
        },
        goal="count(f) == 0",
    ),
    "endless": lambda row: Fragment(
        variables={"z": {"values": "range(3)", "initial": 0}},
        moves={"spin": {"when": "z == 0", "set": {"z": 1}}},
        then={
            "there": {"when": "z == 1", "set": {"z": 2}},
            "back": {"when": "z == 2", "set": {"z": 1}},
        },
    ),
    "free": lambda row: Fragment(
        rows=["w.."],
        pieces={"w": {}},
        moves={"walk": {"slide": "w", "directions": _ALONG}},
        goal=f"cell({row}, 2) == w",
        count={"walk": 0},
    ),
    "weights": lambda row: Fragment(
        rows=["g.."],
        pieces={"g": {}},
        moves={"haul": {"slide": "g", "directions": _ALONG}},
        goal=f"cell({row}, 2) == g",
        count={"haul": 3},
    ),
    "weights-by-turn": lambda row: Fragment(
        variables={"y": {"values": "range(3)", "initial": 0}},
        moves={"rise": {"for": {"k": [1, 2]}, "when": "y + k < 3", "set": {"y": "y + k"}}},
        goal="y == 2",
        count={"rise": "4 * k - 3"},
    ),
    "pairs": lambda row: Fragment(is_pair=True),
    "line": lambda row: Fragment(merge="line"),
    "path": lambda row: Fragment(merge="path"),
    "several-goals": lambda row: Fragment(
        rows=["i.."],
        pieces={"i": {}},
        moves={"slip": {"slide": "i", "directions": _ALONG}},
        other_goals=[f"cell({row}, 2) == i"],
    ),
    "every-list": lambda row: Fragment(
        variables={"lamp[i]": {"for": {"i": "range(2)"}, "values": "range(3)", "initial": 0}},
        moves={
            "dim": {
                "for": {"i": "range(2)", "k": [1, 2]},
                "when": "lamp[i] == 0",
                "set": {"lamp[i]": "k"},
            }
        },
        goal="all(lamp[i] == 1 or lamp[i] == 2 for i in range(2))",
        grounding={"most_goals": 0},
    ),
    "goal-at-start": lambda row: Fragment(other_goals=["cell(0, 0) == h"]),
    "no-goal": lambda row: Fragment(has_goal=False),
    "unsolvable": lambda row: Fragment(
        variables={
            "r": {"values": "range(2)", "initial": 0},
            "s": {"values": "range(2)", "initial": 0},
        },
        moves={"both": {"set": {"r": "1 - r", "s": "1 - s"}}},
        goal="r != s",
    ),
    "forbid": lambda row: Fragment(
        rows=["j.."],
        pieces={"j": {}},
        moves={"push-j": {"slide": "j", "directions": _ALONG}},
        goal=f"cell({row}, 2) == j",
        forbid=f"cell({row}, 2) == j and cell(0, 0) == h",
    ),
    "words-2": _words(2),
    "words-3": _words(3),
    "words-4": _words(4),
    "words-5": _words(5),
    "symmetry": lambda row: Fragment(
        variables=_pair("t"),
        moves={"set-t": {"for": {"i": "range(2)"}, "set": {"t[i]": "1 - t[i]"}}},
        goal="t[0] == 1 and t[1] == 1",
    ),
    "layers": lambda row: Fragment(
        pieces={"k": {"layer": 1}},
        moves={"hover": {"slide": "k", "directions": _ALONG}},
        goal="cell(0, 1, 1) == k",
        top={"legend": {"h": "h & k"}},
    ),
    "graph": lambda row: Fragment(has_graph=True),
    "wrap": lambda row: Fragment(top={"wrap": "rows"}),
    "together": lambda row: Fragment(
        rows=["l.l"],
        pieces={"l": {}},
        moves={"tilt": {"together": "l", "directions": _ALONG}},
        goal=f"cell({row}, 1) == l",
    ),
    "pivot": lambda row: Fragment(
        rows=["MM.", "..."],
        pieces={"stick": {"letters": "M"}},
        moves={"swing": {"pivot": "stick"}},
        goal=f"cell({row}, 0) == empty",
    ),
    "whole": lambda row: Fragment(
        rows=["nnx"],
        pieces={"n": {}, "x": {}},
        moves={
            "eat": {
                "before": ["n", "x"],
                "after": ["n", "empty"],
                "directions": "right",
                "whole": True,
            }
        },
        goal="count(x) == 0",
    ),
    "blocked": lambda row: Fragment(
        rows=["q.."],
        pieces={"q": {}},
        moves={"dash": {"slide": "q", "directions": _ALONG, "distance": "blocked"}},
        goal=f"cell({row}, 2) == q",
    ),
    "carries": lambda row: Fragment(
        rows=["vG."],
        pieces={"v": {}, "G": {}},
        moves={"shove": {"slide": "v", "directions": _ALONG, "carries": "G"}},
        goal=f"cell({row}, 2) == G",
    ),
    "several-cells": lambda row: Fragment(
        rows=["AA."],
        pieces={"long": {"letters": "A"}},
        moves={"push-long": {"slide": "long", "directions": _ALONG}},
        goal=f"cell({row}, 2) == A",
    ),
    "different": lambda row: Fragment(
        rows=["BC."],
        pieces={"tile": {"letters": "BC", "interchangeable": False}},
        moves={"push-tile": {"slide": "tile", "directions": _ALONG}},
        goal=f"cell({row}, 2) == C",
    ),
    "capture": lambda row: Fragment(
        rows=["DD."],
        pieces={"D": {}},
        moves={
            "jump": {
                "before": ["D", "D", "empty"],
                "after": ["empty", "empty", "D"],
                "directions": _ALONG,
            }
        },
        goal="count(D) == 1",
    ),
}
"""For each feature, a function from the first row of its fragment to the fragment."""

PAIRS: tuple[tuple[str, str], ...] = tuple(combinations(FEATURES, 2))


def document_of(features: Sequence[str]) -> str:
    """The puzzle of these features, with a piece that slides along a row of three cells."""
    rows = ["h.."]
    fragments: list[Fragment] = []
    for name in features:
        fragment = FEATURES[name](len(rows))
        fragments.append(fragment)
        rows += fragment.rows
    pieces: dict[str, Any] = {"h": {}}
    document: dict[str, Any] = {"puzzle": "-and-".join(features)}
    legend: dict[str, str] = {".": "floor"}
    for fragment in fragments:
        pieces.update(fragment.pieces)
    legend.update(
        {name: name for name in pieces if len(name) == 1 and pieces[name].get("layer", 0) == 0}
    )
    moves: Rules = {"push": {"slide": "h", "directions": _ALONG}}
    then: Rules = {}
    variables: dict[str, Any] = {}
    count: dict[str, Any] = {}
    for fragment in fragments:
        moves.update(fragment.moves)
        then.update(fragment.then)
        variables.update(fragment.variables)
        count.update(fragment.count)
        for key, value in fragment.top.items():
            if key == "legend":
                legend.update(value)
            else:
                document[key] = value
    for letter in [letter for letter in legend if "letters" in str(pieces.get(legend[letter]))]:
        del legend[letter]
    merge = next((f.merge for f in fragments if f.merge != "none"), "none")
    if "line" in features and "path" in features:
        merge = "line"
    metrics: dict[str, Any] = {"m": {"count": count, "merge": merge}, "moves": {"count": 1}}
    if {"line", "path"} <= set(features):
        metrics["n"] = {"count": count, "merge": "path"}
    if any(f.is_pair for f in fragments):
        metrics["pair"] = ["m", "moves"]
    goals = ["cell(0, 2) == h", *(f.goal for f in fragments if f.goal)]
    alternatives = [goal for f in fragments for goal in f.other_goals]
    document |= {
        "legend": legend,
        "pieces": pieces,
        "moves": moves,
        "metrics": metrics,
        "metric": "pair" if "pair" in metrics else "m",
        "board": "\n".join(rows) + "\n",
    }
    if any(f.has_graph for f in fragments):
        _make_graph(document, rows)
    if variables:
        document["variables"] = variables
    if then:
        document["then"] = then
    if all(f.has_goal for f in fragments):
        document["goal"] = [" and ".join(goals), *alternatives]
    forbid = [f.forbid for f in fragments if f.forbid]
    if forbid:
        document["forbid"] = forbid
    return written_quickly(**document)


def _make_graph(document: dict[str, Any], rows: Sequence[str]) -> None:
    """Turn the rows into paths of a graph whose edges have no directions."""
    cells = [(row, column) for row, line in enumerate(rows) for column in range(len(line))]
    names = {cell: f"n{cell[0]}{cell[1]}" for cell in cells}
    joined = [f"{names[r, c]} {names[r, c + 1]}" for r, c in cells if (r, c + 1) in names]
    document["graph"] = {"nodes": {names[cell]: list(cell) for cell in cells}, "edges": joined}
    for rule in document["moves"].values():
        if "cycle" not in rule:
            rule.pop("directions", None)


@contextmanager
def grounded_as(features: Sequence[str]) -> Iterator[None]:
    """In this context, every puzzle is grounded with the arguments of these features."""
    fragments = [FEATURES[name](1) for name in features]
    defaults = ground.__kwdefaults__
    flips = cycle.MAX_FLIPS
    ground.__kwdefaults__ = defaults | {k: v for f in fragments for k, v in f.grounding.items()}
    if any(f.has_permutations for f in fragments):
        cycle.MAX_FLIPS = -1
    try:
        yield
    finally:
        ground.__kwdefaults__ = defaults
        cycle.MAX_FLIPS = flips


def compiled_of(features: Sequence[str]) -> fewest.CompiledPuzzle:
    """The puzzle that combines these features. Raises DocumentError if the language refuses it."""
    return fewest.load("crossing.yaml", text=document_of(features))

"""Draws boards that are graphs."""

from __future__ import annotations

import re

from hypothesis import strategies as st

from tests.helpers.random_puzzles.consequences import starts_at_rest
from tests.helpers.random_puzzles.parts import document, metrics
from tests.helpers.random_puzzles.patterns import WELL_KNOWN

# Consequences on a graph, in which pieces run, meet, swap and react.
THEN: list[dict[str, object]] = [
    {"slide": "q", "when": "x > 0", "set": {"x": "x - 1"}},
    {"before": ["q", "q"], "after": ["q", "empty"]},
    {"before": ["p", "empty...", "q"], "after": ["_", "_...", "empty"], "otherwise": True},
    {"before": ["p", "q"], "after": ["q", "p"], "when": "x == 2", "set": {"x": "0"}},
    {"before": ["q", "empty", "p"], "after": ["q", "q", "p"], "everywhere": True},
    {"before": ["q", "any..."], "after": ["p", "_..."], "when": "cell(0, 1) == p"},
    {"when": "x > 0 and cell(0, 0) == q", "set": {"x": "x - 1"}},
]


def graphs() -> st.SearchStrategy[str]:
    """Moves of pieces on the nodes of a graph."""
    return _graphs(False)


def graphs_following() -> st.SearchStrategy[str]:
    """Moves with consequences on the nodes of a graph."""
    return _graphs(True).filter(starts_at_rest)


@st.composite
def _graphs(draw: st.DrawFn, is_followed: bool) -> str:
    """Pieces on the nodes of a small graph with edges of two kinds, some of them directed."""
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
    more: dict[str, object] = {}
    if is_followed:
        rules["line"]["set"] = {"x": draw(st.sampled_from(["2", "(x + 1) % 3"]))}  # type: ignore[index]
        chosen = draw(st.lists(st.sampled_from(THEN), min_size=1, max_size=3, unique_by=id))
        more = {
            "variables": {"x": {"values": "range(3)", "initial": 0}},
            "then": {f"then-{number}": rule for number, rule in enumerate(chosen)},
            "order": draw(st.sampled_from(["top-down", "bottom-up", "left-right", "right-left"])),
        }
    kinds = {"rail": edges[:cut], "road": edges[cut:]}
    goal = draw(st.sampled_from(["cell(0, 0) == p", "cell(0, 1) == empty", {"q": {"at": "b"}}]))
    return document(
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
        **more,
    )


def _renamed(text: str, table: dict[int, int]) -> str:
    """Rename the words `a` and `b` by a table."""
    return "".join(
        part.translate(table) if part in "ab" else part for part in re.split(r"(\b)", text)
    )

"""On boards that are graphs, moves follow the edges, and lines are paths of edges."""

from __future__ import annotations

import pytest

import fewest
from fewest.drawing.text import draw
from fewest.errors import DocumentError
from fewest.model.position import start
from fewest.playing.rules import legal_moves

HEAD = 'puzzle: x\nlegend: {".": floor, p: p, q: q}\npieces: {p: {}, q: {}}\n'
NODES = "nodes: {a: [0, 0], b: [0, 1], c: [0, 2], d: [1, 2]}"
BOARD = "board: |\n  p..\n    q\n"
WALK = "moves: {walk: {slide: any}}\n"


def graph(edges: str, moves: str = WALK, board: str = BOARD) -> str:
    return f"{HEAD}graph: {{{NODES}, edges: {edges}}}\n{moves}{board}"


def moves_of(text: str) -> set[str]:
    """The position after every legal move at the start: its rows, without the spaces between nodes."""
    compiled = fewest.load("x.yaml", text=text)
    found = [draw(move.target) for move in legal_moves(start(compiled.puzzle))]
    return {"/".join(row[::2] for row in rows[::2]) for rows in found}


def test_only_edges_lead_anywhere_and_some_only_one_way() -> None:
    assert moves_of(graph("[a b, b c, a > d, d > c]")) == {".p./  q", "p.q/  ."}
    assert moves_of(graph("[a c, c d]")) == {"..p/  q", "p.q/  ."}


def test_a_kind_of_edges_is_a_direction() -> None:
    rail = "moves: {walk: {slide: any, directions: rail}}\n"
    assert moves_of(graph("{rail: [a b], road: [a c]}", rail)) == {".p./  q"}
    assert moves_of(graph("{rail: [a b], road: [a c]}")) == {".p./  q", "..p/  q"}


def test_a_line_is_a_path_along_edges_of_one_kind() -> None:
    push = "moves: {push: {before: [p, q, empty], after: [empty, p, q]}}\n"
    board = "board: |\n  pq.\n    .\n"
    assert moves_of(graph("[a b, b c, b d]", push, board)) == {".pq/  .", ".p./  q"}
    east = push.replace("}}", ", directions: east}}").replace("q]}, directions", "q], directions")
    east = east.replace("directions: east}}", "directions: east}}")
    kinds = "{east: [a > b, b > c], west: [b > a, b > d]}"
    assert moves_of(graph(kinds, east, board)) == {".pq/  ."}


def test_a_rule_without_directions_uses_edges_of_all_kinds_but_no_line_mixes_them() -> None:
    push = "moves: {push: {before: [p, q, empty], after: [empty, p, q]}}\n"
    board = "board: |\n  pq.\n    .\n"
    mixed = "{east: [a > b], west: [b > c]}"
    assert moves_of(graph(mixed, push, board)) == set()
    assert moves_of(graph("{east: [a b, b c], west: [b d]}", push, board)) == {".pq/  ."}
    both = "{east: [a b, b c], west: [a b, b d]}"
    assert moves_of(graph(both, push, board)) == {".pq/  .", ".p./  q"}
    fly = "moves: {fly: {before: [p, empty...], after: [q, empty...]}}\n"
    assert moves_of(graph(mixed, fly)) == {"q../  q"}
    roll = "moves: {roll: {before: [p, empty..., empty], after: [empty, _..., p]}}\n"
    assert moves_of(graph(mixed, roll)) == {".p./  q"}


def test_a_stretch_is_any_length_of_a_path() -> None:
    fly = "moves: {fly: {before: [p, empty..., empty], after: [empty, _..., p]}}\n"
    assert moves_of(graph("[a b, b c, c d]", fly)) == {".p./  q", "..p/  q"}


def test_nodes_are_places_of_goals_and_positions_are_read_as_drawn() -> None:
    text = graph("[a b, b c, c d]") + "goal: {p: {at: c}}\n"
    compiled = fewest.load("x.yaml", text=text)
    assert draw(start(compiled.puzzle)) == ["p-.-.", "    |", "    q"]
    assert compiled.solve("moves").cost == 2
    for rows in ("..p\n  q", "..p/  q", ".-.-p\n    |\n    q"):
        assert compiled.at(rows).solve("moves").cost == 0


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (graph("[a e]"), "graph-form"),
        (graph("[a]"), "graph-form"),
        (graph("[a b]", board="board: |\n  p..\n  . q\n"), "graph-form"),
        (graph("[a b]", board="board: |\n  p..\n"), "graph-form"),
        (graph("[a b]") + "wrap: rows\n", "graph-form"),
        (graph("[a b]", "moves: {walk: {slide: any, distance: blocked}}\n"), "move-key-unused"),
        (graph("[a b]", "moves: {walk: {slide: any, directions: up}}\n"), "unknown-direction"),
        (
            graph("[a b]", "moves: {m: {before: [[p], [empty]], after: [[empty], [p]]}}\n"),
            "pattern-length",
        ),
    ],
)
def test_errors_in_graphs_are_reported(text: str, code: str) -> None:
    with pytest.raises(DocumentError) as error:
        fewest.load("x.yaml", text=text)
    assert code in {found.code for found in error.value.diagnostics}

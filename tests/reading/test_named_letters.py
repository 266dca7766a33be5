"""A letter that a document names, in any notation, has a class of its own. Each minimum below is counted by hand."""

from __future__ import annotations

import pytest

from fewest.commands.api import CompiledPuzzle
from fewest.commands.load import load_puzzle
from tests.helpers.matrix.letters import compare_letters
from tests.helpers.random_puzzles.parts import document

# The letters B and C can exchange their roles, unless the document distinguishes them. Only C is next to the free end.
ROW = {
    "puzzle": "row",
    "board": [["B", ".", "C", "."]],
    "legend": {".": "floor"},
    "pieces": {"tile": {"letters": "A-Z"}},
    "moves": {"right": {"slide": "tile", "directions": "right"}},
}
STOCK = {"constants": {"wanted": "B", "table": {"B": 1}, "several": ["B"]}}
HELD = {"variables": {"held": {"values": ["B", "none"], "initial": "B"}}}

GOALS = [
    ({}, "cell(0, 1) == B"),
    ({}, "cell(0, 1) == 'B'"),
    ({}, "'B' == cell(0, 1)"),
    ({}, "cell(0, 1) in ['B']"),
    ({}, "any(cell(0, 1) == x for x in ['B'])"),
    ({}, "cell(0, 1) == ('B' if count(tile) == 2 else 'C')"),
    ({}, "cell(0, 1) == min('B', 'C')"),
    ({}, "cell(0, 1) == '' + 'B'"),
    ({}, "col('B') == 1"),
    (STOCK, "cell(0, 1) == wanted"),
    (STOCK, "any(cell(0, 1) == x for x in table)"),
    (STOCK, "any(cell(0, 1) == x for x in several)"),
    (HELD, "cell(0, 1) == held"),
    (HELD, "any(x == y for x in [held] for y in [cell(0, 1)])"),
    ({}, {"B": {"at": [0, 1]}}),
    ({}, {"board": [["?", "B", "?", "?"]]}),
]


def status_and_cost(text: str) -> tuple[str, int | None]:
    result = CompiledPuzzle(load_puzzle("row.yaml", text=text)).solve(engine="bfs")
    return result.status, result.cost


@pytest.mark.parametrize(("more", "goal"), GOALS)
def test_a_goal_that_names_a_letter_is_about_that_piece(
    more: dict[str, object], goal: object
) -> None:
    assert status_and_cost(document(**ROW, **more, goal=goal)) == ("optimal", 1)
    other = document(**{**ROW, "board": [["C", ".", "B", "."]]}, **more, goal=goal)
    assert status_and_cost(other) == ("unsolvable", None)


# The first two cells have the same content only when both are empty: each tile then has moved twice.
@pytest.mark.parametrize(
    "goal",
    [
        "cell(0, 0) == cell(0, 1)",
        "any(x == y for x in [cell(0, 0)] for y in [cell(0, 1)])",
        "any(x in [y] for x in [cell(0, 0)] for y in [z for z in [cell(0, 1)]])",
        "any(cell(0, 0) == y for y in [x for x in [cell(0, 1)]])",
    ],
)
def test_a_comparison_of_two_cells_distinguishes_letters(goal: str) -> None:
    text = document(**{**ROW, "board": [["B", "C", ".", "."]]}, goal=goal)
    assert status_and_cost(text) == ("optimal", 4)


def test_a_target_with_a_loop_over_cells_distinguishes_letters() -> None:
    moves = {
        "right": {"slide": "tile", "directions": "right"},
        "see": {"set": {"x[i] for i in [0] for c in [cell(0, 0)]": "1 if c == cell(0, 1) else 0"}},
    }
    variables = {"x[i]": {"for": {"i": [0]}, "values": [0, 1], "initial": 0}}
    row = {**ROW, "board": [["B", "C", ".", "."]], "moves": moves, "variables": variables}
    assert status_and_cost(document(**row, goal="x[0] == 1")) == ("optimal", 5)


# Each rule moves only B, or only a tile to the right of B.
RULES: list[dict[str, object]] = [
    {"slide": "B"},
    {"before": ["B", "empty"], "after": ["empty", "B"]},
    {"before": ["{'B'}", "empty"], "after": ["empty", "{'B'}"]},
    {"before": ["{x}", "empty"], "after": ["empty", "{x}"], "for": {"x": ["'B'"]}},
    {"before": ["{x}", "empty"], "after": ["empty", "{x}"], "for": {"x": ["min('B', 'C')"]}},
    {"before": ["tile", "empty"], "after": ["empty", "tile"], "when": "cell(0, 2) == 'C'"},
    {"slide": "tile", "when": "cell(0, 2) != x and cell(0, 3) != x", "for": {"x": ["'B'"]}},
]


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_that_names_a_letter_distinguishes_it(rule: dict[str, object]) -> None:
    moves = {"right": {**rule, "directions": "right"}}
    text = document(**{**ROW, "moves": moves}, goal="cell(0, 1) == tile")
    assert len([c for c in load_puzzle("row.yaml", text=text).classes if c.kind == "tile"]) == 2
    merged = compare_letters(text)
    assert merged > 1 or merged == 0


def test_a_letter_that_is_also_the_name_of_a_loop_of_another_rule_is_named() -> None:
    moves = {
        "right": {"slide": "tile", "directions": "right", "when": "cell(0, 0) != B"},
        "none": {"for": {"B": "range(2)"}, "when": "cell(0, B) == empty", "set": {"x": "B"}},
    }
    variables = {"x": {"values": "range(2)", "initial": 0}}
    text = document(**{**ROW, "moves": moves}, variables=variables, goal="cell(0, 3) == tile")
    # B stands on (0, 0), so no tile may move.
    assert status_and_cost(text) == ("unsolvable", None)


def test_letters_matter_if_two_cells_are_compared() -> None:
    text = document(**ROW, goal="cell(0, 0) == cell(0, 2) and cell(0, 0) != empty")
    assert status_and_cost(text) == ("unsolvable", None)


def test_tokens_that_an_expression_joins_are_named() -> None:
    row = {**ROW, "board": [["b1", ".", "b2", "."]], "pieces": {"tile": {"letters": ["b1", "b2"]}}}
    for name in ("'b' + '1'", "x + y"):
        goal = f"any(cell(0, 1) == {name} for x in ['b'] for y in ['1'])"
        assert status_and_cost(document(**row, goal=goal)) == ("optimal", 1)
    moves = {
        "right": {
            "before": ["b{i}", "empty"],
            "after": ["empty", "b{i}"],
            "for": {"i": "range(2, 3)"},
            "directions": "right",
        }
    }
    text = document(**{**row, "moves": moves}, goal="cell(0, 1) == tile")
    assert status_and_cost(text) == ("unsolvable", None)


def test_the_index_of_a_loop_and_numbers_name_no_letters() -> None:
    moves = {
        "right": {
            "slide": "tile",
            "directions": "right",
            "for": {"B": "range(2)", "C": "range(B + 1)"},
            "when": "any(cell(0, B + C + i) == empty for i in [0, 1])",
        }
    }
    text = document(**{**ROW, "moves": moves}, goal="count(tile) == 2")
    assert [c.label for c in load_puzzle("row.yaml", text=text).classes] == [None]


def test_a_number_in_the_target_of_an_assignment_names_a_letter() -> None:
    right = {"slide": "tile", "directions": "right"}
    moves = {"right": {**right, "set": {"x for i in [1] if cell(0, 0) == i": "1"}}}
    row = {**ROW, "moves": moves, "pieces": {"tile": {"letters": "1-9"}}}
    row |= {"variables": {"x": {"values": "range(2)", "initial": 0}}, "goal": "x == 1"}
    assert status_and_cost(document(**{**row, "board": [["1", ".", "2", "."]]})) == ("optimal", 1)
    assert status_and_cost(document(**{**row, "board": [["2", ".", "1", "."]]}))[0] == "unsolvable"


# The player sees an exchange of P and Q, so the exchange is a move, and the ant then takes a step. The kind without
# letters looks the same after the exchange, so nothing happens.
EXCHANGED = {
    "puzzle": "exchanged",
    "legend": {".": "floor", "*": "ant", "t": "tile"},
    "pieces": {"tile": {"letters": "A-Z"}, "ant": {}},
    "then": {
        "step": {
            "before": ["ant", "empty"],
            "after": ["empty", "ant"],
            "directions": "down",
            "once": True,
        }
    },
    "goal": {"ant": {"at": [2, 0]}},
}
RING = {"turn": {"cycle": [[0, 0], [0, 1]]}}
PUSH = {"push": {"slide": "tile", "carries": "tile", "directions": "right"}}
STICK = {"push": {"slide": "tile", "sticky": "tile", "directions": "right"}}
PORTAL = {"edges": {"portals": [{"leaving": [0, 1], "by": "right", "entering": [0, 0]}]}}
EXCHANGES = [
    ({}, RING),
    ({}, {"turn": {"cycles": [[[0, 0], [0, 1]]]}}),
    ({"wrap": "rows"}, PUSH),
    ({"wrap": "rows"}, STICK),
    (PORTAL, PUSH),
]


# the pieces with letters, and the same pieces without letters
LETTERS = {"board": [["P", "Q"], ["*", "."], [".", "."]]}
NO_LETTERS = {
    "board": [["t", "t"], ["*", "."], [".", "."]],
    "pieces": {"tile": {}, "ant": {}},
}


@pytest.mark.parametrize(("more", "moves"), EXCHANGES)
def test_consequences_follow_an_exchange_of_pieces_with_different_letters(
    more: dict[str, object], moves: dict[str, object]
) -> None:
    puzzle = {**EXCHANGED, **more, "moves": moves}
    assert status_and_cost(document(**puzzle | LETTERS)) == ("optimal", 1)
    assert status_and_cost(document(**puzzle | NO_LETTERS)) == ("unsolvable", None)


@pytest.mark.parametrize("more", [{"wrap": "rows"}, PORTAL])
def test_a_consequence_that_exchanges_letters_never_ends(more: dict[str, object]) -> None:
    step = {"before": ["ant", "empty"], "after": ["empty", "ant"], "directions": "down"}
    push = {"push": {**PUSH["push"], "when": "cell(1, 0) == empty"}}
    puzzle = {**EXCHANGED, **more, "moves": {"step": step}, "then": push}
    puzzle["goal"] = "cell(1, 0) == empty"
    assert status_and_cost(document(**puzzle | LETTERS)) == ("unsolvable", None)
    assert status_and_cost(document(**puzzle | NO_LETTERS)) == ("optimal", 1)


def test_letters_that_no_rule_can_exchange_are_one_class_in_spite_of_consequences() -> None:
    puzzle = {**EXCHANGED, "moves": {"slide": {"slide": "tile"}}}
    board = {"board": [["P", "Q", "."], ["*", "#", "#"], [".", "#", "#"]]}
    legend = {"legend": {**EXCHANGED["legend"], "#": "wall"}}
    assert len(load_puzzle("x.yaml", text=document(**puzzle | board | legend)).classes) == 2

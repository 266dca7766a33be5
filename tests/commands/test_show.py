"""`fewest show` describes puzzles and models, and prints the warnings about them."""

from __future__ import annotations

import pytest

import fewest
from fewest.commands.load import load_any
from fewest.commands.show import rows, show
from fewest.commands.show_model import is_model, model_rows, show_model
from fewest.drawing.text import draw
from tests.helpers.models_doc import MODELS_PAGE, page


def test_the_page_of_models_is_current() -> None:
    assert MODELS_PAGE.read_text(encoding="utf-8") == page(), (
        "write it anew: python -m tests.helpers.models_doc"
    )


def test_a_model_shows_its_pieces_legend_rules_and_metrics() -> None:
    document = load_any("sokoban")
    assert is_model(document) and not is_model(load_any("microban-001"))
    found = dict(model_rows(show_model(document)))
    assert found["rule push"] == "player box empty → empty player box"
    assert found["metric pushes"] == "push counts 1, walk counts 0"
    assert "`+` player on target" in found["legend"]


def test_a_model_and_a_puzzle_show_the_rules_under_then() -> None:
    assert is_model(load_any("bloxorz")) and not is_model(load_any("flood-it"))
    found = dict(model_rows(show_model(load_any("bloxorz"))))
    assert {key for key in found if key.startswith("then ")} == {
        f"then {rule.name}" for rule in fewest.load("bloxorz-first").puzzle.then
    }
    assert all(text for key, text in found.items() if key.startswith("then "))
    assert dict(rows(show(fewest.load("flood-it"))))["then"] == "spread"


def test_both_drawings_of_the_triangle_are_the_same_board() -> None:
    right, left = fewest.load("triangle-15"), fewest.load("triangle-15-left")
    assert right.solve("turns").cost == left.solve("turns").cost
    assert draw(left.start)[:2] == ["    . # # # #", "   o o # # #"]
    assert draw(right.start)[:2] == ["# # # # .", " # # # o o"]
    for compiled, side in ((right, "right"), (left, "left")):
        assert f"further to the {side}" in dict(rows(show(compiled)))["geometry"]
        drawing = "\n".join(draw(compiled.start))
        assert compiled.at(drawing).puzzle.pieces == compiled.puzzle.pieces


def test_hexagonal_directions_without_a_geometry_are_a_warning() -> None:
    text = (
        "puzzle: x\nlegend: {o: peg, '.': floor}\npieces: {peg: {}}\nboard: |\n  o.\n  ..\n"
        "moves: {go: {before: [peg, empty], after: [empty, peg], directions: hex}}\n"
        "goal: {peg: {at: [1, 1]}}\n"
    )
    compiled = fewest.load("x.yaml", text=text)
    assert [warning.code for warning in compiled.warnings] == ["geometry-unsaid"]
    assert compiled.solve().cost == 2
    for side, cost in (("right", 2), ("left", 1)):
        declared = fewest.load("x.yaml", text=text + f"geometry: hex-{side}\n")
        assert not declared.warnings
        assert declared.solve().cost == cost


@pytest.mark.parametrize(
    ("moves", "why"),
    [
        ("{go: {when: x > 4, set: {x: 0}}}", "`when` is never true"),
        ("{go: {before: [a, wall, empty], after: [empty, wall, a]}}", "pieces on this board"),
        ("{go: {before: [a, empty], after: [empty, a], when: x > 4}}", "`when` is never true"),
        ("{go: {before: [b, empty], after: [empty, b]}}", "pieces on this board"),
    ],
)
def test_a_rule_that_can_never_apply_causes_a_warning_with_the_reason(moves: str, why: str) -> None:
    text = (
        "puzzle: x\nlegend: {a: a, '.': floor}\npieces: {a: {}, b: {}}\nboard: [[a, '.', '.']]\n"
        "variables: {x: {values: range(3), initial: 0}}\ngoal: x == 0\nexpect: {moves: 0}\n"
    )
    warnings = fewest.load("x.yaml", text=text + f"moves: {moves}\n").warnings
    assert [(warning.code, warning.line) for warning in warnings] == [("rule-idle", 8)]
    assert why in warnings[0].message


def test_rules_of_a_model_may_be_idle_on_a_board() -> None:
    text = "puzzle: x\nmodel: sokoban\nboard: |\n  #####\n  #@ *#\n  #####\n"
    assert fewest.load("x.yaml", text=f"{text}expect: {{pushes: 0}}\n").warnings == ()

"""Patterns over pieces of any shape, repeated patterns, and conditions about other rules have the right meaning and
errors."""

from __future__ import annotations

import pytest

import fewest
from fewest.drawing.text import draw
from fewest.errors import DocumentError
from fewest.grounding import grounder
from fewest.model.position import start
from fewest.model.states import decode
from fewest.playing.rules import legal_moves

HEAD = """puzzle: x
legend: {".": floor, "#": wall, "@": man, o: dot}
pieces: {man: {}, dot: {}, crate: {letters: A-Z}}
"""


def moved(rule: str, board: str, more: str = "") -> list[str]:
    """The boards after each move; the reference interpreter and the task agree."""
    rows = "\n".join(f"  {row}" for row in board.split("/"))
    text = f"{HEAD}{more}moves:\n  go: {{{rule}}}\nboard: |\n{rows}\n"
    compiled = fewest.load("x.yaml", text=text)
    puzzle, task = compiled.puzzle, compiled.task
    played = ["/".join(draw(move.target)) for move in legal_moves(start(puzzle))]
    states = {
        operator.apply(task.initial)
        for operator in task.operators
        if operator.is_applicable(task.initial)
    }
    assert {"/".join(draw(decode(puzzle, task, state))) for state in states} == {*played}
    return sorted({*played})


PUSH = "before: [man, crate, crate..., empty], after: [empty, man, crate, crate...], whole: true"
RIGHT = "directions: right"


@pytest.mark.parametrize(
    ("rule", "board", "found"),
    [
        pytest.param(f"{PUSH}, {RIGHT}", "@AA./.A..", [".@AA/..A."], id="an-L-goes-as-a-whole"),
        pytest.param(f"{PUSH}, {RIGHT}", "@AA./.A#.", [], id="its-other-cells-need-room"),
        pytest.param(f"{PUSH}, {RIGHT}", "@AAB.", [".@AAB"], id="two-crates-in-a-row"),
        pytest.param(
            "before: [man, crate, empty], after: [empty, man, crate], whole: true, directions: right",
            "@AA.",
            [],
            id="a-cell-of-it-is-not-empty",
        ),
        pytest.param(
            "before: [crate, empty], after: [empty, crate], whole: true, directions: right",
            "AA.",
            [],
            id="what-is-empty-afterwards-says-the-pattern",
        ),
        pytest.param(
            "before: [crate, empty], after: [empty, crate], whole: true, directions: right",
            "A../A..",
            [".A./.A."],
            id="beside-what-the-pattern-speaks-of",
        ),
        pytest.param(
            "before: [man, crate], after: [empty, man], whole: true, directions: right",
            "@AA/.A.",
            [".@./..."],
            id="captured-as-a-whole",
        ),
        pytest.param(
            "before: [crate, man, crate, empty], after: [crate, empty, man, crate], whole: true, directions: right",
            "A@A./AAA.",
            [],
            id="not-torn",
        ),
        pytest.param(
            "before: [man, crate, empty], after: [empty, man, crate], directions: right",
            "@A../.B../.B..",
            [".@A./.B../.B.."],
            id="small-ones-without-whole",
        ),
        pytest.param(
            "before: [man, dot|empty], after: [empty, man], distance: blocked, directions: right",
            "@.o.#",
            ["...@#"],
            id="on-until-blocked",
        ),
        pytest.param(
            "before: [empty, man, dot], after: [man, dot, empty], distance: blocked, directions: right",
            "..@o.",
            ["@o..."],
            id="a-pull-goes-on-the-other-way",
        ),
        pytest.param(
            "before: [man, dot, empty], after: [empty, empty, man], distance: blocked, directions: right",
            "@o.o.o.",
            ["......@"],
            id="leap-after-leap",
        ),
        pytest.param(
            "before: [man, dot, dot..., empty], after: [empty, man, dot, dot...], distance: blocked, directions: right",
            "@o.o..",
            ["...@oo"],
            id="a-row-grows-as-it-is-pushed",
        ),
    ],
)
def test_patterns_with_whole_and_distance_move_large_pieces_repeatedly(
    rule: str, board: str, found: list[str]
) -> None:
    assert moved(rule, board) == sorted(found)


def test_an_endless_repeated_move_is_illegal() -> None:
    rule = "before: [man, empty], after: [empty, man], distance: blocked, directions: right"
    assert moved(rule, "@..", "wrap: rows\n") == []


@pytest.mark.parametrize(
    ("rules", "code", "line"),
    [
        ("one: {before: [man, empty], after: [man, crate], whole: true}", "pattern-large-piece", 5),
        ("one: {before: [man, crate], after: [empty, man]}", "pattern-large-piece", 5),
        (
            "one: {before: [[man, empty]], after: [[empty, man]], distance: blocked}",
            "move-key-unused",
            5,
        ),
        ("one: {before: [man, empty], after: [man, dot], distance: blocked}", "move-key-unused", 5),
        ("one: {slide: man, whole: true}", "move-key-unused", 5),
        ("one: {slide: man, when: can(one)}", "rule-circle", 5),
        ("one: {slide: man, when: can(two)}", "expression-unknown-name", 5),
        ("one: {slide: man, when: can()}", "expression-type", 5),
        ("one: {together: man}\n  two: {slide: dot, when: can(one)}", "expression-type", 6),
    ],
)
def test_ambiguous_constructs_are_refused(rules: str, code: str, line: int) -> None:
    with pytest.raises(DocumentError) as error:
        fewest.load("x.yaml", text=f"{HEAD}moves:\n  {rules}\nboard: |\n  @AA.o\n")
    found = [(d.code, d.line) for d in error.value.diagnostics if d.severity == "error"]
    assert found == [(code, line)]


def test_pieces_of_several_cells_that_a_pattern_leaves_are_warned_of() -> None:
    rule = "one: {before: [man, crate, empty], after: [empty, man, crate]}"
    text = f"{HEAD}moves:\n  {rule}\nboard: |\n  @A.#o\n  .BB..\n"
    warnings = fewest.load("x.yaml", text=text).puzzle.warnings
    assert "pattern-large-piece" in [warning.code for warning in warnings]


def test_conditions_can_name_a_rule_with_a_hyphen() -> None:
    rules = "go-on: {slide: man, directions: right}\n  back: {slide: man, directions: left, when: not can(go-on)}"
    text = f"{HEAD}moves:\n  {rules}\ngoal: can(back)\nboard: |\n  A@.o\n"
    assert fewest.load("x.yaml", text=text).solve().cost == 1


def test_a_condition_of_too_many_cases_is_refused_at_its_location(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert grounder.MAX_CASES == 50_000
    monkeypatch.setattr(grounder, "MAX_CASES", 2_000)  # a lower limit saves time
    text = "puzzle: x\nmodel: peg-solitaire\nforbid: not can(jump)\nboard: |\n" + "  oooooo\n" * 5
    compiled = fewest.load("x.yaml", text=text + "  ooooo.\n")
    with pytest.raises(DocumentError) as error:
        _ = compiled.task
    assert [(d.code, d.line) for d in error.value.diagnostics] == [("task-too-large", 3)]

"""The words of patterns match the right pieces, and `after` changes these pieces correctly."""

from __future__ import annotations

import pytest

import fewest
from fewest.drawing.text import draw
from fewest.errors import DocumentError
from fewest.model.position import start
from fewest.model.states import decode
from fewest.playing.rules import legal_moves
from tests.helpers.matrix.compare import compare

HEAD = """puzzle: x
legend: {".": floor, "#": wall, a: a, b: b, c: c, "*": spot}
terrain: [spot]
pieces: {a: {}, b: {}, c: {}}
goal: count(a) == 0
"""


def moved(before: str, after: str, row: str) -> list[str]:
    """The row after a move to the right; the reference interpreter and the task agree."""
    rule = f"moves: {{go: {{before: {before}, after: {after}, directions: right}}}}\n"
    compiled = fewest.load("x.yaml", text=f"{HEAD}{rule}board: |\n  {row}\n")
    puzzle, task = compiled.puzzle, compiled.task
    played = ["".join(draw(move.target)) for move in legal_moves(start(puzzle))]
    grounded = [
        "".join(draw(decode(puzzle, task, operator.apply(task.initial))))
        for operator in task.operators
        if operator.is_applicable(task.initial)
    ]
    assert sorted(played) == sorted(grounded)
    return played


def codes(before: str, after: str) -> list[str]:
    try:
        moved(before, after, "abc.#")
    except DocumentError as error:
        return [diagnostic.code for diagnostic in error.diagnostics]
    return []


@pytest.mark.parametrize(
    ("word", "stands_for"),
    [
        ("b", "b"),
        ("any", "abc"),
        ("b|c", "bc"),
        ("empty", ".*"),
        ("empty off spot", "."),
        ("wall", "#"),
        ("b|empty", "b.*"),
        ("any|wall", "abc#"),
        ("b|empty|wall", "b.#*"),
        ("not b", "ac.#*"),
        ("not b|c", "a.#*"),
        ("not b on spot", "*"),
        ("not any", ".#*"),
        ("not wall", "abc.*"),
        ("not empty", "abc#"),
        ("not empty|wall", "abc"),
        ("_", "abc.#*"),
    ],
)
def test_a_word_of_a_pattern_matches_its_pieces(word: str, stands_for: str) -> None:
    found = [
        there
        for there in "abc.#*"
        if there + ".a" in moved(f"[{word}, a, empty]", "[_, empty, a]", there + "a.")
    ]
    assert "".join(found) == stands_for


def test_an_element_for_a_piece_or_none_matches_both() -> None:
    assert moved("[a, b|empty]", "[empty, a]", "ab") == [".a"]
    assert moved("[a, b|empty]", "[empty, a]", "a.") == [".a"]
    assert moved("[a, b|empty]", "[empty, a]", "ac") == []
    assert moved("[a, b|empty]", "[a, b]", "a.") == ["ab"]
    assert moved("[a, not empty|wall]", "[empty, c]", "ab") == [".c"]


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ("[a, not b]", "[not b, a]", "pattern-wall"),
        ("[a, b|empty]", "[b|empty, a]", "pattern-new-piece"),
        ("[a, any|wall]", "[empty, a]", "pattern-wall"),
        ("[a, not _]", "[empty, a]", "pattern-word"),
        ("[a, b|_]", "[empty, a]", "pattern-word"),
        ("[a, not]", "[empty, a]", "pattern-word"),
        ("[a, not d]", "[a, _]", "unknown-piece"),
        ("[a, emtpy]", "[emtpy, a]", "unknown-piece"),
        ("[a, empty...]", "[empty, a]", "pattern-length"),
        ("[a, b..., b..., b...]", "[a, b..., b..., b...]", "pattern-length"),
        ("[[a, b...]]", "[[b..., a]]", "pattern-length"),
        ("[a, ...]", "[a, ...]", "pattern-word"),
    ],
)
def test_ambiguous_patterns_are_refused(before: str, after: str, code: str) -> None:
    assert code in codes(before, after)


def test_a_typing_error_is_answered_with_all_allowed_words() -> None:
    with pytest.raises(DocumentError, match="did you mean `empty`"):
        moved("[a, emtpy]", "[empty, a]", "a.")


@pytest.mark.parametrize(
    ("before", "after", "row", "found"),
    [
        ("[a, b, b..., empty]", "[empty, a, b, b...]", "abbb.", [".abbb"]),
        ("[a, b, b..., empty]", "[empty, a, b, b...]", "ab.b.", [".ab b.".replace(" ", "")]),
        ("[a, b..., empty]", "[empty, a, b...]", "a.b", [".ab"]),
        ("[a, b..., empty]", "[empty, a, b...]", "abb#.", []),
        ("[a, empty..., b]", "[a, _..., empty]", "a..b", ["a..."]),
        ("[a, empty..., b]", "[a, _..., empty]", "a.cb", []),
        ("[a, empty..., b]", "[empty, empty..., a]", "ab", [".a"]),
        ("[a, empty..., empty, any|wall]", "[empty, empty..., a, _]", "a..*", ["...a"]),
        ("[a, _..., b]", "[b, _..., a]", "a#cb", ["b#ca"]),
        ("[a, empty on spot..., b]", "[a, _..., empty]", "a**b", ["a**."]),
        ("[a, empty on spot..., b]", "[a, _..., empty]", "a*.b", []),
        ("[a, b..., c..., empty]", "[empty, b..., c..., a]", "abcc.", [".bcca"]),
    ],
)
def test_a_stretch_has_the_shortest_possible_length(
    before: str, after: str, row: str, found: list[str]
) -> None:
    assert moved(before, after, row) == found


def test_a_stretch_goes_round_a_closed_row_at_most_once() -> None:
    text = (
        HEAD + "moves: {go: {before: [a, empty..., b], after: [a, _..., empty], directions: right}}"
    )
    closed = text + "\nwrap: rows\nboard: |\n  .b#a.\n"
    compiled = fewest.load("x.yaml", text=closed)
    assert [draw(m.target) for m in legal_moves(start(compiled.puzzle))] == [["..#a."]]
    assert {len(o.steps) + 1 for o in compiled.puzzle.rules[0].orientations} == {8}  # type: ignore[union-attr]


@pytest.mark.parametrize("geometry", ["hex-right", "hex-left", "square"])
def test_a_rectangle_turns_as_the_board_does(geometry: str) -> None:
    """A rectangle that moves a piece to a neighbour reaches all neighbours."""
    text = f"""
puzzle: turns
legend: {{".": floor, a: a}}
geometry: {geometry}
pieces: {{a: {{}}}}
moves:
  turned: {{before: [[a, _], [empty, _]], after: [[empty, _], [a, _]], rotations: true}}
  walk: {{before: [a, empty], after: [empty, a], directions: {"orthogonal" if geometry == "square" else "hex"}}}
board: |
  ...
  .a.
  ...
goal: {{a: {{at: [0, 0]}}}}
"""
    puzzle = fewest.load("turns.yaml", text=text).puzzle
    moves = list(legal_moves(start(puzzle)))
    turned = {move.target for move in moves if move.rule == "turned"}
    assert turned == {move.target for move in moves if move.rule == "walk"}
    assert len(turned) == (4 if geometry == "square" else 6)
    assert compare(puzzle).positions == 9


RAILS = """puzzle: rails
legend: {".": floor, w: wagon, e: engine}
pieces: {wagon: {directions: horizontal}, engine: {}}
moves: {go: RULE}
board: |
  we.
  ...
goal: count(wagon) == 0
"""


@pytest.mark.parametrize(
    ("rule", "is_doubted"),
    [
        ("{before: [wagon, empty], after: [empty, wagon]}", True),
        ("{before: [wagon, empty], after: [empty, wagon], directions: left right}", False),
        ("{before: [any, empty], after: [empty, any], directions: up}", True),
        ("{before: [engine, empty], after: [empty, engine]}", False),
        ("{before: [wagon, engine], after: [wagon, empty]}", False),
        (
            "{before: [empty, engine, wagon], after: [engine, wagon, empty], directions: left}",
            False,
        ),
        ("{before: [empty, engine, wagon], after: [engine, wagon, empty], directions: down}", True),
        ("{before: [[wagon, empty], [_, _]], after: [[empty, wagon], [_, _]]}", False),
        ("{before: [[wagon, _], [empty, _]], after: [[empty, _], [wagon, _]]}", True),
        (
            "{for: {d: horizontal}, before: [wagon, empty], after: [empty, wagon], directions: d}",
            False,
        ),
    ],
)
def test_a_pattern_that_ignores_the_directions_of_a_kind_causes_a_warning(
    rule: str, is_doubted: bool
) -> None:
    puzzle = fewest.load("rails.yaml", text=RAILS.replace("RULE", rule)).puzzle
    found = [warning.code for warning in puzzle.warnings]
    assert found == ["pattern-directions"] * is_doubted


def test_a_new_piece_is_not_a_certain_piece_of_the_start() -> None:
    text = """puzzle: copies
legend: {".": floor, w: wizard}
pieces: {wizard: {}, box: {KEYS}}
moves: {create: {before: [wizard, empty], after: [wizard, WORD]}}
board: |
  w.X
goal: GOAL
"""

    def found(keys: str, word: str, goal: str) -> list[str]:
        written = text.replace("KEYS", keys).replace("WORD", word).replace("GOAL", goal)
        try:
            fewest.load("copies.yaml", text=written)
        except DocumentError as error:
            return [mistake.code for mistake in error.diagnostics]
        return []

    goal = "{X: {at: [0, 1]}}"
    assert found("letters: A-Z", "box", goal) == ["pattern-new-piece"]
    assert found("letters: A-Z, interchangeable: false", "box", "count(box) == 2") == [
        "pattern-new-piece"
    ]
    assert found("letters: A-Z", "X", goal) == found("letters: A-Z", "box", "count(box) == 2") == []

"""The hints for mistakes that newcomers make show what to write instead."""

from __future__ import annotations

import pytest

import fewest
from fewest.errors import Diagnostic, DocumentError

DOCUMENT = """
puzzle: a
legend: {".": floor, "@": player, "$": box, "!": target}
terrain: [target]
pieces: {player: {}, box: {}}
variables: {n: {values: range(3), initial: 0}, open: {values: [true, false], initial: false}}
moves:
  walk: {before: [player, empty], after: [empty, player]}
  tick: {when: n < 2, set: {n: n + 1}}
goal: n == 2
board: |
  @$..!
"""


def found(old: str, new: str) -> Diagnostic:
    assert old in DOCUMENT
    with pytest.raises(DocumentError) as caught:
        assert fewest.load("x.yaml", text=DOCUMENT.replace(old, new)).task
    return next(d for d in caught.value.diagnostics if d.severity == "error")


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ("n < 2", "n < 2 && n > 0", "write `and` instead of `&&`"),
        ("n < 2", "n < 2 || n > 0", "write `or` instead of `||`"),
        ("n < 2", "n <> 2", "write `!=` instead of `<>`"),
        ("n < 2", "n < 2 and !(n == 1)", "write `not` instead of `!`"),
        ("n < 2", "n === 0", "write `==` instead of `===`"),
        ("n < 2", '\'"a!" == "b" )\'', None),
        (
            "goal: n == 2",
            "goal: count(box, on target) == 1",
            "write `count(KIND, TERRAIN)` without `on`, or `count(KIND, not TERRAIN)`",
        ),
        (
            "goal: n == 2",
            "goal: box on target",
            "write `count(box, target) > 0`, or the map {box: {on: target}}",
        ),
        ("n < 2", "box off target", "write `count(box, not target) > 0`"),
        (
            "n < 2",
            "off target|spike",
            "expressions test terrain with `terrain(ROW, COLUMN)` or `count(KIND, TERRAIN)`",
        ),
        ("n < 2", "n == in", "`in` is reserved, so put the word in quotes: 'in'"),
        ("n < 2", "from == 1", "`from` is reserved, so put the word in quotes: 'from'"),
        ("goal: n == 2", "goal: {every: target, hold: box}", "did you mean `holds`?"),
        ("goal: n == 2", "goal: {some: box, cover: target}", "did you mean `covers`?"),
        (
            "after: [empty, player]}",
            "after: [empty, player], directions: forward}",
            "store the heading in a variable, and write `directions: heading`, or `back_of(heading)`, "
            "`left_of(heading)` or `right_of(heading)`",
        ),
        ("n < 2", "n and", None),
        ("n < 2", '""', None),
        ("n < 2", "'# n'", "quotes do not prevent `#` from starting a comment"),
        (
            "goal: n == 2",
            "goal: |\n  #####\n  #..$#",
            "write a drawn goal under `board`: `goal: {board: ...}`",
        ),
        ("n < 2", "m < 2 and zzz", "the names are n, open"),
        ("{n: n + 1}", "{zzz: 1}", "the variables are n, open"),
        ("n < 2", "can(pull)", "the rules are tick, walk"),
        (
            "n < 2",
            '"cell(0, 4) == target"',
            "`target` is a terrain: use `terrain(row, column) == target`",
        ),
        ("n < 2", '"terrain(0, 1) == box"', "`box` is a piece: use `cell(row, column) == box`"),
        (
            "n < 2",
            '"[1, 2][n] == 1"',
            "define the list or table under `constants`, and write its name here",
        ),
        ("{n: n + 1}", "{n += 1}", "write `n: n + 1`"),
        ("{n: n + 1}", "n = 1", "write `set: {n: 1}`"),
        ("{n: n + 1}", "{open: n == 1}", "a truth value is 0 or 1, so write `values: [0, 1]`"),
        ("{n: n + 1}", "{n: n + 2}", "exclude such moves with `when`"),
        ("pieces: {player: {}, box: {}}", "pieces: [player, box]", "write {player: {}, box: {}}"),
        ("player: {}", "player: P", "write {letters: P}"),
        ("player: {}", 'player: "@"', None),
        ("@$..!", "@ $ . . !", "write the cells of a row without spaces between them"),
        ("@$..!", "@$.. !", "the legend defines `.` `@` `$` `!`"),
        ("  walk: {", "  - {", None),
        (
            "moves:\n  walk: {before: [player, empty], after: [empty, player]}\n  tick: {",
            "moves:\n  - {",
            "each entry needs a name, as in `NAME: {…}`",
        ),
        (
            "{before: [player, empty], after: [empty, player]}",
            "{slide: [player, box]}",
            "write `slide: player|box`",
        ),
        (
            "{before: [player, empty], after: [empty, player]}",
            '{slide: "player, box"}',
            "write A|B for one of several pieces",
        ),
        (
            "goal: n == 2",
            "goal: {every: [player, box], on: target}",
            "name one kind at a time: `all: [{every: player, …}, {every: box, …}]`",
        ),
        (
            "goal: n == 2",
            "goal: {some: player|box, on: target}",
            "name one kind at a time: `any: [{some: player, …}, {some: box, …}]`",
        ),
        (
            "values: range(3)",
            "values: 0..2",
            "write `range(n)` for the whole numbers from 0 to n - 1, or `range(a, b)`",
        ),
        (
            "set: {n: n + 1}",
            "set: {n: opposite(n)}",
            "`back_of` gives the opposite direction",
        ),
        (
            "before: [player, empty]",
            "before: player empty",
            "write the places in brackets: [player, empty]",
        ),
        (
            "[player, empty], after: [empty, player]",
            "[player, empty or box], after: [_, player]",
            "patterns have signs for this, as in `empty|box`",
        ),
        (
            "[player, empty], after: [empty, player]",
            "[player and box], after: [player]",
            "patterns have signs for this, as in `walker & ice`",
        ),
        (
            "after: [empty, player]",
            "after: [empty, player], directions: 'left, right'",
            "separate directions by spaces, without commas",
        ),
        ("board: |", "board |", "write `: ` after a key, as in `board: |`"),
        (
            '".": floor, "@"',
            '".": floor, #: wall, "@"',
            "this `#` begins a comment; put a `#` that is not a comment in quotes",
        ),
    ],
)
def test_the_hint_shows_what_to_write(old: str, new: str, hint: str | None) -> None:
    assert found(old, new).hint == hint


@pytest.mark.parametrize(
    ("section", "name", "hint"),
    [
        ("constants", "a-b", "use letters, digits and `_`, as in `a_b`; the name must not begin with a digit"),
        ("constants", "from", "expressions reserve this word, so choose another name"),
        ("parameters", "in", "expressions reserve this word, so choose another name"),
        ("parameters", "2", "use letters, digits and `_`; the name must not begin with a digit"),
    ],
)  # fmt: skip
def test_a_name_that_expressions_cannot_contain_is_refused(
    section: str, name: str, hint: str
) -> None:
    mistake = found("goal:", f"{section}: {{{name}: 1}}\ngoal:")
    assert (mistake.code, mistake.hint) == ("bad-name", hint)


def test_a_reserved_word_names_no_variable_and_no_loop() -> None:
    assert found("{n: {values", "{is: {values").code == "bad-name"
    assert found("{when: n < 2", "{for: {if: [1]}, when: n < 2").code == "bad-name"


@pytest.mark.parametrize(
    ("condition", "hint"),
    [
        ("open", "compare it with a value: `open == true`"),
        ("n < 2 and not open", "compare it with a value: `open == true`"),
        ("n < 2 or open", "compare it with a value: `open == true`"),
        ("1 if open else 0", "compare it with a value: `open == true`"),
        ("open if n else 0", "compare it with a value: `open == true`"),
        ("any(open for i in range(2))", "compare it with a value: `open == true`"),
        ("any(i for i in range(2) if open)", "compare it with a value: `open == true`"),
        ("all([n == 1, open])", "compare it with a value: `open == true`"),
        ("cell(0, 1)", "compare it with a word: `cell(0, 1) == WORD`"),
        ("not terrain(0, 1)", "compare it with a word: `terrain(0, 1) == WORD`"),
        ("left_of(up)", "compare it with a direction: `left_of(up) == up`"),
        (
            "cell(0, 1) == box or player",
            "to compare a value with several words, write `value in [a, b]`",
        ),
        ("'box'", "to compare a value with several words, write `value in [a, b]`"),
    ],
)
@pytest.mark.parametrize("place", ["when", "goal", "forbid"])
def test_a_word_is_no_condition(condition: str, hint: str, place: str) -> None:
    old, new = {
        "when": ("when: n < 2", f'when: "{condition}"'),
        "goal": ("goal: n == 2", f'goal: "{condition}"'),
        "forbid": ("goal: n == 2", f'forbid: ["{condition}"]\ngoal: n == 2'),
    }[place]
    mistake = found(old, new)
    assert (mistake.code, mistake.hint) == ("expression-type", hint)


@pytest.mark.parametrize(
    "condition",
    ["n", "not n", "n and n < 2", "open == true", "not open == true", "True", "1", "any([n])"],
)
def test_a_number_is_a_condition(condition: str) -> None:
    text = DOCUMENT.replace("n < 2", f'"{condition}"').replace("{n: n + 1}", "{n: 2}")
    assert fewest.load("x.yaml", text=text)


def test_a_word_may_be_the_value_of_an_expression() -> None:
    new = "{open: \"'false' if n == 0 and n < 2 else 'true'\"}"
    assert fewest.load("x.yaml", text=DOCUMENT.replace("{n: n + 1}", new)).task


@pytest.mark.parametrize(
    ("new", "message", "hint"),
    [
        ("initial: 'count(box)'", "before the board exists", "write the value itself"),
        ("initial: 'row(player)'", "before the board exists", "write the value itself"),
    ],
)
def test_a_value_at_the_start_cannot_read_the_board(new: str, message: str, hint: str) -> None:
    diagnostic = found("initial: 0", new)
    assert message in diagnostic.message
    assert diagnostic.hint == hint


def test_a_constant_cannot_use_the_size_of_the_board() -> None:
    diagnostic = found("puzzle: a\n", "puzzle: a\nconstants: {last: rows - 1}\n")
    assert "the size of the board" in (diagnostic.hint or "")


@pytest.mark.parametrize(("key", "place"), [("names", "`names`"), ("colours", "`drawing`")])
def test_the_texts_and_colours_of_values_have_their_own_place(key: str, place: str) -> None:
    assert place in (found("initial: 0", f"initial: 0, {key}: {{0: red}}").hint or "")

"""The messages for common mistakes in documents show the correct text."""

from __future__ import annotations

import pytest

import fewest
from fewest.errors import Diagnostic, DocumentError


def found(text: str) -> list[Diagnostic]:
    with pytest.raises(DocumentError) as caught:
        fewest.load("x.yaml", text=text)
    return [d for d in caught.value.diagnostics if d.severity == "error"]


@pytest.mark.parametrize(
    ("line", "better"),
    [
        ('moves: {go: {set: {"x[0]": x[1]}}}', 'moves: {go: {set: {"x[0]": "x[1]"}}}'),
        ("moves: {go: {set: {x[0]: x[1]}}}", 'moves: {go: {set: {"x[0]": "x[1]"}}}'),
        ("goal: [a, b] in [c]", 'goal: "[a, b] in [c]"'),
        ('goal: "left" == x', """goal: '"left" == x'"""),
        ("variables: {x: {values: range(2, n), initial: 2}}", None),
        ("moves: {go: {for: {i: range(2, n)}, when: x[i] + y[i] == 2}}", None),
        ("moves: {go: {for: {i: range(2)}, set: {x: a[i] + 1, y: b[i] + c[j]}}}", None),
        ("moves: {go: {set: {x[i]: 1}}}", 'moves: {go: {set: {"x[i]": 1}}}'),
        ("legend: {@: player, .: floor}", 'legend: {"@": player, .: floor}'),
        ("moves: {go: {when: x == b: c}}", 'moves: {go: {when: "x == b: c"}}'),
        ("notes: - 1", 'notes: "- 1"'),
    ],
)
def test_a_text_that_needs_quotes_is_shown_with_them(line: str, better: str | None) -> None:
    mistake = found(f"puzzle: x\n{line}\n")[0]
    assert (mistake.code, mistake.line) == ("yaml-quote", 2)
    assert mistake.hint is not None
    shown = mistake.hint.removeprefix("put the whole text in quotes: ")
    if better is not None:
        assert shown == better
    # The proposed text is valid YAML; with brackets or commas it is one string.
    again = found(f"puzzle: x\n{shown}\n")
    assert "yaml-syntax" not in {d.code for d in again}
    assert [d.code for d in again if d.line == 2][:1] != ["yaml-quote"] or "range" in line


def test_mistakes_that_quotes_do_not_correct_are_reported_unchanged() -> None:
    assert found("puzzle: x\nmoves: {go: {set: {x: 1}}\n")[0].code == "yaml-syntax"
    assert found("puzzle: x\n  moves: 1\n goal: 2\n")[0].code == "yaml-syntax"


@pytest.mark.parametrize(
    "drawing", ["  AB.\n  ...\n", "  ####\n  #A.#\n", "  @..\n  ...\n", "  *..\n", "  [.]\n  ...\n"]
)
def test_a_drawing_without_a_bar_is_recognised(drawing: str) -> None:
    mistakes = found(
        f"puzzle: x\nmodel: sliding-blocks\nboard:\n{drawing}goal: {{A: {{at: [0, 0]}}}}\n"
    )
    assert [(d.code, d.line, d.hint) for d in mistakes] == [("board-joined", 3, "write `board: |`")]


def test_a_goal_drawing_without_a_bar_is_recognised() -> None:
    head = "puzzle: x\nmodel: sliding-blocks\nboard: |\n  AB.\n  ...\ngoal:\n  board:\n"
    assert [(d.code, d.line) for d in found(head + "    BA.\n    ...\n")] == [("board-joined", 7)]


@pytest.mark.parametrize("goal", ["BA\n  ..", "..\n  BA"])
def test_a_drawing_in_place_of_an_expression_gets_a_hint(goal: str) -> None:
    text = "puzzle: p\nmodel: sliding-blocks\nboard: |\n  AB\n  ..\ngoal: |\n  " + goal + "\n"
    (mistake,) = found(text)
    assert mistake.code == "expression-syntax"
    assert mistake.hint == "write a drawn goal under `board`: `goal: {board: ...}`"


def test_rows_of_tokens_need_no_bar() -> None:
    text = "puzzle: x\nmodel: sliding-blocks\nboard:\n  - [A, '.']\n  - ['.', '.']\ngoal: {A: {at: [0, 1]}}\n"
    assert fewest.load("x.yaml", text=text).solve().cost == 1


@pytest.mark.parametrize(
    ("rows", "line", "says"),
    [
        (["AB. ", "..."], 4, "delete the blanks at the end of the row"),
        (["AB.", "... ", "..."], 5, "delete the blanks at the end of the row"),
        (["AB", "...", "..."], 4, "row 1 has 2 cells, but most rows have 3"),
        (["AB.", "...."], 5, "row 2 has 4 cells, but row 1 has 3"),
    ],
)
def test_the_row_that_is_to_blame_is_blamed(rows: list[str], line: int, says: str) -> None:
    board = "".join(f"  {row}\n" for row in rows)
    mistakes = found(
        f"puzzle: x\nmodel: sliding-blocks\nboard: |\n{board}goal: {{A: {{at: [0, 0]}}}}\n"
    )
    assert [(d.code, d.line) for d in mistakes] == [("board-ragged", line)]
    assert says in f"{mistakes[0].message} {mistakes[0].hint}"


def test_a_puzzle_that_forgets_its_name_is_no_model() -> None:
    mistakes = found("model: sokoban\nboard: |\n  #####\n  #@$.#\n  #####\n")
    assert [(d.code, d.line) for d in mistakes] == [("document-name", 1)]
    assert "puzzle: NAME" in str(mistakes[0].hint)


@pytest.mark.parametrize(
    "terrain", ["terrain: {door: {}}", "terrain: [door]", "terrain: {door: , target: }"]
)
def test_terrains_over_a_model_are_added_to_its_own(terrain: str) -> None:
    text = f"puzzle: x\nmodel: sokoban\n{terrain}\nlegend: {{D: door}}\nboard: |\n  #####\n  #@$.#\n  #D###\n"
    compiled = fewest.load("x.yaml", text=text)
    assert compiled.puzzle.board is not None
    assert set(compiled.puzzle.board.terrain) == {"target", "door"}
    assert compiled.solve().cost == 1


def test_entries_of_kinds_that_rules_make_are_used() -> None:
    text = (
        "puzzle: x\nlegend: {a: a, b: b, '.': floor}\npieces: {a: {}, b: {}}\nboard: [[a, '.']]\n"
        "moves: {grow: {before: [a, empty], after: [a, b]}}\ngoal: {count: {b: 1}}\n"
    )
    assert fewest.load("x.yaml", text=text).warnings == ()


def test_a_legend_entry_that_divides_a_piece_causes_a_warning() -> None:
    text = (
        "puzzle: x\nlegend: {'.': floor, A: crate}\npieces: {crate: {letters: A-Z}}\n"
        "board: |\n  AAB.\nmoves: {go: {slide: crate}}\ngoal: cell(0, 3) == crate\n"
    )
    torn = fewest.load("x.yaml", text=text)
    assert [(d.code, d.line) for d in torn.warnings] == [("legend-letter", 2)]
    whole = fewest.load("x.yaml", text=text.replace(", A: crate", ""))
    assert whole.warnings == ()
    assert (torn.explore().num_states, whole.explore().num_states) == (4, 3)


def test_a_typing_error_in_an_expression_is_answered_with_all_allowed_words() -> None:
    head = "puzzle: x\nmodel: sliding-blocks\nboard: |\n  AB.\ngoal: "
    assert found(head + "cell(0, 0) == emtpy\n")[0].hint == "did you mean `empty`?"
    assert found(head + "cell(0, 0) == wal\n")[0].hint == "did you mean `wall`?"


WORDS = """puzzle: x
legend: {a: word-a, I: word-iz, "~": lock, "^": spike, ".": floor}
terrain: [lock, spike]
pieces: {word-a: {}, word-iz: {}}
moves: {go: {before: [word-a, empty], after: [empty, word-a]}}
board: |
  a.I~^
goal: count(word-a) == 1
"""


def test_a_name_with_a_hyphen_needs_quotes_in_an_expression() -> None:
    mistake = found(WORDS.replace("count(word-a)", "word"))[0]
    assert mistake.code == "expression-unknown-name"
    assert mistake.message == "the name `word` is unknown in this expression"
    assert mistake.hint is not None and "contains a hyphen in quotes: 'word-" in mistake.hint
    quoted = WORDS.replace("goal: count(word-a) == 1", """goal: 'count("word-iz") == 1'""")
    assert fewest.load("x.yaml", text=quoted).solve().cost == 0


@pytest.mark.parametrize(
    ("pattern", "hint"),
    [
        (
            "[man, floor]",
            "write `empty` for a floor cell without a piece, or `ground` for any floor cell",
        ),
        ("[man, ice]", "write `empty on ice` for a cell without a piece, or else `ground on ice`"),
        ("[man, emty]", "did you mean `empty`?"),
        ("[man, groun]", "did you mean `ground`?"),
    ],
)
def test_a_terrain_in_a_pattern_gets_a_hint(pattern: str, hint: str) -> None:
    text = f"""puzzle: x
legend: {{".": floor, "~": ice, m: man, b: box}}
terrain: [ice]
pieces: {{man: {{}}, box: {{}}}}
moves: {{go: {{before: {pattern}, after: [_, man]}}}}
board: |
  m.~b
goal: {{every: box, on: ice}}
"""
    mistake = found(text)[0]
    assert (mistake.code, mistake.line, mistake.hint) == ("unknown-piece", 5, hint)


def test_a_kind_and_a_terrain_that_are_swapped_in_a_goal_get_a_hint() -> None:
    text = """puzzle: x
legend: {".": floor, "~": ice, m: man}
terrain: [ice]
pieces: {man: {}}
moves: {go: {slide: man}}
board: |
  m.~
goal: {every: man, holds: ice}
"""
    (mistake,) = found(text)
    assert (mistake.code, mistake.hint) == ("goal-form", "write `{every: man, on: ice}`")


TWO_KINDS = """puzzle: x
legend: {".": floor, a: ant, b: bee, "!": hive}
terrain: [hive]
pieces: {ant: {}, bee: {}}
moves: {MOVE}
goal: GOAL
board: |
  a.!
  b.!
"""


def test_a_loop_in_a_pattern_is_written_in_braces() -> None:
    loop = "for: {k: [ant, bee]}, before: [NAME, empty], after: [empty, NAME]"
    text = TWO_KINDS.replace("MOVE", f"go: {{{loop}}}").replace("GOAL", "{every: hive, holds: any}")
    mistakes = found(text.replace("NAME", "k"))
    assert [mistake.code for mistake in mistakes] == ["unknown-piece"] * 2
    hint = mistakes[0].hint or ""
    assert hint.startswith("for the value of the loop `k`, write ")
    assert fewest.load("x.yaml", text=text.replace("NAME", hint.split()[-1])).solve().cost == 4


def test_a_goal_for_some_piece_of_several_kinds_gets_a_hint() -> None:
    text = TWO_KINDS.replace("MOVE", "go: {slide: ant|bee}")
    (mistake,) = found(text.replace("GOAL", "{some: ant|bee, on: hive}"))
    assert mistake.code == "unknown-piece"
    assert mistake.hint == "name one kind at a time: `any: [{some: ant, …}, {some: bee, …}]`"
    goal = "{any: [{some: ant, on: hive}, {some: bee, on: hive}]}"
    assert fewest.load("x.yaml", text=text.replace("GOAL", goal)).solve().cost == 2


@pytest.mark.parametrize(
    ("goal", "code"),
    [
        ("{every: hive, holds: ant|bee}", "unknown-piece"),
        ('"count(ant|bee, hive) == 2"', "expression-type"),
    ],
)
def test_several_kinds_where_one_is_allowed_get_a_hint(goal: str, code: str) -> None:
    text = TWO_KINDS.replace("MOVE", "go: {slide: ant|bee}")
    (mistake,) = found(text.replace("GOAL", goal))
    assert mistake.code == code and mistake.hint is not None
    assert "the numbers of several kinds" in mistake.hint
    total = "count(ant, hive) + count(bee, hive)"
    assert total.replace("hive", "TERRAIN") in mistake.hint or "count(a) + count(b)" in mistake.hint
    assert fewest.load("x.yaml", text=text.replace("GOAL", f'"{total} == 2"')).solve().cost == 4

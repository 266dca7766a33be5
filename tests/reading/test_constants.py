"""Documents can have constants, lists for loops, weights by index, and variables with symbols in drawings."""

from __future__ import annotations

import pytest

import fewest
from fewest.drawing.text import draw
from fewest.errors import DocumentError, FewestError
from fewest.model.position import start

HEAD = """puzzle: x
parameters: {n: 2}
variables: {v: {values: range(9), initial: 0}}
goal: v == 8
"""


def codes(text: str) -> list[tuple[str, int]]:
    with pytest.raises(DocumentError) as caught:
        fewest.load("x.yaml", text=text).task  # noqa: B018
    return [(d.code, d.line) for d in caught.value.diagnostics]


def rules(text: str) -> list[str]:
    """The words of all operators, which name the values of loops."""
    return [operator.words for operator in fewest.load("x.yaml", text=text).task.operators]


def test_tables_are_looked_up_by_position_by_key_and_by_both() -> None:
    text = HEAD + (
        "constants:\n  step: [1, n, n + 1]\n  of: {slow: {first: 1}, fast: {first: 4}}\n"
        "  twice: '[2 * s for s in step]'\n  who: fast\n"
        "moves:\n  go:\n    when: v + of[who, first] + twice[0] + step[-1 + 3] <= 13\n"
        "    set: {v: 'v + of[fast][first]'}\n"
    )
    assert fewest.load("x.yaml", text=text).solve().cost == 2


def test_loops_run_over_lists_of_numbers_expressions_words_and_constants() -> None:
    head = HEAD.replace("v == 8", "v == 4") + "constants: {steps: [3, 4]}\nmoves: {go: "
    assert rules(head + "{for: {d: [-1, 0, n]}, when: v == 4, set: {v: v + d}}}") == []
    found = rules(head + "{for: {d: [1, n]}, when: v == 0, set: {v: v + d}}}")
    assert sorted(found) == ["d=1", "d=2"]
    found = rules(head + "{for: {d: steps, e: [left, n]}, when: v == 0 and e != 2, set: {v: d}}}")
    assert sorted(found) == ["d=3, e=left", "d=4, e=left"]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("constants: {n: 3}\n", "bad-name", 5),
        ("constants: {a b: 3}\n", "bad-name", 5),
        ("constants: {a: [1, k + 1]}\n", "expression-unknown-name", 5),
        ("constants: {a: (i for i in range(2))}\n", "wrong-type", 5),
        ("constants: {a: [null]}\n", "wrong-type", 5),
        (
            "constants: {a: [1]}\nmoves: {go: {when: 'a[1] == 1', set: {v: 8}}}\n",
            "expression-index",
            6,
        ),
        ("constants: {a: {b: 1}}\nmoves: {go: {set: {v: 'a[c]'}}}\n", "expression-unknown-name", 6),
        ("moves: {go: {set: {v: 'n[0]'}}}\n", "expression-unsupported", 5),
        ("moves: {go: {set: {v: 8}, count: v}}\n", "expression-unknown-name", 5),
        ("moves: {go: {for: {i: [1]}, set: {v: 8}, count: 0 - i}}\n", "metric-weight", 5),
        ("moves: {go: {for: {i: [-1, k + 1]}, set: {v: 8}}}\n", "expression-unknown-name", 5),
    ],
)
def test_mistakes_in_tables_loops_and_weights_have_their_place(
    text: str, code: str, line: int
) -> None:
    moves = "" if "moves" in text else "moves: {go: {set: {v: 8}}}\n"
    assert (code, line) in codes(HEAD + text + moves)


def test_a_weight_may_depend_on_the_binding() -> None:
    text = HEAD + (
        "moves: {go: {for: {d: [1, 3, 8]}, when: v + d < 9, set: {v: v + d}, count: d * d}}\n"
        "metrics: {square: {}, steps: {count: 1}, flat: {count: {go: 2 + d // 8}}}\n"
    )
    compiled = fewest.load("x.yaml", text=text)
    assert compiled.solve("square").cost == 8
    assert compiled.solve("steps").cost == 1
    assert compiled.solve("flat").cost == 3
    assert compiled.solve("square", engine="sat").cost == 8


LAMPS = """puzzle: lamps
variables:
  lit[i]: {for: {i: range(3)}, values: [0, 1], initial: 0, layout: [i // 2, i], characters: {1: O}}
  n: {values: range(2), initial: 0}
moves: {press: {for: {i: range(3)}, set: {"lit[i]": "1 - lit[i]"}}}
goal: lit[2] == 1
"""


def test_variables_with_a_layout_are_drawn_and_read_as_they_are_drawn() -> None:
    compiled = fewest.load("lamps.yaml", text=LAMPS)
    assert draw(start(compiled.puzzle)) == ["00", "  0", "n=0"]
    moved = compiled.at("0O\n  O\nn=1")
    assert draw(start(moved.puzzle)) == ["0O", "  O", "n=1"]
    assert moved.solve().cost == 0
    with pytest.raises(FewestError, match=r"`x` is not a value of `lit\[1\]` \(row 0, column 1\)"):
        compiled.at("0x/  O")
    with pytest.raises(FewestError, match="2 rows of 3"):
        compiled.at("00")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("characters: {1: O}", "characters: {2: O}"),
        ("characters: {1: O}", "characters: {1: 0}"),
        ("characters: {1: O}", "characters: {1: ''}"),
        ("layout: [i // 2, i], ", ""),
        ("layout: [i // 2, i]", "layout: [0 - i, i]"),
        ("layout: [i // 2, i]", "layout: [0, 0]"),
    ],
)
def test_a_layout_that_cannot_be_drawn_is_refused(old: str, new: str) -> None:
    found = codes(LAMPS.replace(old, new))
    assert {code for code, _ in found} == {"variable-layout"}


def test_loops_and_constants_can_name_pieces_and_terrains() -> None:
    text = (
        'puzzle: x\nlegend: {".": floor, "~": water}\nterrain: [water]\npieces: {block: {letters: A-C}}\n'
        "constants: {two: [A, B], wet: water}\n"
        'moves: {go: {slide: block, when: "all(row(who) >= 0 for who in two)"}}\n'
        "forbid: any(count(who, wet) > 0 for who in two)\ngoal: all(col(who) == 4 for who in two)\n"
        "board: |\n  AB.C.\n  .~.~.\n"
    )
    compiled = fewest.load("x.yaml", text=text)
    written_out = text.replace(
        "any(count(who, wet) > 0 for who in two)", "count(A, water) + count(B, water) > 0"
    )
    written_out = written_out.replace(
        "all(col(who) == 4 for who in two)", "col(A) == 4 and col(B) == 4"
    )
    assert compiled.solve().cost == fewest.load("x.yaml", text=written_out).solve().cost == 9
    assert (
        compiled.explore().num_states
        == fewest.load("x.yaml", text=written_out).explore().num_states
    )
    with pytest.raises(DocumentError, match="there is no piece `D`"):
        fewest.load("x.yaml", text=text.replace("[A, B]", "[A, D]")).solve()
    with pytest.raises(DocumentError, match="`block` means several pieces"):
        fewest.load("x.yaml", text=text.replace("[A, B]", "[A, block]")).solve()
    with pytest.raises(DocumentError, match="there is no piece a list"):
        fewest.load("x.yaml", text=text.replace("[A, B]", "[A, [B]]")).solve()


def test_a_key_that_only_looks_like_a_number_is_a_word() -> None:
    text = (
        'puzzle: x\nconstants: {cost: {"-1": 1, "--5": 2, "²": 3}}\n'
        "variables: {a: {values: range(7), initial: 0}}\n"
        "moves: {go: {set: {a: \"cost[-1] + cost['--5'] + cost['²']\"}}}\ngoal: a == 6\n"
    )
    assert fewest.load("x.yaml", text=text).solve().cost == 1

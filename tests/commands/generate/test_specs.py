"""Specs are read, and their mistakes are located."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fewest.commands.generate import generate
from fewest.commands.generate.text import counts_by_minimum, heading
from fewest.errors import DocumentError, FewestError, UsageError
from fewest.reading.board_spec import load_board_spec, load_board_specs
from tests.commands.generate.spec_cases import generated, jams
from tests.helpers.command_line import run


def test_rules_that_remove_pieces_are_refused() -> None:
    text = """
puzzle: pegs
pieces: {peg: {letters: A-Z}}
legend: {".": floor}
board: |
  ....
moves: {jump: {before: [peg, peg, empty], after: [empty, empty, peg]}}
goal: {count: {peg: 1}}
fill: {A: {shape: "#"}}
"""
    with pytest.raises(UsageError, match="neither create nor remove pieces, but `jump` does"):
        generated(text)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("fill: {A: {shape: '#', number: [3, 1]}}", "`number` must be a number"),
        ("fill: {A: {shape: 'o'}}", "a shape must be drawn with `#`"),
        ("fill: {AB: {shape: '#'}}", "a piece must be drawn with a single letter"),
        ("fill: {A: {form: '#'}}", "form"),
        ("fill: {}", "`fill` defines no pieces"),
    ],
)
def test_a_mistake_in_a_spec_has_its_place(wrong: str, message: str) -> None:
    text = f"puzzle: it\nmodel: sliding-blocks\nboard: |\n  ...\n{wrong}\n"
    with pytest.raises(DocumentError) as caught:
        load_board_spec("spec.yaml", text=text)
    assert message in str(caught.value)
    assert "spec.yaml:5" in str(caught.value)


def test_all_mistakes_of_a_spec_are_reported_together() -> None:
    text = """
puzzle: wrong
model: rush-hour
board: |
  ....
  ....
fill:
  X: {shap: "##"}
  Y: {shape: "##", number: -1}
  Z: {shape: "##", rows: [2], columns: [-1]}
  AA: {shape: "##"}
"""
    with pytest.raises(DocumentError) as caught:
        load_board_spec("spec.yaml", text=text)
    message = str(caught.value)
    for words in (
        "shap`",
        "0 to 64",
        "row 2 is outside the board",
        "column -1 is outside the board",
        "with a single letter",
    ):
        assert words in message
    with pytest.raises(DocumentError, match="the key `fill` is missing here"):
        load_board_spec("spec.yaml", text=text.replace("fill:", "fil:"))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ("A: {shape: '#####', number: 1}", "9:3: .*the board of the spec has no room"),
        (
            "A: {shape: '##'}\n  B: {shape: '##'}",
            "10:3: .*`B` and `A` of `fill` mean the same pieces",
        ),
        ("+: {shape: '##'}", "9:3: .*`\\+` of `fill` is not a piece of the puzzle"),
        ("A: {shape: '#.#'}", "9:3: .*the cells of the shape of `A` are not connected"),
    ],
)
def test_mistakes_that_only_the_rules_show_have_locations(changed: str, message: str) -> None:
    text = f"""puzzle: wrong
model: sliding-blocks
board: |
  ...
  ...
goal: {{X: {{at: [0, 0]}}}}
fill:
  X: {{shape: '#'}}
  {changed}
"""
    with pytest.raises(DocumentError, match=message):
        generated(text)


def test_a_piece_that_the_rules_refuse_is_a_mistake_under_fill() -> None:
    text = """puzzle: wrong
model: rush-hour
board: |
  ...
  ...
fill:
  X: {shape: '##'}
  A: {shape: '#'}
"""
    with pytest.raises(DocumentError, match=r"8:3: .*no-long-axis.*`A` of `fill`"):
        generated(text)


@pytest.mark.parametrize("row", ["...", ".."])
def test_a_shape_of_several_pieces_is_the_first_mistake(row: str) -> None:
    """Rush Hour has no pieces of one cell, and the narrow board has no room for the shape."""
    text = f"""puzzle: wrong
model: rush-hour
board: |
  {row}
  {row}
fill:
  X: {{shape: '##'}}
  A: {{shape: '# #'}}
"""
    with pytest.raises(DocumentError, match=r"8:3: .*shape of `A` are not connected"):
        generated(text)


def test_pieces_that_do_not_fit_leave_no_board() -> None:
    text = """puzzle: crowded
model: sliding-blocks
board: |
  ...
goal: {X: {at: [0, 0]}}
fill:
  X: {shape: '#', number: 4}
"""
    found = generated(text)
    assert found.num_positions == 0
    assert heading(found) == "crowded: there is no board, because the pieces do not fit (proven)"


SIZES = """
puzzle: sizes
model: sliding-blocks
sizes: {rows: [2, 3], columns: 2}
goal: {X: {at: [0, 0]}}
fill:
  X: {shape: "#", number: 1}
  A: {shape: "##", rows: [2]}
"""


def test_a_spec_with_several_sizes_is_one_spec_for_each() -> None:
    two, three = load_board_specs("spec.yaml", text=SIZES)
    assert (two.size, three.size) == ("2x2", "3x2")
    drawn = SIZES.replace("sizes: {rows: [2, 3], columns: 2}", "board: |\n  ..\n  ..\n  ..")
    (alone,) = load_board_specs("spec.yaml", text=drawn)
    assert alone.size is None
    one, other = generate(three), generate(alone)
    assert one.name == "sizes-3x2"
    assert (one.num_boards, one.num_positions) == (other.num_boards, other.num_positions)
    assert one.metrics[0].histogram == other.metrics[0].histogram
    assert generate(two).num_positions == 4 < one.num_positions  # A has no place in two rows
    crowded = SIZES.replace("rows: [2]}", "number: 1}").replace("[2, 3]", "1")
    with pytest.raises(DocumentError, match="the board of 1x2 has no room"):
        generated(crowded)
    with pytest.raises(UsageError, match="has 2 sizes"):
        load_board_spec("spec.yaml", text=SIZES)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ("{rows: [3, 2], columns: 2}", "lists of the smallest and the largest number"),
        ("{rows: 0, columns: 2}", "lists of the smallest and the largest number"),
        ("{rows: [1, 2, 3], columns: 2}", "lists of the smallest and the largest number"),
        ("{rows: 3}", "the key `columns` is missing"),
        ("{rows: 3, columns: two}", "wrong type"),
        ("3", "wrong type"),
        ("{rows: 2, columns: 2}", "row 2 is outside the board"),
        ("{rows: 3, columns: 2}\nboard: |\n  ..", "`board` and `sizes` cannot be used together"),
    ],
)
def test_a_mistake_in_the_sizes_has_its_place(sizes: str, message: str) -> None:
    text = SIZES.replace("{rows: [2, 3], columns: 2}", sizes)
    with pytest.raises(DocumentError) as caught:
        load_board_specs("spec.yaml", text=text)
    assert message in str(caught.value)


def test_the_command_searches_each_size(tmp_path: Path) -> None:
    spec, out = tmp_path / "sizes.yaml", tmp_path / "out"
    spec.write_text(SIZES)
    options = ["generate", str(spec), "--exhaustive", "--checkpoint", str(tmp_path / "saved")]
    done = run(*options, "-o", str(out))
    assert done.returncode == 0, done.stderr
    headings = [line for line in done.stdout.splitlines() if "(proven: all boards" in line]
    assert [line.partition(":")[0] for line in headings] == ["sizes-2x2", "sizes-3x2"]
    assert sorted(path.name for path in tmp_path.glob("saved*")) == ["saved-2x2", "saved-3x2"]
    assert {path.name[:9] for path in out.glob("sizes-*.yaml")} == {"sizes-2x2", "sizes-3x2"}
    assert (out / "boards.csv").read_text().startswith("size,metric,pieces")
    assert run("check", str(out)).returncode == 0
    data = json.loads(run(*options, "--json").stdout)
    assert [one["spec"] for one in data] == ["sizes-2x2", "sizes-3x2"]
    found = run("generate", str(spec), "--boards", "3", "--csv").stdout.splitlines()
    assert {line[:4] for line in found[1:]} == {"2x2,", "3x2,"}


@pytest.mark.parametrize("drawn", ["XX..", "QQ..", "AA.."])
def test_a_spec_with_pieces_on_its_board_is_refused(drawn: str) -> None:
    text = jams(4, 1).replace("....", drawn, 1)
    with pytest.raises(
        FewestError,
        match=f"the board of a spec must not contain pieces, but it contains `?{drawn[0]}",
    ):
        generated(text, "steps")


def test_the_counts_by_minimum_are_wrapped_between_two_counts() -> None:
    lines = counts_by_minimum("  boards by minimum  ", [(n, 10**n) for n in range(14)])
    assert len(lines) > 1
    assert all(len(line) <= 80 for line in lines)
    assert not any(line.endswith(":") for line in lines)
    assert " ".join(" ".join(lines).split()).startswith("boards by minimum 0: 1, 1: 10, 2: 100,")

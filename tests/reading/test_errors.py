"""Every error code has a bad document that gives exactly this code, and no traceback."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

import fewest
from fewest.errors import CODES, DocumentError
from tests.helpers.cells import BAD
from tests.helpers.errors_doc import ERRORS_PAGE, GENERATED, diagnostics_of, page

FILES = sorted(path for path in BAD.glob("*.*") if path.is_file())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_bad_document_gives_its_code_and_a_place(path: Path) -> None:
    found = diagnostics_of(path)
    assert path.stem in {diagnostic.code for diagnostic in found}
    for diagnostic in found:
        assert diagnostic.line >= 1 and diagnostic.column >= 1
        assert re.match(r"\S+:\d+:\d+: (error|warning)\[[a-z-]+\]: ", diagnostic.format())


def test_every_code_has_a_bad_document_and_every_bad_document_a_code() -> None:
    assert {path.stem for path in FILES} | set(GENERATED) == set(CODES)


@pytest.mark.parametrize("code", sorted(GENERATED))
def test_documents_too_odd_for_a_file_give_their_code(code: str, tmp_path: Path) -> None:
    path = tmp_path / f"{code}.yaml"
    path.write_bytes(GENERATED[code])
    assert code in {diagnostic.code for diagnostic in diagnostics_of(path)}


@pytest.mark.parametrize(
    ("loop", "values", "code"),
    [("range(2)", "range(m)", "expression-unknown-name"), ("range(0)", "range(2)", "puzzle-empty")],
)
def test_a_puzzle_whose_variables_have_mistakes_is_not_empty_as_well(
    loop: str, values: str, code: str
) -> None:
    text = f"""puzzle: x
variables: {{"x[i]": {{for: {{i: {loop}}}, values: {values}, initial: 0}}}}
moves: {{a: {{set: {{"x[0]": 1}}}}}}
"""
    with pytest.raises(DocumentError) as error:
        fewest.load("x.yaml", text=text)
    assert [found.code for found in error.value.diagnostics] == [code]


def test_the_page_of_errors_is_current() -> None:
    assert ERRORS_PAGE.read_text(encoding="utf-8") == page(), (
        "run: python -m tests.helpers.errors_doc"
    )


def test_all_mistakes_of_a_file_are_reported_together() -> None:
    text = (
        "puzzle: many\nmodel: sliding-blocks\nbord: 1\nmetrics: {steps: {merge: lines}}\nmoves: 5\n"
    )
    with pytest.raises(DocumentError) as error:
        fewest.load("many.yaml", text=text)
    codes = [diagnostic.code for diagnostic in error.value.diagnostics]
    assert codes == ["unknown-key", "wrong-value", "wrong-type"]


def test_the_hint_for_a_short_row_names_only_characters_of_the_legend() -> None:
    text = """puzzle: x
pieces: {car: {}}
legend: {a: car, _: floor}
moves: {step: {slide: car}}
board: |
  a__
  __
"""
    with pytest.raises(DocumentError) as error:
        fewest.load("x.yaml", text=text)
    assert error.value.diagnostics[0].hint == "pad the row with '_'"


def test_an_error_has_the_text_of_the_language_page() -> None:
    text = "puzzle: x\nmodel: rush-hour\nboard: |\n  EFFBCD\n  E.XXC\n"
    with pytest.raises(DocumentError) as error:
        fewest.load("puzzles/x.yaml", text=text)
    assert str(error.value) == (
        "puzzles/x.yaml:5:3: error[board-ragged]: row 2 has 5 cells, but row 1 has 6\n"
        "  5 |   E.XXC\n"
        "    |   ^^^^^\n"
        "  hint: pad the row with '.', or with '#' for a wall"
    )


def test_carets_are_below_wide_characters() -> None:
    text = "puzzle: x\nmodel: sliding-blocks\nboard: |\n  A.\nnames: {A: 曹操, title: {}}\n"
    with pytest.raises(DocumentError) as error:
        fewest.load("x.yaml", text=text)
    lines = str(error.value).splitlines()
    excerpt, carets = next((a, b) for a, b in pairwise(lines) if "曹操" in a)
    assert (
        carets.index("^") == excerpt.index("{}") + 2
    )  # each of the two characters is two columns wide

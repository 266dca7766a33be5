"""A file of levels, or of no known format, is no document, and `check` says so."""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest

import fewest
from fewest.commands import explanation
from fewest.commands.check import Effort, check_document


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("one.xsb", "#####\n#@$.#\n#####\n", "this file contains 1 level, not a document"),
        ("two.rush", "ooXXoooooooooooo\n" * 2, "this file contains 2 levels, not a document"),
        ("letter.txt", "hello\nworld\n", "error[unknown-format]"),
    ],
)
def test_a_file_of_levels_has_nothing_to_check(
    name: str, text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text)
    found = check_document(path, Effort())
    assert message in found.errors and "YAML" not in found.errors


def argument_for(name: str, seconds: float | None = None) -> str:
    compiled = fewest.load(name)
    return explanation.why_unsolvable(compiled.puzzle, compiled.grounded, seconds)


def test_a_sum_gives_the_reason_of_an_unsolvable_puzzle() -> None:
    assert "is even or odd" in argument_for("tiles-2x3-swapped")
    assert argument_for("tiles-2x3") == ""


def test_the_search_for_a_reason_ends_with_the_time_limit() -> None:
    assert argument_for("clones-three", seconds=0) == ""


@pytest.mark.parametrize("name", ["clones-three", "octagon-21", "square-4x4"])
def test_sums_of_weights_give_the_reason_of_unsolvable_puzzles(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explanation, "SECONDS_FOR_SUMS", inf)  # the machine can be busy
    assert "no move" in argument_for(name)

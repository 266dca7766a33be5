"""The document that `new` writes works without changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from fewest.commands.check import Effort, check_document
from fewest.commands.new import new_document
from fewest.errors import NotFoundError, UsageError
from fewest.machine.resources import models
from tests.helpers.command_line import run


@pytest.mark.parametrize("model", [None, *(name for name, _ in models())])
def test_a_new_document_has_the_answers_that_it_expects(model: str | None, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(new_document("mine", model), encoding="utf-8")
    check = check_document(path, Effort(seconds=30))
    assert check.errors is None and not check.warnings
    assert check.rows and {row.verdict for row in check.rows} == {"ok"}


def test_a_new_document_explains_the_parts_to_change() -> None:
    text = new_document("my-jam", "rush-hour")
    assert "patches of one letter, each a block" in text
    assert "# metrics: steps, slides, turns" in text
    assert "title: My jam" in text
    assert "fewest watch my-jam.yaml" in new_document("my-jam")


def test_invalid_names_and_models_are_refused() -> None:
    for name in ("", "x y", "-x", "a:b"):
        with pytest.raises(UsageError, match="is not a valid name"):
            new_document(name)
    with pytest.raises(NotFoundError, match="no model `sokobann`"):
        new_document("x", "sokobann")


def test_nothing_is_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("new", "mine").returncode == 0
    text = (tmp_path / "mine.yaml").read_text(encoding="utf-8")
    again = run("new", "mine.yaml", "--model", "tiles")
    assert again.returncode == 2 and "already exists" in again.stderr
    assert (tmp_path / "mine.yaml").read_text(encoding="utf-8") == text
    assert run("new", "nowhere/mine").returncode == 3

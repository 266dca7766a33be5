"""Every puzzle on the pages of the documentation is executed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fewest.questions.check import Effort, check_document
from tests.helpers.places import ROOT

PAGES = [ROOT / "README.md", ROOT / "docs" / "guide.md", ROOT / "docs" / "language.md"]
BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.M | re.S)


def examples() -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        for block in BLOCK.findall(page.read_text(encoding="utf-8")):
            name = re.search(r"^puzzle: (\S+)", block, re.M)
            if name:
                found.append((f"{page.name}-{name[1]}", block))
    return found


@pytest.mark.parametrize(("name", "text"), examples(), ids=[name for name, _ in examples()])
def test_an_example_of_the_documentation_has_the_answers_it_says(
    name: str, text: str, tmp_path: Path
) -> None:
    path = tmp_path / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    check = check_document(path, Effort(seconds=60))
    assert check.errors is None
    assert not check.warnings
    assert "bfs" in {row.engine for row in check.rows}
    assert [row for row in check.rows if row.verdict != "ok"] == []


def test_the_language_page_has_its_examples() -> None:
    assert len(examples()) >= 15

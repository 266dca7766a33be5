"""The table of checks in `docs/proofs.md` names every module that plays or compiles a construct, and no other file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[1]
_SOURCE = _ROOT / "src" / "fewest"
# For each folder, the number of its column in the table.
_COLUMNS = {
    "playing": 2,
    "grounding": 3,
}
# These modules contain no construct: they call the others, or they contain what all of them use.
_NO_CONSTRUCT = {
    "grounding": {"__init__", "facts", "ground", "grounder", "partial", "remedies"},
    "playing": {
        "__init__",
        "exhaust",
        "move",
        "move_text",
        "plan",
        "plan_parser",
        "replay",
        "replay_result",
        "rules",
        "step",
        "validate",
    },
}


def _named(folder: str) -> set[Path]:
    """The files that the column of a folder names; a name with a folder is relative to the package."""
    section = (_ROOT / "docs" / "proofs.md").read_text().partition("## Who checks what")[2]
    rows = [line.split("|") for line in section.splitlines() if line.startswith("| ")][2:]
    assert len(rows) > 15 and {len(row) for row in rows} == {6}
    names = [name for row in rows for name in re.findall(r"`([\w/]+\.py)`", row[_COLUMNS[folder]])]
    return {_SOURCE / name if "/" in name else _SOURCE / folder / name for name in names}


@pytest.mark.parametrize("folder", _COLUMNS)
def test_the_table_names_files_that_exist(folder: str) -> None:
    assert [path for path in _named(folder) if not path.is_file()] == []


@pytest.mark.parametrize("folder", _COLUMNS)
def test_the_table_names_every_module_with_a_construct(folder: str) -> None:
    modules = {path.stem for path in (_SOURCE / folder).glob("*.py")}
    assert modules >= _NO_CONSTRUCT[folder]
    named = {path.stem for path in _named(folder) if path.parent.name == folder}
    assert modules - _NO_CONSTRUCT[folder] == named

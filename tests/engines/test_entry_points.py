"""Engines in other packages work: the documentation's example as an installed package, and packages with mistakes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fewest.engines import entry_points
from fewest.engines.registry import all_engines, engine_of
from fewest.errors import UsageError
from tests.helpers.cells import ROOT

PACKAGE = "Metadata-Version: 2.1\nName: my-engine\nVersion: 1.2.3\n"


def package(folder: Path, code: str, points: str) -> Path:
    """A folder with the module `my_engine`, and with the metadata that an installer writes."""
    folder.mkdir()
    (folder / "my_engine.py").write_text(code, encoding="utf-8")
    info = folder / "my_engine-1.2.3.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(PACKAGE)
    (info / "entry_points.txt").write_text(f"[fewest.engines]\n{points}\n")
    return folder


@pytest.fixture
def example(tmp_path: Path) -> Path:
    page = (ROOT / "docs/how-to/own-engine.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(# my_engine.py\n.*?)```", page, re.S)
    (points,) = re.findall(
        r'```toml\n\[project.entry-points."fewest.engines"\]\n(.*?)```', page, re.S
    )
    return package(tmp_path / "site", code, points.replace('"', ""))


@pytest.fixture(autouse=True)
def _forget() -> None:
    entry_points.installed.cache_clear()


def fewest(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(folder), *filter(None, sys.path)])
    return subprocess.run(
        [sys.executable, "-m", "fewest", *args],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"},
        encoding="utf-8",
    )


def test_the_example_is_compared_like_any_engine(example: Path) -> None:
    done = fewest(example, "compare", "jugs", "bird", "-e", "dijkstra,bfs", "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["verdict"] == "decided"
    assert data["provenance"]["versions"]["my-engine"] == "1.2.3"
    for found in data["comparisons"]:
        mine, ours = found["entries"]
        assert (mine["engine"], mine["status"], mine["cost"]) == (
            "dijkstra",
            "optimal",
            ours["cost"],
        )
        assert len(mine["plan"]) == ours["cost"]


def test_the_example_refuses_what_its_row_and_its_code_exclude(example: Path) -> None:
    done = fewest(example, "compare", "bird", "-m", "slides", "-e", "dijkstra")
    assert done.returncode == 2 and "counts every move" in done.stdout
    done = fewest(example, "solve", "microban-001", "-m", "pushes-then-moves", "-e", "dijkstra")
    assert done.returncode == 2 and "lexicographic" in done.stderr


def test_the_example_solves_and_is_suggested(example: Path) -> None:
    done = fewest(example, "solve", "jugs", "-e", "dijkstra")
    assert done.returncode == 0 and "6 moves" in done.stdout
    done = fewest(example, "solve", "jugs", "-e", "dijkstr")
    assert done.returncode == 2 and "did you mean `dijkstra`" in done.stderr


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("raise RuntimeError('no licence')", "cannot be imported: RuntimeError: no licence"),
        ("class Mine: text = 'x'", "must have `text` and a static method `solve`"),
        ("class Other: pass", "cannot be imported"),
        (
            "class Mine:\n    text = 'x'\n    metrics = 'some'\n    solve = staticmethod(print)",
            "cannot be used: Invalid enum value 'some'",
        ),
    ],
)
def test_a_package_with_a_mistake_is_named_and_breaks_nothing_else(
    code: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = package(tmp_path / "site", code, "mine = my_engine:Mine\nbfs = my_engine:Mine")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "my_engine", raising=False)
    with pytest.raises(UsageError, match=re.escape(words)) as error:
        engine_of("mine")
    assert "my-engine 1.2.3" in error.value.message
    assert engine_of("bfs").module == "fewest.engines.bfs"
    assert "mine" not in all_engines() and "sat" in all_engines()

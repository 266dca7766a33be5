"""Starts one server with a folder and one browser for all tests of this folder; they end when the tests end."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.cells import BAD, ROOT
from tests.helpers.command_line import begun
from tests.helpers.javascript import stop_browser
from tests.helpers.served import Served

pytest.importorskip("starlette", reason="the extra `web`")
pytest.importorskip("uvicorn", reason="the extra `web`")

WINDOWS = "puzzle: windows\r\nmodel: sliding-blocks\r\nboard: |\r\n  A.\r\ngoal: {A: {touches: right}}\r\n"


@pytest.fixture(scope="package")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served") / "puzzles"
    shutil.copytree(BAD, folder / "bad")
    shutil.copy(ROOT / "puzzles" / "klotski" / "heng-dao-li-ma.yaml", folder / "mine.yaml")
    (folder / "windows.yaml").write_bytes(WINDOWS.encode())
    (folder.parent / "outside.yaml").write_text("puzzle: outside\n", encoding="utf-8")
    (folder / "leads-out.yaml").symlink_to(folder.parent / "outside.yaml")
    with begun("serve", str(folder), "--no-browser", "--port", "0") as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[0]
        try:
            yield Served(address, folder, process.pid)
        finally:
            os.kill(process.pid, signal.SIGINT)
            _, output = process.communicate(timeout=20)
    assert (process.returncode, output) == (0, "")


@pytest.fixture(scope="package", autouse=True)
def _browser_ends() -> Iterator[None]:
    yield
    stop_browser()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    made.mkdir()
    return made.resolve()

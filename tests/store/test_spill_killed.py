"""Ctrl-C or SIGTERM at any moment during a search with `--store auto` leaves no folder."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from subprocess import PIPE

import pytest

import fewest
from fewest import search
from fewest.store import search as stored
from fewest.store import spill
from fewest.store.metadata import is_store, may_begin, remove_store

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="stores need the native core")

# The search continues in a folder however much memory it has, and saves each layer as soon as it is finished.
PROGRAM = """
import sys
from fewest.machine.process_exit import enable_fast_exit
enable_fast_exit()
from fewest.engines import external
from fewest.store import driver, spill
external.LEAST = driver.SAVE_EVERY = driver.KEEPING_TIMES = 0
spill.LONG = int(sys.argv.pop(1))
from fewest.cli import main
main()
"""
TABLE, SORTED = 1 << 30, 1 << 15
"""Values of `spill.LONG`, the number of positions at which sorted layers in memory replace the table. TABLE is never
reached, so the folder replaces the table; with SORTED, the folder replaces the sorted layers."""


def started(long_from: int, folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-c", PROGRAM, str(long_from), *arguments, "--json"]
    here = os.environ | {
        "PYTHONPATH": str(Path(fewest.__file__).parents[1]),
        "TMPDIR": str(folder / "temporary"),
    }
    return subprocess.Popen(command, cwd=folder / "here", env=here, stdout=PIPE, stderr=PIPE)


def has_folder_within(process: subprocess.Popen[bytes], temporary: Path) -> bool:
    """Wait until there is a temporary folder or the process has ended."""
    while process.poll() is None:
        if any(temporary.iterdir()):
            return True
        time.sleep(0.001)
    return False


@pytest.mark.parametrize("moments", [4, pytest.param(30, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("long_from", "call"),
    [
        (TABLE, ["explore", "tiles-2x5", "--memory", "24M"]),
        (SORTED, ["solve", "tiles-2x5", "--engine", "bfs", "--memory", "24M"]),
        (TABLE, ["explore", "microban-004", "--metric", "moves", "--memory", "400K"]),
    ],
    ids=str,
)
def test_a_search_that_is_stopped_at_any_moment_leaves_no_folder(
    long_from: int, call: list[str], moments: int, tmp_path: Path
) -> None:
    for name in ("here", "temporary"):
        (tmp_path / name).mkdir()
    began = time.perf_counter()
    whole = started(long_from, tmp_path, *call)
    _, err = whole.communicate(timeout=300)
    assert whole.returncode == 0, err
    seconds = time.perf_counter() - began
    chance, num_with_folder = random.Random(17), 0
    for moment in range(moments):
        process = started(long_from, tmp_path, *call)
        if moment % 2:  # the signal comes soon after the folder appears
            had_folder = has_folder_within(process, tmp_path / "temporary")
            num_with_folder += had_folder
            time.sleep(seconds * 0.3 * chance.random() if moment > 1 else 0)
        else:
            time.sleep(seconds * (0.3 + 0.7 * chance.random()))
        process.send_signal(signal.SIGINT if moment % 4 < 2 else signal.SIGTERM)
        out, err = process.communicate(timeout=60)
        assert process.returncode in (0, 4, 130), (out, err)
        assert list((tmp_path / "here").iterdir()) == [], (out, err)
        assert list((tmp_path / "temporary").iterdir()) == [], (out, err)
    assert num_with_folder > 0


def test_ctrl_c_just_after_a_lock_is_taken_does_not_take_it_twice(tmp_path: Path) -> None:
    over = object.__new__(spill._Spill)
    over.is_interrupted = False
    with ExitStack() as folder:

        def step() -> str:
            folder.enter_context(stored.in_folder(tmp_path))
            signal.raise_signal(signal.SIGINT)
            return "done"

        assert over.complete_step(step) == "done"
    assert over.is_interrupted


def test_a_partly_removed_store_is_no_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "layer-000000").touch()
    (tmp_path / "store.json").touch()
    assert is_store(tmp_path)

    def killed(_: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(shutil, "rmtree", killed)
    with pytest.raises(KeyboardInterrupt):
        remove_store(tmp_path)
    assert not is_store(tmp_path)
    assert may_begin(tmp_path)

"""Ctrl-C or SIGTERM at any moment during a search with `--store auto` leaves no folder."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from fewest import search
from fewest.store import search as stored
from fewest.store import spill
from fewest.store.metadata import is_store, may_begin, remove_store
from tests.helpers import preloaded
from tests.helpers.preloaded import Fork

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="stores need the native core")

# The search continues in a folder however much memory it has, and saves each layer as soon as it is finished. The limit
# of `--memory` is for the search alone, so the size of the process does not matter.
PROGRAM = """
import sys
from fewest.cli import options
from fewest.engines import external
from fewest.store import driver, spill
external.LEAST = driver.SAVE_EVERY = driver.KEEPING_TIMES = 0
spill.LONG = int(sys.argv.pop(1))
options.ProcessLimit = int
begin = spill.GrowingSearch.__init__

def report_and_begin(*arguments, **options):
    print("the search begins", file=sys.stderr, flush=True)
    begin(*arguments, **options)

spill.GrowingSearch.__init__ = report_and_begin
from fewest.cli import main
main()
"""
TABLE = 1 << 30
"""A value of `spill.LONG`, the number of positions at which sorted layers in memory replace the table. It is never
reached, so the folder replaces the table. With smaller values, the folder replaces the sorted layers."""
SORTED = ["solve", "--engine", "bfs", "--symmetry", "off", "--threads", "1"]
"""With one thread, sorted layers of the puzzles below fit into memory at first, but not later."""


def started(long_from: int, folder: Path, *arguments: str) -> Fork:
    here = os.environ | {"TMPDIR": str(folder / "temporary"), "FEWEST_AUDIT": "off"}
    return preloaded.started(
        PROGRAM, str(long_from), *arguments, "--json", cwd=folder / "here", env=here
    )


def has_folder_within(process: Fork, temporary: Path) -> bool:
    """Wait until there is a temporary folder or the process has ended."""
    while process.poll() is None:
        if any(temporary.iterdir()):
            return True
        time.sleep(0.001)
    return False


@pytest.mark.parametrize(
    ("long_from", "call"),
    [
        (TABLE, ["explore", "tiles-2x4", "--memory", "200K"]),
        (2000, [*SORTED, "eight-puzzle", "--memory", "1M"]),
        (TABLE, ["explore", "microban-004", "--metric", "moves", "--memory", "400K"]),
    ],
    ids=str,
)
def test_a_search_that_is_stopped_at_any_moment_leaves_no_folder(
    long_from: int, call: list[str], tmp_path: Path
) -> None:
    check_stopped_search(long_from, call, 4, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("long_from", "call"),
    [
        (TABLE, ["explore", "tiles-2x5", "--memory", "24M"]),
        (1 << 15, [*SORTED, "tiles-2x5", "--memory", "2M"]),
        (TABLE, ["explore", "microban-004", "--metric", "moves", "--memory", "400K"]),
    ],
    ids=str,
)
def test_a_larger_search_that_is_stopped_at_any_moment_leaves_no_folder(
    long_from: int, call: list[str], tmp_path: Path
) -> None:
    check_stopped_search(long_from, call, 30, tmp_path)


def check_stopped_search(long_from: int, call: list[str], moments: int, tmp_path: Path) -> None:
    for name in ("here", "temporary"):
        (tmp_path / name).mkdir()
    whole = started(long_from, tmp_path, *call)
    assert whole.wait_for(b"the search begins")
    began = time.perf_counter()
    _, err = whole.communicate(timeout=300)
    assert whole.returncode == 0, err
    seconds = time.perf_counter() - began
    chance, num_with_folder = random.Random(17), 0
    for moment in range(moments):
        process = started(long_from, tmp_path, *call)
        assert process.wait_for(b"the search begins")
        if moment % 2:  # the signal comes soon after the folder appears
            had_folder = has_folder_within(process, tmp_path / "temporary")
            num_with_folder += had_folder
            time.sleep(seconds * 0.3 * chance.random() if moment > 1 else 0)
        else:
            time.sleep(seconds * chance.random())
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

"""`--store auto` that is killed at any moment: before it has a folder it is asked again, behind that it goes on."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

import fewest
from fewest import search
from fewest.store.record import is_store, may_begin, read_record, remove_store

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="stores need the native core")

# However little memory there is, it goes on from a folder; layers are kept as soon as they are whole.
PROGRAM = """
import sys
from fewest.engines import disk
from fewest.store import driver, spare
disk.LEAST = driver.KEEP_EVERY = driver.KEEPING_TIMES = 0
spare.LONG = int(sys.argv.pop(1))
from fewest.cli import main
main()
"""
TABLE, SORTED = 1 << 30, 1 << 15
"""From how many positions on there are sorted layers in memory between the table and the folder."""


def started(long_from: int, folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-c", PROGRAM, str(long_from), *arguments, "--json"]
    here = os.environ | {"PYTHONPATH": str(Path(fewest.__file__).parents[1])}
    return subprocess.Popen(command, cwd=folder, env=here, stdout=PIPE, stderr=PIPE)


def answered(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, (out, err)
    found: dict[str, Any] = json.loads(out)
    shown = found.get("statistics", found)
    return {name: shown.get(name) for name in ("states", "layers", "minimum")} | {
        "cost": found.get("cost")
    }


@pytest.mark.parametrize("moments", [5, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("long_from", "question"),
    [
        (TABLE, ["explore", "tiles-2x5", "--memory", "24M"]),
        (SORTED, ["explore", "tiles-2x5", "--memory", "24M"]),
        (SORTED, ["solve", "tiles-2x5", "--engine", "bfs", "--memory", "24M"]),
        (TABLE, ["explore", "heng-dao-li-ma", "--metric", "turns", "--memory", "800K"]),
        (TABLE, ["explore", "microban-004", "--metric", "moves", "--memory", "400K"]),
    ],
    ids=str,
)
def test_auto_that_is_killed_at_any_moment_goes_on_to_the_same_answer(
    long_from: int, question: list[str], moments: int, tmp_path: Path
) -> None:
    (tmp_path / "whole").mkdir()
    began = time.perf_counter()
    expected = answered(started(long_from, tmp_path / "whole", *question))
    seconds = time.perf_counter() - began
    chance, layers = random.Random(17), [0]
    stores: list[Path] = []
    was_kept = False

    def asked() -> list[str]:
        """On from what is kept; what has its answer removes that."""
        stores[:] = [path for path in tmp_path.glob("*.store") if is_store(path)]
        return ["resume", str(stores[0])] if stores else question

    tries = 0
    while tries < moments or not was_kept:
        tries += 1
        assert tries < moments + 50, "it was never killed behind its memory"
        process = started(long_from, tmp_path, *asked())
        was_kept |= bool(stores)
        time.sleep(seconds * (0.3 + 0.7 * chance.random()))
        if process.poll() is not None:  # the machine has become faster
            seconds *= 0.9
        process.kill()
        process.communicate()
        left = [len(read_record(path).layers) for path in stores if is_store(path)]
        layers = layers + left if left else [0]
        assert layers == sorted(layers)  # what was kept stays
    assert answered(started(long_from, tmp_path, *asked())) == expected


def test_a_store_that_is_being_removed_is_none(
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

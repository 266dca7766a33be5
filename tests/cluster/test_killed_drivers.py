"""After a driver is killed at any moment, another driver resumes the search and finds the same answer."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from fewest import search
from fewest.store.error_translation import StoreError
from fewest.store.metadata import StoreMetadata, is_store, read_record

ray = pytest.importorskip("ray", reason="the extra `cluster` is not installed")
pytest.importorskip("fsspec", reason="the extra `cluster` is not installed")

pytestmark = [
    pytest.mark.skipif(not search.NATIVE, reason="stores need the native core"),
    pytest.mark.filterwarnings("ignore"),  # Ray itself causes warnings
    pytest.mark.slow,  # starting the nodes takes about ten seconds
]

# Every finished layer is a checkpoint, so a kill at any moment interrupts unsaved work.
PROGRAM = """
import sys
from fewest.store import driver
driver.SAVE_EVERY = driver.KEEPING_TIMES = 0
from fewest.cli import main
main()
"""
MOMENTS = 10  # for each of the two parameters


def started(*arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-c", PROGRAM, *arguments, "--json"]
    return subprocess.Popen(command, stdout=PIPE, stderr=PIPE)


def answered(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    out, err = process.communicate(timeout=900)
    assert process.returncode == 0, (out, err)
    found: dict[str, Any] = json.loads(out)
    return {
        name: found[name] for name in ("states", "layers", "minimum", "fewest") if name in found
    }


def record_at(where: str) -> StoreMetadata | None:
    from fewest.store.manifest import read_manifest
    from fewest.store.objects import ObjectStore
    from fewest.store.urls import is_url

    if is_url(where):
        try:
            return read_manifest(ObjectStore(where))
        except StoreError:
            return None
    return read_record(Path(where)) if is_store(Path(where)) else None


def num_layers(where: str) -> int:
    record = record_at(where)
    return 0 if record is None else len(record.layers)


@pytest.mark.parametrize("kind", ["folder", "url"])
def test_a_driver_that_is_killed_at_any_moment_loses_a_layer_at_most(
    kind: str, nodes: object, tmp_path: Path
) -> None:
    cluster = ["--cluster", nodes.address]  # type: ignore[attr-defined]
    where, whole = (
        str(tmp_path / name) if kind == "folder" else f"file://{tmp_path}/{name}"
        for name in ("killed", "whole")
    )
    call = ["explore", "tiles-2x5", *cluster, "--actors", "2", "--checkpoint"]
    expected = answered(started(*call, whole))
    assert expected["states"] == 1_814_400
    chance, num_saved, num_killed = random.Random(29), 0, 0
    while num_killed < MOMENTS:
        process = started(*(["resume", where, *cluster] if record_at(where) else [*call, where]))
        until = num_saved + chance.randint(1, 56 // MOMENTS)
        while process.poll() is None and num_layers(where) < until:
            time.sleep(0.02)
        time.sleep(0.3 * chance.random())
        if process.poll() is not None:  # the search ended before the kill
            assert answered(process) == expected
            shutil.rmtree(tmp_path / "killed")
            num_saved = 0
            continue
        process.kill()
        process.communicate()
        num_killed += 1
        assert num_layers(where) >= num_saved  # saved layers stay
        num_saved = num_layers(where)
    again = ["resume", where, *cluster] if record_at(where) else [*call, where]
    assert answered(started(*again)) == expected

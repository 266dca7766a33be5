"""A full disk is a limit: the search ends with the bound that it has proved, loses no answer, and prints how to
resume."""

from __future__ import annotations

import errno
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import fewest
from fewest import search
from fewest.commands.resume import resume
from fewest.store import checkpoint as checkpoints
from fewest.store import search as stores
from fewest.store.error_translation import StoreError
from tests.helpers import preloaded
from tests.helpers.console import MANNERS

PROGRAM = """
import resource, sys
sys.dont_write_bytecode = True  # the limit would cut it off, and Python would keep that
from fewest.search import native
native.SAVE_EVERY = -1  # whenever there is something
size = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
from fewest.cli import main
main()
"""


def run_with_small_files(*arguments: str, size: int) -> subprocess.CompletedProcess[str]:
    """Run a command that cannot write a file of more than `size` bytes."""
    return preloaded.finished(PROGRAM, str(size), *arguments, "--json")


def full_behind(writes: int, write: Callable[..., None]) -> Callable[..., None]:
    """`write`, but the disk is full after some calls."""
    left = writes

    def writing(*arguments: Any) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(*arguments)

    return writing


@pytest.mark.skipif(not search.NATIVE, reason="A* and an index need the native core")
@pytest.mark.parametrize(
    "call",
    [
        ["solve", "microban.xsb:36", "-m", "pushes-then-moves", "-e", "astar"],
        ["explore", "tiles-2x4", "--store", "index"],
        ["solve", "microban.xsb:6", "-m", "pushes-then-moves", "-e", "bfs"],
        ["solve", "tiles-2x5", "-e", "bidirectional"],
    ],
    ids=" ".join,
)
def test_a_search_without_room_ends_with_its_proved_bound(call: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    done = run_with_small_files(*call, "--checkpoint", str(folder), size=4000)
    found = json.loads(done.stdout)
    assert (done.returncode, found["reason"]) == (4, "disk")
    assert f"`fewest resume {folder}` continues" in done.stderr
    assert [file.name for file in folder.iterdir() if file.suffix == ".part"] == []
    if call[0] == "solve":
        bound, cost = {
            "bfs": ([0, 1], (29, 107)),
            "astar": ([0, 1], (59, 156)),
            "bidirectional": (1, 55),
        }[call[-1]]
        assert found["lower_bound"] >= bound
        assert resume(folder).result.cost == cost  # type: ignore[union-attr]
    else:
        assert (
            json.loads(run_with_small_files("resume", str(folder), size=10**6).stdout)["states"]
            == 20160
        )


@pytest.mark.parametrize("engine", ["sat", "asp"])
def test_a_horizon_that_cannot_be_saved_is_the_last(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle, folder = fewest.load("wolf-goat-cabbage"), tmp_path / "saved"
    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, "write_checked", full_behind(3, checkpoints.write_checked))
        stopped = puzzle.solve(engine=engine, checkpoint=str(folder))
    assert (stopped.status, stopped.reason, stopped.lower_bound) == ("limit", "disk", 4)
    again = resume(folder).result
    assert again is not None and (again.cost, again.statistics["resumed_behind"]) == (7, 2)


@pytest.mark.parametrize(("engine", "writes"), [("sat", 7), ("asp", 7), ("astar", 1), ("ida", 1)])
def test_an_answer_that_cannot_be_saved_is_an_answer(
    engine: str, writes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if engine in ("astar", "ida") and not search.NATIVE:
        pytest.skip("needs the native core")
    write = full_behind(writes, checkpoints.write_checked)
    monkeypatch.setattr(checkpoints, "write_checked", write)
    found = fewest.load("wolf-goat-cabbage").solve(
        **MANNERS[engine], checkpoint=str(tmp_path / "saved")
    )
    assert (found.status, found.cost, found.reason) == ("optimal", 7, None)
    assert len(found.plan) == 7  # type: ignore[arg-type]
    with pytest.raises(OSError, match="No space left"):
        write()  # all writes that succeed have been made


@pytest.mark.skipif(not search.NATIVE, reason="A* needs the native core")
def test_a_bound_that_cannot_be_saved_ends_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "write_checked", full_behind(1, checkpoints.write_checked))
    puzzle = fewest.load("fifteen-30")
    found = puzzle.solve(
        engine="astar", algorithm="ida", checkpoint=str(tmp_path / "saved"), progress=lambda _: None
    )
    assert (found.status, found.reason) == ("limit", "disk")
    assert isinstance(found.lower_bound, int) and 0 < found.lower_bound <= 30


@pytest.mark.skipif(not search.NATIVE, reason="stores need the native core")
def test_an_answer_whose_layers_cannot_be_saved_is_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "write_record", full_behind(2, stores.write_record))
    found = fewest.load("hanoi").solve(engine="bfs", store=f"disk:{tmp_path / 'store'}")
    assert (found.status, found.cost) == ("optimal", 7)


@pytest.mark.skipif(not search.NATIVE, reason="stores need the native core")
def test_an_error_reports_that_memory_has_no_room_for_the_start(tmp_path: Path) -> None:
    done = run_with_small_files("explore", "hanoi", "--store", f"disk:{tmp_path / 'store'}", size=0)
    assert done.returncode == 74 and "store.json: File too large" in done.stdout


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="where nobody can make a folder")
@pytest.mark.parametrize("engine", ["sat", "bfs"])
def test_a_checkpoint_that_cannot_be_created_counts_as_output_that_cannot_be_written(
    engine: str,
) -> None:
    done = run_with_small_files(
        "solve", "hanoi", "-e", engine, "--checkpoint", "/proc/saved", size=1 << 20
    )
    assert done.returncode == 74, done
    assert json.loads(done.stdout)["error"]["kind"] == "output"


def test_the_message_about_a_checkpoint_gives_the_command_that_resumes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle, folder = fewest.load("wolf-goat-cabbage"), str(tmp_path / "saved")
    puzzle.solve(engine="sat", checkpoint=folder, last=2)
    monkeypatch.setattr(checkpoints, "write_checked", full_behind(0, checkpoints.write_checked))
    with pytest.raises(StoreError, match="No space left") as raised:
        puzzle.solve(engine="sat", checkpoint=folder)
    assert raised.value.hint == "solve this problem, then continue with `fewest resume`"

"""A new folder gets its name with its first files; the hidden folders of killed programs are removed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fewest.machine.locking import LockedError, locked, locked_folder

KILLED = """
import os, signal, sys
from pathlib import Path
from fewest.machine.locking import locked_folder

with locked_folder(Path(sys.argv[1])) as held:
    (held.now / "store.json").write_text("{}")
    os.kill(os.getpid(), signal.SIGKILL)
"""

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX locks and signals")


def hidden(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


def kill_one(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-P", "-c", KILLED, str(folder)])
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("exists", [False, True])
def test_the_hidden_folder_of_a_killed_program_is_removed(exists: bool, tmp_path: Path) -> None:
    folder = tmp_path / "c"
    kill_one(folder)
    kill_one(tmp_path / "other")
    kill_one(folder)  # this removes the first hidden folder
    assert [name[:3] for name in hidden(tmp_path)] == [".c.", ".ot"] and not folder.exists()
    if exists:
        folder.mkdir()
    with locked_folder(folder) as held:
        held.appear()
    assert [name[:3] for name in hidden(tmp_path)] == [".ot"]  # it belongs to another folder
    assert [path.name for path in folder.iterdir()] == ["lock"]


def test_the_hidden_folder_of_a_running_program_and_folders_of_others_stay(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    in_use, empty, nested, long = (
        tmp_path / f".c.{name}" for name in ("0" * 8, "1" * 8, "2" * 8, "3" * 9)
    )
    for one in (in_use, empty, nested, long):
        one.mkdir()
    for one in (nested, long):
        (one / "lock").touch()
    (nested / "inner").mkdir()
    (tmp_path / ".c.44444444").touch()
    target = tmp_path / "target"
    target.mkdir()
    (target / "lock").touch()
    (tmp_path / ".c.55555555").symlink_to(target)
    before = hidden(tmp_path)
    with locked(in_use / "lock"), locked_folder(folder) as held:
        held.appear()
    assert hidden(tmp_path) == before and (in_use / "lock").exists() and (target / "lock").exists()


def test_of_two_programs_that_create_a_folder_one_gets_it(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    # The second program does not remove the hidden folder of the first.
    with locked_folder(folder) as first, locked_folder(folder) as second:
        second.appear()
        (first.now / "store.json").write_text("{}")
        with pytest.raises(LockedError):
            first.appear()
    assert hidden(tmp_path) == []

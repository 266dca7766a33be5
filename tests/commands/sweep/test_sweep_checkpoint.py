"""A sweep that is resumed from a checkpoint gives the same result, and a checkpoint belongs to one query."""

from __future__ import annotations

import errno
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from fewest.commands import record_file as files
from fewest.commands.sweep import (
    Family,
    Sweep,
    family,
    family_again,
    read_query,
    read_sweep,
    sweep,
)
from fewest.commands.sweep import checkpoint as keeping
from fewest.errors import UsageError
from fewest.machine.locking import locked
from fewest.store.error_translation import StoreError
from tests.helpers.command_line import run

CORRIDOR = """
puzzle: corridor
parameters: {n: {default: 3, min: 1, max: 9}}
model: sliding-blocks
board: "A{'.' * (n - 1) if n != 4 else '.#.'}"
goal: {A: {touches: right}}
metrics: {steps: {}, slides: {merge: line}}
metric: steps
"""
COMMAND = ["sweep", "hanoi", "disks=0..6", "pegs=2..4"]


def swept(folder: str | Path, wanted: Family, **options: Any) -> Sweep:
    with read_sweep(folder, wanted) as file:
        return sweep(wanted, file=file, **options)


def without_times(done: Sweep) -> dict[str, Any]:
    data = done.to_json()
    for member in data["members"]:
        del member["seconds"], member["audit"]  # both depend on the speed of the machine
    return data


@pytest.fixture
def corridor(tmp_path: Path) -> Path:
    path = tmp_path / "corridor.yaml"
    path.write_text(CORRIDOR)
    return path


def test_finished_levels_are_not_solved_again(corridor: Path, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    whole = sweep(family(corridor, {"n": [9, 0, 1, 4, 7, 7, 2, 3, 5]}))

    def stop(member: Any) -> None:
        if member.parameters["n"] == 4:
            raise KeyboardInterrupt

    wanted = family(corridor, {"n": [9, 0, 1, 4, 7, 7, 2, 3, 5]}, seconds=60)
    stopped = swept(folder, wanted, on_member=stop)
    assert (stopped.stopped, len(stopped.members), stopped.is_finished) == ("interrupted", 4, False)
    corridor.unlink()  # the checkpoint contains the document
    again = read_query(folder)
    assert (again.metric, again.seconds, again.memory) == ("steps", 60, None)
    done = swept(folder, family_again(again, again.seconds, again.memory))
    assert without_times(done) == without_times(whole) and done.is_finished
    assert done.members[:4] == stopped.members  # their seconds are equal, too


def test_a_folder_is_of_one_query(corridor: Path, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    swept(folder, family(corridor, {"n": [1, 2]}))
    swept(folder, family(corridor, {"n": [2, 3]}, seconds=9))  # members and limit may differ
    assert len((folder / keeping.MEMBERS).read_bytes().splitlines()) == 3

    def refused(wanted: Family, words: str) -> None:
        with pytest.raises(StoreError, match=words):
            swept(folder, wanted)

    refused(family("hanoi", {"disks": [1]}), "belongs to corridor, not to hanoi")
    refused(
        family(corridor, {"n": [1]}, "slides"), "belongs to the metric `steps`, not to `slides`"
    )
    refused(family(corridor, {"n": [1]}, engine="bfs"), "uses the engine auto, not bfs")
    corridor.write_text(CORRIDOR.replace("touches: right", "at: [0, 0]"))
    refused(family(corridor, {"n": [1]}), "another version of corridor")
    with locked(folder / "lock"):
        refused(family(corridor, {"n": [1]}), "another process is using this folder")
    other = tmp_path / "other"
    other.mkdir()
    (other / "letter.txt").write_text("dear")
    with pytest.raises(StoreError, match="already exists and is not a checkpoint of a sweep"):
        swept(other, family(corridor, {"n": [1]}))
    with pytest.raises(UsageError):
        swept("s3://bucket/saved", family(corridor, {"n": [1]}))


def test_answers_of_another_version_of_the_program_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    swept(tmp_path / "saved", family("hanoi", {"disks": [1]}))
    monkeypatch.setattr(keeping, "__version__", "77.0")
    with pytest.raises(StoreError, match=r"made by fewest .*, whose files fewest .* cannot read"):
        swept(tmp_path / "saved", family("hanoi", {"disks": [1]}))


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        (keeping.MEMBERS, b'"cost":3', b'"cost":2', "line 2: the checksum is wrong"),
        (
            keeping.MEMBERS,
            b'"status":"opt',
            b'"status":"opf',
            "line 1: this is not a line of a sweep",
        ),
        (keeping.NAME, b'"disks":[1,', b'"disks":[7,', "its checksum is wrong"),
    ],
)
def test_altered_files_are_refused(
    name: str, old: bytes, new: bytes, words: str, tmp_path: Path
) -> None:
    folder = tmp_path / "saved"
    swept(folder, family("hanoi", {"disks": [1, 2, 3]}))
    content = (folder / name).read_bytes()
    assert old in content
    (folder / name).write_bytes(content.replace(old, new, 1))
    with pytest.raises(StoreError, match=rf"damaged.*{words}") as raised:
        swept(folder, family("hanoi", {"disks": [1, 2, 3]}))
    assert name in str(raised.value)
    done = run("resume", str(folder))
    assert done.returncode == 3 and words in done.stderr


@pytest.mark.parametrize("end", [b"", b'{"swe', b'{"sweep":1,"doc\0\0\0', b"\0" * 40])
def test_a_line_truncated_by_a_power_failure_is_solved_again(end: bytes, tmp_path: Path) -> None:
    folder, wanted = tmp_path / "saved", family("hanoi", {"disks": [1, 2, 3]})
    first = swept(folder, wanted)
    path = folder / keeping.MEMBERS
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]) + end)
    assert without_times(swept(folder, wanted)) == without_times(first)
    assert len(path.read_bytes().splitlines()) == 3


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_full_disk_ends_it_and_loses_no_answer(
    jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, wanted = tmp_path / "saved", family("hanoi", {"disks": [1, 2, 3, 4, 5]})
    write, left = files.os.write, 2

    def writing(handle: int, line: bytes) -> int:
        nonlocal left
        if line.startswith(b'{"sweep"'):
            left -= 1
            if left < 0:
                write(handle, line[:9])
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(handle, line)

    with monkeypatch.context() as patch:
        patch.setattr(files.os, "write", writing)
        stopped = swept(folder, wanted, jobs=jobs)
    assert (stopped.stopped, stopped.exit_code) == ("disk", 4)
    assert len(stopped.members) == 3 and stopped.members[-1].status == "optimal"
    assert len((folder / keeping.MEMBERS).read_bytes().splitlines()) == 2
    assert [member.cost for member in swept(folder, wanted).members] == [1, 3, 7, 15, 31]


def test_the_commands_print_the_same(tmp_path: Path) -> None:
    folder = str(tmp_path / "saved")
    first = run(*COMMAND, "--checkpoint", folder)
    assert first.returncode == 0
    again = run("resume", folder)
    assert (again.returncode, again.stdout, again.stderr) == (0, first.stdout, first.stderr)
    answer = json.loads(run("resume", folder, "--json").stdout)
    assert answer == json.loads(run(*COMMAND, "--checkpoint", folder, "--json").stdout)
    assert run("resume", folder, "--csv", "--jobs", "2").stdout.startswith("disks,pegs,status,")
    limited = ["sweep", "machinarium", "n=2,90", "--time", "0.3", "--memory", "1G"]
    other = str(tmp_path / "limited")
    stopped = run(*limited, "--checkpoint", other)
    assert stopped.returncode == 4 and "time limit" in stopped.stdout
    assert run("resume", other).stdout == stopped.stdout  # with the same limit, nothing changes


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["resume", "SAVED", "--threads", "2"], "--threads does not apply to a sweep"),
        (["resume", "SAVED", "--node-wait", "2m"], "--node-wait does not apply to a sweep"),
        (["resume", "SAVED", "--csv", "--json"], "cannot be used together"),
        ([*COMMAND, "--checkpoint", "SAVED", "--resume", "x.jsonl"], "leave out --resume"),
    ],
)
def test_options_that_exclude_each_other_are_refused(
    arguments: list[str], words: str, tmp_path: Path
) -> None:
    folder = tmp_path / "saved"
    swept(folder, family("hanoi", {"disks": [1]}))
    done = run(*(str(folder) if word == "SAVED" else word for word in arguments))
    assert done.returncode == 2 and words in done.stderr + done.stdout


@pytest.mark.parametrize("moments", [3, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_sweep_killed_at_any_moment_continues_to_the_same_table(
    jobs: str, moments: int, tmp_path: Path
) -> None:
    def started(*arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-P", "-m", "fewest", *arguments, "--jobs", jobs, "--json"]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def members(output: bytes | str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(output)
        for member in found["members"]:
            del member["seconds"], member["audit"]  # both depend on the speed of the machine
        return found

    began = time.perf_counter()
    expected = members(started(*COMMAND).communicate(timeout=300)[0])
    seconds = time.perf_counter() - began
    folder, chance = tmp_path / "saved", random.Random(4)
    lines = [0]
    for _ in range(moments):
        known = keeping.is_sweep_checkpoint(folder)
        process = started(
            *(["resume", str(folder)] if known else [*COMMAND, "--checkpoint", str(folder)])
        )
        time.sleep(seconds * (0.2 + 0.8 * chance.random()))
        process.kill()
        process.communicate()
        path = folder / keeping.MEMBERS
        lines.append(path.read_bytes().count(b"\n") if path.exists() else 0)
    assert lines == sorted(lines)  # saved members stay
    known = keeping.is_sweep_checkpoint(folder)
    command = ["resume", str(folder)] if known else [*COMMAND, "--checkpoint", str(folder)]
    assert members(run(*command, "--jobs", jobs, "--json").stdout) == expected

"""SIGTERM has the same effect as Ctrl-C: the command prints the proved bound, and leaves no process behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fewest.cli import group
from fewest.commands import check
from fewest.machine.processor_time import processor_seconds_of
from tests.helpers.command_line import begun
from tests.machine.test_processes import is_running

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are seen in /proc")
SIGNALS = [signal.SIGINT, signal.SIGTERM]


def below(pid: int) -> set[int]:
    """The child processes of a process, their children, and so on."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if entry.name.isdigit() and fields[0] != "Z":
            parents[int(entry.name)] = int(fields[1])
    found, size = {pid}, 0
    while len(found) > size:
        size = len(found)
        found |= {child for child, parent in parents.items() if parent in found}
    return found - {pid}


def num_busy(pids: set[int]) -> int:
    """The number of processes that have worked for longer than an interpreter takes to start."""
    return sum(processor_seconds_of(pid) > 0.2 for pid in pids)


def are_gone(pids: set[int], seconds: float) -> bool:
    """Whether all of these processes end within `seconds`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not any(map(is_running, pids)):
            return True
        time.sleep(0.02)
    return False


COMMANDS = {
    "bfs": "solve tiles-3x4 --engine bfs --memory 2G",
    "astar": "solve korf-001 --engine astar --memory 500M",
    "ida": "solve korf-001 --engine astar --algorithm ida --memory 100M",
    "python": "solve tiles-3x4 --engine python",
    "sat": "solve hanoi --set disks=8 --engine sat",
    "asp": "solve hanoi --set disks=8 --engine asp",
    "bidirectional": "solve tiles-3x4 --engine bidirectional --memory 2G",
    "auto": "solve microban.xsb:144 -m moves",
    "explore": "explore tiles-3x4 --memory 2G",
}


@pytest.mark.parametrize("call", list(COMMANDS.values()), ids=list(COMMANDS))
def test_sigterm_and_ctrl_c_both_return_the_proved_bound(call: str) -> None:
    codes = set()
    for number in SIGNALS:
        # A command without an answer then prints a traceback.
        env = {**os.environ, "FEWEST_DEBUG": "1"}
        with begun(*call.split(), "--json", env=env) as process:
            assert process.stderr is not None
            while process.stderr.readline().startswith("compiling"):
                pass  # the next line of progress shows that the search is running
            workers = below(process.pid)
            process.send_signal(number)
            out, err = process.communicate(timeout=30)
        assert process.returncode == 4, (number, out, err)
        data = json.loads(out)
        assert data["reason"] == "interrupted"
        assert are_gone(workers, 1.0)
        codes.add(process.returncode)
    assert len(codes) == 1


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize(
    ("call", "num_workers"),
    [
        ("solve eight-puzzle -e sat --from 28", 1),
        ("compare eight-puzzle -e asp", 1),
        ("solve microban.xsb -j 2 -m moves", 2),
        ("sweep hanoi disks=12..20 --jobs 2 -e python", 2),
    ],
)
def test_no_worker_outlives_its_parent(call: str, num_workers: int, number: signal.Signals) -> None:
    with begun(*call.split()) as process:
        deadline = time.monotonic() + 20
        while num_busy(workers := below(process.pid)) < num_workers:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.kill() if number == signal.SIGINT else process.terminate()
        process.communicate(timeout=30)
        assert are_gone(workers, 1.0)


def test_repeated_signals_of_timeout_give_one_message() -> None:
    done = subprocess.run(
        ["timeout", "1", sys.executable, "-m", "fewest", "solve", "tiles-3x4", "-e", "python"],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    assert "interrupted; no plan found, at least" in done.stdout, done.stderr


IMPORTING = """
import sys
class CtrlC:
    def find_spec(self, name, path, target=None):
        if name == "fewest.cli":
            raise KeyboardInterrupt
sys.meta_path.insert(0, CtrlC())
from fewest.__main__ import main
main()
"""


def test_ctrl_c_while_modules_are_imported_is_quiet() -> None:
    command = [sys.executable, "-P", "-c", IMPORTING, "list"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_an_interrupted_check_lists_its_verdicts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    checking = check.check_documents

    def interrupted(*arguments: Any, **options: Any) -> Iterator[check.DocumentCheck]:
        yield next(iter(checking(*arguments, **options)))
        raise KeyboardInterrupt

    monkeypatch.setattr(check, "check_documents", interrupted)
    with pytest.raises(SystemExit) as ended:
        sys.exit(group.main(["check", "hanoi", "jugs"], standalone_mode=False))
    assert ended.value.code == 4
    output = capsys.readouterr()
    assert "1 document: 1 ok" in output.out and "interrupted after 1 of 2 documents" in output.err


DESTROYING = """
import os, signal, sys, time
from fewest.machine.signals import terminate_like_interrupt
terminate_like_interrupt()
class Destroyed:
    def __del__(self):
        os.kill(os.getpid(), int(sys.argv[1]))
        for _ in range(1000):
            pass
        print("not reached")
try:
    Destroyed()
    time.sleep(30)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_while_an_object_is_destroyed_is_repeated(number: signal.Signals) -> None:
    command = [sys.executable, "-P", "-c", DESTROYING, str(int(number))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")

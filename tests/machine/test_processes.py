"""Worker processes end with the process that started them; the death of a worker affects nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from fewest.errors import InternalError, UsageError
from fewest.machine.processes import KilledProcess, Worker, ending_with_us, in_processes

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX signals")


def echo(connection: Connection) -> None:
    """Send back each message."""
    while True:
        connection.send(connection.recv())


def die(connection: Connection) -> None:
    """Print a line and crash."""
    print("farewell", flush=True)
    os.kill(os.getpid(), connection.recv())


def start_another(connection: Connection) -> None:
    """Start a process that would run for a minute."""
    sleep = ending_with_us([sys.executable, "-c", "import time; time.sleep(60)"])
    child = subprocess.Popen(sleep)
    connection.send(child.pid)
    connection.recv()


def work(item: int, say: Callable[[Any], None]) -> int:
    """Return twice the item; some items cause failures."""
    say(item)
    if item == 13:
        os.kill(os.getpid(), signal.SIGKILL)
    if item == -1:
        raise UsageError("no such item", hint="take another")
    if item == -2:
        raise ZeroDivisionError("division by zero")
    return 2 * item


def is_running(pid: int) -> bool:
    """Whether such a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_worker_answers_and_ends_with_its_block() -> None:
    with Worker(echo) as worker:
        for what in (1, "two", [3.0] * 100_000):
            worker.connection.send(what)
            assert worker.connection.recv() == what
        pid = worker.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_the_report_of_a_killed_process_contains_its_signal_and_its_last_output() -> None:
    with Worker(die, is_quiet=True) as worker:
        worker.connection.send(signal.SIGKILL)
        with pytest.raises((EOFError, ConnectionResetError)):
            worker.connection.recv()
        assert worker.exit_cause() == (-signal.SIGKILL, "farewell")


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked up in /proc")
def test_processes_that_a_worker_started_end_with_it() -> None:
    with Worker(start_another) as worker:
        child = worker.connection.recv()
        assert is_running(child)
    deadline = time.monotonic() + 10
    while is_running(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_running(child)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked up in /proc")
def test_a_worker_and_its_children_end_with_their_parent() -> None:
    code = (
        "from fewest.machine.processes import Worker\n"
        "from tests.machine.test_processes import start_another\n"
        "worker = Worker(start_another)\n"
        "print(worker.pid, worker.connection.recv(), flush=True)\n"
        "worker.connection.poll(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pids = list(map(int, parent.stdout.readline().split()))
        assert len(pids) == 2 and all(map(is_running, pids))
        parent.kill()
    deadline = time.monotonic() + 10
    while any(map(is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(is_running, pids))


def test_many_items_are_answered_and_a_killed_process_costs_one() -> None:
    items = [1, 2, 13, 4, 5, 6]
    updates: set[tuple[int, int]] = set()
    answers = dict(
        in_processes(work, items, lambda index, what: updates.add((index, what)), jobs=2)
    )
    assert isinstance(answers.pop(2), KilledProcess)
    assert answers == {0: 2, 1: 4, 3: 8, 4: 10, 5: 12}
    assert updates - {(2, 13)} == {(0, 1), (1, 2), (3, 4), (4, 5), (5, 6)}


@pytest.mark.parametrize(("item", "kind"), [(-1, UsageError), (-2, InternalError)])
def test_an_error_in_a_process_is_raised_here(item: int, kind: type[Exception]) -> None:
    with pytest.raises(kind, match=r"no such item|ZeroDivisionError: division by zero") as error:
        list(in_processes(work, [1, item], jobs=2))
    assert getattr(error.value, "hint", "") == ("take another" if item == -1 else "")


def hold_everything(connection: Connection) -> None:
    """Run C code that holds the interpreter lock for a minute, so that no Python thread runs."""
    import ctypes

    connection.send("begun")
    ctypes.PyDLL(None).sleep(60)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone can")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_worker_in_c_code_ends_with_its_parent(number: signal.Signals) -> None:
    code = (
        "from fewest.machine.processes import Worker\n"
        "from tests.machine.test_processes import hold_everything\n"
        "worker = Worker(hold_everything)\n"
        "worker.connection.recv()\n"
        "print(worker.pid, flush=True)\n"
        "worker.connection.poll(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert is_running(pid)
        parent.send_signal(number)
    deadline = time.monotonic() + 1
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_running(pid)

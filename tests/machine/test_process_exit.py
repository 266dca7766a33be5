"""After a fast exit, the process ends without cleaning up, but it runs its exit handlers and writes its output."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAD = """
import atexit, sys, threading, time
{before}
from fewest.machine.process_exit import exit_now, enable_fast_exit
enable_fast_exit()
class Last:
    def __del__(self):
        print("taken apart")
last = Last()
"""

SAID_AT_THE_END = HEAD + 'atexit.register(lambda: print("handler", end=""))\n'


def run(program: str, before: str = "") -> tuple[int, str]:
    """The exit code and the output. The output goes to a pipe, to which Python writes only at the end."""
    ran = subprocess.run(
        [sys.executable, "-c", program.replace("{before}", before)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert not ran.stderr, ran.stderr
    return ran.returncode, ran.stdout


@pytest.mark.parametrize("code", [0, 3, 130])
def test_exit_runs_handlers_writes_the_output_and_returns_the_code(code: int) -> None:
    program = SAID_AT_THE_END + f'print("answer")\nexit_now({code})'
    assert run(program) == (code, "answer\nhandler")


def test_threads_end_before() -> None:
    thread = 'def late():\n    time.sleep(0.3)\n    print("thread")\n'
    started = "threading.Thread(target=late).start()\n"
    assert run(SAID_AT_THE_END + thread + started + "exit_now(4)") == (4, "thread\nhandler")


def test_an_earlier_hook_is_called_as_well() -> None:
    before = 'atexit.register(lambda: print("before"))'
    assert run(HEAD + "exit_now(10)", before) == (10, "before\ntaken apart\n")


def test_other_exits_are_unchanged() -> None:
    assert run(SAID_AT_THE_END + "sys.exit(5)") == (5, "handlertaken apart\n")

"""Runs Python code in forks of a process that has already imported the program.

A new interpreter would take longer than most commands.
"""

from __future__ import annotations

import atexit
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import fewest

# Forks a child for each request, and reports the ends of children. A child leaves the loop and executes its code as the
# code of `python -c`, so it ends as such an interpreter ends, and as fast as the program ends (`enable_fast_exit`).
_SERVER = """
from fewest.machine.process_exit import enable_fast_exit
enable_fast_exit()
import contextlib, io, json, os, socket, sys
import fewest.cli.compare, fewest.cli.resume, fewest.cli.solve, fewest.cli.sweep, fewest.commands.resume
import fewest.engines.auto, fewest.engines.external, fewest.engines.sat, fewest.store.goal_distances, fewest.store.plans
import fewest.store.search, fewest.store.spill
from fewest.cli import _run

with contextlib.redirect_stdout(io.StringIO()):
    _run(["explore", "tiles-2x2"])  # this imports everything else that most commands need
server = socket.socket(fileno=int(sys.argv[1]))
while request := server.recv(1 << 16):
    asked = json.loads(request)
    if isinstance(asked, int):
        _, status = os.waitpid(asked, 0)
        server.send(json.dumps(os.waitstatus_to_exitcode(status)).encode())
        continue
    _, pipes, _, _ = socket.recv_fds(server, 1, 2)
    child = os.fork()
    if child == 0:
        break
    for pipe in pipes:
        os.close(pipe)
    server.send(json.dumps(child).encode())
else:
    sys.exit()
server.close()
for number, pipe in enumerate(pipes, 1):
    os.dup2(pipe, number)
    os.close(pipe)
os.chdir(asked["cwd"])
os.environ.clear()
os.environ.update(asked["env"])
sys.argv[1:] = asked["arguments"]
exec(compile(asked["code"], "<string>", "exec"), {"__name__": "__main__"})
"""


@cache
def _server() -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _SERVER, str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            env=os.environ | {"PYTHONPATH": str(Path(fewest.__file__).parents[1])},
        )

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def _number_from_server(request: object, *pipes: int) -> int:
    """The number that the server answers."""
    server = _server()
    server.send(json.dumps(request).encode())
    if pipes:
        socket.send_fds(server, [b"p"], pipes)
    answer = server.recv(1 << 16)
    assert answer, "the process that has imported the program has ended"
    number: int = json.loads(answer)
    return number


class Fork:
    """A child process, with the part of the interface of `subprocess.Popen` that the tests use."""

    def __init__(self, code: str, arguments: tuple[str, ...], cwd: Path, env: Mapping[str, str]):
        self.returncode: int | None = None
        ours, theirs = zip(os.pipe(), os.pipe(), strict=True)
        request = {"code": code, "arguments": arguments, "cwd": str(cwd), "env": dict(env)}
        self.pid = _number_from_server(request, *theirs)
        for pipe in theirs:
            os.close(pipe)
        self._output = {pipe: bytearray() for pipe in ours}
        self._selector = selectors.DefaultSelector()
        for pipe in ours:
            self._selector.register(pipe, selectors.EVENT_READ)

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the end of the process is known."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def poll(self) -> int | None:
        """The exit code if the process has ended, otherwise None."""
        self._read(0)
        if self.returncode is None and not self._selector.get_map():
            self.returncode = _number_from_server(self.pid)
        return self.returncode

    def wait_for(self, text: bytes) -> bool:
        """Wait until the process has written the text to stderr or has ended. Returns whether it has written it."""
        err = list(self._output.values())[1]
        while text not in err and self.poll() is None:
            self._read(1)
        return text in err

    def communicate(self, timeout: float = 300) -> tuple[bytes, bytes]:
        """Wait for the end of the process. Returns its output, and kills it after `timeout` seconds."""
        end = time.monotonic() + timeout
        while self.poll() is None:
            if time.monotonic() > end:
                self.kill()
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            self._read(1)
        out, err = map(bytes, self._output.values())
        return out, err

    def _read(self, seconds: float) -> None:
        """Read output, after waiting for it at most some seconds. The pipes close when the process ends."""
        if not self._selector.get_map():
            return
        for key, _ in self._selector.select(seconds):
            block = os.read(key.fd, 1 << 16)
            self._output[key.fd] += block
            if not block:
                self._selector.unregister(key.fd)
                os.close(key.fd)


def started(
    code: str,
    *arguments: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Fork:
    """A process that executes the code with these arguments, as `python -c` does."""
    return Fork(code, arguments, cwd or Path.cwd(), os.environ if env is None else env)


def finished(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The exit code and the output of a process that executes the code with these arguments."""
    process = started(code, *arguments)
    out, err = process.communicate()
    assert process.returncode is not None
    return subprocess.CompletedProcess(arguments, process.returncode, out.decode(), err.decode())

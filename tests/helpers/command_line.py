"""Runs the program as users run it, in a separate process if the test needs one."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from fewest.cli import _run

EAGER = (
    "from fewest.cli import progress; progress._QUIET_SECONDS = 0.05;"
    "from fewest.__main__ import main; main()"
)
TERMINAL = {"PYTHONIOENCODING": "utf-8", "COLUMNS": "80"}


def run(*args: str) -> subprocess.CompletedProcess[str]:
    """The exit code and output of a command. The command runs in this process, so no other process has to start."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        patch.dict(os.environ, TERMINAL),
        warnings.catch_warnings(),
    ):
        code = _run(list(args))
    texts = []
    for stream in (out, err):
        stream.flush()
        assert isinstance(stream.buffer, io.BytesIO)
        texts.append(stream.buffer.getvalue().decode("utf-8").replace(os.linesep, "\n"))
    return subprocess.CompletedProcess(args, code, *texts)


def run_process(*args: str) -> subprocess.CompletedProcess[str]:
    """The exit code and output of a command in a separate process."""
    return subprocess.run(
        [sys.executable, "-m", "fewest", *args],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **TERMINAL},
        encoding="utf-8",
    )


def without_seconds(text: str) -> str:
    """The output without times."""
    return re.sub(r" *\d+\.\d+( s)?", "", text)


@contextmanager
def begun(
    *args: str,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    is_eager: bool = True,
) -> Iterator[subprocess.Popen[str]]:
    """A running command in a separate session; the command is killed at the end of the block.

    With `is_eager`, the command shows progress after a twentieth of a second instead of a whole second, for tests that
    wait for progress before they interrupt it.
    """
    process = subprocess.Popen(
        [sys.executable, *(["-c", EAGER] if is_eager else ["-m", "fewest"]), *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=env or {**os.environ, **TERMINAL},
        cwd=cwd,
        start_new_session=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()

"""Every engine and store respects `--memory` within a twentieth; the limit includes the interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fewest import search
from fewest.machine.memory import ProcessLimit, left_of, peak_memory

PROGRAM = """
import atexit, sys
from fewest.cli import main
from fewest.machine.memory import peak_memory
from resource import RUSAGE_CHILDREN, getrusage
children = lambda: getrusage(RUSAGE_CHILDREN).ru_maxrss * 1024  # each of them may have as much
atexit.register(lambda: print("peak", max(peak_memory(), children()), file=sys.stderr))
main()
"""
MIB = 1 << 20

# Commands, their limits in MiB, and the reason why each command ends; None means that the memory suffices.
COMMANDS = [
    ("solve fifteen-30 --engine bfs --store hash", 300, "memory"),
    ("solve tiles-3x4 --engine bfs --store hash", 140, "memory"),
    ("explore english --metric jumps --store hash", 300, "memory"),
    ("explore the-time-machine --store hash", 300, "memory"),
    ("explore tiles-3x4 --store auto", 300, None),
    ("explore tiles-2x6 --depth 45 --store disk:store", 300, None),
    ("explore tiles-3x4 --store index", 130, None),
    ("solve fifteen-30 --engine python", 200, "memory"),
    ("solve korf-001 --engine bidirectional", 300, "memory"),
    ("solve korf-001 --engine astar --heuristic abstraction", 300, "memory"),
    ("solve korf-001 --engine astar", 100, None),
    ("solve korf-001 --engine astar --algorithm ida", 200, None),
    ("solve heng-dao-li-ma --engine asp", 100, "memory"),
    ("solve heng-dao-li-ma --engine sat --metric steps", 60, "memory"),
]

# Commands that search several times or do something else, their limits in MiB, and whether the limit ends the command.
OTHERS = [
    ("prove the-time-machine", 300, False),
    ("hint korf-001", 300, True),
    ("oracle build the-time-machine -o x.oracle", 300, True),
    ("compare korf-001 --engines bfs,bidirectional", 300, True),
    ("sweep hanoi disks=14 --engine bfs", 70, True),
    ("sweep hanoi disks=13..14 --engine bfs --jobs 2", 70, True),
]


@pytest.mark.slow
@pytest.mark.skipif(not search.NATIVE, reason="these are the native core's")
@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="nobody says what a process takes"
)
@pytest.mark.parametrize(("call", "limit", "reason"), COMMANDS)
def test_a_process_does_not_exceed_its_memory_limit(
    call: str, limit: int, reason: str | None, tmp_path: Path
) -> None:
    found, peak = answer_and_peak(*call.split(), "--memory", f"{limit}M", folder=tmp_path)
    assert found["reason"] == reason
    assert limit / 4 < peak / MIB <= 1.05 * limit


@pytest.mark.slow
@pytest.mark.skipif(not search.NATIVE, reason="these are the native core's")
@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="nobody says what a process takes"
)
@pytest.mark.parametrize(("call", "limit", "is_stopped"), OTHERS)
def test_other_commands_respect_the_memory_limit_too(
    call: str, limit: int, is_stopped: bool, tmp_path: Path
) -> None:
    found, peak = answer_and_peak(*call.split(), "--memory", f"{limit}M", folder=tmp_path)
    assert ("memory" in reasons(found)) == is_stopped
    assert limit / 4 < peak / MIB <= 1.05 * limit


def reasons(found: Any) -> list[Any]:
    """All values of `reason` in an answer: each explains why a part of the answer stopped early."""
    if isinstance(found, list):
        return [reason for each in found for reason in reasons(each)]
    if not isinstance(found, dict):
        return []
    return [found.get("reason"), *reasons(list(found.values()))]


def answer_and_peak(*words: str, folder: Path) -> tuple[dict[str, Any], int]:
    """The answer of a new process, and its peak memory in bytes."""
    command = [sys.executable, "-P", "-c", PROGRAM, *words, "--json", "--quiet"]
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env={**os.environ, **path}, check=False
    )
    assert done.returncode in (0, 4), done.stderr
    return json.loads(done.stdout), int(done.stderr.split("peak ")[-1])


def test_the_remaining_limit_counts_only_the_memory_of_the_process() -> None:
    assert left_of(None) is None and left_of(1_000_000) == 1_000_000
    large = left_of(ProcessLimit(1 << 50))
    assert large is not None and (1 << 50) - peak_memory() - (32 << 20) <= large < 1 << 50
    assert left_of(ProcessLimit(4_000_000)) == 1_000_000  # the process uses more than the limit

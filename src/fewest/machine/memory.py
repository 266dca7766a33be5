"""How much memory processes take.

Where there is /proc it is asked, since what `getrusage` calls a process's peak begins with the peak of
the process that started it (Linux keeps it across exec).
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

_PROC = Path("/proc")


def peak_memory() -> int:
    """The most bytes that this process has had in memory at any time."""
    found = _status("self")
    return _used(resource.RUSAGE_SELF) if found is None else found[0]


def unseen_memory_of_children() -> int:
    """The most bytes that any ended child had, where `memory_of_tree` could not see it; else 0."""
    return _used(resource.RUSAGE_CHILDREN) if _status("self") is None else 0


def memory_of_tree(pid: int) -> tuple[int, int] | None:
    """What a process and all below it take: the sum of their peaks so far, and of what they have now.

    In bytes; None where the system does not tell. Memory that they share is counted for each.
    """
    found = _status(str(pid))
    if found is None:
        return None
    peak, now = found
    for child in _children(pid):
        below = memory_of_tree(child)
        if below is not None:
            peak, now = peak + below[0], now + below[1]
    return peak, now


def _status(process: str) -> tuple[int, int] | None:
    """Peak and present size; None if there is no such process any more, or no /proc."""
    sizes = {}
    try:
        for line in (_PROC / process / "status").read_bytes().splitlines():
            if line.startswith((b"VmHWM:", b"VmRSS:")):
                name, number, _ = line.split()
                sizes[name] = int(number) * 1024
        return sizes[b"VmHWM:"], sizes[b"VmRSS:"]
    except (OSError, KeyError, ValueError):
        return None


def _children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for thread in (_PROC / str(pid) / "task").iterdir():
            found += map(int, (thread / "children").read_bytes().split())
    except OSError:
        pass  # it has ended meanwhile
    return found


def _used(who: int) -> int:
    return resource.getrusage(who).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

"""How much memory processes take.

Where there is /proc it is asked, since what `getrusage` calls a process's peak begins with the peak of
the process that started it (Linux keeps it across exec).
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from os.path import dirname, join

_PROC = "/proc"
_GROUPS = "/sys/fs/cgroup"
_LATER = 20 << 20  # bytes that NumPy takes, and what looks for symmetries, once a search is long


def memory_to_use() -> int:
    """Four fifths of the memory that is free: a limit is an answer, being killed is not.

    Free is what the machine has left, and the control group of this process, if it is in one with a limit.
    """
    free = [size for size in (_available(), *_left_in_control_groups()) if size is not None]
    return max(64 << 20, int(min(free, default=10 << 30) * 0.8))


class ProcessLimit(int):
    """A limit of memory on all that this process has; a plain number is on what a search takes beside it."""


def left_of(limit: int | None) -> int | None:
    """What may still be taken of a limit, now: of one `OfProcess` the rest, but a quarter at least."""
    if not isinstance(limit, ProcessLimit):
        return limit
    found = _status("self")
    used = _used("RUSAGE_SELF") if found is None else found[1]
    later = 0 if "numpy" in sys.modules else _LATER
    return max(limit // 4, limit - used - later)


def left_beside(limit: int, taken: int) -> int:
    """What may still be taken of a limit, now, beside a search that goes on and has taken so many bytes."""
    if not isinstance(limit, ProcessLimit):
        return max(0, limit - taken)
    found = _status("self")
    return max(0, limit - (_used("RUSAGE_SELF") if found is None else found[1]))


def _available() -> int | None:
    """What the system thinks that new work can have without swapping; else all memory that there is."""
    try:
        for line in _lines(join(_PROC, "meminfo")):
            if line.startswith(b"MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return None


def _left_in_control_groups() -> list[int]:
    """What the limits of this process's control groups (version 2, or 1 as containers have it) leave."""
    folders = [join(_GROUPS, "memory")]
    try:
        for line in _lines(join(_PROC, "self", "cgroup")):
            if line.startswith(b"0::"):
                group = join(_GROUPS, os.fsdecode(line[3:].strip(b"/"))).rstrip("/")
                while len(group) > len(_GROUPS):
                    folders.append(group)
                    group = dirname(group)
                folders.append(_GROUPS)
    except OSError:
        return []
    left: list[int] = []
    for folder in folders:
        for limit, used in (
            ("memory.max", "memory.current"),
            ("memory.limit_in_bytes", "memory.usage_in_bytes"),
        ):
            try:
                most = int(_lines(join(folder, limit))[0])
                left.append(max(0, most - int(_lines(join(folder, used))[0])))
            except (OSError, ValueError, IndexError):  # no such group, or no limit: "max"
                continue
    return left


def _lines(path: str) -> list[bytes]:
    with open(path, "rb") as file:
        return file.read().splitlines()


def limit_memory(most: int) -> None:
    """Let this process have no more than so many bytes, where the system can see to that.

    A limit that is there already (`ulimit -v`) is lowered, never raised.
    """
    try:
        import resource
    except ImportError:
        return
    allowed = memory_allowed()
    if allowed is not None:
        most = min(most, allowed)
    with suppress(ValueError, OSError):  # the system knows better
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def memory_allowed() -> int | None:
    """How many bytes of addresses this process may have (`ulimit -v`); None if nobody says."""
    try:
        import resource
    except ImportError:
        return None
    set_limits = [n for n in resource.getrlimit(resource.RLIMIT_AS) if n != resource.RLIM_INFINITY]
    return min(set_limits, default=None)


def peak_memory() -> int:
    """The most bytes that this process has had in memory at any time."""
    found = _status("self")
    return _used("RUSAGE_SELF") if found is None else found[0]


def unseen_memory_of_children() -> int:
    """The most bytes that any ended child had, where `memory_of_tree` could not see it; else 0."""
    return _used("RUSAGE_CHILDREN") if _status("self") is None else 0


def memory_of_tree(pid: int) -> tuple[int, int] | None:
    """What a process and all below it take: the sum of their peaks so far, and of what they have now.

    In bytes; None where the system does not tell. Memory that they share is counted for each.
    """
    found = _status(str(pid))
    if found is None:
        return None
    peak, now = found
    for child in children_of(pid):
        below = memory_of_tree(child)
        if below is not None:
            peak, now = peak + below[0], now + below[1]
    return peak, now


def _status(process: str) -> tuple[int, int] | None:
    """Peak and present size; None if there is no such process any more, or no /proc."""
    sizes = {}
    try:
        for line in _lines(join(_PROC, process, "status")):
            if line.startswith((b"VmHWM:", b"VmRSS:")):
                name, number, _ = line.split()
                sizes[name] = int(number) * 1024
        return sizes[b"VmHWM:"], sizes[b"VmRSS:"]
    except (OSError, KeyError, ValueError):
        return None


def children_of(pid: int) -> list[int]:
    """The processes that a process has started and that still exist; none where the system does not tell."""
    found: list[int] = []
    try:
        tasks = join(_PROC, str(pid), "task")
        for thread in os.listdir(tasks):
            for line in _lines(join(tasks, thread, "children")):
                found += map(int, line.split())
    except OSError:
        pass  # it has ended meanwhile
    return found


def _used(who: str) -> int:
    import resource  # which not every system has

    most = resource.getrusage(getattr(resource, who)).ru_maxrss
    return most * (1 if sys.platform == "darwin" else 1024)

"""The memory of processes.

The module prefers /proc to `getrusage`: the peak that `getrusage` reports begins at the peak of the parent (Linux does
not reset it at exec).
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from os.path import dirname, join

_PROC = "/proc"
_GROUPS = "/sys/fs/cgroup"
# the number of bytes that NumPy and the symmetry analysis will need later in a long search
_LATER = 20 << 20


def memory_to_use() -> int:
    """Four fifths of the free memory, but at least 64 MiB. A search that stops at this limit returns an answer; a
    search that the system kills does not.

    This is the free memory of the machine or, if the control group of this process has a limit, that of the group.
    """
    free = [size for size in (_available(), *_left_in_control_groups()) if size is not None]
    return max(64 << 20, int(min(free, default=10 << 30) * 0.8))


class ProcessLimit(int):
    """A memory limit for the whole process. (A plain number limits only the additional memory of a search.)"""


def left_of(limit: int | None) -> int | None:
    """The part of a limit that is still free. For a `ProcessLimit`, this is the unused part, but at least a quarter of
    the limit. Other limits, and None, are returned unchanged.
    """
    if not isinstance(limit, ProcessLimit):
        return limit
    status = _status("self")
    used = _used("RUSAGE_SELF") if status is None else status[1]
    later = 0 if "numpy" in sys.modules else _LATER
    return max(limit // 4, limit - used - later)


def _available() -> int | None:
    """The system's estimate of how much memory new work can use without swapping; if there is no estimate, the whole
    memory.
    """
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
    """The free memory within the limits of this process's control groups (version 2, or version 1 in containers)."""
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
            # there is no such group, or it has no limit ("max")
            except (OSError, ValueError, IndexError):
                continue
    return left


def _lines(path: str) -> list[bytes]:
    with open(path, "rb") as file:
        return file.read().splitlines()


def limit_memory(most: int) -> None:
    """Limit the memory of this process, if the system supports this.

    The function may lower an existing limit (`ulimit -v`), but never raises it.
    """
    try:
        import resource
    except ImportError:
        return
    allowed = memory_allowed()
    if allowed is not None:
        most = min(most, allowed)
    with suppress(ValueError, OSError):  # the system may refuse the limit
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def memory_allowed() -> int | None:
    """The limit on the address space of this process (`ulimit -v`), in bytes; None if there is no limit."""
    try:
        import resource
    except ImportError:
        return None
    set_limits = [n for n in resource.getrlimit(resource.RLIMIT_AS) if n != resource.RLIM_INFINITY]
    return min(set_limits, default=None)


def peak_memory() -> int:
    """The peak memory of this process, in bytes."""
    status = _status("self")
    return _used("RUSAGE_SELF") if status is None else status[0]


def unseen_memory_of_children() -> int:
    """If `memory_of_tree` cannot measure ended children, their peak memory in bytes; otherwise 0."""
    return _used("RUSAGE_CHILDREN") if _status("self") is None else 0


def memory_of_tree(pid: int) -> tuple[int, int] | None:
    """The memory of a process and all its descendants: the sum of their peaks, and the sum of their current sizes.

    Both are in bytes; None if the system does not provide these numbers. Shared memory is counted once for each
    process.
    """
    status = _status(str(pid))
    if status is None:
        return None
    peak, now = status
    for child in children_of(pid):
        below = memory_of_tree(child)
        if below is not None:
            peak, now = peak + below[0], now + below[1]
    return peak, now


def _status(process: str) -> tuple[int, int] | None:
    """The peak and the current size of a process; None if the process has ended or /proc does not exist."""
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
    """The processes that a process has started and that still exist; empty if the system cannot list them."""
    found: list[int] = []
    try:
        tasks = join(_PROC, str(pid), "task")
        for thread in os.listdir(tasks):
            for line in _lines(join(tasks, thread, "children")):
                found += map(int, line.split())
    except OSError:
        pass  # the process has ended in the meantime
    return found


def _used(process: str) -> int:
    import resource  # imported late, because some systems do not have it

    most = resource.getrusage(getattr(resource, process)).ru_maxrss
    return most * (1 if sys.platform == "darwin" else 1024)

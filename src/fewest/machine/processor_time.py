"""The CPU seconds (user and system time) of a process and of all its descendants.

`resource` counts this process and those of its children that have ended. A child that is still running has a CPU clock
of its own, which other processes can read only on Linux. On other systems, a child is counted only after it has ended.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress

from fewest.machine.memory import children_of

_CPU_CLOCK = 2  # Linux's CPUCLOCK_SCHED, which counts the nanoseconds of all threads of a process.
# The positions of cutime and cstime in /proc/PID/stat, counted after the name and the state.
_CHILDREN_FIELDS = slice(13, 15)


def processor_seconds() -> float:
    """The CPU seconds that this process, its ended children and its living descendants have used."""
    total = time.process_time() + _ended_children()
    return total + sum(processor_seconds_of(child) for child in children_of(os.getpid()))


def processor_seconds_of(pid: int) -> float:
    """The CPU seconds of another process and its children; 0 if the system does not provide this time."""
    total = 0.0
    # the process may have ended, or this system may have no such clock
    with suppress(OSError, AttributeError):
        total += time.clock_gettime((~pid << 3) | _CPU_CLOCK)
    with suppress(OSError, ValueError, IndexError):
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        total += sum(map(int, fields[_CHILDREN_FIELDS])) / os.sysconf("SC_CLK_TCK")
    return total + sum(processor_seconds_of(child) for child in children_of(pid))


def _ended_children() -> float:
    try:
        import resource
    except ImportError:
        return 0.0
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def processors() -> tuple[int, ...]:
    """The numbers of the processors that this process may use; empty if the system does not provide them."""
    if not hasattr(os, "sched_getaffinity"):
        return ()
    return tuple(sorted(os.sched_getaffinity(0)))


def stay_on(processor: int | None) -> None:
    """Run this process, and all processes that it starts later, only on this processor; None changes nothing."""
    if processor is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {processor})

"""The computer that runs this process: processor, memory, operating system."""

from __future__ import annotations

import os
import platform
from contextlib import suppress

from msgspec import Struct

from fewest.machine.processor_time import processors


class Host(Struct, frozen=True):
    """The properties of a computer that influence measurements.

    - `cpu`: the model of the processor. `cores`: the number of processors of the system; `usable`: the number of those
      that this process may use.
    - `memory`: the amount of memory in bytes; None if unknown.
    - `system`: the operating system and its version. `python`: the interpreter and its version.
    """

    cpu: str
    cores: int
    usable: int
    memory: int | None
    system: str
    python: str


def host() -> Host:
    """This computer."""
    cores = os.cpu_count() or 1
    return Host(
        _model(),
        cores,
        len(processors()) or cores,
        _memory(),
        _system(),
        f"{platform.python_implementation()} {platform.python_version()}",
    )


def _model() -> str:
    with (
        suppress(OSError),
        open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file,
    ):
        for line in file:
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine() or "unknown"


def _memory() -> int | None:
    with suppress(ValueError, OSError, AttributeError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return None


def _system() -> str:
    name = f"{platform.system()} {platform.release()}"
    with suppress(OSError, AttributeError):
        name = f"{platform.freedesktop_os_release()['PRETTY_NAME']}, {name}"
    return name

"""Executes the runs of a comparison, each in a separate process: a fixed number at a time on this machine, or
elsewhere, with a `ParallelMap`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from multiprocessing.connection import wait
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from fewest.commands.compare.entry import Entry
from fewest.commands.compare.process import INTERVAL, EngineProcess
from fewest.commands.compare.provenance import Provenance, provenance
from fewest.commands.compare.worker import CompareRequest
from fewest.errors import UsageError
from fewest.machine.processes import KilledProcess, ParallelMap
from fewest.machine.processor_time import processors


def places(jobs: int | None) -> list[int | None]:
    """The processor of each job. If no number of jobs is given, there is one job, on any processor.

    Raises UsageError if there are more jobs than processors, because runs that share a processor distort each other's
    measurements.
    """
    if jobs is None:
        return [None]
    usable = processors()
    if not usable:  # on this operating system, a process cannot choose its processors
        return [None] * jobs
    if jobs > len(usable):
        raise UsageError(
            f"{jobs} jobs need {jobs} processors, but this process may use only {len(usable)}",
            hint=f"use --jobs {len(usable)}",
        )
    return list(usable[:jobs])


def execute(
    requests: Sequence[CompareRequest],
    slots: Sequence[int | None],
    progress: Callable[[int, Any], None] | None = None,
) -> Generator[tuple[int, Entry], None, None]:
    """Yields `(index, entry)` for every request when its run finishes; the runs start in the order of the requests.

    A slot is a processor that one run at a time uses, or None for any processor. After Ctrl-C, the function yields the
    entries of the running processes, with their proved bounds, and then raises KeyboardInterrupt.
    """
    free = list(reversed(slots))
    running: dict[int, tuple[EngineProcess, int | None]] = {}
    following = 0
    try:
        try:
            while following < len(requests) or running:
                while following < len(requests) and free:
                    slot = free.pop()
                    process = EngineProcess(replace(requests[following], processor=slot))
                    running[following] = (process, slot)
                    following += 1
                wait([process.connection for process, _ in running.values()], INTERVAL)
                for index, (process, slot) in list(running.items()):
                    entry = process.step(None if progress is None else _bound(progress, index))
                    if entry is not None:
                        process.close()
                        del running[index]
                        free.append(slot)
                        yield index, entry
        except KeyboardInterrupt:
            for index, (process, _) in list(running.items()):
                entry = process.interrupt()
                process.close()
                del running[index]
                yield index, entry
            raise
    finally:
        for process, _ in running.values():
            with suppress(OSError):
                process.close()


def _bound(progress: Callable[[int, Any], None], index: int) -> Callable[[Any], None]:
    return lambda found: progress(index, found)


class Measured(Struct, frozen=True):
    """The entry of a run, and the provenance of its measurement."""

    entry: Entry
    origin: Provenance


def measured(item: tuple[CompareRequest, tuple[str, ...]], _: Callable[[Any], None]) -> Measured:
    """The entry for a request, computed in a child process, and its provenance. The item consists of the request and
    the names of all engines, because the provenance contains their versions.

    After Ctrl-C, the entry contains the proved bounds.
    """
    request, names = item
    with EngineProcess(request) as process:
        try:
            entry = process.answer()
        except KeyboardInterrupt:
            entry = process.interrupt()
    return Measured(entry, provenance(names))


def execute_by(
    parallel_map: ParallelMap, requests: Sequence[CompareRequest], names: Sequence[str]
) -> Generator[tuple[int, Entry, Provenance | None], None, None]:
    """Like `execute`, but other workers compute the entries, and each entry comes with its provenance.

    The provenance is None if the worker of the run was killed.
    """
    items = [(request, tuple(names)) for request in requests]
    with closing(parallel_map(measured, items, None)) as answers:
        for index, answer in answers:
            if isinstance(answer, Measured):
                yield index, answer.entry, answer.origin
            else:
                yield index, _killed(requests[index], answer), None


def _killed(request: CompareRequest, killed: KilledProcess) -> Entry:
    return Entry(
        request.engine.name,
        "limit",
        reason="killed",
        seconds=killed.seconds,
        time_limit=request.limits.seconds,
        memory_limit=None if request.limits.memory is None else int(request.limits.memory),
        repeat=request.repeat,
    )

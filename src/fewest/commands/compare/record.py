"""The records of a comparison: one JSON line for each finished run, in a folder from which `fewest resume` can
continue.

`compare.json` contains the suite; every change rewrites the whole file. `runs.jsonl` contains the records of the runs.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from fewest.commands.checkpoint_folder import contains_query, opened_folder
from fewest.commands.compare.engine_spec import CERTIFICATE
from fewest.commands.compare.entry import Entry, KnownAnswer
from fewest.commands.compare.provenance import CODE, Provenance, programs_of
from fewest.commands.compare.suite import Instance, Suite
from fewest.commands.compare.worker import CompareRequest
from fewest.commands.record_file import CheckedRecord, RecordFile
from fewest.engines.registry import engine_of
from fewest.model.answer import Horizon
from fewest.planning.sat.solver import CONFIGURABLE
from fewest.store.metadata import other_version, read_checked, write_checked
from fewest.version import __version__

FORMAT = 1
NAME = "compare.json"
RUNS = "runs.jsonl"
_HINT = "start again in another folder"


class RunRecord(CheckedRecord, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One run: the instance with its hash, its known answer, the engine's entry, and the provenance of the measurement.

    `run` is the version of this format. A cost is a number, or a list for a metric of several parts. Times are in
    seconds, and memory is in bytes.
    """

    run: Literal[1] = 1
    puzzle: str
    title: str
    parameters: dict[str, int]
    metric: str
    instance: str
    known: KnownAnswer | None
    entry: Entry
    provenance: Provenance

    def answers(self, instance: Instance, request: CompareRequest, provenance: Provenance) -> bool:
        """Whether executing this request would repeat the measurement of this record; `provenance` is that of new
        measurements.

        A run with another puzzle, engine, repeat or seed is a different run; so is a run with another version or other
        code of this package, another version of the engine's package or of its solver, or a changed encoding profile.
        Limits are compared only if a limit stopped the engine. If the request requires a certificate, a record of a
        proven answer without a certificate is a different run, too.
        """
        entry, blank = self.entry, instance.blank
        if (self.puzzle, self.instance) != (blank.puzzle, blank.instance):
            return False
        if (entry.engine, entry.repeat) != (request.engine.name, request.repeat):
            return False
        is_seeded = entry.seed is not None or _takes_seed(request.engine.engine, entry)
        if is_seeded and entry.seed != request.seed:
            return False
        if entry.reason == "time" and entry.time_limit != request.limits.seconds:
            return False
        if entry.reason == "memory" and entry.memory_limit != request.limits.memory:
            return False
        if request.certifies and entry.is_proven and entry.certified is None:
            return False
        solver = str(entry.statistics.get("solver_version", ""))  # such as "clingo 5.7.1"
        programs = {"fewest", CODE, solver.rpartition(" ")[0], *programs_of(request.engine.name)}
        own = self.provenance.versions
        return all(own.get(name) == provenance.versions.get(name) for name in programs)


def _takes_seed(name: str, entry: Entry) -> bool:
    """Whether the run in this entry used a seed. If it did, an entry without a seed comes from the default seed.

    If the engine reports the configuration of a solver, the seed is an option of this solver, and only some solvers
    have this option.
    """
    if name == CERTIFICATE or "seed" not in engine_of(name).options or not entry.statistics:
        return False
    solver = entry.statistics.get("solver")
    return solver in ("clingo", *CONFIGURABLE) or "configuration" not in entry.statistics


class RunFile(RecordFile[RunRecord]):
    """The file of a comparison, opened to append records; see `RecordFile`."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, RunRecord, b'{"run":1,', "a comparison", _HINT)


def record_of(instance: Instance, entry: Entry, where: Provenance) -> RunRecord:
    """The record of a finished run."""
    blank = instance.blank
    return RunRecord(
        puzzle=blank.puzzle,
        title=blank.title,
        parameters=dict(blank.parameters),
        metric=blank.metric,
        instance=blank.instance,
        known=blank.known,
        entry=entry,
        provenance=where,
    )


def entry_of(record: RunRecord) -> Entry:
    """The entry in a record, with its horizons as `Horizon` objects, as the engine reported them."""
    statistics: dict[str, Any] = dict(record.entry.statistics)
    if "horizons" in statistics:
        statistics["horizons"] = msgspec.convert(statistics["horizons"], list[Horizon])
    return replace(record.entry, statistics=statistics)


class _Query(Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of `compare.json`; the file names of the suite are relative to `folder`."""

    format: int
    made_by: str
    suite: Suite
    folder: str | None
    has_report: bool


def is_compare_checkpoint(folder: str | Path) -> bool:
    """Whether the folder contains a comparison."""
    return contains_query(folder, NAME)


def read_query(folder: str | Path) -> tuple[Suite, Path | None, bool]:
    """The suite of the comparison in a folder, the folder for the suite's relative file names, and whether a report was
    requested.

    Raises StoreError if the comparison is missing or damaged, or if its file has another format number.
    """
    record = read_checked(Path(folder), NAME, _Query, FORMAT)
    return record.suite, None if record.folder is None else Path(record.folder), record.has_report


def recorded_runs(
    folder: str | Path, suite: Suite, base_folder: Path | None, *, has_report: bool = False
) -> AbstractContextManager[RunFile]:
    """A context with the file of the runs of a suite. The folder is created if necessary; if it already contains a
    comparison, this comparison is continued.

    `base_folder`: the folder for the suite's relative file names. Raises UsageError if `folder` is a URL, and
    StoreError if the folder contains anything else, is damaged, comes from another version, is in use by another
    process, or cannot be written.
    """
    made_by = f"fewest {__version__}"
    folder_text = None if base_folder is None else str(base_folder.absolute())
    query = _Query(FORMAT, made_by, suite, folder_text, has_report)

    def save(folder: Path) -> None:
        if is_compare_checkpoint(folder):
            before = read_checked(folder, NAME, _Query, FORMAT)
            if before.made_by != made_by:
                raise other_version(folder, before.made_by)
        write_checked(folder / NAME, query)

    return opened_folder(
        folder,
        NAME,
        "comparison",
        save_query=save,
        open_records=lambda folder: RunFile(folder / RUNS),
    )

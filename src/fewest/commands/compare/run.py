"""Runs every engine on every instance, and collects the answers.

`compare` takes the puzzles, engines and metrics as arguments, and `compare_suite` takes a suite. Unless the suite
specifies a number of jobs, or `parallel_map` executes the runs, only one run executes at a time, so that runs do not
slow each other down.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from fewest.commands.compare import text as _shown  # noqa: F401 - registers how notebooks display comparisons
from fewest.commands.compare.engine_spec import parse_engine_spec
from fewest.commands.compare.entry import Comparison, Entry
from fewest.commands.compare.provenance import Provenance, now, provenance
from fewest.commands.compare.record import RunFile, entry_of, record_of, recorded_runs
from fewest.commands.compare.runner import execute, execute_by, places
from fewest.commands.compare.suite import (
    DEFAULT_ENGINES,
    Instance,
    PuzzleChoice,
    Suite,
    check_numbers,
    engines_of,
    instances,
)
from fewest.commands.compare.worker import CompareRequest
from fewest.commands.texts import texts
from fewest.errors import Exit, UsageError
from fewest.machine.processes import ParallelMap
from fewest.model.answer import LimitReached, Limits
from fewest.model.notebook_repr import html_of

_EXITS = {
    "decided": Exit.ANSWERED,
    "disagreement": Exit.FAILED,
    "refused": Exit.USAGE,
    "invalid": Exit.BAD_INPUT,
    "open": Exit.LIMIT,
    "failed": Exit.BUG,
    "nothing": Exit.INTERRUPTED,
}


class Comparisons(Struct, frozen=True):
    """The comparisons that have results. `num_planned` is the number of planned runs. `stopped` is the reason why the
    comparison ended early, "interrupted" or "disk" (the disk is full); None if it did not.
    """

    comparisons: tuple[Comparison, ...]
    num_planned: int
    stopped: str | None = None
    provenance: Provenance | None = None

    def __repr__(self) -> str:
        return f"<Comparisons: {len(self.comparisons)}, {self.verdict}>"

    def _repr_html_(self) -> str:
        return "".join(html_of(comparison) or "" for comparison in self.comparisons)

    @property
    def is_interrupted(self) -> bool:
        """Whether the comparison ended early."""
        return self.stopped is not None

    @property
    def num_finished(self) -> int:
        """The number of runs that ended without an interruption."""
        return sum(
            entry.reason != "interrupted"
            for comparison in self.comparisons
            for entry in comparison.entries
        )

    @property
    def verdict(self) -> str:
        """The worst result, which is the first in this list that applies.

        `disagreement` (two answers contradict each other), `failed` (an engine failed), `invalid` (a puzzle cannot be
        grounded), `nothing` (the comparison ended early, without any result), `open` (the comparison ended early, or an
        instance has no proof), `refused` (every engine refused every instance), or `decided`.
        """
        entries = [entry for comparison in self.comparisons for entry in comparison.entries]
        statuses = {entry.status for entry in entries}
        if any(comparison.disagreements for comparison in self.comparisons):
            return "disagreement"
        for bad in ("failed", "invalid"):
            if bad in statuses:
                return bad
        if self.is_interrupted:
            is_known = self.num_finished or any(entry.lower_bound is not None for entry in entries)
            return "open" if is_known else "nothing"
        if statuses <= {"refused"}:
            return "refused"
        return (
            "decided" if all(comparison.is_decided for comparison in self.comparisons) else "open"
        )

    @property
    def exit_code(self) -> Exit:
        """The exit code for the verdict."""
        return _EXITS[self.verdict]


ProgressReport = Callable[[Comparison, str, Any], None]
"""A function that is called with the instance (a comparison without entries), the name of the engine, and the engine's
message.
"""


def compare(
    puzzles: str | Path | Sequence[str | Path],
    engines: str | Sequence[str] = DEFAULT_ENGINES,
    metrics: str | Sequence[str] = (),
    *,
    parameters: Mapping[str, int] | None = None,
    seconds: float | None = None,
    memory: int | None = None,
    repeats: int = 1,
    seed: int | None = None,
    jobs: int | None = None,
    certify: str | Sequence[str] = (),
    checkpoint: str | Path | None = None,
    progress: ProgressReport | None = None,
    on_comparison: Callable[[Comparison], None] | None = None,
) -> Comparisons:
    """The answer of each engine to each puzzle in each metric. `metrics` may be or contain "all"; if it is empty, the
    default metric of each puzzle is used. A single puzzle, engine or metric needs no list.

    The limits apply to each run: `seconds` of wall-clock time, `memory` in bytes. `parameters` apply to every puzzle.
    `Suite` describes `repeats`, `seed`, `jobs` and `certify`; `compare_suite` describes `checkpoint`, `progress` and
    `on_comparison`. After Ctrl-C, the result contains the finished runs, and the bounds that interrupted runs have
    proved.

    Raises UsageError for unknown names and unusable settings, DocumentError, NotFoundError, TimeLimitError (if reading
    a puzzle takes longer than `seconds`), and StoreError if the checkpoint is unusable, all before the first engine
    starts. Raises OSError if the checkpoint cannot be written later.
    """
    suite = suite_of(
        puzzles,
        engines,
        metrics,
        parameters=parameters,
        seconds=seconds,
        memory=memory,
        repeats=repeats,
        seed=seed,
        jobs=jobs,
        certify=certify,
    )
    return compare_suite(
        suite, checkpoint=checkpoint, progress=progress, on_comparison=on_comparison
    )


def suite_of(
    puzzles: str | Path | Sequence[str | Path],
    engines: str | Sequence[str],
    metrics: str | Sequence[str],
    *,
    parameters: Mapping[str, int] | None = None,
    seconds: float | None = None,
    memory: int | None = None,
    repeats: int = 1,
    seed: int | None = None,
    jobs: int | None = None,
    certify: str | Sequence[str] = (),
) -> Suite:
    """The suite that the arguments of `compare` describe."""
    refs = (puzzles,) if isinstance(puzzles, (str, Path)) else puzzles
    return Suite(
        tuple(PuzzleChoice(str(ref), None, dict(parameters or {})) for ref in refs),
        texts(engines),
        texts(metrics),
        time=seconds,
        memory=memory,
        repeats=repeats,
        seed=seed,
        jobs=jobs,
        certify=texts(certify),
    )


def compare_suite(
    suite: Suite,
    folder: Path | None = None,
    *,
    checkpoint: str | Path | None = None,
    query: Suite | None = None,
    has_report: bool = False,
    parallel_map: ParallelMap | None = None,
    progress: ProgressReport | None = None,
    on_comparison: Callable[[Comparison], None] | None = None,
) -> Comparisons:
    """The answers to all instances of a suite; file names in the suite are relative to `folder`.

    `query`: the suite as the user wrote it, if `suite` contains limits that come from this machine; `has_report`:
    whether the user requested a report. `fewest resume` reads both from the checkpoint. `checkpoint`: a folder with a
    record of every finished run; recorded runs are not repeated. `parallel_map`: executes the runs elsewhere, such as
    `cluster.tasks.on_cluster`; it determines the number of simultaneous runs. `progress` is called with each message
    of an engine, unless `parallel_map` executes the runs. `on_comparison` is called with each comparison as soon as it
    is complete; after an interruption, it is also called with incomplete comparisons. Raises the same errors as
    `compare`.
    """
    check_numbers(suite)
    all_instances = instances(suite, folder)
    runs = _runs(suite, all_instances)
    slots = () if parallel_map is not None else places(suite.jobs)
    if checkpoint is not None and any(instance.text is not None for instance in all_instances):
        raise UsageError(
            "a checkpoint needs puzzles in files", hint="save the piped puzzle to a file first"
        )
    checkpoint_file = (
        nullcontext()
        if checkpoint is None
        else recorded_runs(checkpoint, query or suite, folder, has_report=has_report)
    )
    with checkpoint_file as file:
        collector = _Collector(all_instances, runs, engines_of(suite), file, on_comparison)
        return collector.collect(slots, parallel_map, progress)


class _Run(Struct, frozen=True):
    """A request; `instance` is the index of its instance."""

    instance: int
    request: CompareRequest


def _runs(suite: Suite, instances: Sequence[Instance]) -> list[_Run]:
    """All runs in the order in which they start; a seed makes the order random."""
    names = engines_of(suite)
    specs = [parse_engine_spec(name) for name in names]
    if not specs:
        raise UsageError(
            "there is no engine to compare",
            hint=f"name engines, such as {','.join(DEFAULT_ENGINES)}",
        )
    for name in suite.certify:
        if name not in names and name != "all":
            raise UsageError(
                f"`{name}` is not one of the compared engines", hint=f"use --certify {names[0]}"
            )
    limits = Limits(suite.time, suite.memory)
    runs = [
        _Run(
            number,
            CompareRequest(
                instance.ref,
                instance.parameters,
                instance.blank.metric,
                spec,
                limits,
                instance.text,
                repeat,
                None if suite.seed is None else suite.seed + repeat - 1,
                None,
                spec.name in suite.certify or "all" in suite.certify,
            ),
        )
        for number, instance in enumerate(instances)
        for spec in specs
        for repeat in range(1, suite.repeats + 1)
    ]
    if suite.seed is not None:
        random.Random(suite.seed).shuffle(runs)
    return runs


class _Collector:
    """The entries of the runs, keyed by the number of the run, and the comparisons built from them."""

    def __init__(
        self,
        instances: Sequence[Instance],
        runs: Sequence[_Run],
        names: Sequence[str],
        file: RunFile | None,
        on_comparison: Callable[[Comparison], None] | None,
    ) -> None:
        self.instances, self.runs, self.file, self.on_comparison = (
            instances,
            runs,
            file,
            on_comparison,
        )
        self.names = names
        self.where = provenance(names)
        self.entries: dict[int, Entry] = {}
        # Like `entries`, this map is indexed by the number of the run. A run has an origin only if another computer,
        # other programs or an earlier command executed it.
        self.origins: dict[int, Provenance] = {}
        self.left = [0] * len(instances)
        self.runs_of_instance: list[list[int]] = [[] for _ in instances]
        for number, run in enumerate(runs):
            self.left[run.instance] += 1
            self.runs_of_instance[run.instance].append(number)
        self.shown: dict[int, Comparison] = {}

    def collect(
        self,
        slots: Sequence[int | None],
        parallel_map: ParallelMap | None,
        progress: ProgressReport | None,
    ) -> Comparisons:
        """Execute the runs that have no record, with `parallel_map` or in these slots, and return all comparisons."""
        self._recall()
        todo = [number for number in range(len(self.runs)) if number not in self.entries]

        def report(index: int, found: Any) -> None:
            run = self.runs[todo[index]]
            if progress is not None:
                progress(self.instances[run.instance].blank, run.request.engine.name, found)

        stopped = None
        try:
            requests = [self.runs[number].request for number in todo]
            with closing(self._answers(requests, slots, parallel_map, report)) as answers:
                for index, entry, origin in answers:
                    self._take(todo[index], entry, origin)
        except KeyboardInterrupt:
            stopped = "interrupted"
        except LimitReached as limit:  # the disk is full
            stopped = limit.reason
        for instance in range(len(self.instances)):
            self._show(instance)
        shown = tuple(self.shown[number] for number in sorted(self.shown))
        return Comparisons(shown, len(self.runs), stopped, self.where)

    def _answers(
        self,
        requests: Sequence[CompareRequest],
        slots: Sequence[int | None],
        parallel_map: ParallelMap | None,
        report: Callable[[int, Any], None],
    ) -> Generator[tuple[int, Entry, Provenance | None], None, None]:
        if parallel_map is not None:
            yield from execute_by(parallel_map, requests, self.names)
            return
        with closing(execute(requests, slots, report)) as answers:
            for index, entry in answers:
                yield index, entry, None

    def _recall(self) -> None:
        """Take the entries of recorded runs from the file."""
        records: dict[tuple[str, str], list[Any]] = {}
        for record in () if self.file is None else self.file.records:
            records.setdefault((record.instance, record.entry.engine), []).append(record)
        for number, run in enumerate(self.runs):
            instance = self.instances[run.instance]
            for record in records.get((instance.blank.instance, run.request.engine.name), ()):
                if record.answers(instance, run.request, self.where):
                    self.entries[number] = entry_of(record)
                    self.origins[number] = record.provenance
                    self.left[run.instance] -= 1
                    break
        for index, left in enumerate(self.left):
            if not left:
                self._show(index)

    def _take(self, number: int, entry: Entry, origin: Provenance | None) -> None:
        run = self.runs[number]
        where = replace(origin or self.where, command=self.where.command, date=now())
        if self.file is not None and entry.reason not in ("interrupted", "killed"):
            self.file.append(record_of(self.instances[run.instance], entry, where))
        self.entries[number] = entry
        if not where.is_like(self.where):
            self.origins[number] = where
        self.left[run.instance] -= 1
        if not self.left[run.instance]:
            self._show(run.instance)

    def _show(self, index: int) -> None:
        """Build and report the comparison of the instance `index` from its entries so far, if there are any and this
        has not been done before.
        """
        numbers = [number for number in self.runs_of_instance[index] if number in self.entries]
        if index in self.shown or not numbers:
            return
        numbers.sort(
            key=lambda n: (self.names.index(self.entries[n].engine), self.entries[n].repeat)
        )
        origins = tuple(self.origins.get(number) for number in numbers)
        self.shown[index] = replace(
            self.instances[index].blank,
            entries=tuple(self.entries[number] for number in numbers),
            origins=origins if any(origins) else (),
        )
        if self.on_comparison is not None:
            self.on_comparison(self.shown[index])

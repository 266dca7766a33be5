"""Comparisons run suites: they measure CPU seconds, record every run, and can be resumed."""

from __future__ import annotations

import csv
import os
import shutil
import signal
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from fewest.commands.compare import Suite, compare, compare_suite, read_suite
from fewest.commands.compare.data import rows
from fewest.commands.compare.engine_spec import parse_engine_spec
from fewest.commands.compare.process import EngineProcess
from fewest.commands.compare.provenance import code_hash, provenance
from fewest.commands.compare.record import RUNS, RunRecord, read_query
from fewest.commands.compare.report import write_report
from fewest.commands.compare.run import Comparisons
from fewest.commands.compare.suite import PuzzleChoice
from fewest.commands.compare.worker import CompareRequest
from fewest.machine.processes import Function, KilledProcess, Report
from fewest.machine.processor_time import processors
from fewest.machine.resources import encoding_folder
from fewest.model.answer import Limits
from fewest.planning.sat.profile import profiles
from fewest.store.error_translation import StoreError
from tests.commands.compare.suite_cases import FOUND
from tests.helpers.command_line import run
from tests.helpers.effort import wait_until

SUITE = """
title: a small one
engines: [bfs, python]
time: 20
seed: 3
puzzles:
  - jugs
  - {puzzle: hanoi, parameters: {disks: 1..2}}
"""


@pytest.fixture
def suite_file(tmp_path: Path) -> Path:
    path = tmp_path / "small.yaml"
    path.write_text(SUITE)
    return path


def records(folder: Path) -> list[RunRecord]:
    lines = (folder / RUNS).read_bytes().splitlines()
    return [msgspec.json.decode(line, type=RunRecord) for line in lines]


def test_cpu_seconds_are_divided_into_phases_and_solvers_are_named() -> None:
    done = compare(["hanoi"], ["bfs", "sat::cadical195", "asp"], seconds=60, memory=2 << 30, seed=5)
    assert done.provenance is not None
    assert {"fewest", "fewest-code", "clingo", "python-sat", "numpy"} == set(
        done.provenance.versions
    )
    for entry in done.comparisons[0].entries:
        cpu = entry.cpu
        assert cpu.grounding is not None and cpu.grounding > 0
        assert cpu.solving is not None and cpu.validation is not None and cpu.validation > 0
        assert cpu.engine == (cpu.encoding or 0.0) + cpu.solving
        assert (entry.time_limit, entry.memory_limit) == (60, 2 << 30)
        is_planner = entry.engine != "bfs"
        assert (cpu.encoding is not None and cpu.encoding > 0) == is_planner
        assert ("solver_version" in entry.statistics) == is_planner
        assert entry.seed == (5 if is_planner else None)
        assert ("seed=5" in entry.statistics.get("configuration", "")) == is_planner


@pytest.mark.usefixtures("engines_here")
def test_the_configuration_of_clingo_is_the_one_that_is_compared() -> None:
    done = compare(["jugs"], ["asp", "asp::trendy"], seconds=60)
    configurations = [entry.statistics["configuration"] for entry in done.comparisons[0].entries]
    assert configurations == ["--configuration=tweety", "--configuration=trendy"]
    assert done.comparisons[0].minimum == 6


def test_cpu_seconds_of_a_stopped_engine_are_those_until_its_end() -> None:
    done = compare(["fifteen-30"], ["python"], seconds=0.3)
    (entry,) = done.comparisons[0].entries
    assert (entry.status, entry.reason) == ("limit", "time")
    assert entry.cpu.engine is not None and 0.02 < entry.cpu.engine < 5


@pytest.mark.usefixtures("engines_here")
def test_a_checkpoint_has_a_record_of_every_run_and_no_run_is_repeated(
    suite_file: Path, tmp_path: Path
) -> None:
    suite, _ = read_suite(suite_file)
    folder = tmp_path / "saved"
    done = compare_suite(replace(suite, repeats=2), checkpoint=folder)
    found = records(folder)
    assert len(found) == done.num_planned == 12
    assert {(r.entry.engine, r.entry.repeat) for r in found} == {
        (engine, repeat) for engine in ("bfs", "python") for repeat in (1, 2)
    }
    order = [(r.puzzle, r.parameters, r.entry.engine) for r in found]
    assert order != sorted(order, key=str)  # the order is random and depends on a seed
    size = (folder / RUNS).stat().st_size
    again = compare_suite(replace(suite, repeats=2), checkpoint=folder)
    assert (folder / RUNS).stat().st_size == size
    assert [c.entries for c in again.comparisons] == [c.entries for c in done.comparisons]
    dates = {(r.instance, r.entry.engine, r.entry.repeat): r.provenance.date for r in found}
    for one in again.comparisons:  # each row keeps the date of its measurement
        for each, origin in zip(one.entries, one.origins, strict=True):
            assert origin is not None
            assert origin.date == dates[one.instance, each.engine, each.repeat]
    assert [e.repeat for e in again.comparisons[0].entries] == [1, 2, 1, 2]


@pytest.mark.usefixtures("engines_here")
def test_an_interrupted_comparison_is_continued_by_resume(
    suite_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "report"
    monkeypatch.setattr("sys.argv", ["fewest", "compare", "--suite", "small.yaml"])
    first = run("compare", "--suite", str(suite_file), "-o", str(folder))
    assert first.returncode == 0, first.stderr
    lines = (folder / RUNS).read_bytes().splitlines(keepends=True)
    (folder / RUNS).write_bytes(b"".join(lines[:3]) + lines[3][:50])  # as after a power failure
    (folder / "report.html").unlink()
    monkeypatch.setattr("sys.argv", ["fewest", "resume", "report"])
    again = run("resume", str(folder))
    assert again.returncode == 0, again.stderr
    assert len(records(folder)) == 6
    assert (folder / RUNS).read_bytes().startswith(b"".join(lines[:3]))
    assert (folder / "report.html").exists()
    assert again.stdout.splitlines()[0].split()[:2] == ["engine", "solved"]
    assert read_query(folder)[0].seed == 3
    with (folder / "results.csv").open(encoding="utf-8") as file:
        commands = [row["command"].split()[1] for row in csv.DictReader(file)]
    assert sorted(commands) == ["compare"] * 3 + ["resume"] * 3
    assert "3 of the 6 runs: earlier, by `fewest compare" in (folder / "summary.md").read_text(
        encoding="utf-8"
    )


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text("x")
    with pytest.raises(StoreError, match="not a checkpoint of a comparison"):
        compare(["jugs"], ["bfs"], checkpoint=tmp_path)


@pytest.mark.usefixtures("engines_here")
def test_another_limit_repeats_only_runs_that_a_limit_stopped(tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    compare(["jugs", "korf-001"], ["bfs"], seconds=0.1, checkpoint=folder)
    done = compare(["jugs", "korf-001"], ["bfs"], seconds=0.2, checkpoint=folder)
    limits = [(r.puzzle, r.entry.time_limit) for r in records(folder)]
    assert limits == [("jugs", 0.1), ("korf-001", 0.1), ("korf-001", 0.2)]
    assert [c.entries[0].status for c in done.comparisons] == ["optimal", "limit"]


@pytest.mark.usefixtures("engines_here")
def test_a_seed_repeats_only_the_runs_of_solvers_that_have_one(tmp_path: Path) -> None:
    folder, engines = tmp_path / "saved", ["bfs", "asp", "sat::cadical195", "sat::glucose4"]
    compare(["jugs"], engines, checkpoint=folder)
    done = compare(["jugs"], engines, seed=7, checkpoint=folder)
    assert [e.seed for e in done.comparisons[0].entries] == [None, 7, 7, None]
    assert len(records(folder)) == 6
    compare(["jugs"], engines, seed=7, checkpoint=folder)
    compare(["jugs"], engines, checkpoint=folder)
    assert len(records(folder)) == 6  # there are runs with and without a seed


@pytest.mark.usefixtures("engines_here")
def test_a_run_with_a_changed_profile_is_repeated(tmp_path: Path) -> None:
    folder, profile = tmp_path / "saved", tmp_path / "own.yaml"
    engines = ["bfs", f"sat:{profile}"]
    shipped = dict(profiles())
    for number_of_records, source in (
        (2, shipped["operators"]),
        (2, shipped["operators"]),
        (3, shipped["leave-arrive"]),
    ):
        profile.write_bytes(source.read_bytes())
        compare(["jugs"], engines, checkpoint=folder)
        assert len(records(folder)) == number_of_records
    assert records(folder)[-1].entry.engine == f"sat:{profile}"


@pytest.mark.usefixtures("engines_here")
def test_a_run_of_another_version_of_the_solver_is_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "saved"
    compare(["jugs"], ["bfs", "sat", "asp"], checkpoint=folder)
    here = provenance()
    newer = replace(here, versions={**here.versions, "python-sat": "2.0"})
    monkeypatch.setattr("fewest.commands.compare.run.provenance", lambda _: newer)
    compare(["jugs"], ["bfs", "sat", "asp"], checkpoint=folder)
    assert [record.entry.engine for record in records(folder)[3:]] == ["sat"]


@pytest.mark.usefixtures("engines_here")
def test_a_run_of_changed_code_is_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "saved"
    compare(["jugs"], ["bfs"], checkpoint=folder)
    before = provenance().versions["fewest-code"]
    copy = tmp_path / "encodings"
    shutil.copytree(encoding_folder(), copy)
    monkeypatch.setattr("fewest.commands.compare.provenance.encoding_folder", lambda: copy)
    code_hash.cache_clear()
    assert provenance().versions["fewest-code"] == before
    with (copy / "asp" / "plan.lp").open("a") as file:
        file.write("% a comment")
    code_hash.cache_clear()
    try:
        compare(["jugs"], ["bfs"], checkpoint=folder)
    finally:
        code_hash.cache_clear()
    assert len({record.provenance.versions["fewest-code"] for record in records(folder)}) == 2


def test_rows_have_the_same_columns_if_an_earlier_run_had_another_engine(tmp_path: Path) -> None:
    here = provenance()
    other = replace(here, versions={"my-engine": "1.2", **here.versions})
    found = replace(FOUND[0], origins=(other, None))
    plain, mixed = rows(found, has_profile=False, where=here)
    assert list(plain) == list(mixed)
    plain, mixed = rows(found, has_profile=False, where=other)
    assert list(plain) == list(mixed) and mixed["version_my-engine"] == "1.2"
    write_report(tmp_path, Suite(("jugs",)), Comparisons((found,), 2, None, here))
    with (tmp_path / "results.csv").open(encoding="utf-8") as file:
        assert [row["date"] for row in csv.DictReader(file)] == [here.date] * 2


@pytest.mark.parametrize("engine", ["sat", "bfs"])
def test_a_row_can_be_certified(engine: str) -> None:
    done = compare(["jugs"], [engine], seconds=60, certify=[engine])
    (entry,) = done.comparisons[0].entries
    assert entry.status == "optimal" and entry.certified is not None
    assert entry.certified.endswith("checked")
    assert ("LRAT" in entry.certified) == (engine == "sat")
    assert entry.statistics["certificate"]["bytes"] > 0


CERTIFIER = """
import fewest.commands.compare.certified as certified
import signal
from fewest.errors import UsageError

def certify(*_, **__):
    block = bytearray(400 << 20)
    {end}

certified.certify = certify
"""


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("raise UsageError('too long')", "too long"),
        ("raise MemoryError", "memory limit"),
        ("signal.pause()", "time limit"),
    ],
)
def test_a_certificate_changes_neither_the_answer_nor_its_measurement(
    end: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(CERTIFIER.format(end=end))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("fewest.commands.compare.process._GRACE_SECONDS", 0.5)
    # starting the processes takes seconds on a busy machine
    seconds = 2 if words == "time limit" else 60
    done = compare(["jugs"], ["bfs"], seconds=seconds, certify=["bfs"])
    (entry,) = done.comparisons[0].entries
    assert (entry.status, entry.cost, entry.certified) == (
        "optimal",
        6,
        f"no certificate: {words}",
    )
    assert entry.memory is not None and entry.memory < 300 << 20
    assert (entry.time_limit, entry.repeat) == (seconds, 1)


@pytest.mark.parametrize(
    ("number", "words"), [(signal.SIGINT, None), (signal.SIGKILL, "killed by the system")]
)
def test_an_answer_remains_when_its_certificate_is_interrupted(
    number: int, words: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(CERTIFIER.format(end="signal.pause()"))
    monkeypatch.syspath_prepend(tmp_path)
    request = CompareRequest(
        "jugs", {}, "moves", parse_engine_spec("bfs"), Limits(60, 2 << 30), certifies=True
    )
    with EngineProcess(request) as process:
        wait_until(lambda: process.step() is None and process._answer is not None)
        if number == signal.SIGINT:
            entry = process.interrupt()
        else:
            os.kill(process._worker.pid, number)
            entry = process.answer()
    certified = None if words is None else f"no certificate: {words}"
    assert (entry.status, entry.cost, entry.certified) == ("optimal", 6, certified)


@pytest.mark.usefixtures("engines_here")
def test_a_solver_without_a_seed_has_none_in_its_row() -> None:
    done = compare(["jugs"], ["sat::glucose4", "sat::cadical195", "bfs"], seconds=60, seed=5)
    assert [entry.seed for entry in done.comparisons[0].entries] == [None, 5, None]


def test_jobs_run_side_by_side_and_agree(suite_file: Path) -> None:
    suite, _ = read_suite(suite_file)
    done = compare_suite(replace(suite, jobs=len(processors())))
    assert [c.minimum for c in done.comparisons] == [6, 1, 3]


def elsewhere(
    function: Function, items: Sequence[Any], report: Report | None = None
) -> Generator[tuple[int, Any], None, None]:
    """Compute the items as a computer with a different processor would, and report that the process of the last item
    was killed.
    """
    for index, item in enumerate(items[:-1]):
        found = function(item, lambda _: None)
        host = replace(found.origin.host, cpu="another")
        yield index, replace(found, origin=replace(found.origin, host=host))
    yield len(items) - 1, KilledProcess(2.0)


@pytest.mark.usefixtures("engines_here")
def test_the_runs_of_helpers_name_their_computer(tmp_path: Path) -> None:
    suite = Suite((PuzzleChoice("hanoi", None, {"disks": "1..2"}),), ("bfs",), time=20)
    done = compare_suite(suite, checkpoint=tmp_path / "saved", parallel_map=elsewhere)
    first, second = done.comparisons
    assert first.minimum == 1 and done.provenance is not None
    assert (second.entries[0].status, second.entries[0].reason) == ("limit", "killed")
    (record,) = records(tmp_path / "saved")  # a killed run is repeated
    assert record.provenance.host.cpu == "another"
    assert record.provenance.command == done.provenance.command
    here = compare_suite(suite, checkpoint=tmp_path / "saved")
    assert [c.minimum for c in here.comparisons] == [1, 3]
    rows_of_runs = [
        row for c in here.comparisons for row in rows(c, has_profile=False, where=here.provenance)
    ]
    assert [row["processor"] == "another" for row in rows_of_runs] == [True, False]
    assert all(float(row["cpu"]) >= 0 for row in rows_of_runs)
    write_report(tmp_path, suite, here)
    assert "- 1 of the 2 runs: fewest" in (tmp_path / "summary.md").read_text(encoding="utf-8")

"""Suites have the right puzzles, engines, records and reports, and can be resumed."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import xml.etree.ElementTree as ElementTree
from collections.abc import Generator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

import fewest
from bench.suite import _cell, _families, section
from fewest.commands.compare import CpuSeconds, Entry, Suite, compare, compare_suite, read_suite
from fewest.commands.compare.data import rows
from fewest.commands.compare.engine_spec import parse_engine_spec
from fewest.commands.compare.entry import Comparison, KnownAnswer
from fewest.commands.compare.process import EngineProcess
from fewest.commands.compare.provenance import provenance
from fewest.commands.compare.record import RUNS, RunRecord, read_query
from fewest.commands.compare.report import write_report
from fewest.commands.compare.run import Comparisons
from fewest.commands.compare.runner import places
from fewest.commands.compare.suite import Instance, PuzzleChoice, instances, suites
from fewest.commands.compare.summary import notable, summarize, times_of
from fewest.commands.compare.worker import CompareRequest
from fewest.engines.registry import MAX_SEED
from fewest.errors import UsageError
from fewest.machine.processes import Function, KilledProcess, Report
from fewest.machine.processor_time import processors
from fewest.model.answer import Limits
from fewest.planning.sat.profile import profiles
from fewest.store.error_translation import StoreError
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


# The contents of a suite.


def names(*puzzles: str | PuzzleChoice, **more: Any) -> list[tuple[str, str]]:
    return [(q.blank.puzzle, q.blank.metric) for q in instances(Suite(puzzles, **more))]


@cache
def instances_of_full() -> Sequence[Instance]:
    """The instances of the largest suite; reading them takes seconds."""
    return instances(*read_suite("full"))


def test_a_pattern_stands_for_shipped_puzzles_and_a_collection_for_its_levels() -> None:
    assert names("turning/pancakes-*") == [("pancakes-11", "flips"), ("pancakes-7", "flips")]
    assert names("korf.tiles:2..3") == [("korf-002", "moves"), ("korf-003", "moves")]
    assert len(names("database.rush")) == 24


def test_parameters_have_ranges_and_a_instance_comes_once() -> None:
    choice = PuzzleChoice("hanoi", None, {"disks": "1..3", "pegs": 3})
    found = instances(Suite((choice, choice)))
    assert [q.blank.parameters["disks"] for q in found] == [1, 2, 3]
    assert len({q.blank.instance for q in found}) == 3


def test_a_puzzle_in_its_own_file_and_in_a_collection_is_one_instance() -> None:
    assert names("microban-002", "microban.xsb:1..2") == [
        ("microban-002", "pushes"),
        ("microban-001", "pushes"),
    ]
    full = [(q.blank.puzzle, q.blank.instance) for q in instances_of_full()]
    assert len(full) == len(set(full))


def test_metrics_of_a_puzzle_replace_those_of_the_suite() -> None:
    choice = PuzzleChoice("microban-001", ("moves",))
    assert names("bird", choice, metrics=("all",)) == [
        ("bird", "steps"),
        ("bird", "slides"),
        ("bird", "turns"),
        ("microban-001", "moves"),
    ]


def test_a_known_number_is_for_the_parameters_of_the_document_an_expression_for_those_it_names() -> (
    None
):
    def known(name: str, **parameters: int | str) -> KnownAnswer | None:
        return instances(Suite((PuzzleChoice(name, None, parameters),)))[0].blank.known

    arrows = known("machinarium-arrows", n=5) or known("machinarium", n=5)
    assert arrows is not None and arrows.cost == 35
    jugs = known("jugs")
    assert jugs is not None and jugs.cost == 6 and jugs.source
    assert known("jugs", wanted=1) is None and known("jugs", wanted=4) == jugs
    three_pegs = known("hanoi", disks=5)
    assert three_pegs is not None and three_pegs.cost == 31
    assert known("hanoi", disks=5, pegs=4) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("engines: [bfs]", "puzzles"),
        ("puzzles: [jugs]\nrepeats: 0", "at least 1"),
        ("puzzles: [jugs]\nseconds: 4", "a suite has no key `seconds`"),
        ("puzzles: [jugs", "not a suite"),
        ("puzzles: []", "the value of `puzzles` must be a list of at least one"),
        ("- jugs", "not a suite"),
        ("puzzles: [jugs]\ntime: 5m", "the value of `time` must be a number of seconds"),
        ("puzzles: [jugs]\ntime: -1", "the value of `time` must be a number of seconds"),
        ("puzzles: [jugs]\nmemory: 4G", "the value of `memory` must be a whole number of bytes"),
        ("puzzles: [jugs]\ntime: .inf", "the value of `time` must be a number of seconds"),
        ("puzzles: [jugs]\ntime: 1.0e+300", "the value of `time` must be a number of seconds"),
        ("puzzles: [jugs]\nseed: -3", "the value of `seed` must be a whole number"),
        (
            "puzzles: [jugs]\nseed: 99999999999999999999",
            "the value of `seed` must be a whole number",
        ),
        ("puzzles: [jugs]\nseed: 4294967296", "the value of `seed` must be a whole number"),
        ("puzzles: [{puzzle: jugs, metric: moves}]", "a puzzle has no key `metric`"),
        ("puzzles: [{puzzle: jugs, metrics: moves}]", "the value of `puzzles` must be a list"),
    ],
)
def test_a_file_that_is_no_suite_is_refused(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(UsageError, match=words):
        read_suite(path)


def test_a_suite_that_is_not_text_is_refused_in_plain_words(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_bytes(b"puzzles: [\xff]")
    with pytest.raises(UsageError, match=r"bad\.yaml is not UTF-8 text"):
        read_suite(path)


def test_patterns_that_fit_nothing_and_engines_that_are_not_compared_are_refused() -> None:
    with pytest.raises(UsageError, match="matches no puzzle"):
        instances(Suite(("nothing/*",)))
    with pytest.raises(UsageError, match="no puzzle to compare"):
        compare([], ["bfs"])
    with pytest.raises(UsageError, match=r"the range `5..3` is empty"):
        instances(Suite((PuzzleChoice("hanoi", None, {"disks": "5..3"}),)))
    with pytest.raises(UsageError, match=r"the range `5..3` is empty"):
        instances(Suite(("microban.xsb:5..3",)))
    with pytest.raises(UsageError, match="not one of the compared engines"):
        compare(["jugs"], ["bfs"], certify=["sat"])


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"repeats": 0}, "`repeats` must be a whole number, at least 1"),
        ({"jobs": 0}, "`jobs` must be a whole number, at least 1"),
        ({"seed": -1}, "`seed` must be a whole number, from 0"),
        ({"seed": MAX_SEED, "repeats": 2}, "is too large for 2 repeats"),
    ],
)
def test_numbers_out_of_range_are_refused_before_the_first_run(
    numbers: dict[str, int], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        compare(["jugs"], ["python"], **numbers)  # type: ignore[arg-type]


def test_the_command_line_and_a_suite_refuse_seeds_that_become_too_large(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    path.write_text(f"puzzles: [jugs]\nengines: [python]\nseed: {MAX_SEED}\n")
    assert run("compare", "--suite", str(path)).returncode == 0
    for given in (["--suite", str(path)], ["jugs", "-e", "python", "--seed", str(MAX_SEED)]):
        done = run("compare", *given, "--repeats", "2")
        assert (done.returncode, done.stdout) == (2, "") and "too large" in done.stderr


def test_one_text_is_not_a_sequence_of_letters(tmp_path: Path) -> None:
    found = compare("bird", "bfs", "all").comparisons
    assert [one.metric for one in found] == ["steps", "slides", "turns"]
    (one,) = compare("jugs", "bfs", certify="all").comparisons
    assert one.entries[0].certified is not None
    bird = fewest.load("bird")
    with pytest.raises(UsageError, match="no kind of change `walls`"):
        bird.vary(kinds="walls")
    with pytest.raises(UsageError, match="no kind of certificate `layer`"):
        bird.prove(tmp_path / "bird.proof", kinds="layer")


def test_more_jobs_than_processors_are_refused() -> None:
    assert places(None) == [None]
    usable = processors()
    assert places(len(usable)) == list(usable)
    with pytest.raises(UsageError, match="processors"):
        places(len(usable) + 1)


# Measurements and records.


def test_cpu_seconds_are_divided_into_phases_and_solvers_are_named() -> None:
    done = compare(["hanoi"], ["bfs", "sat::cadical195", "asp"], seconds=60, memory=2 << 30, seed=5)
    assert done.provenance is not None
    assert {"fewest", "clingo", "python-sat", "numpy"} == set(done.provenance.versions)
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


def test_the_configuration_of_clingo_is_the_one_that_is_compared() -> None:
    done = compare(["jugs"], ["asp", "asp::trendy"], seconds=60)
    said = [entry.statistics["configuration"] for entry in done.comparisons[0].entries]
    assert said == ["--configuration=tweety", "--configuration=trendy"]
    assert done.comparisons[0].minimum == 6


def test_cpu_seconds_of_a_stopped_engine_are_those_until_its_end() -> None:
    done = compare(["fifteen-30"], ["python"], seconds=1)
    (entry,) = done.comparisons[0].entries
    assert (entry.status, entry.reason) == ("limit", "time")
    assert entry.cpu.engine is not None and 0.1 < entry.cpu.engine < 5


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
    assert again.comparisons == done.comparisons
    assert [e.repeat for e in again.comparisons[0].entries] == [1, 2, 1, 2]


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
    assert "3 of the 6 runs: `fewest compare" in (folder / "summary.md").read_text(encoding="utf-8")


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text("x")
    with pytest.raises(StoreError, match="not a checkpoint of a comparison"):
        compare(["jugs"], ["bfs"], checkpoint=tmp_path)


def test_another_limit_repeats_only_what_a_limit_stopped(tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    compare(["jugs", "korf-001"], ["bfs"], seconds=0.2, checkpoint=folder)
    done = compare(["jugs", "korf-001"], ["bfs"], seconds=0.5, checkpoint=folder)
    limits = [(r.puzzle, r.entry.time_limit) for r in records(folder)]
    assert limits == [("jugs", 0.2), ("korf-001", 0.2), ("korf-001", 0.5)]
    assert [c.entries[0].status for c in done.comparisons] == ["optimal", "limit"]


def test_a_seed_repeats_only_the_runs_of_solvers_that_have_one(tmp_path: Path) -> None:
    folder, engines = tmp_path / "saved", ["bfs", "asp", "sat::cadical195", "sat::glucose4"]
    compare(["jugs"], engines, checkpoint=folder)
    done = compare(["jugs"], engines, seed=7, checkpoint=folder)
    assert [e.seed for e in done.comparisons[0].entries] == [None, 7, 7, None]
    assert len(records(folder)) == 6
    compare(["jugs"], engines, seed=7, checkpoint=folder)
    compare(["jugs"], engines, checkpoint=folder)
    assert len(records(folder)) == 6  # there are runs with and without a seed


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
    done = compare(["jugs"], ["bfs"], seconds=2, certify=["bfs"])
    (entry,) = done.comparisons[0].entries
    assert (entry.status, entry.cost, entry.certified) == (
        "optimal",
        6,
        f"no certificate: {words}",
    )
    assert entry.memory is not None and entry.memory < 300 << 20
    assert (entry.time_limit, entry.repeat) == (2, 1)


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


def test_helpers_measure_elsewhere_and_their_runs_say_so(tmp_path: Path) -> None:
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


# The report.


def entry(engine: str, cost: int | None, cpu: float, **more: Any) -> Entry:
    status = "optimal" if cost is not None else "limit"
    plan = None if cost is None else "1. a move"
    return Entry(engine, status, cost, cost, cpu=CpuSeconds(0, None, cpu, 0), plan=plan, **more)


def comparison(name: str, *entries: Entry, known: int | None = None) -> Comparison:
    answer = None if known is None else KnownAnswer(known, "a book")
    return Comparison(name, name, f"{name}.yaml", {}, "moves", entries, "0" * 64, answer)


FOUND = (
    comparison("both", entry("bfs", 5, 1.0), entry("sat", 5, 4.0)),
    comparison("alone", entry("bfs", 7, 2.0), entry("sat", None, 10.0, reason="time")),
    comparison("wrong", entry("bfs", 7, 1.0), entry("sat", 8, 1.0)),
    comparison("known", entry("bfs", 9, 1.0), known=9),
    comparison("against the book", entry("bfs", 9, 1.0), known=8),
)
OPEN = comparison(
    "open",
    Entry("sat", "limit", lower_bound=4, reason="time"),
    Entry("goal-directed", "solved", 9, 3, plan="1. a move"),
)
REFUSED = comparison("pairs", Entry("sat", "refused", error="two numbers"))


def test_disagreements_come_first_and_then_answers_without_a_second_opinion() -> None:
    lines = notable((REFUSED, OPEN, *FOUND))
    assert [line.split(":")[0] for line in lines] == [
        "DISAGREEMENT",
        "DISAGREEMENT",
        "no second opinion",
        "no proof",
        "no proof",
    ]
    assert "sat says that at least 8 moves are needed, but bfs has a plan of 7" in lines[0]
    assert "bfs says that at least 9 moves are needed, but published says that there is" in lines[1]
    assert "alone, moves: 7 by bfs" in lines[2]
    assert lines[3].endswith("pairs, moves: every engine refused this instance")
    assert lines[4].endswith("open, moves: at least 4, at most 9")


def test_the_same_search_is_not_a_second_opinion() -> None:
    stages = {"stages": [{"stage": "layers", "result": "answered"}]}
    bfs = entry("bfs", 5, 1.0)
    assert comparison("same", bfs, entry("auto", 5, 1.0, statistics=stages)).num_opinions == 1
    stages["stages"] = [
        {"stage": "layers", "result": "replaced"},
        {"stage": "astar", "result": "answered"},
    ]
    assert comparison("other", bfs, entry("auto", 5, 1.0, statistics=stages)).num_opinions == 2
    for source, number in (
        ("proved here by bfs", 1),
        ("proved here by astar and bfs", 2),
        ("proved by JSoko", 2),
    ):
        assert replace(comparison("a", bfs), known=KnownAnswer(5, source)).num_opinions == number


def test_a_summary_has_par2_coverage_and_the_ratio_to_the_first_engine() -> None:
    bfs, sat = summarize(FOUND[:2], 10)
    assert (bfs.solved, bfs.num_instances, bfs.par2, bfs.ratio) == (2, 2, 1.5, None)
    assert (sat.solved, sat.num_instances, sat.par2) == (1, 2, (4 + 20) / 2)
    assert sat.ratio is not None and (sat.ratio.mean, sat.ratio.count) == (pytest.approx(4.0), 1)
    assert times_of(FOUND[:2], "sat") == [4.0, None]


def test_repeats_count_with_their_median() -> None:
    runs = [entry("bfs", 5, cpu, repeat=n) for n, cpu in enumerate((3.0, 1.0, 2.0), 1)]
    assert times_of([comparison("one", *runs)], "bfs") == [2.0]


def test_a_report_has_a_page_tables_plots_and_data(tmp_path: Path) -> None:
    done = compare(["jugs"], ["bfs", "python"], seconds=30)
    suite = Suite(("jugs",), ("bfs", "python"), title="A & B <1>", time=30)
    paths = write_report(tmp_path, suite, done)
    assert {path.name for path in paths} == {
        "report.html",
        "summary.md",
        "table.tex",
        "results.csv",
        "results.json",
        "cactus.svg",
        "scatter-python.svg",
    }
    for picture in tmp_path.glob("*.svg"):
        assert ElementTree.parse(picture).getroot().tag.endswith("svg")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "A &amp; B &lt;1&gt;" in page and page.count("<svg") == 2
    assert "src=" not in page and "href=" not in page
    data = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert data["provenance"]["versions"]["fewest"]
    assert [one["engine"] for one in data["summary"]] == ["bfs", "python"]
    header, first, *_ = (tmp_path / "results.csv").read_text(encoding="utf-8").splitlines()
    assert "instance" in header and "version_clingo" in header and first.startswith("jugs,")
    table = (tmp_path / "table.tex").read_text(encoding="utf-8")
    assert table.count("&") == 3 * 8 + 1 and r"\toprule" in table and r"95 \%" in table


def test_the_page_of_a_report_shows_reasons_and_has_a_dark_form(tmp_path: Path) -> None:
    write_report(tmp_path, Suite(("pairs",)), Comparisons((REFUSED, OPEN), 3))
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<td class=l>two numbers</td>" in text and "every answer has" not in text
    assert "prefers-color-scheme:dark" in text and 'name="viewport"' in text


def test_names_in_latex_are_escaped(tmp_path: Path) -> None:
    found = comparison("one", entry("sat:a_b\\c^d", 5, 1.0))
    write_report(tmp_path, Suite(("one",)), Comparisons((found,), 1))
    table = (tmp_path / "table.tex").read_text(encoding="utf-8")
    assert r"sat:a\_b\textbackslash{}c\textasciicircum{}d &" in table


def test_the_page_of_benchmarks_has_medians_as_the_table_of_engines() -> None:
    runs = [
        {"engine": "sat", "status": "optimal", "cpu": cpu, "lower_bound": 5}
        for cpu in (1.0, 4.0, 2.0, 9.0)
    ]
    assert _cell({"entries": runs}, "sat") == "3.00"
    for run_ in runs[:3]:
        run_["status"] = "limit"
    assert _cell({"entries": runs}, "sat") == "(≥ 5)"


def test_the_page_of_benchmarks_has_families_of_a_large_suite() -> None:
    def comparison(puzzle: str, *statuses: str) -> dict[str, Any]:
        engines = ("bfs", "sat")
        entries = [
            {"engine": engine, "status": status, "cpu": 1.5}
            for engine, status in zip(engines, statuses, strict=True)
        ]
        return {"puzzle": puzzle, "entries": entries}

    table = _families(
        [
            comparison("microban 7", "optimal", "limit"),
            comparison("microban 12", "optimal", "unsolvable"),
            comparison("bird", "optimal", "optimal"),
        ],
        ["bfs", "sat"],
    )
    assert "| microban | 2 | 2 (3.0) | 1 (3.0) |" in table
    assert "| rush-hour | 1 | 1 (1.5) | 1 (1.5) |" in table


def test_the_page_of_benchmarks_has_every_instance_of_a_run(tmp_path: Path) -> None:
    done = compare(["jugs", "korf-001"], ["bfs", "python"], seconds=0.5)
    suite = Suite(("jugs", "korf-001"), ("bfs", "python"), title="Two", time=0.5)
    write_report(tmp_path, suite, done)
    data = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    text = section((tmp_path / "summary.md").read_text(encoding="utf-8"), data)
    (jugs,) = [line for line in text.splitlines() if line.startswith("| jugs")]
    assert jugs.split(" | ")[1] == "6" and jugs.count("(≥") == 0
    (korf,) = [line for line in text.splitlines() if line.startswith("| korf-001")]
    assert korf.split(" | ")[1] == "" and korf.count("(≥") == 2
    assert "## Two" in text and "2 instances and 4 runs" in text


def test_a_disagreement_stands_in_front_of_the_tables_of_a_report(tmp_path: Path) -> None:
    write_report(tmp_path, Suite(("jugs",)), Comparisons(FOUND, 9))
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.index("DISAGREEMENT") < page.index("no second opinion") < page.index("<h2>Engines")


def test_the_suites_that_ship_can_be_read() -> None:
    for name in suites():
        suite, _ = read_suite(name)
        assert suite.title and suite.time


DOCS = (Path(__file__).parents[3] / "docs" / "compare.md").read_text(encoding="utf-8")


def test_the_full_suite_has_as_many_instances_as_the_docs_say() -> None:
    assert "`full` has more than 1,000 instances" in DOCS
    assert len(instances_of_full()) > 1000


def test_the_docs_have_the_horizons_of_the_bird() -> None:
    done = compare(["bird"], ["bfs", "sat"], ["slides"], seconds=60)
    for entry_ in done.comparisons[0].entries:
        for row in [row for row in entry_.profile() if row.cost in (22, 23, 24)]:
            numbers = [row.states] if row.engine == "bfs" else [row.variables, row.clauses]
            words = [row.engine, *str(row.verdict).split(), *(f"{n:,}" for n in numbers)]
            pattern = r"^ +(\d\d)? +" + r" +".join(map(re.escape, words)) + r"\b"
            assert re.search(pattern, DOCS, re.MULTILINE), words

"""Suites have the right puzzles, metrics and engines, and mistakes in them are refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import fewest
from fewest.commands.compare import Suite, compare, read_suite
from fewest.commands.compare.entry import KnownAnswer
from fewest.commands.compare.runner import places
from fewest.commands.compare.suite import Instance, PuzzleChoice, instances, suites
from fewest.engines.registry import MAX_SEED
from fewest.errors import UsageError
from fewest.machine.processor_time import processors
from tests.helpers.command_line import run


def names(*puzzles: str | PuzzleChoice, **more: Any) -> list[tuple[str, str]]:
    return [(q.blank.puzzle, q.blank.metric) for q in instances(Suite(puzzles, **more))]


@cache
def instances_of_full() -> Sequence[Instance]:
    """The instances of the largest suite; reading them takes seconds."""
    return instances(*read_suite("full"))


def test_a_pattern_selects_shipped_puzzles_and_a_collection_its_levels() -> None:
    assert names("turning/pancakes-*") == [("pancakes-11", "flips"), ("pancakes-7", "flips")]
    assert names("korf.tiles:2..3") == [("korf-002", "moves"), ("korf-003", "moves")]
    assert len(names("database.rush")) == 24


def test_parameters_have_ranges_and_no_instance_occurs_twice() -> None:
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


@pytest.mark.usefixtures("engines_here")
def test_the_command_line_and_a_suite_refuse_seeds_that_become_too_large(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    path.write_text(f"puzzles: [jugs]\nengines: [python]\nseed: {MAX_SEED}\n")
    assert run("compare", "--suite", str(path)).returncode == 0
    for given in (["--suite", str(path)], ["jugs", "-e", "python", "--seed", str(MAX_SEED)]):
        done = run("compare", *given, "--repeats", "2")
        assert (done.returncode, done.stdout) == (2, "") and "too large" in done.stderr


@pytest.mark.usefixtures("engines_here")
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


def test_the_suites_that_ship_can_be_read() -> None:
    for name in suites():
        suite, _ = read_suite(name)
        assert suite.title and suite.time


DOCS = "".join(
    (Path(__file__).parents[3] / "docs" / name).read_text(encoding="utf-8")
    for name in ("compare.md", "suites.md")
)


def test_the_full_suite_has_the_number_of_instances_in_the_docs() -> None:
    assert "`full` has more than 1,000 instances" in DOCS
    assert len(instances_of_full()) > 1000


@pytest.mark.usefixtures("engines_here")
def test_the_docs_have_the_horizons_of_the_bird() -> None:
    done = compare(["bird"], ["bfs", "sat"], ["slides"], seconds=60)
    for entry_ in done.comparisons[0].entries:
        for row in [row for row in entry_.profile() if row.cost in (22, 23, 24)]:
            numbers = [row.states] if row.engine == "bfs" else [row.variables, row.clauses]
            words = [row.engine, *str(row.verdict).split(), *(f"{n:,}" for n in numbers)]
            pattern = r"^ +(\d\d)? +" + r" +".join(map(re.escape, words)) + r"\b"
            assert re.search(pattern, DOCS, re.MULTILINE), words

"""A table beside a suite contains known answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from fewest.commands.compare import Comparison, compare_suite, read_suite
from fewest.commands.compare.known import KnownAnswers
from fewest.commands.compare.suite import instances
from fewest.commands.compare.summary import name_of, notable
from fewest.errors import UsageError
from fewest.machine.resources import puzzle_folder, suite_folder
from tests.helpers.command_line import run

SUITE = """
engines: [bfs]
time: 20
answers: answers.tsv
puzzles:
  - {puzzle: hanoi, parameters: {disks: 2..3, pegs: 4}}
"""
UNKNOWN = {
    "microban-093, moves",
    "microban-144, moves",
    "microban-146, moves",
    "microban-153, moves",
    "microban-153, pushes",
}
ROW = "hanoi (disks=3, pegs=4), moves\t5\tFrame, Stewart 1941\n"


def suite_with(folder: Path, answers: str) -> Path:
    (folder / "answers.tsv").write_text(answers, encoding="utf-8")
    path = folder / "small.yaml"
    path.write_text(SUITE)
    return path


def compared(folder: Path, answers: str) -> tuple[Comparison, ...]:
    suite, beside = read_suite(suite_with(folder, answers))
    return compare_suite(suite, beside).comparisons


@pytest.mark.usefixtures("engines_here")
def test_a_known_answer_is_a_second_opinion_with_its_source(tmp_path: Path) -> None:
    found = compared(tmp_path, "# a comment\n\n" + ROW)
    assert [c.known and (c.known.cost, c.known.source) for c in found][-1] == (
        5,
        "Frame, Stewart 1941",
    )
    assert found[-1].num_opinions == 2 and not found[-1].disagreements


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("4", "published says that there is a plan of 4 moves"),
        ("6", "published says that at least 6 moves are needed"),
        ("no plan", "published says that there is no plan"),
    ],
)
@pytest.mark.usefixtures("engines_here")
def test_a_wrong_known_answer_is_a_disagreement(answer: str, words: str, tmp_path: Path) -> None:
    lines = notable(compared(tmp_path, ROW.replace("\t5\t", f"\t{answer}\t")))
    assert lines[0].startswith("DISAGREEMENT: hanoi (disks=3, pegs=4), moves") and words in lines[0]
    done = run("compare", "--suite", str(tmp_path / "small.yaml"), "-o", str(tmp_path / "report"))
    assert done.returncode == 1 and "DISAGREEMENT" in done.stdout.splitlines()[0]


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        (ROW + ROW, "already has an answer"),
        (
            "hanoi, moves\t5",
            "tsv:1: this line does not consist of an instance, an answer and a source",
        ),
        (ROW.replace("\t5\t", "\tfive\t"), "tsv:1: `five` is not an answer"),
        (ROW + ROW.replace("disks=3", "disks=4"), "tsv:2: the suite has no instance"),
        (ROW.replace("moves", "pushes"), "tsv:1: the suite has no instance"),
    ],
)
def test_a_wrong_table_is_refused_with_its_line(answers: str, words: str, tmp_path: Path) -> None:
    suite, beside = read_suite(suite_with(tmp_path, answers))
    with pytest.raises(UsageError, match=words):
        instances(suite, beside)


def test_a_table_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    suite, beside = read_suite(suite_with(tmp_path, f"\ufeff# a comment\n{ROW}"))
    assert instances(suite, beside)


def test_a_table_that_contradicts_a_document_is_refused(tmp_path: Path) -> None:
    path = suite_with(tmp_path, "jugs (small=3, large=5, wanted=4), moves\t7\ta book\n")
    path.write_text(SUITE.replace("{puzzle: hanoi, parameters: {disks: 2..3, pegs: 4}}", "jugs"))
    suite, beside = read_suite(path)
    with pytest.raises(UsageError, match="but the document of the puzzle expects 6"):
        instances(suite, beside)


def test_no_table_is_there(tmp_path: Path) -> None:
    path = suite_with(tmp_path, ROW)
    (tmp_path / "answers.tsv").unlink()
    with pytest.raises(UsageError, match="cannot read"):
        instances(*read_suite(path))


def test_the_answers_of_the_full_suite_are_those_of_the_table_of_microban() -> None:
    found = KnownAnswers(suite_folder() / "answers.tsv")
    lines = (puzzle_folder() / "sokoban" / "microban.tsv").read_text(encoding="utf-8").splitlines()
    for line in lines[2:]:
        level, pushes, _, moves, _, pushes_by, moves_by, *_ = line.split("\t")
        for metric, minimum, by in (("pushes", pushes, pushes_by), ("moves", moves, moves_by)):
            known = found.of(f"microban-{int(level):03}, {metric}", None)
            assert (known and known.cost) == (None if by == "-" else int(minimum))


@pytest.mark.slow  # this test reads a thousand puzzles
def test_all_instances_of_the_suites_have_known_answers_but_five_that_nobody_has_proved() -> None:
    found = [q.blank for name in ("short", "full") for q in instances(*read_suite(name))]
    assert {name_of(blank) for blank in found if blank.known is None} == UNKNOWN


def test_the_cost_of_expensive_moves_is_an_answer(tmp_path: Path) -> None:
    table = tmp_path / "answers.tsv"
    table.write_text("far, cost\t3000000000\tby hand\n", encoding="utf-8")
    found = KnownAnswers(table).of("far, cost", None)
    assert found is not None and found.cost == 3_000_000_000

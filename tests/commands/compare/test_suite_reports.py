"""Reports of comparisons have summaries, tables, plots and pages."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from bench.suite import _cell, _families, section
from fewest.commands.compare import Entry, Suite, compare
from fewest.commands.compare.entry import KnownAnswer
from fewest.commands.compare.report import write_report
from fewest.commands.compare.run import Comparisons
from fewest.commands.compare.summary import notable, summarize, times_of
from fewest.commands.compare.text import minimum_of
from tests.commands.compare.suite_cases import FOUND, comparison, entry

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


@pytest.mark.usefixtures("engines_here")
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


def test_ratios_are_to_the_first_engine_of_the_suite_after_an_interruption(tmp_path: Path) -> None:
    suite = Suite(("one", "two"), ("bfs", "sat"))
    first, second = comparison("one", entry("sat", 5, 1.0)), comparison("two", entry("bfs", 5, 2.0))
    write_report(tmp_path, suite, Comparisons((first,), 4, "interrupted"))
    (tmp_path / "scatter-bfs.svg").write_text("of an earlier report")
    write_report(tmp_path, suite, Comparisons((first, second), 4, "interrupted"))
    assert [path.name for path in tmp_path.glob("scatter-*")] == ["scatter-sat.svg"]
    rows = (tmp_path / "summary.md").read_text(encoding="utf-8").splitlines()
    assert [row.split()[1] for row in rows if row.startswith("| ")][2:] == ["bfs", "sat"]


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


@pytest.mark.usefixtures("engines_here")
def test_the_page_of_benchmarks_has_every_instance_of_a_run(tmp_path: Path) -> None:
    done = compare(["jugs", "korf-001"], ["bfs", "python"], seconds=0.1)
    suite = Suite(("jugs", "korf-001"), ("bfs", "python"), title="Two", time=0.1)
    write_report(tmp_path, suite, done)
    data = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    text = section((tmp_path / "summary.md").read_text(encoding="utf-8"), data)
    (jugs,) = [line for line in text.splitlines() if line.startswith("| jugs")]
    assert jugs.split(" | ")[1] == "6" and jugs.count("(≥") == 0
    (korf,) = [line for line in text.splitlines() if line.startswith("| korf-001")]
    assert korf.split(" | ")[1] == "" and korf.count("(≥") == 2
    assert "## Two" in text and "2 instances and 4 runs" in text


def test_a_report_lists_disagreements_before_its_tables(tmp_path: Path) -> None:
    write_report(tmp_path, Suite(("jugs",)), Comparisons(FOUND, 9))
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.index("DISAGREEMENT") < page.index("no second opinion") < page.index("<h2>Engines")


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (Entry("astar", "limit", 100, 54, reason="time"), "54 to 100"),
        (Entry("astar", "limit", (100, 2), (54, 0), reason="time"), "54 + 0 to 100 + 2"),
        (Entry("astar", "limit", 100, 0, reason="time"), "≤ 100"),
        (Entry("astar", "limit", None, 54, reason="time"), "≥ 54"),
        (Entry("astar", "solved", 100, 54), "≤ 100"),
        (Entry("astar", "optimal", 54, 54), "54"),
    ],
)
def test_a_run_shows_the_bounds_that_are_known(entry: Entry, text: str) -> None:
    assert minimum_of(entry) == text

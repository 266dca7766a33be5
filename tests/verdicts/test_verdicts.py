"""Every engine and every form of the task gives the correct answer to documents that once had a wrong answer.

A row of `expected.tsv` has the name of a document in this folder, its answer (`N moves`, `unsolvable`, `error CODE`, or
`-` if only the positions are known), the number of reachable positions (or `-`), and the source of the answer.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import fewest
from fewest.engines import ENGINES
from fewest.errors import DocumentError, UsageError
from fewest.grounding.ground import ground
from fewest.playing.exhaust import Exhausted, exhaust

HERE = Path(__file__).parent
LAST = 8  # the last horizon of a planner
TAKE_ALL = (
    "auto",
    "bfs",
    "python",
    "sat",
    "asp",
)  # the engines that support all of these documents


class Row(NamedTuple):
    file: str
    answer: str
    positions: str
    source: str

    @property
    def path(self) -> Path:
        return HERE / f"{self.file}.yaml"

    @property
    def minimum(self) -> int | None:
        """The fewest moves; None for an unsolvable document."""
        return None if self.answer == "unsolvable" else int(self.answer.split()[0])


with (HERE / "expected.tsv").open(encoding="utf-8") as table:
    ROWS = [Row(*row) for row in csv.reader(table, delimiter="\t")][1:]
PLAYED = [row for row in ROWS if not row.answer.startswith("error")]
SOLVED = [row for row in PLAYED if row.answer != "-"]


def named(row: Row) -> str:
    return row.file


@cache
def loaded(row: Row) -> fewest.CompiledPuzzle:
    return fewest.load(row.path)


@cache
def reference(row: Row) -> Exhausted:
    """The results of the reference interpreter."""
    puzzle = loaded(row).puzzle
    return exhaust(puzzle, puzzle.metrics[puzzle.default_metric])


@cache
def tasks_of(row: Row) -> dict[str, fewest.Task]:
    """The task in each form in which the document can be grounded; all engines solve the same tasks."""
    puzzle = loaded(row).puzzle
    return {
        "by default": ground(puzzle),
        "consequences apart": ground(puzzle, most_divided=0),
        "variables at once": ground(puzzle, most_flips=0),
        "both": ground(puzzle, most_divided=0, most_flips=0),
    }


def test_every_document_has_a_row_and_every_row_a_document() -> None:
    assert sorted(row.file for row in ROWS) == sorted(path.stem for path in HERE.glob("*.yaml"))
    assert all(row.source for row in ROWS)


@pytest.mark.parametrize("row", [row for row in ROWS if row.answer.startswith("error")], ids=named)
def test_a_wrong_document_is_refused_with_a_code_and_a_place(row: Row) -> None:
    with pytest.raises(DocumentError) as caught:
        fewest.load(row.path)
    first = next(d for d in caught.value.diagnostics if d.severity == "error")
    assert f"error {first.code}" == row.answer
    assert first.line > 1


@pytest.mark.parametrize("row", PLAYED, ids=named)
def test_the_reference_interpreter_gives_the_answer(row: Row) -> None:
    reach = reference(row)
    if row.positions != "-":
        assert len(reach.costs) == int(row.positions)
    if row.answer != "-":
        assert reach.minimum == (None if row.minimum is None else (row.minimum,))


@pytest.mark.parametrize("row", PLAYED, ids=named)
def test_every_method_of_grounding_gives_the_positions_of_the_reference(row: Row) -> None:
    compiled, reach = loaded(row), reference(row)
    for method, task in tasks_of(row).items():
        compiled.__dict__["grounded"] = task
        explored = compiled.explore()
        found = (explored.num_states, explored.num_goal_states)
        assert found == (len(reach.costs), reach.num_goal_states), method


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("row", SOLVED, ids=named)
def test_every_engine_gives_the_answer(row: Row, engine: str) -> None:
    compiled = loaded(row)
    horizon = {"last": LAST} if "last" in ENGINES[engine].options else {}
    for method, task in tasks_of(row).items():
        compiled.__dict__["grounded"] = task
        try:
            found = compiled.solve(engine=engine, **horizon)
        except UsageError as refusal:
            assert engine not in TAKE_ALL, (method, refusal)
            continue
        if row.minimum is None:
            proven = ENGINES[engine].is_exhaustive
            assert found.status in (("unsolvable",) if proven else ("unsolvable", "limit")), method
            continue
        assert found.status == ("optimal" if ENGINES[engine].is_optimal else "solved"), method
        if ENGINES[engine].is_optimal:
            assert found.cost == row.minimum, method

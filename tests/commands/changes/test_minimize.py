"""A minimized puzzle has the same minimum, and no further part of it can be removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fewest
from fewest.commands.changes import Changed
from fewest.commands.minimize import _Search
from fewest.errors import Exit, UsageError
from tests.helpers.command_line import run
from tests.helpers.small_changes import (
    FLOOR,
    RULES,
    document,
    minimum_by_rules,
    random_rows,
    removable,
    with_marks,
)


def solvable_boards(rules: str, number: int) -> list[list[str]]:
    found: list[list[str]] = []
    for seed in range(600):
        rows = random_rows(rules, seed)
        minimum = minimum_by_rules(document(rules, rows))
        if isinstance(minimum, int) and minimum > 1:
            found.append(rows)
        if len(found) == number:
            break
    return found


def without_sides(rows: list[str], sides: tuple[str, ...]) -> list[str]:
    for side in sides:
        if side in ("top", "bottom"):
            rows = rows[1:] if side == "top" else rows[:-1]
        else:
            rows = [row[1:] if side == "left" else row[:-1] for row in rows]
    return rows


@pytest.mark.parametrize("rules", RULES)
def test_the_minimum_is_unchanged_and_no_other_part_can_be_removed(rules: str) -> None:
    boards = solvable_boards(rules, 4)
    assert len(boards) == 4
    num_removed = 0
    for rows in boards:
        expected = minimum_by_rules(document(rules, rows))
        found = fewest.load("small.yaml", text=document(rules, rows)).minimize("moves")
        assert found.minimum == expected
        assert found.is_minimal
        assert minimum_by_rules(found.document) == expected
        num_removed += len(found.removed)
        by_hand = with_marks(rows, {one.cells[0]: FLOOR for one in found.removed})
        by_hand = without_sides(by_hand, found.trimmed)
        assert minimum_by_rules(document(rules, by_hand)) == expected
        for cell in removable(by_hand):
            other = document(rules, with_marks(by_hand, {cell: FLOOR}))
            assert minimum_by_rules(other) != expected, (by_hand, cell)
    assert num_removed > 2


def test_the_document_is_checked_by_its_own_expectations(tmp_path: Path) -> None:
    file = tmp_path / "small.yaml"
    done = run("minimize", "microban-001", "--keep", "both", "-o", str(file))
    assert done.returncode == 0
    assert "still 8 pushes" in done.stdout
    checked = run("check", str(file))
    assert checked.returncode == 0
    assert "unique" in file.read_text(encoding="utf-8")
    again = fewest.load(str(file))
    assert again.solve().cost == 8
    assert again.solutions().is_unique
    board = again.puzzle.board
    assert board is not None
    assert (board.rows, board.columns) == (5, 4)


def test_a_unique_plan_stays_unique() -> None:
    found = fewest.load("microban-001").minimize(keep="unique")
    assert fewest.load("x.yaml", text=found.document).solutions().num_traces == 1
    with pytest.raises(UsageError, match="only one"):
        fewest.load("guarini").minimize(keep="unique")


def test_a_puzzle_without_a_plan_is_refused() -> None:
    with pytest.raises(UsageError, match="unsolvable"):
        fewest.load("zou-tou-wu-lu").minimize()


def test_a_puzzle_without_a_known_minimum_is_no_mistake_of_the_caller() -> None:
    done = run("minimize", "korf-001", "--time", "0.1s")
    assert done.returncode == Exit.LIMIT
    assert "the minimum of korf-001 is unknown: time limit" in done.stderr


def test_ctrl_c_keeps_the_steps_so_far() -> None:
    def interrupt(trial: object) -> None:
        if getattr(trial, "number", 0) == 4:
            raise KeyboardInterrupt

    cut = fewest.load("microban-001").minimize(progress=interrupt)
    assert cut.reason == "interrupted"
    assert not cut.is_minimal
    assert cut.exit_code == Exit.LIMIT
    assert fewest.load("x.yaml", text=cut.document).solve().cost == 8


def test_json_has_the_document() -> None:
    data = json.loads(run("minimize", "microban-001", "--json").stdout)
    assert data["minimum"] == 8
    assert data["minimal"] is True
    assert data["trimmed"] == ["top", "bottom", "left", "right"]
    assert fewest.load("x.yaml", text=data["document"]).solve().cost == 8


def test_rows_that_are_not_decided_leave_open_whether_the_puzzle_is_minimal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def has_same_answer(self: _Search, other: Changed) -> bool:
        board, whole = other.puzzle.board, self.work.puzzle.board
        assert board is not None and whole is not None
        self.num_open += board.num_cells < whole.num_cells
        return False

    monkeypatch.setattr(_Search, "_has_same_answer", has_same_answer)
    found = fewest.load("microban-001").minimize()
    assert found.num_open > 0 and not found.is_minimal

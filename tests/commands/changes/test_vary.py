"""`vary` finds as many boards, with the same minima, as changing the text by hand."""

from __future__ import annotations

import csv
import io
import json
import signal
from pathlib import Path

import pytest

import fewest
from fewest.commands.vary import CHANGES
from fewest.errors import Exit, UsageError
from tests.helpers.command_line import begun, run
from tests.helpers.small_changes import (
    FLOOR,
    document,
    minimum_by_rules,
    random_rows,
    removable,
    with_marks,
)

Row = tuple[str, object, object]


def changed_by_hand(rules: str, rows: list[str]) -> dict[Row, int | str | None]:
    """The minimum by the rules, for each (kind, removed cell, added cell). Every piece has one cell."""
    cells = [(r, c) for r in range(len(rows)) for c in range(len(rows[0]))]
    mark = {(r, c): rows[r][c] for r, c in cells}
    found: dict[Row, int | str | None] = {}

    def put(kind: str, gone: object, new: object, marks: dict[tuple[int, int], str]) -> None:
        found[kind, gone, new] = minimum_by_rules(document(rules, with_marks(rows, marks)))

    free = [cell for cell in cells if mark[cell] in ".!"]
    for cell in removable(rows):
        what = "wall" if mark[cell] == "#" else "piece"
        put(f"remove-{what}", cell, None, {cell: FLOOR})
        for near in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            beside = (cell[0] + near[0], cell[1] + near[1])
            if beside in free and (what == "wall" or mark[beside] == FLOOR):
                put(f"move-{what}", cell, beside, {cell: FLOOR, beside: mark[cell]})
    for cell in free:
        put("add-wall", None, cell, {cell: "#"})
        if rules == "gliding" and mark[cell] == FLOOR:
            put("add-piece", None, cell, {cell: "C"})
    return found


@pytest.mark.parametrize("seed", range(4))
def test_the_minima_are_those_of_texts_changed_by_hand(seed: int) -> None:
    rows = random_rows("gliding", seed)
    expected = changed_by_hand("gliding", rows)
    found = fewest.load("small.yaml", text=document("gliding", rows)).vary()
    assert found.num_changes == len(found.boards)
    exit_cell = next((r, row.index("!")) for r, row in enumerate(rows) if "!" in row)
    seen = 0
    for one in found.boards:
        removed, added = one.change.removed, one.change.added
        key = (
            one.change.kind,
            None if removed is None else removed.cells[0],
            None if added is None else added.cells[0],
        )
        if added is not None and added.kind == "piece" and added.cells[0] == exit_cell:
            continue  # no character stands for a piece on the exit
        minimum = expected.pop(key)
        assert one.minimum == (minimum if isinstance(minimum, int) else None), key
        assert (one.status == "invalid") == (minimum == "invalid"), key
        assert (one.status == "unsolvable") == (minimum is None), key
        seen += 1
    assert seen > 20
    assert expected == {}


def test_no_board_occurs_twice_and_the_hardest_is_first() -> None:
    found = fewest.load("zou-tou-wu-lu").vary(kinds=["move-piece", "add-piece"])
    boards = [tuple(one.to_json()["board"]) for one in found.boards if one.position is not None]
    assert len(boards) > 4
    minima = [one.minimum for one in found.boards if isinstance(one.minimum, int)]
    assert minima == sorted(minima, reverse=True)


def test_ctrl_c_and_limits_keep_the_boards_that_are_decided() -> None:
    def interrupt(trial: object) -> None:
        if getattr(trial, "number", 0) == 3:
            raise KeyboardInterrupt

    compiled = fewest.load("bird")
    cut = compiled.vary(kinds=["remove-piece"], progress=interrupt)
    assert len(cut.boards) == 3
    assert cut.reason == "interrupted"
    assert cut.exit_code == Exit.LIMIT
    late = compiled.vary(seconds=0)
    assert late.reason == "time"
    assert late.boards == ()


LONG = """puzzle: korf-088
model: tiles
board: |
  F2CB
  ED95
  1387
  _A64
goal:
  board: |
    _123
    4567
    89AB
    CDEF
"""
"""Position 88 of Korf's hundred; the proof of its minimum of 65 moves takes several seconds."""


def test_a_signal_ends_the_command_with_the_proved_bound(tmp_path: Path) -> None:
    path = tmp_path / "korf-088.yaml"
    path.write_text(LONG)
    with begun("vary", str(path), "--each", "100s") as process:
        assert process.stderr is not None
        process.stderr.readline()  # progress of the search for the minimum of the board itself
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=20)
    assert process.returncode == Exit.LIMIT
    assert "minimum not known" in out
    assert "interrupted: 0 of 18 were tried" in out


def test_an_unknown_change_is_refused() -> None:
    with pytest.raises(UsageError, match="no kind of change `paint`"):
        fewest.load("bird").vary(kinds=["paint"])
    with pytest.raises(UsageError, match="no board"):
        fewest.load("hanoi").vary()
    assert len(CHANGES) == 6


def test_the_table_is_text_csv_and_json() -> None:
    text = run("vary", "bird", "--change", "remove-piece").stdout
    assert "  remove L (5, 4)  33 steps" in text
    rows = list(
        csv.DictReader(io.StringIO(run("vary", "bird", "--change", "remove-piece", "--csv").stdout))
    )
    assert rows[0]["minimum"] == "33"
    data = json.loads(run("vary", "bird", "--change", "remove-piece", "--json").stdout)
    assert [row["minimum"] for row in data["boards"] if row["minimum"]] == [
        int(row["minimum"]) for row in rows if row["minimum"]
    ]
    assert run("vary", "bird", "--csv", "--json").returncode == 2


def test_the_summary_gives_the_number_of_undecided_boards() -> None:
    found = fewest.load("bird").vary(kinds=["remove-piece"], each=0.0)
    assert "of 12 boards one change away can be solved; 12 not decided" in found.summary()

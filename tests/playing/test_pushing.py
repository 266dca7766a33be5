"""The grounder and the reference interpreter agree about pieces that push or stick to each other."""

from __future__ import annotations

import pytest

import fewest
from fewest.drawing.text import draw
from fewest.errors import DocumentError
from fewest.model.position import start
from fewest.model.states import decode
from fewest.playing.rules import legal_moves


def moved(rule: str, *rows: str, more: str = "") -> list[str]:
    """The board after X slides to the right."""
    board = "".join(f"  {row}\n" for row in rows)
    text = (
        "puzzle: x\nlegend: {'.': floor, '#': wall, b: box, s: slime}\n"
        "pieces: {block: {letters: A-Z}, box: {}, slime: {}}\n"
        f"moves: {{go: {{slide: X, directions: right, {rule}}}}}\n{more}board: |\n{board}"
    )
    compiled = fewest.load("x.yaml", text=text)
    puzzle, task = compiled.puzzle, compiled.task
    played = ["/".join(draw(move.target)) for move in legal_moves(start(puzzle))]
    grounded = [
        "/".join(draw(decode(puzzle, task, operator.apply(task.initial))))
        for operator in task.operators
        if operator.is_applicable(task.initial)
    ]
    assert sorted(played) == sorted(grounded)
    return played


@pytest.mark.parametrize(
    ("rule", "rows", "found"),
    [
        ("carries: box", ["Xbb."], [".Xbb"]),
        ("carries: box", ["Xbs."], []),
        ("carries: box|slime", ["Xbs."], [".Xbs"]),
        ("carries: any", ["XbA.", "..A."], [".XbA/...A"]),
        ("carries: any", ["XbA.", "..A#"], []),
        ("carries: any", ["XXb.", "X.b.", "XXX."], [".XXb/.Xb./.XXX"]),
        ("carries: box, most: 1", ["Xbb."], []),
        ("carries: box, most: 2", ["Xbb."], [".Xbb"]),
        ("sticky: slime", ["Xs.", "s.."], [".Xs/.s."]),
        ("sticky: slime", ["X.s", "s.s"], [".Xs/.ss"]),
        ("sticky: slime", ["X..", "sb."], []),
        ("sticky: slime, carries: box", ["X..", "sb."], [".X./.sb"]),
        ("sticky: slime, carries: box, most: 1", ["X..", "sb."], []),
        ("sticky: own", ["XA.", "b.."], [".XA/b.."]),
        ("sticky: own", ["X..", "Ab."], []),
        ("sticky: own, carries: box", ["X..", "Ab.", "sb."], [".X./.Ab/s.b"]),
        ("sticky: own, carries: any", ["Xsb.", ".s..", "bs.b"], [".Xsb/..s./b.sb"]),
        ("sticky: own, carries: any, most: 3", ["Xsb.", ".s..", "bs.b"], []),
        ("sticky: A", ["AX.", "A.#"], [".AX/.A#"]),
    ],
)
def test_pushed_and_sticking_pieces_move_together_or_not_at_all(
    rule: str, rows: list[str], found: list[str]
) -> None:
    assert moved(rule, *rows) == found


def test_a_piece_that_a_portal_leads_back_to_its_cell_lets_no_other_piece_move() -> None:
    back = "edges: {portals: [{leaving: [0, 0], by: right, entering: [0, 0], both: false}]}\n"
    assert moved("sticky: slime", "sX.") == [".sX"]
    assert moved("sticky: slime", "sX.", more=back) == []
    assert moved("sticky: box", "sX.", more=back) == ["+-+-+-+/1s1. X|/+-+-+-+"]


def test_round_a_closed_row_all_may_push_each_other() -> None:
    assert moved("carries: any", "Xbs", more="wrap: rows\n") == ["sXb"]


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ("most: 1", "move-key-unused"),
        ("distance: blocked, carries: box", "move-key-unused"),
        ("carries: bix", "unknown-piece"),
        ("carries: box, most: 0", "wrong-value"),
    ],
)
def test_claims_without_content_are_refused(rule: str, code: str) -> None:
    with pytest.raises(DocumentError, match=code):
        moved(rule, "Xb.")

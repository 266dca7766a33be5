"""Pieces can have several parts; if only one piece is expected, a letter whose cells form several pieces is an
error."""

from __future__ import annotations

import pytest

import fewest
from fewest.errors import DocumentError

BOARD = "puzzle: x\nmodel: sliding-blocks\nboard: |\n  AB.A\n  ....\n"


def load(more: str) -> fewest.CompiledPuzzle:
    return fewest.load("x.yaml", text=BOARD + more)


def codes(more: str) -> list[str]:
    return [warning.code for warning in load(more).warnings]


def test_all_cells_of_a_letter_are_one_piece_if_its_parts_belong_together() -> None:
    puzzle = load("pieces: {block: {parts: together}}\ngoal: {A: {at: [1, 0]}}\n").puzzle
    assert sorted(len(puzzle.classes[p.class_id].shape) for p in puzzle.pieces) == [1, 2]
    plan = load("pieces: {block: {parts: together}}\ngoal: {A: {at: [1, 0]}}\n").solve().plan
    assert plan is not None and len(plan) == 1


def test_a_position_is_read_with_its_parts() -> None:
    compiled = load("pieces: {block: {parts: together}}\ngoal: {A: {at: [1, 0]}}\n")
    assert compiled.at("....\nA.BA").solve().cost == 0


@pytest.mark.parametrize(
    "goal",
    ["goal: {A: {at: [1, 0]}}\n", 'goal: {board: "????\\nA??A"}\n', "moves: {go: {slide: A}}\n"],
)
def test_a_letter_named_as_one_piece_that_is_several_is_warned_of_once(goal: str) -> None:
    assert codes(goal).count("piece-parts") == 1
    assert "piece-parts" not in codes(goal + "pieces: {block: {parts: apart}}\n")
    assert "piece-parts" not in codes(goal + "pieces: {block: {parts: together}}\n")


def test_on_a_closed_board_separate_parts_of_a_piece_are_refused() -> None:
    with pytest.raises(DocumentError, match="piece-torn"):
        load("wrap: rows\npieces: {block: {parts: together}}\n")


def test_a_torn_shape_is_refused_unless_it_is_meant() -> None:
    text = """puzzle: x
legend: {".": floor, "2": pair}
pieces: {pair: {shape: "#.#"}}
moves: {slide: {slide: pair}}
board: |
  2.2.
goal: {pair: {at: [0, 1]}}
"""
    with pytest.raises(DocumentError, match="parts: together"):
        fewest.load("x.yaml", text=text)
    meant = text.replace('"#.#"', '"#.#", parts: together')
    assert fewest.load("x.yaml", text=meant).solve().cost == 1

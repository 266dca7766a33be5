"""The text of a plan is correct, and the validation accepts only legal plans of the claimed cost."""

from __future__ import annotations

from typing import Any

import pytest

import fewest
from fewest.drawing.pictures.puzzle_style import look
from fewest.errors import InternalError
from fewest.formats.sokoban.lurd import lurd, verify
from fewest.model.metric import metric_of
from fewest.playing.validate import validate


def plan_lines(name: str, metric: str) -> list[str]:
    result = fewest.load(name).solve(metric)
    assert result.plan is not None
    return [line.split(". ", 1)[1] for line in result.plan.text().splitlines()]


def test_a_run_of_one_piece_is_one_move_with_all_its_arrows() -> None:
    lines = plan_lines("hardest-6x6", "slides")
    assert len(lines) == 49
    assert lines[-1].startswith("X →→")


def test_names_of_pieces_are_used() -> None:
    assert any(line.startswith("曹操 ") for line in plan_lines("heng-dao-li-ma", "turns"))


def test_free_steps_belong_to_the_move_that_they_prepare() -> None:
    lines = plan_lines("microban-001", "pushes")
    assert len(lines) == 8
    assert all("push box (" in line for line in lines)
    assert any(line.startswith("walk player ") for line in lines)


def test_pieces_with_one_name_are_distinguished_by_their_place() -> None:
    assert plan_lines("latin-cross", "jumps")[0].startswith("peg (")


def test_a_rotation_of_a_ring_is_printed_once() -> None:
    assert any("↺↺" in line or "↻↻" in line for line in plan_lines("two-rings", "turns"))


def test_the_text_of_an_action_contains_its_binding() -> None:
    assert plan_lines("hanoi", "moves")[0] == "move d=0, to=2"


def test_the_text_of_merges_and_rolls_contains_the_place() -> None:
    assert plan_lines("rolling-block", "moves")[:3] == [
        "tip (0, 2)→(0, 3) (0, 4) →",
        "roll half (0, 4)→(1, 4) ▦",
        "raise (1, 3) (1, 4)→(1, 5) →",
    ]
    assert "blue blue (0, 4)→(0, 1) ← (merge)" in plan_lines("muddled-monsters", "moves")


def steps_of(name: str) -> list[dict[str, Any]]:
    result = fewest.load(name).solve()
    assert result.plan is not None
    return [step for move in result.plan.to_json() for step in move["steps"]]


def test_a_step_as_data() -> None:
    tip, roll = steps_of("rolling-block")[:2]
    assert tip == {
        "rule": "tip",
        "text": "tip (0, 2)→(0, 3) (0, 4) →",
        "direction": "right",
        "moved": [],
        "gone": [{"piece": "upright", "at": [0, 2]}],
        "appeared": [{"piece": "half", "at": [0, 3]}, {"piece": "half", "at": [0, 4]}],
        "position": [".!.hh#", "......", "..##..", "......", "##...#"],
    }
    assert roll["moved"] == [
        {"piece": "half", "from": [0, 3], "to": [1, 3]},
        {"piece": "half", "from": [0, 4], "to": [1, 4]},
    ]
    assert (roll["from"], roll["to"]) == ([0, 4], [1, 4])


def test_consequences_are_shown_with_their_result() -> None:
    belt = next(step for step in steps_of("conveyors") if "then" in step)
    assert belt["then"] == ["eastward"] and belt["direction"] == "right"
    assert belt["moved"] == [{"piece": "man", "from": [1, 1], "to": [1, 3]}]
    assert steps_of("hanoi")[0]["values"] == {"peg[0]": 2, "peg[1]": 0, "peg[2]": 0}


def test_letters_give_the_direction_of_the_step_not_of_the_consequences() -> None:
    plan = fewest.load("conveyors").solve().plan
    assert plan is not None
    letters = lurd(plan)
    assert letters is not None and len(letters) == 18
    assert verify(fewest.load("conveyors").puzzle, letters).is_solution


def test_an_illegal_plan_does_not_get_through() -> None:
    compiled = fewest.load("bird")
    metric = metric_of(compiled.task, "steps")
    result = compiled.solve("steps")
    assert result.plan is not None
    operators = result.plan.operators
    with pytest.raises(InternalError, match="not applicable"):
        validate(compiled.puzzle, compiled.task, metric, operators[1:], (33,))
    with pytest.raises(InternalError, match="does not end in a goal"):
        validate(compiled.puzzle, compiled.task, metric, operators[:-1], (33,))
    with pytest.raises(InternalError, match="costs"):
        validate(compiled.puzzle, compiled.task, metric, operators, (33,))


def test_a_plan_as_data_has_places_and_directions() -> None:
    result = fewest.load("bird").solve("slides")
    assert result.plan is not None
    data = result.plan.to_json()
    assert len(data) == 24
    step = data[0]["steps"][0]
    assert {"rule", "text", "direction", "from", "to"} <= set(step)


def test_an_arrow_leads_from_the_place_of_a_piece_to_the_end_of_its_steps() -> None:
    plan = fewest.load("hardest-6x6").solve("slides").plan
    assert plan is not None
    *shown, last = plan.frames(arrows=True)
    assert last.caption == "solved" and not last.arrows
    assert max(len(move.steps) for move in plan.moves) > 1
    for frame, move in zip(shown, plan.moves, strict=True):
        ((source, target),) = frame.arrows
        assert source in frame.position.pieces and target in move.position.pieces
        assert frame.position.pieces - {source} == move.position.pieces - {target}


def test_the_sheet_of_a_plan_is_in_the_chosen_theme() -> None:
    plan = fewest.load("hanoi").solve().plan
    assert plan is not None
    light, dark = plan.svg(), plan.svg(theme="dark")
    assert light != dark and light.count("<text") == dark.count("<text") > len(plan)
    assert plan.svg(style=look(plan.start.puzzle, "dark")) == dark

"""Plans in words or as data are replayed; a wrong plan gets an error that names the first impossible move."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fewest
from fewest.commands.replay import replay_plan
from fewest.errors import UsageError
from tests.helpers.command_line import run

PUZZLES = [
    ("bird", "steps"),
    ("bird", "slides"),
    ("bird", "turns"),
    ("hanoi", None),
    ("jugs", None),
    ("microban-001", "pushes"),
    ("microban-001", "moves"),
    ("eight-puzzle", None),
    ("two-rings", None),
    ("keys-and-doors", None),
    ("machinarium", None),
    ("guarini", None),
    ("lights-out-3x3", None),
    ("rolling-block", None),
    ("muddled-monsters", None),
    ("conveyors", None),
    ("mirror-twins", None),
    ("loopover", None),
    ("thin-ice", None),
]


@pytest.mark.parametrize(("name", "metric"), PUZZLES)
def test_a_plan_can_be_played_from_its_text_and_from_its_data(
    name: str, metric: str | None
) -> None:
    compiled = fewest.load(name)
    result = compiled.solve(metric)
    assert result.plan is not None and result.cost is not None
    for text in (str(result), json.dumps(result.to_json()), json.dumps(result.plan.to_json())):
        played = replay_plan(compiled.puzzle, text)
        assert played.is_solution, (text, played.problem)
        cost = played.costs[result.metric]
        assert cost == (result.cost if isinstance(result.cost, tuple) else (result.cost,))
        assert played.moves == len(result.plan.moves)


def test_the_data_of_a_step_may_be_incomplete() -> None:
    compiled = fewest.load("rolling-block")
    plan = compiled.solve().plan
    assert plan is not None
    steps = [step for move in plan.to_json() for step in move["steps"]]
    for keys in (["position"], ["moved", "gone", "appeared"]):
        some = [{"steps": [{key: step[key] for key in keys}]} for step in steps]
        assert replay_plan(compiled.puzzle, json.dumps(some)).is_solution
    some[1]["steps"][0]["gone"] = [{"piece": "U", "at": [0, 0]}]
    assert replay_plan(compiled.puzzle, json.dumps(some)).moves == 1
    some[1]["steps"] = [{"rule": "roll", "pieces": 2}]
    assert replay_plan(compiled.puzzle, json.dumps(some)).moves == 1
    with pytest.raises(UsageError, match="a move must be a text, or must have the key `steps`"):
        replay_plan(compiled.puzzle, '[{"steps": ["roll"]}]')


def test_a_plan_that_fails_gives_the_location() -> None:
    puzzle = fewest.load("bird").puzzle
    lines = str(fewest.load("bird").solve("slides")).splitlines()
    played = replay_plan(puzzle, "\n".join(lines[:-1]))
    assert played.problem == "all moves were played, but the final position is not a goal position"
    played = replay_plan(puzzle, "\n".join([*lines[:3], "3. Z ↑"]))
    assert played.problem == "move 3, `Z ↑`, is not allowed here" and played.moves == 2
    assert replay_plan(puzzle, "").problem.startswith("all moves were played")


def test_an_ambiguous_move_is_reported() -> None:
    text = (
        'puzzle: x\nlegend: {b: box, ".": floor}\npieces: {box: {}}\n'
        "moves: {go: {slide: box, directions: [right]}}\n"
    )
    puzzle = fewest.load(
        "x.yaml", text=text + 'board: |\n  b.\n  b.\ngoal: {board: ".b\\n.b"}\n'
    ).puzzle
    assert replay_plan(puzzle, "box →").problem == (
        "move 1: `box →` matches several moves: `box (0, 0)→(0, 1) →`, `box (1, 0)→(1, 1) →`"
    )
    where = replay_plan(puzzle, "box (0, 0)→(0, 1) →\nbox →")
    assert where.is_solution, where.problem


@pytest.mark.parametrize("text", ["{", "{}", "[1]", '{"plan": 3}', "[" * 100_000])
def test_invalid_plans_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not a plan"):
        replay_plan(fewest.load("bird").puzzle, text)


def test_a_printed_plan_is_verified_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    path.write_text(run("solve", "bird", "-m", "slides").stdout, encoding="utf-8")
    done = run("verify", "bird", "--plan", str(path))
    assert done.returncode == 0 and done.stdout.startswith("bird: solved\n34 steps, 24 slides")
    path.write_text("1. B ↓\n", encoding="utf-8")
    assert run("verify", "bird", "--plan", str(path)).returncode == 1

"""Goal-directed search of Rush Hour boards finds a plan or proves that no plan exists."""

from __future__ import annotations

import random
from functools import cache

import pytest

import fewest
from fewest.engines.goal_directed import SlidingLines
from fewest.errors import UsageError
from fewest.machine.resources import puzzles as shipped

BLOCKED = """
puzzle: blocked
model: rush-hour
board: |
  ..B..C
  DDB..C
  XX.EE.
  F.GGH.
  F.K.H.
  IIKJJ.
"""  # X and E are in one row, so X never reaches the right side


@cache
def blocked() -> fewest.CompiledPuzzle:
    return fewest.load("blocked.yaml", text=BLOCKED)


def random_board(draw: random.Random) -> str:
    """A board of five by five with the red car in the middle row and up to seven other cars."""
    cells = [["."] * 5 for _ in range(5)]
    cells[2][0] = cells[2][1] = "X"
    for letter in "ABCDEFG":
        row, column, is_down = draw.randrange(5), draw.randrange(5), draw.random() < 0.6
        length = draw.choice((2, 2, 3))
        car = [(row + i * is_down, column + i * (not is_down)) for i in range(length)]
        if all(r < 5 and c < 5 and cells[r][c] == "." for r, c in car):
            for r, c in car:
                cells[r][c] = letter
    rows = "\n  ".join(map("".join, cells))
    return f"puzzle: random\nmodel: rush-hour\nboard: |\n  {rows}\n"


def test_a_random_board_is_solved_exactly_if_it_can_be() -> None:
    draw = random.Random(1)
    statuses = []
    for _ in range(150):
        compiled = fewest.load("random.yaml", text=random_board(draw))
        for name in ("steps", "slides"):
            best = compiled.solve(name, engine="bfs", exhaust=True)
            found = compiled.solve(name, engine="goal-directed", audit="off")
            statuses.append(found.status)
            if best.status == "unsolvable":
                assert (found.status, found.plan) == ("unsolvable", None)
                assert found.statistics["states"] == best.statistics["states"]
            else:
                assert found.status == "solved" and found.plan is not None
                assert found.lower_bound <= best.cost <= found.cost
    assert statuses.count("solved") > 50 and statuses.count("unsolvable") > 50


@pytest.mark.parametrize("name", [name for family, name, _ in shipped() if family == "rush-hour"])
def test_every_rush_hour_board_is_solved_in_fewer_states_than_breadth_first(name: str) -> None:
    compiled = fewest.load(name)
    result = compiled.solve("steps", engine="goal-directed", audit="off")
    best = compiled.solve("steps", engine="bfs")
    assert result.status == "solved" and best.cost <= result.cost
    assert result.statistics["states"] < best.statistics["states"]


def test_birds_board_takes_a_fraction_of_the_states() -> None:
    compiled = fewest.load("bird")
    planned, searched = compiled.solve(engine="goal-directed"), compiled.solve(engine="bfs")
    assert planned.cost == searched.cost == 34
    assert planned.statistics["expanded"] * 20 < searched.statistics["expanded"]


def test_no_position_occurs_twice_in_a_plan() -> None:
    compiled = fewest.load("hardest-6x6")
    result = compiled.solve("steps", engine="goal-directed")
    assert result.plan is not None
    task, states = compiled.task, [compiled.task.initial]
    for step in result.plan.operators:
        states.append(task.operators[step].apply(states[-1]))
    assert len(set(states)) == len(states)


def test_the_cost_is_counted_in_the_chosen_metric() -> None:
    compiled = fewest.load("hardest-6x6")
    results = {m: compiled.solve(m, engine="goal-directed") for m in compiled.metrics}
    assert len({result.cost for result in results.values()}) > 1
    for metric, result in results.items():
        assert result.plan is not None
        assert sum(move.cost[0] for move in result.plan.moves) == result.cost, metric


def test_the_summary_does_not_claim_a_minimum() -> None:
    result = fewest.load("bird").solve(engine="goal-directed")
    assert result.summary() == "bird: 34 steps (not proven minimal)"


def test_a_start_that_is_solved_needs_no_moves() -> None:
    text = "puzzle: done\nmodel: rush-hour\nboard: |\n  .XX\n  ...\n"
    result = fewest.load("done.yaml", text=text).solve(engine="goal-directed")
    assert (result.status, result.cost, result.lower_bound) == ("solved", 0, 0)


def test_a_step_that_is_blocked_is_preceded_by_steps_of_the_blocking_piece() -> None:
    text = """
puzzle: jam
model: rush-hour
board: |
  ..B
  XXB
  ...
  ...
goal: {X: {touches: right}}
"""
    compiled = fewest.load("jam.yaml", text=text)
    task, lines = compiled.task, SlidingLines(compiled.task)
    (plan,) = lines.fresh(task.initial)
    ((step, rest),) = lines.refined(task.initial, plan)
    assert task.operators[step].direction is not None
    assert task.operators[step].direction.name == "down"  # B must leave X's row completely
    assert rest is not None and task.operators[rest[0]].direction == task.operators[step].direction
    result = compiled.solve(engine="goal-directed")
    assert (result.status, result.cost) == ("solved", 3)


def test_a_board_without_a_plan_is_proved_unsolvable() -> None:
    found, known = blocked().solve(engine="goal-directed"), blocked().solve(engine="bfs")
    assert found.status == known.status == "unsolvable"
    assert found.statistics["states"] == known.statistics["states"] > 1000


@pytest.mark.parametrize(
    ("limit", "reason"), [({"seconds": 0.0}, "time"), ({"memory": 100_000}, "memory")]
)
def test_a_limit_is_an_answer_with_a_lower_bound(limit: dict[str, float], reason: str) -> None:
    result = blocked().solve(engine="goal-directed", **limit)  # type: ignore[arg-type]
    assert (result.status, result.reason, result.plan) == ("limit", reason, None)
    assert result.lower_bound in (
        0,
        1,
    )  # 0 if the time limit ends the call before the search begins


def test_an_interruption_leaves_the_lower_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(SlidingLines, "refined", interrupt)
    result = blocked().solve(engine="goal-directed")
    assert (result.status, result.reason, result.lower_bound) == ("limit", "interrupted", 1)


@pytest.mark.parametrize("name", ["heng-dao-li-ma", "fifteen-30", "microban-001", "hanoi"])
def test_other_puzzles_are_refused_with_a_hint(name: str) -> None:
    with pytest.raises(UsageError, match="slide along lines") as refusal:
        fewest.load(name).solve(engine="goal-directed")
    assert "--engine astar --weight" in str(refusal.value.hint)

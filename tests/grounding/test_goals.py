"""Goals that are several lists of cubes: small ones are one list, and all engines say the same of either."""

from __future__ import annotations

import time

import pytest

import fewest
from fewest.engines import ENGINES
from fewest.errors import UsageError
from fewest.grounding.ground import ground
from fewest.planning.sat.profile import profiles
from fewest.playing.exhaust import exhaust
from fewest.questions.export import export

TUBES = """
puzzle: tubes
parameters: {n: 3}
variables:
  c[b, h]: {for: {b: range(n), h: range(3)}, values: range(3), initial: 1 if h == 1 else 0}
moves:
  put: {for: {b: range(n), h: range(3), v: range(3)}, when: "c[b, h] == 0", set: {"c[b, h]": v}}
goal: GOAL
metrics: {puts: {}, twice: {count: {put: 2}}}
"""
EVERY = '"all(c[b, 0] == c[b, h] or c[b, h] == 2 for b in range(n) for h in range(3))"'


def tubes(goal: str, most_goals: int, n: int = 3) -> fewest.CompiledPuzzle:
    compiled = fewest.load("tubes.yaml", text=TUBES.replace("GOAL", goal), parameters={"n": n})
    compiled.__dict__["grounded"] = ground(compiled.puzzle, most_goals=most_goals)
    return compiled


def test_every_engine_finds_the_same_as_with_one_list() -> None:
    several, one = tubes(EVERY, 0), tubes(EVERY, 200_000)
    assert len(several.grounded.goal_lists) >= 3
    assert not one.grounded.further_goals
    minimum = one.solve(engine="bfs").cost
    assert minimum == 6
    takers = []
    for engine in ENGINES:
        try:
            found = several.solve(engine=engine)
        except UsageError as refused:
            assert "conditions with cases of their own" in refused.message
            continue
        assert (found.status, found.cost) == ("optimal", minimum), engine
        takers.append(engine)
    assert takers == ["auto", "bfs", "python", "bidirectional", "astar", "sat", "asp"]


@pytest.mark.parametrize("metric", ["puts", "twice"])
def test_goal_states_are_those_of_the_reference(metric: str) -> None:
    several = tubes(EVERY, 0)
    reach = exhaust(several.puzzle, several.puzzle.metrics[metric], 5_000)
    assert reach.num_goal_states > 1
    for engine in ("bfs", "python"):
        found = several.solve(metric, engine=engine, exhaust=True).statistics
        assert found["goal_states"] == reach.num_goal_states
    assert several.explore(metric).num_goal_states == reach.num_goal_states


def test_every_profile_of_the_encoding_asks_for_every_list() -> None:
    several = tubes(EVERY, 0)
    minimum = several.solve(engine="bfs").cost
    for profile, _ in profiles():
        assert several.solve(engine="sat", encoding=profile).cost == minimum, profile


def test_a_goal_that_no_position_meets_is_unsolvable() -> None:
    never = '"all(any(c[b, h] == 1 for h in range(3)) and c[b, 0] + c[b, 1] > 9 for b in range(n))"'
    assert tubes(never, 0).solve().status == "unsolvable"


def test_conditions_are_as_many_cubes_as_their_sum() -> None:
    began = time.process_time()
    task = tubes(EVERY, 2_000, 12).grounded
    assert len(task.goal_lists) >= 12
    assert sum(map(len, task.goal_lists)) <= 12 * 8
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    "options",
    [{"symmetry": "on"}, {"store": "index"}],
    ids=["symmetry", "index"],
)
def test_what_takes_one_list_says_so(options: dict[str, str]) -> None:
    asked = {"engine": "bfs", **options}
    with pytest.raises(UsageError, match="a goal that is one list of cases"):
        tubes(EVERY, 0).solve(**asked)  # type: ignore[arg-type]


@pytest.mark.parametrize("to", ["pddl", "sas"])
def test_planners_are_refused_and_others_served(to: str) -> None:
    several = tubes(EVERY, 0)
    with pytest.raises(UsageError, match="a task for planners needs a goal that is one list"):
        export(several, to)
    assert "too(1)" in export(several, "asp").text()

"""The SAT engine excludes deadlock sets of tasks with an agent, and its answers stay the same."""

from __future__ import annotations

import pytest

import fewest
from fewest.deadlocks.dead_cubes import dead_cubes_with_agent
from fewest.engines import sat
from fewest.planning.bounds import Bounds
from fewest.planning.sat.encoding import Encoding
from fewest.planning.sat.profile import load_profile
from fewest.planning.task import planning_task

# In three of these puzzles, moves differ from those of Sokoban: the player pushes two boxes, or a row, or pulls.
PUSHING = [
    ("two.yaml", "pushes"),
    ("two.yaml", "moves"),
    ("microban-002", "pushes"),
    ("double-push", "moves"),
    ("long-pushes", "pushes"),
    ("pull-home", "pulls"),
]
TWO_BOXES = (
    "puzzle: two\nmodel: sokoban\nboard: |\n  #######\n  #@ $ .#\n  # $   #\n  #    .#\n  #######\n"
)


def loaded(name: str) -> fewest.CompiledPuzzle:
    return fewest.load(name, text=TWO_BOXES) if name.endswith(".yaml") else fewest.load(name)


@pytest.mark.parametrize(("name", "metric"), PUSHING)
def test_dead_positions_change_no_answer(
    name: str, metric: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = loaded(name)
    expected = compiled.solve(metric, engine="bfs")
    monkeypatch.setattr(sat, "DEADLOCK_CONFLICTS", 0)
    result = compiled.solve(metric, engine="sat")
    assert (result.status, result.cost) == (expected.status, expected.cost)
    assert isinstance(result.cost, int)
    below = compiled.solve(metric, engine="sat", at_most=result.cost - 1)
    assert (below.status, below.cost) == ("limit", None)


def test_the_clauses_join_the_formula_after_some_conflicts(monkeypatch: pytest.MonkeyPatch) -> None:
    def num_clauses() -> int:
        return int(
            loaded("two.yaml").solve("pushes", engine="sat").statistics["horizons"][-1].clauses
        )

    without = num_clauses()
    monkeypatch.setattr(sat, "DEADLOCK_CONFLICTS", 0)
    assert num_clauses() > without


def test_a_layer_excludes_exactly_the_given_cubes() -> None:
    compiled = loaded("two.yaml")
    planning = planning_task(compiled.task, compiled.puzzle.metrics["pushes"])
    encoding = Encoding(Bounds(planning), load_profile("incremental"))
    cubes = dead_cubes_with_agent(compiled.task, 2, wherever_agent=True)
    assert {value.bit_count() for _, value in cubes} == {1, 2}
    clauses = {
        frozenset(clause)
        for rows in encoding.without(cubes, range(3, 4))
        for clause in rows.tolist()
    }
    shift = 3 * encoding.num_variables
    facts = [[f for f in range(len(compiled.task.facts)) if mask >> f & 1] for mask, _ in cubes]
    assert clauses == {frozenset(-encoding.state.fact[f] - shift for f in cube) for cube in facts}


def test_no_clause_is_added_without_an_agent_or_if_the_start_is_dead() -> None:
    dead = TWO_BOXES.replace("#    .#", "#$   .#").replace("# $   #", "#     #")
    for compiled in (fewest.load("bird"), fewest.load("dead.yaml", text=dead)):
        metric = compiled.puzzle.metrics[compiled.puzzle.default_metric]
        encoding = Encoding(
            Bounds(planning_task(compiled.task, metric)), load_profile("incremental")
        )
        horizons = sat._Horizons(
            encoding, [sat.open_solver(None, None)], sat.open_solver(None, None), {}
        )
        assert horizons.dead == ()

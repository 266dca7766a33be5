"""The parity of the length of plans is that of every plan, and horizons of the other parity are refuted without a
solver.
"""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings

import fewest
from fewest.errors import DocumentError, UsageError
from fewest.model.metric import metric_of
from fewest.planning.bounds import Bounds
from fewest.planning.horizons import free_paths
from fewest.planning.length_parity import length_parity
from fewest.planning.task import PlanningTask, planning_task
from tests.helpers.agreement import compiled_or_none, relaxed
from tests.helpers.random_puzzles import puzzles

MAX_STATES = 2_000


def planned(name: str, metric: str | None) -> PlanningTask:
    task = fewest.load(name).task
    return planning_task(task, metric_of(task, metric))


def parities(planning: PlanningTask) -> set[int] | None:
    """The numbers of moves of all walks to the goal, modulo 2; None if there are too many states."""
    seen, frontier, found = set(), {(planning.initial, 0)}, set()
    while frontier:
        seen |= frontier
        if len(seen) > MAX_STATES:
            return None
        later = set()
        for state, parity in frontier:
            for at in free_paths(planning, state):
                if planning.is_goal(at):
                    found.add(parity)
                later |= {
                    (target, 1 - parity)
                    for move in planning.moves
                    if move.is_applicable(at) and (target := planning.after(move, at)) is not None
                }
        frontier = later - seen
    return found


@pytest.mark.parametrize(
    ("name", "metric", "parity"),
    [
        ("microban-003", "pushes", 1),  # three boxes; the published minimum is 13
        ("eight-puzzle", None, 1),
        ("fifteen-20", None, 0),
        ("lights-out-3x3", None, 1),
        ("microban-003", "moves", None),  # the goal does not determine the place of the player
        ("hanoi", None, None),
        ("landslide", None, None),
    ],
)
def test_the_parity_of_known_puzzles(name: str, metric: str | None, parity: int | None) -> None:
    assert length_parity(planned(name, metric)) == parity


@settings(relaxed, max_examples=60)
@given(puzzles())
def test_every_plan_has_the_parity(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    for metric in compiled.puzzle.metrics.values():
        try:
            planning = planning_task(compiled.task, metric)
        except (DocumentError, UsageError):
            continue
        parity = length_parity(planning)
        found = parities(planning) if parity is not None else None
        assert found is None or found <= {parity}


def test_no_solver_is_needed_for_a_horizon_of_the_other_parity() -> None:
    bounds = Bounds(planned("microban-003", "pushes"))
    assert bounds.is_excluded(12, True) and not bounds.is_excluded(12, False)
    assert not bounds.is_excluded(13, True)
    result = fewest.load("microban-003").solve("pushes", engine="sat")
    solved = {row.horizon for row in result.statistics["horizons"] if row.clauses}
    assert result.cost == 13 and solved and all(horizon % 2 for horizon in solved)

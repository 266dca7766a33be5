"""Pair mutexes hold in every reachable state, and the SAT engine gives the same answers with them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import pytest

import fewest
from fewest.engines import sat
from fewest.model.metric import metric_of
from fewest.planning.horizons import free_paths
from fewest.planning.pair_mutexes import NEVER, PairMutex, pair_mutexes
from fewest.planning.task import PlanningTask, planning_task
from tests.helpers.symmetric_puzzles import MIRRORED


@cache
def planned(name: str, metric: str | None) -> PlanningTask:
    task = fewest.load("mirrored.yaml", text=MIRRORED) if name == "mirrored" else fewest.load(name)
    return planning_task(task.task, metric_of(task.task, metric))


@cache
def pairs_of(name: str, metric: str | None) -> list[PairMutex]:
    return pair_mutexes(planned(name, metric))


def layers(planning: PlanningTask) -> Iterable[tuple[int, set[int]]]:
    """For each layer, the states that are new in it, before and after its free moves."""
    seen: set[int] = set()
    frontier = {planning.initial}
    layer = 0
    while frontier:
        closed = {target for state in frontier for target in free_paths(planning, state)}
        yield layer, frontier | closed
        seen |= frontier | closed
        moved = {
            state ^ move.flip
            for state in closed
            for move in planning.moves
            if move.is_applicable(state)
        }
        frontier = moved - seen
        layer += 1


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("dads-puzzler", "turns"),
        ("dads-puzzler", "steps"),
        ("mirrored", "turns"),
        ("tiles-2x3", None),
    ],
)
def test_no_reachable_state_violates_a_pair(name: str, metric: str | None) -> None:
    planning = planned(name, metric)
    pairs = pairs_of(name, metric)
    assert pairs
    cells = [sum(1 << fact for fact in cell) for cell in planning.at_most_one]
    for layer, states in layers(planning):
        holding = [pair for pair in pairs if pair.first > layer]
        for state in states:
            elements = state | sum(
                1 << len(planning.facts) + number
                for number, cell in enumerate(cells)
                if not cell & state
            )
            assert not any(elements >> p.one & 1 and elements >> p.other & 1 for p in holding)


def test_pieces_exclude_each_other_without_overlapping() -> None:
    planning = planned("dads-puzzler", "turns")
    cells = [set(cell) for cell in planning.at_most_one]
    num_facts = len(planning.facts)
    apart = [
        pair
        for pair in pairs_of("dads-puzzler", "turns")
        if pair.first == NEVER
        and pair.one != pair.other < num_facts
        and not any({pair.one, pair.other} <= cell for cell in cells)
    ]
    assert len(apart) > 100


def test_puzzles_without_few_empty_cells_have_no_pairs() -> None:
    assert not pair_mutexes(planned("hardest-6x6", "slides"))
    assert not pair_mutexes(planned("loopover", None))


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("qi-bu-cheng-shi", "turns"),
        ("tiles-2x3", None),
        ("mirrored", "turns"),
        ("mirrored", "steps"),
    ],
)
def test_pairs_change_no_answer(
    name: str, metric: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = fewest.load("m.yaml", text=MIRRORED) if name == "mirrored" else fewest.load(name)
    expected = compiled.solve(metric)
    monkeypatch.setattr(sat, "MUTEX_CONFLICTS", 0)
    result = compiled.solve(metric, engine="sat")
    assert (result.status, result.cost) == (expected.status, expected.cost)


def test_pairs_join_the_formula_while_a_horizon_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    def num_clauses() -> int:
        result = fewest.load("tiles-2x3").solve(engine="sat")
        assert (result.cost, result.statistics["solver"]) == (21, sat.QUICK_SOLVER)
        return int(result.statistics["horizons"][-1].clauses)

    without = num_clauses()
    monkeypatch.setattr(sat, "MUTEX_CONFLICTS", 50)
    assert num_clauses() > without

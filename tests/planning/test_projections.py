"""Projections exclude no walk, and their results for small puzzles equal the known results."""

from __future__ import annotations

from itertools import pairwise

import pytest

import fewest
from fewest.model.metric import metric_of
from fewest.model.task import facts_in
from fewest.planning import horizons as deepening
from fewest.planning.bounds import MAX_APART, Bounds
from fewest.planning.projections import censuses
from fewest.planning.sat.mirror import find_mirror
from fewest.planning.task import PlanningTask, planning_task
from tests.helpers.symmetric_puzzles import MIRRORED


def planned(name: str, metric: str | None) -> PlanningTask:
    task = fewest.load("mirrored.yaml", text=MIRRORED) if name == "mirrored" else fewest.load(name)
    return planning_task(task.task, metric_of(task.task, metric))


def successors(planning: PlanningTask) -> dict[int, set[int]]:
    """For every reachable state, the states that one move reaches, possibly after free moves."""
    graph: dict[int, set[int]] = {}
    frontier = [planning.initial]
    for state in frontier:
        if state not in graph:
            graph[state] = {
                at ^ move.flip
                for at in deepening.free_paths(planning, state)
                for move in planning.moves
                if move.is_applicable(at)
            }
            frontier += graph[state]
    return graph


@pytest.mark.parametrize(
    ("name", "metric", "in_mirror"),
    [
        ("mirrored", "steps", False),
        ("mirrored", "steps", True),
        ("mirrored", "slides", True),
        ("mirrored", "turns", False),
        ("mirrored", "turns", True),
        ("tiles-2x3", None, False),
        ("double-push", "pushes", False),  # a puzzle with free moves
    ],
)
def test_no_walk_joins_facts_that_are_apart(name: str, metric: str | None, in_mirror: bool) -> None:
    planning = planned(name, metric)
    mirror = find_mirror(planning)
    image = mirror.facts if mirror and in_mirror else None
    assert in_mirror == (image is not None)
    apart = Bounds(planning).apart(image)
    assert apart and sum(map(len, apart.values())) <= MAX_APART
    graph = successors(planning)
    seen: dict[int, set[int]] = {}  # for each fact, the states that walks reach from it
    for fact in range(len(planning.facts)):
        seen[fact] = {state for state in graph if state >> fact & 1}
    for num_moves in range(1, max(apart) + 1):
        for fact, states in seen.items():
            seen[fact] = states.union(*(graph[state] for state in states))
        for fact, later in apart.get(num_moves, []):
            wanted = {later, *([image[later]] if image else [])}
            assert not any(state >> g & 1 for state in seen[fact] for g in wanted)


def test_a_piece_on_a_spot_excludes_all_others_in_a_projection() -> None:
    planning = planned("tiles-2x3", None)
    for projection in Bounds(planning).projections:
        for fact in projection.facts:
            mask, value = projection._cube(1 << fact, 1 << fact)
            excluded = {other for bit, other in enumerate(projection.facts) if mask >> bit & 1}
            true = {other for bit, other in enumerate(projection.facts) if value >> bit & 1}
            there = {other for cell in planning.at_most_one if fact in cell for other in cell}
            assert true == {fact} and excluded == there & set(projection.facts)


def test_the_nearest_facts_that_are_apart_are_known() -> None:
    # After a tile has moved, the empty cell must go around it before the tile can move in the same direction.
    planning = planned("tiles-2x3", None)
    number = {name: fact for fact, name in enumerate(planning.facts)}
    apart = Bounds(planning).apart()
    assert (number["1@0,0"], number["1@0,2"]) in apart[4]
    assert (number["1@0,0"], number["1@0,1"]) not in apart[2]
    assert all(fact != later for pairs in apart.values() for fact, later in pairs)


@pytest.mark.parametrize(
    ("name", "metric", "minimum"),
    [
        ("eight-puzzle", None, 31),
        ("tiles-2x3", None, 21),
        ("heng-dao-li-ma", "turns", 81),
        ("feng-huang-dao-ying", "turns", None),
        ("hardest-6x6", "slides", 49),
        ("microban-003", "moves", None),
        ("pyramid", "jumps", None),
        ("hanoi", None, 7),
    ],
)
def test_a_minimal_plan_uses_only_possible_moves(
    name: str, metric: str | None, minimum: int | None
) -> None:
    compiled = fewest.load(name)
    planning = planned(name, metric)
    result = compiled.solve(metric)
    assert minimum in (None, result.cost) and isinstance(result.cost, int)
    bounds = Bounds(planning)
    horizon = result.cost // planning.unit
    assert not bounds.is_unsolvable
    assert not bounds.is_excluded(horizon, is_exact=True)
    assert not bounds.is_excluded(horizon + 2, is_exact=False)
    excluded = [h for h in range(1, horizon) if bounds.is_excluded(h, is_exact=False)]
    assert excluded == list(range(1, len(excluded) + 1))
    for projection in bounds.projections:
        for is_exact in (False, True):
            layers = [projection.possible(t, horizon, is_exact) for t in range(horizon + 1)]
            assert all(states.any() for states in layers)
            for before, after in pairwise(layers):
                assert (projection._forth(before) & after).any()


def test_pieces_are_bundled_with_the_empty_cells() -> None:
    def sizes(name: str, metric: str | None) -> list[tuple[int, int]]:
        return [(len(p.facts), len(p.cells)) for p in Bounds(planned(name, metric)).projections]

    # The first projection has the 2x2 piece (12 places), the 1x2 piece (15 places), and the 20 empty cells; the second
    # has the four 2x1 pieces. The four 1x1 pieces would have 4,845 states.
    assert sizes("heng-dao-li-ma", "turns") == [(27, 20), (16, 0)]
    # A projection may have at most half of the tiles. With the empty cell, three tiles have 9^4 states, and four tiles
    # have too many.
    assert sizes("eight-puzzle", None) == [(27, 9), (27, 9), (18, 9)]
    assert sizes("tiles-2x2", None) == [(4, 4), (4, 4), (4, 4)]


def test_rows_list_the_true_facts_and_the_empty_cells() -> None:
    planning = planned("eight-puzzle", None)
    projection = Bounds(planning).projections[0]
    start = int.from_bytes(projection.rows[0].tobytes(), "little")
    facts = [f for i, f in enumerate(projection.facts) if start >> i & 1]
    assert facts == [f for f in facts_in(planning.initial) if f in projection.facts]
    empty = [c for c in projection.cells if start >> len(projection.facts) + c & 1]
    covered = [
        cell for cell in planning.at_most_one if any(planning.initial >> f & 1 for f in cell)
    ]
    assert len(empty) == 1 and planning.at_most_one[empty[0]] not in covered


@pytest.mark.parametrize(("name", "metric"), [("pyramid", "jumps"), ("triangle-10", "jumps")])
def test_in_peg_solitaire_one_number_of_jumps_is_left(name: str, metric: str) -> None:
    planning = planned(name, metric)
    bounds, (census,) = Bounds(planning), censuses(planning)
    pegs = [fact for fact in range(len(planning.facts)) if planning.initial >> fact & 1]
    for horizon in range(len(pegs) + 2):
        is_possible = horizon == len(pegs) - 1  # in the goal, one peg is left
        assert bounds.is_excluded(horizon, is_exact=True) != is_possible
        assert census.is_excluded(horizon, is_exact=True) != is_possible
        assert census.is_excluded(horizon, is_exact=False) == (horizon < len(pegs) - 1)
    assert [census.possible(t, None, True).tolist().index(True) for t in range(len(pegs))] == [
        len(pegs) - t for t in range(len(pegs))
    ]


HUNT = """
puzzle: hunt
board: "h.p.p"
legend: {".": floor, h: h, p: p}
pieces: {h: {}, p: {}}
moves:
  step: {before: [h, empty], after: [empty, h]}
  take: {before: [h, p], after: [empty, h]}
goal: {board: "....h"}
"""


def test_a_census_counts_one_class_and_none_of_which_the_number_is_fixed() -> None:
    task = fewest.load("hunt.yaml", text=HUNT).task
    (census,) = censuses(planning_task(task, metric_of(task, None)))
    assert census.changes == {0, -1}
    # A `p` never moves, so its possible places are its two starting places.
    assert census.possible(0, None, True).tolist() == [False, False, True]


def test_one_empty_cell_leaves_every_other_horizon() -> None:
    bounds = Bounds(planned("tiles-2x3", None))
    possible = {h for h in range(30) if not bounds.is_excluded(h, is_exact=True)}
    assert {21, 23, 25, 27, 29} <= possible and all(horizon % 2 for horizon in possible)

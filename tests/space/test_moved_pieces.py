"""The numbers of piece changes and of returns to a group are those of all optimal plans, played by the rules."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise, product

import pytest
from hypothesis import assume, given, settings

import fewest
from fewest.errors import DocumentError
from fewest.model.position import Position, start
from fewest.model.states import decode
from fewest.model.task import Task, facts_in
from fewest.playing.exhaust import TooManyPositionsError, exhaust
from fewest.space import moved_pieces
from fewest.space.moved_pieces import (
    TooManyDivisionsError,
    facts_of_moved_pieces,
    least_piece_changes,
    least_returns,
)
from fewest.space.plan_graph import PlanGraph
from tests.helpers.agreement import compiled_or_none
from tests.helpers.brute_force import LIMIT, BruteForce
from tests.helpers.random_puzzles import puzzles

Pieces = frozenset[int]
Plan = tuple[Position, ...]


def graph_of(compiled: fewest.CompiledPuzzle, metric: str | None = None) -> PlanGraph:
    graph = compiled.solutions(metric, audit="off").graph
    assert graph is not None
    return graph


def classes_in(task: Task, facts: int) -> set[int]:
    return {task.facts[fact].class_id for fact in facts_in(facts)}


def pieces_moved(plan: Iterable[Position], followed: set[int]) -> list[Pieces]:
    """For each move of a plan that moves pieces of these classes: these pieces, which have numbers."""
    positions = list(plan)
    found: list[Pieces] = []
    at = {spot: number for number, spot in enumerate(sorted(positions[0].pieces))}
    fresh = len(at)
    for before, after in pairwise(positions):
        taken = sorted(spot for spot in before.pieces - after.pieces if spot[0] in followed)
        put = sorted(spot for spot in after.pieces - before.pieces if spot[0] in followed)
        numbers = [at.pop(spot) for spot in taken]
        for place, spot in enumerate(put):
            if place < len(numbers):
                at[spot] = numbers[place]
            else:
                at[spot], fresh = fresh, fresh + 1
        here = frozenset([*numbers, *(at[spot] for spot in put)])
        if here:
            found.append(here)
    return found


def changes_in(moved: list[Pieces]) -> int:
    return sum(not one & other for one, other in pairwise(moved))


def returns_in(moved: list[Pieces]) -> int | None:
    """The least number of returns, over all ways to divide the moved pieces into two groups."""
    pieces = sorted(frozenset().union(*moved))
    found: list[int] = []
    for groups in product((0, 1), repeat=len(pieces)):
        group_of = dict(zip(pieces, groups, strict=True))
        order = [{group_of[piece] for piece in one} for one in moved]
        if len(set(groups)) == 2 and all(len(one) == 1 for one in order):
            found.append(sum(one != other for one, other in pairwise(order)) - 1)
    return min(found, default=None)


def check(compiled: fewest.CompiledPuzzle, graph: PlanGraph, plans: set[Plan]) -> None:
    """Compare both numbers with those of all optimal plans, each of which is a sequence of positions."""
    followed = facts_of_moved_pieces(compiled.grounded, graph)
    classes = classes_in(compiled.grounded, followed)
    moved = [pieces_moved([start(compiled.puzzle), *plan], classes) for plan in plans]
    assert max(len(frozenset().union(*one)) for one in moved) <= 9, "the test would take long"
    least = min(map(changes_in, moved)) if followed else None
    assert least_piece_changes(graph, followed) == least
    returns = [number for one in moved if (number := returns_in(one)) is not None]
    assert least_returns(graph, followed) == min(returns, default=None)


@settings(max_examples=40)
@given(puzzles())
def test_the_numbers_of_random_puzzles(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    puzzle, first = compiled.puzzle, start(compiled.puzzle)
    try:
        reach = exhaust(puzzle, next(iter(puzzle.metrics.values())), LIMIT)
    except (TooManyPositionsError, DocumentError):
        assume(False)
    for metric in puzzle.metrics.values():
        brute = BruteForce(list(reach.costs), metric)
        if (first, brute.fresh) in brute.distance:
            check(compiled, graph_of(compiled, metric.name), brute.plans(first))


def plans_of(compiled: fewest.CompiledPuzzle, graph: PlanGraph) -> set[Plan]:
    """All paths of the graph, which other tests compare with the rules."""
    plans: list[set[Plan]] = [set() for _ in graph.states]
    for node in range(len(graph) - 1, -1, -1):
        if graph.is_end[node]:
            plans[node].add(())
        for edge in graph.edges[node]:
            state, ends = graph.states[node], []
            for flip, _ in graph.moves[edge.move].changes:
                state ^= flip
                ends.append(decode(compiled.puzzle, compiled.grounded, state))
            plans[node] |= {(*ends, *rest) for rest in plans[edge.target]}
    return plans[0]


@pytest.mark.parametrize(
    "name",
    [
        "microban-001",
        "microban-002",
        "microban-004",
        "long-pushes",
        "small-4x6 slides",
        "two-kings",
        "small-5x5 slides",
        "tiles-2x3",
        "triangle-10",
        "triangle-10 turns",
        "keys-and-doors",
    ],
)
def test_the_numbers_of_shipped_puzzles(name: str) -> None:
    compiled = fewest.load(name.partition(" ")[0])
    graph = graph_of(compiled, name.partition(" ")[2] or None)
    check(compiled, graph, plans_of(compiled, graph))


ASIDE = """\
puzzle: aside
pieces: {car: {letters: AB}}
legend: {".": floor, "#": wall}
moves: {step: {slide: car, distance: 1}}
goal: {A: {at: [0, 1]}, B: {at: [0, 2]}}
board: |
  BA.
  #.#
"""


def test_a_car_that_moves_aside_and_back() -> None:
    """A moves aside, B moves twice, A moves back."""
    compiled = fewest.load("aside.yaml", text=ASIDE)
    graph = graph_of(compiled)
    followed = facts_of_moved_pieces(compiled.grounded, graph)
    assert least_piece_changes(graph, followed) == 2
    assert least_returns(graph, followed) == 1


ROOMS = """\
puzzle: rooms
model: sokoban
board: |
  ########
  #.$ @$.#
  ########
"""


def test_the_player_is_no_piece_that_changes() -> None:
    compiled = fewest.load("rooms.yaml", text=ROOMS)
    for metric in ("pushes", "moves"):
        graph = graph_of(compiled, metric)
        followed = facts_of_moved_pieces(compiled.grounded, graph)
        kinds = {
            compiled.puzzle.classes[one].kind for one in classes_in(compiled.grounded, followed)
        }
        assert kinds == {"box"}
        assert least_piece_changes(graph, followed) == 1
        assert least_returns(graph, followed) == 0


def test_pieces_of_the_only_class_are_no_agents() -> None:
    compiled = fewest.load("triangle-10")
    graph = graph_of(compiled)
    followed = facts_of_moved_pieces(compiled.grounded, graph)
    assert len(facts_in(followed)) > 3
    assert least_returns(graph, followed) is None  # the jumps of every plan connect all pegs


TOGETHER = """\
puzzle: together
pieces: {car: {letters: ABC}, driver: {}}
legend: {".": floor, "@": driver}
moves:
  pull: {before: [empty, A, B], after: [A, B, empty]}
  go: {slide: C|driver, distance: 1}
goal: {A: {at: [0, 0]}, C: {at: [1, 0]}, driver: {at: [1, 4]}}
board: |
  ..AB.
  ..C@.
"""


def test_pieces_that_move_together_are_in_one_group() -> None:
    """Two moves of A with B, two of C, one of the driver: no piece moves in every move, so the driver counts."""
    compiled = fewest.load("together.yaml", text=TOGETHER)
    graph = graph_of(compiled)
    followed = facts_of_moved_pieces(compiled.grounded, graph)
    assert len(classes_in(compiled.grounded, followed)) == 4
    assert least_piece_changes(graph, followed) == 2
    assert least_returns(graph, followed) == 0


def test_long_plans_need_larger_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = fewest.load("small-4x6")
    graph = graph_of(compiled)
    followed = facts_of_moved_pieces(compiled.grounded, graph)
    found = least_returns(graph, followed)
    monkeypatch.setattr(moved_pieces, "_longest_plan", lambda graph: 1_000)
    assert least_returns(graph, followed) == found


@pytest.mark.parametrize("limit", ["_MOST_WORK", "_MOST_PIECES"])
def test_the_number_of_divisions_is_limited(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moved_pieces, limit, 1)
    compiled = fewest.load("rooms.yaml", text=ROOMS)
    graph = graph_of(compiled)
    with pytest.raises(TooManyDivisionsError):
        least_returns(graph, facts_of_moved_pieces(compiled.grounded, graph))
    measures = {one.name: one for one in compiled.explain_hardness().measures}
    assert measures["piece changes"].value == 1
    assert measures["decomposition"].result == (
        "not computed, because there are too many pieces or plans"
    )

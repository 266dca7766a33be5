"""Arguments name the right pieces in small levels, in which boxes are pushed one by one on the floor."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import fewest
from fewest.deadlocks import counting
from fewest.deadlocks.argument import Argument, argument
from fewest.deadlocks.dead_cubes import find_dead_cubes
from fewest.model.task import facts_in
from tests.helpers.dead_states import Cell, Warehouse, states_of
from tests.helpers.small_levels import level


def arguments(
    compiled: fewest.CompiledPuzzle, kind: str
) -> Iterator[tuple[Argument, set[Cell], set[Cell], Cell]]:
    """Each argument of this kind about single boxes, with its boxes, all boxes, and the player."""
    task, board = compiled.task, compiled.puzzle.board
    assert board is not None
    dead = find_dead_cubes(task, 1)

    def cells(facts: int) -> set[Cell]:
        return {board.at(task.facts[fact].cell) for fact in facts_in(facts)}

    for state, is_alive in states_of(task, 2_000):
        why = None if is_alive else argument(dead, state)
        if why is not None and why.kind == kind:
            agent = dead.view.agent
            (player,) = cells(state & agent)
            yield why, cells(why.pieces), cells(state & ~agent), player


@pytest.mark.parametrize("seed", [4, 126, 139, 154, 178, 180, 336])
def test_boxes_that_are_too_many_have_too_few_goals_and_goals_too_few_boxes(seed: int) -> None:
    text = level(seed, "sokoban")
    compiled, floor = fewest.load("small.yaml", text=text), Warehouse(text)
    board, facts = compiled.puzzle.board, compiled.task.facts
    assert board is not None
    num_arguments = 0
    for why, pieces, boxes, player in arguments(compiled, "counting"):
        num_arguments += 1
        goals = {board.at(facts[fact].cell) for fact in facts_in(why.goals)}
        assert why.depends_on_agent and goals <= floor.targets and pieces <= boxes
        homes = {box: floor.homes(box, player) for box in boxes}
        if why.are_pieces_many:
            assert len(floor.targets) == len(boxes)
            assert set().union(*(homes[box] for box in pieces)) == goals
            assert len(goals) == len(pieces) - 1
        else:
            assert {box for box in boxes if homes[box] & goals} == pieces
            assert len(pieces) == len(goals) - 1
    assert num_arguments


@pytest.mark.parametrize("seed", [1, 32, 37, 81, 154, 178, 215, 272, 336])
def test_frozen_boxes_stay_no_goal_has_them_all_there_and_each_of_them_is_needed(seed: int) -> None:
    text = level(seed, "sokoban")
    compiled, floor = fewest.load("small.yaml", text=text), Warehouse(text)

    def is_in_a_goal(some: set[Cell], num_boxes: int) -> bool:
        return len(some | floor.targets) <= num_boxes

    num_arguments = 0
    for _, core, boxes, _ in arguments(compiled, "frozen"):
        num_arguments += 1
        assert core <= boxes and floor.frozen(core) == core
        assert not is_in_a_goal(core, len(boxes))
        for box in core:
            assert is_in_a_goal(floor.frozen(core - {box}), len(boxes)), (core, box)
    assert num_arguments


@pytest.mark.parametrize("seed", [4, 7, 26, 37])
def test_unions_of_regions_are_examined_only_for_few_kinds(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = level(seed, "sokoban")
    task, floor = fewest.load("small.yaml", text=text).task, Warehouse(text)
    board = fewest.load("small.yaml", text=text).puzzle.board
    assert board is not None
    cells = [board.at(cell) for cell in range(board.num_cells)]
    inside = [cell for cell in cells if cell not in floor.walls]
    homes = {
        box: frozenset().union(*(floor.homes(box, player) for player in inside if player != box))
        for box in inside
    }
    regions = find_dead_cubes(task, 1).regions
    for region in regions:
        boxes = [board.at(task.facts[fact].cell) for fact in facts_in(region.facts)]
        assert all(homes[box] for box in boxes) and len(boxes) > region.most
        assert len(frozenset().union(*(homes[box] for box in boxes))) == region.most
    kinds = {found for found in homes.values() if found}
    monkeypatch.setattr(counting, "MAX_KINDS", len(kinds))
    assert find_dead_cubes(task, 1).regions == regions
    monkeypatch.setattr(counting, "MAX_KINDS", len(kinds) - 1)
    alone = find_dead_cubes(task, 1).regions
    assert len(alone) < len(regions) and {region.most for region in alone} <= set(map(len, kinds))

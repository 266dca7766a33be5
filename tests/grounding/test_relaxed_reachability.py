"""If the facts of unreachable placements are omitted, the task has the same moves and states."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given

import fewest
from fewest.grounding import facts as module
from fewest.grounding.facts import ProvisionalFacts
from fewest.grounding.ground import ground
from fewest.grounding.relaxed_reachability import RelaxedReachability
from fewest.model.puzzle import PieceClass, Puzzle
from tests.helpers.agreement import compiled_or_none
from tests.helpers.random_puzzles.slides import slides

CARS = "puzzle: cars\nmodel: rush-hour\nboard: |\n  AAB.\n  ..B.\n  XX..\n  ....\n"


class Everywhere(RelaxedReachability):
    """Relaxed reachability without any knowledge: every placement counts as reachable."""

    def __init__(self, puzzle: Puzzle) -> None:
        super().__init__(puzzle)
        self._is_known = False


def puzzle_of(text: str) -> Puzzle:
    return fewest.load("cars.yaml", text=text).puzzle


def standing_at(puzzle: Puzzle, anchor: int) -> PieceClass:
    return next(puzzle.classes[p.class_id] for p in puzzle.pieces if p.anchor == anchor)


def test_a_car_has_places_in_its_row_or_column_alone() -> None:
    puzzle = puzzle_of(CARS)
    reach = RelaxedReachability(puzzle)
    assert [place.anchor for place in reach.places(standing_at(puzzle, 8))] == [8, 9, 10]
    assert [place.anchor for place in reach.places(standing_at(puzzle, 2))] == [2, 6, 10]
    assert len(ProvisionalFacts(puzzle).facts) == 9


def test_steps_are_between_those_places() -> None:
    puzzle = puzzle_of(CARS)
    facts, board = ProvisionalFacts(puzzle), puzzle.board
    assert board is not None
    for first, far, there, back in ((8, 1, "right", "left"), (2, 4, "down", "up")):
        piece = standing_at(puzzle, first)
        own = facts.facts_of_class(piece.id)
        directions = tuple(d for d in board.straight if d.name in (there, back))
        steps = [
            (
                facts.facts[own[step.start]].cell,
                step.direction.name,
                facts.facts[own[step.end]].cell,
            )
            for step in facts.steps_of(piece.id, directions)
        ]
        ends = [(first, first + far), (first + far, first + 2 * far)]
        assert sorted(steps) == sorted(
            [(a, there, b) for a, b in ends] + [(b, back, a) for a, b in ends]
        )


@pytest.mark.parametrize(
    "more",
    [
        "push: {before: [block, empty], after: [empty, block]}",
        "rush: {slide: block, distance: blocked}",
        "press: {slide: block, carries: block}",
    ],
)
def test_the_targets_of_other_moves_are_not_restricted(more: str) -> None:
    text = "puzzle: more\nboard: |\n  a..\n  #.#\nlegend: {a: block, '.': floor, '#': wall}\n"
    rules = "  along: {slide: block, directions: [right]}\n"
    alone = puzzle_of(f"{text}pieces: {{block: {{}}}}\nmoves:\n{rules}")
    both = puzzle_of(f"{text}pieces: {{block: {{}}}}\nmoves:\n{rules}  {more}\n")
    assert [place.anchor for place in RelaxedReachability(alone).places(alone.classes[0])] == [
        0,
        1,
        2,
    ]
    assert [place.anchor for place in RelaxedReachability(both).places(both.classes[0])] == [
        0,
        1,
        2,
        4,
    ]


@given(slides())
def test_the_task_is_the_same_as_with_all_places(text: str) -> None:
    compiled = compiled_or_none(text)
    if compiled is None:
        return
    puzzle = compiled.puzzle
    task = ground(puzzle)
    with patch.object(module, "RelaxedReachability", Everywhere):
        assert repr(ground(puzzle)) == repr(task)

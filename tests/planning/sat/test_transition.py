"""Merged and free moves must not pass through a forbidden state; all encodings allow the same walks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import fewest
from fewest.planning.asp import program_texts
from fewest.planning.free_graph import free_graph
from fewest.planning.task import PlanningTask, planning_task
from tests.helpers.layers import UNPRUNED, asp_walks, layered, unpruned, walks

# A must not be in the middle while B or C is in certain cells, but it can take the other path.
PASSAGE = """
puzzle: passage
board: |
  A.B
  .C.
pieces: {block: {letters: A-Z}}
legend: {".": floor}
moves: {slide: {slide: block}}
goal: {A: {at: [0, 2]}}
forbid:
  - {all: [{A: {at: [0, 1]}}, {B: {at: [1, 2]}}]}
  - {all: [{A: {at: [1, 1]}}, {B: {at: [0, 2]}}, {C: {at: [0, 1]}}]}
  - {all: [{B: {at: [0, 1]}}, {C: {at: [1, 0]}}]}
metrics: {turns: {merge: path}}
"""


# The free moves of two pieces `a` form one graph of their places; `forbid` excludes a corner for an `a`.
WALKERS = """
puzzle: walkers
board: |
  ab.
  a..
legend: {".": floor, a: a, b: b}
pieces: {a: {}, b: {}}
moves:
  walk: {before: [a, empty], after: [empty, a]}
  push: {before: [a, b, empty], after: [empty, a, b], directions: horizontal}
goal: {b: {touches: left}}
forbid: {all: [{a: {at: [1, 2]}}, {b: {touches: right}}]}
metrics: {pushes: {count: {walk: 0, push: 1}}}
"""


def passage() -> PlanningTask:
    compiled = fewest.load("passage.yaml", text=PASSAGE)
    planning = planning_task(compiled.task, compiled.puzzle.metrics["turns"])
    assert any(mask.bit_count() > 1 for move in planning.moves for mask, _ in move.avoid)
    return planning


def walkers() -> PlanningTask:
    compiled = fewest.load("walkers.yaml", text=WALKERS)
    planning = planning_task(compiled.task, compiled.puzzle.metrics["pushes"])
    values = free_graph(planning).values
    assert max(value.bit_count() for value in values) == 2 and planning.forbid
    return planning


@pytest.mark.parametrize("horizon", [1, 2, 3])
@pytest.mark.parametrize("made", [passage, walkers])
@pytest.mark.parametrize("profile", UNPRUNED)
def test_a_profile_has_a_model_for_every_walk_without_forbidden_states(
    profile: str, made: Callable[[], PlanningTask], horizon: int
) -> None:
    planning = made()
    assert layered(planning, unpruned(profile), horizon) == walks(planning, horizon)


@pytest.mark.parametrize("horizon", [1, 2, 3])
@pytest.mark.parametrize("made", [passage, walkers])
def test_the_asp_programs_have_an_answer_set_for_the_same(
    made: Callable[[], PlanningTask], horizon: int
) -> None:
    planning = made()
    texts = [text for text in program_texts(planning) if "undoes(" not in text]
    assert asp_walks(planning, texts, horizon, is_exact=False) == walks(planning, horizon)

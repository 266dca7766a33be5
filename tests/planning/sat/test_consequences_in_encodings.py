"""Every model of an encoding with consequences agrees with the reference interpreter, and enough sweeps are encoded."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

import fewest
from fewest.grounding.ground import ground
from fewest.model.metric import metric_of
from fewest.planning.asp import program_texts
from fewest.planning.conditional_effects import usual_rounds
from fewest.planning.task import PlanningTask, planning_task
from tests.helpers.layers import UNPRUNED, asp_walks, layered, unpruned, walks

# Moves change only `a`. Consequences make `b` fall and capture `c`, and set `x`.
FALLING = """
puzzle: falling
legend: {".": floor, a: a, b: b, c: c}
pieces: {a: {}, b: {}, c: {}}
variables: {x: {values: [1, 2], initial: 1}}
moves: {go: {before: [a, empty], after: [empty, a], directions: horizontal}}
then:
  fall: {slide: b, directions: down}
  take: {before: [b, c], after: [b, empty], directions: right, set: {x: 2}}
order: bottom-up
goal: {count: {c: 0}}
board: |
  .b.
  .a.
  ..c
"""


def falling() -> PlanningTask:
    """A task with the sweeps that its longest move needs: two for a fall of two cells, and one for the capture."""
    task = ground(fewest.load("falling.yaml", text=FALLING).puzzle, most_divided=0)
    assert task.consequences
    planning = planning_task(task, metric_of(task, None))
    assert planning.rounds == usual_rounds(task) == 3
    return replace(planning, has_all_rounds=True)


@pytest.mark.parametrize("profile", UNPRUNED)
def test_a_profile_has_a_model_for_every_walk_with_consequences(profile: str) -> None:
    planning = falling()
    assert layered(planning, unpruned(profile), 2) == walks(planning, 2)


def test_the_asp_program_has_an_answer_set_for_the_same() -> None:
    planning = falling()
    texts = [text for text in program_texts(planning) if "undoes(" not in text]
    assert asp_walks(planning, texts, 2, is_exact=False) == walks(planning, 2)


def test_fewer_rounds_leave_the_results_of_longer_moves_open() -> None:
    planning = replace(falling(), rounds=1, has_all_rounds=False)
    whole = unpruned("bare")
    found, played = layered(planning, whole, 1), walks(planning, 1)
    assert played < found
    assert played == layered(replace(planning, rounds=3, has_all_rounds=True), whole, 1)

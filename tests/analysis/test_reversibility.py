"""Every move that the analysis calls reversible can be undone, in random and in shipped puzzles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given

import fewest
from fewest.analysis.reversibility import is_reversible
from fewest.model.costs import cost_table
from fewest.model.problem import sets_in, words_of
from fewest.playing.exhaust import TooManyPositionsError, exhaust
from fewest.search.batches import expand
from tests.helpers.agreement import LIMIT, compiled_or_none, relaxed, states_by_expansion
from tests.helpers.random_puzzles import puzzles


@pytest.mark.parametrize(
    ("name", "metric", "expected"),
    [
        ("tiles-3x4", "moves", True),
        ("heng-dao-li-ma", "turns", True),
        ("heng-dao-li-ma", "steps", True),
        ("hardest-6x6", "slides", True),
        ("hanoi", "moves", True),
        ("microban-001", "pushes", False),
        ("english", "jumps", False),
        ("jugs", "moves", False),
    ],
)
def test_sliding_can_be_undone_and_jumping_cannot(name: str, metric: str, expected: bool) -> None:
    task = fewest.load(name).task
    assert is_reversible(task, cost_table(task, task.metrics[metric])) is expected


@relaxed
@given(puzzles())
def test_operators_that_are_proved_reversible_are_reversible(text: str) -> None:
    """For every reversible move, another move leads back. (The tests of searches on disk check this for merged
    moves.)"""
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    task = compiled.task
    metrics = [m for m in compiled.puzzle.metrics.values() if len(m.parts) == 1]
    assume(any(is_reversible(task, cost_table(task, metric)) for metric in metrics))
    try:
        exhaust(compiled.puzzle, metrics[0], LIMIT)
    except TooManyPositionsError:
        assume(False)
    states = states_by_expansion(compiled)
    rows = np.frombuffer(bytes(words_of(sorted(states), task.words)), np.uint64)
    rows = rows.reshape(-1, task.words)
    found, parents, _ = expand(task.problem, rows)
    moves = set(zip(sets_in(rows[parents], task.words), sets_in(found, task.words), strict=True))
    # No move leads back to a forbidden start.
    gone = task.initial if task.is_forbidden(task.initial) else None
    assert all((after, before) in moves for before, after in moves if before != gone), text

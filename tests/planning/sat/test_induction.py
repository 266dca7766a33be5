"""k-induction respects its time limit, and makes an attempt even in a short time."""

from __future__ import annotations

import time
from math import inf

import numpy as np
import pytest

import fewest
from fewest.model.answer import LimitReached
from fewest.model.metric import metric_of
from fewest.planning.bounds import Bounds
from fewest.planning.sat import induction as induction_module
from fewest.planning.sat.encoding import Encoding
from fewest.planning.sat.induction import Induction
from fewest.planning.sat.messages import Reply, Request
from fewest.planning.sat.profile import load_profile
from fewest.planning.sat.solver import open_solver
from fewest.planning.task import planning_task

SWAPPED = "puzzle: swapped\nmodel: tiles\nboard: |\n  21\n  3_\ngoal:\n  board: |\n    12\n    3_\n"


def encoding() -> Encoding:
    task = fewest.load("swapped.yaml", text=SWAPPED).task
    planning = planning_task(task, metric_of(task, None))
    return Encoding(Bounds(planning), load_profile("incremental"))


@pytest.mark.parametrize("layers", [12, 500])
def test_the_step_closes_on_a_ring_of_positions_that_has_no_goal(
    layers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The twelve positions without the goal form a ring, so no simple path has twelve moves. In the ring
    # that contains the goal, the goal ends a simple path of eleven moves.
    monkeypatch.setattr(induction_module, "MAX_LAYERS", layers)
    solver = open_solver("cadical153", None)
    induction = Induction(encoding(), solver)
    assert not induction.closes(5, inf, inf)
    assert induction.length == 6
    assert induction.closes(100, inf, inf)
    assert induction.length == 11
    solver.close()


def test_variables_that_compare_layers_belong_to_no_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(induction_module, "MAX_LAYERS", 12)
    solver = open_solver("cadical153", None)
    induction = Induction(encoding(), solver)
    clauses = induction._differ([(0, 12)])
    variables = np.unique(np.abs(np.concatenate([rows.ravel() for rows in clauses])))
    num_facts, per_layer = len(induction.encoding.state.fact), induction.encoding.num_variables
    layers, comparing = variables[:-num_facts], variables[-num_facts:]
    assert layers.max() <= 13 * per_layer < comparing.min()
    assert set(layers // per_layer) <= {0, 12}
    solver.close()


class NeverDone:
    """A solver whose calls always reach their limit."""

    name, is_incremental = "never done", True

    def __init__(self) -> None:
        self.deadlines: list[float] = []

    def solve(self, request: Request, deadline: float) -> Reply:
        assert request.is_new
        self.deadlines.append(deadline)
        raise LimitReached("time")

    def close(self) -> None:
        pass


def test_stopped_attempts_are_repeated_with_twice_the_time() -> None:
    solver = NeverDone()
    induction = Induction(encoding(), solver)
    began = time.perf_counter()
    assert not induction.closes(9, 0.5, inf)
    (until,) = solver.deadlines
    assert began + 0.5 <= until <= time.perf_counter() + 0.5
    assert not induction.closes(9, 0.9, inf)
    assert len(solver.deadlines) == 1
    assert not induction.closes(9, 1.0, inf)
    assert len(solver.deadlines) == 2
    with pytest.raises(LimitReached):
        induction.closes(9, 4.0, time.perf_counter() - 1)
    assert solver.deadlines[2] < time.perf_counter()

"""Attempts to prove that there is no plan of any length, for the engines `sat` and `asp`. Testing one horizon after
another cannot prove this.
"""

from __future__ import annotations

import time

from fewest.analysis.unsolvability import argument_of, prove_unsolvable
from fewest.model.answer import counted
from fewest.planning.bounds import Bounds
from fewest.planning.reachability import GoalRefutation, can_search
from fewest.planning.sat.induction import Induction, open_induction
from fewest.planning.sat.profile import Profile
from fewest.planning.sat.solver import SatSolver

SHARE = 0.2
"""The fraction of the elapsed time that the attempts after the first one may use."""

START = 2.0
"""The number of seconds before the first of these attempts. If there is a plan, all attempts fail; moreover,
k-induction starts the process of another solver. Starting that process takes as long as most horizons of a small
puzzle.
"""


SUM_SECONDS = 0.5
"""The time limit of the attempt with sums, which is made before the first horizon and usually takes a few hundredths of
a second.
"""


class UnsolvabilityProof:
    """Attempts to prove that no horizon has a plan. A planner makes them before the first horizon and between horizons.

    The first attempt uses sums that no move changes (`analysis/unsolvability.py`). Later attempts use property-directed
    reachability if it supports the task (`planning/reachability.py`), and k-induction by the solver otherwise. All
    proofs hold for every metric.
    """

    def __init__(self, bounds: Bounds, profile: Profile, solver: SatSolver) -> None:
        self.bounds, self.profile, self.solver = bounds, profile, solver
        self._refutation: GoalRefutation | None = None
        self._induction: Induction | None = None
        self._has_tried_sums = False
        self._began = time.perf_counter()

    def close(self) -> None:
        """Free the memory of the attempts; the solver stays open."""
        if self._refutation is not None:
            self._refutation.close()

    def attempt(self, refuted: int, deadline: float) -> str:
        """The reason why there is no plan, or an empty string if the attempt fails. `refuted`: no plan has at most this
        number of moves.

        Raises LimitReached at the deadline.
        """
        task = self.bounds.planning.task
        if not self._has_tried_sums:
            self._has_tried_sums = True
            sums = prove_unsolvable(task, min(SUM_SECONDS, deadline - time.perf_counter()))
            if sums is not None:
                return argument_of(sums)
        spent = time.perf_counter() - self._began
        if spent < START:
            return ""
        if can_search(task):
            if self._refutation is None:
                self._refutation = GoalRefutation(task)
            if not self._refutation.succeeds(SHARE * spent, deadline):
                return ""
            size = counted(self._refutation.num_cubes, "cubes")
            return f"property-directed reachability: an invariant of {size}"
        if self._induction is None:
            self._induction = open_induction(self.bounds, self.profile, self.solver)
        if not self._induction.closes(refuted, SHARE * spent, deadline):
            return ""
        return f"k-induction with k = {self._induction.length + 1}"

"""k-induction with simple paths, a way to prove that a puzzle has no plan.

The proof has two parts. Base: no plan has fewer than k moves; the horizons prove this. Step: no path of k moves begins
in a state that satisfies the invariants, visits no state twice, and has a goal state at its end but nowhere else. The
last k moves of a minimal plan with k or more moves would be such a path, so there is no such plan. Sheeran, Singh and
Stålmarck, Checking safety properties using induction and a SAT-solver (2000). The proof is sound in every metric,
because a minimal plan visits no state twice.

Clauses that make the states of two layers different are added only for pairs of layers that were equal in some model
(Eén and Sörensson, Temporal induction by incremental SAT solving, 2003).
"""

from __future__ import annotations

import time

from msgspec.structs import replace

from fewest.model.answer import LimitReached
from fewest.planning.bounds import Bounds
from fewest.planning.sat.clauses import Formula, formula, packed
from fewest.planning.sat.encoding import Encoding
from fewest.planning.sat.messages import Request
from fewest.planning.sat.profile import Profile
from fewest.planning.sat.solver import SatSolver

MAX_LAYERS = 500
"""The variables that compare layers have numbers above those of the variables of this many layers."""


def open_induction(bounds: Bounds, profile: Profile, solver: SatSolver) -> Induction:
    """The induction for a task, with the encoding that this profile describes.

    If the profile includes exactly-k groups only where they save time (`adaptive`), the encoding contains all of them:
    a path may begin in any state, and only these groups exclude states that have the wrong number of pieces.
    """
    if profile.state.exactly == "adaptive":
        profile = replace(profile, state=replace(profile.state, exactly="counters"))
    return Induction(Encoding(bounds, profile), solver)


class Induction:
    """The steps for k = 1, 2, … in one incremental solver, with a time limit."""

    def __init__(self, encoding: Encoding, solver: SatSolver) -> None:
        self.encoding = encoding
        self.solver = solver
        self.length = 0
        self.have = -1
        self.spent = 0.0
        self._retry_from = 0.0  # the value of `allowed` from which the next attempt is made
        self._differences: Formula = []
        self._next_variable = encoding.num_variables * (MAX_LAYERS + 1) + 1

    def closes(self, refuted: int, allowed: float, deadline: float) -> bool:
        """Whether the step is proved for some k up to `refuted` + 1.

        The function stops after `allowed` seconds, counted over all calls. Raises LimitReached when the deadline
        passes.
        """
        if allowed <= 0 or allowed < self._retry_from:
            return False
        while self.length <= min(refuted, MAX_LAYERS - 1) and self.spent < allowed:
            began = time.perf_counter()
            until = min(deadline, began + allowed - self.spent)
            try:
                verdict = self._step(self.length + 1, until)
            except LimitReached:
                # The solver was interrupted. The next attempt uses a new solver; it is made only when much more time is
                # allowed.
                self.have = -1
                self._retry_from = 2 * allowed
                if time.perf_counter() >= deadline:
                    raise
                return False
            finally:
                self.spent += time.perf_counter() - began
            if verdict is None:
                return False
            if not verdict:
                return True
            self.length += 1
        return False

    def _step(self, k: int, deadline: float) -> bool | None:
        """Whether some simple path of k moves ends in a goal state and visits no other goal state. The result is None
        if time runs out between two queries. Raises LimitReached if it runs out during a query.
        """
        encoding = self.encoding
        clauses: Formula = []
        is_new = self.have < 0
        if k > self.have:
            clauses += encoding.layers(self.have, k, is_open=True)
            clauses += encoding.known(range(max(self.have, 0), k), range(max(self.have, 0), k))
            clauses += self._differences if is_new else []
            self.have = k
        while True:
            request = Request(packed(clauses), is_new, [encoding.goal(k)])
            reply = self.solver.solve(request, deadline)
            if not reply.verdict or reply.model is None:
                return reply.verdict
            states = encoding.states(reply.true_variables(), k)
            first: dict[int, int] = {}
            equal: list[tuple[int, int]] = []
            for layer, state in enumerate(states):
                if state in first:
                    equal.append((first[state], layer))
                first[state] = layer
            if not equal:
                return True
            if time.perf_counter() > deadline:
                return None
            clauses, is_new = self._differ(equal), False

    def _differ(self, pairs: list[tuple[int, int]]) -> Formula:
        """Clauses that require the two states of each of these pairs of layers to differ in some fact."""
        out: list[list[int]] = []
        for one, other in pairs:
            some: list[int] = []
            for fact in self.encoding.state.fact:
                differs = self._next_variable
                self._next_variable += 1
                x = fact + one * self.encoding.num_variables
                y = fact + other * self.encoding.num_variables
                out += [[-differs, x, y], [-differs, -x, -y]]
                some.append(differs)
            out.append(some)
        clauses = formula(out)
        self._differences += clauses
        return clauses

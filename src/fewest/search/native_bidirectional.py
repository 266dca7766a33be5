"""The native core's search from both ends; see `interface.Search`."""

from __future__ import annotations

from msgspec.structs import replace

from fewest.model.costs import CostTable
from fewest.model.problem import Problem, sets_in, words_of
from fewest.search import _native, native
from fewest.search.cost_packing import CostPacking
from fewest.search.interface import InverseProblem, Meeting, Outcome
from fewest.search.native import (
    NativeSearch,
    bound_costs,
    bound_problem,
    bytes_of,
    check_cost,
    outcome_of,
)


class MeetingSearch(NativeSearch[_native.BidirectionalSearch]):
    """The search that `bidirectional.make_bidirectional` returns."""

    def __init__(
        self, problem: Problem, cost: CostTable, back: InverseProblem, memory: int | None, file: str
    ) -> None:
        check_cost(problem, cost)
        self.problem, self.cost, self.back = problem, cost, back
        units = CostPacking(cost)
        made = _native.make_bidirectional(
            bound_problem(problem),
            bound_costs(units.costs),
            bound_problem(back.problem),
            bound_costs(back.costs(units.costs)),
            words_of(back.goals, problem.words),
            memory=bytes_of(memory),
            file=file,
            save_every=native.SAVE_EVERY,
        )
        super().__init__(made, units)
        self.met: Meeting | None = None

    def meeting(self) -> Meeting:
        """The result, with the radius of each side."""
        if self.met is not None:
            return self.met
        found = self.native.outcome()
        plan = [*found.plan, *(self.back.operators[step] for step in found.backward_plan)]
        if found.status == "goal" and not plan:
            from fewest.search.pure.bidirectional import operators_along

            waypoints = sets_in(found.waypoints, self.problem.words)
            plan = operators_along(self.problem, self.cost, waypoints)
        outcome = replace(
            outcome_of(found, self.units),
            plan=tuple(plan),
            num_goal_states=len(self.back.goals),
            algorithm=f"bidirectional {found.algorithm}",
        )
        meeting = Meeting(
            outcome,
            (found.forward_states, found.backward_states),
            (self.units.split(found.forward_cost), self.units.split(found.backward_cost)),
        )
        if found.status in ("goal", "exhausted"):
            self.met = meeting  # cached, because computing the plan takes milliseconds
        return meeting

    def outcome(self) -> Outcome:
        return self.meeting().outcome

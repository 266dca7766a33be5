"""The result of exploring a state space, as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from fewest.commands.audit import Audit, played
from fewest.commands.limited import LimitedResult
from fewest.model.answer import Cost, counted
from fewest.model.notebook_repr import html_of

Histogram = tuple[tuple[Cost, int], ...]


class GoalDistanceSummary(Struct, frozen=True):
    """A summary of the distances of the reachable states to the goal.

    `histogram` counts the solvable states at each distance; `num_dead` is the number of all other states. The
    `num_hardest` farthest states have the distance `eccentricity`; `hardest` is the smallest of them, as an integer.
    Both are None if no state is solvable.
    """

    num_solvable: int
    num_dead: int
    histogram: Histogram
    eccentricity: Cost | None
    num_hardest: int
    hardest: int | None


class Exploration(LimitedResult, Struct, frozen=True):
    """The result of an exploration. No number is an estimate. Unless stated otherwise, None means that a number was not
    computed.

    `layers` counts the states at each distance from the start; the last distance is the `eccentricity`. Unless
    `is_exhausted` is true, `eccentricity` and the counts cover only the part that was searched. `minimum` is the lowest
    cost from the start to a goal position; None if no goal position was reached. `reason` is the reason why the
    exploration stopped early: "time", "memory", "disk" or "interrupted". `canonical_states` is the number of states
    that a search by symmetry visited; the counts include their images. `num_consistent` counts the states that satisfy
    all known invariants, even if they are not reachable (`space.index`); None if there are too many states to count.
    `is_to_depth`: whether the layers end at the requested depth and further layers exist. `unmeasured`: if only the
    distances from the start were measured, the reason why the goal distances were not. `store` is the folder that
    remains after a search on disk. `audited` is the result of the audit, if there was one.
    """

    metric: str
    is_exhausted: bool
    reason: str | None
    num_states: int
    num_goal_states: int
    layers: Histogram
    minimum: Cost | None
    goal_distances: GoalDistanceSummary | None
    num_plans: int | None
    seconds: float
    canonical_states: int | None = None
    num_consistent: int | None = None
    is_to_depth: bool = False
    unmeasured: str | None = None
    store: str | None = None
    audited: Audit | None = None
    store_figures: Mapping[str, Any] | None = None
    """the folder, the bytes and the workers of a search on disk, as in the statistics of `solve`"""
    num_traces: int | None = None
    """the number of optimal plans up to the order of independent moves, if they can be counted quickly"""

    def __repr__(self) -> str:
        at_least = "" if self.is_exhausted or self.is_to_depth else "at least "
        return f"<Exploration: {at_least}{counted(self.num_states, 'positions')}, {self.metric}>"

    def _repr_html_(self) -> str | None:
        return html_of(self)

    @property
    def eccentricity(self) -> Cost:
        """The greatest distance of a state from the start."""
        return self.layers[-1][0]

    @property
    def is_unique(self) -> bool | None:
        """Whether there is exactly one optimal plan; None if the number of optimal plans is unknown."""
        return None if self.num_plans is None else self.num_plans == 1

    def to_json(self) -> dict[str, Any]:
        """The plain data without the puzzle and the drawing, which `hardest.to_json` adds."""
        known = self.goal_distances
        return {
            "metric": self.metric,
            "exhausted": self.is_exhausted,
            "to_depth": self.is_to_depth,
            "reason": self.reason,
            "states": self.num_states,
            "consistent_states": self.num_consistent,
            "goal_states": self.num_goal_states,
            "canonical_states": self.canonical_states,
            "minimum": self.minimum,
            "optimal_plans": self.num_plans,
            "optimal_plans_up_to_order": self.num_traces,
            "unique": self.is_unique,
            "eccentricity": self.eccentricity if self.is_exhausted else None,
            "layers": [list(row) for row in self.layers],
            "solvable": None if known is None else known.num_solvable,
            "dead": None if known is None else known.num_dead,
            "goal_distances": None if known is None else [list(row) for row in known.histogram],
            "goal_eccentricity": None if known is None else known.eccentricity,
            "hardest_states": None if known is None else known.num_hardest,
            "seconds": self.seconds,
            "store": None if self.store_figures is None else dict(self.store_figures),
            "audit": played(self.audited),
        }

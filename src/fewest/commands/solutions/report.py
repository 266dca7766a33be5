"""The report on all optimal plans, as data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from fewest.commands.audit import Audit, played
from fewest.drawing.text import draw
from fewest.errors import Exit
from fewest.model.answer import Cost
from fewest.model.position import Position
from fewest.playing.plan import Plan

if TYPE_CHECKING:
    from fewest.space.plan_graph import PlanGraph


class Bottleneck(Struct, frozen=True):
    """A position that every optimal plan passes through, and the cost from this position to the goal."""

    left: Cost
    position: Position


class PlansOfCost(Struct, frozen=True):
    """The plans of one cost: their number, and their number up to the order of independent moves.

    For costs above the minimum, the second number is counted only if all moves cost the same and do not merge.
    """

    cost: Cost
    num_plans: int
    num_traces: int | None


class Solutions(Struct, frozen=True):
    """The report on all optimal plans. A number is None if it was not counted; `minimum` is also None if the puzzle is
    unsolvable. All numbers are exact, except that `num_orbits` is an upper bound if the search for symmetries may have
    missed some (`is_symmetry_whole` is false).

    `num_traces` is the number of plans up to the order of independent moves, and `num_orbits` is the number of plans
    that are also different up to symmetry (with `num_symmetries` symmetries, including the identity). `shared` contains
    the `num_shared` counted moves that occur in every plan, as text; the first access replays a plan by the rules
    (`shared_texts`). All plans together have `num_moves` different counted moves. `plans` contains plans of
    different traces, at most the requested number. `beyond` contains the number of plans for each cost up to `at_most`;
    if `at_most` is below the minimum, the list contains a single row, without plans. If `num_traces` is unknown
    although no limit was reached, `uncounted` gives the reason. `graph` contains the positions and the moves of all
    optimal plans, for further computations.
    """

    puzzle: str
    title: str
    metric: str
    status: Literal["optimal", "unsolvable", "limit"]
    minimum: Cost | None
    num_plans: int | None
    num_traces: int | None
    num_orbits: int | None
    num_symmetries: int | None
    is_symmetry_whole: bool | None
    num_moves: int | None
    num_shared: int | None
    shared_texts: Callable[[], tuple[str, ...]]
    bottlenecks: tuple[Bottleneck, ...]
    plans: tuple[Plan, ...]
    beyond: tuple[PlansOfCost, ...]
    reason: str | None
    uncounted: str | None
    seconds: float
    graph: PlanGraph | None = None
    audited: Audit | None = None

    def __repr__(self) -> str:
        return f"<Solutions {self.puzzle}: {self.num_plans} plans, {self.num_traces} up to order>"

    @property
    def shared(self) -> tuple[str, ...]:
        """The moves that occur in every plan."""
        return self.shared_texts()

    @property
    def is_unique(self) -> bool | None:
        """Whether there is one optimal plan up to the order of independent moves; None if the number of plans is
        unknown.
        """
        if self.num_traces is not None:
            return self.num_traces == 1
        return True if self.num_plans == 1 else None

    @property
    def exit_code(self) -> Exit:
        """The exit code, which shows whether a limit stopped the search and whether there is a plan."""
        if self.status == "unsolvable":
            return Exit.UNSOLVABLE
        return Exit.LIMIT if self.reason is not None else Exit.ANSWERED

    def to_json(self) -> dict[str, Any]:
        """The plain data that `--json` prints."""
        return {
            "puzzle": self.puzzle,
            "title": self.title,
            "metric": self.metric,
            "status": self.status,
            "reason": self.reason,
            "minimum": self.minimum,
            "plans": self.num_plans,
            "plans_up_to_order": self.num_traces,
            "plans_up_to_symmetry": self.num_orbits,
            "symmetries": self.num_symmetries,
            "all_symmetries": self.is_symmetry_whole,
            "unique": self.is_unique,
            "uncounted": self.uncounted,
            "different_moves": self.num_moves,
            "shared_moves": None if self.num_shared is None else list(self.shared),
            "bottlenecks": [
                {"left": one.left, "position": draw(one.position, one.position.puzzle.labels)}
                for one in self.bottlenecks
            ],
            "listed": [plan.to_json() for plan in self.plans],
            "at_most": [
                {"cost": row.cost, "plans": row.num_plans, "plans_up_to_order": row.num_traces}
                for row in self.beyond
            ],
            "seconds": self.seconds,
            "audit": played(self.audited),
        }

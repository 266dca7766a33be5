"""What a question is answered with: a result that says which kind of answer it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from fewest.playing.plan import Plan

Status = Literal["optimal", "unsolvable", "solved", "limit"]
Cost = int | tuple[int, ...]

EXIT_OF_STATUS: Mapping[str, int] = {"optimal": 0, "solved": 0, "unsolvable": 10, "limit": 4}


@dataclass(frozen=True)
class Limits:
    """When an engine gives up: wall-clock `seconds`, `memory` in bytes; None is no limit."""

    seconds: float | None = None
    memory: int | None = None


class LimitReached(Exception):  # noqa: N818 - an outcome, not an error
    """Raised inside an engine to get out of its loops; it never leaves the engine.

    `reason` is "time" or "memory".
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Horizon:
    """What bounded-horizon planning said of one number of moves: `plan` or `no plan`.

    `variables` and `clauses` are those of the question (in clingo, of the program and its nogoods).
    """

    horizon: int
    verdict: str
    seconds: float
    conflicts: int | None = None
    variables: int | None = None
    clauses: int | None = None


@dataclass(frozen=True)
class Answer:
    """What an engine found on a task; `plan` holds operator ids, costs have a number for each part.

    `reason` says why an engine stopped early: "time", "memory", "horizon" (the last one that was to be
    asked) or "interrupted". `engine` is who answered, if it is not who was asked.
    """

    status: Status
    cost: tuple[int, ...] | None
    lower_bound: tuple[int, ...]
    plan: tuple[int, ...] | None
    reason: str | None = None
    statistics: Mapping[str, Any] = field(default_factory=dict)
    engine: str | None = None


@dataclass(frozen=True)
class Result:
    """The answer to "what is the fewest moves?".

    - `optimal`: `cost` is proven minimal, `plan` is validated by the reference interpreter.
    - `unsolvable`: proven; there is no plan.
    - `solved`: a validated plan without a proof that it is minimal.
    - `limit`: stopped (`reason`: time, memory, horizon, interrupted); no plan costs less than `lower_bound`.

    Costs are a number, or a pair for a lexicographic metric.
    """

    puzzle: str
    title: str
    status: Status
    cost: Cost | None
    lower_bound: Cost
    plan: Plan | None
    metric: str
    engine: str
    reason: str | None
    statistics: Mapping[str, Any]

    @property
    def is_proven(self) -> bool:
        """Whether the question is settled."""
        return self.status in ("optimal", "unsolvable")

    def summary(self) -> str:
        """The answer in one line."""
        if self.status == "unsolvable":
            return f"{self.title}: unsolvable (proven: {self._evidence()})"
        if self.status == "limit":
            why = {
                "time": "time limit",
                "memory": "memory limit",
                "interrupted": "interrupted",
            }
            stop = why.get(self.reason or "", "stopped")
            found = (
                "no plan found"
                if self.cost is None
                else f"a plan of {format_cost(self.cost)} found"
            )
            bound = format_cost(self.lower_bound)
            if self.reason == "horizon" and isinstance(self.lower_bound, int):
                return f"{self.title}: no plan of at most {self.lower_bound - 1:,} {self.metric} (proven)"
            return (
                f"{self.title}: {stop}; {found}, at least {bound} {self.metric} are needed (proven)"
            )
        cost = format_cost(self.cost if self.cost is not None else 0)
        proof = (
            f"proven minimal: {self._evidence()}"
            if self.status == "optimal"
            else "not proven minimal"
        )
        return f"{self.title}: {cost} {self.metric} ({proof})"

    def _evidence(self) -> str:
        states, horizons = self.statistics.get("states"), self.statistics.get("horizons")
        symmetry = self.statistics.get("symmetry")
        if states is not None and symmetry is not None:
            canonical = symmetry["canonical_states"]
            if not symmetry["fixes_start"]:
                return f"{self.engine}, {canonical:,} states up to symmetry"
            return f"{self.engine}, {states:,} states by symmetry from {canonical:,}"
        if states is not None:
            return f"{self.engine}, {states:,} states"
        if "argument" in self.statistics:
            return f"{self.engine}, {self.statistics['argument']}"
        if horizons and isinstance(self.lower_bound, int) and self.lower_bound:
            return f"{self.engine}, no plan of at most {self.lower_bound - 1:,}"
        return self.engine

    def to_json(self) -> dict[str, Any]:
        """Plain data: the same that `--json` prints."""
        return {
            "puzzle": self.puzzle,
            "title": self.title,
            "status": self.status,
            "cost": self.cost,
            "lower_bound": self.lower_bound,
            "metric": self.metric,
            "engine": self.engine,
            "reason": self.reason,
            "plan": None if self.plan is None else self.plan.to_json(),
            "statistics": {
                key: [asdict(h) for h in value] if key == "horizons" else value
                for key, value in self.statistics.items()
            },
        }

    def __str__(self) -> str:
        lines = [self.summary()]
        if self.plan is not None and self.plan.moves:
            lines.append(self.plan.text())
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from html import escape

        plan = "" if self.plan is None else escape(self.plan.text(positions=True))
        return f"<b>{escape(self.summary())}</b><pre style='line-height:1.2'>{plan}</pre>"


def format_cost(cost: Cost) -> str:
    """`81`, or `8 + 33` for a pair."""
    return f"{cost:,}" if isinstance(cost, int) else " + ".join(f"{part:,}" for part in cost)


def single(cost: tuple[int, ...]) -> Cost:
    """A cost as people say it: a number if it has one part."""
    return cost[0] if len(cost) == 1 else cost

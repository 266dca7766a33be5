"""The result of `solve`: an engine's answer with a validated plan, as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from fewest.model.answer import Cost, Status, counted, format_cost, limit_words
from fewest.playing.plan import Plan

_FEW = 24  # notebooks show a plan in expanded form if it has at most this number of moves
EXIT_OF_STATUS: Mapping[str, int] = {"optimal": 0, "solved": 0, "unsolvable": 10, "limit": 4}


class Result(Struct, frozen=True):
    """The result of `solve`.

    - `optimal`: `cost` is proven minimal, and `plan` is validated by the reference interpreter.
    - `unsolvable`: it is proven that there is no plan.
    - `solved`: `plan` is validated, but its cost is not proven minimal.
    - `limit`: a limit stopped the engine (`reason`: a key of `model.answer.LIMIT_WORDS`). No plan costs less than
      `lower_bound`; if there is a validated `plan`, the minimum is at most its `cost`.

    A cost is a number, or a pair of numbers for a lexicographic metric.
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

    def __repr__(self) -> str:
        cost = "no plan" if self.cost is None else counted(self.cost, self.metric)
        return f"<Result {self.puzzle}: {cost}, {self.status}>"

    @property
    def is_proven(self) -> bool:
        """Whether the answer is proven."""
        return self.status in ("optimal", "unsolvable")

    @property
    def is_unique(self) -> bool | None:
        """Whether there is one optimal plan up to the order of independent moves; None if the search did not determine
        this. `CompiledPuzzle.solutions` counts the plans.
        """
        if self.status == "unsolvable":
            return False
        found: bool | None = self.statistics.get("only_plan")
        return found if self.status == "optimal" else None

    def summary(self) -> str:
        """The answer in one line."""
        if self.status == "unsolvable":
            return f"{self.title}: unsolvable (proven: {self._evidence()})"
        if self.status == "limit":
            stop = limit_words(self.reason)
            if self.cost is not None:
                most = counted(self.cost, self.metric)
                if self.lower_bound in (0, (0, 0)):
                    return f"{self.title}: {stop}; at most {most} (a plan is known)"
                least = format_cost(self.lower_bound)
                return (
                    f"{self.title}: {stop}; between {least} and {most} "
                    "(no plan costs less: proven; a plan of the upper bound is known)"
                )
            bound = counted(self.lower_bound, self.metric)
            are = "is" if self.lower_bound == 1 else "are"
            if self.reason == "horizon" and isinstance(self.lower_bound, int):
                refuted = counted(self.lower_bound - 1, self.metric)
                return (
                    f"{self.title}: no plan of at most {refuted} (proven: {self.engine}); "
                    f"there may be one of {self.lower_bound:,} or more, or none"
                )
            if self.lower_bound in (0, (0, 0)):  # such a bound provides no information
                return f"{self.title}: {stop}; no plan found"
            return f"{self.title}: {stop}; no plan found, at least {bound} {are} needed (proven)"
        cost = counted(self.cost if self.cost is not None else 0, self.metric)
        return f"{self.title}: {cost} ({self._proof()})"

    def _proof(self) -> str:
        if self.status == "optimal":
            only = "; the only plan, up to the order of independent moves"
            says_only = self.is_unique and self.plan is not None and self.plan.moves
            return f"proven minimal: {self._evidence()}{only if says_only else ''}"
        factor = self.statistics.get("factor")
        if factor is None:
            return "not proven minimal"
        times = ceil(100 * factor) / 100
        bound = counted(self.lower_bound, self.metric)
        return f"at most {times:.2f} times the minimum, which is at least {bound} (proven: {self.engine})"

    def _evidence(self) -> str:
        states, horizons = self.statistics.get("states"), self.statistics.get("horizons")
        symmetry = self.statistics.get("symmetry")
        if states is not None and symmetry is not None:
            canonical = symmetry["canonical_states"]
            if not symmetry["fixes_start"]:
                return f"{self.engine}, {counted(canonical, 'states')} up to symmetry"
            return f"{self.engine}, {counted(states, 'states')} by symmetry from {canonical:,}"
        if states is not None:
            return f"{self.engine}, {counted(states, 'states')}"
        if "argument" in self.statistics:
            return f"{self.engine}, {self.statistics['argument']}"
        if horizons and isinstance(self.lower_bound, int) and self.lower_bound:
            return f"{self.engine}, no plan of at most {self.lower_bound - 1:,}"
        return self.engine

    def to_json(self) -> dict[str, Any]:
        """Plain data, as `--json` prints it."""
        return {
            "puzzle": self.puzzle,
            "title": self.title,
            "status": self.status,
            "cost": self.cost,
            "lower_bound": self.lower_bound,
            "upper_bound": self.cost,
            "metric": self.metric,
            "engine": self.engine,
            "reason": self.reason,
            "plan": None if self.plan is None else self.plan.to_json(),
            "unique": self.is_unique,
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

        from fewest.drawing.notebook import folded
        from fewest.drawing.pictures.puzzle_style import escaped
        from fewest.sanitize import shown_lines

        answer = f"<b>{escaped(self.summary())}</b>"
        if self.plan is None:
            return answer
        moves = f"<pre style='line-height:1.2;columns:26em'>{escape(shown_lines(self.plan.text()))}</pre>"
        few = len(self.plan.moves) <= _FEW
        pictures = folded("positions", self.plan.svg(), is_open=few)
        return answer + folded(counted(len(self.plan), "moves"), moves, is_open=few) + pictures

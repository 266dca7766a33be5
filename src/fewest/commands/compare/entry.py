"""The answer of each engine to one instance, and the contradictions between these answers.

This module runs no engine; it computes contradictions, distances from the minimum, and profiles from given answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field

from fewest.model.answer import Cost, Horizon, counted, single
from fewest.model.notebook_repr import html_of

if TYPE_CHECKING:
    from fewest.commands.compare.provenance import Provenance

EntryStatus = Literal[
    "optimal", "unsolvable", "solved", "limit", "refused", "invalid", "failed"
]  # the first four are also the statuses of `Result`


class CpuSeconds(Struct, frozen=True, forbid_unknown_fields=True):
    """The CPU seconds (user and system time) of an engine's process and all its descendants, by phase.

    - `grounding`: reading the document and compiling it to a task.
    - `encoding`: writing formulas or logic programs, and grounding the programs; None for engines that use neither.
    - `solving`: the rest of the engine's time; it includes the encoding if `encoding` is unknown.
    - `validation`: the audit of the task by the rules, and the replay of the plan.

    A phase that was not measured is None, for example because the process ended too early.
    """

    grounding: float | None = None
    encoding: float | None = None
    solving: float | None = None
    validation: float | None = None

    @property
    def engine(self) -> float | None:
        """The total number of seconds of encoding and solving, which are the work of the engine; None if `solving` is
        None.
        """
        return None if self.solving is None else (self.encoding or 0.0) + self.solving


class Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """The answer of one engine to one puzzle in one metric.

    - `status`: the status as in `Result`, or `refused` (the engine does not support the puzzle, the metric or an
      option), `invalid` (the puzzle cannot be grounded) or `failed` (the engine failed); for these three, `error`
      contains the reason.
    - `reason`: why the engine stopped early (a key of `model.answer.LIMIT_WORDS`, such as `time` or `killed`), or None.
    - `seconds`: the wall-clock time of the engine alone, from the grounded task to the operators of the plan.
    - `cpu`: the CPU seconds by phase. `time_limit` (seconds of wall-clock time), `memory_limit` (bytes): the limits for
      this row.
    - `memory`: the peak memory of the engine's processes, including the interpreter, in bytes; `memory_before`: the
      peak memory of the process before the engine began, in bytes.
    - `repeat`: the number of the run, counted from 1. `seed`: the seed of the engine, or None.
    - `certified`: how the checkers confirmed the answer, or why they did not; None if no certificate was requested, if
      the answer is not proven, or if the certificate was rejected (`error` then contains the reason).
    - `plan`: the validated plan as text; `moves`: the same plan as data; `statistics`: the engine's statistics.
    """

    engine: str
    status: EntryStatus
    cost: Cost | None = None
    lower_bound: Cost | None = None
    reason: str | None = None
    error: str | None = None
    seconds: float | None = None
    cpu: CpuSeconds = CpuSeconds()
    memory: int | None = None
    memory_before: int | None = None
    time_limit: float | None = None
    memory_limit: int | None = None
    repeat: int = 1
    seed: int | None = None
    certified: str | None = None
    plan: str | None = None
    moves: list[dict[str, Any]] | None = None
    statistics: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def is_proven(self) -> bool:
        """Whether the answer is proven."""
        return self.status in ("optimal", "unsolvable")

    @property
    def states(self) -> int | None:
        """The number of states that the search has reached."""
        return self.statistics.get("states")

    @property
    def horizons(self) -> tuple[Horizon, ...]:
        """The checked horizons, in the order in which they were checked."""
        return tuple(self.statistics.get("horizons", ()))

    @property
    def variables(self) -> int | None:
        """The number of variables in the formula of the last horizon."""
        return self.horizons[-1].variables if self.horizons else None

    @property
    def clauses(self) -> int | None:
        """The number of clauses in the formula of the last horizon."""
        return self.horizons[-1].clauses if self.horizons else None

    @property
    def cubes(self) -> int | None:
        """The number of cubes of the backward search."""
        cubes: int | None = self.statistics.get("backward", {}).get("cubes")
        return cubes

    @property
    def argument(self) -> str:
        """The proof, if it consists of something else than horizons or states; otherwise empty."""
        return self.statistics.get("argument", "") if self.is_proven else ""

    @property
    def conflicts(self) -> int | None:
        """The total number of conflicts over all horizons."""
        counts = [row.conflicts for row in self.horizons if row.conflicts is not None]
        return sum(counts) if counts else None

    def profile(self) -> tuple[ProfileRow, ...]:
        """The engine's work, by horizon for a planner and by layer for a search."""
        unit: int | None = self.statistics.get("unit")
        rows = [
            ProfileRow(
                self.engine,
                None if unit is None else h.horizon * unit,
                h.horizon,
                h.verdict,
                None,
                h.variables,
                h.clauses,
                h.conflicts,
                h.seconds,
                h.cubes,
            )
            for h in self.horizons
        ]
        for parts, count in self.statistics.get("layers", ()):
            cost = single(tuple(parts))
            is_refuted = self.lower_bound is not None and _parts(cost) < _parts(self.lower_bound)
            verdict = "no plan" if is_refuted or self.status == "unsolvable" else None
            if cost == self.cost:
                verdict = "plan"
            rows.append(ProfileRow(self.engine, cost, None, verdict, count))
        return tuple(rows)


PUBLISHED = "published"
"""The name of the entry that represents a known answer."""


_PROVED_HERE = re.compile(r"proved here by ([\w-]+(?: and [\w-]+)*)")


class ProfileRow(Struct, frozen=True):
    """One horizon of a planner or one layer of a search.

    `cost` is the cost of the plans that become possible for the first time in this horizon or layer (None if the engine
    ended before it reported the cost of a layer). `states` is the number of states first reached at that cost.
    """

    engine: str
    cost: Cost | None
    horizon: int | None
    verdict: str | None
    states: int | None = None
    variables: int | None = None
    clauses: int | None = None
    conflicts: int | None = None
    seconds: float | None = None
    cubes: int | None = None


def errors_of(entries: Iterable[Entry]) -> list[str]:
    """Each different error of the entries once, after the names of its engines.

    All engines use the same compiled task, so a fault of the task causes the same error in each of them.
    """
    engines: dict[str, dict[str, None]] = {}
    for entry in entries:
        if entry.error is not None:
            engines.setdefault(entry.error, {})[entry.engine] = None
    return [f"{', '.join(names)}: {error}" for error, names in engines.items()]


class Disagreement(Struct, frozen=True):
    """Two entries that cannot both be right: the entry `claim` states that no plan is as cheap as the plan of the entry
    `plan`.
    """

    claim: Entry
    plan: Entry

    def text(self, metric: str) -> str:
        """The contradiction in one line."""
        assert self.plan.cost is not None
        verb = "says that there is" if self.plan.engine == PUBLISHED else "has"
        found = f"{self.plan.engine} {verb} a plan of {counted(self.plan.cost, metric)}"
        if self.claim.status == "unsolvable":
            return f"{self.claim.engine} says that there is no plan, but {found}"
        assert self.claim.lower_bound is not None
        verb = "is" if self.claim.lower_bound == 1 else "are"
        bound = f"{counted(self.claim.lower_bound, metric)} {verb} needed"
        return f"{self.claim.engine} says that at least {bound}, but {found}"


class KnownAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    """The answer that a document or a suite expects: a minimum, or None for an unsolvable puzzle."""

    cost: Cost | None
    source: str

    def entry(self) -> Entry:
        """The answer as an entry without a plan."""
        if self.cost is None:
            return Entry(PUBLISHED, "unsolvable")
        return Entry(PUBLISHED, "optimal", self.cost, self.cost)


class Comparison(Struct, frozen=True, dict=True):
    """One instance and the answers of all engines; `parameters` are the parameters of the puzzle.

    `instance`: a hash of everything that determines the answer. `known`: the expected answer from the document or from
    the suite's table. `origins`: for each entry, the provenance of its measurement, or None if the computer, the
    programs and the command are the same as for the whole comparison; empty if all origins are None.
    """

    puzzle: str
    title: str
    file: str
    parameters: Mapping[str, int]
    metric: str
    entries: tuple[Entry, ...]
    instance: str = ""
    known: KnownAnswer | None = None
    origins: tuple[Provenance | None, ...] = ()

    def __repr__(self) -> str:
        return f"<Comparison {self.puzzle}: {self.metric}, {counted(len(self.entries), 'engines')}>"

    def _repr_html_(self) -> str | None:
        return html_of(self)

    @cached_property
    def disagreements(self) -> tuple[Disagreement, ...]:
        """The entries with claims that the cheapest plan contradicts, each paired with the entry of that plan.

        An entry claims that no plan is cheaper than its proven minimum or its lower bound, or that there is no plan. A
        cheaper plan contradicts this claim. The reference interpreter has replayed every engine's plan, so a claim that
        such a plan contradicts is wrong. A known answer also makes these claims, and its minimum counts as the cost of
        a plan, although there is no plan to replay.
        """
        known = () if self.known is None else (self.known.entry(),)
        plans = [
            entry for entry in self.entries if entry.cost is not None and entry.plan is not None
        ]
        plans += [entry for entry in known if entry.cost is not None]
        if not plans:
            return ()
        cheapest = min(plans, key=lambda entry: _parts(entry.cost))
        return tuple(
            Disagreement(entry, cheapest)
            for entry in (*self.entries, *known)
            if entry.status == "unsolvable"
            or (entry.lower_bound is not None and _parts(entry.lower_bound) > _parts(cheapest.cost))
        )

    @property
    def num_opinions(self) -> int:
        """The number of different engines that proved the answer, plus one for a known answer.

        Entries of one engine with different encodings or solvers count once, and `auto` counts as the engine that it
        chose. If the source of the known answer is `proved here by` and the names of engines, these engines count
        instead of the known answer, each of them once.
        """
        engines = {_prover(entry) for entry in self.entries if entry.is_proven}
        if self.known is None:
            return len(engines)
        proved_here = _PROVED_HERE.fullmatch(self.known.source)
        return len(engines | (set(proved_here[1].split(" and ")) if proved_here else {PUBLISHED}))

    @property
    def minimum(self) -> Cost | None:
        """The proven minimum; None if no engine has proved a minimum, or if there is a disagreement."""
        if self.disagreements:
            return None
        return next((entry.cost for entry in self.entries if entry.status == "optimal"), None)

    @property
    def is_decided(self) -> bool:
        """Whether some engine has proved the answer, or every engine has refused the instance."""
        supported = [entry for entry in self.entries if entry.status != "refused"]
        return not supported or any(entry.is_proven for entry in supported)

    def above_minimum(self, entry: Entry) -> Cost | None:
        """The difference between the cost of an entry's plan and the proven minimum, part by part; None if the minimum
        is unknown or the entry has no plan.
        """
        minimum = self.minimum
        if minimum is None or entry.cost is None:
            return None
        pairs = zip(_parts(entry.cost), _parts(minimum), strict=True)
        return single(tuple(cost - least for cost, least in pairs))


def _prover(entry: Entry) -> str:
    """The engine that proved an answer; for `auto`, the engine that it chose."""
    engine = entry.engine.partition(":")[0]
    if engine != "auto":
        return engine
    from fewest.engines.portfolio import ENGINES

    stages = entry.statistics.get("stages", ())
    answered = next((one["stage"] for one in stages if one["result"] == "answered"), engine)
    return ENGINES.get(answered, answered)


def _parts(cost: Cost | None) -> tuple[int, ...]:
    assert cost is not None
    return (cost,) if isinstance(cost, int) else tuple(cost)

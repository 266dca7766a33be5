"""The portfolio: tables of stages and their conditions as data, and the single loop that runs the searches.

When the leading search has used the budget of the next stage in the table, the loop considers that stage. Then another
search begins beside the leading search or replaces it, or the stage has no effect. Budgets count work (bytes of tables,
expansions), so the same stages run on fast and on slow machines. If several searches run, the next time slice goes to
the search that has used the least CPU time, estimated from its work. Two searches together therefore take at most about
twice as long as the faster one alone. When a search is replaced, only its proved bound and its best plan remain.

The choice of searches affects only the time, because every search of the portfolio proves the minimum. docs/engines.md
explains the numbers in the tables; `python -m bench.portfolio` measures their effect.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from math import inf
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from fewest.engines.answers import KnownPlan, with_plan
from fewest.engines.conditions import CONDITIONS, PortfolioState
from fewest.engines.stage_searches import Request, StageSearch, memory_of
from fewest.errors import UsageError
from fewest.model.answer import Answer
from fewest.search.interface import ALL, Budget, Progress

if TYPE_CHECKING:
    from fewest.search.interface import Status

Report = Callable[[Progress], None]
Name = Literal[
    "layers", "layers by symmetry", "astar", "bidirectional", "abstraction", "refutation"
]
ENGINES: dict[str, str] = {"layers": "bfs", "layers by symmetry": "bfs", "abstraction": "astar"}
"""The engine of each search that does not have the name of its engine"""


class Stage(Struct, frozen=True):
    """A row of a table: a search, and the conditions under which it begins."""

    search: Name
    after: Budget = ALL
    """the stage is considered when the total work of the leading search reaches this budget; ignored if no search
    runs
    """
    when: tuple[str, ...] = ()
    """the conditions (`conditions.CONDITIONS`) that must all hold"""
    beside: tuple[Name, ...] = ()
    """the stage begins only if one of these searches leads; the running searches continue"""
    replaces: tuple[Name, ...] = ()
    """the stage begins only if one of these searches leads; all other running searches are then discarded. If `beside`
    and `replaces` are empty, the stage begins only if no search runs. A refutation can begin even if a search runs
    """
    seconds: float = inf
    """the time limit of a refutation, in wall-clock seconds; other stages ignore it"""


TURN = 3000.0
"""The approximate CPU time of one time slice, in microseconds, if several searches run"""
SHARE_OF_MEMORY = 0.5
"""When the tables of all searches together take this fraction of the available memory, only one search continues"""

# The budgets after which stages are considered. The comments give the approximate work, and the time that it takes.
SOON = Budget(bytes=512 << 10)  # about 20,000 states of an exhaustive search; 2 ms
LATER = Budget(expansions=5_000)  # expansions of A*; 3 to 15 ms
EARLY = Budget(bytes=4 << 20)  # about 200,000 states; 20 to 50 ms
LONG = Budget(bytes=16 << 20)  # about a million states; with fewer states, symmetry saves little
LONGER = Budget(bytes=48 << 20)
LONGEST = Budget(bytes=256 << 20)

BY_LAYERS = (
    Stage("layers"),
    Stage("layers by symmetry", LONG, ("there is a symmetry",), replaces=("layers",)),
)
"""The stages of the engine `bfs` with `symmetry` auto"""

ALONE = (Stage("layers"),)
"""The stages of an exhaustive search with `symmetry` on or off"""

AMONG_PIECES = (
    Stage("astar", when=("has bounds",)),
    Stage(
        "bidirectional",
        LATER,
        ("A* has one end", "memory is roomy", "goals can be listed"),
        beside=("astar",),
    ),
    Stage("layers"),
)
"""The stages if an agent walks among pieces. The speeds of A* and of the search from both ends differ by a factor of up
to a hundred, and it cannot be predicted which of them is faster. A* is faster if the pieces are far from their places
in the goal; the search from both ends is faster if the pieces are close together.
"""

_ANY_LAYERS: tuple[Name, ...] = ("layers", "layers by symmetry")
DEFAULT = (
    Stage("layers"),
    Stage("astar", SOON, ("has bounds", "bounds pay", "goals are few"), replaces=("layers",)),
    Stage("astar", SOON, ("memory is roomy", "has bounds", "bounds pay"), beside=("layers",)),
    Stage(
        "bidirectional",
        LATER,
        ("goals are few", "the bound is near", "memory is roomy", "goals can be listed"),
        beside=("astar",),
    ),
    Stage("abstraction", EARLY, ("decided early", "names cost"), replaces=("layers",)),
    Stage("bidirectional", EARLY, ("decided early", "both ends pay"), replaces=("layers",)),
    Stage("abstraction", LONG, ("names cost",), replaces=("layers", "astar")),
    Stage("astar", LONG, ("has bounds", "bounds pay"), replaces=("layers",)),
    Stage("bidirectional", LONG, ("both ends pay",), replaces=("layers",)),
    Stage("layers by symmetry", LONG, ("there is a symmetry",), replaces=("layers",)),
    Stage("refutation", LONGER, seconds=0.2),
    Stage("abstraction", LONGER, ("names cost",), replaces=_ANY_LAYERS),
    Stage("refutation", LONGEST, seconds=2.0),
    Stage("abstraction", LONGEST, ("names cost",), replaces=_ANY_LAYERS),
)
"""The stages for all other tasks"""

AFTER_MEMORY = (
    Stage("layers", when=("layers are kept elsewhere",)),
    Stage("astar", when=("has bounds",)),
)
"""The stages that follow when the memory limit has ended a search of `auto`: A* continues with little memory, and the
search in layers may continue on disk.
"""


def run(
    stages: tuple[Stage, ...],
    request: Request,
    progress: Report | None = None,
    *,
    after_memory: tuple[Stage, ...] = (),
) -> Answer | None:
    """The answer of the first search that ends, including the name of its engine, or None if no stage began.

    In the statistics, `stages` lists the work of every search. `after_memory`: the stages that follow if the memory
    limit ends the last search. If a search raises UsageError because it does not support the task, the other searches
    continue; if no other search runs, the search in layers begins. Raises the errors of the search in layers, and all
    other errors. Ctrl-C ends all searches; the answer then contains the proved bound. If Ctrl-C arrives while no search
    runs, KeyboardInterrupt is raised.
    """
    return _Run(request, progress, after_memory).run(stages)


def run_one(
    name: Name, request: Request, search: StageSearch, progress: Report | None = None
) -> Answer:
    """The answer of one given search, with the same kind of statistics as the answer of `run`."""
    alone = _Run(request, progress, (), skips_refusals=False)
    alone.running.append(_Runner(name, search, 0.0))
    answer = alone.run(())
    assert answer is not None, "a search has begun"
    return answer


class _Runner:
    """A running search, and the CPU seconds that it has used."""

    def __init__(self, name: Name, search: StageSearch, setup: float) -> None:
        self.name, self.search = name, search
        self.cpu = setup

    def record(self, result: str) -> dict[str, Any]:
        search = self.search
        return {
            "stage": self.name,
            "cpu_seconds": round(self.cpu, 6),
            "states": search.num_states,
            "expanded": search.num_expanded,
            "bytes": search.bytes,
            "lower_bound": list(search.bound),
            "result": result,
        }


class _Run:
    def __init__(
        self,
        request: Request,
        progress: Report | None,
        after_memory: tuple[Stage, ...],
        *,
        skips_refusals: bool = True,
    ) -> None:
        self.request, self.situation = request, PortfolioState(request)
        self.progress = None if progress is None else _SteadyProgress(progress)
        self.after_memory, self.skips_refusals = after_memory, skips_refusals
        self.running: list[_Runner] = []  # the first search is the leading search
        self.records: list[dict[str, Any]] = []
        self.bound = request.zero
        self.plan: KnownPlan | None = None  # the cheapest plan of all discarded searches
        self.deciding = 0.0
        self.proof: Answer | None = None

    def run(self, stages: tuple[Stage, ...]) -> Answer | None:
        try:
            return self._run(stages)
        except KeyboardInterrupt:
            if not self.running:
                raise
            leader = self.running[0]
            return self._end(leader.search.answer(), leader, "interrupted")

    def _run(self, stages: tuple[Stage, ...]) -> Answer | None:
        for stage in stages:
            if self.running:
                if not self._may_begin(stage):
                    continue
                status = self._advance(stage.after)
                if status != "running":
                    return self._ended(status)
                if not self._may_begin(stage):  # the leading search has refused the task
                    continue
            self._consider(stage)
            if self.proof is not None:
                return self._end(self.proof, None, "answered")
        if not self.running:
            return None
        return self._ended(self._finish())

    # --- Stages ---

    def _may_begin(self, stage: Stage) -> bool:
        """Whether a stage could begin beside the leading search or instead of it, if its conditions hold."""
        leader = self.running[0].name
        return stage.search == "refutation" or leader in (*stage.beside, *stage.replaces)

    def _consider(self, stage: Stage) -> None:
        """Begin the stage if all its conditions hold."""
        began = time.process_time()
        situation = self.situation
        if self.running:
            leader = self.running[0].search
            situation.see(leader)
        made = None
        if self._holds(stage):
            if stage.search == "refutation":
                self._refute(stage.seconds)
            else:
                made = self._made(stage.search)
        spent = time.process_time() - began
        if made is None:
            self.deciding += spent
            return
        known = next((one for one in self.running if one.name == stage.search), None)
        if stage.replaces:
            for one in [*self.running]:
                if one is not known:
                    self._drop(one, "thrown away")
        if known is None:
            self.running.append(_Runner(stage.search, made, spent))

    def _holds(self, stage: Stage) -> bool:
        return all(CONDITIONS[name](self.situation) for name in stage.when)

    def _made(self, name: Name) -> StageSearch | None:
        situation = self.situation
        match name:
            case "layers":
                return situation.layers()
            case "layers by symmetry":
                return situation.by_symmetry
            case "astar":
                return situation.astar
            case "bidirectional":
                return situation.both_ends
            case _:
                return situation.abstraction

    def _refute(self, seconds: float) -> None:
        """Set `proof` if sums that no move changes, or that no move raises, show that no goal state can be reached."""
        from fewest.analysis.unsolvability import argument_of, prove_unsolvable

        began = time.process_time()
        sums = prove_unsolvable(self.request.task, min(seconds, self.request.seconds_left()))
        spent = time.process_time() - began
        is_refuted = sums is not None
        record = {"stage": "refutation", "cpu_seconds": round(spent, 6)}
        self.records.append({**record, "result": "answered" if is_refuted else "nothing found"})
        if sums is None:
            return
        seen = {"argument": argument_of(sums), "seconds": time.perf_counter() - self.request.began}
        self.proof = Answer("unsolvable", None, self.request.zero, None, None, seen)

    def _drop(self, one: _Runner, why: str) -> None:
        self.bound = max(self.bound, one.search.bound)
        known = [plan for plan in (self.plan, one.search.known_plan()) if plan is not None]
        self.plan = min(known, default=None)
        self.records.append(one.record(why))
        self.running.remove(one)
        self.situation.forget(one.search)
        one.search.close()

    def _refuse(self, one: _Runner) -> None:
        """Discard a search that does not support the task. Nothing that it has found is used."""
        record = {"stage": one.name, "cpu_seconds": round(one.cpu, 6), "result": "refused"}
        self.records.append(record)
        self.running.remove(one)
        self.situation.refuse(one.search)
        one.search.close()

    # --- Work ---

    def _advance(self, until: Budget) -> Status:
        """Advance the leading search until its total work reaches a budget; give the other searches about the same
        time.

        Returns "running", or the status of a search that has ended. A search that has ended becomes the leading search.
        """
        while not _is_reached((leader := self._leader()).search, until):
            if len(self.running) == 1:
                status = self._turn(leader, _rest(leader.search, until))
            else:
                status = self._step(until.bytes)
            if status != "running":
                return status
        return "running"

    def _finish(self) -> Status:
        """Advance the searches until one ends, and return its status."""
        status: Status = "running"
        while status == "running":
            leader = self._leader()
            status = self._step(None) if len(self.running) > 1 else self._turn(leader, ALL)
        return status

    def _leader(self) -> _Runner:
        """The leading search. If all searches have refused the task, the search in layers begins, because it supports
        every task.
        """
        if not self.running:
            self.running.append(_Runner("layers", self.situation.layers(), 0.0))
        return self.running[0]

    def _step(self, most: int | None) -> Status:
        """Run one time slice of the search that has used the least CPU time.

        A time slice of the leading search ends when its tables reach `most` bytes.
        """
        one = min(self.running, key=lambda one: one.search.spent)
        work = max(1, int(TURN / one.search.price))
        status = self._turn(one, Budget(work, most if one is self.running[0] else None))
        if status == "memory" and len(self.running) > 1:
            self._drop(one, "out of memory")
        elif status != "running":
            return status
        self._share_memory()
        self._report()
        return "running"

    def _report(self) -> None:
        """Report the combined progress of all searches: a time slice may be too short for a search to report its
        own.
        """
        if self.progress is None or not self.progress.is_due():
            return
        searches = [one.search for one in self.running]
        self.progress(
            Progress(
                cost=max([self.bound, *(search.bound for search in searches)])[0],
                num_states=sum(search.num_expanded for search in searches),
                num_expanded=sum(search.num_expanded for search in searches),
                seconds=time.perf_counter() - self.request.began,
                bytes=sum(search.bytes for search in searches),
            )
        )

    def _turn(self, one: _Runner, budget: Budget) -> Status:
        """Advance a search by a budget, and measure its CPU time. If the search ends, it becomes the leading search. If
        it refuses the task, it is discarded, and the result is "running".
        """
        began = time.process_time()
        report = self._reporting(one)
        try:
            status = one.search.advance(budget, report)
        except UsageError:
            if not self.skips_refusals or one.name == "layers":
                raise
            self._refuse(one)
            return "running"
        finally:
            one.cpu += time.process_time() - began
        if status != "running":
            self.running.remove(one)
            self.running.insert(0, one)  # `_ended` reads the answer from the first search
        return status

    def _share_memory(self) -> None:
        """If the searches together have taken much of the memory, discard all of them but one.

        If A* is running, it is the search that continues, because it needs little additional memory when memory is
        full.
        """
        if len(self.running) < 2:
            return
        size = sum(one.search.bytes for one in self.running)
        if size < SHARE_OF_MEMORY * (memory_of(self.request) + size):
            return
        names = [one.name for one in self.running]
        survivor = self.running[names.index("astar") if "astar" in names else 0]
        for one in [*self.running]:
            if one is not survivor:
                self._drop(one, "thrown away")

    def _reporting(self, one: _Runner) -> Report | None:
        report = self.progress
        if report is None:
            return None
        others = [other.search for other in self.running if other is not one]
        bound = max([self.bound, *(other.bound for other in others)])
        more = {
            "num_states": sum(other.num_expanded for other in others),
            "num_expanded": sum(other.num_expanded for other in others),
            "bytes": sum(other.bytes for other in others),
        }
        return lambda now: report(_with(now, bound[0], more))

    # --- The end ---

    def _ended(self, status: Status) -> Answer:
        """The answer after the leading search has ended. If it ended because of the memory limit, another search may
        follow.
        """
        last, *others = self.running
        for one in others:
            self._drop(one, "thrown away")
        answer = last.search.answer()
        if status != "memory":
            return self._end(
                answer, last, "answered" if status in ("goal", "exhausted") else status
            )
        engine, self.situation.ended_in_memory = last.search.engine, last.name
        self._drop(last, "out of memory")
        del last
        stages, self.after_memory = self.after_memory, ()
        for number, stage in enumerate(stages):
            self._consider(stage)
            status = self._turn(self.running[0], ALL) if self.running else "running"
            if status != "running":
                self.after_memory = stages[number + 1 :]
                return self._ended(status)
        return self._with_costs(replace(answer, engine=engine))

    def _end(self, answer: Answer, last: _Runner | None, result: str) -> Answer:
        """The answer of the last search. All other searches are discarded."""
        for one in [*self.running]:
            if one is not last:
                self._drop(one, "thrown away")
        if last is None:
            return self._with_costs(answer)
        self.records.append(last.record(result))
        last.search.close()  # reference cycles would keep its memory until the next garbage collection
        if result == "interrupted" and answer.cost is None and answer.status != "unsolvable":
            answer = replace(answer, status="limit", reason="interrupted")
        return self._with_costs(replace(answer, engine=last.search.engine))

    def _with_costs(self, answer: Answer) -> Answer:
        """The answer with the best bound and the best plan of all searches; its statistics include the work of each
        search.
        """
        if self.deciding >= 0.001:
            self.records.append({"stage": "deciding", "cpu_seconds": round(self.deciding, 6)})
        statistics = {**answer.statistics, "stages": self.records}
        is_open = answer.cost is None or answer.status == "limit"
        bound = max(answer.lower_bound, self.bound) if is_open else answer.lower_bound
        return with_plan(replace(answer, lower_bound=bound, statistics=statistics), self.plan)


class _SteadyProgress:
    """A progress callback; the reported numbers never decrease, although searches restart and alternate."""

    def __init__(self, progress: Report) -> None:
        self.progress = progress
        self.best = (0, 0, 0, 0)
        self.last = time.perf_counter()

    def is_due(self) -> bool:
        """Whether a tenth of a second has passed since the last call."""
        return time.perf_counter() - self.last >= 0.1

    def __call__(self, now: Progress) -> None:
        self.last = time.perf_counter()
        figures = (now.cost, now.num_states, now.num_expanded, now.bytes)
        self.best = tuple(map(max, self.best, figures))  # type: ignore[assignment]
        cost, states, expanded, size = self.best
        changes = {"cost": cost, "num_states": states, "num_expanded": expanded, "bytes": size}
        self.progress(replace(now, **changes))


def _with(now: Progress, bound: int, more: Mapping[str, int]) -> Progress:
    sums = {name: getattr(now, name) + count for name, count in more.items()}
    return replace(now, cost=max(now.cost, bound), **sums)


def _is_reached(search: StageSearch, until: Budget) -> bool:
    has_expanded = until.expansions is not None and search.num_expanded >= until.expansions
    return has_expanded or (until.bytes is not None and search.bytes >= until.bytes)


def _rest(search: StageSearch, until: Budget) -> Budget:
    """The part of a budget for the total work of a search that the search has not yet used."""
    expansions = until.expansions
    if expansions is not None:
        expansions = max(1, expansions - search.num_expanded)
    return Budget(expansions, until.bytes)

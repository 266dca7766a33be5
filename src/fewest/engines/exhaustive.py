"""What `bfs` and `python` share: all states, cheapest first, or one state of every orbit.

Distances to the goal are the same from a state and its images, so minima are those of the plain search
under any group of symmetries. Counts of reachable states are exact where all of the group fix the
start: then an image of what is reached is reached as soon. Else it need not be reachable at all (the
mirror image of a Klotski start often is, of a sliding-block start sometimes not), and only the states
that stand for their orbits are counted. Who asks for all states (`exhaust`) wants exact counts, so there
only the symmetries that fix the start are used.

Symmetries take a moment to find and spare nothing where the search is short. So it begins without, and
thinks again once it is long; if nothing is better, it has lost nothing and simply goes on. Whoever can tell sooner
is asked sooner (`Rethink`), since what was searched till then is thrown away.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from fewest.engines.outcomes import answer_of, counts
from fewest.errors import UsageError
from fewest.model.costs import cost_table
from fewest.model.task import facts_in
from fewest.search.interface import UnservedSymmetryError

if TYPE_CHECKING:
    from fewest.model.answer import Answer, Limits
    from fewest.model.costs import CostTable
    from fewest.model.metric import Metric
    from fewest.model.problem import Problem, Symmetry
    from fewest.model.task import Task
    from fewest.search.interface import Outcome, Progress

    Thought = Callable[[Progress], None]
    Rethink = Mapping[int, Thought]
    """Thoughts that end a search, by raising whatever its caller catches; of a number n when it is LONG / n."""

LONG = 16 << 20  # bytes of a search, about a million states: shorter, symmetry saves milliseconds
EASY = 200_000  # literals of all operators: looking for symmetries takes some 0.1 s


def search_all(
    core: Callable[..., Outcome],
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None,
    *,
    exhaust: bool,
    symmetry: str,
    threads: int | None = None,
    rethink: Rethink | None = None,
) -> Answer:
    """What a core's `search` says of a task.

    `symmetry` on: by symmetry, or UsageError with the reason; auto: by symmetry if the search is long
    and there is one that is found soon. Each of `rethink` is asked once.
    """
    began = time.perf_counter()
    problem, cost = task.problem, cost_table(task, metric)  # a second, of the largest tasks
    spent = time.perf_counter() - began
    asked = _Question(
        core,
        problem,
        cost,
        exhaust,
        inf if limits.seconds is None else max(0.0, limits.seconds - spent),
        limits.memory,
        progress,
        threads,
    )
    found = _by_symmetry(asked) if symmetry == "on" else _as_it_pays(asked, symmetry, rethink)
    outcome, group = found
    statistics = counts(outcome, layers=[[list(cost), count] for cost, count in outcome.layers])
    if outcome.endless is not None:
        operator, state = outcome.endless
        names = [task.facts[fact].name for fact in facts_in(state)]
        statistics["endless"] = {"rule": task.operators[operator].rule, "at": names}
    answer = answer_of(outcome, statistics)
    if group is None:
        return answer
    used = {
        "order": group.order,
        "fixes_start": group.fixes_initial,
        "canonical_states": outcome.canonical_states,
        "orbit_states": outcome.orbit_states,
    }
    return replace(answer, statistics={**answer.statistics, "symmetry": used})


class _Question(Struct, frozen=True):
    """What a core is asked; `seconds` is wall clock, both limits may be absent."""

    core: Callable[..., Outcome]
    problem: Problem
    cost: CostTable
    exhaust: bool
    seconds: float
    memory: int | None
    progress: Callable[[Progress], None] | None
    threads: int | None
    milestone: int | None = None

    def ask(self, symmetry: Symmetry | None = None) -> Outcome:
        extra: dict[str, Any] = {} if symmetry is None else {"symmetry": symmetry}
        if self.threads is not None:
            extra["threads"] = self.threads
        return self.core(
            self.problem,
            self.cost,
            exhaust=self.exhaust,
            seconds=self.seconds,
            memory=self.memory,
            progress=self.progress,
            milestone=self.milestone,
            **extra,
        )

    def serves(self, symmetry: Symmetry) -> bool:
        """Whether the core searches this metric by symmetry."""
        try:
            replace(self, seconds=0.0, progress=None).ask(symmetry)
        except UnservedSymmetryError:
            return False
        return True


class _BySymmetry(Exception):  # noqa: N818 - a change of mind, not an error
    """Ends a plain search that was long: `symmetry` will be faster. It got to `cost`."""

    def __init__(self, symmetry: Symmetry, cost: int) -> None:
        super().__init__()
        self.symmetry, self.cost = symmetry, cost


class SecondThoughts:
    """A progress callback that thinks as the search grows, and reports once it has thought all.

    `thoughts`: the bytes at which each is called with the progress then, ascending; any may raise. Before the last
    nothing is reported: who changes his mind begins to count anew.
    """

    def __init__(
        self, thoughts: Sequence[tuple[int, Thought]], progress: Callable[[Progress], None] | None
    ) -> None:
        self.thoughts, self.progress = list(thoughts), progress

    def __call__(self, progress: Progress) -> None:
        while self.thoughts and progress.bytes >= self.thoughts[0][0]:
            _, think = self.thoughts.pop(0)
            think(progress)
        if not self.thoughts and self.progress is not None:
            self.progress(progress)


def _as_it_pays(
    asked: _Question, mode: str, rethink: Rethink | None
) -> tuple[Outcome, Symmetry | None]:
    """The core's answer, and the symmetries that it used: none till the search is long."""

    def look_for_symmetry(progress: Progress) -> None:
        from fewest.analysis.symmetry import find_symmetry

        symmetry = find_symmetry(asked.problem, asked.cost, fix_initial=asked.exhaust, most=EASY)
        if symmetry is not None and asked.serves(symmetry):
            raise _BySymmetry(symmetry, progress.cost)

    parts = sorted((rethink or {}).items(), reverse=True)
    thoughts = [(LONG // part, thought) for part, thought in parts]
    if mode == "auto" and _may_be_layered(asked.cost):
        thoughts.append((LONG, look_for_symmetry))
    if not thoughts:
        return asked.ask(), None
    began = time.perf_counter()
    try:
        watched = SecondThoughts(thoughts, asked.progress)
        return replace(asked, progress=watched, milestone=thoughts[0][0]).ask(), None
    except _BySymmetry as found:
        symmetry, cost = found.symmetry, found.cost
    spent = time.perf_counter() - began
    outcome = replace(asked, seconds=max(0.0, asked.seconds - spent)).ask(symmetry)
    if not asked.exhaust:
        # It may be stopped before it is as far as the first one came, which had met no goal.
        outcome = replace(outcome, lower_bound=max(outcome.lower_bound, (cost,)))
    return outcome, symmetry


def _may_be_layered(cost: CostTable) -> bool:
    """Whether the native core may search a metric in layers: it has one weight, and perhaps free moves."""
    return cost.parts == 1 and len(set(cost.rows.weight[0]) - {0}) == 1


def _by_symmetry(asked: _Question) -> tuple[Outcome, Symmetry]:
    from fewest.analysis.symmetry import find_symmetry

    symmetry = find_symmetry(asked.problem, asked.cost, fix_initial=asked.exhaust)
    if symmetry is None:
        if asked.exhaust and find_symmetry(asked.problem, asked.cost) is not None:
            raise UsageError(
                "no symmetry maps the start to itself, so reachable positions cannot be counted by it",
                hint="leave --symmetry out; `fewest solve --symmetry on` can use the others",
            )
        raise UsageError(
            "no symmetry was found", hint="leave --symmetry out; the answer is the same without"
        )
    try:
        return asked.ask(symmetry), symmetry
    except UnservedSymmetryError as error:
        raise UsageError(
            "this metric is not searched by symmetry",
            hint="metrics in which every move costs the same are, and those in which one agent "
            "walks for nothing; `--engine python` does it in every metric, slowly",
        ) from error

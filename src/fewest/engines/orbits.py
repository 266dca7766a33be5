"""Whether a core searches by symmetry: one state of every orbit, and what may then be said.

Distances to the goal are the same from a state and its images, so minima are those of the plain search
under any group of symmetries. Counts of reachable states are exact where all of the group fix the
start: then an image of what is reached is reached as soon. Else it need not be reachable at all (the
mirror image of a Klotski start often is, of a sliding-block start sometimes not), and only the states
that stand for their orbits are counted. Who asks for all states (`exhaust`) wants exact counts, so there
only the symmetries that fix the start are used.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fewest.analysis.symmetry import find_symmetry
from fewest.errors import UsageError
from fewest.search.interface import UnservedSymmetryError

if TYPE_CHECKING:
    from fewest.model.costs import CostTable
    from fewest.model.problem import Problem, Symmetry
    from fewest.search.interface import Outcome

MODES = ("auto", "on", "off")
PROBE = (
    16 << 20
)  # bytes of a plain search, about a million states: below, symmetry saves milliseconds
EASY = 200_000  # literals of all operators: looking for symmetries takes some 0.1 s


@dataclass(frozen=True)
class Question:
    """What a core is asked; `seconds` is wall clock, both limits may be absent."""

    search: Callable[..., Outcome]
    problem: Problem
    cost: CostTable
    exhaust: bool
    seconds: float
    memory: int | None
    progress: Callable[..., None] | None
    threads: int | None = None

    def ask(self, symmetry: Symmetry | None = None) -> Outcome:
        extra: dict[str, Any] = {} if symmetry is None else {"symmetry": symmetry}
        if self.threads is not None:
            extra["threads"] = self.threads
        return self.search(
            self.problem,
            self.cost,
            exhaust=self.exhaust,
            seconds=self.seconds,
            memory=self.memory,
            progress=self.progress,
            **extra,
        )


def search_by(mode: str, question: Question) -> tuple[Outcome, Symmetry | None]:
    """The core's answer, and the symmetries that it used.

    `on` uses them or raises UsageError with the reason; `auto` looks for them, where that is quick, if
    a plain search has not ended after PROBE bytes.
    """
    if mode not in MODES:
        raise UsageError(f"symmetry is not `{mode}`", hint=f"choose {', '.join(MODES)}")
    if mode == "off":
        return question.ask(), None
    if mode == "on":
        return _by_symmetry(question)
    memory = question.memory
    if not _may_be_layered(question.cost) or (memory is not None and memory <= PROBE):
        return question.ask(), None
    began = time.perf_counter()
    probe = replace(question, memory=PROBE, progress=None).ask()  # a fraction of a second
    if probe.status != "memory":
        return probe, None
    symmetry = find_symmetry(
        question.problem, question.cost, fix_initial=question.exhaust, most=EASY
    )
    rest = replace(question, seconds=question.seconds - (time.perf_counter() - began))
    used = symmetry
    try:
        outcome = rest.ask(symmetry)
    except UnservedSymmetryError:
        outcome, used = rest.ask(), None
    # The second search may be stopped before it is as far as the first one came.
    return replace(outcome, lower_bound=max(outcome.lower_bound, probe.lower_bound)), used


def _may_be_layered(cost: CostTable) -> bool:
    """Whether the native core may search a metric in layers: it has one weight, and perhaps free moves."""
    weights = set(cost.weight.ravel().tolist()) - {0}
    return len(cost.run_fact) == 1 and len(weights) == 1


def _by_symmetry(question: Question) -> tuple[Outcome, Symmetry]:
    symmetry = find_symmetry(question.problem, question.cost, fix_initial=question.exhaust)
    if symmetry is None:
        if question.exhaust and find_symmetry(question.problem, question.cost) is not None:
            raise UsageError(
                "no symmetry maps the start to itself, so reachable positions cannot be counted by it",
                hint="leave --symmetry out; `fewest solve --symmetry on` can use the others",
            )
        raise UsageError(
            "no symmetry was found", hint="leave --symmetry out; the answer is the same without"
        )
    try:
        return question.ask(symmetry), symmetry
    except UnservedSymmetryError as error:
        raise UsageError(
            "this metric is not searched by symmetry",
            hint="metrics in which every move costs the same are, and those in which one agent "
            "walks for nothing; `--engine python` does it in every metric, slowly",
        ) from error

"""The input and output of an engine: limits, progress reports, costs, and an answer with its status.

`commands.result` formats an answer as text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from msgspec import Struct, field

Status = Literal["optimal", "unsolvable", "solved", "limit"]
Cost = int | tuple[int, ...]

LIMIT_WORDS: Mapping[str, str] = {
    "time": "time limit",
    "memory": "memory limit",
    "horizon": "last horizon",
    "interrupted": "interrupted",
    "killed": "killed by the system",
    "disk": "disk full",
    "depth": "depth limit",
    "endless": "the consequences of too many moves never end",
}
"""The reasons for an early stop, as they are displayed. "killed" is a reason why a process ended; all others are
reasons why an engine stopped.
"""


class Limits(Struct, frozen=True):
    """The limits of an engine: wall-clock `seconds` and `memory` in bytes; None means no limit."""

    seconds: float | None = None
    memory: int | None = None


class LimitReached(Exception):  # noqa: N818 - an outcome, not an error
    """Raised to leave a loop that has limits; the code that set the limits converts the exception into an answer.

    `reason` is a key of `LIMIT_WORDS`, such as "time" or "memory".
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def reason_of_end(run: Callable[[], object]) -> str | None:
    """Call `run`, and return the reason why it ended early, or None. The results that `run` found before it ended stay
    valid.
    """
    try:
        run()
    except LimitReached as limit:
        return limit.reason
    except KeyboardInterrupt:
        return "interrupted"
    except MemoryError:  # this happens if the system's own limit is lower than the given limit
        return "memory"
    return None


class Proved(Struct, frozen=True):
    """The results that a search has proved.

    For an engine with horizons, `refuted` is the horizon up to which there is no plan, and `best` is the shortest known
    plan: its length and its operators. For a search with lower bounds, `bound` is the proved bound in the first part of
    the metric, and `cheapest` is the cheapest known plan: its cost and its operators.
    """

    refuted: int = 0
    best: tuple[int, tuple[int, ...]] | None = None
    bound: int = 0
    cheapest: tuple[int, tuple[int, ...]] | None = None


class Horizon(Struct, frozen=True):
    """The result of bounded-horizon planning for one horizon: `plan` or `no plan`.

    `variables` and `clauses` are the numbers of variables and clauses in the formula (for clingo, of variables and
    nogoods in the program). `cubes` is the number of cubes of a backward search, if that search gave the result.
    """

    horizon: int
    verdict: str
    seconds: float
    conflicts: int | None = None
    variables: int | None = None
    clauses: int | None = None
    cubes: int | None = None


class Grounding(Struct, frozen=True):
    """The progress of compiling a puzzle: the number of ground moves so far, and the part of the document that is being
    compiled.
    """

    num_operators: int
    seconds: float
    part: str = ""


class Trial(Struct, frozen=True):
    """The progress of a series of small tasks: the number of finished tasks, the `total`, and a description of the
    tasks.
    """

    number: int
    total: int
    what: str
    seconds: float


class Answer(Struct, frozen=True):
    """The result of an engine on a task. `plan` contains operator ids; costs have one number for each part of the
    metric.

    `reason` is the reason why an engine stopped early, as a key of `LIMIT_WORDS`; for example, "horizon" (the last
    allowed horizon was reached) or, for a store on disk, "depth" (the search reached the given depth). `engine` is the
    engine that found the answer, if this is not the requested engine.
    """

    status: Status
    cost: tuple[int, ...] | None
    lower_bound: tuple[int, ...]
    plan: tuple[int, ...] | None
    reason: str | None = None
    statistics: Mapping[str, Any] = field(default_factory=dict)
    engine: str | None = None


def format_cost(cost: Cost) -> str:
    """A cost as text: `81`, or `8 + 33` for a pair."""
    return f"{cost:,}" if isinstance(cost, int) else " + ".join(f"{part:,}" for part in cost)


def counted(cost: Cost, unit: str) -> str:
    """A cost with its unit, such as `81 turns`, `1 move`, `8 + 33 pushes-then-moves`."""
    return f"{format_cost(cost)} {singular(unit) if cost == 1 else unit}"


def singular(unit: str) -> str:
    """The singular of a noun or of a metric's name: `push` for `pushes`, `box-line` for `box-lines`, `dead position`
    for `dead positions`. A text is unchanged if its last word is not a plural.
    """
    start = len(unit)
    while start and unit[start - 1].isalpha():
        start -= 1
    word = unit[start:]
    if len(word) < 3 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return unit
    if word.endswith("ies") and len(word) > 4:
        return f"{unit[:-3]}y"
    is_es = word.endswith(("shes", "ches", "xes", "sses", "zzes"))
    return unit[:-2] if is_es else unit[:-1]


def limit_words(reason: str | None) -> str:
    """The reason for an early stop, as it is displayed."""
    return LIMIT_WORDS.get(reason or "", "stopped")


def single(cost: tuple[int, ...]) -> Cost:
    """A cost as a single number if it has one part; otherwise unchanged."""
    return cost[0] if len(cost) == 1 else cost

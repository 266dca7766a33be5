"""Explains why a puzzle has no plan: by the shortest argument, or by the smallest sets of parts that must be removed so
that a plan exists.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from math import comb
from typing import Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from fewest.analysis.unsolvability import argument_of, prove_unsolvable
from fewest.commands.audit import played
from fewest.commands.changes import (
    Part,
    PuzzleToChange,
    Refusals,
    Refused,
    RefusedNumber,
    TooLargeError,
    refusal_lines,
)
from fewest.commands.explain import DeadlockPart, explain_deadlock, with_names
from fewest.commands.limited import uninterrupted
from fewest.commands.result import Result
from fewest.commands.solve import less, solve
from fewest.drawing.text import draw
from fewest.errors import Exit
from fewest.formats.stand_alone import UndrawableError
from fewest.model.answer import Cost, Limits, Trial, counted, limit_words
from fewest.model.position import Position, start
from fewest.model.puzzle import Puzzle
from fewest.model.task import Task
from fewest.reading.loader import LoadedDocument

_INVARIANT_SECONDS = 5.0
_FEW = 3  # the maximum number of boards to draw

Progress = Callable[[Any], None]


class Reason(Struct, frozen=True):
    """An argument; `kind` is `invariant` or a kind of `deadlocks.argument`, and `size` is the number of pieces and
    goals in the argument, or of pieces and weights in an invariant.
    """

    kind: str
    text: str
    size: int
    pieces: tuple[DeadlockPart, ...] = ()
    goals: tuple[DeadlockPart, ...] = ()
    excerpt: Position | None = None

    def line(self) -> str:
        """The argument in one line, with the pieces and goals that it names."""
        return with_names(self.text, self.pieces, self.goals)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "kind": self.kind,
            "text": self.text,
            "size": self.size,
            "pieces": [{"name": c.name, "cells": c.cells} for c in self.pieces],
            "goals": [{"name": c.name, "cells": c.cells} for c in self.goals],
            "excerpt": None if self.excerpt is None else _drawing(self.excerpt),
        }


class Removal(Struct, frozen=True):
    """Parts that must be removed to make the puzzle solvable, and the minimum of the puzzle without these parts."""

    parts: tuple[Part, ...]
    minimum: Cost | None
    position: Position

    def __str__(self) -> str:
        return " and ".join(map(str, self.parts))

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "parts": [part.to_json() for part in self.parts],
            "minimum": self.minimum,
            "position": _drawing(self.position),
        }


class Removals(Struct, frozen=True):
    """The smallest sets of parts that must be removed to make a puzzle solvable.

    `size` is the number of parts in each set. Every smaller set was tried and, if `is_complete` is true, every set of
    this size as well. For `num_open` sets, the limits were too low for a decision, or the puzzle without the parts
    exceeds a size limit. If `num_open` is 0, no smaller set suffices, and the list contains every tried set that
    suffices. For `num_invalid` sets, the puzzle without the parts is invalid, for example because its goal names a
    removed piece (`refusals`). `num_undrawn` further sets were not tried, because the puzzle without the parts cannot
    be written as a document.
    """

    size: int
    found: tuple[Removal, ...]
    is_complete: bool
    num_tried: int
    num_open: int
    num_invalid: int
    reason: str | None
    num_undrawn: int = 0
    refusals: tuple[RefusedNumber, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "size": self.size,
            "sets": [one.to_json() for one in self.found],
            "complete": self.is_complete,
            "tried": self.num_tried,
            "open": self.num_open,
            "invalid": self.num_invalid,
            "refusals": [one.to_json() for one in self.refusals],
            "undrawn": self.num_undrawn,
            "reason": self.reason,
        }


class Explanation(Struct, frozen=True):
    """Whether a puzzle can be solved and, if not, why. `reasons`: the arguments, shortest first; `removals`: the sets
    of parts, or None if no sets were tried; `audit`: the statistics of the audit.
    """

    puzzle: str
    title: str
    metric: str
    status: Literal["unsolvable", "solvable", "unknown"]
    minimum: Cost | None
    reasons: tuple[Reason, ...]
    removals: Removals | None
    num_states: int | None
    reason: str | None
    position: Position
    seconds: float
    audit: Mapping[str, Any] = field(default_factory=lambda: played(None))

    @property
    def exit_code(self) -> Exit:
        """The exit code, which shows whether the answer is complete."""
        if self.status == "unknown":
            return Exit.LIMIT
        cut = self.removals is not None and not self.removals.is_complete
        return Exit.LIMIT if cut and self.removals and self.removals.reason else Exit.ANSWERED

    def summary(self) -> str:
        """The answer in one line."""
        if self.status == "solvable":
            minimum = "it can be solved"
            if self.minimum is not None:
                minimum += f": {counted(self.minimum, self.metric)}"
            return f"{self.title}: {minimum}"
        if self.status == "unknown":
            return f"{self.title}: {limit_words(self.reason)}; no argument shows that it cannot be solved"
        if self.reasons:
            return f"{self.title}: unsolvable; {self.reasons[0].text}"
        states = "" if self.num_states is None else f" ({counted(self.num_states, 'states')})"
        return f"{self.title}: unsolvable, by exhaustive search{states}; no argument shows it"

    def lines(self) -> Iterator[str]:
        """All lines below the summary."""
        yield from _drawing(self.position)
        for number, one in enumerate(self.reasons):
            if number:
                yield ""
                yield f"also: {one.text}"
            for name, parts in (("pieces", one.pieces), ("goals", one.goals)):
                if parts:
                    yield f"{name}: {', '.join(map(str, parts))}"
            if one.excerpt is not None:
                yield ""
                yield from _drawing(one.excerpt)
        if self.removals is not None:
            yield ""
            yield from _lines_of(self.removals, self.metric)

    def to_json(self) -> dict[str, Any]:
        """Plain data, as `--json` prints it."""
        return {
            "puzzle": self.puzzle,
            "title": self.title,
            "metric": self.metric,
            "status": self.status,
            "reason": self.reason,
            "minimum": self.minimum,
            "arguments": [one.to_json() for one in self.reasons],
            "removals": None if self.removals is None else self.removals.to_json(),
            "states": self.num_states,
            "position": _drawing(self.position),
            "seconds": self.seconds,
            "audit": dict(self.audit),
        }

    def __str__(self) -> str:
        return "\n".join([self.summary(), *self.lines()])


def removal_heading(removals: Removals) -> str:
    """The line above the sets without which the puzzle can be solved; if there are none, the statement of this. After
    a limit, the statement claims nothing about sets that were not decided; nor does it about sets that no document can
    describe.
    """
    open_ones = f", {removals.num_open:,} of them not decided" if removals.num_open else ""
    tried = f"{counted(removals.num_tried, 'sets')} {'was' if removals.num_tried == 1 else 'were'} tried{open_ones}"
    if removals.num_undrawn:
        tried += f"; {counted(removals.num_undrawn, 'sets')} could not be tried, because no document describes the rest"
    stop = "" if removals.reason is None else f"; {limit_words(removals.reason)}"
    if not removals.found:
        is_known = removals.is_complete and not removals.num_open and not removals.num_undrawn
        which = "removal" if is_known else "decided removal"
        return f"no {which} of up to {counted(removals.size, 'parts')} makes it solvable ({tried}{stop})"
    subject = (
        "each of these parts"
        if removals.size == 1
        else f"each of these sets of {removals.size} parts"
    )
    return f"without {subject} it can be solved ({tried}{stop}):"


def _lines_of(removals: Removals, metric: str) -> Iterator[str]:
    yield removal_heading(removals)
    for one in removals.found:
        minimum = "" if one.minimum is None else f": {counted(one.minimum, metric)}"
        yield f"  {one}{minimum}"
    for line in refusal_lines(removals.refusals, "sets"):
        yield f"  {line}"
    for one in removals.found[:_FEW]:
        yield ""
        yield f"without {one}:"
        yield ""
        yield from _drawing(one.position)


def explain_puzzle(
    document: LoadedDocument,
    puzzle: Puzzle,
    task: Task,
    metric: str,
    *,
    largest: int,
    always: bool,
    limits: Limits,
    progress: Progress | None = None,
) -> Explanation:
    """The reason why a puzzle cannot be solved.

    If no argument is found, a search decides whether the puzzle can be solved. If it cannot, and no argument is found
    or `always` is true, the function tries to remove sets of up to `largest` parts, smaller sets first. Raises
    UsageError for an unknown metric or a puzzle without a goal.
    """
    began = time.perf_counter()
    reasons = reasons_of(puzzle, task)
    position = start(puzzle)
    explanation = Explanation(
        puzzle=puzzle.name,
        title=puzzle.title,
        metric=metric,
        status="unsolvable",
        minimum=None,
        reasons=reasons,
        removals=None,
        num_states=None,
        reason=None,
        position=position,
        seconds=0.0,
    )
    if not reasons:
        left = less(limits, began)
        result = solve(puzzle, metric, task=task, limits=left, progress=progress)
        explanation = replace(
            explanation,
            num_states=result.statistics.get("states"),
            audit=result.statistics["audit"],
        )
        if result.cost is not None:  # a limit may have stopped the search after it found a plan
            explanation = replace(explanation, status="solvable", minimum=_minimum(result))
        elif result.status == "limit":
            explanation = replace(explanation, status="unknown", reason=result.reason)
    if explanation.status == "unsolvable" and (always or not reasons):
        work, left = PuzzleToChange(document, puzzle), less(limits, began)
        removals = smallest_removals(work, metric, largest, left, progress)
        explanation = replace(explanation, removals=removals)
    return replace(explanation, seconds=time.perf_counter() - began)


def reasons_of(puzzle: Puzzle, task: Task) -> tuple[Reason, ...]:
    """The arguments found that prove that no goal position can be reached from the start, shortest first."""
    if task.pending:
        return ()
    if task.is_goal(task.initial):
        return ()
    dead = deadlock_reason(puzzle, task)
    found = [] if dead is None else [dead]
    sums = sums_reason(puzzle, task, _INVARIANT_SECONDS)
    if sums is not None:
        found.append(sums)
    return tuple(sorted(found, key=lambda one: one.size))


SECONDS_FOR_SUMS = 3.0
"""the limit on the search for sums in `why_unsolvable`; 0.1 s suffices for all shipped puzzles, and the rest is for
busy machines
"""


def why_unsolvable(puzzle: Puzzle, task: Task, seconds: float | None = None) -> str:
    """A one-line argument that proves that no goal position can be reached; empty if no argument applies. The search
    for sums takes at most `seconds` (None: no limit) and at most SECONDS_FOR_SUMS.
    """
    left = SECONDS_FOR_SUMS if seconds is None else min(seconds, SECONDS_FOR_SUMS)
    reason = deadlock_reason(puzzle, task) or sums_reason(puzzle, task, left)
    return "" if reason is None else reason.line()


def deadlock_reason(puzzle: Puzzle, task: Task) -> Reason | None:
    """An argument, found without a search, that proves that no goal position can be reached from the start; None if no
    argument applies.
    """
    if puzzle.goal is None or task.pending:
        return None
    dead = explain_deadlock(puzzle, task, puzzle, None, Limits(0))
    if dead.status != "dead":
        return None
    size = len(dead.pieces) + len(dead.goals)
    return Reason(dead.kind or "", dead.text, size, dead.pieces, dead.goals, dead.excerpt)


def sums_reason(puzzle: Puzzle, task: Task, seconds: float) -> Reason | None:
    """Sums that no move changes or increases, and that prove that no goal position can be reached; None if there are
    none, or if finding them takes more than `seconds`.
    """
    if puzzle.goal is None or task.pending:
        return None
    sums = prove_unsolvable(task, seconds)
    if not sums:
        return None
    size = sum(len(one.weights) + len(one.pieces) for one in sums)
    return Reason("invariant", argument_of(sums), size)


def smallest_removals(
    work: PuzzleToChange,
    metric: str,
    largest: int,
    limits: Limits,
    progress: Progress | None = None,
) -> Removals:
    """The smallest sets of at most `largest` parts that must be removed to make a puzzle solvable, as far as the limits
    allow.

    For every set, the remaining puzzle is written, read and solved. The result for one set does not decide any other
    set, because removing a wall can make a puzzle harder if pieces slide until something stops them.
    """
    search = _Search(work, metric, limits, progress)
    reason = None
    size = 0
    try:
        for size in range(1, min(largest, len(search.work.parts)) + 1):
            search.size(size)
            if search.found:
                break
    except KeyboardInterrupt:
        reason = "interrupted"
    except _StoppedError as stop:
        reason = stop.reason
    return Removals(
        size,
        tuple(search.found),
        reason is None,
        search.num_tried,
        search.num_open,
        search.num_invalid,
        reason,
        search.num_undrawn,
        search.refusals.all(),
    )


class _StoppedError(Exception):
    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Search:
    """A search through sets of parts, with the results so far."""

    def __init__(
        self, work: PuzzleToChange, metric: str, limits: Limits, progress: Progress | None
    ) -> None:
        self.work, self.metric, self.limits, self.progress = work, metric, limits, progress
        self.began = time.perf_counter()
        self.found: list[Removal] = []
        self.num_tried = self.num_open = self.num_invalid = self.num_undrawn = 0
        self.refusals = Refusals()

    def size(self, size: int) -> None:
        """Try all sets of `size` parts."""
        total = comb(len(self.work.parts), size)
        for number, parts in enumerate(combinations(self.work.parts, size)):
            seconds = time.perf_counter() - self.began
            if self.progress is not None:
                self.progress(Trial(number, total, f"sets of {counted(size, 'parts')}", seconds))
            self._try(parts)

    def _try(self, parts: tuple[Part, ...]) -> None:
        left = less(self.limits, self.began)
        if left.seconds is not None and left.seconds <= 0:
            raise _StoppedError("time")
        try:
            other = self.work.drawn(self.work.without(parts))
        except UndrawableError:
            self.num_undrawn += 1
            return
        except TooLargeError:
            self.num_tried += 1
            self.num_open += 1
            return
        self.num_tried += 1
        if isinstance(other, Refused):
            self.num_invalid += 1
            self.refusals.add(other)
            return
        result = solve(other.puzzle, self.metric, task=other.task, limits=left, audit="off")
        if result.cost is not None:
            self.found.append(Removal(parts, _minimum(result), start(other.puzzle)))
        elif result.status == "limit":
            self.num_open += 1
        uninterrupted(result)
        if result.reason == "time":
            raise _StoppedError("time")


def _minimum(result: Result) -> Cost | None:
    return result.cost if result.status == "optimal" else None


def _drawing(position: Position) -> list[str]:
    return draw(position, position.puzzle.labels)

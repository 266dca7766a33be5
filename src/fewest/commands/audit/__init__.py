"""The audit: the reference interpreter plays positions of a puzzle, and the audit compares the resulting moves with the
moves of the task.

Problem. All engines share one grounder and therefore share its faults; moreover, an answer without a plan cannot be
replayed.

Solution. `comparison` compares one position: the legal moves with their rules and costs, the goal, forbidden positions,
and invariants. `walk` chooses the positions, and `budget` limits the time. `disagreement` defines the error that
replaces an answer if the rules and the task differ.

Usage. Call `audit_answer` after an answer. Callers with their own limits call `compare_positions`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Literal, TypeAlias

from fewest.commands.audit.budget import (
    FLOOR,
    NO_GOAL_FLOOR,
    AuditBudgets,
    AuditOption,
    audit_option,
)
from fewest.commands.audit.comparison import Comparison, DifferenceFound
from fewest.commands.audit.walk import Audit, AuditLimits, Walk, nearest
from fewest.machine.memory import left_of
from fewest.model.answer import Limits
from fewest.model.metric import Metric
from fewest.model.puzzle import Puzzle
from fewest.model.task import Task

__all__ = [
    "Audit",
    "AuditLimits",
    "AuditOption",
    "audit_answer",
    "audit_option",
    "claim_of",
    "compare_positions",
    "explain_failure",
    "played",
]

LEDGER = AuditBudgets()
_FAILED = AuditLimits(seconds=0.5)

Claim: TypeAlias = Literal["plan", "bound", "unsolvable"]
"""What an answer claims: a plan (which was replayed), a bound or other numbers, or that no goal position can be
reached.
"""
_FLOORS: dict[Claim, float] = {"plan": 0.0, "bound": FLOOR, "unsolvable": NO_GOAL_FLOOR}


def audit_answer(
    puzzle: Puzzle,
    task: Task,
    metric: Metric | None = None,
    *,
    began: float,
    claim: Claim,
    operators: Sequence[int] = (),
    option: object = None,
    limits: Limits | None = None,
) -> Audit | None:
    """Audit the answer of a call that began at `began` (on the clock `time.process_time`). The result is None if no
    position was played.

    `claim`: the kind of the answer. `operators`: the operators of a plan. `option`: `all` positions, a number of
    positions, none (`off`), or the extent that `budget` allows (`auto`); None: the value of the environment variable
    FEWEST_AUDIT. `limits`: the limits of the call, which the audit observes unless the option is `auto`. Ctrl-C also
    ends an audit, but the answer remains valid. Raises DisagreementError if the rules and the task differ, and
    UsageError for any other option.
    """
    option = audit_option(option)
    if option == "off":
        return None
    try:
        if option != "auto":
            given = limits or Limits()
            positions = None if option == "all" else option
            extent = AuditLimits(positions, given.seconds, left_of(given.memory))
            return compare_positions(puzzle, task, metric, extent, operators)
        if claim == "bound" and task.has_goal and not task.goal:
            claim = "unsolvable"
        allowed = LEDGER.extent(puzzle, began, _FLOORS[claim])
        if allowed is None:
            return None
        found = compare_positions(puzzle, task, metric, allowed, operators)
    except KeyboardInterrupt:
        return None
    LEDGER.charge(puzzle, found.seconds)
    return found


def claim_of(status: str, *, has_plan: bool = False) -> Claim:
    """The claim of an answer with this status."""
    if has_plan:
        return "plan"
    return "unsolvable" if status in ("unsolvable", "dead") else "bound"


def played(audit: Audit | None) -> dict[str, object]:
    """The statistics of an audit: the number of positions played, and whether these were all positions."""
    return {"positions": 0, "all": False} if audit is None else audit.to_json()


def explain_failure(
    puzzle: Puzzle, task: Task, metric: Metric | None, operators: Sequence[int]
) -> None:
    """Search half a second for the reason why these operators cannot be replayed to a goal position. Raises
    DisagreementError if the rules and the task differ.
    """
    compare_positions(puzzle, task, metric, _FAILED, operators)


def compare_positions(
    puzzle: Puzzle,
    task: Task,
    metric: Metric | None = None,
    extent: AuditLimits | None = None,
    operators: Sequence[int] = (),
) -> Audit:
    """Compare the rules with the task at positions near the start, along a plan and on random walks: at least one
    position, and at most `extent` (None: all positions). Without limits, the order is that of breadth-first search.

    The order of the positions is deterministic. Raises DisagreementError if the rules and the task differ; the error
    shows the difference nearest to the start that a search of half a second finds.
    """
    began = time.thread_time()
    comparison = Comparison(puzzle, task, metric)
    try:
        name = puzzle.name.encode("utf-8", "replace")
        walk = Walk(comparison, operators, seed=int.from_bytes(name, "big"))
        is_whole = walk.run(extent or AuditLimits())
    except DifferenceFound as found:
        from fewest.commands.audit.disagreement import DisagreementError

        raise DisagreementError(nearest(comparison, found.difference)) from None
    return Audit(walk.num_compared, is_whole, time.thread_time() - began)

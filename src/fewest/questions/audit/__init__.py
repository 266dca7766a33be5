"""The audit: the reference interpreter plays positions of a puzzle, and what it allows is compared with the task.

Problem. All engines share the grounder: they repeat each fault of the grounder, and nothing replays an answer without
a plan.

Solution. `comparison` compares one position: legal moves, their rules and what they count, the goal, forbidden
positions, invariants. `walk` chooses positions, `budget` says how many, and `disagreement` is the error that takes the
place of an answer where the two differ.

Usage. `audit_answer` after an answer; `compare_positions` for a caller with limits of its own.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from fewest.machine.memory import left_of
from fewest.model.answer import Limits
from fewest.model.metric import Metric
from fewest.model.puzzle import Puzzle
from fewest.model.task import Task
from fewest.questions.audit.budget import FLOOR, NO_GOAL_FLOOR, AuditOption, Ledger, audit_option
from fewest.questions.audit.comparison import Comparison, DifferenceFound
from fewest.questions.audit.disagreement import DisagreementError
from fewest.questions.audit.walk import Audit, Extent, Walk, nearest

__all__ = [
    "Audit",
    "AuditOption",
    "DisagreementError",
    "Extent",
    "audit_answer",
    "audit_option",
    "compare_positions",
    "explain_failure",
    "played",
]

LEDGER = Ledger()
_FAILED = Extent(seconds=0.5)


def audit_answer(
    puzzle: Puzzle,
    task: Task,
    metric: Metric | None = None,
    *,
    began: float,
    has_plan: bool,
    operators: Sequence[int] = (),
    option: object = None,
    limits: Limits | None = None,
) -> Audit | None:
    """Audit the answer of a call that began at `began` (of `time.process_time`); None if nothing was played.

    `operators`: those of a plan. `option`: `all` positions, a number, none (`off`), or the extent of `budget`
    (`auto`); None means the environment variable FEWEST_AUDIT. `limits`: those of the call, for a given
    `option`; Ctrl-C ends an audit, too, and keeps the answer. Raises DisagreementError if rules and task
    differ, UsageError for any other option.
    """
    option = audit_option(option)
    if option == "off":
        return None
    try:
        if option != "auto":
            given = limits or Limits()
            positions = None if option == "all" else option
            extent = Extent(positions, given.seconds, left_of(given.memory))
            return compare_positions(puzzle, task, metric, extent, operators)
        if has_plan:
            floor = 0.0
        else:
            floor = NO_GOAL_FLOOR if task.has_goal and not task.goal else FLOOR
        allowed = LEDGER.extent(puzzle, began, floor)
        if allowed is None:
            return None
        found = compare_positions(puzzle, task, metric, allowed, operators)
    except KeyboardInterrupt:
        return None
    LEDGER.charge(puzzle, found.seconds)
    return found


def played(found: Audit | None) -> dict[str, object]:
    """The statistics of an audit: how many positions were played, and if these are all."""
    return {"positions": 0, "all": False} if found is None else found.to_json()


def explain_failure(puzzle: Puzzle, task: Task, metric: Metric, operators: Sequence[int]) -> None:
    """Raise DisagreementError if a plan of these operators cannot be replayed since rules and task differ."""
    compare_positions(puzzle, task, metric, _FAILED, operators)


def compare_positions(
    puzzle: Puzzle,
    task: Task,
    metric: Metric | None = None,
    extent: Extent | None = None,
    operators: Sequence[int] = (),
) -> Audit:
    """Play positions from the start and along a plan, up to `extent`, at least one; None: all of them.

    The positions are the same every time. Raises DisagreementError if rules and task differ, with a position
    as near to the start as the search for it finds in half a second.
    """
    began = time.thread_time()
    comparison = Comparison(puzzle, task, metric)
    try:
        name = puzzle.name.encode("utf-8", "replace")
        walk = Walk(comparison, operators, seed=int.from_bytes(name, "big"))
        is_whole = walk.run(extent or Extent())
    except DifferenceFound as found:
        raise DisagreementError(nearest(comparison, found.difference)) from None
    return Audit(walk.num_compared, is_whole, time.thread_time() - began)

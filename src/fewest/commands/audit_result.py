"""The audit of the grounder, for certificates that depend on the grounder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fewest.certificates.container import Budget, RejectedError
from fewest.certificates.grounded_task import grounded
from fewest.certificates.rules_checker import Verdict
from fewest.commands.audit import (
    Audit,
    AuditLimits,
    audit_option,
    compare_positions,
)
from fewest.commands.audit.disagreement import DisagreementError

if TYPE_CHECKING:
    from fewest.model.metric import Metric
    from fewest.model.puzzle import Puzzle
    from fewest.model.task import Task
    from fewest.search.interface import Progress

# If there are at most this number of positions, an `auto` audit covers all of them.
ALL = 1_000_000
# The maximum number of seconds for an `auto` audit of all positions. A position takes about 0.2 ms, and much longer
# with long consequences.
_ALL_SECONDS = 300.0
_SHARE = 5.0  # the maximum number of seconds for an `auto` audit of larger spaces
# the maximum number of seconds for an `auto` audit after a check of layers, which has compared positions near the bound
_LAYERS = 1.0
_COUNTING = 10.0  # the maximum number of seconds for counting the positions of the task
# the number of bytes that a position occupies in the audit, including its successors
_POSITION = 1_000


def audit_verdicts(
    puzzle: Puzzle,
    metric: Metric,
    verdicts: Sequence[Verdict],
    option: str | int | None,
    budget: Budget,
) -> Audit | None:
    """Compare the task with the rules if a verdict depends on the grounder.

    The result is None if no verdict depends on the grounder, or if the audit is off. Raises RejectedError if the task
    and the rules differ, because then the verdicts do not apply to this puzzle, and UsageError for an invalid option.
    """
    kinds = {verdict.kind for verdict in verdicts if verdict.is_grounded}
    wanted = audit_option(option)
    if not kinds or wanted == "off":
        return None
    task = grounded(puzzle, budget)
    left = None if budget.deadline == float("inf") else max(0.1, budget.left())
    room = max(1, budget.memory // _POSITION)
    if wanted == "all":
        extent = AuditLimits(None, left)
    elif wanted != "auto":
        extent = AuditLimits(min(wanted, room), left)
    elif kinds != {"layers"} and has_at_most(task, metric, min(ALL, room), budget):
        extent = AuditLimits(None, _ALL_SECONDS if left is None else min(left, _ALL_SECONDS))
    else:
        most = _LAYERS if kinds == {"layers"} else _SHARE
        extent = AuditLimits(room, most if left is None else min(left, most))
    try:
        return compare_positions(puzzle, task, metric, extent)
    except DisagreementError as error:
        _, _, where = error.message.partition("\n")
        raise RejectedError(
            f"the compiled task, which the checkers trust, disagrees with the rules\n{where}"
        ) from None


def has_at_most(task: Task, metric: Metric, most: int, budget: Budget) -> bool:
    """Whether a search within ten seconds shows that at most `most` positions of a task are reachable. The search takes
    about a second per million positions.
    """
    from fewest.model.costs import cost_table
    from fewest.search import search

    def stop(progress: Progress) -> None:
        if progress.num_states > most:
            raise _MorePositions

    seconds = min(_COUNTING, max(0.0, budget.left()))
    try:
        found = search(
            task.problem,
            cost_table(task, metric),
            exhaust=True,
            seconds=seconds,
            memory=min(budget.memory, 1 << 62),
            threads=1,
            progress=stop,
        )
    except _MorePositions:
        return False
    return found.status == "exhausted" and found.num_states <= most


class _MorePositions(Exception):  # noqa: N818 - an outcome, not an error
    """Raised to stop a search that has found more positions than the limit."""

"""The workers that solve the members of a batch: this process, or helper processes here or on a cluster.

A process may end at any moment. If the system kills it (usually because memory is short), only the result of its
current member is missing. After Ctrl-C, each process sends the bounds that it has proved up to then.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any

from fewest.commands.limited import uninterrupted
from fewest.commands.sweep.batch import Batch, Member, solve_member
from fewest.machine.processes import KilledProcess, ParallelMap

if TYPE_CHECKING:
    from fewest.commands.sweep.batch import Report


def solved_one_by_one(
    batch: Batch, todo: Sequence[int], progress: Report | None
) -> Generator[tuple[int, Member], None, None]:
    """Solve the members with these numbers one after another. Raises KeyboardInterrupt after an interrupted member."""
    for index in todo:
        member = _solve(batch, batch.members[index], progress)
        yield index, member
        uninterrupted(member)


def solved_by(
    parallel_map: ParallelMap, batch: Batch, todo: Sequence[int], progress: Report | None
) -> Generator[tuple[int, Member], None, None]:
    """The members with these numbers, in the order in which other workers finish them.

    Raises KeyboardInterrupt (after yielding the known members), UsageError, and InternalError if an error occurs in a
    process.
    """
    members = [batch.members[index] for index in todo]

    def report(index: int, found: Any) -> None:
        if progress is not None:
            progress(members[index], found)

    with closing(parallel_map(partial(_solve_there, batch), members, report)) as answers:
        for index, answer in answers:
            if isinstance(answer, KilledProcess):
                answer = Member(members[index], "limit", reason="killed", seconds=answer.seconds)
            yield todo[index], answer


def _solve_there(batch: Batch, parameters: Mapping[str, int], say: Callable[[Any], None]) -> Member:
    return _solve(batch, parameters, lambda _, found: say(found))


def _solve(batch: Batch, parameters: Mapping[str, int], progress: Report | None) -> Member:
    began = time.perf_counter()
    try:
        return solve_member(batch, parameters, progress)
    except KeyboardInterrupt:
        spent = time.perf_counter() - began
        return Member(parameters, "limit", reason="interrupted", seconds=spent)

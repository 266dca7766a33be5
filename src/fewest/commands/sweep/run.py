"""Solves a batch: takes known members from the file, solves the others, and saves each member as soon as it is
finished.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from fewest.commands.sweep.batch import Batch, Member
from fewest.commands.sweep.file import SweepFile
from fewest.commands.sweep.fits import Fit, fits
from fewest.commands.sweep.workers import solved_by, solved_one_by_one
from fewest.errors import Exit
from fewest.machine.processes import ParallelMap, local_processes
from fewest.model.answer import LimitReached

if TYPE_CHECKING:
    from fewest.commands.sweep.batch import Report


class Sweep(Struct, frozen=True, dict=True):
    """The solved members, in the order of the batch. `stopped` is the reason why the sweep ended early, or None.

    The reason is "interrupted" or, if the disk is full, "disk". After Ctrl-C, the result includes the members in
    progress, with the bounds proved so far.
    """

    batch: Batch
    members: tuple[Member, ...]
    stopped: str | None

    @property
    def is_interrupted(self) -> bool:
        """Whether the sweep ended early."""
        return self.stopped is not None

    @property
    def is_finished(self) -> bool:
        """Whether all members are finished, so that resuming the sweep would change nothing."""
        return self.stopped is None and all(member.is_finished for member in self.members)

    @cached_property
    def fits(self) -> tuple[Fit, ...]:
        """The closed forms of the minima; see the function `fits`."""
        return fits(self.batch.names, self.members)

    @property
    def exit_code(self) -> Exit:
        """The exit code, which shows whether all members have an answer or why some members have none."""
        statuses = {member.status for member in self.members}
        if self.is_interrupted and not statuses:
            return Exit.INTERRUPTED
        is_mistaken = self.batch.must_all_be_valid and "invalid" in statuses
        if not self.is_interrupted and (is_mistaken or statuses == {"invalid"}):
            return Exit.BAD_INPUT
        return Exit.LIMIT if self.is_interrupted or "limit" in statuses else Exit.ANSWERED

    def to_json(self) -> dict[str, Any]:
        """The plain data that `--json` prints."""
        batch = self.batch
        return {
            "puzzle": batch.puzzle,
            "title": batch.title,
            "metric": batch.metric,
            "engine": batch.engine,
            "members": [member.to_json() for member in self.members],
            "num_members": len(batch.members),
            "interrupted": self.is_interrupted,
            "fits": [fit.to_json() for fit in self.fits],
        }


def sweep(
    batch: Batch,
    *,
    jobs: int = 1,
    parallel_map: ParallelMap | None = None,
    file: SweepFile | None = None,
    on_member: Callable[[Member], None] | None = None,
    progress: Report | None = None,
    in_order: bool = True,
) -> Sweep:
    """Solve all members, `jobs` at a time (in separate processes if `jobs` is above 1), or with `parallel_map`.

    ParallelMap are other workers that solve the members, for example `cluster.tasks.on_cluster`.

    `file` contains the known members; every member is saved to it as soon as it is finished. `on_member` is called for
    each member in the order of the batch, as soon as this order allows; with `in_order=False`, it is called as soon as
    a member is known. Ctrl-C or a full disk ends the sweep early, without an error. Raises UsageError if the engine
    does not support the query, InternalError, and OSError if the file cannot be written for another reason.
    """
    found: dict[int, Member] = {}
    index_of = {_point(parameters): i for i, parameters in enumerate(batch.members)}
    for record in () if file is None else file.records:
        member, index = batch.member(record), index_of.get(_point(record.parameters))
        if member is not None and index is not None:
            found[index] = member
    shown: set[int] = set()

    def show(index: int) -> None:
        if index not in shown:
            shown.add(index)
            if on_member is not None:
                on_member(found[index])

    def show_more() -> None:
        """Show the next members in order, up to the first one that is not yet known."""
        while len(shown) in found:
            show(len(shown))

    def show_known() -> None:
        for index in sorted(found):
            show(index)

    parallel_map = parallel_map or local_processes(jobs)
    todo = [i for i in range(len(batch.members)) if i not in found]
    stopped: str | None = None
    try:
        show_more() if in_order else show_known()
        solved = (
            solved_one_by_one(batch, todo, progress)
            if parallel_map is None
            else solved_by(parallel_map, batch, todo, progress)
        )
        with closing(solved):  # this ends all processes, even after an exception
            for index, member in solved:
                found[index] = member
                if member.is_finished and file is not None:
                    file.append(batch.record(member))
                show_more() if in_order else show(index)
    except KeyboardInterrupt:
        stopped = "interrupted"
    except LimitReached as limit:  # the disk is full
        stopped = limit.reason
    show_known()
    return Sweep(batch, tuple(found[i] for i in sorted(found)), stopped)


def _point(parameters: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(parameters.items()))

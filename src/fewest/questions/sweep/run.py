"""Solving a batch: known members from the file, the others anew, finished ones into the file at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fewest.questions.sweep.batch import Batch, Member
from fewest.questions.sweep.file import SweepFile
from fewest.questions.sweep.fits import Fit, fits
from fewest.questions.sweep.workers import solved_in_processes, solved_one_by_one

if TYPE_CHECKING:
    from fewest.questions.sweep.batch import Report


@dataclass(frozen=True)
class Sweep:
    """The members that were solved, in the batch's order; `is_interrupted` if some are missing.

    A member that was being solved when Ctrl-C came is there too, with what was proved of it by then.
    """

    batch: Batch
    members: tuple[Member, ...]
    is_interrupted: bool

    @cached_property
    def fits(self) -> tuple[Fit, ...]:
        """The closed forms of the minima; see `fits`."""
        return fits(self.batch.names, self.members)


def sweep(
    batch: Batch,
    *,
    jobs: int = 1,
    file: SweepFile | None = None,
    on_member: Callable[[Member], None] | None = None,
    progress: Report | None = None,
    in_order: bool = True,
) -> Sweep:
    """Solve all members, `jobs` at a time (more than one: in processes of their own).

    `file` gives the members that are known already and takes every finished one at once.
    `on_member` is called in the batch's order, as soon as that order allows, or with `in_order=False` as
    soon as a member is known. Ctrl-C ends the sweep
    early and is no error. Raises UsageError if the engine cannot answer the question at all.
    """
    found: dict[int, Member] = {}
    index_of = {_point(parameters): i for i, parameters in enumerate(batch.members)}
    for record in () if file is None else file.records:
        member, index = batch.member(record), index_of.get(_point(record.parameters))
        if member is not None and index is not None:
            found[index] = member
    shown: set[int] = set()

    def show(*, all_known: bool = not in_order) -> None:
        for i in range(len(batch.members)):
            if i in shown:
                continue
            if i in found:
                shown.add(i)
                if on_member is not None:
                    on_member(found[i])
            elif not all_known:
                break

    todo = [i for i in range(len(batch.members)) if i not in found]
    is_interrupted = False
    try:
        show()
        solved = (
            solved_one_by_one(batch, todo, progress)
            if jobs == 1
            else solved_in_processes(batch, todo, jobs, progress)
        )
        with closing(solved):  # whatever happens, no process is left behind
            for index, member in solved:
                found[index] = member
                if member.is_finished and file is not None:
                    file.append(batch.record(member))
                show()
    except KeyboardInterrupt:
        is_interrupted = True
    show(all_known=True)
    return Sweep(batch, tuple(found[i] for i in sorted(found)), is_interrupted)


def _point(parameters: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(parameters.items()))

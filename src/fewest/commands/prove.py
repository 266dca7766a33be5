"""Writes certificates: files with an answer and its proof."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from fewest.analysis.unsolvability import prove_unsolvable
from fewest.certificates.container import Budget, Header, TooLargeError, encode_certificate
from fewest.certificates.embedded_puzzle import fingerprint
from fewest.certificates.grounded_task import with_one_goal_list
from fewest.commands.file_result import FileResult
from fewest.commands.solve import solve
from fewest.commands.texts import texts
from fewest.errors import UsageError, did_you_mean, listed, no_goal
from fewest.machine.files import check_writable, write_whole
from fewest.machine.memory import left_of
from fewest.model.answer import Cost, Limits, counted, limit_words
from fewest.model.metric import metric_of
from fewest.model.position import start
from fewest.sanitize import plain_word

if TYPE_CHECKING:
    from fewest.commands.result import Result
    from fewest.model.metric import Metric, Parts
    from fewest.model.puzzle import Puzzle
    from fewest.model.task import Task
    from fewest.reading.loader import LoadedDocument

KINDS = {
    "plan": "a plan, which the rules replay: the minimum is at most its cost",
    "layers": "all positions below the minimum, or all reachable positions, layer by layer: no plan costs less",
    "bound": "the positions below the minimum, except those that a lower bound excludes: no plan costs less",
    "clauses": "the formula of all cheaper plans, and a proof that it is unsatisfiable: no plan costs less",
    "invariant": "a sum that no move changes or increases, or unreachable combinations of facts: there is no plan",
}

_SECONDS = 10.0  # the default time limit, in seconds, of the search for an invariant
# With fewer positions, a certificate contains layers rather than unreachable cubes.
_FEW = 100_000


class Proof(FileResult, frozen=True, kw_only=True):
    """The certificate of a result, with sections of these `kinds`."""

    result: Result
    kinds: tuple[str, ...]

    def summary(self) -> str:
        """The result in one line."""
        if self.reason is not None:
            # a title is free text, which could be mistaken for another claim
            known = structs.replace(self.result, title=plain_word(self.result.puzzle)).summary()
            if self.result.is_proven:
                known += f"; {limit_words(self.reason)} before the certificate was complete"
            return f"{known}; nothing was written"
        return (
            f"{self.path}: {claim(self.result)}, {' and '.join(self.kinds)}, {self.num_bytes:,} bytes "
            f"({self.seconds:.1f} s)"
        )

    def to_json(self) -> dict[str, Any]:
        """Plain data, as `--json` prints it."""
        return {
            "file": str(self.path),
            "puzzle": self.result.puzzle,
            "metric": self.result.metric,
            "status": self.result.status,
            "cost": self.result.cost,
            "lower_bound": self.result.lower_bound,
            "kinds": list(self.kinds),
            "bytes": self.num_bytes,
            "reason": self.reason,
            "seconds": self.seconds,
            "audit": self.result.statistics.get("audit"),
        }


def claim(result: Result) -> str:
    """The claim that a certificate of the result proves, with the name of the puzzle; the title alone would not
    identify the puzzle.
    """
    if result.status == "unsolvable":
        return f"{plain_word(result.puzzle)} is unsolvable"
    cost: Cost = 0 if result.cost is None else result.cost
    return f"{plain_word(result.puzzle)} takes {counted(cost, plain_word(result.metric))}"


@dataclass(frozen=True)
class ProvedPuzzle:
    """The subject of a proof: a puzzle, its document and its task."""

    document: LoadedDocument
    puzzle: Puzzle
    task: Task


def prove(
    subject: ProvedPuzzle,
    path: Path,
    metric: str | None = None,
    *,
    kinds: str | Sequence[str] = (),
    limits: Limits | None = None,
    progress: Callable[[Any], None] | None = None,
    result: Result | None = None,
) -> Proof:
    """Solve the puzzle and write a certificate of the answer, completely or not at all.

    `result`: the result of an earlier `solve`, if any.

    `kinds` selects the contents of the certificate. By default, it contains a plan with layers, or a plan with a bound
    if A* was used and the metric allows this. For an unsolvable puzzle, the default is an invariant if the search finds
    one, and layers otherwise. If Ctrl-C or a limit stops the work, no file is written, and the result contains the
    bounds that the search has proved. Raises OSError, the errors of `solve`, and UsageError for an unknown metric, an
    unknown or impossible kind, a puzzle without a goal, and a goal of several lists of cubes with too many
    combinations.
    """
    began = time.perf_counter()
    limits = limits or Limits()
    kinds = texts(kinds)
    for kind in kinds:
        if kind not in KINDS:
            hint = did_you_mean(kind, KINDS, listed("kind", KINDS))
            raise UsageError(f"there is no kind of certificate `{kind}`", hint=hint)
    if subject.puzzle.goal is None:
        raise no_goal(subject.puzzle.name)
    check_writable(path)
    subject = replace(subject, task=with_one_goal_list(subject.task))
    subject.task.require_one_goal_list("a certificate")
    chosen = metric_of(subject.task, metric)
    if result is None:
        result = solve(
            subject.puzzle, chosen.name, task=subject.task, limits=limits, progress=progress
        )
    answer = result

    def stopped(reason: str | None) -> Proof:
        seconds = time.perf_counter() - began
        return Proof(
            path=path, result=answer, kinds=(), num_bytes=0, reason=reason, seconds=seconds
        )

    if not result.is_proven:
        return stopped(result.reason or "time")
    deadline = float("inf") if limits.seconds is None else began + limits.seconds
    budget = Budget(deadline, left_of(limits.memory) or 1 << 62)
    try:
        refuted = _refutation(kinds, subject.task, result, budget)
        wanted = _kinds(kinds, result, chosen, is_refuted=refuted is not None)
        sections = [
            refuted
            if kind == "invariant" and refuted is not None
            else _section(kind, subject, chosen, result, path.absolute().parent, budget)
            for kind in wanted
        ]
        header = _header(subject, chosen, wanted)
        size = write_whole(path, encode_certificate(header, sections))
    except TooLargeError as error:
        return stopped(error.reason)
    except KeyboardInterrupt:
        return stopped("interrupted")
    seconds = time.perf_counter() - began
    return Proof(
        path=path, result=result, kinds=wanted, num_bytes=size, reason=None, seconds=seconds
    )


def _refutation(
    requested: tuple[str, ...], task: Task, result: Result, budget: Budget
) -> Iterator[bytes] | None:
    """The section for an invariant; None if there is a plan, if only other kinds are requested, or if no invariant is
    found.

    The search tries sums first, then unreachable cubes. If no kind is requested, it tries cubes only if there are many
    positions. If there are few, the certificate lists all positions in layers, because the rules checker can check
    these.
    """
    if result.plan is not None or (requested and "invariant" not in requested):
        return None
    from fewest.certificates.make_invariant import accepts, invariant_section

    left = budget.deadline - time.perf_counter()
    seconds = left if requested else min(left, _SECONDS)
    sums = prove_unsolvable(task, seconds)
    if sums is not None and accepts(task, sums):
        return invariant_section(task, sums)
    if not requested and result.statistics.get("states", _FEW) < _FEW:
        return None
    from fewest.certificates.cube_invariant_checker import MAX_CUBES
    from fewest.planning.reachability import unreachable_cubes

    cubes = unreachable_cubes(task, seconds)
    if cubes is None or len(cubes) > MAX_CUBES:
        return None
    return invariant_section(task, (), cubes)


def _kinds(
    requested: tuple[str, ...], result: Result, metric: Metric, *, is_refuted: bool
) -> tuple[str, ...]:
    """The kinds of sections in a certificate of a result. Raises UsageError for impossible kinds."""
    is_solvable = result.plan is not None
    if requested:
        misfits = ("invariant",) if is_solvable else ("plan", "clauses", "bound")
        misfit = next((kind for kind in requested if kind in misfits), None)
        if misfit is not None:
            is_it = (
                "solvable, so no invariant exists"
                if is_solvable
                else "unsolvable, so no plan exists"
            )
            raise UsageError(
                f"{plain_word(result.puzzle)} is {is_it}", hint=f"leave out --kind {misfit}"
            )
        if "invariant" in requested and not is_refuted:
            raise UsageError(
                "no invariant was found", hint="use --kind layers, which lists all positions"
            )
        return requested
    if is_solvable:
        is_number = isinstance(result.cost, int) and result.cost > 0
        has_bound = is_number and _has_astar(result) and metric.parts[0].merge == "none"
        return ("plan", "bound" if has_bound else "layers")
    return ("invariant",) if is_refuted else ("layers",)


def _has_astar(result: Result) -> bool:
    """Whether A* was among the searches that ran. If so, lower bounds reduce the work, even if another search was
    faster.
    """
    return any(stage["stage"] == "astar" for stage in result.statistics.get("stages", ()))


def _header(subject: ProvedPuzzle, metric: Metric, kinds: tuple[str, ...]) -> Header:
    from fewest.version import __version__

    puzzle = subject.puzzle
    return Header(
        puzzle=puzzle.name,
        title=puzzle.title,
        made_by=f"fewest {__version__}",
        documents=subject.document.texts,
        parameters=dict(puzzle.parameters),
        rules=fingerprint(puzzle, metric),
        metric=metric.name,
        sections=kinds,
    )


def _section(
    kind: str, subject: ProvedPuzzle, metric: Metric, result: Result, folder: Path, budget: Budget
) -> Iterator[bytes]:
    cost = None
    if result.cost is not None:
        cost = result.cost if isinstance(result.cost, tuple) else (result.cost,)
    if kind == "plan":
        from fewest.certificates.make_plan import plan_section

        assert result.plan is not None and cost is not None
        moves = [step.move for planned in result.plan.moves for step in planned.steps]
        return plan_section(start(subject.puzzle), moves, cost)
    if kind == "bound":
        if cost is None or len(cost) > 1 or cost[0] == 0:
            raise UsageError(
                "a lower bound must be a single number of at least 1", hint="use --kind layers"
            )
        return _bound(subject, metric, cost[0], folder, budget)
    if kind == "clauses":
        from fewest.certificates.make_clauses import clauses_section

        if cost is None or len(cost) > 1 or cost[0] == 0:
            raise UsageError(
                "a formula can prove only a lower bound that is a single number of at least 1",
                hint="use --kind layers",
            )
        return clauses_section(subject.task, metric, cost[0], folder, budget)
    return _layers(subject, metric, cost, folder, budget)


def _bound(
    subject: ProvedPuzzle, metric: Metric, bound: int, folder: Path, budget: Budget
) -> Iterator[bytes]:
    from fewest.certificates.make_layers import bound_section
    from fewest.certificates.make_sequence import bound_sequence_section, can_be_sequence

    puzzle, task = subject.puzzle, subject.task
    if metric.parts[0].merge == "none" and can_be_sequence(puzzle, task, metric):
        return bound_sequence_section(puzzle, task, metric, bound, folder, budget)
    return bound_section(puzzle, task, metric, bound, budget)


def _layers(
    subject: ProvedPuzzle, metric: Metric, bound: Parts | None, folder: Path, budget: Budget
) -> Iterator[bytes]:
    from fewest.certificates.make_layers import bound_of_nothing, layers_section
    from fewest.certificates.make_sequence import (
        can_be_sequence,
        can_be_table,
        closed_section,
        sequence_section,
        table_section,
    )

    puzzle, task = subject.puzzle, subject.task
    if bound is not None and not any(bound):
        return bound_of_nothing(metric)
    if can_be_sequence(puzzle, task, None if bound is None else metric):
        if bound is None:
            return closed_section(puzzle, task, budget)
        return sequence_section(puzzle, task, metric, bound[0], folder, budget)
    if can_be_table(puzzle, task):
        return table_section(puzzle, task, metric, bound, budget)
    return layers_section(puzzle, task, metric, bound, budget)

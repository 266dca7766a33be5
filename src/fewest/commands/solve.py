"""Solves a puzzle: all the steps from its name to the minimum and the proof."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from fewest.commands.audit import audit_answer, audit_option, claim_of, explain_failure, played
from fewest.commands.load import load_puzzle
from fewest.commands.result import Result
from fewest.engines import DEFAULT_ENGINE
from fewest.engines import solve as search
from fewest.engines.registry import check_options
from fewest.errors import InternalError, no_goal
from fewest.grounding.ground import ground
from fewest.model.answer import Grounding, LimitReached, Limits, single
from fewest.model.metric import metric_of
from fewest.model.puzzle import Puzzle
from fewest.model.task import Task
from fewest.playing.validate import validate

if TYPE_CHECKING:
    from pathlib import Path

    from fewest.commands.audit import AuditOption


def solve(
    source: str | Path | Puzzle,
    metric: str | None = None,
    *,
    parameters: Mapping[str, int] | None = None,
    task: Task | None = None,
    engine: str = DEFAULT_ENGINE,
    limits: Limits | None = None,
    progress: Callable[[Any], None] | None = None,
    audit: AuditOption | None = None,
    cpu_began: float | None = None,
    **options: Any,
) -> Result:
    """Compute the minimum of a puzzle in a metric, with a validated plan. The code of each step is in its own package:

    - load: `reading` compiles a text to a `Puzzle` (`formats` reads the formats of other programs); `model` defines the
      types;
    - ground: `grounding` compiles the puzzle to a `Task` of facts, cubes and flips, which does not depend on the kinds
      of rules;
    - choose: the caller or the default chooses the metric, which defines the cost of a move, and the engine
      (`engines`);
    - search: an engine calls `search` (the native core) or a solver through `planning`, with the properties
      of the task that `analysis` and `deadlocks` prove; it returns operators and a cost, or the reason why there is no
      plan;
    - validate: `playing` plays the operators on the board by the rules; it shares no code with `grounding`;
    - audit: `commands.audit` compares the moves that `playing` allows in more positions with the moves of the task;
    - answer: a `Result`, as text or as JSON.

    `source` may be a loaded puzzle; `task` is its task, if it has already been compiled. `audit`: the number of audited
    positions; `cpu_began`: if the work began before this call, the CPU seconds of the process at that time. When a
    limit is reached, the function returns a result instead of raising an error. The function passes `options` to the
    engine. Raises DocumentError or NotFoundError if the puzzle cannot be loaded, UsageError if the metric, the engine
    or an option is unknown, if the engine does not support the request, or if the puzzle has no goal (unless the option
    `exhaust` is true), and DisagreementError if the rules and the task differ.
    """
    if cpu_began is None:
        cpu_began = time.process_time()
    check_options(engine, options)
    allowed = audit_option(audit)
    puzzle = source if isinstance(source, Puzzle) else load_puzzle(source, parameters)
    if puzzle.goal is None and not options.get("exhaust"):
        raise no_goal(puzzle.name)
    limits, began = limits or Limits(), time.perf_counter()
    try:
        task = ground(puzzle, grounding_watch(limits, progress)) if task is None else task
    except LimitReached as limit:
        return not_compiled(puzzle, metric, engine, limit.reason, time.perf_counter() - began)
    chosen = metric_of(task, metric)
    answer = search(engine, task, chosen, less(limits, began), progress, **options)
    plan = None
    if answer.plan is not None and answer.cost is not None:
        try:
            plan = validate(puzzle, task, chosen, answer.plan, answer.cost)
        except InternalError:
            explain_failure(puzzle, task, chosen, answer.plan)
            raise
    audited = audit_answer(
        puzzle,
        task,
        chosen,
        began=cpu_began,
        claim=claim_of(answer.status, has_plan=plan is not None),
        operators=answer.plan or (),
        option=allowed,
        limits=less(limits, began),
    )
    return Result(
        puzzle=puzzle.name,
        title=puzzle.title,
        status=answer.status,
        cost=None if answer.cost is None else single(answer.cost),
        lower_bound=single(answer.lower_bound),
        plan=plan,
        metric=chosen.name,
        engine=answer.engine or engine,
        reason=answer.reason,
        statistics={**answer.statistics, "audit": played(audited)},
    )


def grounding_watch(
    limits: Limits, progress: Callable[[Any], None] | None
) -> Callable[[int, str], None]:
    """A callback that stops grounding at the time limit and reports progress at most ten times a second."""
    began = last = time.perf_counter()

    def watch(num_operators: int, part: str) -> None:
        nonlocal last
        now = time.perf_counter()
        if limits.seconds is not None and now - began > limits.seconds:
            raise LimitReached("time")
        if progress is not None and now - last >= 0.1:
            last = now
            progress(Grounding(num_operators, now - began, part))

    return watch


def less(limits: Limits, began: float) -> Limits:
    """The limits that remain for work that began at `began`."""
    if limits.seconds is None:
        return limits
    return replace(limits, seconds=max(0.0, limits.seconds - (time.perf_counter() - began)))


def not_compiled(
    puzzle: Puzzle, metric: str | None, engine: str, reason: str, seconds: float
) -> Result:
    """The result when a limit stopped the compilation of the task; it contains no information about the minimum."""
    return Result(
        puzzle=puzzle.name,
        title=puzzle.title,
        status="limit",
        cost=None,
        lower_bound=0,
        plan=None,
        metric=metric or puzzle.default_metric,
        engine=engine,
        reason=reason,
        statistics={"compiling_seconds": seconds},
    )

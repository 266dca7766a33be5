"""The Python interface: `fewest.load("heng-dao-li-ma").solve()`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from msgspec.structs import replace

from fewest.commands.load import load_any
from fewest.commands.puzzle_with_task import PuzzleWithTask
from fewest.commands.result import Result
from fewest.commands.solve import less, not_compiled, solve
from fewest.engines import DEFAULT_ENGINE
from fewest.errors import no_goal
from fewest.model.answer import Horizon, LimitReached, Limits
from fewest.model.metric import metric_of
from fewest.model.position import Position
from fewest.reading.puzzle import read_puzzle

if TYPE_CHECKING:
    import threading
    from pathlib import Path

    from fewest.commands.audit import AuditOption
    from fewest.commands.explain import Deadlock
    from fewest.commands.explanation import Explanation
    from fewest.commands.explore import Exploration
    from fewest.commands.hardness import Hardness
    from fewest.commands.hint import Hint
    from fewest.commands.minimize import Keep, Minimized
    from fewest.commands.oracle import Built, Oracle
    from fewest.commands.prove import Proof
    from fewest.commands.solutions import Solutions
    from fewest.commands.vary import Variations
    from fewest.playing.replay_result import ReplayResult
    from fewest.search.interface import Progress
    from fewest.store.location import IndexLocation, StoreLocation


def load(
    ref: str | Path | Mapping[str, Any],
    parameters: Mapping[str, int] | None = None,
    *,
    text: str | None = None,
    **settings: int,
) -> CompiledPuzzle:
    """Load a puzzle from a file, by the name of a shipped puzzle, from `text`, or from plain data.

    Pass parameters by name, as in `load("hanoi", disks=5)`, or as a mapping. `levels.xsb:7` selects a level of a
    collection by its number or title; see `formats.registry`. Raises NotFoundError, UsageError, or DocumentError, which
    lists every mistake found.
    """
    if isinstance(ref, Mapping):
        from fewest.formats.plain import written

        name, text = str(ref.get("puzzle", "document")), written(ref)
    else:
        name = str(ref)
    document = load_any(name, text=text)
    return CompiledPuzzle(read_puzzle(document, {**(parameters or {}), **settings}), document)


class CompiledPuzzle(PuzzleWithTask, frozen=True, eq=False, dict=True):
    """A puzzle, with the operations on it as methods. The task is compiled when it is first needed."""

    def solve(
        self,
        metric: str | None = None,
        *,
        engine: str = DEFAULT_ENGINE,
        seconds: float | None = None,
        memory: int | None = None,
        progress: Callable[[Progress | Horizon], None] | None = None,
        cancel: threading.Event | None = None,
        audit: AuditOption | None = None,
        **options: Any,
    ) -> Result:
        """Compute the minimum in a metric, with a validated plan.

        The limits are `seconds` of wall-clock time and `memory` in bytes; when a limit is reached, the method returns a
        result instead of raising an error. The default engine is A* if its lower bounds reduce the work, and
        breadth-first search otherwise (see `engines.auto`); the result states which engine was used. `options` are
        passed to the engine. The options of bfs include `exhaust=True` (continue and count all reachable states),
        `symmetry="on"` (one state of every orbit), `store="index"` (two bits per state instead of a table),
        `store="disk:FOLDER"` (store the states in a folder), `store="auto"` (continue in a temporary folder when memory
        is full) and `threads=1` (use one processor instead of all). The time limit includes the compilation of the
        puzzle, unless it is already compiled. If another thread sets `cancel`, the search stops as if it had reached a
        limit. `audit` is the number of positions on which the compiled task is compared with the rules: "auto" (a share
        of the time), "all", "off" or a number; the default is the environment variable FEWEST_AUDIT. Raises UsageError
        for an unknown metric, engine or option, for a request that the engine does not support, and for a puzzle
        without a goal (unless `exhaust=True`); DisagreementError if the rules and the compiled task differ; and
        KeyboardInterrupt if `cancel` is set before there is a result.
        """
        solve = partial(self._solve, metric, engine, Limits(seconds, memory), audit, options)
        if cancel is None:
            return solve(progress)
        from fewest.commands.asynchronous import cancelled_by

        return cancelled_by(cancel, solve, progress)

    def _solve(
        self,
        metric: str | None,
        engine: str,
        limits: Limits,
        audit: AuditOption | None,
        options: Mapping[str, Any],
        progress: Callable[[Any], None] | None,
    ) -> Result:
        from fewest.commands.audit import audit_option

        began, cpu_began = time.perf_counter(), time.process_time()
        allowed = audit_option(audit)
        try:
            task = self._task_within(limits, progress)
        except LimitReached as limit:
            spent = time.perf_counter() - began
            return not_compiled(self.puzzle, metric, engine, limit.reason, spent)
        return solve(
            self.puzzle,
            metric,
            task=task,
            engine=engine,
            limits=less(limits, began),
            progress=progress,
            audit=allowed,
            cpu_began=cpu_began,
            **self._checkpoint("solve", metric, options, engine),
        )

    def _checkpoint(
        self,
        kind: Literal["solve", "explore"],
        metric: str | None,
        options: Mapping[str, Any],
        engine: str = "bfs",
    ) -> Mapping[str, Any]:
        """The options; if they name a store on disk or a checkpoint, the options also contain the query, which the
        folder records.
        """
        from fewest.engines.registry import check_options, word_of

        store = options.get("store")
        named = metric or self.puzzle.default_metric
        if options.get("checkpoint") is not None:
            from fewest.commands.stored_query import checkpoint_for

            requested = {name: value for name, value in options.items() if name != "checkpoint"}
            if store is not None:
                requested["store"] = str(store)
            folder = options["checkpoint"]
            check_options(engine, {"checkpoint": folder})
            place = checkpoint_for(
                folder, kind, self.document, self.puzzle, named, requested, engine
            )
            return {**options, "checkpoint": place}
        if store in (None, "auto") or word_of(store) not in ("auto", "disk"):
            # no search resumes from a temporary folder, so such a folder does not record the query
            return options
        from fewest.commands.stored_query import store_location_for

        requested = {
            name: value for name, value in options.items() if name not in ("store", "threads")
        }
        return {
            **options,
            "store": store_location_for(store, kind, self.document, self.puzzle, named, requested),
        }

    async def solve_async(self, metric: str | None = None, **options: Any) -> Result:
        """Run `solve` in a separate thread; cancelling the task that awaits it stops the search."""
        from fewest.commands.asynchronous import in_a_thread

        return await in_a_thread(lambda event: self.solve(metric, cancel=event, **options))

    def play(self, plan: str | Sequence[Any]) -> ReplayResult:
        """Replay a plan, given as lines of text or as plain data (`Plan.to_json`).

        Raises UsageError if the argument is not a plan.
        """
        import json

        from fewest.commands.replay import replay_plan

        return replay_plan(self.puzzle, plan if isinstance(plan, str) else json.dumps(list(plan)))

    def explore(
        self,
        metric: str | None = None,
        *,
        symmetry: str = "auto",
        seconds: float | None = None,
        memory: int | None = None,
        threads: int | None = None,
        progress: Callable[[Progress], None] | None = None,
        store: str | StoreLocation | IndexLocation = "hash",
        plans: bool = True,
        consistent: bool | None = None,
        depth: int | None = None,
        checkpoint: str | None = None,
        audit: AuditOption | None = None,
    ) -> Exploration:
        """Count the reachable positions and compute other figures about them; see `explore.Exploration`.

        Limits are as in `solve`; up to `threads` threads count the positions (by default, one thread per processor).
        `store="index"` uses two bits for each consistent position and does not count plans. `checkpoint` is a folder
        from which the search resumes, and `store="disk:FOLDER"` names a folder of layers
        (docs/how-to/large-searches.md). With either of these, `depth=N` counts only the positions within N moves.
        `store="auto"` continues in a folder when memory is full. `plans`, `consistent`: whether to count the optimal
        plans and the consistent positions. If `consistent` is None, the consistent positions are counted only if this
        costs less than the other computations. `audit` and DisagreementError are as in `solve`. Raises UsageError for
        an unknown metric, if `symmetry` is "on" but not possible, and for requests that an index does not support.
        """
        from fewest.commands.audit import audit_answer, audit_option
        from fewest.commands.explore import explore

        cpu_began, allowed = time.process_time(), audit_option(audit)
        chosen = metric_of(self.grounded, metric)
        options = {
            "symmetry": symmetry,
            "store": store,
            "threads": threads,
            "plans": plans,
            "consistent": consistent,
            "depth": depth,
            "checkpoint": checkpoint,
        }
        saved = self._checkpoint("explore", chosen.name, options)
        exploration = explore(self.grounded, chosen, Limits(seconds, memory), progress, **saved)
        is_unsolvable = (
            self.puzzle.goal is not None
            and exploration.is_exhausted
            and exploration.num_goal_states == 0
        )
        audited = audit_answer(
            self.puzzle,
            self.grounded,
            chosen,
            began=cpu_began,
            claim="unsolvable" if is_unsolvable else "bound",
            option=allowed,
            limits=Limits(seconds, memory),
        )
        return replace(exploration, audited=audited)

    def solutions(
        self,
        metric: str | None = None,
        *,
        listed: int = 0,
        up_to_symmetry: bool = False,
        at_most: int | None = None,
        seconds: float | None = None,
        memory: int | None = None,
        progress: Callable[[Progress], None] | None = None,
        audit: AuditOption | None = None,
    ) -> Solutions:
        """All optimal plans, up to the order of independent moves: see `solutions.Solutions`.

        `listed`: the number of plans to return; they differ in more than the order of independent moves.
        `up_to_symmetry`: whether plans that are images of each other count as one. `at_most`: count the plans of every
        cost up to this cost; this requires a metric with one part. Limits, `audit` and DisagreementError are as in
        `solve`. Raises UsageError if the metric is unknown, if the puzzle has no goal, or if `at_most` is given for a
        lexicographic metric.
        """
        from fewest.commands.audit import audit_answer, audit_option, claim_of
        from fewest.commands.solutions import Request, find_solutions

        cpu_began, allowed = time.process_time(), audit_option(audit)
        chosen = metric_of(self.grounded, metric)
        limits, request = Limits(seconds, memory), Request(listed, up_to_symmetry, at_most)
        solutions = find_solutions(self.puzzle, self.grounded, chosen, request, limits, progress)
        if allowed != "off":
            solutions.shared_texts()  # this replays a plan by the rules
        audited = audit_answer(
            self.puzzle,
            self.grounded,
            chosen,
            began=cpu_began,
            claim=claim_of(solutions.status),
            option=allowed,
            limits=limits,
        )
        return replace(solutions, audited=audited)

    def write_space(
        self,
        path: str | PathLike[str],
        metric: str | None = None,
        *,
        seconds: float | None = None,
        memory: int | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> int:
        """Write all positions, distances and moves to an .npz, .parquet or .graphml file, and return its size in bytes.

        The file is written in blocks, and either completely or not at all. Raises LimitReached at a limit, UsageError
        for an unknown suffix or metric or a missing package, and OSError if the file cannot be written.
        """
        from pathlib import Path

        from fewest.commands.explore.export import write_space

        chosen = metric_of(self.grounded, metric)
        limits = Limits(seconds, memory)
        return write_space(self.puzzle, self.grounded, chosen, Path(path), limits, progress)

    def picture_of(
        self, exploration: Exploration, *, theme: str = "light", seconds: float | None = None
    ) -> str:
        """The explored space as an SVG document: its layers and, if there are at most 50,000 positions, its graph.

        The picture marks the start, goal positions, dead positions and optimal plans. Raises UsageError for an unknown
        theme.
        """
        from fewest.commands.explore.picture import space_picture
        from fewest.drawing.pictures.puzzle_style import theme_of

        metric = metric_of(self.grounded, exploration.metric)
        shown = theme_of(theme)
        title, limits = self.puzzle.title, Limits(seconds)
        return space_picture(self.grounded, metric, exploration, title, limits=limits, theme=shown)

    def hardest(self, exploration: Exploration) -> CompiledPuzzle | None:
        """The puzzle with its hardest start; None if the exploration found none."""
        from fewest.commands.explore.hardest import hardest_start

        position = hardest_start(self.puzzle, self.grounded, exploration)
        return None if position is None else self.at(position)

    def hardest_document(self, exploration: Exploration) -> str:
        """The hardest start of the exploration as a complete puzzle document.

        Raises UsageError if there is no hardest start, and UndrawableError if it cannot be drawn.
        """
        from fewest.commands.explore.hardest import hardest_document

        assert self.document is not None, "made by `load`"
        return hardest_document(self.document, self.puzzle, self.grounded, exploration)

    def hint(
        self,
        position: str | Position | None = None,
        metric: str | None = None,
        *,
        oracle: Oracle | None = None,
        name: str = "position",
        seconds: float | None = None,
        memory: int | None = None,
        progress: Callable[[Progress], None] | None = None,
        audit: AuditOption | None = None,
    ) -> Hint:
        """Compute the distance from a position (the start by default) to the goal, and by how much each move increases
        the remaining cost.

        Error messages refer to a drawn position by `name`. The distances come from a search, or from `oracle`, which
        must belong to this puzzle. `audit` and DisagreementError are as in `solve`. Raises UsageError if the metric is
        unknown or the puzzle has no goal, DocumentError or PositionError if the argument is not a position, OracleError
        if the oracle belongs to another puzzle or metric, and UnreachableError if the oracle does not contain the
        position.
        """
        from dataclasses import replace as replace_in

        from fewest.commands.audit import audit_answer, audit_option, claim_of
        from fewest.commands.hint import give_hint

        cpu_began, allowed = time.process_time(), audit_option(audit)
        there = self if position is None else self.at(position, name)
        task = self.task if oracle is not None else there.grounded
        chosen = metric_of(task, metric)
        limits = Limits(seconds, memory)
        hint = give_hint(there.puzzle, task, chosen, oracle, limits, progress)
        audited = audit_answer(
            there.puzzle,
            task,
            chosen,
            began=cpu_began,
            claim=claim_of(hint.status, has_plan=hint.status in ("solvable", "solved")),
            option=allowed,
            limits=limits,
        )
        return replace_in(hint, audited=audited)

    def explain_deadlock(
        self,
        position: str | Position | None = None,
        metric: str | None = None,
        *,
        name: str = "position",
        seconds: float | None = None,
        memory: int | None = None,
        progress: Callable[[Any], None] | None = None,
    ) -> Deadlock:
        """Whether a position (the start by default) is dead, and why.

        If no argument applies, an exhaustive search within the limits decides. Raises DocumentError or PositionError if
        the argument is not a position, UsageError if the metric is unknown or the puzzle has no goal, and
        DisagreementError if the rules and the compiled task differ.
        """
        import dataclasses  # `solve` does not need this module

        from fewest.commands.audit import audit_answer, played
        from fewest.commands.explain import explain_deadlock

        cpu_began = time.process_time()
        there = self.puzzle if position is None else self.at(position, name).puzzle
        limits = Limits(seconds, memory)
        explanation = explain_deadlock(self.puzzle, self.task, there, metric, limits, progress)
        if explanation.status == "dead" and explanation.audit is None:  # there was no search
            audited = audit_answer(self.puzzle, self.task, began=cpu_began, claim="unsolvable")
            explanation = dataclasses.replace(explanation, audit=played(audited))
        return explanation

    def explain(
        self,
        metric: str | None = None,
        *,
        largest: int = 2,
        always: bool = False,
        seconds: float | None = None,
        memory: int | None = None,
        progress: Callable[[Any], None] | None = None,
    ) -> Explanation:
        """Explain why the puzzle cannot be solved: by the shortest argument found, or by the smallest sets of parts
        that prevent every plan.

        A set contains up to `largest` walls, pieces and rules; removing them makes the puzzle solvable. The method
        searches for these sets if the puzzle is unsolvable and either no argument is found or `always` is true. Raises
        UsageError for an unknown metric or a puzzle without a goal, and DisagreementError if the rules and the compiled
        task differ.
        """
        from fewest.commands.audit import audit_answer, played
        from fewest.commands.explanation import explain_puzzle

        if self.puzzle.goal is None:
            raise no_goal(self.puzzle.name)
        cpu_began = time.process_time()
        chosen = metric_of(self.grounded, metric).name
        limits = Limits(seconds, memory)
        assert self.document is not None, "made by `load`"
        explanation = explain_puzzle(
            self.document,
            self.puzzle,
            self.grounded,
            chosen,
            largest=largest,
            always=always,
            limits=limits,
            progress=progress,
        )
        if explanation.reasons:
            audited = audit_answer(self.puzzle, self.grounded, began=cpu_began, claim="unsolvable")
            explanation = replace(explanation, audit=played(audited))
        return explanation

    def explain_hardness(
        self,
        metric: str | None = None,
        *,
        seconds: float | None = None,
        memory: int | None = None,
        progress: Callable[[Any], None] | None = None,
    ) -> Hardness:
        """Explain why the minimum is as large as it is; see `hardness.Hardness`.

        Raises UsageError if the metric is unknown or the puzzle has no goal or no plan, TimeLimitError if no minimum is
        found within the limits, and DisagreementError if the rules and the compiled task differ.
        """
        from fewest.commands.hardness import explain_hardness

        assert self.document is not None, "made by `load`"
        chosen = metric_of(self.grounded, metric).name
        limits = Limits(seconds, memory)
        return explain_hardness(self.document, self.puzzle, self.grounded, chosen, limits, progress)

    def minimize(
        self,
        metric: str | None = None,
        *,
        keep: Keep = "minimum",
        seconds: float | None = None,
        memory: int | None = None,
        progress: Callable[[Any], None] | None = None,
    ) -> Minimized:
        """The puzzle without the pieces, walls, rows and columns that do not affect its minimum.

        `keep`: "minimum", "unique" (one plan, up to the order of independent moves) or "both". Raises UsageError if the
        metric is unknown, if the puzzle has no goal or no plan, or if its plan is not known to be unique although
        `keep` requires a unique plan. Raises TimeLimitError if no minimum is found within the limits.
        """
        from fewest.commands.minimize import minimize

        assert self.document is not None, "made by `load`"
        chosen = metric_of(self.grounded, metric).name
        limits = Limits(seconds, memory)
        return minimize(
            self.document,
            self.puzzle,
            self.grounded,
            chosen,
            keep=keep,
            limits=limits,
            progress=progress,
        )

    def vary(
        self,
        metric: str | None = None,
        *,
        kinds: str | Sequence[str] | None = None,
        each: float | None = None,
        seconds: float | None = None,
        memory: int | None = None,
        progress: Callable[[Any], None] | None = None,
    ) -> Variations:
        """All boards that differ from the puzzle by one change, with their minima: a wall or piece is added, removed,
        or moved by one cell.

        `kinds`: the kinds of changes, from `vary.CHANGES`; `each`: the time limit for one board, in seconds. Raises
        UsageError for an unknown metric or change, and for a puzzle without a goal or a board.
        """
        from fewest.commands.vary import CHANGES, vary

        assert self.document is not None, "made by `load`"
        return vary(
            self.document,
            self.puzzle,
            metric_of(self.grounded, metric).name,
            kinds=CHANGES if kinds is None else kinds,
            each=each,
            limits=Limits(seconds, memory),
            progress=progress,
        )

    def build_oracle(
        self,
        path: str | PathLike[str],
        metric: str | None = None,
        *,
        seconds: float | None = None,
        memory: int | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Built:
        """Write the goal distances of all reachable positions to a file, for `open_oracle` and `hint`. If a limit is
        reached, the result states the reason, and no file is written.

        Raises OSError, and UsageError for an unknown metric, a puzzle without a goal, or moves that are not flips.
        """
        from pathlib import Path

        from fewest.commands.oracle import build_oracle
        from fewest.version import __version__

        chosen = metric_of(self.task, metric)
        about = {
            "made_by": f"fewest {__version__}",
            "puzzle": self.puzzle.name,
            "title": self.puzzle.title,
            "parameters": dict(self.puzzle.parameters),
        }
        limits = Limits(seconds, memory)
        return build_oracle(self.task, chosen, Path(path), about, limits, progress)

    def prove(
        self,
        path: str | PathLike[str],
        metric: str | None = None,
        *,
        kinds: str | Sequence[str] = (),
        seconds: float | None = None,
        memory: int | None = None,
        progress: Callable[[Progress | Horizon], None] | None = None,
        result: Result | None = None,
    ) -> Proof:
        """Solve the puzzle and write a certificate of the answer, for `fewest.commands.verify`.

        `kinds`: the contents of the certificate (see `commands.prove.KINDS`); by default, the contents that prove the
        answer. `result`: the result of an earlier `solve` in this metric, if any. Raises OSError, DisagreementError as
        in `solve`, and UsageError for an unknown metric, an unknown or impossible kind, or a puzzle without a goal.
        """
        from pathlib import Path

        from fewest.commands.prove import ProvedPuzzle, prove

        assert self.document is not None, "made by `load`"
        limits = Limits(seconds, memory)
        subject = ProvedPuzzle(self.document, self.puzzle, self.grounded)
        return prove(
            subject,
            Path(path),
            metric,
            kinds=kinds,
            limits=limits,
            progress=progress,
            result=result,
        )

"""Runs every engine on every question, one after another, so that none takes time from another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from fewest.errors import Exit, UsageError
from fewest.model.answer import Limits
from fewest.model.metric import metric_of
from fewest.model.notebook_repr import html_of
from fewest.model.puzzle import Puzzle
from fewest.questions.compare.engine_spec import parse_engine_spec
from fewest.questions.compare.entry import Comparison, Entry
from fewest.questions.compare.process import EngineProcess
from fewest.questions.compare.worker import CompareRequest
from fewest.questions.load import carried, load_puzzle
from fewest.questions.solve import no_goal
from fewest.reading.clock import reading_within

ALL = "all"
DEFAULT_ENGINES = ("bfs", "sat", "asp")
_EXITS = {
    "settled": Exit.ANSWERED,
    "disagreement": Exit.FAILED,
    "refused": Exit.USAGE,
    "invalid": Exit.BAD_INPUT,
    "open": Exit.LIMIT,
    "failed": Exit.BUG,
    "nothing": Exit.INTERRUPTED,
}


class Comparisons(Struct, frozen=True):
    """All questions; after an interruption, all known answers."""

    comparisons: tuple[Comparison, ...]
    num_questions: int
    is_interrupted: bool = False

    def __repr__(self) -> str:
        return f"<Comparisons: {len(self.comparisons)}, {self.verdict}>"

    def _repr_html_(self) -> str:
        return "".join(html_of(found) or "" for found in self.comparisons)

    @property
    def num_finished(self) -> int:
        """The number of questions with a final entry of an engine."""
        return sum(
            entry.reason != "interrupted" for found in self.comparisons for entry in found.entries
        )

    @property
    def verdict(self) -> str:
        """The worst result.

        `disagreement`, `failed` (an engine went wrong), `invalid` (a puzzle cannot be grounded), `nothing`
        (interrupted before anything was known), `open` (a limit or Ctrl-C left a question without a proof),
        `refused` (no engine can count any of it), or `settled`.
        """
        entries = [entry for found in self.comparisons for entry in found.entries]
        statuses = {entry.status for entry in entries}
        if any(found.disagreements for found in self.comparisons):
            return "disagreement"
        for bad in ("failed", "invalid"):
            if bad in statuses:
                return bad
        if self.is_interrupted:
            is_known = self.num_finished or any(entry.lower_bound is not None for entry in entries)
            return "open" if is_known else "nothing"
        if statuses <= {"refused"}:
            return "refused"
        return "settled" if all(found.is_at_fixpoint for found in self.comparisons) else "open"

    @property
    def exit_code(self) -> Exit:
        """The exit code for the verdict."""
        return _EXITS[self.verdict]


def _read(ref: str | Path, parameters: Mapping[str, int] | None, seconds: float | None) -> Puzzle:
    """The puzzle of a question, read within the time limit of its answers."""
    with reading_within(seconds):
        return _with_goal(load_puzzle(ref, parameters or {}))


def compare(
    puzzles: Sequence[str | Path],
    engines: Sequence[str] = DEFAULT_ENGINES,
    metrics: Sequence[str] = (),
    *,
    parameters: Mapping[str, int] | None = None,
    seconds: float | None = None,
    memory: int | None = None,
    progress: Callable[[Comparison, str, Any], None] | None = None,
    on_comparison: Callable[[Comparison], None] | None = None,
) -> Comparisons:
    """The answer of each engine to each puzzle in each metric ("all", or none for the default one).

    Limits are for each answer: `seconds` of wall clock, `memory` in bytes. `progress` is called with the
    question (a comparison without entries), the engine's name and its report; `on_comparison` with each
    finished one. Ctrl-C ends it with the known answers.

    Raises UsageError for unknown names, DocumentError, NotFoundError; all before the first engine starts.
    """
    asked = [parse_engine_spec(text) for text in dict.fromkeys(text.strip() for text in engines)]
    if not asked:
        raise UsageError("no engine to compare", hint=f"such as {','.join(DEFAULT_ENGINES)}")
    questions = [
        (str(ref), _question(puzzle, metric))
        for ref in puzzles
        for puzzle in [_read(ref, parameters, seconds)]
        for metric in _metrics_of(puzzle, metrics)
    ]
    limits = Limits(seconds, memory)
    done: list[Comparison] = []
    is_interrupted = False
    for ref, question in questions:
        entries: list[Entry] = []
        for one in asked:
            name, text = carried(ref) or (ref, None)
            what = CompareRequest(name, parameters or {}, question.metric, one, limits, text)
            entry, is_interrupted = _ask(what, question, progress)
            entries.append(entry)
            if is_interrupted:
                break
        done.append(replace(question, entries=tuple(entries)))
        if on_comparison is not None:
            on_comparison(done[-1])
        if is_interrupted:
            break
    return Comparisons(tuple(done), len(questions) * len(asked), is_interrupted)


def _ask(
    what: CompareRequest,
    question: Comparison,
    progress: Callable[[Comparison, str, Any], None] | None,
) -> tuple[Entry, bool]:
    """The entry, and whether Ctrl-C came in the meantime."""

    def report(found: Any) -> None:
        if progress is not None:
            progress(question, what.contender.name, found)

    with EngineProcess(what) as process:
        try:
            return process.answer(report), False
        except KeyboardInterrupt:
            return process.interrupt(), True


def _with_goal(puzzle: Puzzle) -> Puzzle:
    if puzzle.goal is None:
        raise no_goal(puzzle)
    return puzzle


def _metrics_of(puzzle: Puzzle, names: Sequence[str]) -> list[str]:
    if ALL in names:
        rest = [name for name in puzzle.metrics if name != puzzle.default_metric]
        return [puzzle.default_metric, *rest]
    if not names:
        return [puzzle.default_metric]
    return [metric_of(puzzle, name).name for name in dict.fromkeys(names)]


def _question(puzzle: Puzzle, metric: str) -> Comparison:
    return Comparison(puzzle.name, puzzle.title, puzzle.file, dict(puzzle.parameters), metric, ())

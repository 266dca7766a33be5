"""Checks documents: reports every mistake, runs the tests of the rules, and compares the known answers with computed
ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from fewest.commands.api import CompiledPuzzle
from fewest.commands.audit import audit_answer, played
from fewest.commands.limited import uninterrupted
from fewest.commands.result import Result
from fewest.commands.rule_tests import run_rule_tests
from fewest.errors import (
    Diagnostic,
    DocumentError,
    Exit,
    FewestError,
    InternalError,
    TimeLimitError,
    UsageError,
)
from fewest.machine.input import is_stream
from fewest.machine.processes import KilledProcess, ParallelMap
from fewest.model.answer import Limits, counted
from fewest.model.position import Position
from fewest.model.puzzle import Expectation
from fewest.playing.exhaust import TooManyPositionsError, exhaust
from fewest.playing.move import Move
from fewest.reading.clock import reading_within
from fewest.reading.loader import LoadedDocument, load_document, resolve
from fewest.reading.puzzle import read_puzzle

_COUNTS = ("reachable", "goal_states")
_OF_PLANS = ("plans", "unique")
_RULES = "rules"
_EXITS = (
    ("bug", Exit.BUG),
    ("wrong", Exit.FAILED),
    ("invalid", Exit.BAD_INPUT),
    ("open", Exit.LIMIT),
)


class CheckRow(Struct, frozen=True):
    """One comparison of an expected answer with a computed answer. `engine` names the engine, or the source of another
    answer: `rules`, `reference`, `solutions` or `certificate`. `found` is None if there is no answer: `reason` is the
    reason, or None if a limit prevented an answer.

    `drawing`: if a test of the rules fails, a drawing of the position before the last move.
    """

    key: str
    engine: str
    expected: Any
    found: Any
    seconds: float
    drawing: tuple[str, ...] = ()
    reason: str | None = None

    @property
    def verdict(self) -> str:
        """`ok`, `wrong`, or `open` if there is no answer."""
        if self.found is None:
            return "open"
        return "ok" if self.found == self.expected else "wrong"

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "key": self.key,
            "engine": self.engine,
            "expected": self.expected,
            "found": self.found,
            "verdict": self.verdict,
            "seconds": self.seconds,
            "drawing": list(self.drawing),
            "reason": self.reason,
        }


class DocumentCheck(Struct, frozen=True):
    """The result for one document.

    `errors` describes the mistakes in the document, if it has any; `bug` describes a fault in this package, if the
    check found one.
    """

    path: str
    is_model: bool
    rows: tuple[CheckRow, ...] = ()
    num_slow: int = 0
    errors: str | None = None
    bug: str | None = None
    mistakes: tuple[Diagnostic, ...] = ()
    warnings: tuple[str, ...] = ()
    audits: tuple[Mapping[str, Any], ...] = ()
    """the statistics of the audit of each query"""

    @property
    def verdict(self) -> str:
        """`bug`, `invalid`, or the worst verdict of its rows: `wrong`, `open` or `ok`."""
        if self.bug is not None:
            return "bug"
        if self.errors is not None:
            return "invalid"
        verdicts = {row.verdict for row in self.rows}
        return next((v for v in ("wrong", "open") if v in verdicts), "ok")

    def to_json(self) -> dict[str, Any]:
        """Plain data, as `--json` prints it."""
        return {
            "path": self.path,
            "verdict": self.verdict,
            "errors": self.errors,
            "bug": self.bug,
            "mistakes": [asdict(mistake) for mistake in self.mistakes],
            "warnings": list(self.warnings),
            "num_slow": self.num_slow,
            "rows": [row.to_json() for row in self.rows],
            "audit": {
                "positions": sum(audit["positions"] for audit in self.audits),
                "all": any(audit["all"] for audit in self.audits),
            },
        }

    def text(self, *, verbose: bool = False) -> list[tuple[str, str]]:
        """The verdicts as lines of text. If all verdicts are `ok`, there is a single line, unless `verbose` is true."""
        bad = [row for row in self.rows if row.verdict != "ok"]
        if not verbose and not bad:
            played = sum(row.engine == _RULES for row in self.rows)
            known = [row for row in self.rows if row.engine != _RULES]
            answers = dict.fromkeys(f"{row.key} {_answer_text(row.expected)}" for row in known)
            parts = ["model"] if self.is_model else list(answers)
            if played:
                parts.append(counted(played, "tests"))
            what = ", ".join(parts) or "nothing to compare"
            return [("ok", f"ok     {self.path}: {what}")]
        return [
            ("wrong" if bad else "ok", f"{self.verdict:<6} {self.path}"),
            *(
                (row.verdict, line)
                for row in (self.rows if verbose else bad)
                for line in (_row_text(row), *(f"         {part}" for part in row.drawing))
            ),
        ]


def _row_text(row: CheckRow) -> str:
    answer = "not finished" if row.found is None else _answer_text(row.found)
    source = "the rules say" if row.engine == _RULES else f"{row.engine} says"
    says = f"no {row.engine}: {row.reason}" if row.reason is not None else f"{source} {answer}"
    expected = _answer_text(row.expected)
    return f"       {row.verdict:<5} {row.key}: expected {expected}, {says} ({row.seconds:.3f} s)"


def _answer_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return " + ".join(f"{part:,}" for part in value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def summary(checks: Sequence[DocumentCheck]) -> str:
    """A one-line summary of the results for all documents."""
    verdicts = [check.verdict for check in checks]
    rows = [row for check in checks for row in check.rows]
    engines = {row.engine: 0 for row in rows}
    for row in rows:
        engines[row.engine] += row.verdict == "ok"
    agreed = ", ".join(f"{count:,} by {engine}" for engine, count in engines.items())
    num_slow = sum(check.num_slow for check in checks)
    bugs = f", {verdicts.count('bug')} stopped by a bug of fewest" if "bug" in verdicts else ""
    left = f"; {num_slow} slow answers skipped (--slow)" if num_slow else ""
    return (
        f"{counted(len(checks), 'documents')}: {verdicts.count('ok')} ok, {verdicts.count('wrong')} wrong, "
        f"{verdicts.count('invalid')} invalid, {verdicts.count('open')} open{bugs}; "
        f"answers confirmed: {agreed or 'none'}{left}"
    )


def exit_code(checks: Sequence[DocumentCheck]) -> Exit:
    """The exit code for the worst verdict."""
    verdicts = {check.verdict for check in checks}
    return next((code for verdict, code in _EXITS if verdict in verdicts), Exit.ANSWERED)


class Effort(Struct, frozen=True):
    """The options that determine how thorough a check is.

    `slow`: whether to check the `slow` expectations as well; `seconds` is the limit for each query. `twice`: whether to
    run the slow implementations as well: the pure-Python core up to `python_states` states, and the reference
    interpreter up to `reference_states` states.
    """

    slow: bool = False
    seconds: float | None = None
    memory: int | None = None
    twice: bool = False
    python_states: int = 5_000
    reference_states: int = 500
    certificate_states: int = 0
    """up to this number of states, the check creates and verifies a certificate for each proven answer"""


def documents(path: Path) -> Iterator[Path]:
    """The documents that `path` refers to: a file, all .yaml and .yml files under a folder, or a shipped puzzle or
    model.

    The files in a folder are sorted. Raises NotFoundError if there is no such file or name.
    """
    if path.is_dir():
        yield from sorted(p for p in path.rglob("*.y*ml") if p.suffix in (".yaml", ".yml"))
    elif path.exists() or is_stream(str(path)):
        yield path
    else:
        yield Path(resolve(path))


def check_document(path: Path, effort: Effort) -> DocumentCheck:
    """Load one document, run its rule tests, and check the known answers that `effort` includes. The function raises no
    error for a document with mistakes. It raises KeyboardInterrupt if Ctrl-C stopped a search.
    """
    began, cpu_began = time.perf_counter(), time.process_time()
    audits: list[Mapping[str, Any]] = []
    try:
        with reading_within(effort.seconds):
            _refuse_levels(str(path))
            loaded = load_document(path)
            if loaded.document.puzzle is None:
                warnings = tuple(d.format() for d in loaded.report.diagnostics)
                tests = tuple(_test_rows(loaded, effort))
                return DocumentCheck(str(path), True, tests, warnings=warnings)
            compiled = CompiledPuzzle(read_puzzle(loaded, {}), loaded)
            compiled.grounded  # noqa: B018  (grounding also finds mistakes)
            found = (*compiled.warnings, *compiled.unused_rules_of_few_positions)
            warnings = tuple(d.format() for d in found)
        expected = [e for e in compiled.puzzle.expectations if effort.slow or not e.slow]
        num_slow = len(compiled.puzzle.expectations) - len(expected)
        rows = (*_test_rows(loaded, effort), *_rows(compiled, expected, effort, audits))
        if not rows:  # no engine has been run, so there has been no audit yet
            puzzle, task = compiled.puzzle, compiled.grounded
            audits.append(played(audit_answer(puzzle, task, began=cpu_began, claim="bound")))
    except TimeLimitError:
        row = CheckRow("reading", "fewest", "finished", None, time.perf_counter() - began)
        return DocumentCheck(str(path), False, (row,))
    except DocumentError as error:
        return DocumentCheck(str(path), False, errors=str(error), mistakes=error.diagnostics)
    except InternalError as error:
        return DocumentCheck(str(path), False, bug=f"{path}: fewest has a bug: {error}")
    except FewestError as error:
        return DocumentCheck(str(path), False, errors=f"{path}: {error}")
    return DocumentCheck(str(path), False, rows, num_slow, warnings=warnings, audits=tuple(audits))


def _refuse_levels(ref: str) -> None:
    """Raises UsageError if a file contains levels in another program's format, because such a file contains no known
    answers; raises DocumentError if a file with such a name is in no known format.
    """
    from fewest.formats.registry import is_collection, read_collection

    if not is_stream(ref) and is_collection(ref):
        number = len(read_collection(ref).levels)
        raise UsageError(
            f"this file contains {counted(number, 'levels')}, not a document with known answers",
            hint=f"use `fewest solve {ref}`",
        )


def check_documents(
    paths: Sequence[Path], effort: Effort, parallel_map: ParallelMap | None = None
) -> Iterator[DocumentCheck]:
    """Check documents, with `parallel_map` or in this process; the results are in the order of `paths`. After Ctrl-C,
    yields the remaining finished results, and raises KeyboardInterrupt.
    """
    # Only this process can read a stream.
    if parallel_map is None or any(is_stream(str(path)) for path in paths):
        yield from (check_document(path, effort) for path in paths)
        return
    done: dict[int, DocumentCheck] = {}
    following = 0
    try:
        with closing(parallel_map(partial(_check_there, effort), paths, None)) as answers:
            for index, answer in answers:
                if isinstance(answer, KilledProcess):
                    path = str(paths[index])
                    answer = DocumentCheck(
                        path, False, errors=f"{path}: the system ended its process"
                    )
                done[index] = answer
                while following in done:
                    yield done.pop(following)
                    following += 1
    except KeyboardInterrupt:
        for index in sorted(done):  # these documents are behind one that is not finished
            yield done[index]
        raise


def _check_there(effort: Effort, path: Path, _: Callable[[Any], None]) -> DocumentCheck:
    return check_document(path, effort)


def _rows(
    compiled: CompiledPuzzle,
    expected: list[Expectation],
    effort: Effort,
    audits: list[Mapping[str, Any]],
) -> Iterator[CheckRow]:
    """Compare the expected answers with those of the engines; the statistics of each audit are appended to `audits`."""
    counts = [e for e in expected if e.key in _COUNTS]
    minima = [e for e in expected if e.key not in _COUNTS and e.key not in _OF_PLANS]
    size = None
    if counts:
        result, seconds = _solve(compiled, None, "bfs", effort, audits, exhaust=True)
        done = bool(result.statistics.get("exhausted"))
        size = result.statistics["states"] if done else None
        for expectation in counts:
            yield CheckRow(
                expectation.key, "bfs", expectation.value, _count(result, expectation), seconds
            )
        if effort.twice and size is not None and size <= effort.python_states:
            reference, seconds = _solve(compiled, None, "python", effort, audits, exhaust=True)
            for expectation in counts:
                count = _count(reference, expectation)
                yield CheckRow(expectation.key, "python", expectation.value, count, seconds)
    found: dict[str | None, tuple[Result, float]] = {}
    for expectation in minima:
        metric = None if expectation.key == "unsolvable" else expectation.key
        if metric not in found:
            found[metric] = _solve(compiled, metric, "bfs", effort, audits)
        result, seconds = found[metric]
        yield CheckRow(
            expectation.key, "bfs", expectation.value, _minimum(result, expectation), seconds
        )
        states = size if size is not None else result.statistics["states"]
        if result.is_proven and states <= effort.certificate_states:
            yield _certificate_row(compiled, metric, result, expectation, effort)
        if effort.twice and states <= effort.python_states:
            reference, seconds = _solve(compiled, metric, "python", effort, audits)
            yield CheckRow(
                expectation.key,
                "python",
                expectation.value,
                _minimum(reference, expectation),
                seconds,
            )
    yield from _plan_rows(compiled, [e for e in expected if e.key in _OF_PLANS], effort, audits)
    puzzle = compiled.puzzle
    # if moves merge, several states have the same position
    visited = [
        result.statistics["states"]
        for metric, (result, _) in found.items()
        if all(p.merge == "none" for p in puzzle.metrics[metric or puzzle.default_metric].parts)
    ]
    at_least = size if size is not None else max(visited, default=0)
    if effort.twice and at_least <= effort.reference_states:
        yield from _reference_rows(compiled, [*counts, *minima], effort)


def _test_rows(loaded: LoadedDocument, effort: Effort) -> Iterator[CheckRow]:
    """The results of the document's rule tests, in order."""
    began = time.perf_counter()
    for test in run_rule_tests(loaded, Limits(effort.seconds, effort.memory)):
        seconds, began = time.perf_counter() - began, time.perf_counter()
        key = f"test {test.number} (line {test.line}): {test.title}"
        yield CheckRow(key, _RULES, test.expected, test.found, seconds, test.drawing)


def _plan_rows(
    compiled: CompiledPuzzle,
    expected: list[Expectation],
    effort: Effort,
    audits: list[Mapping[str, Any]],
) -> Iterator[CheckRow]:
    """Check the number of optimal plans in the default metric, and whether the plan is unique."""
    if not expected:
        return
    began = time.perf_counter()
    solutions = uninterrupted(compiled.solutions(seconds=effort.seconds, memory=effort.memory))
    audits.append(played(solutions.audited))
    seconds = time.perf_counter() - began
    for expectation in expected:
        found = solutions.num_plans if expectation.key == "plans" else solutions.is_unique
        yield CheckRow(expectation.key, "solutions", expectation.value, found, seconds)


def _certificate_row(
    compiled: CompiledPuzzle,
    metric: str | None,
    result: Result,
    expectation: Expectation,
    effort: Effort,
) -> CheckRow:
    """Make a certificate of the answer, verify it, and compare the value that it proves. Without a certificate, the row
    is open.
    """
    from fewest.commands.prove_and_verify import certify

    began = time.perf_counter()
    found: Any = None
    reason = None
    try:
        done = certify(
            compiled, metric, seconds=effort.seconds, memory=effort.memory, result=result
        )
        found = done.rejected or done.minimum
        if done.is_unsolvable:
            found = True if expectation.key == "unsolvable" else "unsolvable"
    except UsageError as error:
        reason = error.message
    seconds = time.perf_counter() - began
    return CheckRow(
        expectation.key, "certificate", expectation.value, found, seconds, reason=reason
    )


def _solve(
    compiled: CompiledPuzzle,
    metric: str | None,
    engine: str,
    effort: Effort,
    audits: list[Mapping[str, Any]],
    **options: Any,
) -> tuple[Result, float]:
    began = time.perf_counter()
    result = uninterrupted(
        compiled.solve(
            metric, engine=engine, seconds=effort.seconds, memory=effort.memory, **options
        )
    )
    audits.append(result.statistics["audit"])
    return result, time.perf_counter() - began


def _count(result: Result, expectation: Expectation) -> int | None:
    if not result.statistics.get("exhausted"):
        return None
    key = "states" if expectation.key == "reachable" else "goal_states"
    return int(result.statistics[key])


def _minimum(result: Result, expectation: Expectation) -> Any:
    if result.status == "limit":
        return None
    if expectation.key == "unsolvable":
        return result.status == "unsolvable"
    return "unsolvable" if result.status == "unsolvable" else result.cost


def _reference_rows(
    compiled: CompiledPuzzle, expected: list[Expectation], effort: Effort
) -> Iterator[CheckRow]:
    """The answers of the reference interpreter, if the state space is small enough."""
    puzzle = compiled.puzzle
    moves: dict[Position, list[Move]] = {}
    for expectation in expected:
        name = expectation.key if expectation.key in puzzle.metrics else puzzle.default_metric
        began = time.perf_counter()
        try:
            reach = exhaust(puzzle, puzzle.metrics[name], effort.reference_states, moves)
        except TooManyPositionsError:
            return
        found: Any
        if expectation.key == "reachable":
            found = len(reach.costs)
        elif expectation.key == "goal_states":
            found = reach.num_goal_states
        elif expectation.key == "unsolvable":
            found = reach.minimum is None
        elif reach.minimum is None:
            found = "unsolvable"
        else:
            found = reach.minimum[0] if len(reach.minimum) == 1 else reach.minimum
        seconds = time.perf_counter() - began
        yield CheckRow(expectation.key, "reference", expectation.value, found, seconds)

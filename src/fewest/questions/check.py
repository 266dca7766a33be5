"""Checking documents: every mistake, every known answer, by every engine that is quick enough."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fewest.errors import Diagnostic, DocumentError, FewestError, NotFoundError
from fewest.model.answer import Result
from fewest.model.puzzle import Expectation
from fewest.playing.exhaust import TooLargeError, exhaust
from fewest.questions.api import CompiledPuzzle, load
from fewest.reading.overlay import load_document


@dataclass(frozen=True)
class Row:
    """One comparison: what was expected, what an engine found. `found` is None if it gave up."""

    key: str
    engine: str
    expected: Any
    found: Any
    seconds: float

    @property
    def verdict(self) -> str:
        """`ok`, `wrong`, or `open` where a limit stopped the engine."""
        if self.found is None:
            return "open"
        return "ok" if self.found == self.expected else "wrong"


@dataclass(frozen=True)
class DocumentCheck:
    """What came out for one document; `errors` is the text of its mistakes, if any."""

    path: str
    is_model: bool
    rows: tuple[Row, ...] = ()
    num_slow: int = 0
    errors: str | None = None
    mistakes: tuple[Diagnostic, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """The worst of its rows: `invalid`, `wrong`, `open` or `ok`."""
        if self.errors is not None:
            return "invalid"
        verdicts = {row.verdict for row in self.rows}
        return next((v for v in ("wrong", "open") if v in verdicts), "ok")


@dataclass(frozen=True)
class Effort:
    """How much to do: `slow` expectations too; seconds a question; states up to which the slow twins run."""

    slow: bool = False
    seconds: float | None = None
    memory: int | None = None
    python_states: int = 5_000
    reference_states: int = 500


def documents(path: Path) -> Iterator[Path]:
    """The file itself, or every .yaml file below the folder, in order. Raises NotFoundError."""
    if path.is_dir():
        yield from sorted(p for p in path.rglob("*.y*ml") if p.suffix in (".yaml", ".yml"))
    elif path.exists():
        yield path
    else:
        raise NotFoundError(f"there is no file or folder {path}")


def check_document(path: Path, effort: Effort) -> DocumentCheck:
    """Load one document and compare all its known answers. Never raises for a bad document."""
    try:
        loaded = load_document(path)
        if loaded.document.puzzle is None:
            warnings = tuple(d.format() for d in loaded.report.diagnostics)
            return DocumentCheck(str(path), True, warnings=warnings)
        compiled = load(path)
        compiled.task  # noqa: B018  (grounding finds mistakes too)
        warnings = tuple(d.format() for d in compiled.puzzle.warnings)
        expected = [e for e in compiled.puzzle.expectations if effort.slow or not e.slow]
        num_slow = len(compiled.puzzle.expectations) - len(expected)
        rows = tuple(_rows(compiled, expected, effort))
    except DocumentError as error:
        return DocumentCheck(str(path), False, errors=str(error), mistakes=error.diagnostics)
    except FewestError as error:
        return DocumentCheck(str(path), False, errors=f"{path}: {error}")
    return DocumentCheck(str(path), False, rows, num_slow, warnings=warnings)


def _rows(compiled: CompiledPuzzle, expected: list[Expectation], effort: Effort) -> Iterator[Row]:
    counts = [e for e in expected if e.key in ("reachable", "goal_states")]
    minima = [e for e in expected if e.key not in ("reachable", "goal_states")]
    size = None
    if counts:
        result, seconds = _solve(compiled, None, "bfs", effort, exhaust=True)
        done = bool(result.statistics.get("exhausted"))
        size = result.statistics["states"] if done else None
        for expectation in counts:
            yield Row(
                expectation.key, "bfs", expectation.value, _count(result, expectation), seconds
            )
        if size is not None and size <= effort.python_states:
            twin, seconds = _solve(compiled, None, "python", effort, exhaust=True)
            for expectation in counts:
                found = _count(twin, expectation)
                yield Row(expectation.key, "python", expectation.value, found, seconds)
    for expectation in minima:
        metric = None if expectation.key == "unsolvable" else expectation.key
        result, seconds = _solve(compiled, metric, "bfs", effort)
        yield Row(expectation.key, "bfs", expectation.value, _minimum(result, expectation), seconds)
        states = size if size is not None else result.statistics["states"]
        if states <= effort.python_states:
            twin, seconds = _solve(compiled, metric, "python", effort)
            yield Row(
                expectation.key, "python", expectation.value, _minimum(twin, expectation), seconds
            )
    yield from _reference_rows(compiled, expected, effort)


def _solve(
    compiled: CompiledPuzzle, metric: str | None, engine: str, effort: Effort, **options: Any
) -> tuple[Result, float]:
    began = time.perf_counter()
    result = compiled.solve(
        metric, engine=engine, seconds=effort.seconds, memory=effort.memory, **options
    )
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
) -> Iterator[Row]:
    """The same answers by the reference interpreter, where the state space is small enough."""
    puzzle = compiled.puzzle
    for expectation in expected:
        name = expectation.key if expectation.key in puzzle.metrics else puzzle.default_metric
        began = time.perf_counter()
        try:
            reach = exhaust(puzzle, puzzle.metrics[name], effort.reference_states)
        except TooLargeError:
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
        yield Row(expectation.key, "reference", expectation.value, found, seconds)

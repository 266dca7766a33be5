"""Results of comparisons, for the tests of runs and reports."""

from __future__ import annotations

from typing import Any

from fewest.commands.compare import CpuSeconds, Entry
from fewest.commands.compare.entry import Comparison, KnownAnswer


def entry(engine: str, cost: int | None, cpu: float, **more: Any) -> Entry:
    status = "optimal" if cost is not None else "limit"
    plan = None if cost is None else "1. a move"
    return Entry(engine, status, cost, cost, cpu=CpuSeconds(0, None, cpu, 0), plan=plan, **more)


def comparison(name: str, *entries: Entry, known: int | None = None) -> Comparison:
    answer = None if known is None else KnownAnswer(known, "a book")
    return Comparison(name, name, f"{name}.yaml", {}, "moves", entries, "0" * 64, answer)


FOUND = (
    comparison("both", entry("bfs", 5, 1.0), entry("sat", 5, 4.0)),
    comparison("alone", entry("bfs", 7, 2.0), entry("sat", None, 10.0, reason="time")),
    comparison("wrong", entry("bfs", 7, 1.0), entry("sat", 8, 1.0)),
    comparison("known", entry("bfs", 9, 1.0), known=9),
    comparison("against the book", entry("bfs", 9, 1.0), known=8),
)

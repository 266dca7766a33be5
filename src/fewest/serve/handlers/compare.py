"""Compares several engines on the user's text, one after another, each in a separate process."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fewest.commands.compare.data import to_json
from fewest.commands.compare.engine_spec import parse_engine_spec
from fewest.commands.compare.entry import Comparison, Entry
from fewest.commands.compare.process import EngineProcess
from fewest.commands.compare.run import Comparisons
from fewest.commands.compare.worker import CompareRequest
from fewest.engines.registry import ENGINES
from fewest.errors import UsageError
from fewest.serve.handlers import payload
from fewest.serve.handlers.payload import alone
from fewest.serve.handlers.solve import reported
from fewest.serve.worker import SendMessage

MOST = 12  # the maximum number of engines


def compare(parameters: Mapping[str, Any], root: Path | None, send: SendMessage) -> dict[str, Any]:
    """Run the engines one after another, and return the verdict, the metric, the rows of all engines, and the minimum.

    Send the name of each engine when it begins (`engine`), its progress, and all rows so far when it finishes
    (`rows`). The limits apply to each engine separately. Raises DocumentError or UsageError.
    """
    compiled = payload.compiled_of(parameters, root)
    puzzle = compiled.puzzle
    names = _engines(parameters.get("engines"))
    if puzzle.goal is None:
        raise UsageError("the puzzle has no goal, so there is nothing to compare")
    metric = payload.metric_of(parameters) or puzzle.default_metric
    limits, text = payload.limits_of(parameters), alone(compiled)
    requests = [
        CompareRequest("puzzle.yaml", {}, metric, parse_engine_spec(name), limits, text)
        for name in names
    ]
    entries: list[Entry] = []
    blank = Comparison(puzzle.name, puzzle.title, puzzle.file, {}, metric, ())
    data: dict[str, Any] = {}
    for request in requests:
        send("engine", request.engine.name)
        entries.append(_entry(request, send))
        comparison = Comparison(blank.puzzle, blank.title, blank.file, {}, metric, tuple(entries))
        data = to_json(Comparisons((comparison,), len(requests)))
        send("rows", _rows(data))
    return {
        "verdict": data["verdict"],
        "metric": metric,
        "rows": _rows(data),
        "minimum": data["comparisons"][0]["minimum"],
    }


def _engines(names: object) -> list[str]:
    if isinstance(names, list) and 0 < len(names) <= MOST:
        known = [name for name in names if isinstance(name, str) and name in ENGINES]
        if len(known) == len(names):
            return list(dict.fromkeys(known))
    raise UsageError(
        "the list of engines is empty, is too long or contains an unknown engine",
        hint=f"the engines are {', '.join(ENGINES)}",
    )


def _entry(request: CompareRequest, send: SendMessage) -> Entry:
    name = request.engine.name
    with EngineProcess(request) as process:
        return process.answer(lambda one: send("progress", {"engine": name} | reported(one)))


def _rows(data: dict[str, Any]) -> list[dict[str, Any]]:
    keys = (
        "engine",
        "status",
        "cost",
        "lower_bound",
        "reason",
        "error",
        "seconds",
        "memory",
        "states",
    )
    return [{key: row[key] for key in keys} for row in data["comparisons"][0]["entries"]]

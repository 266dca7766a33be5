"""Comparisons as plain data, which `--json` and `--csv` print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any

import msgspec
from msgspec.structs import asdict

from fewest.commands.compare.entry import Comparison, Entry
from fewest.commands.compare.provenance import Provenance
from fewest.commands.compare.run import Comparisons


def to_json(done: Comparisons) -> dict[str, Any]:
    """All comparisons as plain data."""
    return {
        "comparisons": [_comparison(comparison) for comparison in done.comparisons],
        "verdict": done.verdict,
        "num_planned": done.num_planned,
        "num_finished": done.num_finished,
        "interrupted": done.is_interrupted,
        "provenance": None if done.provenance is None else msgspec.to_builtins(done.provenance),
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    return {
        "puzzle": comparison.puzzle,
        "title": comparison.title,
        "file": comparison.file,
        "parameters": dict(comparison.parameters),
        "metric": comparison.metric,
        "instance": comparison.instance,
        "known": None if comparison.known is None else asdict(comparison.known),
        "minimum": comparison.minimum,
        "decided": comparison.is_decided,
        "disagreements": [
            {
                "claim": one.claim.engine,
                "plan": one.plan.engine,
                "text": one.text(comparison.metric),
            }
            for one in comparison.disagreements
        ],
        "entries": [
            {
                **_numbers(comparison, entry),
                "origin": None if own is None else msgspec.to_builtins(own),
                "error": entry.error,
                "warnings": list(entry.warnings),
                "plan": entry.moves,
                "profile": [asdict(row) for row in entry.profile()],
                "statistics": {
                    key: value
                    for key, value in entry.statistics.items()
                    if key not in ("horizons", "layers")
                },
            }
            for entry, own in zip_longest(comparison.entries, comparison.origins)
        ],
    }


def rows(
    comparison: Comparison, *, has_profile: bool, where: Provenance | None = None
) -> Iterator[dict[str, Any]]:
    """The rows of the CSV table, each keyed by the names of the columns: a row for each entry or, if `has_profile` is
    true, for each horizon or layer. A cost of two parts is written as `8+33`.

    `where`: the provenance of the whole comparison. If it is given, every row ends with the origin of its measurement,
    so that a row copied from the table still states its origin.
    """
    which = {
        "puzzle": comparison.puzzle,
        "parameters": " ".join(f"{name}={value}" for name, value in comparison.parameters.items()),
        "metric": comparison.metric,
        "instance": comparison.instance,
    }
    for entry, own in zip_longest(comparison.entries, comparison.origins):
        origin = {} if where is None else _origin(own or where, where.versions)
        if has_profile:
            numbers = _numbers(comparison, entry)
            run = {key: numbers[key] for key in _COLUMNS_OF_RUN}
            for row in entry.profile():
                yield _plain({**which, **run, **asdict(row), **origin})
        else:
            yield _plain({**which, **_numbers(comparison, entry), "error": entry.error, **origin})


_COLUMNS_OF_RUN = (
    "engine",
    "encoding",
    "solver",
    "solver_version",
    "configuration",
    "repeat",
    "seed",
)
"""the columns that a row of a profile shares with the row of its run"""


def _origin(where: Provenance, programs: Iterable[str]) -> dict[str, Any]:
    """The columns of an origin. These columns contain the versions of `programs` only, so all rows have the same
    columns.
    """
    versions = {f"version_{name}": where.versions.get(name) for name in programs}
    host = asdict(where.host)
    # the columns `memory` and `cpu` already contain the measurements of the run
    renamed = {"memory": "host_memory", "cpu": "processor"}
    return {
        **versions,
        "core": where.core,
        **{renamed.get(key, key): value for key, value in host.items()},
        "command": where.command,
        "date": where.date,
    }


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {key: _cell(value) for key, value in row.items()}


def _cell(value: Any) -> Any:
    if isinstance(value, tuple):
        return "+".join(map(str, value))
    return f"{value:.6f}" if isinstance(value, float) else value


def _numbers(comparison: Comparison, entry: Entry) -> dict[str, Any]:
    """The columns that describe an entry, without its error, its plan and its profile."""
    return {
        "engine": entry.engine,
        "encoding": entry.statistics.get("encoding"),
        "solver": entry.statistics.get("solver"),
        "solver_version": entry.statistics.get("solver_version"),
        "configuration": entry.statistics.get("configuration"),
        "repeat": entry.repeat,
        "seed": entry.seed,
        "status": entry.status,
        "cost": entry.cost,
        "lower_bound": entry.lower_bound,
        "above_minimum": comparison.above_minimum(entry),
        "reason": entry.reason,
        "seconds": entry.seconds,
        "cpu": entry.cpu.engine,
        "cpu_grounding": entry.cpu.grounding,
        "cpu_encoding": entry.cpu.encoding,
        "cpu_solving": entry.cpu.solving,
        "cpu_validation": entry.cpu.validation,
        "memory": entry.memory,
        "memory_before": entry.memory_before,
        "time_limit": entry.time_limit,
        "memory_limit": entry.memory_limit,
        "certified": entry.certified,
        "states": entry.states,
        "variables": entry.variables,
        "clauses": entry.clauses,
        "conflicts": entry.conflicts,
        "cubes": entry.cubes,
        "horizons": len(entry.horizons) or None,
    }

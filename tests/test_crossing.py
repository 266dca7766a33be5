"""For every pair of task features, every engine, store and command gives the reference interpreter's answer or is
refused.

The fast test solves every pair with all engines, and makes a few of the other calls, which differ from pair to pair.
For all calls about all pairs, run `pytest -m slow tests/test_crossing.py` (a few hours); `FEWEST_CROSSING=7/100`
selects the seventh of a hundred parts.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

import fewest
from fewest import search
from fewest.engines.registry import ENGINES
from fewest.errors import DocumentError
from tests.helpers.crossing.calls import Call, calls, outcome
from tests.helpers.crossing.features import FEATURES, PAIRS, compiled_of, grounded_as
from tests.helpers.crossing.truth import Reference

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="without it most calls are refused")

PARTS = 8  # the number of parts of the fast test
OTHERS = 2  # calls about a pair in addition to those of the engines

HEAVY = ("solve bidirectional", "solve ida", "solve sat last=8", "solve asp last=8")
"""Calls that take about a second for tasks with many facts; the fast test makes them for every 320th pair."""

REFUSED_BY_THE_LANGUAGE = {
    ("everywhere", "wrap"): "start-consequence",
    ("graph", "wrap"): "graph-form",
    ("then", "graph"): "unknown-direction",
    ("everywhere", "graph"): "unknown-direction",
    **{
        ("graph", other): "move-key-unused"
        for other in ("together", "pivot", "whole", "blocked", "carries")
    },
    **{("wrap", other): "move-key-unused" for other in ("together", "pivot")},
}
"""Pairs that the language refuses, each with the code of the error."""


def compiled_or_refused(features: tuple[str, str]) -> fewest.CompiledPuzzle | None:
    """The puzzle of a pair; None if the language refuses the pair with the expected code."""
    try:
        compiled = compiled_of(features)
        assert compiled.grounded
    except DocumentError as error:
        assert REFUSED_BY_THE_LANGUAGE.get(features) == error.diagnostics[0].code, features
        return None
    assert features not in REFUSED_BY_THE_LANGUAGE, features
    return compiled


def check_pair(
    features: tuple[str, str], number: int, selected: Sequence[Call], folder: Path
) -> None:
    """Check that all calls agree or are refused, in one metric, or in all metrics if `number` is negative."""
    with grounded_as(features):
        compiled = compiled_or_refused(features)
        if compiled is None:
            return
        reference = Reference(compiled.puzzle)
        metrics = list(compiled.puzzle.metrics.values())
        for metric in metrics if number < 0 else [metrics[number % len(metrics)]]:
            truth = reference.truth(metric)
            for call in selected:
                try:
                    outcome(call, compiled, metric, truth, folder / "it")
                except AssertionError as error:
                    raise AssertionError(
                        f"{' and '.join(features)}, {metric.name}, {call.name}: {error}"
                    ) from error


def plain_and_others() -> tuple[list[Call], list[Call]]:
    """The calls with one engine and no options, and all others."""
    plain = {f"solve {name}" for name in ENGINES} | {"solve sat last=8", "solve asp last=8"}
    found = calls()
    first = [call for call in found if call.name in plain]
    assert len(first) == len(ENGINES)
    return first, [call for call in found if call.name not in plain]


@pytest.mark.parametrize("part", range(PARTS))
def test_every_pair_of_features_is_answered_rightly_or_refused(part: int, tmp_path: Path) -> None:
    engines, others = plain_and_others()
    for number in range(part, len(PAIRS), PARTS):
        rest = [others[(number * OTHERS + i) % len(others)] for i in range(OTHERS)]
        is_wide = any(name.startswith("words") for name in PAIRS[number])
        selected = [
            call for call in engines if not is_wide or number % 320 == 0 or call.name not in HEAVY
        ]
        check_pair(PAIRS[number], number, [*selected, *(() if is_wide else rest)], tmp_path)


def test_there_are_as_many_features_as_the_project_promises() -> None:
    assert len(FEATURES) >= 30
    assert len(PAIRS) == len(FEATURES) * (len(FEATURES) - 1) // 2


@pytest.mark.slow
def test_every_call_about_every_pair_is_answered_rightly_or_refused(tmp_path: Path) -> None:
    number, _, parts = os.environ.get("FEWEST_CROSSING", "1/1").partition("/")
    for features in PAIRS[int(number) - 1 :: int(parts)]:
        check_pair(features, -1, calls(), tmp_path)

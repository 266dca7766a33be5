"""clingo enumerates the optimal plans of ten puzzles, and their number is the one that `fewest solutions` reports."""

from __future__ import annotations

import re

import pytest

import fewest
from fewest.commands.export import export

clingo = pytest.importorskip("clingo")


def enumerated(name: str, metric: str, horizon: int) -> int:
    """The number of state sequences in all answer sets of the exported program, at one horizon."""
    text = export(fewest.load(name), "asp", metric).text()
    text = re.sub(r"^#(include|show).*$", "", text, flags=re.M) + "#show holds/2.\n"
    control = clingo.Control(["0", "--warn=none"])
    control.add("base", [], text)
    parts = [("base", [])]
    for step in range(horizon + 1):
        if step:
            parts.append(("step", [clingo.Number(step)]))
        parts.append(("check", [clingo.Number(step)]))
    control.ground(parts)
    control.assign_external(clingo.Function("query", [clingo.Number(horizon)]), True)
    found = set()
    with control.solve(yield_=True) as models:
        for model in models:
            found.add(frozenset(map(str, model.symbols(shown=True))))
    return len(found)


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("forty-01", "steps"),
        ("forty-10", "steps"),
        ("lights-out-3x3", "moves"),
        ("two-kings", "moves"),
        ("wolf-goat-cabbage", "moves"),
        ("zhu-ge-yu-shan", "steps"),
        ("greek-cross", "jumps"),
        ("triangle-10", "jumps"),
        ("fireplace", "jumps"),
        ("latin-cross", "jumps"),
    ],
)
def test_clingo_finds_as_many_optimal_plans(name: str, metric: str) -> None:
    found = fewest.load(name).solutions(metric)
    assert isinstance(found.minimum, int)
    assert found.num_plans is not None
    assert found.num_plans > 1
    assert enumerated(name, metric, found.minimum) == found.num_plans

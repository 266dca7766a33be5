"""Searches that stop early leave nothing in their checkpoint that makes a later search wrong.

Several engines and options share the checkpoint of a query. Each sequence stops some of these searches early, and then
computes the minimum with every engine.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

import fewest
from fewest import search
from fewest.errors import UsageError
from fewest.model.answer import LimitReached
from tests.helpers.shipped import shipped

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="A* needs the native core")

SHARING: list[tuple[str, dict[str, Any]]] = [
    ("sat", {}),
    ("sat", {"encoding": "exact"}),
    ("sat", {"stride": 3}),
    ("asp", {}),
    ("astar", {}),
    ("astar", {"algorithm": "ida"}),
]
"""Engines that save proved bounds and plans in `checkpoint.json`, with options."""

HORIZONS: list[dict[str, Any]] = [{}, {"at_most": 14}, {"first": 9, "last": 9}, {"last": 4}]
PUZZLES = {"guarini": 16, "machinarium": 15, "hanoi": 7, "microban-002": 3}
"""Puzzles with their minima in the default metric; `hanoi` has three disks."""


def stopped(compiled: fewest.CompiledPuzzle, folder: Path, random: Random) -> str:
    """Begin a random search in the folder, and stop it after a random number of progress reports."""
    engine, options = random.choice(SHARING)
    if engine in ("sat", "asp"):
        options = {**options, **random.choice(HORIZONS)}
    left = random.randrange(1, 6)

    def progress(_: object) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise KeyboardInterrupt

    seconds = random.choice([0.0, 0.002, 20.0])
    try:
        found = compiled.solve(
            engine=engine,
            checkpoint=str(folder),
            seconds=seconds,
            progress=progress,
            audit="off",
            **options,
        )
        message = f"{found.status} {found.cost} {found.lower_bound}"
    except (KeyboardInterrupt, LimitReached) as error:
        message = type(error).__name__
    except UsageError as error:  # for example, `exact` does not support a stride
        message = error.message
    return f"{engine} {options} {seconds} s: {message}"


SEEDS = (
    0,
    8,
    13,
)  # with 8 and 13, `hanoi` had a wrong minimum before bisection checked exact horizons again


@pytest.mark.parametrize(
    "seed",
    [pytest.param(n, marks=() if n in SEEDS else pytest.mark.slow) for n in range(40)],
)
@pytest.mark.parametrize("name", PUZZLES)
def test_stopped_searches_of_several_engines_do_not_mislead_later_ones(
    name: str, seed: int, tmp_path: Path
) -> None:
    minimum = PUZZLES[name]
    compiled = shipped(name)
    random = Random(f"{name} {seed}")
    folder = tmp_path / "it"
    story = [stopped(compiled, folder, random) for _ in range(4)]
    for number, (engine, options) in enumerate(SHARING):
        copy = tmp_path / str(number)
        if folder.exists():  # otherwise, all searches were refused
            shutil.copytree(folder, copy)
        found = compiled.solve(
            engine=engine, checkpoint=str(copy), seconds=60.0, audit="off", **options
        )
        assert (found.status, found.cost) == ("optimal", minimum), (engine, options, story)

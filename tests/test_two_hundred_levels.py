"""All engines and the reference interpreter agree on two hundred random small levels, in every metric."""

from __future__ import annotations

import pytest

import fewest
from fewest import search
from fewest.commands.result import Result
from fewest.errors import UsageError
from fewest.model.metric import Metric
from fewest.model.position import Position
from fewest.playing.exhaust import exhaust
from fewest.playing.move import Move
from tests.helpers.small_levels import level

pytestmark = pytest.mark.skipif(
    not search.NATIVE, reason="the informed searches need the native core"
)

# The first two hundred levels with at most this many positions, which the reference interpreter plays in seconds.
MAX_POSITIONS = 10_000
TOO_LARGE = [
    13,
    16,
    17,
    24,
    26,
    31,
    33,
    41,
    46,
    48,
    63,
    68,
    82,
    84,
    92,
    106,
    116,
    130,
    135,
    142,
    171,
    174,
    189,
    192,
    195,
    205,
    221,
    225,
]
SEEDS = [seed for seed in range(228) if seed not in TOO_LARGE]
FEW = [2, 3, 6, 20, 49, 98, 126, 132, 179, 197, 216, 222]

EXHAUSTIVE = ("astar", "bfs", "python", "bidirectional", "auto")
PLANNERS = ("sat", "asp")
LAST = 8  # the last horizon of planners for levels without a plan


def is_refused(engine: str, metric: Metric) -> bool:
    """Whether the engine refuses to count this metric."""
    return engine in PLANNERS and len(metric.parts) > 1


def cost_of(result: Result) -> tuple[int, ...] | None:
    return result.cost if isinstance(result.cost, tuple | None) else (result.cost,)


def check_level(seed: int) -> None:
    """Check that every engine finds the reference's minimum in every metric, or that there is no plan."""
    compiled = fewest.load(f"small-{seed}.yaml", text=level(seed))
    assert sorted(compiled.puzzle.metrics) == [
        "lines",
        "moves",
        "moves-then-pushes",
        "pushes",
        "pushes-then-moves",
    ]
    moves: dict[Position, list[Move]] = {}
    for name, metric in compiled.puzzle.metrics.items():
        reach = exhaust(compiled.puzzle, metric, MAX_POSITIONS, moves)
        for engine in (*EXHAUSTIVE, *PLANNERS):
            where = (seed, name, engine)
            if is_refused(engine, metric):
                with pytest.raises(UsageError):
                    compiled.solve(name, engine=engine)
                continue
            if engine in EXHAUSTIVE:
                result = compiled.solve(name, engine=engine)
            elif (found := solve_with_planner(compiled, name, engine, reach.minimum)) is not None:
                result = found
            else:
                continue
            if result.status == "limit":
                assert engine in PLANNERS and reach.minimum is None, where
                assert result.plan is None and result.cost is None, where
                continue
            status = "unsolvable" if reach.minimum is None else "optimal"
            assert (result.status, cost_of(result)) == (status, reach.minimum), where


def solve_with_planner(
    compiled: fewest.CompiledPuzzle, metric: str, engine: str, minimum: tuple[int, ...] | None
) -> Result | None:
    """The result of SAT or ASP; None if the engine refuses the metric because of too many free pushes."""
    horizons = {"last": LAST} if minimum is None else {}
    try:
        return compiled.solve(metric, engine=engine, seconds=120, **horizons)
    except UsageError as error:
        assert metric == "lines" and "partial states" in str(error)
        return None


def test_there_are_two_hundred_levels() -> None:
    assert len(SEEDS) == 200


@pytest.mark.parametrize("seed", FEW)
def test_all_engines_agree_on_a_dozen_small_levels(seed: int) -> None:
    check_level(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [seed for seed in SEEDS if seed not in FEW])
def test_all_engines_agree_on_two_hundred_small_levels(seed: int) -> None:
    check_level(seed)

"""Every engine of the registry solves the same puzzles with known answers."""

from __future__ import annotations

import pytest

import fewest
from fewest.engines import ENGINES
from fewest.engines.registry import has_one_weight
from fewest.errors import UsageError
from fewest.machine.resources import puzzles
from fewest.model.answer import Grounding
from tests.helpers.console import MANNERS, row
from tests.helpers.effort import no_hang
from tests.helpers.shipped import shipped

# Puzzles and metrics; the file of each puzzle contains the answer. All puzzles have fewer than ten thousand states.
KNOWN = [
    ("jugs", "moves"),
    ("wolf-goat-cabbage", "moves"),
    ("hanoi", "moves"),
    ("machinarium", "moves"),
    ("guarini", "moves"),
    ("lights-out-3x3", "moves"),
    ("microban-001", "pushes"),
    ("microban-001", "moves"),
    ("forty-10", "slides"),
    ("forty-01", "steps"),
    ("forty-01", "slides"),
    ("qi-bu-cheng-shi", "turns"),
]

# For engines that may solve the usual puzzle before they report progress: a puzzle that takes longer, and its minimum.
LONG = dict.fromkeys(("astar", "auto", "ida"), ("english", 31))
# Engines that continue, more slowly, with less memory when they reach a memory limit.
FRUGAL = ("astar", "both-ends", "ida")

# The engine that supports only one kind of puzzle has separate tests.
GENERAL = [name for name in MANNERS if not row(name).needs_lines]
engines = pytest.mark.parametrize("engine", sorted(GENERAL))
exhaustive = pytest.mark.parametrize("engine", [n for n in GENERAL if row(n).is_exhaustive])


@engines
@pytest.mark.parametrize(("name", "metric"), KNOWN)
def test_an_engine_finds_the_published_minimum(engine: str, name: str, metric: str) -> None:
    compiled = shipped(name)
    merges = any(part.merge == "path" for part in compiled.puzzle.metrics[metric].parts)
    if row(engine).metrics == "lines" and merges:
        with pytest.raises(UsageError, match="merges moves around corners"):
            compiled.solve(metric, **MANNERS[engine])
        return
    if row(engine).metrics == "one weight" and not has_one_weight(compiled.puzzle.metrics[metric]):
        with pytest.raises(UsageError, match="do not all cost the same"):
            compiled.solve(metric, **MANNERS[engine])
        return
    expected = {e.key: e.value for e in compiled.puzzle.expectations}[metric]
    # The audit compares the task, which all engines share, with the rules.
    audit = "auto" if engine == "bfs" else "off"
    result = compiled.solve(metric, **MANNERS[engine], audit=audit)
    assert result.plan is not None
    assert (result.status, result.cost) == ("optimal", expected)
    assert result.lower_bound == expected
    assert result.is_proven


@exhaustive
def test_an_engine_proves_that_there_is_no_plan(engine: str) -> None:
    result = shipped("tiles-2x3-swapped").solve(**MANNERS[engine])
    assert (result.status, result.cost, result.plan) == ("unsolvable", None, None)


@engines
def test_a_start_that_is_solved_needs_no_moves(engine: str) -> None:
    result = fewest.load("machinarium", {"n": 0}).solve(**MANNERS[engine])
    assert (result.status, result.cost) == ("optimal", 0)
    assert result.plan is not None and len(result.plan) == 0


@engines
@pytest.mark.parametrize("n", range(5))
def test_arrows_take_n_times_n_plus_two_moves(engine: str, n: int) -> None:
    assert fewest.load("machinarium", {"n": n}).solve(**MANNERS[engine]).cost == n * (n + 2)


@exhaustive
def test_a_time_limit_is_an_answer_with_a_lower_bound(engine: str) -> None:
    # On a busy machine, the 0.2 s may be over before the search begins. A later test is about the planners.
    for seconds in (0.2, 2, 20):
        with no_hang():
            result = shipped("fifteen-30").solve(**MANNERS[engine], seconds=seconds)
        if result.lower_bound != 0:
            break
    if result.status == "limit":
        assert result.reason == "time"
        assert isinstance(result.lower_bound, int) and 0 < result.lower_bound <= 30
    else:
        assert result.cost == 30


@exhaustive
def test_a_memory_limit_is_an_answer_with_a_lower_bound(engine: str) -> None:
    # `auto` continues with a search that needs less memory, but has none for metrics that merge moves.
    name, most = {"auto": ("super-century", 138)}.get(engine, ("tiles-3x4", 53))
    if engine in FRUGAL:
        result = shipped("eight-puzzle").solve(**MANNERS[engine], memory=100_000)
        assert (result.status, result.cost) == ("optimal", 31)
        return
    result = shipped(name).solve(**MANNERS[engine], memory=400_000)
    assert (result.status, result.reason) == ("limit", "memory")
    assert isinstance(result.lower_bound, int) and 0 < result.lower_bound <= most


class EnoughError(Exception):
    """Raised by a progress callback to end the search."""


@exhaustive
def test_progress_is_reported(engine: str) -> None:
    seen = []
    name, _ = LONG.get(engine, ("tiles-3x4", 53))

    def see(found: object) -> None:
        if not isinstance(found, Grounding):  # a busy machine reports grounding before the search
            seen.append(found)
        if len(seen) == 3:
            raise EnoughError

    with pytest.raises(EnoughError):
        shipped(name).solve(**MANNERS[engine], seconds=60, progress=see)
    assert [p.num_states for p in seen] == sorted(p.num_states for p in seen)


@exhaustive
def test_an_error_in_the_progress_callback_is_raised(engine: str) -> None:
    def fail(progress: object) -> None:
        raise ZeroDivisionError

    name, _ = LONG.get(engine, ("tiles-3x4", 53))
    with pytest.raises(ZeroDivisionError):
        shipped(name).solve(**MANNERS[engine], seconds=60, progress=fail)


def test_unknown_names_are_usage_errors_with_suggestions() -> None:
    compiled = fewest.load("heng-dao-li-ma")
    with pytest.raises(UsageError, match="did you mean `turns`"):
        compiled.solve("truns")
    with pytest.raises(UsageError, match="did you mean `python`"):
        compiled.solve(engine="pyhton")
    with pytest.raises(UsageError, match="did you mean `disks`"):
        fewest.load("hanoi", {"disk": 3})


def test_a_result_prints_itself_and_shows_itself_in_a_notebook() -> None:
    result = fewest.load("heng-dao-li-ma").solve()
    assert str(result).splitlines()[0].startswith("横刀立马: 81 turns (proven minimal: bfs, ")
    assert "81. 曹操" in str(result)
    html = result._repr_html_()
    assert html.startswith("<b>横刀立马: 81 turns") and "<pre" in html
    assert result.to_json()["cost"] == 81


def test_the_typed_and_the_lettered_hardest_board_are_the_same_puzzle() -> None:
    for name in ("hardest-6x6", "hardest-6x6-typed"):
        compiled = fewest.load(name)
        assert compiled.solve("steps").cost == 93
        assert compiled.solve("slides", exhaust=True).statistics["states"] == 24_132


def test_grounding_the_shipped_klotski_has_the_facts_and_invariants_one_expects() -> None:
    task = fewest.load("heng-dao-li-ma").task
    assert len(task.facts) == 63  # 12 + 15 + 16 + 20 anchors
    assert sorted(group.count for group in task.exactly) == [1, 1, 4, 4]
    assert len(task.at_most_one) == 20


@pytest.mark.parametrize("n", [7, 8, 9, 10])
def test_arrows_take_n_times_n_plus_two_moves_on_longer_boards(n: int) -> None:
    assert fewest.load("machinarium", {"n": n}).solve().cost == n * (n + 2)


PLANNERS = [name for name, engine in ENGINES.items() if not engine.is_exhaustive]
planners = pytest.mark.parametrize("engine", PLANNERS)


@planners
def test_a_planner_reports_the_last_refuted_horizon(engine: str) -> None:
    for seconds in (0.3, 2, 20):  # on a busy machine, 0.3 s may be over before the first horizon
        seen = []
        with no_hang():
            result = shipped("dads-puzzler").solve(
                engine=engine, seconds=seconds, progress=seen.append
            )
        if seen:
            break
    assert (result.status, result.reason) == ("limit", "time")
    assert seen and all(horizon.verdict == "no plan" for horizon in seen)
    assert result.lower_bound == len(seen) + 1 <= 59


@planners
def test_a_planner_refuses_metrics_that_a_horizon_cannot_count(engine: str) -> None:
    with pytest.raises(UsageError, match="lexicographic"):
        fewest.load("microban-001").solve("pushes-then-moves", engine=engine)


@pytest.mark.parametrize(
    "family", ["arrows", "ice", "knights", "peg-solitaire", "rings", "robots", "variables"]
)
def test_a_planner_never_contradicts_breadth_first_search(family: str) -> None:
    for found, name, path in puzzles():
        if found != family:
            continue
        compiled = fewest.load(path)
        if any(expectation.slow for expectation in compiled.puzzle.expectations):
            continue
        board = compiled.puzzle.board
        if (
            board is not None and board.rows * board.columns > 100
        ):  # compiling its moves would take long
            continue
        if len(compiled.task.operators) > 1_000:
            continue
        for metric in compiled.puzzle.metrics:
            if (name, metric) in KNOWN:  # another test already requires these minima
                continue
            known = compiled.solve(metric, engine="bfs", exhaust=True, memory=16 << 20)
            if known.status != "optimal" or not known.statistics["exhausted"]:
                continue
            # A planner decides each of these puzzles in a fraction of a second.
            if known.statistics["states"] > 700 or known.statistics["layers"][-1][0][0] > 20:
                continue
            for engine in PLANNERS:
                try:
                    answer = compiled.solve(metric, engine=engine, seconds=0.7, audit="off")
                except UsageError:
                    continue
                if answer.status == "limit":
                    assert answer.lower_bound <= known.cost, (name, metric, engine)
                else:
                    assert answer.cost == known.cost, (name, metric, engine)


def test_the_time_of_compiling_counts() -> None:
    compiled = fewest.load("hanoi", {"disks": 200})
    updates: list[object] = []
    result = compiled.solve(seconds=0.5, progress=updates.append)
    assert (result.status, result.reason, result.lower_bound) == ("limit", "time", 0)
    assert "compiling_seconds" in result.statistics
    assert any(isinstance(progress, Grounding) for progress in updates)
    assert "time limit" in result.summary()

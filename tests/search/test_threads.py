"""Several threads give the results of one thread, in spaces of more than half a million states; smaller searches use
one thread."""

from __future__ import annotations

import json
import threading

import pytest
from msgspec.structs import replace

import fewest
from fewest import search
from fewest.commands.result import Result
from fewest.engines.astar_stages import STAGES, StagedAStar
from fewest.search import native
from tests.helpers.command_line import run

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="the pure-Python core has one thread")


def exhausted(name: str, metric: str, threads: int | None) -> Result:
    return fewest.load(name).solve(metric, exhaust=True, threads=threads)


def facts(result: Result) -> dict[str, object]:
    """The statistics without measured times and sizes."""
    measured = ("seconds", "bytes", "audit", "stages")
    counts = result.statistics
    stages = [(stage["stage"], stage.get("expanded")) for stage in counts["stages"]]
    return {key: counts[key] for key in counts if key not in measured} | {"stages": stages}


def test_any_number_of_threads_counts_the_same_and_finds_the_same_plan() -> None:
    one = exhausted("tiles-2x5", "moves", 1)
    assert one.statistics["states"] == 1_814_400  # 10! / 2
    for threads in (2, 3):
        several = exhausted("tiles-2x5", "moves", threads)
        assert facts(several) == facts(one)
        assert several.cost == one.cost
        assert several.plan == one.plan


def test_a_search_for_one_plan_is_minimal_with_threads() -> None:
    puzzle = fewest.load("tiles-2x5")
    assert puzzle.solve(threads=2).cost == puzzle.solve(threads=1).cost


@pytest.mark.parametrize(
    ("name", "patterns", "cost"), [("korf-079", "off", 42), ("tiles-2x5", "on", 55)]
)
def test_astar_is_minimal_with_threads_and_answers_the_same_each_time(
    name: str, patterns: str, cost: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With pattern databases, which the threads fill together, the search is short.
    sooner = replace(STAGES, before_threads=100)
    monkeypatch.setitem(StagedAStar.__init__.__kwdefaults__, "stages", sooner)
    puzzle = fewest.load(name)
    one, *several = [
        puzzle.solve(engine="astar", patterns=patterns, threads=threads) for threads in (1, 2, 2)
    ]
    assert [result.cost for result in (one, *several)] == [cost] * 3
    assert several[0].plan == several[1].plan
    assert facts(several[0]) == facts(several[1]) != facts(one)
    assert ("patterns" in one.statistics) == (patterns == "on")


def test_threads_stop_at_limits() -> None:
    puzzle = fewest.load("tiles-3x4")
    by_memory = puzzle.solve(exhaust=True, memory=30_000_000, threads=2)
    assert by_memory.reason == "memory"
    # two threads that test the limit at the same time can both allocate a last buffer
    assert by_memory.statistics["bytes"] <= 30_500_000
    assert by_memory.statistics["states"] > 30_000_000 / 17
    by_time = puzzle.solve(exhaust=True, seconds=0.3, threads=2)
    assert by_time.reason == "time"
    assert by_time.statistics["states"] < 239_500_800  # 12! / 2


def test_progress_comes_from_the_calling_thread_and_may_stop_the_search() -> None:
    class EnoughError(Exception):
        pass

    seen: list[int] = []

    def progress(report: object) -> None:
        assert isinstance(report, search.Progress)
        assert threading.current_thread() is threading.main_thread()
        seen.append(report.num_states)
        if report.num_states > 1_000_000:
            raise EnoughError

    with pytest.raises(EnoughError):
        fewest.load("tiles-3x4").solve(exhaust=True, threads=2, progress=progress)
    assert seen == sorted(seen)


def test_an_interrupt_stops_all_threads_and_leaves_the_proved_bound() -> None:
    import signal

    interrupted = []

    def progress(report: object) -> None:
        assert isinstance(report, search.Progress)
        # once: a second Ctrl-C may end the search before it has an answer
        if report.num_states > 1_000_000 and not interrupted:
            interrupted.append(report.num_states)
            signal.raise_signal(signal.SIGINT)

    result = fewest.load("tiles-3x4").solve(exhaust=True, threads=2, progress=progress)
    assert result.reason == "interrupted"
    assert result.statistics["states"] > 1_000_000


def test_the_command_line_takes_a_number_of_threads() -> None:
    for command in ("solve", "explore"):
        done = run(command, "jugs", "--threads", "2", "--json")
        assert done.returncode == 0
        assert json.loads(done.stdout)["minimum" if command == "explore" else "cost"] == 6
    assert run("solve", "jugs", "--threads", "0").returncode == 2
    other = run("solve", "jugs", "--engine", "sat", "--threads", "2")
    assert other.returncode == 2
    assert "use --engine auto, bfs or astar" in other.stderr


def test_no_threads_at_all_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one thread"):
        exhausted("jugs", "moves", 0)


def test_processes_beside_others_take_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    import multiprocessing.process

    assert native.default_threads() >= 1
    monkeypatch.setattr(multiprocessing.process, "parent_process", object)
    assert native.default_threads() == 1

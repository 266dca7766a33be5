"""Both cores refuse the same inputs and respect their limits, and the right one is chosen."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from msgspec import structs

from fewest.search.interface import ALL, NO_LIMITS, Budget, Progress
from fewest.search.pure import breadth_first as pure
from tests.helpers.core_cases import check_plan, counter, ladder

native = pytest.importorskip("fewest.search.native", reason="built without a compiler")

WRONG: list[tuple[str, object, type[Exception]]] = [
    ("initial", np.zeros(2, dtype=np.uint64), ValueError),
    ("initial", np.array([1 << 60], dtype=np.uint64), ValueError),
    ("mask", np.zeros((4, 1), dtype=np.int64), TypeError),
    ("value", np.full((4, 1), 7, dtype=np.uint64), ValueError),
    ("flip", np.full((4, 1), 7, dtype=np.uint64), ValueError),
    ("flip", np.zeros((3, 1), dtype=np.uint64), ValueError),
    ("index_fact", np.zeros(4, dtype=np.int64), TypeError),
    ("index_fact", np.array([9, 0, 0, 0], dtype=np.int32), ValueError),
    ("index_fact", np.array([1, 1, 1, 2], dtype=np.int32), ValueError),
    ("goal_mask", np.full((1, 1), 8, dtype=np.uint64), ValueError),
    ("goal_value", np.zeros((2, 1), dtype=np.uint64), ValueError),
    ("forbid_value", [], TypeError),
    ("exactly_one", ((0, 3),), ValueError),
    ("at_most_one", ((-1,),), ValueError),
]


@pytest.mark.parametrize(("name", "value", "error"), WRONG)
def test_problems_that_break_the_contract_are_refused(
    name: str, value: object, error: type[Exception]
) -> None:
    case = ladder(3)
    with pytest.raises(error, match=name):
        native.search(structs.replace(case.problem, **{name: value}), case.cost)


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("weight", np.full((1, 4), -1, dtype=np.int64), ValueError),
        ("weight", np.ones((1, 4)), TypeError),
        ("weight", np.ones((2, 4), dtype=np.int64), ValueError),
        ("run_in", np.zeros((1, 4), dtype=np.int32), ValueError),
        ("run_out", np.full((1, 4), -2, dtype=np.int32), ValueError),
        ("run_fact", (np.array([3], dtype=np.int32),), ValueError),
        ("run_fact", (), ValueError),
    ],
)
def test_costs_that_break_the_contract_are_refused(
    name: str, value: object, error: type[Exception]
) -> None:
    case = ladder(3)
    with pytest.raises(error):
        native.search(case.problem, structs.replace(case.cost, **{name: value}))


def test_a_run_key_belongs_to_the_index_fact() -> None:
    case = replace(ladder(3), run_in=[[0, -1, -1, -1]], run_fact=[[1]])
    with pytest.raises(ValueError, match="index_fact"):
        native.search(case.problem, case.cost)


def test_costs_that_do_not_fit_are_an_error_and_large_units_are_not() -> None:
    case = ladder(12)
    unit = 2**61
    outcome = native.search(case.problem, replace(case, weight=[[unit] * 22]).cost)
    assert outcome.cost == (11 * unit,)
    assert outcome.layers[-1][0] == (11 * unit,)
    uneven = replace(case, weight=[[unit - i for i in range(22)]])
    with pytest.raises(OverflowError):
        native.search(uneven.problem, uneven.cost)


def test_more_words_than_are_compiled_go_to_the_pure_core() -> None:
    case = ladder(1100)
    case = replace(
        case,
        operators=case.operators[:20],
        index_fact=case.index_fact[:20],
        weight=[[1] * 20],
        run_in=[[-1] * 20],
        run_out=[[-1] * 20],
    )
    assert native.search(case.problem, case.cost).num_states == 11
    packed = replace(case, exactly_one=[list(range(1100))])
    outcome = native.search(packed.problem, packed.cost)
    assert outcome.num_states == 11
    assert outcome.algorithm == "bfs"


def test_limits_are_outcomes() -> None:
    case = counter(30)
    time = native.search(case.problem, case.cost, seconds=0.1)
    assert time.status == "time"
    assert time.cost is None
    assert time.lower_bound[0] >= len(time.layers) - 1
    assert time.seconds >= 0.1
    assert time.num_states < 1 << 30  # the whole space has more states
    memory = native.search(case.problem, case.cost, memory=12_000_000)
    assert memory.status == "memory"
    assert memory.bytes <= 12_000_000
    assert memory.num_states > 12_000_000 // 17
    assert native.search(case.problem, case.cost, memory=0).status == "memory"
    found = replace(case, goals=[(7, 7)])
    late = native.search(found.problem, found.cost, exhaust=True, memory=12_000_000)
    assert (late.status, late.cost, late.lower_bound) == ("memory", (3,), (3,))
    check_plan(found, late)


def test_progress_is_reported_at_most_ten_times_a_second() -> None:
    case = counter(40)
    reports: list[Progress] = []
    outcome = native.search(case.problem, case.cost, seconds=0.35, progress=reports.append)
    assert reports
    assert all(late.seconds - early.seconds >= 0.1 for early, late in pairwise(reports))
    assert [p.num_states for p in reports] == sorted(p.num_states for p in reports)
    assert reports[-1].num_states <= outcome.num_states
    assert reports[-1].bytes <= outcome.bytes


def test_exceptions_of_the_callback_propagate_and_an_interrupt_is_an_outcome() -> None:
    case = counter(40)

    def fails(progress: Progress) -> None:
        raise LookupError("from the callback")

    def interrupts(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(LookupError, match="from the callback"):
        native.search(case.problem, case.cost, seconds=20, progress=fails)
    outcome = native.search(case.problem, case.cost, seconds=20, progress=interrupts)
    assert outcome.status == "interrupted"


def test_control_c_is_an_outcome() -> None:
    case = counter(40)
    begun = threading.Event()
    presses = threading.Thread(target=lambda: begun.wait() and signal.raise_signal(signal.SIGINT))
    presses.start()
    outcome = native.search(
        case.problem, case.cost, seconds=60, progress=lambda progress: begun.set()
    )
    presses.join()
    assert outcome.status == "interrupted"
    assert outcome.num_states > 0


def test_the_gil_is_released() -> None:
    case = counter(40)
    begun, ended = threading.Event(), threading.Event()

    def search() -> None:
        begun.set()
        native.search(case.problem, case.cost, seconds=0.3)
        ended.set()

    searching = threading.Thread(target=search)
    searching.start()
    begun.wait()
    turns = 0
    while not ended.is_set():
        turns += 1
        # This call releases the interpreter lock to the other thread, which could hold the lock until its search ends.
        time.sleep(0)
    searching.join()
    assert turns > 10


def run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout + done.stderr


def test_the_environment_can_force_the_pure_core() -> None:
    code = "from fewest import search; print(search.NATIVE, search.search.__module__)"
    assert run(code, FEWEST_CORE="") == "True fewest.search.native\n"
    assert run(code, FEWEST_CORE="python") == "False fewest.search.pure.breadth_first\n"


def test_a_missing_native_module_is_reported_once() -> None:
    hide = "import sys; sys.modules['fewest.search._native'] = None\n"
    code = "import fewest.search, fewest.search as again; print(again.NATIVE)"
    output = run(hide + code)
    assert output.count("RuntimeWarning") == 1
    assert "False" in output


def test_a_broken_native_module_is_not_hidden() -> None:
    code = """
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "fewest.search._native":
            raise ImportError("undefined symbol")
sys.meta_path.insert(0, Finder())
try:
    import fewest.search
except ImportError as error:
    print(error)
"""
    assert run(code) == "undefined symbol\n"


@pytest.mark.parametrize("size", [0, 2, 20_000])
def test_a_search_pauses_at_a_budget_of_bytes_and_continues(size: int) -> None:
    case = counter(12)
    for module in (native, pure):
        whole = module.search(case.problem, case.cost, exhaust=True)
        paused = module.make_search(case.problem, case.cost, exhaust=True)
        assert paused.advance(Budget(bytes=size), NO_LIMITS) == "running"
        assert size <= paused.bytes < whole.bytes
        assert paused.num_expanded < whole.num_expanded
        assert paused.advance(ALL, NO_LIMITS) == "exhausted"
        found = paused.outcome()
        assert (found.num_states, found.layers) == (whole.num_states, whole.layers)

"""Runs mutmut so that the verdicts are the same every time; `tests/mutation.py` starts this program.

`generate` creates the mutants. `measure` determines which functions each test reaches, and how long each test takes.
`try` runs the tests that reach each of the given mutants.
"""

from __future__ import annotations

import sys
import time
from typing import Any

# Import from `mutants/`: the finder of an editable install would import the original sources instead.
sys.path.pop(0)
sys.meta_path[:] = [f for f in sys.meta_path if not type(f).__name__.startswith("ScikitBuild")]

import _pytest.timing  # noqa: E402
from mutmut import __main__ as mutmut  # noqa: E402
from mutmut.runners.harness import PytestRunner, collected_test_names  # noqa: E402
from mutmut.state import state  # noqa: E402
from mutmut.stats import load_stats, save_stats  # noqa: E402
from mutmut.utils.file_utils import (  # noqa: E402
    copy_also_copy_files,
    copy_src_dir,
    setup_source_paths,
)
from mutmut.workers import isolation  # noqa: E402

BUDGET = 30.0  # seconds of tests for each mutant; the fastest tests run first
CLOCK = 100  # the wall-clock limit, as a multiple of the CPU time, for mutants that wait forever

# Measure tests and mutants in CPU seconds.
_pytest.timing.perf_counter = time.process_time


class Failures:
    """Records the tests that fail."""

    def __init__(self) -> None:
        self.tests: set[str] = set()

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.tests.add(report.nodeid)


def measure() -> None:
    """Measure file by file, so that a stopped run can be resumed; tests that fail without mutants are skipped."""
    setup_source_paths()
    load_stats()
    runner = PytestRunner()
    mutmut.set_mutant_under_test("list_all_tests")
    listed = runner.list_all_tests()
    listed.clear_out_obsolete_test_names()
    mutmut.set_mutant_under_test("stats")
    by_file: dict[str, list[str]] = {}
    for test in sorted(listed.new_tests()):
        by_file.setdefault(test.partition("::")[0], []).append(test)
    failures = Failures()
    whole = runner.execute_pytest
    runner.execute_pytest = lambda params, plugins: whole(  # type: ignore[method-assign]
        [p for p in params if p != "-x"], plugins=[*plugins, failures]
    )
    for path, tests in by_file.items():
        print(f"which functions {len(tests)} tests of {path} reach", flush=True)
        with mutmut.CatchOutput():
            runner.run_stats(tests=tests)
        for reaching in state().tests_by_mangled_function_name.values():
            reaching -= failures.tests
        missing = set(tests) - collected_test_names()
        assert not missing, f"not run: {missing}"
        save_stats()
    for test in sorted(failures.tests):
        print(f"fails without a mutant, and is left out: {test}")


def attempt(names: list[str], num_jobs: int) -> None:
    """Run the tests with mutmut, in forks of a process that has run no test, so that no cache contains results."""
    submit = isolation.ForkRunner.submit

    def within_budget(self: Any, name: str, tests: list[str], limit: int, estimate: float) -> None:
        durations = state().duration_by_test
        chosen, total = [], 0.0
        for test in sorted(tests, key=lambda test: (durations[test], test)):
            total += durations[test]
            if chosen and total > BUDGET:
                break
            chosen.append(test)
        submit(self, name, chosen, limit, estimate)

    by_clock = isolation.register_timeout
    isolation.register_timeout = lambda pid, timeout_s: by_clock(pid, CLOCK * timeout_s)
    isolation.ForkRunner.submit = within_budget  # type: ignore[method-assign]
    isolation.ForkRunner.run_clean_tests = lambda self, tests: 0  # type: ignore[method-assign]
    mutmut._run(names, num_jobs)


if __name__ == "__main__":
    if sys.argv[1] == "generate":
        copy_src_dir()
        copy_also_copy_files()
        mutmut.create_mutants(2)
    elif sys.argv[1] == "measure":
        measure()
    else:
        attempt(sys.argv[3:], int(sys.argv[2]))

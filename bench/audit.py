"""Measures the cost of the audit: `python -m bench.audit [--rounds 9]`.

In one process, the benchmark measures complete calls (reading, grounding, search, replay, audit), alternating between
calls without and with an audit. Then it measures whole processes in the same way. It prints the ratio of the median CPU
seconds with an audit to those without; this ratio must be at most 1.05.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

import fewest
from fewest.commands.audit.budget import VARIABLE

MODES = ("off", "auto")


def boards(ref: str, levels: int, metric: str) -> Callable[[], int]:
    """Solve the first levels of a collection; return the number of audited positions."""

    def call() -> int:
        found = (fewest.load(f"{ref}:{level}").solve(metric) for level in range(1, levels + 1))
        return sum(int(result.statistics["audit"]["positions"]) for result in found)

    return call


def klotski() -> int:
    """Solve one puzzle twenty times; return the number of audited positions."""
    found = (fewest.load("heng-dao-li-ma").solve() for _ in range(20))
    return sum(int(result.statistics["audit"]["positions"]) for result in found)


def process() -> int:
    """Solve one puzzle in a separate process."""
    command = [sys.executable, "-m", "fewest", "solve", "heng-dao-li-ma"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return 0


CASES: dict[str, Callable[[], int]] = {
    "Rush Hour, 24 boards": boards("database.rush", 24, "slides"),
    "Microban, 30 levels": boards("microban.xsb", 30, "pushes"),
    "heng-dao-li-ma, 20 times": klotski,
    "fewest solve heng-dao-li-ma": process,
}


def spent() -> float:
    """The CPU seconds that this process and its children have used."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description="what the audit costs")
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    print(f"{'case':<30} {'without':>9} {'with':>9} {'ratio':>7} {'positions':>10}")
    for name, call in CASES.items():
        seconds: dict[str, list[float]] = {mode: [] for mode in MODES}
        positions = 0
        for number in range(rounds + 1):  # the first round is not counted
            for mode in MODES:
                os.environ[VARIABLE] = mode
                began = spent()
                found = call()
                if number:
                    seconds[mode].append(spent() - began)
                    positions += found
        without, with_audit = (median(seconds[mode]) for mode in MODES)
        ratio = with_audit / without
        print(f"{name:<30} {without:9.4f} {with_audit:9.4f} {ratio:7.3f} {positions:10,}")


if __name__ == "__main__":
    main()

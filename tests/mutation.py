"""Counts the mutants that the tests kill: `python -m tests.mutation --sample 200 --seed 1`.

mutmut makes the mutants of the files that `[tool.mutmut]` in pyproject.toml names. For each mutant, mutmut runs the
tests that reach it, the fastest first, until one fails. This wrapper draws a sample of the mutants and skips those that
earlier runs tried, so a stopped run can be resumed. At the end, it prints the percentage of killed mutants, and the
survivors. mutmut saves its results in `mutants/`. Delete this folder to start over, or if tests have been renamed or
reach more code.

Runs on different days give the same result. A mutant is drawn according to a hash of its name, so a sample stays the
same if other functions change, and a smaller sample is a prefix of a larger one. Hypothesis draws the same
examples each time (tests/conftest.py). All limits are in CPU time. The processes that try mutants have run no tests
before, so no cache contains results. Tests that fail without a mutant are not used.

A run takes about two CPU minutes to create all mutants. The first run also determines which functions each test
reaches, which takes about ten CPU minutes. This step processes the test files one by one, so it can be resumed, too.
Most killed mutants take two seconds, and a survivor takes at most a minute.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).parent.parent
MUTANTS = ROOT / "mutants"

NATIVE = ("fewest.search._native", "fewest.certificates._checkers")
KILLED = (1, 3, -11)  # exit codes of pytest for a kill; -11: the native core crashed
TIMED_OUT = (-24, 24, 36, 152, 255, -9)  # a mutant that does not end is killed, too
SURVIVED = (0, 5, 33)  # no test failed, or no test reaches the mutant


def run(*args: str, quiet: bool = False) -> None:
    """Run one of the commands of `helpers/mutants.py`."""
    subprocess.run(
        [sys.executable, str(ROOT / "tests" / "helpers" / "mutants.py"), *args],
        env={**os.environ, "PYTHONPATH": str(MUTANTS / "src")},
        check=True,
        stdout=subprocess.DEVNULL if quiet else None,
    )


def exit_codes() -> dict[str, int | None]:
    """Every mutant with the exit code of its tests, or None if no test has run."""
    found: dict[str, int | None] = {}
    for path in sorted(MUTANTS.glob("src/**/*.meta")):
        found |= json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
    return found


def copy_native_modules() -> None:
    """Copy the native modules from the sources or from the installed package."""
    for module in NATIVE:
        spec = find_spec(module)
        assert spec is not None and spec.origin is not None, f"mutation testing needs {module}"
        target = MUTANTS.joinpath("src", *module.split(".")[:-1])
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy2(spec.origin, target)


def diff(name: str) -> str:
    from mutmut.mutation.diff_apply import get_diff_for_mutant

    return str(get_diff_for_mutant(name))


def is_a_change(name: str) -> bool:
    """Whether the mutant changes more than the `strict` of a `zip`, which has no effect because all lengths are
    equal."""
    lines = [line for line in diff(name).splitlines() if re.match("[-+](?![-+])", line)]
    bare = {re.sub(r",\s*strict=\w+|strict=\w+,\s*|\s|,(?=\))", "", line[1:]) for line in lines}
    return len(bare) > 1 or "strict=True" not in "".join(line for line in lines if line[0] == "-")


def drawn(names: list[str], number: int, seed: int) -> list[str]:
    """The `number` mutants whose names have the smallest hashes."""
    names = sorted(names, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest())
    return list(islice(filter(is_a_change, names), number))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=200, help="so many mutants (200)")
    parser.add_argument("--seed", type=int, default=1, help="which sample (1)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument(
        "--room", default="", help="mutants whose name matches this expression only"
    )
    parser.add_argument("--survivors", action="store_true", help="try the survivors again, too")
    parser.add_argument("--report", action="store_true", help="try nothing, say what is known")
    options = parser.parse_args()
    os.chdir(ROOT)  # mutmut looks for its files here

    if not options.report:
        copy_native_modules()
        run("generate", quiet=True)
    known = exit_codes()
    names = [name for name in known if re.search(options.room, name)]
    sample = drawn(names, options.sample, options.seed)
    left = [n for n in sample if known[n] is None or (options.survivors and known[n] in SURVIVED)]
    if left and not options.report:
        run("measure")
        run("try", str(options.jobs), *left)

    found = {name: exit_codes()[name] for name in sample}
    kinds = Counter(
        "killed" if code in KILLED
        else "timed out" if code in TIMED_OUT
        else "survived" if code in SURVIVED
        else "not tried" if code is None
        else f"exit code {code}"
        for code in found.values()
    )  # fmt: skip
    for name, code in sorted(found.items()):
        if code in SURVIVED or code in TIMED_OUT:
            what = (
                "timed out" if code in TIMED_OUT else "no test reaches it" if code else "survived"
            )
            print(f"\n{what}: {name}\n{diff(name)}")
    tried = len(sample) - kinds["not tried"]
    killed = kinds["killed"] + kinds["timed out"]
    print(f"{len(names):,} mutants, {len(sample)} drawn with seed {options.seed}:", dict(kinds))
    print(f"killed: {killed} of {tried}, {100 * killed / max(tried, 1):.1f} %")
    return 0 if not kinds["not tried"] else 1


if __name__ == "__main__":
    sys.exit(main())

"""Mutation testing: `python -m tests.mutation --sample 200 --seed 1`.

mutmut makes the mutants of the rooms that `[tool.mutmut]` in pyproject.toml names, and runs for each the
tests that reach it. This wrapper draws a sample of them, leaves out those already tried (so a
run that was stopped goes on), and says at the end what share was killed and which survived.
What mutmut knows lies in `mutants/`; delete the folder to begin anew, or when tests were renamed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parent.parent
MUTANTS = ROOT / "mutants"

# An editable install has a finder that would lead past the mutants to the sources. And the tests, which
# have just been run to see what each of them reaches, need not be run again to see that they pass.
MUTMUT = """
import sys
sys.meta_path[:] = [f for f in sys.meta_path if not type(f).__name__.startswith("ScikitBuild")]
from mutmut.__main__ import *
from mutmut.__main__ import _run
from mutmut.workers.isolation import ForkRunner
ForkRunner.run_clean_tests = lambda self, tests: 0
"""
GENERATE = "copy_src_dir(); copy_also_copy_files(); create_mutants(2)"
KILLED = (1, 3, -11)  # exit codes of pytest that are a kill; -11: the native core was led astray
# Killed as well if the mutant does not come to its end: to be read, as on a busy machine what
# survives may take too long, too.
TIMED_OUT = (-24, 24, 36, 152, 255, -9)
SURVIVED = (0, 5, 33)  # survived; and the tests that would reach it do not exist


def run(code: str, *names: str, quiet: bool = False) -> None:
    environment = {**os.environ, "PYTHONPATH": str(MUTANTS / "src")}
    subprocess.run(
        [sys.executable, "-c", MUTMUT + code, *names],
        cwd=ROOT,
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL if quiet else None,
    )


def exit_codes() -> dict[str, int | None]:
    """Every mutant with the exit code of its tests, None if they have not been run."""
    found: dict[str, int | None] = {}
    for path in sorted(MUTANTS.glob("src/**/*.meta")):
        found |= json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
    return found


def copy_native_core() -> None:
    """The compiled module lies beside the sources or where the package is installed."""
    spec = find_spec("fewest.search._native")
    assert spec is not None and spec.origin is not None, "mutation testing needs the native core"
    target = MUTANTS / "src" / "fewest" / "search"
    target.mkdir(parents=True, exist_ok=True)
    shutil.copy2(spec.origin, target)


def diff(name: str) -> str:
    code = f"from mutmut.mutation.diff_apply import *; print(get_diff_for_mutant({name!r}))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout or done.stderr


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

    if not options.report:
        copy_native_core()
        run(GENERATE, quiet=True)
    known = exit_codes()
    names = sorted(name for name in known if re.search(options.room, name))
    sample = random.Random(options.seed).sample(names, min(options.sample, len(names)))
    left = [n for n in sample if known[n] is None or (options.survivors and known[n] in SURVIVED)]
    if left and not options.report:
        run(f"_run(sys.argv[1:], {options.jobs})", *left)

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

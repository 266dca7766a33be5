"""Runs independent proof checkers on refuted formulas, if such programs are on the PATH.

`cake_lpr` is verified down to its machine code (Tan, Heule and Myreen 2021); `lrat-check` comes with drat-trim
(Wetzler, Heule and Hunt 2014). Both checkers read the formula and the proof as text.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from fewest.certificates.container import Budget, RejectedError, TooLargeError
from fewest.errors import UsageError

# the line that each program prints when it accepts a proof
CHECKERS = {"cake_lpr": "s VERIFIED UNSAT", "lrat-check": "c VERIFIED"}


def installed() -> list[str]:
    """The installed checkers. Raises UsageError if no such checker is installed."""
    found = [name for name in CHECKERS if shutil.which(name) is not None]
    if not found:
        raise UsageError(
            f"there is neither {' nor '.join(CHECKERS)} on the PATH",
            hint="install one of these programs, or leave out --second-opinion",
        )
    return found


def run_checker(name: str, folder: Path, budget: Budget) -> None:
    """Check that a program accepts `proof.lrat` as a proof that `formula.cnf` is unsatisfiable; both files are in
    `folder`.

    Raises RejectedError if the program does not accept the proof, and TooLargeError if the check takes too long.
    """
    budget.spend()
    program = shutil.which(name)
    assert program is not None, "it is installed"
    folder = folder.absolute()  # the programs run in another folder
    left = budget.deadline - time.perf_counter()
    with TemporaryDirectory() as elsewhere:
        try:
            done = subprocess.run(
                [program, str(folder / "formula.cnf"), str(folder / "proof.lrat")],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=elsewhere,
                check=False,
                timeout=None if left == float("inf") else left,
            )
        except subprocess.TimeoutExpired:
            raise TooLargeError(
                f"{name} stopped at the time limit",
                reason="time",
                hint="set a longer limit with --time",
            ) from None
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    if done.returncode != 0 or CHECKERS[name] not in (line.strip() for line in lines):
        last = f": {lines[-1].strip()[:200]}" if lines else ""
        raise RejectedError(f"{name} does not accept the proof (exit code {done.returncode}{last})")

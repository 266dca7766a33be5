"""Compares `fewest` with other programs: `python -m bench.other_programs [--runs N] [--time S] [--puzzlescript DIR]`.

Each program computes the minimum of the same puzzles on one thread. The benchmark prints the CPU seconds of each search
and the ratio to the time of `fewest`; a ratio of 5 means that the other program
takes five times as long. The times do not include the compilation of the puzzle or the start of the program. Each time
is the shortest of the runs. The runs of the programs alternate, so compare times within one call. A `-` means that the
program found no answer within the time limit, or that the benchmark has no input for it. The exit code is 1 if two
programs find different minima.

- *bfs*: the engine `bfs` of `fewest`; the column *fewest* is the default engine, which can choose A\\*.
- *by hand*: the programs in C++ in `bench/hand_written/`, one for each kind of puzzle; needs a compiler.
- *blind*, *LM-cut*: Fast Downward with A\\*, on files of `fewest export --to sas`; needs the package up-fast-downward.
- *PuzzleScript*: a breadth-first search in PuzzleScript's own engine; needs Node.js, and a clone of
  github.com/increpare/PuzzleScript in DIR.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median

import fewest
from fewest.commands.export import export
from fewest.commands.show import show
from fewest.engines.registry import solve
from fewest.model.answer import Limits
from fewest.model.metric import metric_of

MEMORY = 2 << 30  # bytes, for `fewest`
FOLDER = Path(__file__).parent / "hand_written"
FAST_DOWNWARD_WITHOUT_PLAN = (10, 11, 12)  # the exit codes for "unsolvable"
FAST_DOWNWARD_AT_A_LIMIT = (22, 23, 24)
Measured = tuple[int | None, float]
"""The minimum (None if there is no plan), and the seconds of the search."""


@dataclass(frozen=True)
class Subject:
    """A puzzle, a metric, and the same puzzle as input for the hand-written programs and for PuzzleScript."""

    puzzle: str
    metric: str
    program: str | None = None  # in `bench/hand_written/`
    words: str = ""  # before the board in the input
    goal: str = ""  # after the board
    is_sokoban: bool = False

    def board(self) -> list[str]:
        return list(show(fewest.load(self.puzzle))["board"])

    def input_by_hand(self) -> str:
        rows = "\n".join(self.board())
        if self.is_sokoban:
            return rows
        return f"{self.words}\n{rows.replace('_', '.')}\ngoal\n{self.goal}\n"

    def puzzlescript(self) -> str:
        """The puzzle as a game for PuzzleScript, in which these characters have other meanings."""
        characters = str.maketrans({" ": ".", "@": "P", "$": "*", ".": "O", "*": "@"})
        return GAME + "\n".join(row.translate(characters) for row in self.board()) + "\n\n"


GAME = """title Sokoban

OBJECTS

Background
black

Target
green

Wall
grey

Player
blue

Crate
orange

LEGEND

. = Background
# = Wall
P = Player
* = Crate
@ = Crate and Target
O = Target
+ = Player and Target

SOUNDS

COLLISIONLAYERS

Background
Target
Player, Wall, Crate

RULES

[ > Player | Crate ] -> [ > Player | > Crate ]

WINCONDITIONS

All Target on Crate

LEVELS

"""
SUBJECTS = [
    Subject("hardest-6x6", "steps", "sliding", "axis", "X 2 4"),
    Subject("heng-dao-li-ma", "steps", "sliding", "any", "C 3 1"),
    Subject("the-diabolical-box", "steps", "sliding", "any", "X 7 2"),
    Subject(
        "eight-puzzle-swapped",
        "moves",
        "sliding",
        "any",
        " ".join(f"{tile + 1} {tile // 3} {tile % 3}" for tile in range(8)),
    ),
    Subject("fifteen-30", "moves"),
    Subject("microban-004", "moves", "sokoban", is_sokoban=True),
    Subject("microban-005", "moves", "sokoban", is_sokoban=True),
]


class Programs:
    """The programs that are installed on this machine. `folder` is for temporary files."""

    def __init__(self, folder: Path, seconds: float, puzzlescript: Path | None) -> None:
        self.folder = folder
        self.seconds = seconds
        self.puzzlescript = puzzlescript
        self.compiler = shutil.which(os.environ.get("CXX", "g++"))
        self.node = shutil.which("node")
        self.driver = driver_of_fast_downward()
        self.compiled: dict[str, Path] = {}

    def columns(self) -> dict[str, Callable[[Subject], Measured | None]]:
        """For each program, the function that measures it; None if there is no result."""
        found: dict[str, Callable[[Subject], Measured | None]] = {
            "fewest": self.by_fewest,
            "bfs": lambda subject: self.by_fewest(subject, "bfs"),
        }
        if self.compiler:
            found["by hand"] = self.by_hand
        if self.driver:
            found["blind"] = lambda subject: self.by_fast_downward(subject, "astar(blind())")
            found["LM-cut"] = lambda subject: self.by_fast_downward(subject, "astar(lmcut())")
        if self.node and self.puzzlescript:
            found["PuzzleScript"] = self.by_puzzlescript
        return found

    def by_fewest(self, subject: Subject, engine: str = "auto") -> Measured | None:
        task = fewest.load(subject.puzzle).task
        limits = Limits(seconds=self.seconds, memory=MEMORY)
        began = time.process_time()
        answer = solve(engine, task, metric_of(task, subject.metric), limits, threads=1)
        seconds = time.process_time() - began
        if answer.status not in ("optimal", "unsolvable"):
            return None
        return None if answer.cost is None else sum(answer.cost), seconds

    def by_hand(self, subject: Subject) -> Measured | None:
        if subject.program is None:
            return None
        if subject.program not in self.compiled:
            path = self.folder / subject.program
            source = str(FOLDER / f"{subject.program}.cpp")
            command = [str(self.compiler), "-std=c++20", "-O2", "-o", str(path), source]
            subprocess.run(command, check=True)
            self.compiled[subject.program] = path
        return self._printed([str(self.compiled[subject.program])], subject.input_by_hand())

    def by_puzzlescript(self, subject: Subject) -> Measured | None:
        return self.by_puzzlescript_game(subject.puzzlescript()) if subject.is_sokoban else None

    def by_puzzlescript_game(self, game: str) -> Measured | None:
        script = str(FOLDER / "puzzlescript_search.js")
        return self._printed([str(self.node), script, str(self.puzzlescript)], game)

    def _printed(self, command: list[str], text: str) -> Measured | None:
        """The minimum and the seconds that a program of this folder prints."""
        try:
            done = subprocess.run(
                command,
                input=text,
                capture_output=True,
                text=True,
                timeout=self.seconds,
                check=True,
            )
        except subprocess.TimeoutExpired:
            return None
        minimum, _, seconds = done.stdout.split()
        return None if minimum == "none" else int(minimum), float(seconds)

    def by_fast_downward(self, subject: Subject, search: str) -> Measured | None:
        path = self.folder / f"{subject.puzzle}.sas"
        if not path.exists():
            exported = export(fewest.load(subject.puzzle), "sas", subject.metric)
            assert exported.unit == 1
            path.write_text(exported.text(), encoding="utf-8")
        limits = ["--overall-time-limit", f"{self.seconds:g}s", "--overall-memory-limit", "3G"]
        command = [sys.executable, str(self.driver), *limits, str(path), "--search", search]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode in FAST_DOWNWARD_AT_A_LIMIT:
            return None
        seconds = re.search(r"Search time: ([\d.e-]+)s", done.stdout)
        cost = re.search(r"Plan cost: (\d+)", done.stdout)
        if seconds is None or not (cost or done.returncode in FAST_DOWNWARD_WITHOUT_PLAN):
            raise SystemExit(f"Fast Downward gave no answer: {done.stdout}{done.stderr}")
        return None if cost is None else int(cost[1]), float(seconds[1])


def driver_of_fast_downward() -> Path | None:
    spec = find_spec("up_fast_downward")
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "downward" / "fast-downward.py"


def measure(programs: Programs, subject: Subject, runs: int) -> dict[str, Measured]:
    """For each program with a result, the minimum and the least time."""
    results: dict[str, list[Measured]] = {}
    columns = programs.columns()
    for _ in range(runs):
        for name, measured in list(columns.items()):
            result = measured(subject)
            if result is None:
                del columns[name]  # another run would have no result either
            else:
                results.setdefault(name, []).append(result)
    minima = {minimum for runs_of_one in results.values() for minimum, _ in runs_of_one}
    if len(minima) > 1:
        raise SystemExit(f"{subject.puzzle}: the minima differ: {results}")
    return {
        name: (found[0][0], min(seconds for _, seconds in found)) for name, found in results.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.other_programs", description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--time", type=float, default=60, help="seconds for each run")
    parser.add_argument("--puzzlescript", type=Path, help="a clone of PuzzleScript")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(Path(folder), options.time, options.puzzlescript)
        names = list(programs.columns())
        others = names[1:]
        print(
            f"{'puzzle':<22}{'metric':<8}{'minimum':>8}" + "".join(f"{name:>21}" for name in names)
        )
        ratios: dict[str, list[float]] = {name: [] for name in others}
        to_bfs: dict[str, list[float]] = {name: [] for name in others if name != "bfs"}
        for subject in SUBJECTS:
            results = measure(programs, subject, options.runs)
            if "fewest" not in results:
                raise SystemExit(f"fewest does not solve {subject.puzzle} in {options.time:g} s")
            minimum, own = results["fewest"]
            line = f"{subject.puzzle:<22}{subject.metric:<8}{minimum or 'none':>8}{own:>19.4f} s"
            for name in others:
                if name in results:
                    seconds = results[name][1]
                    ratios[name].append(seconds / own)
                    if "bfs" in results and name in to_bfs:
                        to_bfs[name].append(seconds / results["bfs"][1])
                    line += f"{seconds:>10.4f} s {seconds / own:>7.1f} x"
                else:
                    line += f"{'-':>21}"
            print(line, flush=True)
        for name, found in ratios.items():
            if found:
                print(f"{name}: {_range(found)} times as long as fewest, on {len(found)} puzzles")
            if to_bfs.get(name):
                print(f"{'':<{len(name)}}  {_range(to_bfs[name])} times as long as its engine bfs")


def _range(ratios: list[float]) -> str:
    return f"{min(ratios):.1f} to {max(ratios):.1f} (median {median(ratios):.1f})"


if __name__ == "__main__":
    main()

"""Compares minima with PuzzleScript's own engine: `python -m bench.puzzlescript DIR [--time S] [--levels 1-155]`.

DIR is a clone of github.com/increpare/PuzzleScript. A breadth-first search in PuzzleScript's engine needs Node.js. It
plays the games in `bench/hand_written/puzzlescript/` and the levels of Microban. `docs/puzzlescript.md` translates each
of these games; the puzzles there have the same names. The benchmark prints both minima of each level, or `-` if a
search found no answer within the time limit. The exit code is 1 if two minima differ.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import fewest

from .other_programs import FOLDER, Measured, Programs, Subject

GAMES = FOLDER / "puzzlescript"
PAGE = Path(__file__).parent.parent / "docs" / "puzzlescript.md"


def translations() -> dict[str, fewest.CompiledPuzzle]:
    """The puzzles of the page, by name."""
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    puzzles = [fewest.load("page", text=block) for block in blocks]
    return {puzzle.puzzle.name: puzzle for puzzle in puzzles}


def games(programs: Programs) -> Iterator[tuple[str, int | None, Measured | None]]:
    """For each game of the folder: its name, the minimum of its translation, and the result of PuzzleScript."""
    puzzles = translations()
    for path in sorted(GAMES.glob("*.txt")):
        cost = puzzles[path.stem].solve("moves").cost
        yield path.stem, cost, programs.by_puzzlescript_game(path.read_text("utf-8"))


def levels(programs: Programs, numbers: range) -> Iterator[tuple[str, int | None, Measured | None]]:
    """The same for levels of Microban."""
    for number in numbers:
        subject = Subject(f"microban.xsb:{number}", "moves", is_sokoban=True)
        measured = programs.by_puzzlescript(subject)
        own = programs.by_fewest(subject) if measured else None
        yield subject.puzzle, own[0] if own else None, measured


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.puzzlescript", description=__doc__)
    parser.add_argument("clone", type=Path, help="a clone of PuzzleScript")
    parser.add_argument("--time", type=float, default=6, help="seconds for each level")
    parser.add_argument("--levels", default="1-155", help="levels of Microban")
    options = parser.parse_args()
    first, _, last = options.levels.partition("-")
    numbers = range(int(first), int(last or first) + 1)
    agreed = different = 0
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(Path(folder), options.time, options.clone)
        if not programs.node:
            raise SystemExit("this benchmark needs Node.js")
        for results in (games(programs), levels(programs, numbers)):
            for name, own, measured in results:
                found = "-" if measured is None else measured[0]
                print(f"{name:<20}{own if measured else '-':>6}{found:>6}", flush=True)
                if measured is not None:
                    agreed += own == measured[0]
                    different += own != measured[0]
    print(f"{agreed} minima agree, {different} differ")
    raise SystemExit(1 if different else 0)


if __name__ == "__main__":
    main()

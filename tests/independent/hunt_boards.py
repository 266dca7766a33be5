"""Compares `fewest` with the independent player: `python -m tests.independent.hunt_boards`.

By default, the puzzles are random documents of the matrix. With `--dense`, they have many pieces and rules, on boards
of every type (or of the type `--board`); with `--shipped`, they are the shipped puzzles; with `--examples`, those of
`docs/language.md`. The program prints each document for which the two differ.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator
from random import Random

from fewest.formats.plain import written
from tests.helpers.matrix.agenda import Agenda
from tests.helpers.matrix.constructs import matrix
from tests.helpers.matrix.documents import draw
from tests.helpers.matrix.refused import refused_pairs
from tests.helpers.matrix.tags import pairs_of
from tests.independent import dense as dense_boards
from tests.independent.compare_boards import MOST, SECONDS, Outcome, compare, examples, shipped
from tests.independent.dense import BOARDS


def drawn(seed: int, puzzles: int) -> Iterator[tuple[str, str]]:
    """Random documents of the matrix."""
    refused = refused_pairs()
    agenda = Agenda(matrix(refused), refused)
    number = 0
    while puzzles:
        document = draw(Random(f"{seed} {number}"), agenda)
        number += 1
        agenda.drawn(pairs_of(document))
        puzzles -= 1
        yield f"{seed}-{number - 1}", written(document)


def dense(seed: int, puzzles: int, board: str | None) -> Iterator[tuple[str, str]]:
    """Random documents with many pieces and rules."""
    for number in range(puzzles):
        chosen = board or BOARDS[number % len(BOARDS)]
        document = dense_boards.draw(Random(f"{seed} {number}"), chosen)
        yield f"{chosen}-{seed}-{number}", json.dumps(document, ensure_ascii=False)


def main() -> None:
    """Read the arguments, compare, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--puzzles", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=MOST, help="positions of a puzzle")
    parser.add_argument("--dense", action="store_true")
    parser.add_argument("--board", choices=BOARDS)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="CPU time of a puzzle")
    parser.add_argument("--cpu", type=float, default=3600, help="CPU time of the whole call")
    parser.add_argument("--shipped", action="store_true")
    parser.add_argument("--examples", action="store_true")
    parser.add_argument("--reasons", type=int, default=20, help="reasons to print")
    parser.add_argument("--show", type=int, default=3, help="documents with a difference to print")
    given = parser.parse_args()
    texts: Iterator[tuple[str, str]] = drawn(given.seed, given.puzzles)
    if given.dense or given.board:
        texts = dense(given.seed, given.puzzles, given.board)
    if given.shipped or given.examples:
        texts = iter((shipped() if given.shipped else examples()).items())
    positions = 0
    verdicts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    began = time.process_time()
    for name, text in texts:
        if time.process_time() - began > given.cpu:
            break
        try:
            outcome = compare(text, given.most, seconds=given.seconds)
        except Exception as error:
            outcome = Outcome("crash", difference=repr(error))
        verdicts[outcome.verdict] += 1
        positions += outcome.positions
        reasons[f"{outcome.verdict}: {outcome.reason}"[:120]] += bool(outcome.reason)
        if outcome.difference:
            print(f"# {name}: {outcome.difference}", flush=True)
            if verdicts[outcome.verdict] <= given.show:
                print(text)
    for reason, number in reasons.most_common(given.reasons):
        print(f"{number:6,} {reason}")
    print(f"{dict(verdicts)}, {positions:,} positions, {time.process_time() - began:.0f} s of CPU")


if __name__ == "__main__":
    main()

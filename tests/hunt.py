"""Compare many random puzzles: `python -m tests.hunt --puzzles 200000 --jobs 4 --folder hunt`.

Each process draws from the matrix (`tests/helpers/matrix`). The process compares the rules, the compiled tasks, the
cores, SAT (also its backward search) and ASP. Then it adds letters to the puzzle, and compares the result with the same
puzzle in which each letter has a class of its own. If two results differ, the process makes the puzzle smaller, and
writes the puzzle and the difference into the folder. The folder also contains the progress of each process, so the same
command resumes a hunt.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from fewest.commands.load import load_puzzle
from fewest.errors import DocumentError
from fewest.formats.plain import written
from tests.helpers.matrix.agenda import Agenda
from tests.helpers.matrix.compare import MOST_CALLS, DifferenceError, TooLargeError, compare
from tests.helpers.matrix.constructs import matrix
from tests.helpers.matrix.documents import add_tests, draw
from tests.helpers.matrix.letters import compare_letters, with_letters
from tests.helpers.matrix.refused import refused_pairs
from tests.helpers.matrix.smaller import smaller
from tests.helpers.matrix.tags import pairs_of

EVERY = 100  # puzzles between two reports of progress
# The limit of the grounder for most puzzles, in thousands of steps. With small puzzles, a hunt finds faults in half the
# time.
FEW_CALLS = 2
LARGER = 8  # one in eight puzzles may take as many steps as in the tests


def _text(document: dict[str, Any]) -> str:
    """The document as JSON, which is YAML too: PyYAML takes a tenth of a hunt's time to write its own form."""
    return json.dumps(document, ensure_ascii=False)


def outcome_of(document: dict[str, Any], number: int, found: Counter[str]) -> str | None:
    """The difference in a puzzle, or None; `found` counts the comparisons."""
    try:
        puzzle = load_puzzle("drawn.yaml", text=_text(document))
        most_calls = FEW_CALLS if number % LARGER else MOST_CALLS
        compared = compare(puzzle, number=number, most_calls=most_calls)
    except TooLargeError:
        found["too large"] += 1
        return None
    except DocumentError:
        found["refused"] += 1
        return None
    except DifferenceError as difference:
        return str(difference)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    found["compared"] += 1
    found["with several positions"] += compared.positions > 1
    found["with all positions"] += compared.is_complete
    found["positions"] += compared.positions
    found["tasks"] += compared.tasks
    found["searches of the cores"] += compared.searches
    found["answers of SAT and ASP"] += compared.planned
    found["answers of the backward search"] += compared.backward
    found["tasks with tests of rules as facts"] += compared.tests_as_facts
    return None


def letters_outcome(document: dict[str, Any], found: Counter[str]) -> str | None:
    """The difference that a class for each letter makes, or None; `found` counts the comparisons."""
    try:
        positions = compare_letters(_text(document))
    except (DocumentError, TooLargeError):
        return None
    except DifferenceError as difference:
        return str(difference)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    found["compared with a class for each letter"] += positions > 1
    return None


def hunt(seed: int, job: int, puzzles: int, folder: Path, *, has_tests: bool = False) -> None:
    """Compare puzzles in this process until, with those of earlier runs, `puzzles` puzzles have been compared.

    `has_tests`: whether all puzzles have rules that test several rules with `can`.
    """
    state = folder / f"job-{seed}-{job}.json"
    found: Counter[str] = Counter(json.loads(state.read_text()) if state.exists() else {})
    refused = refused_pairs()
    agenda = Agenda(matrix(refused), refused)
    began, before = time.process_time(), found["CPU milliseconds"]
    while found["drawn"] < puzzles:
        number = found["drawn"]
        rng = Random(f"{seed} {job} {number}")
        document = draw(rng, agenda)
        if has_tests:
            add_tests(document, rng)
        agenda.drawn(pairs_of(document))
        what = outcome_of(document, number, found)
        lettered = with_letters(document, rng) if what is None else None
        if lettered is not None:
            document, what = lettered, letters_outcome(lettered, found)
        if what is not None:
            found["different"] += 1
            _report(folder, f"{seed}-{job}-{number}", document, number, what)
        found["drawn"] += 1
        if found["drawn"] % EVERY == 0 or found["drawn"] == puzzles:
            found["CPU milliseconds"] = before + int(1000 * (time.process_time() - began))
            state.write_text(json.dumps(found))


def _report(folder: Path, name: str, document: dict[str, Any], number: int, what: str) -> None:
    """Write a puzzle with a difference, after making the puzzle as small as possible."""

    def differs(candidate: dict[str, Any]) -> bool:
        return _difference(candidate, number) is not None

    (folder / f"found-{name}.yaml").write_text(
        f"# {what}\n{written(document)}".replace("\n# ", "\n")
    )
    least = smaller(document, differs)
    again = _difference(least, number) or what
    comments = "".join(f"# {line}\n" for line in again.splitlines())
    (folder / f"found-{name}.yaml").write_text(comments + written(least))


def _difference(document: dict[str, Any], number: int) -> str | None:
    return outcome_of(document, number, Counter()) or letters_outcome(document, Counter())


def summary(folder: Path) -> Counter[str]:
    """The sums of the counts of all processes of a folder."""
    total: Counter[str] = Counter()
    for state in folder.glob("job-*.json"):
        total.update(json.loads(state.read_text()))
    return total


def main() -> None:
    """Read the arguments, and start the processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--puzzles", type=int, default=200_000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--tests", action="store_true", help="every puzzle has several `can(RULE)` in one `when`"
    )
    parser.add_argument("--folder", type=Path, default=Path(".hunt"))
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    share = -(-given.puzzles // given.jobs)
    context = get_context("spawn")
    workers = [
        context.Process(
            target=hunt,
            args=(given.seed, job, share, given.folder),
            kwargs={"has_tests": given.tests},
        )
        for job in range(given.jobs)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    total = summary(given.folder)
    for key, value in total.items():
        print(f"{key}: {value:,}")
    seconds = total["CPU milliseconds"] / 1000
    print(f"{seconds:,.0f} s of CPU, {total['drawn'] / max(seconds, 1):.1f} puzzles a second")


if __name__ == "__main__":
    main()

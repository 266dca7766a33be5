"""Compare many documents with their expansions: `python -m tests.independent.documents --puzzles 2000`.

The documents are the shipped puzzles, the examples of all pages, and random documents of the matrix. The program prints
every difference, and how many documents it compared.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import yaml

from tests.helpers.cells import ROOT
from tests.helpers.matrix.agenda import Agenda
from tests.helpers.matrix.constructs import matrix
from tests.helpers.matrix.documents import add_tests, draw
from tests.helpers.matrix.refused import refused_pairs
from tests.helpers.matrix.tags import pairs_of
from tests.independent.comparing import RefusedError, TooLargeError, figures
from tests.independent.expander import expand
from tests.independent.plain_yaml import UnsupportedError

SECONDS = 2
MODELS = ROOT / "models"
Source = Path | str


def shipped() -> Iterator[tuple[str, str, Path, Source]]:
    """The shipped puzzles and the examples of the pages: name, text, folder and source."""
    for path in sorted(ROOT.glob("puzzles/*/*.yaml")):
        yield path.stem, path.read_text(encoding="utf-8"), path.parent, path
    for page in sorted(ROOT.glob("docs/**/*.md")):
        if page.name == "errors.md":
            continue
        for match in re.finditer(r"```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.S):
            if re.match(r"puzzle:", match[1]):
                yield f"{page.name}: {match[1].splitlines()[0]}", match[1], page.parent, match[1]


def drawn(seed: int, number: int) -> Iterator[tuple[str, str, Path, Source]]:
    """Random documents of the matrix."""
    refused = refused_pairs()
    agenda = Agenda(matrix(refused), refused)
    for i in range(number):
        rng = Random(f"{seed} {i}")
        document = draw(rng, agenda)
        if i % 4 == 0:
            add_tests(document, rng)
        agenda.drawn(pairs_of(document))
        text = json.dumps(document, ensure_ascii=False)
        yield f"drawn {seed} {i}", text, ROOT, text


def compared(text: str, folder: Path, source: Source, seconds: float = SECONDS) -> str:
    """The outcome of one comparison; the text of a difference contains both results and the expanded document."""
    try:
        document = expand(text, folder, MODELS)
    except UnsupportedError as error:
        return f"unsupported: {error}"
    try:
        wanted = figures(source, seconds=seconds)
    except RefusedError as error:
        return f"refused: {str(error).splitlines()[0]}"
    except TooLargeError:
        return "too large"
    try:
        found = figures(document, seconds=3 * seconds)
    except TooLargeError:
        return "too large: the expanded document"
    except RefusedError as error:
        return f"DIFFERENT: refused {error}\n{_shown(document)}"
    return "same" if found == wanted else f"DIFFERENT: {wanted} {found}\n{_shown(document)}"


def _shown(document: Mapping[str, Any]) -> str:
    return yaml.safe_dump(dict(document), sort_keys=False, allow_unicode=True, width=150)


def main() -> None:
    """Compare the documents, and print the outcomes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--puzzles", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shipped", action="store_true", help="the shipped documents, too")
    given = parser.parse_args()
    outcomes: Counter[str] = Counter()
    sources = drawn(given.seed, given.puzzles)
    for name, text, folder, source in [*(shipped() if given.shipped else ()), *sources]:
        outcome = compared(text, folder, source)
        if outcome.startswith("DIFFERENT"):
            print(name, outcome, text, sep="\n", flush=True)
        outcomes[re.sub(r"[\w-]+\.yaml:\d+:\d+:|'.*'|\d+", "…", outcome.split("\n")[0])[:90]] += 1
    for outcome, number in outcomes.most_common():
        print(f"{number:6} {outcome}")


if __name__ == "__main__":
    main()

"""Reads the table `refused.tsv`: the pairs that the language refuses, each with its error code.

`python -m tests.helpers.matrix.refused` writes the table; review each line that changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

from fewest.commands.load import load_puzzle
from fewest.errors import DocumentError
from tests.helpers.matrix.agenda import Agenda
from tests.helpers.matrix.constructs import RULE, Pair, matrix, rule_contexts
from tests.helpers.matrix.documents import draw
from tests.helpers.matrix.tags import pairs_of
from tests.helpers.random_puzzles.parts import document as written_quickly

TABLE = Path(__file__).with_name("refused.tsv")
TRIES = 16


@cache
def refused_pairs() -> Mapping[Pair, str]:
    """The table: each pair with the codes of its errors."""
    lines = TABLE.read_text().splitlines()[1:] if TABLE.exists() else []
    parts = (line.split("\t") for line in lines)
    return MappingProxyType({(context, row): code for context, row, code in parts})


def directed(pair: Pair, attempt: int, more: Sequence[str] = ()) -> dict[str, Any]:
    """A document with a pair and further constructs in the pair's context, and otherwise as plain as possible."""
    return draw(Random(f"{pair} {attempt}"), Agenda([pair], {}, only=pair, more=more))


def codes_of(document: Mapping[str, Any]) -> str:
    """The codes of the errors of a document; empty if it is accepted."""
    try:
        load_puzzle("drawn.yaml", text=written_quickly(**document))
    except DocumentError as error:
        return ",".join(sorted({d.code for d in error.diagnostics if d.severity == "error"}))
    return ""


def refusal(pair: Pair, tries: int = TRIES) -> str | None:
    """The code with which a pair is refused; None if a document with the pair is accepted."""
    codes = set[str]()
    for attempt in range(tries):
        document = directed(pair, attempt)
        code = codes_of(document)
        if not code and (pair in pairs_of(document) or pair[1] == RULE):
            return None
        codes.add(code or "not drawn")
    return min(codes, key=lambda code: (code.count(","), code))


def main() -> None:
    """Write the table."""
    table: dict[Pair, str] = {}
    for context in rule_contexts():
        code = refusal((context, RULE))
        if code is not None:
            table[context, RULE] = code
    for pair in matrix(table):
        code = refusal(pair)
        if code is not None:
            table[pair] = code
    lines = [
        "context\tconstruct\tcode",
        *("\t".join((*pair, table[pair])) for pair in sorted(table)),
    ]
    TABLE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

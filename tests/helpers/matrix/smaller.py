"""Makes a document smaller without the loss of a given property."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Entry = dict[str, Any]
MOST = 400  # attempts to remove a part


def smaller(document: Entry, holds: Callable[[Entry], bool]) -> Entry:
    """The document without unnecessary keys, items of lists, cells of the board, and parts of expressions."""
    attempts = 0
    is_changed = True
    while is_changed:
        is_changed = False
        for candidate in _candidates(document):
            attempts += 1
            if attempts > MOST:
                return document
            if holds(candidate):
                document, is_changed = candidate, True
                break
    return document


def _candidates(document: Entry) -> Iterator[Entry]:
    yield from _without(document, depth=0)
    if isinstance(document.get("board"), list):
        for r, row in enumerate(document["board"]):
            for c, cell in enumerate(row):
                if cell != ".":
                    board = [list(line) for line in document["board"]]
                    board[r][c] = "."
                    yield {**document, "board": board}
    elif "edges" not in document and isinstance(document.get("board"), str):
        for at, cell in enumerate(document["board"]):
            if cell not in ".\n":
                yield {
                    **document,
                    "board": document["board"][:at] + "." + document["board"][at + 1 :],
                }


def _without(entry: Entry, depth: int) -> Iterator[Entry]:
    """The entry without one of its keys, or with a smaller value of one key."""
    for key in entry:
        if depth or key not in ("board", "puzzle", "goal"):
            yield {k: v for k, v in entry.items() if k != key}
    for key, value in entry.items():
        if isinstance(value, dict):
            for less in _without(value, depth + 1):
                yield {**entry, key: less}
        elif isinstance(value, str) and (" and " in value or " or " in value):
            for word in (" and ", " or "):
                left, found, right = value.partition(word)
                if found:
                    yield {**entry, key: left}
                    yield {**entry, key: right}

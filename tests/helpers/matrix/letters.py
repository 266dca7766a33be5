"""Compares a puzzle with the same puzzle in which each letter has a class of its own.

The reader of documents decides which letters have classes, and the rules and the tasks both rely on its decision.
A comparison of the rules with the tasks therefore cannot show that the reader missed a letter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random
from typing import Any
from unittest.mock import patch

from fewest.commands.load import load_puzzle
from fewest.model.puzzle import Puzzle
from fewest.playing.exhaust import exhaust
from fewest.reading import named_letters as reader
from tests.helpers.matrix.boards import Entry
from tests.helpers.matrix.compare import DifferenceError, Played, TooLargeError

MOST_MERGED = 60  # positions of a puzzle with classes of several letters
MOST_APART = 200  # positions of the same puzzle with a class for each letter
LETTERS = "PQRSTU"
_EXPRESSIONS = {"when", "goal", "forbid", "any", "all"}


def with_letters(document: Entry, rng: Random) -> Entry | None:
    """The document with letters for the pieces of a kind, and with letters instead of the kind in some places; None if
    the board cannot have two such pieces.
    """
    board = document.get("board")
    rows = board.split("\n") if isinstance(board, str) else board
    kinds = [kind for kind in ("a", "b") if _is_plain(document, kind)]
    if rows is None or not kinds or "graph" in document or document.get("edges") == "drawn":
        return None
    kind = rng.choice(kinds)
    free = iter(LETTERS)
    drawn = [[next(free, kind) if token == kind else token for token in row] for row in rows]
    places = [
        (r, c) for r, row in enumerate(drawn) for c, token in enumerate(row) if token in ".*m"
    ]
    for r, c in rng.sample(places, min(len(places) - 1, rng.choice([1, 1, 2]))) if places else []:
        drawn[r][c] = next(free, drawn[r][c])
    letters = sorted({token for row in drawn for token in row if token in LETTERS})
    if len(letters) < 2:
        return None
    found: Entry = {**document, "board": drawn}
    found["pieces"] = {**document["pieces"], kind: {**document["pieces"][kind], "letters": LETTERS}}
    named = _Letters(rng, kind, letters[: rng.choice([1, 1, 2])])
    for section in ("moves", "then", "goal", "forbid"):
        if section in document:
            found[section] = named.replaced(document[section], section)
    return found


def _is_plain(document: Entry, kind: str) -> bool:
    entry = document.get("pieces", {}).get(kind)
    is_colourless = entry is not None and not {"colours", "letters", "shape"} & set(entry)
    return is_colourless and document.get("legend", {}).get(kind) == kind


class _Letters:
    """Replaces the name of a kind by letters of its pieces, in different notations."""

    def __init__(self, rng: Random, kind: str, letters: list[str]) -> None:
        self.rng, self.letters = rng, letters
        self.word = re.compile(rf"(?<![\w'\"-]){kind}(?![\w'\"(-])")
        self.kind = kind

    def replaced(self, value: Any, key: str) -> Any:
        """A part of a document, with letters in some places."""
        if isinstance(value, str):
            return self._text(value, key)
        if isinstance(value, list):
            return [self.replaced(part, key) for part in value]
        if isinstance(value, Mapping):
            if key == "set":
                return {name: self._text(text, "when") for name, text in value.items()}
            keep = key in ("moves", "then", "for")
            return {
                name if keep else self._name(name): self.replaced(
                    part, key if key == "for" else name
                )
                for name, part in value.items()
            }
        return value

    def _name(self, name: str) -> str:
        is_replaced = name == self.kind and self.rng.random() < 0.5
        return self.rng.choice(self.letters) if is_replaced else name

    def _text(self, text: str, key: str) -> str:
        def letter(match: re.Match[str]) -> str:
            if self.rng.random() < 0.5:
                return match[0]
            name = self.rng.choice(self.letters)
            if key == "for":
                return self.rng.choice([name, name, f"'{name}'", f"min('{name}', 'a')"])
            if key in ("before", "after"):
                return self.rng.choice([name, name, f"{{'{name}'}}"])
            if key in _EXPRESSIONS:
                return self.rng.choice([name, name, f"'{name}'"])
            return name

        return self.word.sub(letter, text)


def apart(text: str) -> Puzzle:
    """The puzzle of a document in which each letter has a class of its own."""
    with patch.object(reader, "named_letters", lambda context, _: context.labels):
        return load_puzzle("drawn.yaml", text=text)


def compare_letters(text: str) -> int:
    """Compare the minima of a document's puzzle with the minima of the same puzzle in which each letter has its own
    class. Returns the number of positions.

    Raises DifferenceError, TooLargeError, or DocumentError if the document is refused.
    """
    merged = load_puzzle("drawn.yaml", text=text)
    other = apart(text)
    if len(other.classes) == len(merged.classes):
        return 0
    played = []
    for puzzle, limit in ((merged, MOST_MERGED), (other, MOST_APART)):
        played.append(Played(puzzle, limit))
        if not played[-1].is_complete:
            raise TooLargeError
    for name in merged.metrics:
        minima = [
            exhaust(puzzle, puzzle.metrics[name], 10_000, each.moves).minimum
            for puzzle, each in zip((merged, other), played, strict=True)
        ]
        if minima[0] != minima[1]:
            raise DifferenceError(
                f"metric {name}: the minimum is {minima[0]}, and {minima[1]} if each letter has its own class"
            )
    return len(played[0].moves)

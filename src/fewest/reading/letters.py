"""The letters and tokens with which the pieces of a kind are drawn, and the kind that claims each of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

Letters = re.Pattern[str] | frozenset[str]

_ASCII = tuple(map(chr, range(32, 127)))
_USUAL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def compiled(raw: str | list[str]) -> Letters:
    """The letters of a kind, compiled from the form in the document. Raises re.error if the letters are not a set of
    characters.
    """
    if not isinstance(raw, str):
        return frozenset(raw)
    return re.compile(f"[{_escape_class(raw)}]+")


def _escape_class(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]").replace("[", "\\[").replace("^", "\\^")


def has(letters: Letters, token: str) -> bool:
    """Whether the kind has this letter or token."""
    if isinstance(letters, frozenset):
        return token in letters
    return letters.fullmatch(token) is not None


def single_characters(raw: str | list[str]) -> Sequence[str]:
    """The letters of a kind that are single characters: first the usual ones, from A to 9. Characters inside a range,
    such as those of `α-ω`, are included only if they are usual; the two ends of a range are always included.
    """
    return _of_set(raw) if isinstance(raw, str) else [token for token in raw if len(token) == 1]


@lru_cache(64)  # many documents use the same model
def _of_set(raw: str) -> tuple[str, ...]:
    found = set(_matching(raw, _indices({*_USUAL, *raw})))
    return tuple([letter for letter in dict.fromkeys(_USUAL + raw) if letter in found])


class ClaimedLetters:
    """The letters and tokens that kinds have claimed so far.

    Dictionaries find the kind that shares a letter with a new kind, so that kinds need not be compared pair by pair.

    `legend`: tokens that no kind can claim. `characters`: all characters of all letters and tokens that will be added.
    """

    def __init__(self, legend: Collection[str], characters: Iterable[str]) -> None:
        self.legend = legend
        self.kinds: list[tuple[str, Letters]] = []
        # For each token of a list, and for each character of a set, the index (in `kinds`) of the first kind with it.
        self.tokens: dict[str, int] = {}
        self.characters: dict[str, int] = {}
        self.starting: dict[str, list[str]] = {}  # the tokens of lists, by their first character
        self.compared = _indices({*_ASCII, *characters})

    def add(self, name: str, raw: str | list[str], letters: Letters) -> tuple[str, str] | None:
        """Add a kind. Returns the first kind that shares a letter or token with the new kind, and the shared letter or
        token; None if there is no such kind.

        Two sets of characters are compared only on the ASCII characters and on the characters that the new set lists.
        """
        own = _matching(raw, self.compared) if isinstance(raw, str) else []
        if isinstance(letters, frozenset):
            sharing = self._of_tokens(letters)
        else:
            sharing = self._of_characters(own, raw, letters)
        first = min(sharing, default=None)
        number = len(self.kinds)
        self.kinds.append((name, letters))
        for character in own:
            self.characters.setdefault(character, number)
        for token in letters if isinstance(letters, frozenset) else ():
            if self.tokens.setdefault(token, number) == number:
                self.starting.setdefault(token[:1], []).append(token)
        if first is None:
            return None
        other, known = self.kinds[first]
        return other, next(
            t for t in _compared(known, letters, raw) if self._share(known, letters, t)
        )

    def _share(self, known: Letters, letters: Letters, token: str) -> bool:
        return token not in self.legend and has(letters, token) and has(known, token)

    def _of_tokens(self, letters: frozenset[str]) -> Iterator[int]:
        """For each token of a list, the first kind that shares the token."""
        for token in letters:
            if token in self.legend:
                continue
            if token in self.tokens:
                yield self.tokens[token]
            owners = {self.characters.get(character) for character in token}
            if not owners or None in owners:
                continue
            if len(owners) == 1:
                yield from (owner for owner in owners if owner is not None)
            else:  # a later set of characters may contain all characters of the token
                later = range(max(owner for owner in owners if owner is not None), len(self.kinds))
                yield from (n for n in later if self._is_set_with(n, token))

    def _is_set_with(self, number: int, token: str) -> bool:
        _, known = self.kinds[number]
        return not isinstance(known, frozenset) and has(known, token)

    def _of_characters(
        self, own: Iterable[str], raw: Iterable[str], letters: Letters
    ) -> Iterator[int]:
        """For each character of a set, the first kind that shares the character; also the kinds that share a token that
        consists of such characters.
        """
        for token in {*_ASCII, *raw}:
            if token in self.characters and token not in self.legend and has(letters, token):
                yield self.characters[token]
        for character in own:
            for token in self.starting.get(character, ()):
                if token not in self.legend and has(letters, token):
                    yield self.tokens[token]


def _compared(known: Letters, letters: Letters, raw: Iterable[str]) -> Iterable[str]:
    """The tokens on which two kinds are compared, in the order in which they are reported."""
    if isinstance(known, frozenset):
        return sorted(known)
    return sorted(letters) if isinstance(letters, frozenset) else dict.fromkeys([*_ASCII, *raw])


def _indices(characters: Collection[str]) -> dict[str, int]:
    """The characters in order, each with its index."""
    return {character: index for index, character in enumerate(sorted(characters))}


def _matching(raw: str, indices: Mapping[str, int]) -> list[str]:
    """The characters of `indices` that the set `raw` contains. The set is read like a character class of a regular
    expression. `indices` contains all characters of `raw`.
    """
    characters = list(indices)
    found: list[str] = []
    at = 0
    while at < len(raw):
        is_range = raw[at + 1 : at + 2] == "-" and at + 2 < len(raw)
        last = raw[at + 2] if is_range else raw[at]
        found += characters[indices[raw[at]] : indices[last] + 1]
        at += 3 if is_range else 1
    return found

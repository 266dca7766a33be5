"""If several kinds claim one letter, the indexes find the same errors as a comparison of all pairs of kinds."""

from __future__ import annotations

import re
from random import Random

import pytest

import fewest
from fewest.reading.letters import ClaimedLetters, Letters, compiled, has

_CHARACTERS = "ABCab01-]^[\\éèü丁丂"


def _of_pairs(
    kinds: list[tuple[str, str | list[str]]], legend: set[str]
) -> list[tuple[str, str] | None]:
    """For each kind, the first earlier kind that shares letters with it, and these letters; None if there is no such
    kind."""
    found: list[tuple[str, str] | None] = []
    earlier: list[tuple[str, Letters]] = []
    for name, given in kinds:
        letters = compiled(given)
        shared = None
        for other, known in earlier:
            if isinstance(known, frozenset):
                tokens = sorted(known)
            elif isinstance(letters, frozenset):
                tokens = sorted(letters)
            else:
                tokens = list(dict.fromkeys([*map(chr, range(32, 127)), *given]))
            common = (t for t in tokens if t not in legend and has(letters, t) and has(known, t))
            token = next(common, None)
            if token is not None:
                shared = other, token
                break
        found.append(shared)
        earlier.append((name, letters))
    return found


def _drawn(rng: Random) -> str | list[str]:
    """A set of characters, often with a range, or a list of tokens."""
    if rng.random() < 0.5:
        return ["".join(rng.choices(_CHARACTERS, k=rng.choice([1, 1, 2, 3]))) for _ in range(2)]
    parts = [rng.choice(_CHARACTERS) for _ in range(rng.choice([1, 1, 2]))]
    if rng.random() < 0.4:
        parts.insert(rng.randrange(len(parts) + 1), "-".join(sorted(rng.choices(_CHARACTERS, k=2))))
    return "".join(parts)


@pytest.mark.filterwarnings("ignore:Possible:FutureWarning")
def test_the_claims_are_those_of_comparing_all_pairs() -> None:
    rng, num_shared = Random(5), 0
    for _ in range(600):
        kinds: list[tuple[str, str | list[str]]] = []
        for number in range(rng.choice([2, 3, 5, 8])):
            given = _drawn(rng)
            try:
                compiled(given)
            except re.error:
                continue
            kinds.append((f"k{number}", given))
        legend = set(rng.choices(_CHARACTERS, k=rng.choice([0, 1, 3])))
        characters = {c for _, given in kinds for token in given for c in token}
        claims = ClaimedLetters(legend, characters)
        found = [claims.add(name, given, compiled(given)) for name, given in kinds]
        assert found == _of_pairs(kinds, legend), (kinds, legend)
        num_shared += sum(shared is not None for shared in found)
    assert num_shared > 200


def test_every_kind_of_many_has_a_letter() -> None:
    for letters in ("{}", "[k{}]", "{}-{}"):
        lines = []
        for number in range(2_000):
            first = chr(0x4E00 + 2 * number)
            letters_used = letters.format(first, chr(0x4E01 + 2 * number))
            lines.append(f"  k{number}: {{letters: {letters_used}}}\n")
        many = fewest.load(
            "many.yaml",
            text=f"puzzle: many\nlegend: {{'.': floor, A: k0}}\npieces:\n{''.join(lines)}"
            "moves: {go: {slide: any}}\nboard: |\n  A.\ngoal: {k0: {at: [0, 1]}}\n",
        )
        assert not many.warnings

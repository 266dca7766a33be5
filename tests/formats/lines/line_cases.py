"""Two Rush Hour boards, and a function that reads boards, for the tests of formats with one board in each line."""

from __future__ import annotations

from fewest.errors import Source
from fewest.formats.collection import Collection
from fewest.formats.registry import parse_collection

DATABASE = "60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332"


def parsed(text: str, name: str) -> Collection:
    return parse_collection(Source(name, text))


SIX = ("....AA", "..BBCC", "rr..EF", "GGHHEF", "...IEF", "...IJJ")

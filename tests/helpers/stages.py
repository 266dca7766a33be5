"""Changes tables of the portfolio so that their stages begin earlier, or never."""

from __future__ import annotations

from msgspec.structs import replace

from fewest.engines.portfolio import Stage
from fewest.search.interface import Budget


def sooner(stages: tuple[Stage, ...], bytes_: int = 0, expansions: int = 1) -> tuple[Stage, ...]:
    """The same stages, which begin after the leading search has used the given number of bytes or expansions."""
    budget = Budget(expansions, bytes_)
    return tuple(replace(stage, after=budget) for stage in stages)


def without(stages: tuple[Stage, ...], *searches: str) -> tuple[Stage, ...]:
    """The stages except those of the given searches."""
    return tuple(stage for stage in stages if stage.search not in searches)

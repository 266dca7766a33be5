"""Where a store is to be, and what it is told to remember."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from fewest.errors import FewestError


class StoreError(FewestError):
    """A folder that is no store, or not of this question, or damaged, or gone."""


class Place(Struct, frozen=True):
    """A folder for a store; as an option of engines it is written `disk:FOLDER`.

    `is_passing`: the folder goes once there is an answer. `about`: plain data on what is asked, with which
    `questions.resume` asks again.
    """

    folder: Path
    is_passing: bool = False
    about: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"disk:{self.folder}"


def place_of(store: str | Place, name: str, metric: str) -> Place:
    """What `disk`, `disk:FOLDER` or a place means; `disk` alone is a folder here, named after the question."""
    if isinstance(store, Place):
        return store
    folder = store.partition(":")[2]
    if folder:
        return Place(Path(folder))
    plain = "".join(c if c.isalnum() or c in "-_." else "-" for c in f"{name}.{metric}")
    return Place(Path(f"{plain}.store"), is_passing=True)

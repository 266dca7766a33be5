"""Where a store is to be, and what it is told to remember."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from os.path import exists
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from fewest.store.urls import refuse_url

if TYPE_CHECKING:  # every command says where a store would be; few have one
    from pathlib import Path

    from fewest.search.interface import GoalSearch
    from fewest.store.crew import CrewMaker
    from fewest.store.record import Records


class Place(Struct, frozen=True):
    """A folder for a store; as an option of engines it is written `disk:FOLDER`.

    `is_passing`: the folder goes once there is an answer. `is_spare`: memory comes first, the folder is for what
    it does not hold. `about`: plain data on what is asked, with which
    `questions.resume` asks again. `crew`: who works on the shards, if not threads of this process; so many
    `owners` have their parts of them. `kept`: where that is, if not in the folder, which is then one of every
    machine's own. `to_goal` takes all distances to the goal, of a search that exhausts a space.
    """

    where: str | Path
    is_passing: bool = False
    is_spare: bool = False
    about: Mapping[str, Any] = field(default_factory=dict)
    crew: CrewMaker | None = None
    owners: int = 1
    kept: Records | None = None
    to_goal: GoalSearch | None = None

    @property
    def folder(self) -> Path:
        """The folder, where there is one."""
        from pathlib import Path

        return Path(self.where)

    @property
    def name(self) -> str:
        """Where it is kept, for people."""
        return str(self.where) if self.kept is None else self.kept.name

    def num_bytes(self) -> int:
        """Of all layers that are kept."""
        if self.kept is not None:
            return self.kept.num_bytes()
        return sum(file.stat().st_size for file in self.folder.rglob("layer-*"))

    def __str__(self) -> str:
        return "auto" if self.is_spare else f"disk:{self.name}"


def place_of(store: str | Place, name: str, metric: str) -> Place:
    """What `auto`, `disk`, `disk:FOLDER` or a place means; without one it is here, named after the question.

    That of `disk` is gone on with if it is there already; that of `auto` is always a new one. Raises UsageError
    for a URL.
    """
    if isinstance(store, Place):
        return store
    folder = store.partition(":")[2]
    if folder:
        refuse_url(folder)
        return Place(folder)
    plain = "".join(c if c.isalnum() or c in "-_." else "-" for c in f"{name}.{metric}")
    if store == "disk":
        return Place(f"{plain}.store", is_passing=True)
    names = (f"{plain}.store" if n == 1 else f"{plain}-{n}.store" for n in count(1))
    new = next(name for name in names if not exists(name))
    return Place(new, is_passing=True, is_spare=True)

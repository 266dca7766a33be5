"""The workers of a divided index: their order, and the interface that the driver (`index_parts.py`) uses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from msgspec import Struct

from fewest.model.costs import CostTable
from fewest.model.problem import Numbering, Problem
from fewest.store.error_translation import StoreError
from fewest.store.metadata import read_checked

BLOCK = 4096
"""Each range begins at a multiple of this number."""
MOST_FOUND = 1000
"""The maximum number of states that `IndexParts.fewest_facts` returns (`cpp/index/number_list.hpp`)."""
FORMAT = 1
NAME = "index.json"


class WorkerEndedError(Exception):
    """Raised when the process of an owner has ended. By then, all owners have gone back to the state without marks, so
    the driver must set the marks again.
    """


class PartOrder(Struct, frozen=True):
    """The problem, its numbering, and the division of the numbers among the `owners`. An order can be sent to other
    processes.

    `ends`: for each owner, the number after the last number of its range. `workers`: the number of threads of each
    owner; `memory`: the number of bytes of each owner, or None. `folder`: the folder for saved marks.
    """

    problem: Problem
    cost: CostTable
    numbering: Numbering
    levels: Numbering
    ends: tuple[int, ...]
    workers: int
    memory: int | None
    folder: Path | None

    @property
    def owners(self) -> int:
        return len(self.ends)


class ExpansionCounts(NamedTuple):
    """A finished expansion: the number of states that it marked, and the bytes and messages that the workers
    exchanged.
    """

    marked: int
    bytes: int = 0
    messages: int = 0


class MarkedStates(NamedTuple):
    """The states to expand now: their number, the number of goal states, and the goal state with the lowest number."""

    states: int
    goals: int
    first: int | None


class PartFigures(NamedTuple):
    """The number of moves from closed states, the part of this number that the marks do not determine, and the number
    of bytes of memory.
    """

    generated: int
    counted: int
    bytes: int


class SavedLayers(Struct, frozen=True, forbid_unknown_fields=True):
    """The record of saved marks: the ranges, all layers so far, and the counts."""

    format: int
    made_by: str
    size: int
    ends: tuple[int, ...]
    expanded: int
    counted: int
    layers: tuple[tuple[int, int, int | None], ...]

    @property
    def newest(self) -> int:
        return len(self.layers) - 1


class IndexParts(Protocol):
    """The operations of the workers for the driver. Most methods raise WorkerEndedError if a worker has ended;
    `num_marked`, `statistics` and `end` do not.
    """

    def wait_for_start(self, look: Callable[[], None]) -> None:
        """Wait until all workers can work. Call `look` at regular intervals, and raise its exceptions."""

    def start(self) -> int:
        """The number of the initial state."""

    def begin(self, number: int) -> None:
        """Clear all marks and mark this number for the next layer."""

    def begin_at_goals(self) -> None:
        """Clear all marks and mark all goal states for the next layer."""

    def restore(self, saved: SavedLayers) -> None:
        """Restore saved marks, which other workers may have saved. Raises OSError or DamageError."""

    def save(self, layer: int) -> None:
        """Save the marks. Raises OSError."""

    def clean(self, layer: int) -> None:
        """Remove the saved marks of all other layers and ranges."""

    def move(self, look: Callable[[], None], *, backward: bool, within: bool) -> int:
        """Expand the states of the current layer, and return the number of states that were marked. Raises the
        exceptions of `look`.
        """

    def advance(self, *, within: bool, has_goals: bool = True) -> MarkedStates:
        """Make the marked states the current layer. Goal states are counted only if `has_goals` is true and `within` is
        false.
        """

    def mark_goals(self) -> None:
        """Mark all closed goal states for the next layer."""

    def least(self) -> int | None:
        """The smallest state of the current layer, as a set of facts; None if the layer is empty."""

    def fewest_facts(self) -> list[int]:
        """Those states of the current layer that have the fewest facts, as sets of facts; at most MOST_FOUND."""

    def remember(self) -> bool:
        """List the states of the current layer, and return whether there was enough memory for the list."""

    def meet(self) -> int | None:
        """The smallest listed number in the current layer; None if the layer contains no listed number."""

    def operators(self, origin: int, target: int) -> list[int]:
        """The operators of a single move between two states, which are given by their numbers."""

    def figures(self) -> PartFigures:
        """The sums over all workers."""

    def num_marked(self) -> int:
        """The approximate number of states that have been marked in this step."""

    def statistics(self) -> dict[str, int]:
        """Further statistics."""

    def end(self) -> None:
        """End the work."""


PartsMaker = Callable[[PartOrder], IndexParts]
"""Creates the workers for an order. Raises MemoryError, and ValueError if states are too wide."""


def ends_of(size: int, owners: int) -> tuple[int, ...]:
    """The ends of the ranges of `owners` owners. The ranges consist of whole blocks, and are as equal as possible. If
    the index is small, some owners have no numbers.
    """
    blocks = -(-size // BLOCK)
    return tuple(min(size, -(-(owner + 1) * blocks // owners) * BLOCK) for owner in range(owners))


def part_file(folder: Path, owner: int, owners: int, layer: int) -> Path:
    """The file of the marks of an owner."""
    return folder / f"part-{owner:04}-of-{owners:04}-{layer:06}"


def files_of(folder: Path, saved: SavedLayers, begin: int, end: int) -> list[Path]:
    """The files that contain marks of the numbers begin..end-1."""
    found, first = [], 0
    for owner, last in enumerate(saved.ends):
        if first < end and begin < last:
            found.append(part_file(folder, owner, len(saved.ends), saved.newest))
        first = last
    return found


def read_saved(folder: Path, size: int) -> SavedLayers | None:
    """The record of saved marks; None if it does not exist. Raises StoreError if the record is damaged, or belongs to
    an index of another `size`.
    """
    if not (folder / NAME).exists():
        return None
    saved = read_checked(folder, NAME, SavedLayers, FORMAT)
    if saved.size != size:
        raise StoreError(
            f"the index in {folder} numbers the states differently",
            hint="choose another folder",
        )
    return saved

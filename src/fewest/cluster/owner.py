"""What an actor does: the shards that it owns, in a folder of its own below the store's.

Nothing of Ray is in here. The driver calls these one after the other, `figures` and `cancel` at any time; what
is exchanged are arrays of bytes (sorted, coded runs), which go from owner to owner and never by the driver.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from fewest.machine.files import sync_folder
from fewest.store.crew import Figures, Work, shards_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fewest.search import _native


class OwnCounts(NamedTuple):
    """What is in an owner's part of a layer; see `store.crew.Counts`."""

    entries: int
    states: int
    goals: int
    canonical: int
    in_orbits: int
    goal: list[int]


class Owner:
    """The shards whose number leaves `number` when it is divided by the number of owners."""

    def __init__(self, work: Work, number: int) -> None:
        """Makes its folder. Raises ValueError for states too wide, OSError."""
        assert work.folder is not None, "owners keep their layers in one"
        self.folder = work.folder / f"owner-{number:03}"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.work, self.number = replace(work, folder=self.folder), number
        self._own = self._shards()

    def packing(self) -> int:
        """Tells apart packings of states, and versions of what packs them."""
        return self._own.packing

    def begin(self) -> tuple[OwnCounts, Figures]:
        """Layer 0, kept; what is in it. Raises OSError."""
        self._own.begin()
        return self._closed()

    def go_back(self, num_layers: int) -> None:
        """Forgets everything but these layers, which were kept. Raises OSError, DamageError."""
        self._own = self._shards()
        self._own.open(num_layers)

    def expand(self) -> bool:
        """Expands the newest layer; False if it was cancelled."""
        return self._own.expand(0)

    def outgoing(self, owner: int, most: int) -> NDArray[np.uint8]:
        """Something for another owner, of about `most` bytes; empty when that has got all."""
        return self._own.outgoing(owner, most)

    def receive(self, sent: NDArray[np.uint8]) -> int:
        """Takes what another owner had for this one; how many bytes it was."""
        if len(sent):
            self._own.receive(sent)
        return len(sent)

    def finish(self) -> tuple[OwnCounts, Figures] | None:
        """Merges all that came and keeps it, for good if the folder is; what is in it. None if it was cancelled.

        Raises OSError, DamageError.
        """
        return self._closed() if self._own.merge(0) else None

    def _closed(self) -> tuple[OwnCounts, Figures]:
        found = self._own.close_layer()
        self._own.keep()
        sync_folder(self.folder)
        counts = (found.entries, found.states, found.goals, found.canonical, found.in_orbits)
        return OwnCounts(*counts, list(found.goal)), self.figures()

    def contains(self, layer: int, state: Sequence[int]) -> bool:
        """Whether a packed state is in this owner's part of a layer."""
        return self._own.contains(layer, list(state))

    def cancel(self) -> None:
        """What is being done ends soon."""
        self._own.cancel()

    def figures(self) -> Figures:
        """How far it is."""
        own = self._own
        return Figures(own.num_expanded, own.num_generated, own.num_merged, own.bytes_in_memory)

    def _shards(self) -> _native.Shards:
        shards = shards_of(self.work, self.number)
        assert shards is not None, "who sent the work has looked"
        return shards

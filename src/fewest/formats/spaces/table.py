"""The data of a state space, in the form that all formats use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fewest.space.state_graph import StateSpace

BLOCK = 1 << 16  # the number of positions in one block


class SpaceTable(Struct, frozen=True, eq=False):
    """A state space with its distances: `space` contains the n states and the m edges.

    `start_distance: int64[n, parts]` and `goal_distance: int64[n, parts]` are costs in the metric, with one number for
    each part; -1 if no goal position can be reached. `fact_names[f]` is the name of bit f of a state, `move_names[o]`
    is the name of operator o, and `drawn(i)` is state i as text.
    """

    metric: str
    space: StateSpace
    start_distance: NDArray[np.int64]
    goal_distance: NDArray[np.int64]
    fact_names: list[str]
    move_names: list[str]
    drawn: Callable[[int], str]

    @property
    def parts(self) -> int:
        """The number of parts of a cost."""
        return int(self.start_distance.shape[1])

    def blocks(self) -> Iterator[range]:
        """The ids of all states, one block at a time."""
        size = len(self.space)
        for begin in range(0, size, BLOCK):
            yield range(begin, min(begin + BLOCK, size))

    def columns(self, name: str) -> list[str]:
        """The column names of a distance: one for each part."""
        return [name] if self.parts == 1 else [f"{name}_{i + 1}" for i in range(self.parts)]


class Sink:
    """A write-only file; the caller must regularly collect the new data with `taken`."""

    closed = False

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def write(self, data: bytes) -> int:
        self._parts.append(bytes(data))
        self._size += len(data)
        return len(data)

    def tell(self) -> int:
        return self._size

    def flush(self) -> None:
        """Does nothing, because there is no buffer."""

    def close(self) -> None:
        self.closed = True

    def readable(self) -> bool:
        return False

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def taken(self) -> Iterator[bytes]:
        """The data written since the last call."""
        parts, self._parts = self._parts, []
        yield from parts

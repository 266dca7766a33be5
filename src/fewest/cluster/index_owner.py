"""The work of an actor in an index. The actor holds the marks for a range of the numbers (`cpp/index/part.hpp`).

The driver decides the steps (`store/index_parts.py`). In an expansion, owners exchange the numbers to mark in other
ranges directly, without the driver: each owner pulls pieces from all others until all of them have finished the
expansion. An owner packs only a limited number of words for other owners; then it waits until some of these words have
been pulled. Therefore, a step needs little memory in addition to the marks. This module does not depend on Ray.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fewest.cluster.exchange import Peers, pull
from fewest.store.index_workers import (
    ExpansionCounts,
    MarkedStates,
    PartFigures,
    PartOrder,
    SavedLayers,
    files_of,
    part_file,
)
from fewest.version import __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fewest.search import _native

PIECE = 4 << 20  # the approximate number of bytes of a piece
OUTBOX = 64 << 20  # the number of bytes of the buffers for words that go to other owners
_ANSWER = 0.5  # the number of seconds after which a peer answers even if it has no data
_CHECK_INTERVAL = 0.003  # the number of seconds between two checks of the packed words


class Words(NamedTuple):
    """Numbers to mark in the range of another owner. `is_last`: whether these are the last words of this step."""

    data: NDArray[np.uint8]
    is_last: bool


_NOTHING = Words(np.zeros(0, np.uint8), is_last=False)


class _Step:
    """The expansion in progress."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.is_expanded = threading.Event()
        self.sent: dict[int, tuple[int, Words]] = {}
        """for each other owner, the newest piece and its number; it is kept because an answer may be lost"""


class IndexOwner:
    """The range of numbers of owner `number` in an order.

    The driver sends most requests through `do`, with the number of its epoch. If the process started after the owners
    last went back, the answer is None.
    """

    def __init__(self, order: PartOrder | None, number: int) -> None:
        """If `order` is None, the caller must set the order before the first request."""
        self._order, self.number = order, number
        self.peers: Peers | None = None
        self._lock = ExitStack()
        self._made: _native.IndexPart | None = None
        self.epoch = -1
        self._step = _Step(-1)
        self._sending = threading.Lock()
        self._is_cancelled = threading.Event()

    def version(self) -> str:
        """The version of the program on this node."""
        return __version__

    @property
    def work(self) -> PartOrder:
        """The order."""
        assert self._order is not None, "the order comes first"
        return self._order

    @property
    def _part(self) -> _native.IndexPart:
        assert self._made is not None, "go_back comes first"
        return self._made

    def go_back(self, epoch: int) -> None:
        """Accept requests of this epoch. The driver's next request sets the marks.

        Raises ValueError if states are too wide, and MemoryError if the marks do not fit. `__init__` does not raise
        these errors, because Ray regards an actor as dead if its constructor raises an error.
        """
        if self._made is None:
            from fewest.search import native_index

            work = self.work
            self._made = native_index.index_part(
                work.problem,
                work.cost,
                work.numbering,
                work.levels,
                ends=work.ends,
                part=self.number,
                threads=work.workers,
                memory=work.memory,
                outbox=OUTBOX,
            )
        self.epoch, self._step = epoch, _Step(-1)
        self._is_cancelled.clear()

    def do(self, epoch: int, method: str, *arguments: Any) -> tuple[Any] | None:
        """The answer of a method of this class, wrapped in a tuple. The result is None for a request from another
        epoch, and after `cancel`.
        """
        if epoch != self.epoch or (self._is_cancelled.is_set() and method != "figures"):
            return None
        return (getattr(self, method)(*arguments),)

    # -- requests of the driver -------------------------------------------------------------------------

    def start(self) -> int:
        return self._part.start()

    def begin(self, number: int) -> None:
        self._part.begin(number)

    def begin_at_goals(self) -> None:
        self._part.begin_at_goals()

    def restore(self, saved: SavedLayers) -> int:
        """Read the marks of the owner's range; return the number of states to expand. Raises OSError or DamageError."""
        assert self.work.folder is not None, "the marks were saved in a folder"
        begin = self.work.ends[self.number - 1] if self.number else 0
        files = files_of(self.work.folder, saved, begin, self.work.ends[self.number])
        return self._part.read([str(file) for file in files], saved.newest)

    def save(self, layer: int) -> bool:
        """Save the marks. Returns False if the disk is full. Raises OSError."""
        return self._part.write(str(self._file(layer)), layer)

    def clean(self, layer: int) -> None:
        """Remove the owner's files for all other layers."""
        for file in self._file(layer).parent.glob(f"part-{self.number:04}-*"):
            if file != self._file(layer):
                file.unlink(missing_ok=True)

    def move(
        self, step: int, sources: Sequence[int], backward: bool, within: bool
    ) -> ExpansionCounts | None:
        """Expand the current layer, and mark the numbers that `sources` send. Returns None if the step was
        cancelled.
        """
        now = _Step(step)
        self._step = now
        is_done: list[bool | BaseException] = []

        def expand() -> None:
            try:
                is_done.append(self._part.move(backward, within))
            except BaseException as error:  # this error is raised below
                is_done.append(error)
                self.cancel()
            now.is_expanded.set()

        expanding = threading.Thread(target=expand, daemon=True)
        expanding.start()
        try:
            exchanged = self._pull(now, sources, within)
        except BaseException:
            self.cancel()
            raise
        finally:
            expanding.join()
        if isinstance(is_done[0], BaseException):
            raise is_done[0]
        if not is_done[0] or exchanged is None:
            return None
        return ExpansionCounts(self._part.num_marked, *exchanged)

    def advance(self, within: bool, has_goals: bool) -> MarkedStates:
        states = self._part.advance(within)
        return MarkedStates(states, *((0, None) if within or not has_goals else self._part.goals()))

    def mark_goals(self) -> None:
        self._part.mark_goals()

    def least(self) -> list[int]:
        return self._part.least()

    def fewest_facts(self) -> list[list[int]]:
        return self._part.fewest_facts()

    def remember(self) -> bool:
        return self._part.remember()

    def meeting(self) -> int | None:
        return self._part.meet()

    def operators(self, origin: int, target: int) -> list[int]:
        return self._part.operators(origin, target)

    def figures(self) -> PartFigures:
        return PartFigures(self._part.num_generated(), self._part.num_counted(), self._part.bytes)

    # -- concurrent requests ----------------------------------------------------------------------------

    def piece(self, owner: int, epoch: int, step: int, have: int, most: int = PIECE) -> Words:
        """The next words for another owner, after the pieces that the other owner already has. The call waits, for a
        limited time, until there are `most` bytes or the expansion has ended.
        """
        until = time.monotonic() + _ANSWER
        while time.monotonic() < until and not self._is_cancelled.is_set():
            now = self._step
            if epoch == self.epoch and now.number == step:
                if now.is_expanded.is_set() or self._part.num_waiting(owner) >= most:
                    with self._sending:
                        return self._take(now, owner, have, most)
                now.is_expanded.wait(_CHECK_INTERVAL)
            else:
                time.sleep(_CHECK_INTERVAL)
        return _NOTHING

    def num_marked(self) -> int:
        return 0 if self._made is None else self._made.num_marked

    def is_at(self, epoch: int, step: int) -> bool:
        """Whether this process is working on the step, or has finished it and still has the words that others need."""
        return epoch == self.epoch and self._step.number == step

    def cancel(self) -> None:
        """Cancel the current work, which then soon ends."""
        self._is_cancelled.set()
        if self._made is not None:
            self._made.cancel()

    def clear(self) -> None:
        """Does nothing, because the files in the folder must remain."""
        self._lock.close()

    # -- exchange ---------------------------------------------------------------------------------------

    def _take(self, now: _Step, owner: int, have: int, most: int) -> Words:
        number, words = now.sent.get(owner, (-1, _NOTHING))
        if number != have:
            is_expanded = now.is_expanded.is_set()
            data = self._part.take(owner, most)
            words = Words(data, is_expanded and self._part.num_waiting(owner) == 0)
            now.sent[owner] = have, words
        return words

    def _pull(self, now: _Step, sources: Sequence[int], within: bool) -> tuple[int, int] | None:
        """Receive the words of the other owners. Returns the numbers of bytes and messages, or None
        if the step was cancelled.
        """
        if self.peers is None:
            return None
        others = [owner for owner in sources if owner != self.number]
        have = dict.fromkeys(others, 0)
        num_bytes = 0

        def request(owner: int) -> tuple[int, ...]:
            return self.number, self.epoch, now.number, have[owner]

        def receive(owner: int, words: Words) -> None:
            nonlocal num_bytes
            if len(words.data):
                self._part.receive(words.data, within)
                num_bytes += len(words.data)
                have[owner] += 1

        about = (self.number, self.work.owners, others)
        num_messages = pull(self.peers, *about, request, receive, self._is_cancelled)
        return None if num_messages is None else (num_bytes, num_messages)

    def _file(self, layer: int) -> Path:
        assert self.work.folder is not None, "marks are saved in a folder"
        return part_file(self.work.folder, self.number, self.work.owners, layer)

"""Merges successors that have arrived from other owners, while the owner still expands and further successors arrive.

An owner can remove the last duplicates only after the last run. With many owners, however, hundreds of sorted runs
arrive for each shard, and the final merge can merge only 32 runs at the same time, so it would merge most runs at least
twice. Therefore, the passes before the last one begin early: as soon as a batch of `_BATCH_RUNS` runs for each shard
has arrived, a thread merges the batch into one run for each shard. If the owner has nothing left to expand, all of its
threads do this.

The pieces of a batch wait in a temporary file. A `Shards` object without layers merges them in a folder of its own. It
removes the duplicates within the batch; the final merge removes the states of earlier layers. Pieces that are in no
complete batch go to the final merge as they are, and so do the first ones of a layer, because a merge of so few runs
takes one pass anyway. If this process ends, nothing is lost: the new process receives all successors again.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from fewest.cluster.threads import Threads
from fewest.store.layer_runs import num_runs, runs_of
from fewest.store.shard_division import layer_file
from fewest.store.workers import WorkOrder, shards_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fewest.search import _native

# The native code merges 32 runs at the same time. The number of the owner's own runs is only an estimate, so this limit
# is lower.
_MOST_RUNS = 28
_FIRST_RUNS = 8  # the number of runs for each shard that go directly to the final merge
_BATCH_RUNS = 16  # the number of runs for each shard in a batch
_LEAST = 4 << 20  # the minimum number of bytes of a batch, and of the pieces before the first batch
_MEMORY_PART = 16  # the merge of a batch has this fraction of the memory of the owner
_FOLDER = "arrived-"


class _Batch:
    """Pieces that wait in a nameless file in a folder."""

    def __init__(self, folder: Path) -> None:
        self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 - see `close`
        self._sizes: list[int] = []
        self.num_runs = self.num_bytes = 0

    def add(self, piece: NDArray[np.uint8], runs: int) -> None:
        rest = memoryview(piece.data)
        while len(rest):
            rest = rest[self._file.write(rest) :]
        self._sizes.append(len(piece))
        self.num_runs += runs
        self.num_bytes += len(piece)

    def pieces(self) -> Iterator[NDArray[np.uint8]]:
        """All pieces; afterward, the batch is empty."""
        self._file.seek(0)
        for size in self._sizes:
            yield np.fromfile(self._file, np.uint8, size)
        self.close()

    def close(self) -> None:
        self._file.close()


class EarlyMerging:
    """The successors from other owners for the next layer of `own`, which are the shards of owner `number`."""

    def __init__(
        self, order: WorkOrder, number: int, own: _native.Shards, is_cancelled: threading.Event
    ) -> None:
        assert order.folder is not None, "owners have folders"
        self._order, self._number, self._own = order, number, own
        self._folder, self._is_cancelled = order.folder, is_cancelled
        division = order.division
        self._num_shards = division.first(number + 1) - division.first(number)
        self._num_runs = self._num_bytes = 0
        self._num_left = (
            0  # the number of runs for the final merge, without those of the owner itself
        )
        self._batch: _Batch | None = None
        self._merging: _native.Shards | None = None
        self._threads = Threads([])
        self.num_bytes = 0
        """the number of bytes that are in merged batches"""

    def receive(self, piece: NDArray[np.uint8], *, is_idle: bool) -> None:
        """Receive a piece. `is_idle`: whether the owner has nothing left to expand. Raises OSError or DamageError."""
        runs = num_runs(piece)
        is_first = self._num_runs < _FIRST_RUNS * self._num_shards or self._num_bytes < _LEAST
        self._num_runs += runs
        self._num_bytes += len(piece)
        if is_first:
            self._num_left += runs
            self._own.receive(piece)
            return
        if self._batch is None:
            self._batch = _Batch(self._folder)
        batch = self._batch
        batch.add(piece, runs)
        if self._is_complete(batch) and not self._threads.are_running:
            self._threads.join()
            self._begin(batch, self._order.workers if is_idle else 1)

    def wait(self) -> None:
        """Wait until no early merge is in progress."""
        self._threads.wait()

    def finish(self) -> bool:
        """Complete the merge in progress. Merge the last batch if it is complete, or if the final merge would otherwise
        need two passes; if not, pass on its pieces. Returns False if the work was cancelled. Raises OSError or
        DamageError.
        """
        if not self._threads.join():
            return False
        # The owner itself has about as many runs as each other owner has sent.
        runs = self._num_runs / max(1, self._order.owners - 1) + self._num_left
        batch = self._batch
        if batch is None:
            return True
        if runs + batch.num_runs > _MOST_RUNS * self._num_shards or self._is_complete(batch):
            self._begin(batch, self._order.workers)
            return self._threads.join()
        self._batch = None
        for piece in batch.pieces():
            self._own.receive(piece)
        return True

    def cancel(self) -> None:
        """Cancel the merge in progress, which then soon ends. The owner is already cancelled."""
        merging = self._merging
        if merging is not None:
            merging.cancel()

    def end(self) -> None:
        """Wait until no thread uses the shards. If `finish` has not been called, `is_cancelled` must be set."""
        self.cancel()
        self.wait()
        if self._batch is not None:
            self._batch.close()
        if self.num_bytes > 0:
            remove_batches(self._folder)

    @property
    def bytes_in_memory(self) -> int:
        """The memory of the merge in progress."""
        merging = self._merging
        return 0 if merging is None else merging.bytes_in_memory

    def _is_complete(self, batch: _Batch) -> bool:
        is_large = batch.num_bytes >= _LEAST
        return is_large and batch.num_runs >= _BATCH_RUNS * self._num_shards

    def _begin(self, batch: _Batch, workers: int) -> None:
        self._batch = None
        self._num_left += self._num_shards
        self.num_bytes += batch.num_bytes
        self._threads = Threads([partial(self._merge, batch, workers)])

    def _merge(self, batch: _Batch, workers: int) -> bool:
        """Merge a batch, and pass the result on to the final merge. Returns False if the work was cancelled."""
        folder = Path(tempfile.mkdtemp(prefix=_FOLDER, dir=self._folder))
        memory = self._order.memory // _MEMORY_PART
        order = replace(self._order, folder=folder, memory=memory, workers=workers, within=None)
        merging = self._merging = shards_of(order, self._number)
        assert merging is not None, "the owner has shards"
        for piece in batch.pieces():
            merging.receive(piece)
        if self._is_cancelled.is_set():
            return False
        if not Threads([partial(merging.merge, worker) for worker in range(workers)]).join():
            return False
        merging.close_layer()
        self._merging = None
        for run in runs_of(layer_file(folder, 0).with_suffix(".part")):
            self._own.receive(run)
        shutil.rmtree(folder)
        return True


def remove_batches(folder: Path) -> None:
    """Remove the files of batches that an earlier process left in the folder of an owner."""
    for left in folder.glob(f"{_FOLDER}*"):
        shutil.rmtree(left, ignore_errors=True)

"""Reads the file of a layer as sorted runs that other shards can receive.

`search/cpp/store/layer.hpp` defines the file: the blocks of all shards, then the directory, then a trailer. The
directory has a row for each block, ordered by shard, and for each shard the number of the row that follows its last
row. A run is encoded as `receive` in `search/cpp/store/shards_exchange.hpp` expects it: its shard, its number of bytes,
and its blocks as they are in the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TRAILER = np.dtype(
    [
        ("magic", "<u8"),
        ("words", "<u4"),
        ("num_shards", "<u4"),
        ("num_rows", "<u8"),
        ("blocks", "<u8"),
        ("checksum", "<u8"),
    ]
)
_HEAD = 16  # the number of bytes before the encoded bytes of a block, and of those before the blocks of a run


def runs_of(layer: Path) -> Iterator[NDArray[np.uint8]]:
    """One run for each shard that has states. The native code checks the checksums of the blocks when it reads them."""
    data = np.memmap(layer, dtype=np.uint8, mode="r")
    trailer = data[-_TRAILER.itemsize :].view(_TRAILER)[0]
    row = np.dtype(
        [("offset", "<u8"), ("count", "<u4"), ("bytes", "<u4"), ("first", "<u8", trailer["words"])]
    )
    begin = int(trailer["blocks"])
    end = begin + int(trailer["num_rows"]) * row.itemsize
    rows = data[begin:end].view(row)
    ends = data[end : end + 4 * int(trailer["num_shards"])].view("<u4")
    first = 0
    for shard, last in enumerate(map(int, ends)):
        if first == last:
            continue
        offsets = rows["offset"][first:last].astype(np.int64)
        sizes = rows["bytes"][first:last].astype(np.int64) + _HEAD
        head = np.array([shard, sizes.sum()], dtype="<u8").view(np.uint8)
        blocks = [data[at : at + size] for at, size in zip(offsets, sizes, strict=True)]
        yield np.concatenate([head, *blocks])
        first = last


def num_runs(piece: NDArray[np.uint8]) -> int:
    """The number of runs in a piece that another owner has sent."""
    at = count = 0
    while at < len(piece):
        at += _HEAD + int(piece[at + 8 : at + _HEAD].view("<u8")[0])
        count += 1
    return count

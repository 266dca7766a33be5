"""Measures early merges: `python -m bench.early_merging [PUZZLE] [--depth N] [--owners K]`.

Several owners in one process search a puzzle to a depth. For the next layer, they have so little memory that many runs
arrive for each shard. Early merges begin after fewer bytes than in other searches, because even the largest layers of
this puzzle are small. The benchmark prints the number of runs for each shard, and the processor seconds of owner 0:
those until the last successor arrives, when the owners still expand, and those of the final merge. It does this twice
without and twice with early merges (`fewest.cluster.early_merging`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

import fewest
from bench.cluster import order_of
from fewest.cluster import early_merging
from fewest.cluster.early_merging import EarlyMerging
from fewest.cluster.owner import PIECE
from fewest.store.layer_runs import num_runs
from fewest.store.shard_division import part_folder
from fewest.store.workers import WorkOrder, shards_of

_MEMORY = 4 << 20  # the number of bytes of each owner for the last layer
_LEAST = 1 << 20  # the minimum number of bytes of a batch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fewest.search import _native


@click.command()
@click.argument("puzzle", default="tiles-3x4")
@click.option("--depth", type=int, default=33, show_default=True)
@click.option("--owners", "count", type=int, default=8, show_default=True)
def main(puzzle: str, depth: int, count: int) -> None:
    """Print rows without and with early merges."""
    compiled = fewest.load(puzzle)
    early_merging._LEAST = _LEAST
    with TemporaryDirectory() as scratch:
        order = order_of(compiled, Path(scratch), count, 256 << 20)
        owners = [_opened(order, number, 0) for number in range(count)]
        for owner in owners:
            owner.begin()
            owner.close_layer()
            owner.keep()
        for _ in range(depth):
            _expand(owners)
            for number, owner in enumerate(owners):
                for piece in _pieces(owners, number):
                    owner.receive(piece)
            for owner in owners:
                owner.merge(0)
                owner.close_layer()
                owner.keep()
        del owner, owners  # the next owners open the same folders
        small = replace(order, memory=_MEMORY)
        found = [_measure(small, depth, is_early=is_early) for is_early in (False, True) * 2]
        assert len(set(found)) == 1, "early merges change no count"


def _measure(order: WorkOrder, depth: int, *, is_early: bool) -> int:
    """Compute the next layer, and print the cost. Returns the number of entries of owner 0."""
    owners = [_opened(order, number, depth + 1) for number in range(order.owners)]
    _expand(owners)
    own = owners[0]
    assert order.folder is not None
    folder = part_folder(order.folder, 0, order.division)
    early = EarlyMerging(replace(order, folder=folder), 0, own, threading.Event())
    pieces = list(_pieces(owners, 0))
    began = time.process_time()
    for piece in pieces:
        if is_early:
            early.receive(piece, is_idle=False)
            early.wait()  # the next piece arrives later
        else:
            own.receive(piece)
    middle = time.process_time()
    early.finish()
    own.merge(0)
    end = time.process_time()
    entries = own.close_layer().entries
    early.end()
    runs = sum(num_runs(piece) for piece in pieces) / (order.num_shards / order.owners)
    print(
        f"{'early merges' if is_early else 'one merge':>12}: {sum(map(len, pieces)) / 1e6:.1f} MB in {runs:.0f} runs "
        f"for each shard, of which {early.num_bytes / 1e6:.1f} MB merged early; "
        f"{middle - began:.3f} s before the last run, {end - middle:.3f} s after it",
        flush=True,
    )
    return entries


def _opened(order: WorkOrder, number: int, num_layers: int) -> _native.Shards:
    assert order.folder is not None
    folder = part_folder(order.folder, number, order.division)
    folder.mkdir(exist_ok=True)
    shards = shards_of(replace(order, folder=folder), number)
    assert shards is not None, "the search is breadth-first"
    shards.open(num_layers)
    return shards


def _expand(owners: list[_native.Shards]) -> None:
    for owner in owners:
        owner.forget_sent()
        owner.expand(0)
    doubts = sum(owner.has_doubts() for owner in owners) > 0
    for owner in owners:
        owner.set_doubts(doubts)


def _pieces(owners: list[_native.Shards], number: int) -> Iterator[NDArray[np.uint8]]:
    """The successors for an owner, in the order in which they would arrive."""
    begins = dict.fromkeys((other for other in range(len(owners)) if other != number), 0)
    while begins:
        for other, begin in list(begins.items()):
            piece, begins[other] = owners[other].outgoing(number, begin, PIECE)
            if len(piece):
                yield piece
            else:
                del begins[other]


if __name__ == "__main__":
    main()

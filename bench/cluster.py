"""Measures the terms of the cost model of a cluster: `python -m bench.cluster [PUZZLE] [--depth N ...] [--owners K
...]`.

The benchmark runs several owners in turn in one process, without Ray and without a network. It prints the bytes that
the owners would send, the bytes on disk, and the CPU seconds of each phase. `docs/scale-benchmarks.md` gives the
fitted model.
"""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

import click

import fewest
from fewest.analysis.reversibility import is_reversible
from fewest.model.costs import cost_table
from fewest.store.search import NUM_SHARDS
from fewest.store.shard_division import part_folder, shards_for
from fewest.store.workers import WorkOrder, shards_of

_PIECE = 8 << 20


@click.command()
@click.argument("puzzle", default="tiles-3x4")
@click.option("--depth", "depths", type=int, multiple=True, default=(20, 24, 26))
@click.option("--owners", "counts", type=int, multiple=True, default=(1, 2, 4, 16, 64))
@click.option("--memory", type=int, default=256 << 20, show_default=True, help="Of each owner.")
def main(puzzle: str, depths: tuple[int, ...], counts: tuple[int, ...], memory: int) -> None:
    """Print one row for each depth and each number of owners."""
    compiled = fewest.load(puzzle)
    task = compiled.grounded
    cost = cost_table(task, task.metrics[compiled.puzzle.default_metric])
    print(
        f"{'depth':>5}{'owners':>7}{'positions':>13}{'us/position':>13}{'successors':>12}"
        f"{'sent B/pos.':>13}{'exchange ns/B':>15}{'stored B/pos.':>13}"
    )
    for depth in depths:
        for count in counts:
            with TemporaryDirectory() as scratch:
                work = WorkOrder(
                    problem=task.problem,
                    cost=cost,
                    symmetry=None,
                    folder=Path(scratch),
                    num_shards=shards_for(count, NUM_SHARDS),
                    owners=count,
                    workers=1,
                    memory=memory,
                    is_reversible=is_reversible(task, cost),
                )
                print(f"{depth:>5}{count:>7}" + _row(work, depth), flush=True)


def _row(work: WorkOrder, depth: int) -> str:
    from msgspec.structs import replace

    assert work.folder is not None
    owners = []
    for number in range(work.owners):
        folder = part_folder(work.folder, number, work.division)
        folder.mkdir(exist_ok=True)
        shards = shards_of(replace(work, folder=folder), number)
        assert shards is not None
        owners.append(shards)
    for owner in owners:
        owner.begin()
    positions = num_sent = 0
    working = exchanging = 0.0
    for layer in range(depth + 1):
        began = time.process_time()
        positions += sum(owner.close_layer().states for owner in owners)
        for owner in owners:
            owner.keep()
        if layer == depth:
            working += time.process_time() - began
            break
        for owner in owners:
            owner.forget_sent()
            owner.expand(0)
        doubts = work.owners > 1 and sum(owner.has_doubts() for owner in owners) > 0
        middle = time.process_time()
        for number, owner in enumerate(owners):
            for other, source in enumerate(owners):
                begin = 0
                while other != number:
                    data, begin = source.outgoing(number, begin, _PIECE)
                    if not len(data):
                        break
                    owner.receive(data)
                    num_sent += len(data)
        after = time.process_time()
        for owner in owners:
            if work.owners > 1:
                owner.set_doubts(doubts)
            owner.merge(0)
        working += middle - began + time.process_time() - after
        exchanging += after - middle
    expanded = sum(owner.num_expanded for owner in owners)
    generated = sum(owner.num_generated for owner in owners)
    stored = sum(file.stat().st_size for file in work.folder.rglob("layer-*"))
    return (
        f"{positions:>13,}{1e6 * working / positions:>13.3f}{generated / expanded:>12.2f}"
        f"{num_sent / positions:>13.2f}{1e9 * exchanging / max(1, num_sent):>15.1f}"
        f"{stored / positions:>13.2f}"
    )


if __name__ == "__main__":
    main()

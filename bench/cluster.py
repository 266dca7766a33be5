"""Measures the terms of the cost model of a cluster: `python -m bench.cluster [PUZZLE] [--depth N ...] [--owners K
...]`.

The benchmark runs several owners in turn in one process, without Ray and without a network. It prints the bytes that
the owners would send, the bytes of the temporary files and of the layers, and the CPU seconds of each phase.
`docs/scale-benchmarks.md` gives the fitted model. `python -m bench.cluster_messages` measures the cost of messages.
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
    print(
        f"{'depth':>5}{'owners':>7}{'positions':>13}{'us/pos.: expand':>17}{'merge':>8}{'save':>8}{'successors':>12}"
        f"{'sent B/pos.':>13}{'exchange ns/B':>15}{'temporary B/pos.':>18}{'stored B/pos.':>15}"
    )
    for depth in depths:
        for count in counts:
            with TemporaryDirectory() as scratch:
                work = order_of(compiled, Path(scratch), count, memory)
                print(f"{depth:>5}{count:>7}" + _row(work, depth), flush=True)


def order_of(compiled: fewest.CompiledPuzzle, folder: Path, owners: int, memory: int) -> WorkOrder:
    """The work of owners with one thread each, in the default metric. `memory`: the bytes of each owner."""
    task = compiled.grounded
    cost = cost_table(task, task.metrics[compiled.puzzle.default_metric])
    return WorkOrder(
        problem=task.problem,
        cost=cost,
        symmetry=None,
        folder=folder,
        num_shards=shards_for(owners, NUM_SHARDS),
        owners=owners,
        workers=1,
        memory=memory,
        is_reversible=is_reversible(task, cost),
    )


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
    positions = num_sent = num_temporary = 0
    expanding = exchanging = merging = saving = 0.0
    for layer in range(depth + 1):
        began = time.process_time()
        positions += sum(owner.close_layer().states for owner in owners)
        for owner in owners:
            owner.keep()
        saved = time.process_time()
        saving += saved - began
        if layer == depth:
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
        num_temporary += sum(owner.bytes_spooled for owner in owners)
        for owner in owners:
            if work.owners > 1:
                owner.set_doubts(doubts)
            owner.merge(0)
        merging += time.process_time() - after
        expanding += middle - saved
        exchanging += after - middle
    expanded = sum(owner.num_expanded for owner in owners)
    generated = sum(owner.num_generated for owner in owners)
    stored = sum(file.stat().st_size for file in work.folder.rglob("layer-*"))
    micro = [1e6 * seconds / positions for seconds in (expanding, merging, saving)]
    return (
        f"{positions:>13,}{micro[0]:>17.3f}{micro[1]:>8.3f}{micro[2]:>8.3f}{generated / expanded:>12.2f}"
        f"{num_sent / positions:>13.2f}{1e9 * exchanging / max(1, num_sent):>15.1f}"
        f"{(num_temporary + num_sent) / positions:>18.2f}{stored / positions:>15.2f}"
    )


if __name__ == "__main__":
    main()

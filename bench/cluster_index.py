"""Measures an index that is divided among several owners:
`python -m bench.cluster_index [PUZZLE] [--owners K ...] [--depth N]`.

The benchmark runs the owners in turn in one process, without Ray and without a network. It prints the CPU seconds spent
on expansion and on the exchange, the bytes that the owners would send, and the bytes that the largest owner holds.
"""

from __future__ import annotations

import time

import click

import fewest
from fewest.model.costs import cost_table
from fewest.search import native_index
from fewest.space.index import state_index
from fewest.store.index_workers import ends_of

_ALL = 1 << 60


@click.command()
@click.argument("puzzle", default="tiles-3x4")
@click.option("--owners", "counts", type=int, multiple=True, default=(1, 2, 4, 16))
@click.option("--depth", type=int, default=None)
def main(puzzle: str, counts: tuple[int, ...], depth: int | None) -> None:
    """Print one row for each number of owners."""
    compiled = fewest.load(puzzle)
    task = compiled.grounded
    cost = cost_table(task, task.metrics[compiled.puzzle.default_metric])
    index = state_index(task)
    numbers = index.numbering(), index.numbering(index.levels)
    print(
        f"{'owners':>6}{'positions':>15}{'expansion s':>13}{'exchange s':>12}{'sent MB':>10}"
        f"{'most in a layer':>17}{'MB of an owner':>16}"
    )
    for count in counts:
        ends = ends_of(index.size, count)
        parts = [
            native_index.index_part(
                task.problem, cost, *numbers, ends=ends, part=number, threads=1, outbox=_ALL
            )
            for number in range(count)
        ]
        sent = most = positions = layer = 0
        expanding = exchanging = 0.0
        for part in parts:
            part.begin(parts[0].start())
        while True:
            began = time.process_time()
            width = sum(part.advance(within=False) for part in parts)
            positions += width
            if width == 0 or layer == depth:
                break
            layer += 1
            for part in parts:
                part.move(backward=False, within=False)
            middle = time.process_time()
            received = 0
            for number, part in enumerate(parts):
                for other in parts:
                    data = other.take(number, _ALL)
                    part.receive(data, within=False)
                    received += len(data)
            sent, most = sent + received, max(most, received)
            expanding += middle - began
            exchanging += time.process_time() - middle
        size = max(part.bytes for part in parts)
        print(
            f"{count:>6}{positions:>15,}{expanding:>13.2f}{exchanging:>12.2f}{sent / 1e6:>10.1f}"
            f"{most / 1e6:>17.1f}{size / 1e6:>16.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()

"""Compares two actors with two threads on this machine: `python -m bench.two_actors [PUZZLE] [--depth N] [--rounds R]`.

Each round searches the puzzle to the same depth three times: with two threads in memory, with two threads and layers on
disk, and with two Ray actors of one thread each. The three searches alternate, so that other programs affect all of
them alike. The times are wall-clock seconds, without the start of Ray. In each round, Ray starts again just before the
actors, as it does for each command, because a fresh Ray has processes ready for the actors. Actors that start later
wait about a second for new processes.
"""

from __future__ import annotations

import statistics
import time
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from msgspec.structs import replace

import fewest
from fewest.analysis.reversibility import is_reversible
from fewest.cluster.connect import cluster_location
from fewest.model.costs import cost_table
from fewest.store.location import StoreLocation
from fewest.store.search import SearchRequest, search
from fewest.store.workers import ThreadWorkers, WorkOrder, threads


@click.command()
@click.argument("puzzle", default="tiles-3x4")
@click.option("--depth", type=int, default=30, show_default=True)
@click.option("--rounds", type=int, default=5, show_default=True)
def main(puzzle: str, depth: int, rounds: int) -> None:
    """Print the seconds of each round, and the median ratio of two threads to two actors."""
    compiled = fewest.load(puzzle)
    task = compiled.grounded
    metric = compiled.puzzle.default_metric
    cost = cost_table(task, task.metrics[metric])
    request = SearchRequest(puzzle, metric, is_reversible(task, cost), depth)
    ratios: list[tuple[float, float]] = []
    for _ in range(rounds):
        seconds, positions = [], set()
        for kind in ("memory", "disk", "actors"):
            with TemporaryDirectory() as scratch, ExitStack() as stack:
                where = Path(scratch, "store")
                place = StoreLocation(where, threads=2)
                if kind == "memory":
                    place = StoreLocation(where, threads=2, make_workers=_in_memory)
                elif kind == "actors":
                    place = stack.enter_context(cluster_location("here", f"disk:{where}", 2))
                began = time.perf_counter()
                outcome, _ = search(task.problem, cost, place=place, request=request, exhaust=True)
                seconds.append(time.perf_counter() - began)
                positions.add(outcome.num_states)
        assert len(positions) == 1, "all searches find the same positions"
        memory, disk, two = seconds
        ratios.append((memory / two, disk / two))
        print(
            f"{positions.pop():,} positions: memory {memory:.2f} s, disk {disk:.2f} s, actors {two:.2f} s",
            flush=True,
        )
    for name, values in zip(("in memory", "on disk"), zip(*ratios, strict=True), strict=True):
        print(f"two threads with layers {name} / two actors: {statistics.median(values):.2f}")


def _in_memory(work: WorkOrder) -> ThreadWorkers | None:
    return threads(replace(work, folder=None))


if __name__ == "__main__":
    main()

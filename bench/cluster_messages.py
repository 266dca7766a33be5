"""Measures the cost of messages between actors: `python -m bench.cluster_messages [--actors K ...]`.

Ray actors search a puzzle with many small layers, so that nearly all of the processor time after the first layers is
the cost of messages and of calls. It is the time of the driver and of the actors, without that of Ray's own processes,
which take time even while nothing happens. The program prints the number of messages
of these layers, and the processor time per message.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import ray

import fewest
from bench.two_actors import Clock
from fewest.analysis.reversibility import is_reversible
from fewest.cluster.connect import cluster_location
from fewest.model.costs import cost_table
from fewest.search.interface import Progress
from fewest.store.search import SearchRequest, search

_PUZZLE = "heng-dao-li-ma"  # 25,955 positions
_FIRST = 8  # the first measured layer is at least this one


@click.command()
@click.option("--actors", "counts", type=int, multiple=True, default=(2, 4, 6, 8))
def main(counts: tuple[int, ...]) -> None:
    """Print one row for each number of actors."""
    ray.init(
        address="local",
        num_cpus=max(counts),
        _node_ip_address="127.0.0.1",
        include_dashboard=False,
        log_to_driver=False,
    )
    print(f"{'actors':>7}{'layers':>8}{'messages':>10}{'CPU s':>8}{'ms/message':>12}")
    for count in counts:
        layers, messages, seconds = _searched(count)
        print(
            f"{count:>7}{layers:>8}{messages:>10}{seconds:>8.2f}{1e3 * seconds / messages:>12.2f}",
            flush=True,
        )


def _takes_part(process: int) -> bool:
    """Whether a process is this one or an actor."""
    with suppress(OSError):
        return (
            process == os.getpid() or Path(f"/proc/{process}/cmdline").read_bytes()[:5] == b"ray::"
        )
    return False


def _searched(count: int) -> tuple[int, int, float]:
    """The number of measured layers, and their messages and processor seconds."""
    compiled = fewest.load(_PUZZLE)
    task = compiled.grounded
    metric = compiled.puzzle.default_metric
    cost = cost_table(task, task.metrics[metric])
    request = SearchRequest(_PUZZLE, metric, is_reversible(task, cost))
    clock = Clock(_takes_part)
    begun: list[int] = []  # the first measured layer

    def progress(now: Progress) -> None:
        if not begun and now.cost >= _FIRST:
            begun.append(now.cost)
            clock.__enter__()

    with TemporaryDirectory() as scratch, ExitStack() as stack:
        where = Path(scratch, "store")
        place = stack.enter_context(cluster_location("here", f"disk:{where}", count))
        outcome, figures = search(
            task.problem,
            cost,
            place=clock.at_end(place),
            request=request,
            exhaust=True,
            progress=progress,
        )
    clock.__exit__()
    layers = len(outcome.layers) - begun[0]
    return layers, layers * figures["messages_per_layer"], clock.processor


if __name__ == "__main__":
    main()

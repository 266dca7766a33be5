"""Compares two actors with two threads on this machine: `python -m bench.two_actors [PUZZLE] [--depth N] [--rounds R]`.

Each round searches the puzzle to the same depth three times: with two threads in memory, with two threads and layers on
disk, and with two Ray actors of one thread each. The three searches alternate, so that other programs affect all of
them alike. The times are wall-clock seconds, without the start of Ray. In each round, Ray starts again just before the
actors, as it does for each command, because a fresh Ray has processes ready for the actors. Actors that start later
wait about a second for new processes.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
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
from fewest.store.workers import ThreadWorkers, Workers, WorkOrder, threads

_KINDS = ("memory", "disk", "actors")


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
    times: list[list[tuple[float, float]]] = []
    for _ in range(rounds):
        row, positions = [], set()
        for kind in _KINDS:
            with TemporaryDirectory() as scratch, ExitStack() as stack:
                where = Path(scratch, "store")
                place = StoreLocation(where, threads=2)
                if kind == "memory":
                    place = StoreLocation(where, threads=2, make_workers=_in_memory)
                elif kind == "actors":
                    place = stack.enter_context(cluster_location("here", f"disk:{where}", 2))
                with Clock() as clock:
                    here = clock.at_end(place)
                    outcome, _ = search(
                        task.problem, cost, place=here, request=request, exhaust=True
                    )
                row.append((clock.seconds, clock.processor))
                positions.add(outcome.num_states)
        assert len(positions) == 1, "all searches find the same positions"
        times.append(row)
        print(
            f"{positions.pop():,} positions: "
            + ", ".join(
                f"{kind} {seconds:.2f} s ({processor:.2f} s of processor time)"
                for kind, (seconds, processor) in zip(_KINDS, row, strict=True)
            ),
            flush=True,
        )
    for place_of_kind, kind in enumerate(_KINDS[:2]):
        for unit, name in enumerate(("wall-clock", "processor")):
            ratios = sorted(row[place_of_kind][unit] / row[2][unit] for row in times)
            print(
                f"two threads ({kind}) / two actors, {name} seconds: median "
                f"{statistics.median(ratios):.2f}, {ratios[0]:.2f} to {ratios[-1]:.2f}"
            )


class Clock:
    """Measures the wall-clock seconds of a search, and the processor seconds of this process and its descendants.

    `takes_part`: whether to include a process, by its number.
    """

    def __init__(self, takes_part: Callable[[int], bool] = lambda _: True) -> None:
        self._takes_part = takes_part

    def __enter__(self) -> Clock:
        self._first, self._last, self._ours = _processor_seconds(), {}, set()
        self._began = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.perf_counter() - self._began
        self.look()
        self.processor = sum(
            seconds - self._first.get(number, 0.0)
            for number, seconds in self._last.items()
            if number in self._ours
        )

    def look(self) -> None:
        """Read the processor times. The actors need this call before they end."""
        now = _processor_seconds()
        self._last |= now
        self._ours |= {number for number in now if self._takes_part(number)}

    def at_end(self, place: StoreLocation) -> StoreLocation:
        """A location with workers that call `look` before they end."""
        make = place.make_workers or threads

        def make_workers(work: WorkOrder) -> Workers | None:
            workers = make(work)
            assert workers is not None, "the search is breadth-first"
            end = workers.end

            def look_and_end() -> None:
                self.look()
                end()

            workers.end = look_and_end  # type: ignore[method-assign]
            return workers

        return replace(place, make_workers=make_workers)


def _processor_seconds() -> dict[int, float]:
    """The processor seconds of this process and of each descendant, by process number."""
    parents, seconds = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # the process has ended
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            parents[int(folder.name)] = int(fields[1])
            ticks = int(fields[11]) + int(fields[12])
            seconds[int(folder.name)] = ticks / os.sysconf("SC_CLK_TCK")
    ours = {os.getpid()}
    for number in parents:
        chain = [number]
        while chain[-1] in parents and chain[-1] not in ours:
            chain.append(parents[chain[-1]])
        if chain[-1] in ours:
            ours.update(chain)
    return {number: seconds[number] for number in ours}


def _in_memory(work: WorkOrder) -> ThreadWorkers | None:
    return threads(replace(work, folder=None))


if __name__ == "__main__":
    main()

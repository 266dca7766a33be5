"""Compares the stores: `python -m bench.index [PUZZLE …] [--time 500] [--store hash|index]`.

The benchmark searches a puzzle exhaustively, once with a table of states and once with an index. It prints wall-clock
seconds, CPU seconds (because machines are shared), states per second, and bytes. By default, it searches the 3x4 and
the 2x6 tiles with 239,500,800 states each, which takes a few minutes and 2.5 GB.
"""

from __future__ import annotations

import time

import click

import fewest
from fewest.engines import solve
from fewest.engines.index import search_index
from fewest.model.answer import Limits
from fewest.model.metric import metric_of


@click.command()
@click.argument("puzzles", nargs=-1)
@click.option("--time", "seconds", default=500.0, show_default=True, help="Seconds for each run.")
@click.option("--store", type=click.Choice(["hash", "index"]), help="One of them only.")
def main(puzzles: tuple[str, ...], seconds: float, store: str | None) -> None:
    """Print one row for each puzzle and store."""
    print(
        f"{'puzzle':<16}{'store':<7}{'states':>13}{'last':>5}{'wall s':>9}{'cpu s':>9}{'states/cpu s':>14}"
        f"{'bytes':>16}{'B/state':>9}  {'':<9}"
    )
    for name in puzzles or ("tiles-3x4", "tiles-2x6"):
        compiled = fewest.load(name)
        task, metric = compiled.task, metric_of(compiled.task, None)
        for used in ("index", "hash") if store is None else (store,):
            began, cpu = time.perf_counter(), time.process_time()
            if used == "index":
                answer = search_index(
                    task, metric, Limits(seconds), exhaust=True, plan=False
                ).answer
            else:
                answer = solve("bfs", task, metric, Limits(seconds), exhaust=True)
            wall, cpu = time.perf_counter() - began, time.process_time() - cpu
            found = answer.statistics
            states = found["states"]
            print(
                f"{name:<16}{used:<7}{states:>13,}{found['layers'][-1][0][0]:>5}{wall:>9.1f}{cpu:>9.1f}"
                f"{states / cpu:>14,.0f}{found['bytes']:>16,}{found['bytes'] / states:>9.2f}"
                f"  {answer.reason or 'exhausted'}",
                flush=True,
            )


if __name__ == "__main__":
    main()

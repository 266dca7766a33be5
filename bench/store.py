"""Measures the cost of a search on disk:
`python -m bench.store [PUZZLE] [--depth N ...] [--memory BYTES] [--threads N]`.

The benchmark prints a row for each depth: CPU seconds (because machines are shared), microseconds, generated positions
and bytes on disk per position, and the peak memory of the process. By default, the benchmark searches three depths of
the 3x4 tiles, which takes a minute; `--depth 53` reaches all positions.
"""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

import click

import fewest
from fewest.machine.memory import peak_memory


@click.command()
@click.argument("puzzle", default="tiles-3x4")
@click.option("--depth", "depths", type=int, multiple=True, default=(20, 24, 28))
@click.option("--memory", type=int, default=512 << 20, show_default=True)
@click.option("--threads", type=int, default=1, show_default=True)
@click.option("--folder", type=click.Path(path_type=Path), help="On the disk that is measured.")
def main(
    puzzle: str, depths: tuple[int, ...], memory: int, threads: int, folder: Path | None
) -> None:
    """Print one row for each depth; each search begins from scratch."""
    compiled = fewest.load(puzzle)
    compiled.task  # noqa: B018 - compile before the measurement
    print(
        f"{'depth':>5}{'positions':>15}{'cpu s':>8}{'us':>7}{'generated':>10}{'B on disk':>10}{'peak MB':>9}"
    )
    for depth in depths:
        with TemporaryDirectory(dir=folder) as scratch:
            began = time.process_time()
            answer = compiled.solve(
                engine="bfs",
                exhaust=True,
                depth=depth,
                store=f"disk:{scratch}/store",
                memory=memory,
                threads=threads,
            )
            spent = time.process_time() - began
        found = answer.statistics
        states = found["states"]
        print(
            f"{depth:>5}{states:>15,}{spent:>8.1f}{1e6 * spent / states:>7.2f}"
            f"{found['generated'] / max(1, found['expanded']):>10.2f}"
            f"{found['store']['bytes'] / states:>10.2f}{peak_memory() / 1e6:>9.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()

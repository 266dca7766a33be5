"""Measures the response times of the page: `python -m bench.page [PUZZLE] [--positions 1000]`, in Chromium.

For random positions with known distances, the benchmark measures a move (rules, board, counters, sentence) and a hint.
The aim for 横刀立马 is 16 ms for a move and 50 ms for a hint. The benchmark prints the median, the 99th percentile and
the maximum, in milliseconds.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

import fewest
from fewest.web.page import PageOptions, chapter, page
from tests.helpers.javascript import browser, stop_browser

_WALK = """async (number) => {
    const packed = [...document.querySelectorAll("script.puzzle")].map((node) => node.textContent);
    const data = await unpacked(packed[0]);
    const player = new Player({ ...data, task: new Task(data.task) }, () => {}, new Progress());
    document.querySelector("main").replaceChildren(player.node);
    const moves = [];
    const hints = [];
    let seed = 7;
    while (moves.length < number) {
        if (player.game.isSolved) player.restart();
        const legal = player.game.task.legal(player.game.now.state);
        seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
        const op = legal[seed % legal.length];
        let began = performance.now();
        player.play(op);
        moves.push(performance.now() - began);
        began = performance.now();
        player.bestWay();
        hints.push(performance.now() - began);
    }
    return { moves, hints };
}"""


@click.command()
@click.argument("puzzle", default="heng-dao-li-ma")
@click.option("--positions", default=1000, show_default=True)
def main(puzzle: str, positions: int) -> None:
    """Print one row for moves, and one for hints."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(page([chapter(fewest.load(puzzle), PageOptions())]), encoding="utf-8")
        with browser() as shown:
            shown.goto(path.as_uri())
            shown.wait_for_selector("html[data-ready]")
            found = shown.evaluate(_WALK, positions)
        stop_browser()
    for name, times in found.items():
        times.sort()
        half, most = times[len(times) // 2], times[int(len(times) * 0.99)]
        print(f"{name:<6} median {half:.1f}  99 % {most:.1f}  worst {times[-1]:.1f} ms")


if __name__ == "__main__":
    main()

"""Histograms of a state space as SVG or PNG, by matplotlib."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from fewest.errors import UsageError

if TYPE_CHECKING:
    from fewest.explore import Exploration, Histogram

FORMATS = (".svg", ".png")


def check_plot(path: Path) -> None:
    """Raises UsageError unless a plot can be written to such a file; cheap, so it is asked first."""
    from importlib.util import find_spec

    if path.suffix.lower() not in FORMATS:
        raise UsageError(f"cannot plot to {path}", hint="name a file .svg or .png")
    if find_spec("matplotlib") is None:
        raise UsageError(
            "plots need matplotlib, which is not installed", hint="pip install 'fewest[plot]'"
        )


def plot_exploration(found: Exploration, title: str, path: Path) -> bytes:
    """The picture of the states by distance from the start, and by distance to the goal."""
    check_plot(path)
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcParams["svg.hashsalt"] = "fewest"  # the same data, the same file
    from matplotlib.figure import Figure

    known = found.to_goal
    panels = [("from the start", found.layers)]
    if known is not None and known.histogram:
        panels.append(("to the goal", known.histogram))
    figure = Figure(figsize=(8, 2.6 * len(panels) + 0.4), layout="constrained")
    figure.suptitle(f"{_plain(title)}: {found.num_states:,} positions")
    all_axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (name, histogram) in zip(all_axes, panels, strict=True):
        sums = by_first_part(histogram)
        axes.bar(list(sums), list(sums.values()), width=0.9, color="#4477aa")
        axes.set_ylabel("positions")
        axes.set_title(f"{found.metric} {name}", fontsize="medium")
        axes.spines[["top", "right"]].set_visible(False)
    buffer = io.BytesIO()
    metadata = {"Date": None} if path.suffix.lower() == ".svg" else None
    figure.savefig(buffer, format=path.suffix.lower()[1:], dpi=150, metadata=metadata)
    return buffer.getvalue()


def by_first_part(histogram: Histogram) -> dict[int, int]:
    """The histogram by the first number of each cost."""
    sums: dict[int, int] = {}
    for cost, count in histogram:
        first = cost if isinstance(cost, int) else cost[0]
        sums[first] = sums.get(first, 0) + count
    return sums


def _plain(title: str) -> str:
    """The title, as far as matplotlib's own font has the characters."""
    return title if all(ord(c) < 0x2E80 for c in title) else "state space"

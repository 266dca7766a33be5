"""Histograms and lines as SVG or PNG, by matplotlib."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fewest.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from fewest.questions.explore import Exploration, Histogram

FORMATS = (".svg", ".png")
_LINES = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb")  # Tol (2021)


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
    known = found.to_goal
    panels = [("from the start", found.layers)]
    if known is not None and known.histogram:
        panels.append(("to the goal", known.histogram))
    figure, all_axes = _figure(len(panels), 2.6, share_x=True)
    figure.suptitle(f"{_plain(title)}: {found.num_states:,} positions")
    for axes, (name, histogram) in zip(all_axes, panels, strict=True):
        sums = by_first_part(histogram)
        axes.bar(list(sums), list(sums.values()), width=0.9, color="#4477aa")
        axes.set_ylabel("positions")
        axes.set_title(f"{found.metric} {name}", fontsize="medium")
    return _picture(figure, path)


def by_first_part(histogram: Histogram) -> dict[int, int]:
    """The histogram by the first number of each cost."""
    sums: dict[int, int] = {}
    for cost, count in histogram:
        first = cost if isinstance(cost, int) else cost[0]
        sums[first] = sums.get(first, 0) + count
    return sums


@dataclass(frozen=True)
class Panel:
    """One diagram: `lines` are points (x, y) by name, `levels` heights by name, drawn all across."""

    title: str
    x: str
    y: str
    lines: Mapping[str, Sequence[tuple[float, float]]]
    levels: Mapping[str, float] = field(default_factory=dict)


def plot_lines(panels: Sequence[Panel], path: Path) -> bytes:
    """The picture of the panels, one below the other, with a logarithmic y axis.

    A name has the same colour in all of them.
    """
    check_plot(path)
    figure, all_axes = _figure(len(panels), 3.6)
    names = dict.fromkeys(name for panel in panels for name in (*panel.lines, *panel.levels))
    colours = {name: _LINES[index % len(_LINES)] for index, name in enumerate(names)}
    for axes, panel in zip(all_axes, panels, strict=True):
        for name, points in panel.lines.items():
            axes.plot(
                *zip(*points, strict=True),
                color=colours[name],
                label=name,
                marker="o",
                markersize=3,
                linewidth=1.2,
            )
        for name, height in panel.levels.items():
            axes.axhline(height, color=colours[name], label=name, linestyle="--", linewidth=1.2)
        axes.set_yscale("log")
        axes.set_xlabel(panel.x)
        axes.set_ylabel(panel.y)
        axes.set_title(panel.title, fontsize="medium")
        axes.xaxis.get_major_locator().set_params(integer=True)
        if panel.lines or panel.levels:
            axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return _picture(figure, path)


def _figure(num_panels: int, height: float, *, share_x: bool = False) -> tuple[Figure, list[Any]]:
    """An empty figure and its axes, one below the other, each so many inches high."""
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcParams["svg.hashsalt"] = "fewest"  # the same data, the same file
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, height * num_panels + 0.4), layout="constrained")
    all_axes = list(figure.subplots(num_panels, 1, sharex=share_x, squeeze=False)[:, 0])
    for axes in all_axes:
        axes.spines[["top", "right"]].set_visible(False)
    return figure, all_axes


def _picture(figure: Figure, path: Path) -> bytes:
    """The figure in the format that the file's name says."""
    buffer = io.BytesIO()
    metadata = {"Date": None} if path.suffix.lower() == ".svg" else None
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", "Glyph .* missing"
        )  # names in scripts that its font lacks
        figure.savefig(buffer, format=path.suffix.lower()[1:], dpi=150, metadata=metadata)
    return buffer.getvalue()


def _plain(title: str) -> str:
    """The title, as far as matplotlib's own font has the characters."""
    return title if all(ord(c) < 0x2E80 for c in title) else "state space"

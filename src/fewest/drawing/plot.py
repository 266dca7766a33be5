"""Histograms and lines as SVG or PNG, drawn with matplotlib."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from fewest.errors import UsageError
from fewest.machine.files import goes_to_stream

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".svg", ".png")
# colours from Tol (2021)
_LINES = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb")


def check_plot(path: Path) -> None:
    """Raises UsageError if a plot cannot be written to a file with this name, or if matplotlib is not installed. This
    check is fast; call it before the work begins.
    """
    from importlib.util import find_spec

    if _suffix(path) not in FORMATS:
        raise UsageError(
            f"a plot cannot be written to {path}",
            hint="choose a file name that ends in .svg or .png",
        )
    if find_spec("matplotlib") is None:
        raise UsageError(
            "plots need matplotlib, which is not installed",
            hint="install the extra `plot`; in a clone of the repository: pip install '.[plot]'",
        )


def _suffix(path: Path) -> str:
    return ".svg" if goes_to_stream(path) else path.suffix.lower()


def plot_histograms(
    title: str, about: str, y: str, panels: Mapping[str, Mapping[int, int]], path: Path
) -> bytes:
    """A picture of the named histograms, one below another, with `title: about` at the top."""
    check_plot(path)
    figure, all_axes = _figure(len(panels), 2.6, share_x=True)
    figure.suptitle(f"{_plain(title)}: {about}")
    for axes, (name, counts) in zip(all_axes, panels.items(), strict=True):
        axes.bar(list(counts), list(counts.values()), width=0.9, color="#4477aa")
        axes.set_ylabel(y)
        axes.set_title(name, fontsize="medium")
    return _picture(figure, path)


class Panel(Struct, frozen=True):
    """One diagram. `lines` maps names to lists of points (x, y). `levels` maps names to heights, which are drawn as
    horizontal lines.
    """

    title: str
    x: str
    y: str
    lines: Mapping[str, Sequence[tuple[float, float]]]
    levels: Mapping[str, float] = field(default_factory=dict)


def plot_lines(panels: Sequence[Panel], path: Path) -> bytes:
    """The picture of the panels, one below another, with a logarithmic y axis.

    A name has the same colour in all panels.
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
    """An empty figure and its axes, stacked one below another; each is `height` inches high."""
    import matplotlib

    matplotlib.use("agg")
    # with a fixed salt, the same data give the same file
    matplotlib.rcParams["svg.hashsalt"] = "fewest"
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, height * num_panels + 0.4), layout="constrained")
    all_axes = list(figure.subplots(num_panels, 1, sharex=share_x, squeeze=False)[:, 0])
    for axes in all_axes:
        axes.spines[["top", "right"]].set_visible(False)
    return figure, all_axes


def _picture(figure: Figure, path: Path) -> bytes:
    """The figure in the format that the file's name implies."""
    buffer = io.BytesIO()
    metadata = {"Date": None} if _suffix(path) == ".svg" else None
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", "Glyph .* missing"
        )  # suppresses the warnings of matplotlib about characters that its font lacks
        figure.savefig(buffer, format=_suffix(path)[1:], dpi=150, metadata=metadata)
    return buffer.getvalue()


def _plain(title: str) -> str:
    """The title; `state space` if the title contains East Asian characters, which matplotlib's own font lacks."""
    return title if all(ord(c) < 0x2E80 for c in title) else "state space"

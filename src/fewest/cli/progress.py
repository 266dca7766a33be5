"""Reports progress on stderr if work takes longer than a second."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Self

from fewest.cli.console import MANNER, is_dumb
from fewest.cli.safe_output import CLEAR_LINE
from fewest.model.answer import Grounding, Horizon, Trial, counted

if TYPE_CHECKING:
    from fewest.search.interface import Progress

_QUIET_SECONDS = 1.0


class ProgressLine:
    """A callback for engines. It prints nothing in the first second, and nothing at all with `--quiet`. On a terminal,
    it then keeps overwriting one line; elsewhere, it prints a line from time to time.

    If `keeps_horizons` is true, engines with a horizon instead get one line per horizon, which remains.
    """

    def __init__(self, metric: str, *, keeps_horizons: bool = True) -> None:
        self.metric = metric
        self.keeps_horizons = keeps_horizons
        self.is_terminal = sys.stderr.isatty() and not is_dumb()
        self.next_line = _QUIET_SECONDS
        self.is_open = False
        self.waiting: list[str] = []
        self.seconds = 0.0
        self.first: Progress | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def __call__(self, progress: Progress | Horizon | Grounding | Trial) -> None:
        if MANNER.is_quiet:
            return
        if isinstance(progress, Horizon):
            self._horizon(progress)
        elif isinstance(progress, Grounding):
            stage = f"compiling {progress.part}".rstrip()
            moves = counted(progress.num_operators, "moves")
            text = f"{stage} · {moves} · {progress.seconds:.0f} s"
            self._show(text, progress.seconds)
        elif isinstance(progress, Trial):
            number = f"{progress.number:,} of {progress.total:,}"
            text = f"{progress.what} · {number} · {progress.seconds:.0f} s"
            self._show(text, progress.seconds)
        else:
            self._search(progress)

    def _horizon(self, horizon: Horizon) -> None:
        """Report a horizon. If `keeps_horizons` is true, the lines of all horizons are printed as soon as the horizons
        together have taken a second.
        """
        sizes = (
            (horizon.variables, "vars"),
            (horizon.clauses, "clauses"),
            (horizon.conflicts, "conflicts"),
            (horizon.cubes, "cubes"),
        )
        parts = [counted(number, unit) for number, unit in sizes if number is not None]
        verdict = f"{self.metric} {horizon.horizon:>3}: {horizon.verdict:<7}"
        text = " · ".join([verdict, *parts, f"{horizon.seconds:.2f} s"])
        self.seconds += horizon.seconds
        if not self.keeps_horizons:
            self._show(text, self.seconds)
            return
        self.waiting.append(text)
        if self.seconds >= _QUIET_SECONDS:
            print("\n".join(self.waiting), file=sys.stderr, flush=True)
            self.waiting.clear()

    def _search(self, progress: Progress) -> None:
        rate = self._rate(progress)
        most = progress.most_states
        states = counted(progress.num_states, "states")
        if most:
            states = f"{progress.num_states:,} ({progress.num_states / most:.1%})"
        messages = progress.messages_per_layer
        sent = "" if messages is None else f" · {counted(messages, 'messages')}/layer"
        text = (
            f"{self.metric} {progress.cost:,} · {states} · "
            f"{rate:,.0f} states/s · {progress.bytes / 2**20:,.0f} MiB · {progress.seconds:.0f} s{sent}"
        )
        self._show(text, progress.seconds)

    def _rate(self, progress: Progress) -> float:
        """The number of states expanded per second since the first report of this search; for the first report, since
        the search began. The first report of a resumed search also counts the states of the interrupted search.
        """
        first = self.first
        if (
            first is None
            or first.num_expanded > progress.num_expanded
            or first.seconds >= progress.seconds
        ):
            self.first = progress
            return progress.num_expanded / max(progress.seconds, 1e-9)
        return (progress.num_expanded - first.num_expanded) / (progress.seconds - first.seconds)

    def _show(self, text: str, seconds: float) -> None:
        if seconds < self.next_line:
            return
        if self.is_terminal:
            print(f"{CLEAR_LINE}{text[:79]}", end="", file=sys.stderr, flush=True)
            self.is_open = True
        else:
            print(text, file=sys.stderr, flush=True)
            self.next_line = seconds * 2  # this keeps the log short during long work

    def close(self) -> None:
        """Clear the progress line of the terminal."""
        if self.is_open:
            print(CLEAR_LINE, end="", file=sys.stderr, flush=True)
            self.is_open = False


class ProgressLines:
    """A progress line for each of several searches, which may run in parallel."""

    def __init__(self, *, keeps_horizons: bool = True) -> None:
        self.keeps_horizons = keeps_horizons
        self.lines: dict[str, ProgressLine] = {}

    def show(self, name: str, progress: Progress | Horizon) -> None:
        """Show the report of the search with this name."""
        if name not in self.lines:
            self.lines[name] = ProgressLine(name, keeps_horizons=self.keeps_horizons)
        self.lines[name](progress)

    def close(self) -> None:
        """Clear the progress line of the terminal."""
        for line in self.lines.values():
            line.close()

"""The summary of a suite: the results of each engine for all instances, and the instances that need attention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from fewest.commands.compare.entry import Comparison, Entry, errors_of
from fewest.commands.compare.known import named
from fewest.commands.compare.statistics import Ratio, coverage, middle, par2, ratio
from fewest.model.answer import Cost, format_cost, single


class EngineSummary(Struct, frozen=True):
    """The results of one engine for all instances of a suite.

    - `num_instances`: the number of instances for which the engine has an entry. `solved`: the number of instances with
      a proven answer (in more than half of the runs, if there are several). `refused`: the number of instances that the
      engine refused; these instances count as unsolved. `failed`: the number of instances on which the engine failed.
    - `par2`: the PAR2 score for the limit of the suite; None if there is no limit.
    - `cpu`: the CPU seconds of encoding and solving in all runs. `memory`: the highest peak, in bytes; None if unknown.
    - `ratio`: the mean ratio of the engine's times to those of the first engine, over the instances that both solved;
      None for the first engine, and if there is no such instance.
    """

    engine: str
    num_instances: int
    solved: int
    refused: int
    failed: int
    par2: float | None
    cpu: float
    memory: int | None
    ratio: Ratio | None


def summarize(
    comparisons: Sequence[Comparison], limit: float | None, engines: Sequence[str] = ()
) -> list[EngineSummary]:
    """A summary for each engine that has entries: first the given engines in their order, then all others.

    The entries of an interrupted comparison do not show the order of the engines, because the first instance may have
    entries of only some engines.
    """
    present = dict.fromkeys(
        entry.engine for comparison in comparisons for entry in comparison.entries
    )
    names = list(dict.fromkeys([*(name for name in engines if name in present), *present]))
    times = {name: times_of(comparisons, name) for name in names}
    out: list[EngineSummary] = []
    for name in names:
        entries = [
            entry
            for comparison in comparisons
            for entry in comparison.entries
            if entry.engine == name
        ]
        peaks = [entry.memory for entry in entries if entry.memory is not None]
        supported = [
            time
            for comparison, time in zip(comparisons, times[name], strict=True)
            if _has(comparison, name)
        ]
        out.append(
            EngineSummary(
                name,
                len(supported),
                coverage(supported),
                _count(comparisons, name, "refused"),
                _count(comparisons, name, "failed"),
                None if limit is None else par2(supported, limit),
                sum(entry.cpu.engine or 0.0 for entry in entries),
                max(peaks, default=None),
                None if name == names[0] else ratio(times[name], times[names[0]]),
            )
        )
    return out


def times_of(comparisons: Sequence[Comparison], engine: str) -> list[float | None]:
    """The CPU seconds of an engine for each instance: the median of its runs; None if the median is unsolved or there
    is no run.
    """
    return [
        middle([_time(e) for e in comparison.entries if e.engine == engine] or [None])
        for comparison in comparisons
    ]


def _time(entry: Entry) -> float | None:
    return entry.cpu.engine if entry.is_proven else None


def _has(comparison: Comparison, engine: str) -> bool:
    return any(entry.engine == engine for entry in comparison.entries)


def _count(comparisons: Sequence[Comparison], engine: str, status: str) -> int:
    return sum(
        any(e.engine == engine and e.status == status for e in comparison.entries)
        for comparison in comparisons
    )


def notable(comparisons: Sequence[Comparison]) -> list[str]:
    """A text for each disagreement, failure, answer without a second opinion, and instance without a proof, in this
    order.
    """
    lines = [
        f"DISAGREEMENT: {name_of(comparison)}: {one.text(comparison.metric)}"
        for comparison in comparisons
        for one in comparison.disagreements
    ]
    lines += [
        f"failed: {name_of(comparison)}: {error}"
        for comparison in comparisons
        for error in errors_of(e for e in comparison.entries if e.status in ("failed", "invalid"))
    ]
    for comparison in comparisons:
        if comparison.num_opinions == 1 and comparison.is_decided and not comparison.disagreements:
            proved = next((e for e in comparison.entries if e.is_proven), None)
            if proved is not None:
                cost = "no plan" if proved.cost is None else format_cost(proved.cost)
                lines.append(f"no second opinion: {name_of(comparison)}: {cost} by {proved.engine}")
    lines += [
        f"no proof: {name_of(comparison)}: {_known(comparison)}"
        for comparison in comparisons
        if not comparison.disagreements and not any(entry.is_proven for entry in comparison.entries)
    ]
    return lines


def _known(comparison: Comparison) -> str:
    """The result for an instance without a proof, as text. It gives the bounds on the minimum, or says that every
    engine refused the instance.
    """
    if all(entry.status == "refused" for entry in comparison.entries):
        return "every engine refused this instance"
    bounds = [_parts(e.lower_bound) for e in comparison.entries if e.lower_bound is not None]
    costs = [_parts(entry.cost) for entry in comparison.entries if entry.cost is not None]
    words = [f"at least {format_cost(single(max(bounds)))}"] if bounds else []
    words += [f"at most {format_cost(single(min(costs)))}"] if costs else []
    return ", ".join(words) or "nothing is known"


def _parts(cost: Cost) -> tuple[int, ...]:
    return (cost,) if isinstance(cost, int) else tuple(cost)


def name_of(comparison: Comparison) -> str:
    """The name of an instance, such as `hanoi (disks=3), moves`."""
    return named(comparison.puzzle, comparison.parameters, comparison.metric)


HEADER = ("engine", "solved", "refused", "failed", "PAR2", "CPU s", "peak MiB", "ratio", "95 %")


def summary_rows(summaries: Sequence[EngineSummary]) -> list[list[str]]:
    """The cells of the table of engines, as text."""
    rows: list[list[str]] = []
    for one in summaries:
        has_interval = one.ratio is not None and one.ratio.low is not None
        rows.append(
            [
                one.engine,
                f"{one.solved:,} of {one.num_instances:,}",
                f"{one.refused:,}",
                f"{one.failed:,}",
                "" if one.par2 is None else f"{one.par2:,.2f}",
                f"{one.cpu:,.1f}",
                "" if one.memory is None else f"{one.memory / 2**20:,.0f}",
                "" if one.ratio is None else f"{one.ratio.mean:.2f} ({one.ratio.count:,})",
                f"{one.ratio.low:.2f} to {one.ratio.high:.2f}"
                if has_interval and one.ratio is not None
                else "",
            ]
        )
    return rows


def plain(summaries: Sequence[EngineSummary]) -> list[dict[str, Any]]:
    """The summaries as plain data."""
    import msgspec

    return [msgspec.to_builtins(one) for one in summaries]

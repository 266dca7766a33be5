"""The result of an exploration as text: the figures, both histograms side by side, and a plot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from fewest.commands.explore.exploration import Exploration, Histogram
from fewest.drawing.plot import plot_histograms
from fewest.model.answer import counted, limit_words

if TYPE_CHECKING:
    from fewest.model.metric import Metric

_ROWS = 24  # the maximum number of rows of the table, unless the user requests every distance
_COLUMNS = 78  # the width of the table, in columns


def heading(found: Exploration, title: str) -> str:
    """The answer in one line."""
    if found.is_to_depth:
        depth = counted(found.eccentricity, found.metric)
        return f"{title}: {counted(found.num_states, 'positions')} at up to {depth} from the start"
    at_least = "" if found.is_exhausted else "at least "
    return f"{title}: {at_least}{counted(found.num_states, 'reachable positions')}"


def figures(found: Exploration, *, has_goal: bool) -> list[str]:
    """If a limit stopped the exploration, a line with the reason; then one line for every known figure."""
    lines: list[str] = []
    if found.reason is not None:
        why = limit_words(found.reason)
        what = (
            "not all positions were explored"
            if not found.is_exhausted
            else "some figures were not computed"
        )
        lines.append(f"stopped ({why}): {what}; the numbers below hold for what was explored")
    lines += [f"  {key:<14} {text}" for key, text in named_figures(found, has_goal=has_goal)]
    return lines


def named_figures(found: Exploration, *, has_goal: bool) -> Iterator[tuple[str, str]]:
    """All known figures, with their names."""
    yield from _reachable(found, has_goal)
    yield from _towards_goal(found)


def _reachable(found: Exploration, has_goal: bool) -> Iterator[tuple[str, str]]:
    """The figures that concern distances from the start."""
    if found.num_consistent is not None:
        yield "consistent", f"{counted(found.num_consistent, 'positions')}, reachable or not"
    yield "goal positions", f"{found.num_goal_states:,}"
    if found.canonical_states is not None:
        searched = f"{counted(found.canonical_states, 'positions')} searched"
        yield "symmetry", f"{searched}, the others are their images"
    if found.minimum is not None:
        yield "fewest", counted(found.minimum, found.metric)
    elif found.is_exhausted and has_goal:
        yield "fewest", "unsolvable (proven)"
    elif found.is_to_depth and has_goal:
        yield "fewest", f"more than {counted(found.eccentricity, found.metric)}"
    if found.num_plans is not None and found.minimum is not None:
        yield "optimal plans", _plans(found.num_plans, found.num_traces)
    if found.is_exhausted:
        far = f"{counted(found.eccentricity, found.metric)} from the start"
        yield "farthest", f"{far}: {counted(found.layers[-1][1], 'positions')}"
    if found.unmeasured is not None and has_goal:
        yield "to the goal", f"not measured {found.unmeasured}"


def _towards_goal(found: Exploration) -> Iterator[tuple[str, str]]:
    """The figures that concern distances to the goal."""
    known = found.goal_distances
    if known is None:
        return
    share = 100 * known.num_solvable / found.num_states
    yield "solvable", f"{counted(known.num_solvable, 'positions')} ({share:.1f} %)"
    yield "dead positions", f"{known.num_dead:,}"
    if known.eccentricity is not None:
        far = f"{counted(known.eccentricity, found.metric)} to the goal"
        yield "hardest start", f"{far}: {counted(known.num_hardest, 'positions')}"


def _plans(number: int, num_traces: int | None) -> str:
    if number == 1:
        return "1: the plan is unique"
    plans = f"{number:,}" if number < 10**15 else f"{number:.3e} (--json has all digits)"
    if num_traces is None:
        return plans
    if num_traces == 1:
        return f"{plans}, the only plan up to the order of independent moves"
    return f"{plans}, {num_traces:,} up to the order of independent moves"


# -- histograms ---------------------------------------------------------------------------------------


def table(found: Exploration, metric: Metric, *, every: bool) -> list[str]:
    """Both histograms side by side, with bars. They show the first part of each cost. Unless `every` is true,
    neighbouring distances are combined in long histograms.
    """
    histograms = [by_first_part(found.layers)]
    if found.goal_distances is not None and found.goal_distances.histogram:
        histograms.append(by_first_part(found.goal_distances.histogram))
    distances = {cost for counts in histograms for cost in counts}
    width = 1 if every else -(-(max(distances) + 1) // _ROWS)
    bins = sorted({cost // width for cost in distances})
    sums = [[_between(counts, b * width, width) for b in bins] for counts in histograms]
    names = [
        f"{b * width:,}" if width == 1 else f"{b * width:,}-{(b + 1) * width - 1:,}" for b in bins
    ]
    head = metric.parts[0].name[:15]
    column = max(len(head), *map(len, names))
    number = max(8, *(len(f"{count:,}") for counts in sums for count in counts))
    bar = max(4, (_COLUMNS - column - 2 * (number + 4)) // 2)
    title = f"{head:>{column}}  {'from the start':<{number + 1 + bar}}"
    lines = [(title + ("   to the goal" if len(sums) > 1 else "")).rstrip()]
    for row, name in enumerate(names):
        cells = (_bar(counts[row], max(counts), number, bar) for counts in sums)
        lines.append(f"{name:>{column}}{''.join(cells)}".rstrip())
    return lines


def _bar(count: int, top: int, number: int, width: int) -> str:
    """A number and a bar of proportional length; blank if the number is 0."""
    if not count:
        return " " * (number + width + 3)
    return f"  {count:>{number},} {'▇' * max(1, round(count / top * width)):<{width}}"


def by_first_part(histogram: Histogram) -> dict[int, int]:
    """The histogram of the first part of each cost."""
    sums: dict[int, int] = {}
    for cost, count in histogram:
        first = cost if isinstance(cost, int) else cost[0]
        sums[first] = sums.get(first, 0) + count
    return sums


def _between(counts: Mapping[int, int], low: int, width: int) -> int:
    return sum(counts.get(cost, 0) for cost in range(low, low + width))


def plot(found: Exploration, title: str, path: Path) -> bytes:
    """The bytes of a picture of both histograms: the states by distance from the start, and by distance to the goal."""
    panels = {f"{found.metric} from the start": by_first_part(found.layers)}
    if found.goal_distances is not None and found.goal_distances.histogram:
        panels[f"{found.metric} to the goal"] = by_first_part(found.goal_distances.histogram)
    return plot_histograms(title, counted(found.num_states, "positions"), "positions", panels, path)

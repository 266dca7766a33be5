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


def heading(exploration: Exploration, title: str) -> str:
    """The answer in one line."""
    if exploration.is_to_depth:
        depth = counted(exploration.eccentricity, exploration.metric)
        return f"{title}: {counted(exploration.num_states, 'positions')} at up to {depth} from the start"
    at_least = "" if exploration.is_exhausted else "at least "
    return f"{title}: {at_least}{counted(exploration.num_states, 'reachable positions')}"


def figures(exploration: Exploration, *, has_goal: bool) -> list[str]:
    """If a limit stopped the exploration, a line with the reason; then one line for every known figure."""
    lines: list[str] = []
    if exploration.reason is not None:
        why = limit_words(exploration.reason)
        effect = (
            "not all positions were explored"
            if not exploration.is_exhausted
            else "some figures were not computed"
        )
        lines.append(f"stopped ({why}): {effect}; the numbers below hold for what was explored")
    lines += [f"  {key:<14} {text}" for key, text in named_figures(exploration, has_goal=has_goal)]
    return lines


def named_figures(exploration: Exploration, *, has_goal: bool) -> Iterator[tuple[str, str]]:
    """All known figures, with their names."""
    yield from _reachable(exploration, has_goal)
    yield from _towards_goal(exploration)


def _reachable(exploration: Exploration, has_goal: bool) -> Iterator[tuple[str, str]]:
    """The figures that concern distances from the start."""
    if exploration.num_consistent is not None:
        yield "consistent", f"{counted(exploration.num_consistent, 'positions')}, reachable or not"
    yield "goal positions", f"{exploration.num_goal_states:,}"
    if exploration.canonical_states is not None:
        searched = f"{counted(exploration.canonical_states, 'positions')} searched"
        yield "symmetry", f"{searched}, the others are their images"
    if exploration.minimum is not None:
        yield "fewest", counted(exploration.minimum, exploration.metric)
    elif exploration.is_exhausted and has_goal:
        yield "fewest", "unsolvable (proven)"
    elif exploration.is_to_depth and has_goal:
        yield "fewest", f"more than {counted(exploration.eccentricity, exploration.metric)}"
    if exploration.num_plans is not None and exploration.minimum is not None:
        yield "optimal plans", _plans(exploration.num_plans, exploration.num_traces)
    if exploration.is_exhausted:
        far = f"{counted(exploration.eccentricity, exploration.metric)} from the start"
        yield "farthest", f"{far}: {counted(exploration.layers[-1][1], 'positions')}"
    if exploration.unmeasured is not None and has_goal:
        yield "to the goal", f"not measured {exploration.unmeasured}"


def _towards_goal(exploration: Exploration) -> Iterator[tuple[str, str]]:
    """The figures that concern distances to the goal."""
    known = exploration.goal_distances
    if known is None:
        return
    share = 100 * known.num_solvable / exploration.num_states
    yield "solvable", f"{counted(known.num_solvable, 'positions')} ({share:.1f} %)"
    yield "dead positions", f"{known.num_dead:,}"
    if known.eccentricity is not None:
        far = f"{counted(known.eccentricity, exploration.metric)} to the goal"
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


def table(exploration: Exploration, metric: Metric, *, every: bool) -> list[str]:
    """Both histograms side by side, with bars. They show the first part of each cost. Unless `every` is true,
    neighbouring distances are combined in long histograms.
    """
    histograms = [by_first_part(exploration.layers)]
    if exploration.goal_distances is not None and exploration.goal_distances.histogram:
        histograms.append(by_first_part(exploration.goal_distances.histogram))
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


def plot(exploration: Exploration, title: str, path: Path) -> bytes:
    """The bytes of a picture of both histograms: the states by distance from the start, and by distance to the goal."""
    panels = {f"{exploration.metric} from the start": by_first_part(exploration.layers)}
    if exploration.goal_distances is not None and exploration.goal_distances.histogram:
        panels[f"{exploration.metric} to the goal"] = by_first_part(
            exploration.goal_distances.histogram
        )
    return plot_histograms(
        title, counted(exploration.num_states, "positions"), "positions", panels, path
    )

"""Displays the result of an exploration in notebooks: a table of its figures, and its histograms."""

from __future__ import annotations

from fewest.commands.explore.exploration import Exploration, Histogram
from fewest.commands.explore.text import named_figures
from fewest.model.answer import format_cost
from fewest.model.notebook_repr import shows


def html(found: Exploration) -> str:
    """The figures that the command prints, and the histograms of distances from the start and to the goal."""
    from fewest.drawing.notebook import histogram, table
    from fewest.drawing.pictures.puzzle_style import escaped

    shown = list(named_figures(found, has_goal=found.goal_distances is not None))
    at_least = "" if found.is_exhausted else "at least "
    head = f"<b>{escaped(f'{at_least}{found.num_states:,} positions')}</b>"
    parts = [head, table((), shown, left=(0, 1))]
    parts.append(histogram(f"{found.metric} from the start", _named(found.layers)))
    if found.goal_distances is not None and found.goal_distances.histogram:
        parts.append(
            histogram(f"{found.metric} to the goal", _named(found.goal_distances.histogram))
        )
    return "".join(parts)


def _named(rows: Histogram) -> list[tuple[str, int]]:
    return [(format_cost(cost), count) for cost, count in rows]


shows(Exploration, html=html)

"""Displays the result of an exploration in notebooks: a table of its figures, and its histograms."""

from __future__ import annotations

from fewest.commands.explore.exploration import Exploration, Histogram
from fewest.commands.explore.text import named_figures
from fewest.model.answer import counted, format_cost
from fewest.model.notebook_repr import shows


def html(exploration: Exploration) -> str:
    """The figures that the command prints, and the histograms of distances from the start and to the goal."""
    from fewest.drawing.notebook import histogram, table
    from fewest.drawing.pictures.puzzle_style import escaped

    shown = list(named_figures(exploration, has_goal=exploration.goal_distances is not None))
    at_least = "" if exploration.is_exhausted else "at least "
    positions = counted(exploration.num_states, "positions")
    head = f"<b>{escaped(at_least + positions)}</b>"
    parts = [head, table((), shown, left=(0, 1))]
    parts.append(histogram(f"{exploration.metric} from the start", _named(exploration.layers)))
    if exploration.goal_distances is not None and exploration.goal_distances.histogram:
        parts.append(
            histogram(
                f"{exploration.metric} to the goal", _named(exploration.goal_distances.histogram)
            )
        )
    return "".join(parts)


def _named(rows: Histogram) -> list[tuple[str, int]]:
    return [(format_cost(cost), count) for cost, count in rows]


shows(Exploration, html=html)

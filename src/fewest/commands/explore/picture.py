"""A state space as a picture: the computation for `drawing.pictures.space`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from fewest.commands.explore.exploration import Exploration
from fewest.drawing.pictures.space import Graph, Layers, space_svg
from fewest.model.answer import LimitReached, Limits, counted, format_cost
from fewest.model.costs import cost_table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fewest.drawing.pictures.colours import Theme
    from fewest.model.costs import CostTable
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.interface import Progress
    from fewest.space.distances import Distances
    from fewest.space.graph_layout import Layout
    from fewest.space.state_graph import StateSpace

MOST = 50_000  # the maximum number of positions for which a graph is drawn


def space_picture(
    task: Task,
    metric: Metric,
    exploration: Exploration,
    title: str,
    *,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
    theme: Theme | None = None,
) -> str:
    """The SVG of an exploration: the graph if the exploration is complete and there are at most `MOST` positions and no
    permutations; otherwise, only the histogram.

    In the graph, consecutive layers are one operator apart; in a histogram without a graph, layers correspond to
    distances in the metric. After a limit, the picture has no graph.
    """
    about = f"{counted(exploration.num_states, 'positions')}, {exploration.num_goal_states:,} of them goals"
    if exploration.goal_distances is not None and exploration.goal_distances.num_dead:
        about += f", {counted(exploration.goal_distances.num_dead, 'dead positions')}"
    if exploration.minimum is not None:
        about += f"; fewest {metric.name}: {format_cost(exploration.minimum)}"
    if exploration.is_exhausted and exploration.num_states <= MOST and not task.permutations:
        try:
            layers, graph, is_mirrored = _graph(task, metric, limits or Limits(), progress)
        except LimitReached:
            pass
        else:
            about += "; opposite positions are mirror images" if is_mirrored else ""
            return space_svg(title, about, layers, graph, theme)
    plain = [Layers(format_cost(cost), count) for cost, count in exploration.layers]
    return space_svg(title, about, plain, None, theme)


def _graph(
    task: Task, metric: Metric, limits: Limits, progress: Callable[[Progress], None] | None
) -> tuple[list[Layers], Graph, bool]:
    """The layers, the graph, and whether the graph has a mirror symmetry. Raises LimitReached."""
    import numpy as np

    from fewest.machine.arrays import unique_rows
    from fewest.space.distances import goal_distances
    from fewest.space.graph_layout import laid_out
    from fewest.space.plans import optimal_steps
    from fewest.space.state_graph import build_state_graph, limit_watch

    watch = limit_watch(limits.seconds, limits.memory, time.perf_counter(), progress)
    table = cost_table(task, metric)
    space = build_state_graph(task.problem, watch)
    distances = goal_distances(space, table, watch) if task.has_goal else None
    layout = laid_out(space, _mirror(task, table, space))
    best = [] if distances is None else sorted(optimal_steps(space, table, distances, watch))
    kinds = _kinds(space, distances)
    source = np.repeat(np.arange(len(space)), np.diff(space.first))
    ends = np.sort(np.stack([source, space.target], axis=1), axis=1)
    moves, _ = unique_rows(ends[ends[:, 0] != ends[:, 1]])
    graph = Graph(
        layer=layout.layer.tolist(),
        height=layout.height.tolist(),
        kinds=kinds.tolist(),
        moves=[(a, b) for a, b in moves.tolist()],
        best=best,
    )
    return _layers(layout, kinds), graph, layout.mirror is not None


def _kinds(space: StateSpace, distances: Distances | None) -> NDArray[np.str_]:
    import numpy as np

    kinds = np.full(len(space), "plain", dtype="<U5")
    if distances is not None:
        kinds[distances.of_states < 0] = "dead"
    kinds[space.is_goal] = "goal"
    return kinds


def _layers(layout: Layout, kinds: NDArray[np.str_]) -> list[Layers]:
    import numpy as np

    size = int(layout.layer.max()) + 1
    counts = {
        kind: np.bincount(layout.layer[kinds == kind], minlength=size).tolist()
        for kind in ("plain", "goal", "dead")
    }
    return [
        Layers(str(i), counts["plain"][i], counts["goal"][i], counts["dead"][i])
        for i in range(size)
    ]


def _mirror(task: Task, table: CostTable, space: StateSpace) -> NDArray[np.int64] | None:
    """The image of every state under a symmetry that is its own inverse and fixes the start; None if there is no such
    symmetry.
    """
    import numpy as np

    from fewest.analysis.symmetry import find_symmetry
    from fewest.space.graph_layout import mirror_of

    symmetry = find_symmetry(task.problem, table, fix_initial=True)
    if symmetry is None:
        return None
    own = np.arange(symmetry.facts.shape[1])
    mirrors = [row for row in symmetry.facts[1:] if (row[row] == own).all()]
    if not mirrors:
        return None
    return mirror_of(space, max(mirrors, key=lambda row: int((row != own).sum())))

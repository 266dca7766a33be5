"""All positions of the user's puzzle: their number, their distances, and the hardest start as a document."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fewest.commands.explore.picture import space_picture
from fewest.formats.stand_alone import UndrawableError
from fewest.model.metric import metric_of as model_metric
from fewest.serve.handlers import payload
from fewest.serve.handlers.solve import reported
from fewest.serve.worker import SendMessage
from fewest.web.scene import page_theme


def explore(parameters: Mapping[str, Any], root: Path | None, send: SendMessage) -> dict[str, Any]:
    """The exploration, the document of the hardest start (None if none is known, or if no document can express it), and
    a picture of the layers.
    """
    compiled = payload.compiled_of(parameters, root)
    limits = payload.limits_of(parameters)
    exploration = compiled.explore(
        payload.metric_of(parameters),
        seconds=limits.seconds,
        memory=limits.memory,
        progress=lambda one: send("progress", reported(one)),
    )
    hardest: str | None = None
    if exploration.goal_distances is not None and exploration.goal_distances.hardest is not None:
        try:
            hardest = compiled.hardest_document(exploration)
        except UndrawableError:
            hardest = None
    plans = exploration.num_plans
    exact = {
        "optimal_plans": None if plans is None else str(plans)
    }  # numbers in a browser are exact only up to 2**53
    metric = model_metric(compiled.task, exploration.metric)
    picture = space_picture(
        compiled.task, metric, exploration, compiled.puzzle.title, limits=limits, theme=page_theme()
    )
    has_goal = compiled.puzzle.goal is not None
    return {
        **exploration.to_json(),
        **exact,
        "has_goal": has_goal,
        "hardest": hardest,
        "picture": picture,
    }

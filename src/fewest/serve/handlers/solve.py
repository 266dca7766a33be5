"""The minimum of the user's puzzle, computed by the chosen engine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from fewest.engines.registry import ENGINES
from fewest.errors import UsageError
from fewest.model.answer import Grounding, Horizon
from fewest.search.interface import Progress
from fewest.serve.handlers import payload
from fewest.serve.worker import SendMessage
from fewest.web.page import player_data


def solve(parameters: Mapping[str, Any], root: Path | None, send: SendMessage) -> dict[str, Any]:
    """The result. If there is a plan, also its moves (each as its text and the number of steps up to its end), and the
    puzzle with this plan for the player.

    Raises DocumentError, and UsageError for an unknown engine or metric.
    """
    compiled = payload.compiled_of(parameters, root).in_flips  # the page can execute only flips
    engine = payload.text_of(parameters, "engine") if parameters.get("engine") else "auto"
    if engine not in ENGINES:
        raise UsageError(
            f"there is no engine `{engine}`", hint=f"the engines are {', '.join(ENGINES)}"
        )
    limits = payload.limits_of(parameters)
    metric = payload.metric_of(parameters)
    result = compiled.solve(
        metric,
        engine=engine,
        seconds=limits.seconds,
        memory=limits.memory,
        progress=lambda found: send("progress", reported(found)),
    )
    answer: dict[str, Any] = {
        "summary": result.summary(),
        "status": result.status,
        "cost": result.cost,
        "lower_bound": result.lower_bound,
        "metric": result.metric,
        "engine": result.engine,
        "reason": result.reason,
        "states": result.statistics.get("states"),
        "seconds": result.statistics.get("seconds"),
        "moves": [],
        "puzzle": None,
    }
    if result.plan is None:
        return answer
    data = player_data(compiled, result.metric)
    data["plan"] = list(result.plan.operators)
    if result.status == "optimal":
        data["minima"] = {result.metric: result.cost}
    step, moves = 0, []
    for move in result.plan.moves:
        step += len(move.steps)
        moves.append([move.text, step])
    return answer | {"puzzle": data, "moves": moves}


def reported(progress: Progress | Horizon | Grounding) -> dict[str, Any]:
    """The progress of a search as plain data, including the kind of progress."""
    return {"kind": type(progress).__name__.lower(), **asdict(progress)}

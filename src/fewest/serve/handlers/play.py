"""A puzzle for the player of the page: first the data that are needed to play, then all other data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from fewest.serve.handlers import payload
from fewest.serve.worker import SendMessage
from fewest.web.page import chapter, player_data


def play(parameters: Mapping[str, Any], root: Path | None, send: SendMessage) -> dict[str, Any]:
    """Send the puzzle immediately (`ready`). Return it with its minima, a plan and its distances, and a note that
    gives the reasons why results are missing.
    """
    compiled = payload.compiled_of(parameters, root)
    metric = payload.metric_of(parameters)
    send("ready", player_data(compiled, metric))
    options = replace(payload.page_options(parameters), most=1_000_000)
    game = chapter(compiled, options)
    return {"puzzle": dict(game.data), "note": game.note}

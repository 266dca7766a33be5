"""Reverses every order in a puzzle, if the order has no meaning."""

from __future__ import annotations

import copy
import re
from typing import Any

from fewest.commands.api import CompiledPuzzle
from tests.helpers.metamorphic.document import (
    Data,
    data_of,
    map_elements,
    patterns_of,
    rules_of,
)

_ALTERNATIVES = re.compile(r"[\w-]+(?:\|[\w-]+)+")


def reordered(compiled: CompiledPuzzle) -> Data:
    """Reverse the order of rules in `moves`, kinds, legends, alternatives, directions and parts of conditions.

    The rules under `then` and the values under `constants` keep their order, because this order matters.
    """
    data = copy.deepcopy(data_of(compiled))
    metric = data.get("metric") or next(iter(data.get("metrics") or ["moves"]))
    for key in ("moves", "pieces", "legend", "terrain", "variables", "metrics"):
        if isinstance(data.get(key), dict):
            data[key] = dict(reversed(data[key].items()))
        elif data.get(key):
            data[key] = data[key][::-1]
    if data.get("metrics"):
        data["metric"] = metric
    for key in ("goal", "forbid"):
        if key in data:
            data[key] = _condition(data[key])
    graph = data.get("graph")
    if graph and not data.get("then"):  # consequences visit the nodes in their order
        graph["nodes"] = dict(reversed(graph["nodes"].items()))
        if isinstance(graph["edges"], list):
            graph["edges"] = graph["edges"][::-1]
        else:
            graph["edges"] = {kind: edges[::-1] for kind, edges in reversed(graph["edges"].items())}
    for section, _, rule in rules_of(data):
        for key in ("slide", "together", "pivot", "carries", "sticky"):
            if key in rule:
                rule[key] = "|".join(reversed(rule[key].split("|")))
        if rule.get("set"):
            rule["set"] = dict(reversed(rule["set"].items()))
        if isinstance(rule.get("cycles"), list):
            rule["cycles"] = rule["cycles"][::-1]
        directions = rule.get("directions")
        if section == "moves" and isinstance(directions, str):
            rule["directions"] = " ".join(reversed(directions.split()))
        elif section == "moves" and directions:
            rule["directions"] = directions[::-1]
    for rule, side in patterns_of(data):
        map_elements(rule, side, lambda text: _ALTERNATIVES.sub(_backwards, text))
    return data


def _backwards(found: re.Match[str]) -> str:
    return "|".join(reversed(found[0].split("|")))


def _condition(condition: Any) -> Any:
    if isinstance(condition, list):
        return [_condition(part) for part in reversed(condition)]
    if isinstance(condition, dict):
        return {
            key: _condition(value) if key in ("all", "any") else value
            for key, value in reversed(condition.items())
        }
    return condition

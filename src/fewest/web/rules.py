"""A task as plain data for the page, which `static/rules.js` reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fewest.model.conditional_effects import ConditionalEffect
from fewest.model.metric import Metric
from fewest.model.puzzle import Puzzle
from fewest.model.task import Cube, Task, facts_in


def rules_data(puzzle: Puzzle, task: Task) -> dict[str, Any]:
    """Facts, operators, goals, mutex groups, metrics and the start. A cube is a pair: the facts that must be true, and
    the facts that must be false.

    The effects of each stage of consequences are stored place by place, in the order in which they are tested. The
    operators are stored column by column. Rules, directions, words and labels are given as indices into lists; -1
    means none.
    """
    rules = [rule.name for rule in puzzle.rules]
    directions = list(dict.fromkeys(o.direction for o in task.operators if o.direction is not None))
    words = list(dict.fromkeys(o.words for o in task.operators))
    operators = task.operators
    labels_of_rule = {rule.name: rule.guard.labels for rule in puzzle.rules}
    labels = [
        labels_of_rule[o.rule][o.binding] if labels_of_rule[o.rule] else "" for o in operators
    ]
    known = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    return {
        "facts": {
            "class": [fact.class_id for fact in task.facts],
            "cell": [fact.cell for fact in task.facts],
            "slot": [fact.slot for fact in task.facts],
            "value": [fact.value for fact in task.facts],
        },
        "initial": facts_in(task.initial),
        "rules": rules,
        "directions": [
            {"name": d.name, "arrow": d.arrow, "offset": list(d.offset)} for d in directions
        ],
        "words": words,
        "labels": [*known],
        "operators": {
            "true": [facts_in(o.value) for o in operators],
            "false": [facts_in(o.mask & ~o.value) for o in operators],
            "flip": [facts_in(o.flip) for o in operators],
            "rule": [rules.index(o.rule) for o in operators],
            "from": [o.from_fact for o in operators],
            "to": [o.to_fact for o in operators],
            "ring": [o.ring for o in operators],
            "direction": [
                -1 if o.direction is None else directions.index(o.direction) for o in operators
            ],
            "words": [words.index(o.words) for o in operators],
            "label": [known[label] for label in labels],
        },
        "stages": [
            {
                "everywhere": stage.is_everywhere,
                "places": [[_effect(effect) for effect in place] for place in stage.places],
            }
            for stage in task.consequences
        ],
        "goals": [_cubes(cubes) for cubes in task.goal_lists],
        "forbid": _cubes(task.forbid),
        "groups": [[list(group.facts), group.count] for group in task.exactly],
        "metrics": [_metric(metric, task) for metric in task.metrics.values()],
        "metric": task.default_metric,
    }


def _cubes(cubes: Iterable[Cube]) -> list[list[list[int]]]:
    return [[facts_in(value), facts_in(mask & ~value)] for mask, value in cubes]


def _effect(effect: ConditionalEffect) -> list[list[int]]:
    """The facts that must be true and false for an effect, the facts that it flips and clears, and the facts that must
    still be true and false when it is applied.
    """
    return [
        facts_in(effect.value),
        facts_in(effect.mask & ~effect.value),
        facts_in(effect.flip),
        facts_in(effect.clear),
        facts_in(effect.need_value),
        facts_in(effect.need_mask & ~effect.need_value),
    ]


def _metric(metric: Metric, task: Task) -> dict[str, Any]:
    """A metric as plain data. Each of its parts has the weights of all operators or, if they are equal, one number."""
    parts: list[dict[str, Any]] = []
    for part in metric.parts:
        weights = [part.weight(operator.rule, operator.binding) for operator in task.operators]
        shown = weights[0] if len(set(weights)) == 1 else weights
        parts.append({"name": part.name, "weights": shown, "merge": part.merge})
    return {"name": metric.name, "parts": parts}

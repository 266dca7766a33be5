"""One part of a metric as a table over the moves of a task, with merged moves in the format of certificates."""

from __future__ import annotations

from dataclasses import dataclass

from fewest.certificates.rules_checker import RunRow
from fewest.model.costs import runs_of
from fewest.model.metric import Metric
from fewest.model.task import Task


@dataclass(frozen=True, eq=False)
class MetricTable:
    """For each move: its weight, the key of the merged move (run) that it continues, and the key of the merged move
    that the next move can continue. The key -1 means that there is no such merged move.
    """

    weights: list[int]
    ins: list[int]
    outs: list[int]
    facts: list[int]
    """for each key, the fact of its piece; -1 for rings"""
    rows: tuple[RunRow, ...]
    """the merged move of each key"""

    def step(self, index: int, flip: int, key: int) -> tuple[int, int]:
        """The cost of an operator after the merged move `key`, and the key of the merged move in progress after it."""
        weight = self.weights[index]
        if weight == 0:
            return 0, -1 if key >= 0 and self.facts[key] >= 0 and flip >> self.facts[
                key
            ] & 1 else key
        return (0 if key >= 0 and key == self.ins[index] else weight), self.outs[index]

    def price(self, index: int) -> tuple[int, RunRow | None, RunRow | None]:
        """The weight of an operator, the merged move that it continues, and the merged move in progress after it."""
        before, after = self.ins[index], self.outs[index]
        return (
            self.weights[index],
            None if before < 0 else self.rows[before],
            None if after < 0 else self.rows[after],
        )


def metric_table(task: Task, metric: Metric, number: int) -> MetricTable:
    """The table of one part of a metric. The time is linear in the number of moves."""
    part = metric.parts[number]
    ins, outs, facts = runs_of(task, part)
    weights = [part.weight(operator.rule, operator.binding) for operator in task.moves]
    rows: list[RunRow | None] = [None] * len(facts)
    for index, operator in enumerate(task.moves):
        heading = operator.direction if part.merge == "line" else None
        direction = None if heading is None else (*heading.offset, heading.name, heading.arrow)
        for key in {ins[index], outs[index]} - {-1}:
            spot = None
            if facts[key] >= 0:
                fact = task.facts[facts[key]]
                spot = fact.class_id, fact.cell
            ring = operator.ring if spot is None else None
            rows[key] = RunRow(spot, ring, direction, weights[index])
    known = tuple(row for row in rows if row is not None)
    assert len(known) == len(rows), "some operator has every key"
    return MetricTable(weights, ins, outs, facts, known)


def all_parts(task: Task, metric: Metric) -> list[MetricTable]:
    """The tables of all parts of a metric."""
    return [metric_table(task, metric, number) for number in range(len(metric.parts))]

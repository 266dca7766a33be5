"""Metrics: each defines the quantity that a minimum counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeAlias

from msgspec import Struct

from fewest.errors import UsageError, did_you_mean, listed

Parts: TypeAlias = tuple[int, ...]
"""A number for each part of a metric: a cost, or the tokens of `costs.CostTable` (-1 means none)."""


class MetricPart(Struct, frozen=True):
    """One part of a metric: a weight for each rule, and the moves that merge.

    A weight that depends on the loops of a rule has a value for each binding.
    """

    name: str
    weights: Mapping[str, int | tuple[int, ...]]
    merge: str  # "none", "line" or "path"

    def weight(self, rule: str, binding: int) -> int:
        """The weight of a move of this rule with this binding."""
        weight = self.weights[rule]
        return weight if isinstance(weight, int) else weight[binding]


class Metric(Struct, frozen=True):
    """A metric and its name; it has one part, or two parts that are compared lexicographically."""

    name: str
    parts: tuple[MetricPart, ...]


class HasMetrics(Protocol):
    """An object that has metrics: a puzzle or a task."""

    @property
    def name(self) -> str: ...
    @property
    def metrics(self) -> Mapping[str, Metric]: ...
    @property
    def default_metric(self) -> str: ...


def metric_of(measured: HasMetrics, name: str | None) -> Metric:
    """The metric with this name; for None, the default metric. Raises UsageError if the name is unknown."""
    wanted = measured.default_metric if name is None else name
    metric = measured.metrics.get(wanted)
    if metric is None:
        raise UsageError(
            f"{measured.name} has no metric `{wanted}`",
            hint=did_you_mean(wanted, measured.metrics, listed("metric", measured.metrics)),
        )
    return metric

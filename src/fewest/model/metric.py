"""Metrics: what counts as a move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from fewest.errors import UsageError, suggest


@dataclass(frozen=True)
class MetricPart:
    """What one number of a metric counts: a weight for each rule, and which runs count once."""

    name: str
    weights: Mapping[str, int]
    merge: str  # "none", "line" or "path"


@dataclass(frozen=True)
class Metric:
    """A metric by name: one part, or two compared in order."""

    name: str
    parts: tuple[MetricPart, ...]


class Measured(Protocol):
    """What has metrics: a puzzle, or a task."""

    @property
    def name(self) -> str: ...
    @property
    def metrics(self) -> Mapping[str, Metric]: ...
    @property
    def default_metric(self) -> str: ...


def metric_of(measured: Measured, name: str | None) -> Metric:
    """The metric of that name, the default one for None. Raises UsageError."""
    wanted = measured.default_metric if name is None else name
    metric = measured.metrics.get(wanted)
    if metric is None:
        near = suggest(wanted, list(measured.metrics))
        raise UsageError(
            f"{measured.name} has no metric `{wanted}`",
            hint=f"did you mean `{near}`?" if near else f"it has {', '.join(measured.metrics)}",
        )
    return metric

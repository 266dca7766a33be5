"""Reads `metrics` and `expect`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fewest.model.metric import Metric, MetricPart
from fewest.model.puzzle import Expectation
from fewest.model.rules import Names, Rule
from fewest.reading.context import Context, Path
from fewest.reading.document import ExpectedEntry

MAX_WEIGHT = 1_000_000
_TRUTHS = ("unsolvable", "unique")
_FACTS = ("reachable", "goal_states", "plans", *_TRUTHS)


def read_metrics(context: Context, read: Sequence[Rule]) -> tuple[dict[str, Metric], str]:
    """The metrics of a document, and the name of the default metric. Reports mistakes."""
    document = context.document
    entries = document.metrics or {}
    bindings: dict[str, Sequence[Names]] = {rule.name: rule.guard.bindings for rule in read}
    rules = {
        name: _weight(context, ("moves", name, "count"), move.count, bindings.get(name, ()))
        for name, move in (document.moves or {}).items()
    }
    metrics: dict[str, Metric] = {}
    pairs: dict[str, list[str]] = {}
    for name, spec in entries.items():
        path: Path = ("metrics", name)
        if name in _FACTS:
            context.error(
                path,
                "bad-name",
                f"`{name}` is reserved and cannot be the name of a metric",
                at_key=True,
            )
        if isinstance(spec, list):
            pairs[name] = spec
            continue
        weights = dict(rules)
        count = None if spec is None else spec.count
        if isinstance(count, int):
            weights = dict.fromkeys(rules, _weight(context, (*path, "count"), count, ()))
        for rule, weight in (count if isinstance(count, Mapping) else {}).items():
            if rule not in rules:
                context.unknown((*path, "count", rule), "unknown-rule", "rule", rule, list(rules))
                continue
            here = (*path, "count", rule)
            weights[rule] = _weight(context, here, weight, bindings.get(rule, ()))
        merge = "none" if spec is None or spec.merge is None else spec.merge
        metrics[name] = Metric(name, (MetricPart(name, weights, merge),))
    single = list(metrics)
    for name, parts in pairs.items():
        path = ("metrics", name)
        if len(parts) != 2:
            context.error(
                path,
                "metric-pair",
                "a list of metrics must contain exactly two metrics",
                hint="the first metric decides, and the second breaks ties",
                found=f"{len(parts)} metric{'s' * (len(parts) != 1)}",
            )
            continue
        fine = True
        for index, part in enumerate(parts):
            if part in pairs:
                context.error(
                    (*path, index),
                    "metric-pair",
                    f"`{part}` is itself a list of metrics",
                    hint="a list of metrics must contain two metrics that are not lists",
                )
                fine = False
            elif part not in metrics:
                context.unknown((*path, index), "unknown-metric", "metric", part, single)
                fine = False
        if fine:
            metrics[name] = Metric(name, tuple(metrics[part].parts[0] for part in parts))
    if not entries:
        metrics["moves"] = Metric("moves", (MetricPart("moves", rules, "none"),))
    default = document.metric or next(iter({**entries, **metrics}), "moves")
    if default not in metrics and default not in entries:
        context.unknown(("metric",), "unknown-metric", "metric", default, list(metrics))
    # The metrics have the order of the document.
    return {name: metrics[name] for name in [*entries, *metrics] if name in metrics}, default


def _weight(
    context: Context, path: Path, raw: int | str | None, bindings: Sequence[Names]
) -> int | tuple[int, ...]:
    """The weight (1 by default); if it depends on the loops of a rule, the weight of each binding."""
    if not isinstance(raw, str):
        return _checked(context, path, 1 if raw is None else raw)
    found: list[int] = []
    words = {value for names in bindings for value in names.values() if isinstance(value, str)}
    for names in bindings:
        number = context.integer(path, raw, names, words)
        if number is None:
            return 1
        found.append(_checked(context, path, number))
    same = len(set(found)) <= 1
    return next(iter(found), 1) if same else tuple(found)


def _checked(context: Context, path: Path, weight: int) -> int:
    if not 0 <= weight <= MAX_WEIGHT:
        context.error(
            path,
            "metric-weight",
            f"a weight must be a whole number from 0 to {MAX_WEIGHT:,}",
            found=str(weight),
        )
    return weight


def read_expectations(context: Context, metrics: Mapping[str, Metric]) -> tuple[Expectation, ...]:
    """The known answers in a document. Reports mistakes."""
    out: list[Expectation] = []
    for key, raw in (context.document.expect or {}).items():
        path: Path = ("expect", key)
        if key not in metrics and key not in _FACTS:
            context.unknown(path, "unknown-metric", "metric or fact", key, [*metrics, *_FACTS])
            continue
        value: object = raw
        source: str | list[str] = ""
        slow, here = False, path
        if isinstance(raw, ExpectedEntry):
            value, slow = raw.value, raw.slow
            source = raw.source or ""
            here = (*path, "value")
        known = _value(context, here, key, value, metrics)
        if known is not None:
            line = context.loaded.key_location(path).line
            text = source if isinstance(source, str) else "; ".join(source)
            out.append(Expectation(key, known, text, slow, line))
    return tuple(out)


def _value(
    context: Context, path: Path, key: str, raw: object, metrics: Mapping[str, Metric]
) -> int | tuple[int, ...] | bool | None:
    if key in _TRUTHS or isinstance(raw, bool):
        if key in _TRUTHS and isinstance(raw, bool):
            return raw
        wanted = "true or false" if key in _TRUTHS else "a number"
        context.error(path, "wrong-type", f"expected {wanted}", found=str(raw))
        return None
    parts = len(metrics[key].parts) if key in metrics else 1
    items = list(raw) if isinstance(raw, list) else [raw]
    if len(items) != parts:
        context.error(
            path,
            "wrong-type",
            f"the value of `{key}` must be {'a number' if parts == 1 else f'a list of {parts} numbers'}",
            found=f"{len(items)} number{'s' * (len(items) != 1)}",
        )
        return None
    numbers: list[int] = []
    for index, item in enumerate(items):
        here = (*path, index) if isinstance(raw, list) else path
        number = context.integer(here, item if isinstance(item, int) else str(item))
        if number is None:
            return None
        numbers.append(number)
    return tuple(numbers) if parts > 1 else numbers[0]

"""Describes the contents of a model (kinds, legend, rules, metrics), as data and as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fewest.reading.document import (
    ConsequenceEntry,
    Document,
    MetricEntry,
    MoveEntry,
    ParameterEntry,
    PieceKind,
    TerrainEntry,
)

if TYPE_CHECKING:
    from fewest.reading.loader import LoadedDocument


def is_model(loaded: LoadedDocument) -> bool:
    """Whether a document has rules for a board, but no board. A document that has variables but no pieces, legend or
    terrain is a puzzle.
    """
    document = loaded.document
    if document.puzzle is not None or document.board is not None:
        return False
    needs_board = bool(document.pieces or document.legend or document.terrain)
    return needs_board or not document.variables


def show_model(loaded: LoadedDocument) -> dict[str, Any]:
    """Plain data, as `--json` prints it."""
    document = loaded.document
    terrain = document.terrain or []
    return {
        "name": document.model,
        "title": document.title or document.model,
        "file": str(loaded.location(()).source.name),
        "extends": document.extends,
        "geometry": document.geometry,
        "pieces": {name: _kind(kind) for name, kind in (document.pieces or {}).items()},
        "legend": dict(document.legend or {}),
        "terrain": {
            name: _enters(terrain[name]) if isinstance(terrain, Mapping) else "" for name in terrain
        },
        "rules": {name: _rule(move) for name, move in (document.moves or {}).items()},
        "then": {name: _consequence(rule) for name, rule in (document.then or {}).items()},
        "goal": None if document.goal is None else _flat(document.goal),
        "metrics": {name: _metric(m, document) for name, m in (document.metrics or {}).items()},
        "parameters": {
            name: given.default if isinstance(given, ParameterEntry) else given
            for name, given in (document.parameters or {}).items()
        },
        "source": "; ".join(
            [document.source] if isinstance(document.source, str) else document.source or []
        ),
        "notes": document.notes or "",
    }


def model_rows(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The lines of `show` for a model, as pairs of a name and a text; pairs without a text are omitted."""
    rows = [(key, str(data[key] or "")) for key in ("name", "file", "extends", "geometry")]
    for key, label in (("pieces", "piece"), ("terrain", "terrain")):
        rows += [(f"{label} {name}", text or "anywhere") for name, text in data[key].items()]
    rows.append(("legend", "  ".join(f"`{k}` {v}" for k, v in data["legend"].items())))
    rows += [(f"rule {name}", text) for name, text in data["rules"].items()]
    rows += [(f"then {name}", text) for name, text in data["then"].items()]
    rows.append(("goal", data["goal"] or ""))
    rows += [(f"metric {name}", text) for name, text in data["metrics"].items()]
    rows += [(f"parameter {name}", str(value)) for name, value in data["parameters"].items()]
    rows += [("source", data["source"]), ("notes", data["notes"])]
    return [(key, " ".join(text.split())) for key, text in rows if text]


def _kind(kind: PieceKind | None) -> str:
    if kind is None:
        return "one cell"
    parts = ["one cell"]
    if kind.letters is not None:
        parts = [f"any shape, drawn by {_flat(kind.letters)}"]
    elif kind.shape is not None:
        parts = [f"shape {' / '.join(kind.shape.split())}"]
    if kind.directions is not None:
        parts.append(f"moves {_flat(kind.directions)}")
    if kind.enters is not None:
        parts.append(f"enters {_flat(kind.enters)}")
    if not kind.interchangeable:
        parts.append("not interchangeable")
    return ", ".join(parts)


def _enters(spec: str | list[str] | TerrainEntry | None) -> str:
    enters = spec.enters if isinstance(spec, TerrainEntry) else spec
    return "" if enters is None else f"only for {_flat(enters)}"


def _rule(move: MoveEntry) -> str:
    if move.slide is not None:
        parts = [
            f"{move.slide} slides {'until stopped' if move.distance == 'blocked' else 'one cell'}"
        ]
        if move.stopped_by is not None:
            parts.append(f"by a {_flat(move.stopped_by)} only")
        if move.over is not None:
            parts.append(f"over {move.over}")
    elif move.together is not None:
        far = "until stopped" if move.distance == "blocked" else "one cell"
        parts = [f"every {move.together} that can move slides {far}"]
    elif move.pivot is not None:
        about = "its own cells" if move.about in (None, "own") else _flat(move.about)
        parts = [f"{move.pivot} is turned by 90° about {about}"]
    elif move.before is not None and move.after is not None:
        parts = [f"{_side(move.before)} → {_side(move.after)}"]
    elif move.cycle is not None:
        parts = [f"a ring of {len(move.cycle)} cells turns"]
    else:
        parts = []
    if move.directions is not None:
        parts.append(_flat(move.directions))
    if move.rotations:
        parts.append("turned by 90°, 180°, 270°")
    for name, given in (move.for_ or {}).items():
        parts.append(f"for {name} in {_flat(given)}")
    if move.when is not None:
        parts.append(f"when {move.when}")
    if move.set:
        parts.append("sets " + ", ".join(f"{key} to {value}" for key, value in move.set.items()))
    if move.count is not None:
        parts.append(f"counts {move.count}")
    return ", ".join(parts)


def _consequence(rule: ConsequenceEntry) -> str:
    parts = [
        words
        for given, words in (
            (rule.once, "once"),
            (rule.otherwise, "otherwise"),
            (rule.everywhere, "everywhere at once"),
        )
        if given
    ]
    return ", ".join([*parts, _rule(rule)] if _rule(rule) else parts)


def _side(places: list[str | list[str]]) -> str:
    return " / ".join(
        [" ".join(_word(p) for p in places if isinstance(p, str))]
        if isinstance(places[0], str)
        else [" ".join(map(_word, row)) for row in places if not isinstance(row, str)]
    )


def _word(place: str) -> str:
    return f"({place})" if " " in place else place


def _metric(metric: MetricEntry | list[str] | None, document: Document) -> str:
    if isinstance(metric, list):
        return f"{metric[0]}, then {' and '.join(metric[1:])}"
    parts: list[str] = []
    if metric is not None and isinstance(metric.count, Mapping):
        parts += [f"{name} counts {weight}" for name, weight in metric.count.items()]
    elif metric is not None and metric.count is not None:
        parts.append(f"every move counts {metric.count}")
    if metric is not None and metric.merge not in (None, "none"):
        what = "in one direction " if metric.merge == "line" else ""
        parts.append(f"consecutive moves of one piece {what}count once")
    return ", ".join(parts) or "every move counts"


def _flat(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_flat(item)}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(map(_flat, value))
    return " ".join(str(value).split())

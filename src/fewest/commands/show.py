"""Describes the contents of a puzzle and its known properties, as data and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from fewest.commands.api import CompiledPuzzle
from fewest.drawing.text import draw
from fewest.model.answer import counted


def show(compiled: CompiledPuzzle) -> dict[str, Any]:
    """Plain data, as `--json` prints it."""
    puzzle, task = compiled.puzzle, compiled.grounded
    return {
        "name": puzzle.name,
        "title": puzzle.title,
        "file": puzzle.file,
        "board": draw(compiled.start, puzzle.labels),
        "geometry": "square" if puzzle.board is None else puzzle.board.geometry,
        "parameters": dict(puzzle.parameters),
        "pieces": dict(Counter(puzzle.classes[piece.class_id].kind for piece in puzzle.pieces)),
        "variables": len(puzzle.variables),
        "rules": [rule.name for rule in puzzle.rules],
        "then": [rule.name for rule in puzzle.then],
        "metrics": list(compiled.metrics),
        "facts": len(task.facts),
        "operators": len(task.moves),
        "words": task.words,
        "source": puzzle.source,
        "notes": puzzle.notes,
        "expect": [
            {"key": e.key, "value": e.value, "source": e.source, "slow": e.slow}
            for e in puzzle.expectations
        ],
    }


def sizes(compiled: CompiledPuzzle) -> list[dict[str, Any]]:
    """A row for each part of the document: the numbers of operators, effects and cases, and the CPU seconds for
    compiling the part.

    The slowest part comes first.
    """
    seconds: dict[str, float] = {}
    task = compiled.ground_timed(seconds)
    operators = Counter(move.rule for move in task.moves)
    effects = Counter(
        effect.rule
        for stage in task.consequences
        for place in stage.places
        for effect in place
        if effect.rule not in operators
    )
    cubes = {"goal": sum(map(len, task.goal_lists)), "forbid": len(task.forbid)}
    parts = dict.fromkeys([*seconds, *operators, *effects])
    table = [
        {
            "part": part,
            "operators": operators[part],
            "effects": effects[part],
            "cases": cubes.get(part, 0),
            "seconds": round(seconds.get(part, 0.0), 3),
        }
        for part in parts
    ]
    return sorted(table, key=lambda row: -float(row["seconds"]))


def size_lines(table: Sequence[Mapping[str, Any]]) -> list[str]:
    """The table of `sizes` as text."""
    width = max(len(str(row["part"])) for row in table)
    lines = [f"{'':{width}}  operators  effects   cases  seconds"]
    for row in table:
        counts = (f"{row[key]:,}" if row[key] else "" for key in ("operators", "effects", "cases"))
        first, second, third = counts
        lines.append(
            f"{row['part']:{width}}  {first:>9}  {second:>7}  {third:>6}  {row['seconds']:7.3f}"
        )
    return lines


_GEOMETRY = {
    "hex-right": "hexagonal, every row half a cell further to the right than the row above it",
    "graph": "a graph: pieces move along its edges",
    "hex-left": "hexagonal, every row half a cell further to the left than the row above it",
    "triangle-up": "triangular, cells point up and down in turn; the cell in the top left corner points up",
    "triangle-down": "triangular, cells point up and down in turn; the cell in the top left corner points down",
}


def rows(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The lines of `show` below the drawing, as pairs of a name and a text; pairs without a text are omitted."""
    lines = [
        ("name", data["name"]),
        ("file", data["file"]),
        ("geometry", _GEOMETRY.get(data["geometry"], "")),
        ("parameters", ", ".join(f"{k}={v}" for k, v in data["parameters"].items())),
        ("pieces", ", ".join(f"{count} {name}" for name, count in data["pieces"].items())),
        ("variables", f"{data['variables']:,}" if data["variables"] else ""),
        ("rules", ", ".join(data["rules"])),
        ("then", ", ".join(data["then"])),
        ("metrics", ", ".join(data["metrics"])),
        (
            "task",
            ", ".join(counted(data[key], key) for key in ("facts", "operators", "words")),
        ),
        ("source", data["source"]),
        ("notes", data["notes"]),
    ]
    for known in data["expect"]:
        source = f"  ({known['source']})" if known["source"] else ""
        lines.append((f"known {known['key']}", f"{_plain(known['value'])}{source}"))
    return [(key, " ".join(text.split())) for key, text in lines if text]


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else " + ".join(f"{part:,}" for part in value)

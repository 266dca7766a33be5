"""`fewest show`: a puzzle, its rules and what is known of it."""

from __future__ import annotations

import shutil
import textwrap
from typing import TYPE_CHECKING, Any

import click

from fewest.cli.options import json_option, print_json, puzzle_argument, set_option

if TYPE_CHECKING:
    from fewest.questions.api import CompiledPuzzle


@click.command(name="show")
@puzzle_argument
@click.option("--level", metavar="LEVEL", help="The level of a collection, by number or title.")
@set_option
@json_option
def command(
    puzzle: str, level: str | None, settings: tuple[tuple[str, int], ...], as_json: bool
) -> int:
    """Draw PUZZLE, and say what it consists of and what is known of it.

    \b
    Examples:
      fewest show heng-dao-li-ma
      fewest show hanoi --set disks=4
      fewest show microban.xsb --level 155
    """
    from fewest.questions.api import load

    compiled = load(puzzle if level is None else f"{puzzle}:{level}", dict(settings))
    for warning in compiled.puzzle.warnings:
        click.echo(warning.format(), err=True)
    data = _facts(compiled)
    if as_json:
        print_json(data)
        return 0
    from fewest.cli.drawing import coloured

    labels = {(p.class_id, p.anchor): p.label for p in compiled.puzzle.pieces}
    click.secho(data["title"], bold=True)
    click.echo(coloured(compiled.start, labels))
    click.echo()
    rows = [
        ("name", data["name"]),
        ("file", data["file"]),
        ("parameters", ", ".join(f"{k}={v}" for k, v in data["parameters"].items())),
        ("pieces", ", ".join(f"{count} {name}" for name, count in data["pieces"].items())),
        ("variables", f"{data['variables']:,}" if data["variables"] else ""),
        ("rules", ", ".join(data["rules"])),
        ("metrics", ", ".join(data["metrics"])),
        (
            "task",
            f"{data['facts']:,} facts, {data['operators']:,} operators, {data['words']} words",
        ),
        ("source", data["source"]),
        ("notes", data["notes"]),
    ]
    for known in data["expect"]:
        source = f"  ({known['source']})" if known["source"] else ""
        rows.append((f"known {known['key']}", f"{_plain(known['value'])}{source}"))
    columns = max(40, min(100, shutil.get_terminal_size().columns))
    for key, text in rows:
        if text:
            lines = textwrap.wrap(" ".join(text.split()), columns - 18) or [""]
            click.echo(f"{key:>16}  " + f"\n{'':18}".join(lines))
    return 0


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else " + ".join(f"{part:,}" for part in value)


def _facts(compiled: CompiledPuzzle) -> dict[str, Any]:
    from fewest.drawing.text import draw

    puzzle, task = compiled.puzzle, compiled.task
    pieces: dict[str, int] = {}
    for piece in puzzle.pieces:
        kind = puzzle.classes[piece.class_id].kind
        pieces[kind] = pieces.get(kind, 0) + 1
    labels = {(p.class_id, p.anchor): p.label for p in puzzle.pieces}
    return {
        "name": puzzle.name,
        "title": puzzle.title,
        "file": puzzle.file,
        "board": draw(compiled.start, labels),
        "parameters": dict(puzzle.parameters),
        "pieces": pieces,
        "variables": len(puzzle.variables),
        "rules": [rule.name for rule in puzzle.rules],
        "metrics": list(compiled.metrics),
        "facts": len(task.facts),
        "operators": len(task.operators),
        "words": task.words,
        "source": puzzle.source,
        "notes": puzzle.notes,
        "expect": [
            {"key": e.key, "value": e.value, "source": e.source, "slow": e.slow}
            for e in puzzle.expectations
        ],
    }

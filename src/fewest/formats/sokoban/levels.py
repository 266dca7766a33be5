"""The checks that every Sokoban level must pass, whatever its file format."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from msgspec.structs import replace

from fewest.errors import Diagnostic, Report, Source, SourceLocation
from fewest.formats.collection import Collection, Level
from fewest.model.answer import counted

MODEL = "sokoban-pairs"

Step: TypeAlias = tuple[int, int]
"""A step: the number of rows down and the number of columns to the right."""
SQUARE: tuple[Step, ...] = ((-1, 0), (1, 0), (0, -1), (0, 1))


def square(rows: list[str]) -> tuple[str, ...]:
    """The rows in the characters `#@+$*. ` only, padded to one length: every character for floor becomes a space, and
    `p P b B` become `@ + $ *`.
    """
    width = max(map(len, rows), default=0)
    floor = str.maketrans("-_pPbB", "  @+$*")
    return tuple(row.translate(floor).ljust(width) for row in rows)


def checked(
    collection: Collection, source: Source, report: Report, steps: Sequence[Step] = SQUARE
) -> Collection:
    """The collection in which each level has its own mistakes; these are removed from the report.

    `steps` lead from a cell to its neighbours. A mistake that the reader reported belongs to the last level that begins
    on or before its line. If the first mistake is before the first level, all mistakes remain in the report.
    """
    for level in collection.levels:
        _check(level, source, report, steps)
    begins = [level.line for level in collection.levels]
    mistakes: list[list[Diagnostic]] = [[] for _ in begins]
    found = report.diagnostics
    if not found or found[0].line < min(begins, default=found[0].line + 1):
        return collection
    for diagnostic in found:
        mistakes[bisect_right(begins, diagnostic.line) - 1].append(diagnostic)
    report.clear()
    pairs = zip(collection.levels, mistakes, strict=True)
    levels = tuple(replace(level, mistakes=tuple(of_it)) for level, of_it in pairs)
    return replace(collection, levels=levels)


def _check(level: Level, source: Source, report: Report, steps: Sequence[Step]) -> None:
    place = SourceLocation(source, level.line, 1, max(1, len(source.line(level.line))))
    count = Counter("".join(level.rows))
    name = f"level {level.number}"
    players = count["@"] + count["+"]
    boxes, targets = count["$"] + count["*"], count["."] + count["+"] + count["*"]
    if players == 1 and _is_open(level.rows, steps):
        report.error(
            "level-open",
            place,
            f"the walls of {name} have a gap through which the player can leave the level",
            hint="close the gap with #",
        )
    if players != 1:
        found = "no player" if players == 0 else f"{players} players"
        report.error("level-player", place, f"{name} has {found}", expected="one `@` (or `+`)")
    if targets == 0 or targets > boxes:
        report.error(
            "level-boxes",
            place,
            f"{name} has {counted(boxes, 'boxes')} for {counted(targets, 'targets')}",
            expected="at least one target, and a box for each",
        )


def _is_open(rows: tuple[str, ...], steps: Sequence[Step]) -> bool:
    """Whether the player could reach the edge of the drawing if there were no boxes."""
    height, width = len(rows), len(rows[0])
    start = next((r, row.index(c)) for r, row in enumerate(rows) for c in "@+" if c in row)
    seen, queue = {start}, [start]
    for row, column in queue:
        if row in (0, height - 1) or column in (0, width - 1):
            return True
        for down, right in steps:
            cell = row + down, column + right
            if cell not in seen and rows[cell[0]][cell[1]] != "#":
                seen.add(cell)
                queue.append(cell)
    return False

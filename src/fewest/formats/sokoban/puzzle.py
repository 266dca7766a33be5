"""A Sokoban level as a puzzle document."""

from __future__ import annotations

import json
import re
from pathlib import Path

from fewest.formats.sokoban.collection import Collection, Level

MODEL = "sokoban-pairs"

_SPOKEN = re.compile(r"[^a-z0-9]+")


def document(collection: Collection, level: Level) -> str:
    """The level as a puzzle document."""
    stem = Path(collection.name).stem
    whole = collection.title or stem
    lines = [
        f"puzzle: {_word(stem)}-{level.number:03d}",
        f"title: {_quoted(level.title or f'{whole} {level.number}')}",
        f"model: {MODEL}",
        "board: |2" if level.rows[0].startswith(" ") else "board: |",
        *(f"  {row}" for row in level.rows),
    ]
    author = level.author or collection.author
    source = ", ".join(part for part in (author, f"{whole}, level {level.number}") if part)
    lines.append(f"source: {_quoted(source)}")
    if level.notes:
        lines.append(f"notes: {_quoted(level.notes)}")
    return "\n".join(lines) + "\n"


def _word(text: str) -> str:
    return _SPOKEN.sub("-", text.casefold()).strip("-") or "level"


def _quoted(text: str) -> str:
    return json.dumps(" ".join(text.split()), ensure_ascii=False)

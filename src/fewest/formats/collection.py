"""Collections of levels as data, and a level as a puzzle document."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from fewest.errors import Diagnostic, DocumentError, NotFoundError, did_you_mean
from fewest.sanitize import quoted

MAX_CELLS = 10_000  # the maximum number of cells of a level

_SPOKEN = r"[^a-z0-9]+"


class Level(Struct, frozen=True):
    """One level: `rows` are the rows of its drawing, all of the same length, in the characters of its model.

    `number` is the number of the level in its file (from 1), and `line` is the first line of the level in the file.
    `goal` is the drawing of the goal if the model does not contain one, `keys` are further keys of the document, and
    `expect` contains the answers that the file gives. `remark` describes a choice that the reader of the format had to
    make, such as the letter of the red car. A level with `mistakes` cannot be played, and its `rows` may contain
    anything; the other levels of its file can still be played.
    """

    number: int
    title: str
    rows: tuple[str, ...]
    author: str = ""
    notes: str = ""
    line: int = 1
    goal: tuple[str, ...] = ()
    keys: Mapping[str, object] = {}
    expect: Mapping[str, int] = {}
    mistakes: tuple[Diagnostic, ...] = ()
    remark: str = ""


class Collection(Struct, frozen=True, dict=True):
    """A file of levels; `model` is the name of the model with the rules of the levels, and `notes` is the text before
    the first level.
    """

    name: str
    model: str
    levels: tuple[Level, ...]
    title: str = ""
    author: str = ""
    notes: str = ""

    @property
    def remark(self) -> str:
        """The decisions that the reader made, such as `the red car is A`. A decision that does not apply to all levels
        is followed by the numbers of its levels (at most five).
        """
        numbers: dict[str, list[int]] = {}
        for level in self.levels:
            if level.remark:
                numbers.setdefault(level.remark, []).append(level.number)
        if len(numbers) == 1 and len(next(iter(numbers.values()))) == len(self.levels):
            return next(iter(numbers))
        return "; ".join(f"{message} ({_counted(found)})" for message, found in numbers.items())

    @cached_property
    def _level_of(self) -> Mapping[str, Level]:
        """The first level with each number, and the first level with each title."""
        out: dict[str, Level] = {}
        for level in self.levels:
            out.setdefault(str(level.number), level)
            out.setdefault(level.title.casefold(), level)
        return out

    def level(self, which: str) -> Level:
        """The level with this number or title. Raises NotFoundError."""
        found = self._level_of.get(which.casefold()) if which else None
        if found is not None:
            return found
        if which.isdecimal():
            hint = f"the levels are 1 to {len(self.levels)}"
        else:
            titles = [level.title for level in self.levels if level.title]
            hint = did_you_mean(which, titles, "give the number or the title of a level")
        raise NotFoundError(f"{self.name} has no level `{which}`", hint=hint)


def document(collection: Collection, level: Level) -> str:
    """The level, converted to a puzzle document. Raises DocumentError if the level has mistakes."""
    if level.mistakes:
        raise DocumentError(level.mistakes)
    stem = Path(collection.name).stem
    whole = collection.title or stem
    lines = [
        f"puzzle: {_word(stem)}-{level.number:03d}",
        f"title: {_quoted(level.title or f'{whole} {level.number}')}",
        f"model: {collection.model}",
        *(f"{key}: {json.dumps(value)}" for key, value in level.keys.items()),
        *_drawing("board", level.rows, ""),
    ]
    if level.goal:
        lines += ["goal:", *_drawing("board", level.goal, "  ")]
    if level.expect:
        known = ", ".join(f"{key}: {value}" for key, value in level.expect.items())
        lines.append(f"expect: {{{known}}}")
    author = level.author or collection.author
    source = ", ".join(part for part in (author, f"{whole}, level {level.number}") if part)
    lines.append(f"source: {_quoted(source)}")
    notes = "; ".join(filter(None, (level.notes, level.remark)))
    if notes:
        lines.append(f"notes: {_quoted(notes)}")
    return "\n".join(lines) + "\n"


def _drawing(key: str, rows: tuple[str, ...], indent: str) -> list[str]:
    """A drawing as a YAML block; if the first row begins with a space, the block has an explicit indentation."""
    block = "|2" if rows[0].startswith(" ") else "|"
    return [f"{indent}{key}: {block}", *(f"{indent}  {row}" for row in rows)]


def _counted(numbers: list[int]) -> str:
    few = ", ".join(map(str, numbers[:5]))
    return f"level{'s' * (len(numbers) > 1)} {few}{', …' * (len(numbers) > 5)}"


def _word(text: str) -> str:
    return re.sub(_SPOKEN, "-", text.casefold()).strip("-") or "level"


def _quoted(text: str) -> str:

    return quoted(" ".join(text.split()))

"""Converts levels from one format to another or to puzzle documents, and puzzle documents to levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from fewest.errors import DocumentError, Source, UsageError
from fewest.formats.collection import Collection, Level, document
from fewest.formats.lines import rush_hour
from fewest.formats.lines.tiles import MODEL as TILES
from fewest.formats.registry import (
    READERS,
    format_of,
    is_collection,
    parse_collection,
    read_collection,
    split_reference,
)
from fewest.formats.stand_alone import UndrawableError, check_same_start

DOCUMENT = "yaml"
FORMATS = (*READERS, DOCUMENT)

_NOT_RULES = {
    *("puzzle", "model", "extends", "title", "names", "source", "notes", "difficulty"),
    *("board", "goal", "expect", "metrics", "metric"),
}
"""The keys of a document that do not change the rules of its model."""


def format_called(path: Path | None) -> str:
    """The format that this file name indicates. Raises UsageError if the suffix of the name is unknown or there is no
    name.
    """
    if path is not None and path.suffix.lower() in (".yaml", ".yml"):
        return DOCUMENT
    name = None if path is None else format_of(path)
    if name is None:
        raise UsageError(
            "the format of the output is missing",
            hint=f"give --to with one of: {', '.join(FORMATS)}",
        )
    return name


def convert(ref: str, to: str, level: str | None = None) -> Mapping[str, str]:
    """Convert a collection or one puzzle. The result contains the texts, keyed by file name; a single text has the name
    "".

    `level` selects one level, like the number in `levels.xsb:7`. Raises NotFoundError, DocumentError, and UsageError if
    the format cannot express the levels, if the puzzle has rules of its own, or if it is a document and `to` is "yaml".
    """
    file, which = split_reference(ref)
    if is_collection(file):
        collection = read_collection(file)
    elif to == DOCUMENT:
        raise _already_document(file)
    else:
        collection = _collection_of(file)
    chosen = level if level is not None else which
    if chosen is not None:
        collection = replace(collection, levels=(collection.level(chosen),))
    if to != DOCUMENT:
        reader = READERS[to].reader
        if collection.model != reader.MODEL:
            others = [DOCUMENT] if is_collection(file) else []
            raise UsageError(
                f"{collection.name} has levels of {collection.model}, which the format {to} cannot represent",
                hint=_formats_hint(collection.model, others),
            )
        text = reader.write(collection)
        if not is_collection(file):
            _check_text(file, text, collection.levels[0], to)
        return {"": text}
    if len(collection.levels) == 1:
        return {"": document(collection, collection.levels[0])}
    stem = Path(collection.name).stem
    return {f"{stem}-{one.number:03d}.yaml": document(collection, one) for one in collection.levels}


def _formats_hint(model: str, others: Sequence[str] = ()) -> str:
    """The hint that names the formats for levels of this model, and the formats `others`."""
    names = [name for name, row in READERS.items() if model == row.reader.MODEL]
    return f"give --to with one of: {', '.join([*names, *others])}"


def _already_document(ref: str) -> UsageError:
    """The error for a puzzle document that should become one. Raises NotFoundError and DocumentError."""
    try:
        hint = _formats_hint(_collection_of(ref).model)
    except UsageError:
        hint = "the rules of the puzzle prevent its conversion to other formats"
    return UsageError(f"`{ref}` is already a puzzle document", hint=hint)


def _collection_of(ref: str) -> Collection:
    """A collection of one level: the board of a puzzle document that uses the rules of some format's model.

    Raises NotFoundError, DocumentError, and UsageError if the puzzle has other rules.
    """
    import yaml

    from fewest.reading.loader import load_document

    loaded = load_document(ref)
    models = {row.reader.MODEL for row in READERS.values()}
    wanted: Any = None
    for text in loaded.texts:
        data = yaml.safe_load(text)
        if data.get("model") in models and "puzzle" not in data:
            model = str(data["model"])
            break
        if not _NOT_RULES.issuperset(data):
            raise _other_rules(ref)
        wanted = wanted or data.get("goal")
    else:
        raise _other_rules(ref)
    own, found = yaml.safe_load(loaded.texts[0]), loaded.document
    keys: Mapping[str, object] | None = {}
    goal = ()
    if model == TILES and isinstance(wanted, dict) and {*wanted} == {"board"}:
        goal = tuple(wanted["board"].splitlines())
    elif wanted:
        keys = rush_hour.keys_of_goal(wanted) if model == rush_hour.MODEL else None
    if not isinstance(own.get("board"), str) or keys is None:
        raise _other_rules(ref)
    expect = {key: value for key, value in (found.expect or {}).items() if isinstance(value, int)}
    name, title = own.get("puzzle") or Path(ref).stem, str(found.title or "")
    rows = own["board"].rstrip("\n").split("\n")
    width = max(map(len, rows))
    drawn = tuple(row.ljust(width) for row in rows)
    level = Level(number=1, title=title, rows=drawn, goal=goal, keys=keys, expect=expect)
    return Collection(name=name, model=model, levels=(level,))


def _check_text(ref: str, text: str, level: Level, to: str) -> None:
    """Raises UsageError unless the text of a format describes the same board as the document `ref`."""
    from fewest.reading.loader import load_document
    from fewest.reading.puzzle import read_puzzle

    name = f"{Path(ref).stem}.{to}"
    puzzle = read_puzzle(load_document(ref), {})
    try:
        (reread,) = (collection := parse_collection(Source(name, text))).levels
        if collection.model == rush_hour.MODEL:
            reread = rush_hour.with_red_letter(reread, rush_hour.red_letter(level))
        other = read_puzzle(load_document(name, text=document(collection, reread)), {})
        is_same = (reread.goal, reread.keys) == (level.goal, level.keys)
        is_same = is_same and puzzle.board == other.board
        check_same_start(puzzle, other)
    except (DocumentError, UndrawableError):
        is_same = False
    if not is_same:
        raise UsageError(
            f"the format {to} cannot represent the board of `{ref}`",
            hint="check its size, and the letters and shapes of its pieces",
        )


def _other_rules(ref: str) -> UsageError:
    games = sorted({row.reader.MODEL for row in READERS.values()})
    return UsageError(
        f"`{ref}` has its own rules, but a file of levels contains only boards",
        hint=f"only puzzles with the rules of {', '.join(games[:-1])} or {games[-1]} can be converted",
    )

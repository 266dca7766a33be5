"""Levels from one format to another, or to puzzle documents."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from fewest.errors import UsageError
from fewest.formats.collection import document
from fewest.formats.registry import READERS, format_of, read_collection, split_reference

DOCUMENT = "yaml"
FORMATS = (*READERS, DOCUMENT)


def format_called(path: Path | None) -> str:
    """The format that a file's name asks for. Raises UsageError if it asks for none."""
    if path is not None and path.suffix.lower() in (".yaml", ".yml"):
        return DOCUMENT
    found = None if path is None else format_of(path)
    if found is None:
        raise UsageError("which format?", hint=f"say --to {', --to '.join(FORMATS)}")
    return found


def convert(ref: str, to: str, level: str | None = None) -> Mapping[str, str]:
    """The texts of the files of a collection in another format, by name (one alone has none).

    `level` chooses one, as `levels.xsb:7` does. Raises NotFoundError, DocumentError, and UsageError for a
    format of other puzzles.
    """
    file, which = split_reference(ref)
    collection = read_collection(file)
    chosen = level if level is not None else which
    if chosen is not None:
        collection = replace(collection, levels=(collection.level(chosen),))
    if to != DOCUMENT:
        reader = READERS[to].reader
        if collection.model != reader.MODEL:
            same = [name for name, row in READERS.items() if collection.model == row.reader.MODEL]
            raise UsageError(
                f"{collection.name} has levels of {collection.model}, which {to} cannot say",
                hint=f"say --to {', --to '.join([*same, DOCUMENT])}",
            )
        return {"": reader.write(collection)}
    if len(collection.levels) == 1:
        return {"": document(collection, collection.levels[0])}
    stem = Path(collection.name).stem
    return {f"{stem}-{one.number:03d}.yaml": document(collection, one) for one in collection.levels}

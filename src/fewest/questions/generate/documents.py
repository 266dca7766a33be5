"""Generated boards as puzzle documents and as a table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fewest.errors import InternalError, UsageError
from fewest.formats.plain import written
from fewest.formats.stand_alone import own_tree, plain_values
from fewest.machine.files import write_whole
from fewest.questions.api import load
from fewest.questions.generate.drawing import drawing_of
from fewest.reading.board_spec import SPEC_KEYS
from fewest.version import __version__

if TYPE_CHECKING:
    from fewest.questions.generate.report import Generation
    from fewest.reading.board_spec import BoardSpec

_LEFT_OUT = ("puzzle", "title", "board", "expect", "tests", "notes", *SPEC_KEYS)


def documents_of(spec: BoardSpec, found: Generation) -> Iterator[tuple[str, str]]:
    """A name and the text of a puzzle document for each board with the record of a metric.

    The function reads and solves every document again. Raises InternalError if the minimum differs.
    """
    rules = {
        key: plain_values(node)
        for key, node in own_tree(spec.document).items.items()
        if key not in _LEFT_OUT
    }
    for one in found.metrics:
        for number, position in enumerate(one.best, 1):
            name = f"{found.name}-{one.metric}-{number}"
            by = f"the record of all {found.num_boards:,} boards of {found.name}, fewest {__version__}"
            document: dict[str, Any] = {
                "puzzle": name,
                "title": f"{found.title}: {one.record} {one.metric}",
                **rules,
                "board": "\n".join(drawing_of(position)) + "\n",
                "expect": {one.metric: {"value": one.record, "source": f"computed: {by}"}},
                "source": by,
            }
            text = written(document)
            result = load(f"{name}.yaml", text=text).solve(one.metric)
            if result.cost != one.record:
                raise InternalError(
                    f"{name} needs {result.cost} {one.metric}, and the search of all boards found {one.record}"
                )
            yield name, text


def write_documents(spec: BoardSpec, found: Generation, folder: Path) -> list[Path]:
    """Write `documents_of` to files in a folder, which may be new. Raises UsageError, OSError."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is no folder", hint="name a new one: -o FOLDER")
    folder.mkdir(parents=True, exist_ok=True)
    files: list[Path] = []
    for name, text in documents_of(spec, found):
        file = folder / f"{name}.yaml"
        write_whole(file, [text.encode()])
        files.append(file)
    return files


def table_rows(found: Generation) -> Iterator[dict[str, Any]]:
    """The hardest board of each set of pieces in each metric, as rows of a table."""
    for one in found.metrics:
        for row in one.hardest:
            pieces = " ".join(f"{count}{letter}" for letter, count in row.pieces.items())
            yield {
                "metric": one.metric,
                "pieces": pieces,
                "minimum": row.minimum,
                "positions": row.num_positions,
                "board": "/".join(drawing_of(row.position)),
            }

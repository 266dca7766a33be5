"""Generated boards as puzzle documents, as tables, and as drawings on one sheet."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from fewest.commands.api import load
from fewest.commands.draw import draw_puzzles, suffix_of
from fewest.commands.generate.drawing import drawing_of, letters_of
from fewest.commands.limited import completed
from fewest.errors import InternalError, UsageError
from fewest.formats.plain import written
from fewest.formats.stand_alone import UndrawableError, check_same_start, own_tree, plain_values
from fewest.machine.files import write_whole
from fewest.model.answer import counted
from fewest.model.position import Position, start_at
from fewest.reading.board_spec import SPEC_KEYS
from fewest.version import __version__

if TYPE_CHECKING:
    from fewest.commands.api import CompiledPuzzle
    from fewest.commands.generate.report import Generation
    from fewest.reading.board_spec import BoardSpec

_LEFT_OUT = ("puzzle", "title", "board", "expect", "tests", "notes", *SPEC_KEYS)


class NamedBoard(Struct, frozen=True):
    """A board for a document: its name and title, its start with the minimum in a metric, and its origin."""

    name: str
    title: str
    metric: str
    minimum: int
    position: Position
    source: str


def records_of(generation: Generation) -> Iterator[NamedBoard]:
    """The boards that hold the record in each metric, for documents; at most MOST_BEST for each metric."""
    which = f"boards of {generation.name}"
    if generation.reason is not None and generation.num_pieces is not None:
        which += f" with up to {counted(generation.num_pieces, 'pieces')}"
    for one in generation.metrics:
        for number, position in enumerate(one.best, 1):
            assert one.record is not None, "there is a board with the record"
            by = f"the record of all {generation.num_boards:,} {which}, fewest {__version__}"
            title = f"{generation.title}: {counted(one.record, one.metric)}"
            name = f"{generation.name}-{one.metric}-{number}"
            yield NamedBoard(name, title, one.metric, one.record, position, by)


def document_at(
    spec: BoardSpec, position: Position, name: str, *, without: int = -1, **keys: Any
) -> tuple[str, CompiledPuzzle]:
    """The text of a puzzle document that starts at a position of the spec, and its puzzle. `keys` are added to the
    document. `without` is the cell of a wall that becomes floor; -1 means that all walls remain.

    Raises UndrawableError if the letters of the kinds are not enough to draw the position.
    """
    for (class_id, _), label in letters_of(position).items():
        kind = position.puzzle.classes[class_id].kind
        if label == kind and kind not in position.puzzle.characters:
            raise UndrawableError(
                f"this board cannot be drawn, because `{kind}` has too few letters for pieces that touch",
                hint=f"give `{kind}` more letters",
            )
    rules = {
        key: plain_values(node)
        for key, node in own_tree(spec.document).items.items()
        if key not in _LEFT_OUT
    }
    lines = drawing_of(position)
    if without >= 0:
        row, column = divmod(without, position.board.columns)
        floor = position.puzzle.characters.get("floor", ".")
        lines[row] = lines[row][:column] + floor + lines[row][column + 1 :]
    document = {"puzzle": name, **keys, **rules, "board": "\n".join(lines) + "\n"}
    expect, source = document.pop("expect", None), document.pop("source", None)
    if expect is not None:
        document |= {"expect": expect, "source": source}
    text = written(document)
    puzzle = load(f"{name}.yaml", text=text)
    board = replace(position.board, walls=position.board.walls - {without})
    intended = replace(start_at(position.puzzle, position), board=board)
    check_same_start(intended, puzzle.puzzle)
    return text, puzzle


def write_documents(
    spec: BoardSpec, boards: Iterable[NamedBoard], folder: Path, *, certificates: bool = False
) -> Iterator[Path]:
    """Write a document for each board and, if `certificates` is true, a certificate of its minimum. The folder is
    created if necessary. Yields the path of each file.

    Each document is checked: it is read and solved. Raises UsageError, OSError, the errors of `document_at`,
    InternalError if the minimum differs, and LimitReached.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is not a folder", hint="name a folder: -o FOLDER")
    folder.mkdir(parents=True, exist_ok=True)
    for board in boards:
        expect = {board.metric: {"value": board.minimum, "source": f"computed: {board.source}"}}
        text, puzzle = document_at(
            spec, board.position, board.name, title=board.title, expect=expect, source=board.source
        )
        result = completed(puzzle.solve(board.metric))
        if result.cost != board.minimum:
            raise InternalError(
                f"{board.name} needs {result.cost} {board.metric}, but the search of boards found {board.minimum}"
            )
        file = folder / f"{board.name}.yaml"
        write_whole(file, [text.encode()])
        yield file
        if certificates:
            proof = folder / f"{board.name}.proof"
            completed(puzzle.prove(proof, board.metric, result=result))
            yield proof


def write_tables(rows: Sequence[dict[str, Any]], folder: Path) -> Iterator[Path]:
    """Write the rows as `boards.csv` and `boards.json`; if there are rows and pyarrow is installed, also as
    `boards.parquet`. Yields the path of each file.
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = StringIO()
    table = csv.DictWriter(lines, names, lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    contents = {"csv": lines.getvalue(), "json": json.dumps(rows, indent=1) + "\n"}
    for suffix, text in contents.items():
        file = folder / f"boards.{suffix}"
        write_whole(file, [text.encode()])
        yield file
    if rows and find_spec("pyarrow") is not None:
        import pyarrow as pa
        from pyarrow.parquet import write_table

        buffer = BytesIO()
        columns = {name: [row.get(name) for row in rows] for name in names}
        write_table(pa.table(columns), buffer)
        file = folder / "boards.parquet"
        write_whole(file, [buffer.getvalue()])
        yield file


def write_sheets(folder: Path) -> Iterator[Path]:
    """Draw all documents in a folder on one sheet, `boards.svg`; also write `boards.png` if the packages for PNG are
    installed.
    """
    for suffix in (".svg", ".png"):
        try:
            suffix_of(Path(f"boards{suffix}"))
        except UsageError:
            continue
        file = folder / f"boards{suffix}"
        write_whole(file, [draw_puzzles([folder], suffix=suffix).data])
        yield file


def table_rows(generation: Generation) -> Iterator[dict[str, Any]]:
    """The hardest position for each set of pieces in each metric, as rows of a table."""
    for one in generation.metrics:
        for row in one.hardest:
            pieces = " ".join(f"{count}{letter}" for letter, count in row.pieces.items())
            yield {
                "metric": one.metric,
                "pieces": pieces,
                "minimum": row.minimum,
                "positions": row.num_positions,
                "board": "/".join(drawing_of(row.position)),
            }

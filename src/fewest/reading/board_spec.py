"""Reads a spec of boards: a puzzle document without pieces, and `fill`, which lists the pieces that may be placed on
its board.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

from fewest.errors import DocumentError, Report, UsageError
from fewest.model.board import Shape
from fewest.reading.decode import decode_node
from fewest.reading.loader import LoadedDocument, load_without
from fewest.reading.objective import MEASURES, Objective, read_objective
from fewest.reading.tree import MappingNode, ScalarNode

if TYPE_CHECKING:
    from fewest.errors import SourceLocation
    from fewest.reading.tree import TreeNode

SPEC_KEYS = ("fill", "sizes", "stuck_lines", "want", "maximise")
_MOST = 64  # the maximum number of pieces of one letter


class _SpecEntry(Struct, kw_only=True, forbid_unknown_fields=True):
    """The keys that only a spec has. (`decode_node` reads the annotations of this class.)"""

    fill: dict[str, Any]
    sizes: dict[str, Any] | None = None
    stuck_lines: bool = True
    want: dict[str, Any] | None = None
    maximise: str = "minimum"


class BoardRequirements(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The requirements that a board must meet.

    `minimum`: the smallest minimum that is allowed. `pieces`: the minimum and maximum total number of pieces. `unique`:
    whether there must be only one optimal plan, up to the order of independent moves. `symmetric`: whether the start
    must be its own mirror image or look the same after a rotation. `no_redundant_piece`: whether the removal of any one
    piece that may be missing must change the minimum or make the puzzle unsolvable. `no_redundant_wall`: the same for
    turning any one wall into floor.
    """

    minimum: int | None = None
    pieces: list[int] | None = None
    unique: bool = False
    symmetric: bool = False
    no_redundant_piece: bool = False
    no_redundant_wall: bool = False


class _Sizes(Struct, kw_only=True, forbid_unknown_fields=True):
    """The numbers of rows and columns; each is a single number, or a minimum and a maximum."""

    rows: int | list[int]
    columns: int | list[int]


class _FillEntry(Struct, kw_only=True, forbid_unknown_fields=True):
    """An entry of `fill`: the pieces of one letter."""

    shape: str
    number: int | list[int] | None = None
    rows: list[int] | None = None
    columns: list[int] | None = None


class Filler(Struct, frozen=True):
    """Pieces that may be placed on the board: their letter, their shape, the limits on their number, and the rows and
    columns where the top-left cell of a piece may be (None: all).
    """

    letter: str
    shape: Shape
    least: int
    most: int
    rows: tuple[int, ...] | None
    columns: tuple[int, ...] | None


class BoardSpec(Struct, frozen=True):
    """A document without pieces on its board, and the pieces that may stand there.

    `has_stuck_lines`: whether pieces that can move only along one line may fill this line completely. `wanted` and
    `objective` determine the best boards. `letters` contains the location of each letter under `fill`.
    """

    document: LoadedDocument
    fillers: tuple[Filler, ...]
    has_stuck_lines: bool
    wanted: BoardRequirements
    objective: Objective
    letters: Mapping[str, SourceLocation]
    size: str | None = None
    """the size, such as 4x5, if the spec has several sizes"""

    @property
    def has_ranking(self) -> bool:
        """Whether `want` or `maximise` determines the best boards."""
        return self.wanted != BoardRequirements() or self.objective.text.strip() != "minimum"


def load_board_spec(
    ref: str | Path, *, text: str | None = None, within: str | Path | None = None
) -> BoardSpec:
    """The spec in a file or in `text`, if it has only one size; `within` is as in `load_document`.

    Raises DocumentError with every mistake found, NotFoundError, and UsageError if the spec has several sizes.
    """
    specs = load_board_specs(ref, text=text, within=within)
    if len(specs) > 1:
        raise UsageError(
            f"the spec has {len(specs)} sizes, but only one is allowed here",
            hint="give a single number of rows and of columns, or load all sizes with `load_board_specs`",
        )
    return specs[0]


def load_board_specs(
    ref: str | Path, *, text: str | None = None, within: str | Path | None = None
) -> list[BoardSpec]:
    """The spec in a file or in `text` for each of its sizes, smallest first; `within` is as in `load_document`.

    Raises DocumentError with every mistake found, or NotFoundError.
    """
    document, own = load_without(ref, SPEC_KEYS, needed=("fill",), text=text, within=within)
    report = Report()
    entry = decode_node(own, _SpecEntry, report)
    report.raise_if_errors()
    fillers = tuple(_fillers(own, report))
    wanted = _wanted(own, report)
    objective = _objective(own, entry.maximise, report)
    documents = _documents(document, own, report)
    largest = documents[-1].document.board if documents else None
    if isinstance(largest, str):
        _check_board(largest, fillers, own, document.location(("board",)), report)
    report.raise_if_errors()
    if not fillers:
        location = own.items["fill"].location
        report.error(
            "missing-key", location, "`fill` defines no pieces", expected="letters and shapes"
        )
        raise DocumentError(report.diagnostics)
    assert objective is not None, "an objective without errors has been read"
    fill = own.items["fill"]
    assert isinstance(fill, MappingNode), "it was decoded as a map"
    letters = {filler.letter: fill.keys[filler.letter] for filler in fillers}
    return [
        BoardSpec(
            one,
            fillers,
            entry.stuck_lines,
            wanted,
            objective,
            letters,
            _size(one) if "sizes" in own.items else None,
        )
        for one in documents
    ]


def _documents(document: LoadedDocument, own: MappingNode, report: Report) -> list[LoadedDocument]:
    """The document with its own board; if the spec has `sizes`, one copy of the document for each size, with a board of
    that size, smallest first. Empty if a mistake was reported.
    """
    location, node = document.location(("board",)), own.items.get("sizes")
    if node is None:
        if isinstance(document.document.board, str):
            return [document]
        message = "this spec has neither a drawn board nor `sizes`"
        hint = "draw a board without pieces under `board`, or give its size under `sizes`"
        report.error("board-missing", location, message, hint=hint)
        return []
    if document.document.board is not None:
        report.error("wrong-value", node.location, "`board` and `sizes` cannot be used together")
        return []
    sizes = decode_node(node, _Sizes, report)
    if sizes is None or report.has_errors():
        return []
    rows, columns = _range(sizes.rows, node, report), _range(sizes.columns, node, report)
    pairs = sorted(
        ((row, column) for row in rows for column in columns),
        key=lambda pair: (pair[0] * pair[1], pair),
    )
    return [_with_board(document, *pair, node.location) for pair in pairs]


def _size(document: LoadedDocument) -> str:
    board = document.document.board
    assert isinstance(board, str), "each of these documents has a drawn board"
    lines = board.splitlines()
    return f"{len(lines)}x{len(lines[0])}"


def _range(numbers: int | list[int], node: TreeNode, report: Report) -> range:
    """The numbers of rows, or of columns; empty if a mistake was reported."""
    both = [numbers, numbers] if isinstance(numbers, int) else numbers
    least, most = both if len(both) == 2 else (0, 0)
    if not 1 <= least <= most <= _MOST:
        message = (
            "`rows` and `columns` must be numbers, or lists of the smallest and the largest number"
        )
        report.error(
            "wrong-value", node.location, message, expected=f"1 to {_MOST}", found=str(numbers)
        )
        return range(0)
    return range(least, most + 1)


def _with_board(
    document: LoadedDocument, rows: int, columns: int, location: SourceLocation
) -> LoadedDocument:
    """The document with an empty board of this size, which its name and title include."""
    legend = document.document.legend or {}
    floor = next((mark for mark, meaning in legend.items() if meaning == "floor"), ".")
    board = (floor * columns + "\n") * rows
    name = f"{document.document.puzzle or 'boards'}-{rows}x{columns}"
    title = document.document.title
    tree = document.tree
    return structs.replace(
        document,
        document=structs.replace(
            document.document,
            board=board,
            puzzle=name,
            title=None if title is None else f"{title}, {rows}×{columns}",
        ),
        tree=MappingNode(
            tree.location,
            {**tree.items, "board": ScalarNode(location, board, '"')},
            {**tree.keys, "board": location},
        ),
    )


def _check_board(
    board: str,
    fillers: Sequence[Filler],
    own: MappingNode,
    location: SourceLocation,
    report: Report,
) -> None:
    """Report pieces on the board, and rows and columns under `fill` that are outside it."""
    lines = board.strip("\n").splitlines()
    sizes = {"rows": len(lines), "columns": max(map(len, lines), default=0)}
    fill = own.items["fill"]
    assert isinstance(fill, MappingNode), "it was decoded as a map"
    for filler in fillers:
        if filler.letter in board:
            message = (
                f"the board of a spec must not contain pieces, but it contains `{filler.letter}`"
            )
            report.error("wrong-value", location, message, found=filler.letter)
        entry = fill.items[filler.letter]
        assert isinstance(entry, MappingNode), "it was decoded as a map"
        for (key, size), places in zip(sizes.items(), (filler.rows, filler.columns), strict=True):
            outside = [place for place in places or () if not 0 <= place < size]
            if outside:
                message = f"{key[:-1]} {outside[0]} is outside the board; numbers start at 0"
                expected, where = f"0 to {size - 1}", entry.items[key].location
                report.error(
                    "wrong-value", where, message, expected=expected, found=str(outside[0])
                )


def _wanted(own: MappingNode, report: Report) -> BoardRequirements:
    node = own.items.get("want")
    entry: BoardRequirements | None = (
        None if node is None else decode_node(node, BoardRequirements, report)
    )
    if node is None or entry is None:
        return BoardRequirements()
    if entry.minimum is not None and entry.minimum < 0:
        location = (
            node.items["minimum"].location if isinstance(node, MappingNode) else node.location
        )
        message, found = "`minimum` must not be negative", str(entry.minimum)
        report.error("wrong-value", location, message, expected="0 or more", found=found)
    if entry.pieces is None:
        return entry
    if len(entry.pieces) != 2 or not 0 <= entry.pieces[0] <= entry.pieces[1]:
        message = "`pieces` must be a list of the smallest and the largest number of pieces"
        report.error(
            "wrong-value", node.location, message, expected="[2, 9]", found=str(entry.pieces)
        )
    return entry


def _objective(own: MappingNode, text: str, report: Report) -> Objective | None:
    try:
        return read_objective(text)
    except ValueError as error:
        location = own.items["maximise"].location
        expected = f"an expression over {', '.join(MEASURES)}"
        report.error("wrong-value", location, str(error), expected=expected, found=text)
        return None


def _fillers(own: MappingNode, report: Report) -> list[Filler]:
    found: list[Filler] = []
    fill = own.items["fill"]
    assert isinstance(fill, MappingNode), "it was decoded as a map"
    for letter, node in fill.items.items():
        before = len(report.diagnostics)
        entry = decode_node(node, _FillEntry, report)
        if len(report.diagnostics) > before:
            continue
        key = fill.keys[letter]
        if len(letter) != 1:
            report.error(
                "bad-letters", key, "a piece must be drawn with a single letter", found=letter
            )
            continue
        shape = _shape(entry.shape)
        if shape is None:
            report.error(
                "shape-empty", node.location, "a shape must be drawn with `#`", found=entry.shape
            )
            continue
        numbers = entry.number
        if numbers is None:
            numbers = [0, _MOST]
        elif isinstance(numbers, int):
            numbers = [numbers, numbers]
        if len(numbers) != 2 or not 0 <= numbers[0] <= numbers[1] <= _MOST:
            report.error(
                "wrong-value",
                node.location,
                "`number` must be a number, or a list of the smallest and the largest number",
                expected=f"0 to {_MOST}",
                found=str(entry.number),
            )
            continue
        rows, columns = entry.rows, entry.columns
        found.append(
            Filler(
                letter,
                shape,
                numbers[0],
                numbers[1],
                None if rows is None else tuple(rows),
                None if columns is None else tuple(columns),
            )
        )
    return found


def _shape(drawing: str) -> Shape | None:
    """The cells of a drawing of `#`, as offsets from the first row and the first column that contain a `#`; None if the
    drawing contains no `#`, or characters without a meaning.
    """
    lines = drawing.strip("\n").splitlines()
    cells = [
        (row, column)
        for row, line in enumerate(lines)
        for column, mark in enumerate(line)
        if mark == "#"
    ]
    if not cells or set(drawing) - set("#. \n"):
        return None
    top, left = min(row for row, _ in cells), min(column for _, column in cells)
    return tuple(sorted((row - top, column - left) for row, column in cells))

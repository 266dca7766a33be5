"""Reading a spec of boards: a puzzle document without pieces, and `fill`, the pieces that may stand on its board."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Struct

from fewest.errors import DocumentError, Report
from fewest.model.board import Shape
from fewest.reading.decode import decode_node
from fewest.reading.loader import LoadedDocument, load_without
from fewest.reading.objective import MEASURES, Objective, read_objective
from fewest.reading.tree import MappingNode

SPEC_KEYS = ("fill", "stuck_lines", "want", "maximise")
_MOST = 64  # the maximal number of pieces of one letter


class _SpecEntry(Struct, kw_only=True, forbid_unknown_fields=True):
    """The keys of a spec that no puzzle has. (`decode_node` reads these annotations.)"""

    fill: dict[str, Any]
    stuck_lines: bool = True
    want: dict[str, Any] | None = None
    maximise: str = "minimum"


class Wanted(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The requirements on boards that a search without `--exhaustive` finds.

    `minimum`: the least minimum. `pieces`: the least and the greatest number of all pieces. `unique`: one optimal plan,
    up to the order of independent moves.
    """

    minimum: int | None = None
    pieces: list[int] | None = None
    unique: bool = False
    symmetric: bool = False
    no_redundant_piece: bool = False
    no_redundant_wall: bool = False


class _FillEntry(Struct, kw_only=True, forbid_unknown_fields=True):
    """Pieces of one letter."""

    shape: str
    number: int | list[int] | None = None
    rows: list[int] | None = None
    columns: list[int] | None = None


class Filler(Struct, frozen=True):
    """Pieces that may stand on the board: their letter, shape and number, and where their top-left cells may be."""

    letter: str
    shape: Shape
    least: int
    most: int
    rows: tuple[int, ...] | None
    columns: tuple[int, ...] | None


class BoardSpec(Struct, frozen=True):
    """A document that has no pieces on its board, and the pieces that may stand there.

    `has_stuck_lines`: whether a line of the board may be full of pieces that can only move along it. `wanted` and
    `objective` are for a search without `--exhaustive`.
    """

    document: LoadedDocument
    fillers: tuple[Filler, ...]
    has_stuck_lines: bool
    wanted: Wanted
    objective: Objective


def load_board_spec(
    ref: str | Path, *, text: str | None = None, within: str | Path | None = None
) -> BoardSpec:
    """The spec in a file or in `text`; `within` as in `load_document`.

    Raises DocumentError with every mistake found, or NotFoundError.
    """
    document, own = load_without(ref, SPEC_KEYS, text=text, within=within)
    report = Report()
    entry = decode_node(own, _SpecEntry, report)
    report.raise_if_errors()
    fillers = tuple(_fillers(own, report))
    wanted = _wanted(own, report)
    objective = _objective(own, entry.maximise, report)
    if not isinstance(document.document.board, str):
        location = document.location(("board",))
        report.error("board-missing", location, "a spec has a board, drawn without pieces")
    report.raise_if_errors()
    if not fillers:
        location = own.items["fill"].location
        report.error("missing-key", location, "`fill` has no pieces", expected="letters and shapes")
        raise DocumentError(report.diagnostics)
    assert objective is not None, "it had no errors"
    return BoardSpec(document, fillers, entry.stuck_lines, wanted, objective)


def _wanted(own: MappingNode, report: Report) -> Wanted:
    node = own.items.get("want")
    entry: Wanted | None = None if node is None else decode_node(node, Wanted, report)
    if node is None or entry is None:
        return Wanted()
    if entry.pieces is None:
        return entry
    if len(entry.pieces) != 2 or not 0 <= entry.pieces[0] <= entry.pieces[1]:
        message = "`pieces` has the least and the greatest number of pieces"
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
        entry = decode_node(node, _FillEntry, report)
        if entry is None or report.has_errors():
            continue
        key = fill.keys[letter]
        if len(letter) != 1:
            report.error("bad-letters", key, "pieces are drawn with one letter", found=letter)
            continue
        shape = _shape(entry.shape)
        if shape is None:
            report.error(
                "shape-empty", node.location, "a shape is a drawing of #", found=entry.shape
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
                "the number of pieces is a number, or the least and the most",
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
    """The cells of a drawing of `#`, as offsets from its first row and column."""
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

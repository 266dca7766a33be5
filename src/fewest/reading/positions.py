"""Reads positions of a puzzle: a drawing, followed by `name=value` items for variables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import structs
from msgspec.structs import replace

from fewest.errors import FewestError, Report, Source, SourceLocation, listed
from fewest.model.answer import counted
from fewest.model.board import GRAPH, HEXAGONAL, TRIANGULAR
from fewest.model.puzzle import Piece, Puzzle
from fewest.reading.constants import read_constants
from fewest.reading.context import Context
from fewest.reading.drawings import Legend, Symbol, read_drawing
from fewest.reading.drawn_pieces import DrawnPiece, PieceReader, shape_of
from fewest.reading.loader import LoadedDocument
from fewest.reading.tree import MappingNode, ScalarNode

if TYPE_CHECKING:
    from fewest.model.board import Board, Shape
    from fewest.model.task import Task

_NAME = r"[^\W\d]\w*(?:\s*\[[^\]]*\])?"
_ITEM = re.compile(rf"\s*({_NAME})\s*=\s*([^\s,;=]+)\s*[,;]?")


class PositionError(FewestError):
    """Raised for a position that cannot be read or does not belong to the puzzle."""


def read_position(loaded: LoadedDocument, puzzle: Puzzle, text: str, name: str) -> Puzzle:
    """The puzzle with another start: the position that `text` draws.

    Messages refer to the text by `name`. Rows are on separate lines, or separated by `/`. Cells are characters of the
    puzzle's drawing, or its tokens with blanks between them. Walls must be the same as in the puzzle. A terrain may be
    drawn only where the puzzle has it; the drawing may also show a piece or a floor cell there. `name=value` sets a
    variable. All other variables have their start values, and without a drawing, the pieces have their places at the
    start. Raises DocumentError or PositionError.
    """
    rows, values = _parts(puzzle, text)
    pieces = _read_pieces(loaded, puzzle, rows, name) if rows else puzzle.pieces
    variables = tuple(
        structs.replace(variable, initial=values.get(variable.name, variable.initial))
        for variable in puzzle.variables
    )
    return replace(puzzle, pieces=pieces, variables=variables)


# -- rows and values ------------------------------------------------------------------------------


def _parts(puzzle: Puzzle, text: str) -> tuple[list[str], dict[str, int | str]]:
    """The rows of the drawing, and the variable values that are given."""
    text = text.removeprefix("\ufeff")
    lines = text.rstrip().splitlines()
    while lines and not lines[0].strip():
        lines.pop(0)
    board = puzzle.board
    if board is not None:
        lines = [without_slants(line, board) or line for line in lines]
    is_row = (
        board is not None
        and board.rows == len(lines) == 1
        and len(_cells(lines[0], board.columns)) == board.columns
        and ("/" not in lines[0] or _has_known_words(puzzle, lines[0], board.columns))
    )
    is_floor_blank = puzzle.characters.get("floor") == " "
    if len(lines) == 1 and not is_row:
        whole = next(line for line in text.splitlines() if line.strip()).split("/")
        is_whole = is_floor_blank and board is not None and len(whole) == board.rows
        lines = whole if is_whole else [part for part in lines[0].split("/") if part]
    known = {_compact(variable.name): variable for variable in puzzle.variables}
    rows: list[str] = []
    values: dict[str, int | str] = {}
    for line in lines:
        items = _items(line, set(known), has_board=puzzle.board is not None)
        if items is None:
            rows.append(line)
            continue
        for key, value in items:
            if key not in known:
                hint = listed("variable", (variable.name for variable in puzzle.variables))
                hint = hint or "this puzzle has no variables"
                raise PositionError(f"there is no variable `{key}`", hint=hint)
            variable = known[key]
            found = next((v for v in variable.values if str(v) == value), None)
            if found is None:
                hint = listed(f"value of `{key}`", map(str, variable.values))
                raise PositionError(f"`{key}` cannot have the value {value}", hint=hint)
            values[variable.name] = found
    if board is not None and any(v.place is not None for v in puzzle.variables):
        rows, below = _divided(puzzle, board, rows, _blank_lines(text)[0] if is_floor_blank else [])
        if below:
            values = {**_laid_out(puzzle, below), **values}
    if rows and board is not None and is_floor_blank:
        rows = _with_blank_rows(rows, _blank_lines(text), board.rows)
    if rows and puzzle.board is None and any(v.place is not None for v in puzzle.variables):
        missing = _layout_size(puzzle)[0] - len(rows)
        blank = _blank_lines(text)[0]
        if 0 < missing <= len(blank):  # the first rows of the drawing contain no variable
            rows = [*blank[-missing:], *rows]
        values = {**_laid_out(puzzle, rows), **values}
        rows = []
    if rows and puzzle.board is None:
        raise PositionError(
            f"`{rows[0].strip()}` is a row of a drawing, but this puzzle has no board",
            hint="write the variables: "
            + "  ".join(f"{variable.name}={variable.initial}" for variable in puzzle.variables[:3]),
        )
    return rows, values


def _has_known_words(puzzle: Puzzle, row: str, columns: int) -> bool:
    """Whether every cell of a row is a character, a letter or a kind of the puzzle."""
    known = {*puzzle.characters.values(), *(c.kind for c in puzzle.classes)}
    known |= {piece.label for piece in puzzle.pieces}
    return known.issuperset(_cells(row, columns))


def _divided(
    puzzle: Puzzle, board: Board, rows: list[str], blank: list[str]
) -> tuple[list[str], list[str]]:
    """The rows of the board, and the rows of the variables that are drawn below them, after a blank line. `blank`: the
    blank lines before the first row, which can be rows of the board.
    """
    height = _layout_size(puzzle)[0]
    for start in range(len(blank) + 1):
        drawing = [*blank[start:], *rows]
        if _is_board(drawing, board):
            return rows, []
        for gap in (1, 0):
            end = len(drawing) - height - gap
            if end > 0 and not "".join(drawing[end : end + gap]).strip():
                above = drawing[:end]
                if _is_board(above, board):
                    return above, drawing[end + gap :]
    return rows, []


def _is_board(rows: list[str], board: Board) -> bool:
    """Whether the number of rows is that of a drawing of the board."""
    if board.geometry == GRAPH and len(rows) == 2 * board.rows - 1:
        return True
    has_lines = len(rows) == 2 * board.rows + 1 and len(rows[0]) == 2 * board.columns + 1
    return len(rows) == board.rows or has_lines


def _layout_size(puzzle: Puzzle) -> tuple[int, int]:
    """The numbers of rows and of columns in the drawing of the variables."""
    places = [v.place for v in puzzle.variables if v.place is not None]
    return 1 + max(row for row, _ in places), 1 + max(column for _, column in places)


def _blank_lines(text: str) -> tuple[list[str], list[str]]:
    """The blank lines before the first other line, and those after the last one."""
    lines = text.splitlines()
    full = [number for number, line in enumerate(lines) if line.strip()]
    return (lines[: full[0]], lines[full[-1] + 1 :]) if full else ([], [])


def _with_blank_rows(rows: list[str], blank: tuple[list[str], list[str]], number: int) -> list[str]:
    """The rows, with the blank lines before and after them if the board then has this number of rows. A line without
    any character is a row only if the lines of blanks are too few.
    """
    before, after = blank
    for above, below in (([r for r in before if r], [r for r in after if r]), (before, after)):
        if len(above) + len(rows) + len(below) == number:
            return [*above, *rows, *below]
    return rows


def _laid_out(puzzle: Puzzle, rows: list[str]) -> dict[str, int | str]:
    """The values of those variables that have a place in the drawing, as read from the drawing."""
    placed = {v.place: v for v in puzzle.variables if v.place is not None}
    height, width = _layout_size(puzzle)
    cells = [_cells(row.ljust(width) if len(row) < width else row, width) for row in rows]
    for number, text in enumerate(rows if len(rows) == height else ()):
        columns = [column for column in range(width) if (number, column) in placed]
        words = text.split()
        is_read = len(cells[number]) == width and all(
            cells[number][column] in placed[number, column].characters for column in columns
        )
        if not is_read and len(words) == len(columns):
            # a row with wide values and with places without a variable
            at = dict(zip(columns, words, strict=True))
            cells[number] = [at.get(column, "") for column in range(width)]
    if len(cells) != height or any(len(line) != width for line in cells):
        raise PositionError(
            f"the drawing of the variables must have {counted(height, 'rows')} of {counted(width, 'cells')}",
            hint="separate the rows by line breaks or by /",
        )
    values: dict[str, int | str] = {}
    for (row, column), variable in placed.items():
        known = {variable.character(value): value for value in variable.values}
        if cells[row][column] not in known:
            raise PositionError(
                f"`{cells[row][column]}` is not a value of `{variable.name}` "
                f"(row {row}, column {column})",
                hint=f"the values of `{variable.name}` are drawn as {' '.join(known)}",
            )
        values[variable.name] = known[cells[row][column]]
    return values


def _items(line: str, known: set[str], *, has_board: bool) -> list[tuple[str, str]] | None:
    """The `name=value` items of a line; None if the line is a row of the drawing."""
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(line.rstrip()):
        match = _ITEM.match(line, at)
        if match is None:
            return None
        found.append((_compact(match[1]), match[2]))
        at = match.end()
    is_sure = not has_board or any(name in known for name, _ in found)
    return found if found and is_sure else None


def _compact(name: str) -> str:
    return re.sub(r"\s+", "", name)


def _cells(row: str, columns: int) -> list[str]:
    """The cells of a row: its words if there are as many words as columns, and otherwise its characters."""
    words = row.split()
    if len(row) != columns and len(words) == columns:
        return words
    return list(row)


# -- pieces ---------------------------------------------------------------------------------------


def _read_pieces(
    loaded: LoadedDocument, puzzle: Puzzle, rows: list[str], name: str
) -> tuple[Piece, ...]:
    source = Source(name, "\n".join(rows))
    report = Report()
    board = ScalarNode(
        SourceLocation(source, 0), "\n".join(rows), "|"
    )  # line 0, because the text of a block begins one line below its location
    tree = MappingNode(
        loaded.tree.location, {**loaded.tree.items, "board": board}, loaded.tree.keys
    )
    context = Context(
        structs.replace(loaded, tree=tree), report, puzzle.parameters, board=puzzle.board
    )
    reader = BoardReader(context, puzzle, rows)
    pieces = reader.pieces()
    report.raise_if_errors()
    return pieces


def without_slants(row: str, board: Board) -> str | None:
    """The cells of a row of triangles with drawn sides; None if no sides are drawn."""
    if board.geometry not in TRIANGULAR or len(re.findall(r"[/\\]", row)) != board.columns + 1:
        return None
    cells = [cell.strip() for cell in re.split(r"[/\\]", row)[1:-1]]
    return ("" if all(len(cell) == 1 for cell in cells) else " ").join(cells)


def _cells_alone(rows: list[str], board: Board) -> list[str]:
    """The rows of cells, without the lines or edges around and between the cells."""
    if board.geometry == GRAPH:
        if len(rows) == 2 * board.rows - 1 > 1 or (rows and len(rows[0]) > board.columns):
            # an edge may pass between nodes through a cell that is not a node
            rows = [
                "".join(
                    " "
                    if column < board.columns and line * board.columns + column in board.walls
                    else character
                    for column, character in enumerate(row[::2])
                )
                for line, row in enumerate(rows[::2])
            ]
        return [row.ljust(board.columns) for row in rows]
    if board.geometry in HEXAGONAL and len(rows) == board.rows:
        return _unshifted(rows, board)
    size = (2 * board.rows + 1, 2 * board.columns + 1)
    if len(rows) != size[0] or any(len(row) != size[1] for row in rows):
        return rows
    return [row[1::2] for row in rows[1::2]]


def _unshifted(rows: list[str], board: Board) -> list[str]:
    """The rows of a hexagonal board, without the blanks that shift them and separate their cells. The rows stay as they
    are if they can be read as they are, or if they are not drawn like this.
    """
    columns = board.columns
    if not any(len(row.rstrip()) > columns and len(row.split()) != columns for row in rows):
        return rows
    shifts = range(board.rows) if board.geometry == "hex-right" else range(board.rows - 1, -1, -1)
    out: list[str] = []
    for row, shift in zip(rows, shifts, strict=True):
        cells = row[shift:].rstrip().ljust(2 * columns - 1)
        if row[:shift].strip() or cells[1::2].strip() or len(cells) > 2 * columns - 1:
            return rows
        out.append(cells[::2])
    return out


def cell_reader(loaded: LoadedDocument, puzzle: Puzzle) -> BoardReader:
    """A reader for the characters and tokens in the puzzle's drawings."""
    context = Context(loaded, Report(), puzzle.parameters, board=puzzle.board)
    return BoardReader(context, puzzle, [])


class BoardReader:
    """Converts cells to symbols, symbols to pieces, and pieces to classes of the puzzle."""

    def __init__(self, context: Context, puzzle: Puzzle, rows: list[str]) -> None:
        assert puzzle.board is not None
        self.context, self.puzzle, self.board, self.rows = context, puzzle, puzzle.board, rows
        document = context.document
        read_constants(context)
        context.kinds = tuple(document.pieces or {})
        self.legend = Legend(context, list(document.terrain or []))
        shapes: dict[str, Shape] = {}
        for kind, spec in (document.pieces or {}).items():
            if spec is not None and spec.shape is not None:
                shape = shape_of(
                    context,
                    ("pieces", kind, "shape"),
                    spec.shape,
                    is_together=spec.parts == "together",
                )
                if shape is not None:
                    shapes[kind] = shape
        self.shapes = shapes

    def error(self, row: int, column: int, code: str, message: str, hint: str = "") -> None:
        """Report a mistake at a cell of the drawing."""
        text = self.rows[row] if row < len(self.rows) else ""
        at = column
        # the row consists of words that are separated by blanks
        if len(text) != self.board.columns:
            starts = [match.start() for match in re.finditer(r"\S+", text)]
            at = starts[column] if column < len(starts) else 0
        self.context.error(("board",), code, message, hint=hint or None, inside=(row, at, 1))

    def pieces(self) -> tuple[Piece, ...]:
        symbols = self._symbols()
        if symbols is None:
            return ()
        puzzle, board = self.puzzle, self.board
        reader = PieceReader(self.context, ("board",), symbols, self.shapes, board)
        out: list[Piece] = []
        taken: set[int] = set()
        for drawn in reader.pieces():
            where = board.at(drawn.cell)
            class_id = self._class(drawn, taken)
            label = drawn.label or drawn.kind
            if class_id is not None:
                label = self.member_labels.get(puzzle.classes[class_id].family, label)
            if class_id is None:
                known = sorted({p.label for p in puzzle.pieces})
                self.error(
                    *where,
                    "unknown-piece",
                    f"the puzzle has no piece `{label}` of this shape",
                    hint=listed("piece", known, 30),
                )
                continue
            taken.add(class_id)
            fault = drawn.fault(board, puzzle.classes[class_id].cells)
            if fault is not None:
                self.error(*where, "piece-misplaced", f"`{label}` {fault}")
                continue
            name = puzzle.names.get(label, puzzle.names.get(drawn.kind, label))
            out.append(Piece(class_id, drawn.anchor, label, name))
        return tuple(out)

    def _symbols(self) -> list[list[Symbol]] | None:
        """The symbol of every cell, including the walls of the puzzle; None if a mistake was reported."""
        board = self.board
        self.rows = _cells_alone(self.rows, board)
        if len(self.rows) != board.rows:
            raise PositionError(
                f"the board has {counted(board.rows, 'rows')} of {counted(board.columns, 'cells')}, "
                f"but the position has {counted(len(self.rows), 'rows')}",
                hint="separate the rows by line breaks or by /, as in " + self._example(),
            )
        cells = [_cells(row, board.columns) for row in self.rows]
        blank = self.puzzle.characters.get("floor", ".")
        for row, line in enumerate(cells):
            # editors and shells may have removed trailing blanks
            if blank == " " and len(line) < board.columns:
                line.extend(" " * (board.columns - len(line)))
            if len(line) != board.columns:
                self.error(
                    row,
                    0,
                    "board-ragged",
                    f"row {row} has {counted(len(line), 'cells')}, but the board has "
                    f"{counted(board.columns, 'columns')}",
                )
        if self.context.report.has_errors():
            return None
        symbols: list[list[Symbol]] = []
        for row, line in enumerate(cells):
            symbols.append([self._symbol(row, column, token) for column, token in enumerate(line)])
        return None if self.context.report.has_errors() else symbols

    def _example(self) -> str:
        """The document's drawing on one line, as an example."""
        board = self.context.document.board
        drawing = None if board is None else read_drawing(self.context, ("board",), board)
        rows = () if drawing is None else drawing.rows
        gap = "" if all(len(token) == 1 for row in rows for token in row) else " "
        return "/".join(gap.join(row) for row in rows)

    def _symbol(self, row: int, column: int, token: str) -> Symbol:
        symbol = self.legend.symbol(token)
        cell = row * self.board.columns + column
        is_wall = cell in self.board.walls
        if symbol is None and token == " " and is_wall and self.board.geometry == GRAPH:
            return Symbol(is_wall=True)
        if symbol is None and token in self.context.kinds:
            symbol = Symbol(kind=token)
        if symbol is None and token == self.puzzle.characters.get("floor", "."):
            symbol = Symbol()  # the default symbol for empty cells
        where = f"(row {row}, column {column})"
        if symbol is None:
            known = " ".join(f"`{key}`" for key in list(self.legend.symbols)[:12])
            self.error(
                row,
                column,
                "board-character",
                f"`{token}` has no meaning here {where}",
                hint=f"the legend defines {known}",
            )
            return Symbol()
        if symbol.kind is None and symbol.is_wall != is_wall:
            one, other = ("puzzle", "position") if is_wall else ("position", "puzzle")
            self.error(
                row,
                column,
                "wrong-value",
                f"the {one} has a wall in this cell, but the {other} does not {where}",
                hint="draw the walls and the terrain of the puzzle",
            )
        if symbol.terrain is not None and cell not in self.board.terrain[symbol.terrain]:
            self.error(
                row,
                column,
                "wrong-value",
                f"the position has `{symbol.terrain}` in this cell, but the puzzle does not {where}",
                hint="draw the walls and the terrain of the puzzle",
            )
        return symbol

    def _class(self, drawn: DrawnPiece, taken: set[int]) -> int | None:
        """The class of a drawn piece. The class depends on its kind and shape, and on its letter if letters matter."""
        puzzle = self.puzzle
        found = [
            c
            for c in puzzle.classes
            if (c.kind, c.shape) == (drawn.kind, drawn.shape)
            and (c.label is None or c.label == drawn.label)
        ]
        named = [c for c in found if c.label is not None]
        found = named or found
        members = [c for c in found if c.member is not None]
        # If the pieces of a kind are not interchangeable, each has its own class: its letter determines the class or,
        # without a letter, the reading order does.
        if members:
            word = drawn.label or drawn.kind
            same = [c for c in members if self.member_labels.get(c.family) == word]
            found = [c for c in same or members if c.id not in taken]
        return found[0].id if found else None

    @cached_property
    def member_labels(self) -> Mapping[int, str]:
        """The letter (or else the kind) of each piece that is not interchangeable, by the family of its class."""
        puzzle = self.puzzle
        families = {c.family for c in puzzle.classes if c.member is not None}
        found = {puzzle.classes[piece.class_id].family: piece.label for piece in puzzle.pieces}
        if not families <= found.keys() and puzzle.origin is not None:
            # a move has removed the piece from this start, so only the document contains its letter
            first = {
                puzzle.classes[piece.class_id].family: piece.label
                for piece in puzzle.origin().pieces
            }
            found = {**first, **found}
        return {family: label for family, label in found.items() if family in families}


def check_numbers(task: Task, puzzle: Puzzle) -> None:
    """Raises PositionError if the groups of the task show that no reachable position has this number of pieces of some
    class.
    """
    facts: dict[int, set[int]] = {}
    for fact_id, fact in enumerate(task.facts):
        facts.setdefault(fact.class_id, set()).add(fact_id)
    for class_id, own in facts.items():
        groups = [group for group in task.exactly if own.issuperset(group.facts)]
        if class_id < 0 or sum(len(group.facts) for group in groups) < len(own):
            # the number may differ, because rules create or remove such pieces, or change them into others
            continue
        wanted = sum(group.count for group in groups)
        found = sum(piece.class_id == class_id for piece in puzzle.pieces)
        if found != wanted:
            piece = puzzle.classes[class_id]
            label = piece.label or next(
                (p.label for p in puzzle.pieces if p.class_id == class_id), piece.kind
            )
            shape = "" if piece.is_single_cell else f" of {len(piece.shape)} cells"
            raise PositionError(
                f"the number of pieces such as `{label}`{shape} is {found}",
                hint=f"this number is {wanted} in the puzzle, and no move changes it",
            )

"""All boards of a spec as positions of one task, with a fact for each piece at each place where it may stand.

The grounder compiles this task from a puzzle that has every piece at every place simultaneously. The start of this
puzzle is not a position of the spec. Its only purpose is to make the grounder create every fact and treat the number of
pieces of each class as unlimited. Each position of the spec has some of these pieces, so the grounder must not conclude
anything from their number (`may_lack_pieces`). This module also determines whether any operator creates or removes
pieces.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct, structs
from msgspec.structs import replace

from fewest.errors import DocumentError, Report, UsageError
from fewest.grounding.ground import ground
from fewest.model.puzzle import Piece, Puzzle
from fewest.model.task import facts_in
from fewest.reading.drawn_pieces import are_connected
from fewest.reading.puzzle import read_puzzle
from fewest.space.placements import MOST_CELLS, PlacedFact, PlacementRules

if TYPE_CHECKING:
    from fewest.errors import SourceLocation
    from fewest.model.board import Board, Shape
    from fewest.model.puzzle import PieceClass
    from fewest.model.task import Task
    from fewest.reading.board_spec import BoardSpec, Filler
    from fewest.reading.loader import LoadedDocument

_Place = tuple[int, int]
_Placed = tuple[str, list[_Place]]
"""a letter, and the cells of one of its pieces"""

_SEARCH = "a search for boards"


class Universe(Struct, frozen=True, eq=False):
    """The task of all boards of a spec, and the cells of its facts.

    `document` is a puzzle of the spec, with pieces of each letter that fits on the board; `letters` contains the letter
    of each class. `is_conserving`: whether no move creates or removes pieces.
    """

    document: LoadedDocument
    puzzle: Puzzle
    task: Task
    facts: tuple[PlacedFact, ...]
    rules: PlacementRules
    letters: tuple[str, ...]
    is_conserving: bool


def universe(spec: BoardSpec, *, must_conserve: bool = True) -> Universe:
    """The universe of a spec. Raises DocumentError for mistakes in the spec, and UsageError for unsupported rules.

    If `must_conserve` is true, rules that create or remove pieces are not supported either.
    """
    document, placed = _with_one_of_each(spec)
    sample = _read(spec, document, placed)
    board = sample.board
    assert board is not None
    class_at = {divmod(piece.anchor, board.columns): piece.class_id for piece in sample.pieces}
    corners = {letter: _corner(cells) for letter, cells in placed}
    _check_drawn(spec, sample, placed, board)
    by_class: dict[int, Filler] = {}
    for filler in spec.fillers:
        if filler.letter not in corners:
            continue  # the piece fits nowhere on a board of this size
        class_id = class_at.get(corners[filler.letter])
        if class_id is None:
            raise _mistake(
                spec.letters[filler.letter],
                f"`{filler.letter}` of `fill` is not a piece of the puzzle",
                hint="use the letters of the pieces of the puzzle",
            )
        if class_id in by_class:
            other = by_class[class_id].letter
            raise _mistake(
                spec.letters[filler.letter],
                f"`{filler.letter}` and `{other}` of `fill` mean the same pieces",
                hint="combine the two entries under one letter",
            )
        by_class[class_id] = filler
    if board.num_cells > MOST_CELLS or sample.variables or sample.num_layers > 1:
        raise UsageError(
            f"{_SEARCH} needs one layer of at most {MOST_CELLS} cells, and no variables"
        )
    pieces = tuple(
        Piece(class_id, anchor, filler.letter, filler.letter)
        for class_id, filler in by_class.items()
        for anchor in _anchors(board, sample.classes[class_id], filler)
    )
    task = replace(ground(replace(sample, pieces=pieces), may_lack_pieces=True), initial=0)
    task.require_operators(_SEARCH)
    changing = _changing_rule(task)
    if changing is not None and must_conserve:
        raise UsageError(
            f"{_SEARCH} needs moves that neither create nor remove pieces, but `{changing}` does",
            hint="leave out --exhaustive; a random search then explores single boards",
        )
    for fact in task.facts:
        if fact.class_id not in by_class:
            raise UsageError(
                f"{_SEARCH} needs every kind of piece under `fill`, but a move creates another kind: {fact.name}"
            )
    return Universe(
        document,
        sample,
        task,
        tuple(_placed(spec, sample, task)),
        PlacementRules(
            {class_id: filler.least for class_id, filler in by_class.items()},
            {
                class_id: min(filler.most, board.num_cells // len(filler.shape))
                for class_id, filler in by_class.items()
            },
            {} if spec.has_stuck_lines else _capacities(board),
        ),
        tuple(by_class[class_id].letter for class_id in range(len(by_class))),
        changing is None,
    )


def _mistake(
    where: SourceLocation, message: str, *, hint: str | None, code: str = "wrong-value"
) -> DocumentError:
    report = Report()
    report.error(code, where, message, hint=hint)
    return DocumentError(report.diagnostics)


def _torn(spec: BoardSpec, letter: str) -> DocumentError:
    return _mistake(
        spec.letters[letter],
        f"the cells of the shape of `{letter}` are not connected, so they are several pieces",
        hint="list each connected part under a letter of its own",
    )


def _explain_torn_shape(spec: BoardSpec, letter: str) -> None:
    """Raises DocumentError if the pieces of this letter are wrong because the cells of its shape are not connected."""
    document = spec.document.document
    shape = next(filler.shape for filler in spec.fillers if filler.letter == letter)
    if not document.wrap and not are_connected(shape, document.geometry or "square"):
        raise _torn(spec, letter)


def _read(spec: BoardSpec, document: LoadedDocument, placed: list[_Placed]) -> Puzzle:
    """The puzzle that `_with_one_of_each` describes. Raises DocumentError; a mistake in a piece is reported under
    `fill`, because the board of the spec does not show it.
    """
    try:
        return read_puzzle(document, {})
    except DocumentError as error:
        first = spec.document.location(("board",)).line + 1
        text = spec.document.document.board
        rows = text.strip("\n").splitlines() if isinstance(text, str) else []
        for diagnostic in error.diagnostics:
            for letter, where in spec.letters.items():
                if diagnostic.code == "board-character" and diagnostic.message.startswith(
                    f"`{letter}` "
                ):
                    message = f"`{letter}` of `fill` is not a piece of the puzzle"
                    raise _mistake(where, message, hint=diagnostic.hint) from error
            row = diagnostic.line - first
            if (
                diagnostic.path == "board"
                and 0 <= row < len(rows)
                and rows[row] in diagnostic.excerpt
            ):
                place = row, diagnostic.column - 1 - diagnostic.excerpt.index(rows[row])
                for letter, cells in placed:
                    if place in cells:
                        _explain_torn_shape(spec, letter)
                        message = f"`{letter}` of `fill`: {diagnostic.message}"
                        where = spec.letters[letter]
                        raise _mistake(
                            where, message, hint=diagnostic.hint, code=diagnostic.code
                        ) from error
        raise


def _check_drawn(spec: BoardSpec, sample: Puzzle, placed: list[_Placed], board: Board) -> None:
    """Raises DocumentError if the board of the spec has pieces: the generated boards would lack these pieces. Also
    raises DocumentError if a shape consists of several pieces.
    """
    for piece in sample.pieces:
        covered = {
            divmod(cell, board.columns) for cell in sample.under[piece.class_id, piece.anchor]
        }
        found = next((one for one in placed if covered.issubset(one[1])), None)
        if found is not None and len(covered) < len(found[1]):
            raise _torn(spec, found[0])
        if found is None:
            raise _mistake(
                spec.document.location(("board",)),
                f"the board of a spec must not contain pieces, but it contains {piece.name}",
                hint="draw floor in this cell, and list under `fill` the pieces that may be placed on the board",
            )


def _corner(cells: list[_Place]) -> _Place:
    """The top-left place of a piece."""
    return min(row for row, _ in cells), min(column for _, column in cells)


def _with_one_of_each(spec: BoardSpec) -> tuple[LoadedDocument, list[_Placed]]:
    """The document with one piece of each letter on its board, and the letter and the cells of each piece. A letter in
    the legend has its minimum number of pieces instead of one.

    The pieces stand on floor without terrain. Raises DocumentError if there is no room for the pieces.
    """
    legend = spec.document.document.legend or {}
    floor = {mark for mark, meaning in legend.items() if meaning == "floor"} or {"."}
    text = spec.document.document.board
    assert isinstance(text, str)
    rows = [list(line) for line in text.strip("\n").splitlines()]
    free = {
        (row, column)
        for row, line in enumerate(rows)
        for column, mark in enumerate(line)
        if mark in floor
    }
    # A letter in the legend gets its minimum number of pieces, because the reader requires as many boxes as targets.
    # Any other letter gets only one piece, because the reader would read adjacent equal letters as one piece.
    wanted = [
        filler
        for filler in sorted(spec.fillers, key=lambda filler: -len(filler.shape))
        if spec.size is None or filler.least > 0 or _packed([filler], free) is not None
        for _ in range(max(1, filler.least) if filler.letter in legend else 1)
    ]
    placed = _packed(wanted, free)
    if placed is None:
        number = next(n for n in range(len(wanted)) if _packed(wanted[: n + 1], free) is None)
        letter = wanted[number].letter
        _explain_torn_shape(spec, letter)
        raise _mistake(
            spec.letters[letter],
            f"the board of {'the spec' if spec.size is None else spec.size} has no room for one piece of each letter",
            hint=f"draw free cells as {' or '.join(f'`{mark}`' for mark in sorted(floor))}, or use a larger board",
        )
    for letter, cells in placed:
        for row, column in cells:
            rows[row][column] = letter
    drawing = "\n".join("".join(line) for line in rows) + "\n"
    document = structs.replace(spec.document.document, board=drawing)
    return structs.replace(spec.document, document=document), placed


def _packed(fillers: list[Filler], free: set[_Place]) -> list[_Placed] | None:
    """The letter and the cells of each of these pieces, placed without overlap; None if the pieces do not fit."""
    if not fillers:
        return []
    first, *others = fillers
    for row, column in sorted(free):
        if first.rows is not None and row not in first.rows:
            continue
        if first.columns is not None and column not in first.columns:
            continue
        cells = [(row + down, column + right) for down, right in first.shape]
        if free.issuperset(cells):
            found = _packed(others, free - set(cells))
            if found is not None:
                return [(first.letter, cells), *found]
    return None


def _anchors(board: Board, piece: PieceClass, filler: Filler) -> Iterator[int]:
    """The places where both the spec and the puzzle allow a piece of the class."""
    for anchor in range(board.num_cells):
        row, column = divmod(anchor, board.columns)
        if filler.rows is not None and row not in filler.rows:
            continue
        if filler.columns is not None and column not in filler.columns:
            continue
        cells = board.cover(_shape(piece), anchor)
        if cells is not None and piece.cells.issuperset(cells):
            yield anchor


def _shape(piece: PieceClass) -> Shape:
    return piece.shape


def _placed(spec: BoardSpec, puzzle: Puzzle, task: Task) -> Iterator[PlacedFact]:
    board = puzzle.board
    assert board is not None
    for number, fact in enumerate(task.facts):
        piece = puzzle.classes[fact.class_id]
        cells = board.cover(piece.shape, fact.cell)
        assert cells is not None, "the grounder made it a fact"
        line = -1 if spec.has_stuck_lines else _line(board, piece, cells)
        yield PlacedFact(number, sum(1 << cell for cell in cells), fact.class_id, line)


def _line(board: Board, piece: PieceClass, cells: tuple[int, ...]) -> int:
    """For a piece that lies in one line and moves only along it, the number of this line; rows have lower numbers than
    columns. For other pieces, the result is -1.
    """
    offsets = {direction.offset for direction in piece.directions or ()}
    rows = {cell // board.columns for cell in cells}
    columns = {cell % board.columns for cell in cells}
    if offsets and len(rows) == 1 and all(row == 0 for row, _ in offsets):
        return rows.pop()
    if offsets and len(columns) == 1 and all(column == 0 for _, column in offsets):
        return board.rows + columns.pop()
    return -1


def _capacities(board: Board) -> dict[int, int]:
    """For each line, the maximum number of cells that pieces moving only along the line may cover: all cells but
    one.
    """
    row_sizes = dict.fromkeys(range(board.rows), board.columns - 1)
    return {**row_sizes, **{board.rows + column: board.rows - 1 for column in range(board.columns)}}


def _changing_rule(task: Task) -> str | None:
    """A rule with operators that create or remove pieces; None if no operator does."""
    for operator in task.operators:
        balance: dict[int, int] = {}
        for fact in facts_in(operator.flip):
            class_id = task.facts[fact].class_id
            balance[class_id] = balance.get(class_id, 0) + (1 if operator.value >> fact & 1 else -1)
        if any(balance.values()):
            return operator.rule
    return None

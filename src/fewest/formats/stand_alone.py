"""Positions as complete puzzle documents, which need no files except the shipped models.

If the document extends a shipped model, the result extends this model, too. All other files that the document extends
are included in the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import structs
from msgspec.structs import replace

from fewest.drawing.lines import with_lines
from fewest.drawing.text import glyphs
from fewest.errors import DocumentError, FewestError, Report
from fewest.machine import resources
from fewest.model.position import Position, start, start_at
from fewest.model.puzzle import Puzzle
from fewest.reading.document import Document, TerrainEntry
from fewest.reading.drawings import Symbol
from fewest.reading.drawn_pieces import kinds_together
from fewest.reading.layers import AND
from fewest.reading.loader import LoadedDocument, load_document
from fewest.reading.positions import cell_reader
from fewest.reading.puzzle import read_puzzle
from fewest.reading.source import parse
from fewest.reading.tree import MappingNode, ScalarNode, SequenceNode, TreeNode
from fewest.sanitize import quoted

_LEFT_OUT = (
    "puzzle",
    "title",
    "board",
    "expect",
    "tests",
    "source",
    "notes",
    "difficulty",
    "metric",
    "parameters",
)
_WORD = re.compile(r"[^\W\d][\w ./+-]*[\w.]|[^\W\d]")
_SPECIAL = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
_NUMBER = re.compile("0|-?[1-9][0-9]*")  # not 01, which is a token of two characters


class UndrawableError(FewestError):
    """Raised if the puzzle's own characters cannot express a position."""


def stand_alone(
    loaded: LoadedDocument, puzzle: Puzzle, position: Position, name: str, **texts: Any
) -> str:
    """A puzzle document that starts at a position of `puzzle`. The document is read again as a check.

    `texts` are the other arguments of `write_puzzle`. Raises UndrawableError if the position cannot be drawn, or if the
    document is invalid, for example because its goal names a piece that the position lacks.
    """
    moved = with_own_letters(loaded, start_at(puzzle, position))
    text = write_puzzle(loaded, moved, name=name, **texts)
    try:
        reread = read_puzzle(load_document(f"{name}.yaml", text=text), {})
    except DocumentError as error:
        reason = next(d.message for d in error.diagnostics if d.severity == "error")
        raise UndrawableError(f"no document can begin at this position: {reason}") from error
    check_same_start(moved, reread)
    return text


def write_puzzle(
    loaded: LoadedDocument,
    puzzle: Puzzle,
    *,
    name: str,
    title: str,
    metric: str,
    expect: Mapping[str, Any],
    source: str,
    notes: str,
) -> str:
    """A document that starts at the same position as `puzzle` and has the rules and the goal of `loaded`.

    As in `stand_alone`, the caller should call `with_own_letters` before, and should read the result again and check
    it.
    """
    own = own_tree(loaded)
    data: dict[str, Any] = {"puzzle": name, "title": title}
    settings = {key: plain_values(node) for key, node in own.items.items() if key not in _LEFT_OUT}
    for key in ("model", "extends"):
        below = settings.pop(key, None)
        if below is not None and own is not loaded.tree:
            data[key] = below
    data.update(_start(loaded.document, puzzle, settings, loaded))
    for key, value in settings.items():
        data.setdefault(key, value)
    data["metric"] = metric
    if puzzle.parameters:
        data["parameters"] = dict(puzzle.parameters)
    data["expect"] = dict(expect)
    data["source"] = source
    data["notes"] = notes
    return "".join(_lines(data))


def own_tree(loaded: LoadedDocument) -> MappingNode:
    """If the file extends nothing but a shipped model, only the file's own content; otherwise, the whole tree."""
    own = parse(loaded.tree.location.source, Report())
    assert own is not None, "it was read before"
    base = own.items.get("model") or own.items.get("extends")
    if isinstance(base, ScalarNode) and base.text in dict(resources.models()):
        return own
    return loaded.tree


def plain_values(node: TreeNode) -> Any:
    """A tree as plain data; numbers without quotes become numbers."""
    if isinstance(node, MappingNode):
        return {key: plain_values(value) for key, value in node.items.items()}
    if isinstance(node, SequenceNode):
        return [plain_values(item) for item in node.items]
    assert isinstance(node, ScalarNode)
    if node.is_null:
        return None
    if node.is_plain and node.text in ("true", "false"):
        return node.text == "true"
    return int(node.text) if node.is_plain and _NUMBER.fullmatch(node.text) else node.text


# -- board, terrain, variables ----------------------------------------------------------------------


def _start(
    document: Document, puzzle: Puzzle, settings: dict[str, Any], loaded: LoadedDocument
) -> dict[str, Any]:
    out: dict[str, Any] = {}
    if puzzle.board is not None:
        rows, symbols, legend = _draw(loaded, puzzle)
        if _has_lines(document):
            rows = with_lines(puzzle.board, rows, str)
        is_text = all(len(token) == 1 for row in rows for token in row)
        text = "".join("".join(row) + "\n" for row in rows)
        out["board"] = text if is_text and "{" not in text and "}" not in text else rows
        if legend:
            out["legend"] = {**(settings.get("legend") or {}), **legend}
        hidden = _hidden(puzzle, symbols)
        if hidden:
            out["terrain"] = {
                name: _terrain(document, name, hidden.get(name, []))
                for name in puzzle.board.terrain
            }
    if puzzle.variables:
        out["variables"] = {**(settings.get("variables") or {})}
        for key, initial in _initials(document, puzzle).items():
            out["variables"][key] = {**(out["variables"].get(key) or {}), "initial": initial}
    return out


def _has_lines(document: Document) -> bool:
    """Whether the board's drawing has lines between the cells."""
    edges = document.edges
    return edges == "drawn" or (edges is not None and not isinstance(edges, str) and edges.drawn)


def _draw(
    loaded: LoadedDocument, puzzle: Puzzle
) -> tuple[list[list[str]], list[list[Symbol]], dict[str, str]]:
    """The start as tokens, the meaning of each token, and the entries for tokens that the legend lacks."""
    reader = cell_reader(loaded, puzzle)
    position = start(puzzle)
    rows = [[glyph.text for glyph in row] for row in glyphs(position, puzzle.labels)]
    lacking: dict[str, str] = {}
    symbols: list[list[Symbol]] = []
    for number, row in enumerate(rows):
        line: list[Symbol] = []
        for column, token in enumerate(row):
            symbol = reader.legend.symbol(token)
            cell = number * len(row) + column
            here = [layer[cell] for layer in reversed(position.layers) if cell in layer]
            kinds = [puzzle.classes[class_id].kind for class_id, _ in here]
            hidden = tuple(kinds[1:])
            # the legend lacks the token, or the token does not show the pieces in lower layers
            if symbol is None or symbol.below != hidden:
                token = AND.join(kinds) if hidden else token
                is_wall = puzzle.board is not None and cell in puzzle.board.walls
                lacking[token] = AND.join(kinds) or ("wall" if is_wall else "floor")
                symbol = Symbol(kind=kinds[0] if kinds else None, below=hidden)
            row[column] = token
            line.append(symbol)
        symbols.append(line)
    return rows, symbols, lacking


def _hidden(puzzle: Puzzle, symbols: list[list[Symbol]]) -> dict[str, list[list[int]]]:
    """The cells of each terrain that the drawing does not show."""
    board = puzzle.board
    assert board is not None
    out: dict[str, list[list[int]]] = {}
    for name, cells in board.terrain.items():
        for cell in sorted(cells):
            row, column = board.at(cell)
            if symbols[row][column].terrain != name:
                out.setdefault(name, []).append([row, column])
    return out


def _terrain(document: Document, name: str, cells: list[list[int]]) -> dict[str, Any] | None:
    given = document.terrain
    spec = given[name] if isinstance(given, Mapping) else None
    enters = spec.enters if isinstance(spec, TerrainEntry) else spec
    out: dict[str, Any] = {} if enters is None else {"enters": enters}
    if cells:
        out["cells"] = cells
    return out or None


def _initials(document: Document, puzzle: Puzzle) -> dict[str, Any]:
    """The initial value of each variable; for an indexed variable, an expression over its indices."""
    found = {variable.name: variable.initial for variable in puzzle.variables}
    out: dict[str, Any] = {}
    for key, spec in (document.variables or {}).items():
        name = key.split("[")[0].strip()
        if not spec.for_:
            out[key] = found[name]
            continue
        indices = [part.strip() for part in key.split("[")[1].rstrip().rstrip("]").split(",")]
        cells = {
            tuple(map(int, full[len(name) + 1 : -1].split(","))): value
            for full, value in found.items()
            if full.startswith(f"{name}[")
        }
        out[key] = _chosen(indices, cells)
    return out


def _chosen(indices: list[str], cells: dict[tuple[int, ...], int | str]) -> int | str:
    """An expression that has the right value for each index, such as `1 if d in [0, 2] else 0`."""
    groups: dict[int | str, list[int]] = {}
    low = [min(key[at] for key in cells) for at in range(len(indices))]
    size = [max(key[at] for key in cells) - low[at] + 1 for at in range(len(indices))]
    text = indices[0]
    if low[0]:
        text = f"({text} - {low[0]})"
    for at, name in enumerate(indices[1:], 1):
        text = f"({text} * {size[at]} + {name} - {low[at]})"
    for key, value in sorted(cells.items()):
        number = 0
        for at, part in enumerate(key):
            number = number * size[at] + part - low[at]
        groups.setdefault(value, []).append(number)
    rest = max(groups, key=lambda value: len(groups[value]))
    parts = [
        f"{_literal(value)} if {text} in {numbers} else "
        for value, numbers in groups.items()
        if value != rest
    ]
    return "".join(parts) + _literal(rest) if parts else rest


def _literal(value: int | str) -> str:
    return str(value) if isinstance(value, int) else quoted(value)


def check_same_start(written: Puzzle, read: Puzzle) -> None:
    """Raises UndrawableError if the document does not start at the intended position when it is read again."""
    same_start = _standing(written) == _standing(read) and written.variables == read.variables
    if not same_start or written.board != read.board:
        raise UndrawableError(
            "this position cannot be drawn with the puzzle's own characters",
            hint="use --json, which contains the drawing anyway",
        )


def _standing(puzzle: Puzzle) -> list[tuple[object, ...]]:
    """Every piece, together with its place."""
    found = [(puzzle.classes[piece.class_id], piece.anchor) for piece in puzzle.pieces]
    return sorted((anchor, c.kind, c.shape, c.label or "") for c, anchor in found)


# -- letters -----------------------------------------------------------------------------------------


def with_own_letters(loaded: LoadedDocument, puzzle: Puzzle) -> Puzzle:
    """The puzzle with letters that are changed so that touching pieces are not read as one piece.

    Raises UndrawableError if two touching pieces have the same letter, and rules or goals use this letter or no other
    letter is left.
    """
    board = puzzle.board
    if board is None:
        return puzzle
    reader = cell_reader(loaded, puzzle)
    together = kinds_together(reader.context)
    pieces = list(puzzle.pieces)
    used = {piece.label for piece in pieces}
    owner: dict[int, int] = {}
    for number, piece in enumerate(pieces):
        for covered in board.cover(puzzle.classes[piece.class_id].shape, piece.anchor) or ():
            owner[covered] = number
    for number, piece in enumerate(pieces):
        symbol = reader.legend.symbol(piece.label)
        if symbol is None or symbol.label is None or symbol.kind in reader.shapes:
            # the drawing does not contain the letter of the piece, or the shape identifies the piece
            continue
        touching = [
            owner[cell]
            for mine, number_of_owner in owner.items()
            if number_of_owner == number
            for offset in board.touching
            if (cell := board.step(mine, offset)) is not None and cell in owner
        ]
        if symbol.kind in together:  # the reader joins all cells of a letter
            touching = list(range(len(pieces)))
        if all(other == number or pieces[other].label != piece.label for other in touching):
            continue
        if puzzle.classes[piece.class_id].label is not None:
            raise UndrawableError(
                f"two pieces `{piece.label}` touch and would look like one piece in a drawing",
                hint="use --json, which contains the drawing anyway",
            )
        fresh = next(
            (c for c in _letters() if c not in used and _is_letter_of(reader.legend, c, symbol)),
            None,
        )
        if fresh is None:
            raise UndrawableError(f"no letter is left for the pieces `{piece.label}` that touch")
        used.add(fresh)
        pieces[number] = structs.replace(piece, label=fresh)
    return replace(puzzle, pieces=tuple(pieces))


def _is_letter_of(legend: Any, letter: str, like: Symbol) -> bool:
    symbol = legend.symbol(letter)
    return symbol is not None and symbol.label == letter and symbol.kind == like.kind


def _letters() -> Iterator[str]:
    for first, last in ("AZ", "az", "09"):
        yield from map(chr, range(ord(first), ord(last) + 1))


# -- YAML ---------------------------------------------------------------------------------------------


def _lines(data: Mapping[str, Any]) -> Iterator[str]:
    """The lines of the document: each top-level key begins a line, drawings are blocks, and long maps have one line for
    each entry.
    """
    for key, value in data.items():
        if isinstance(value, str) and "\n" in value and _is_block(value):
            yield f"{_key(key)}: {'|2' if value[0] == ' ' else '|'}\n"
            yield from (f"  {line}\n" for line in value.rstrip("\n").split("\n"))
            continue
        flow = _flow(value)
        if isinstance(value, Mapping) and value and len(flow) + len(key) > 88:
            yield f"{_key(key)}:\n"
            yield from (f"  {_key(inner)}: {_flow(item)}\n" for inner, item in value.items())
        elif isinstance(value, list) and value and isinstance(value[0], list):
            yield f"{_key(key)}:\n"
            yield from (f"  - {_flow(item)}\n" for item in value)
        else:
            yield f"{_key(key)}: {flow}\n"


def _is_block(text: str) -> bool:
    """Whether a text can be written as a YAML block scalar: it ends with a line break, and each of its lines is
    printable and not empty.
    """
    lines = text.split("\n")
    return text.endswith("\n") and all(line.isprintable() and line for line in lines[:-1])


def _flow(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    return _text(str(value))


def _key(key: str) -> str:
    return _text(key)


def _text(text: str) -> str:
    if _WORD.fullmatch(text) and text.lower() not in _SPECIAL:
        return text
    return quoted(text)

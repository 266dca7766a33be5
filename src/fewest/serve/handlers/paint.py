"""Locates the board's cells in the text and in the picture, for painting."""

from __future__ import annotations

from typing import Any

from fewest.drawing.pictures.grid import UNIT, Grid, grid_of
from fewest.drawing.pictures.outline import number
from fewest.drawing.pictures.puzzle_style import GAP, text_at
from fewest.errors import Report, Source, SourceLocation
from fewest.model.puzzle import Puzzle
from fewest.reading.drawings import MAX_CELLS
from fewest.reading.loader import LoadedDocument
from fewest.reading.source import parse
from fewest.reading.tree import MappingNode, ScalarNode, SequenceNode, TreeNode
from fewest.serve.text_offsets import Offsets

Row = list[tuple[str, int, int]]  # for each cell, its text, and where this text starts and ends


NOTATIONS = {"|": "block", ">": "block", "'": "single quotes", '"': "double quotes", "": "plain"}


def _drawn(text: str, offsets: Offsets) -> tuple[list[Row], str] | None:
    """The cells of the document's own `board`, row by row, and its notation: one of NOTATIONS, or "tokens". None if the
    document has no board of its own, or if this board contains templates, has no cells or has more than MAX_CELLS
    cells.
    """
    tree = parse(Source("text", text), Report())
    node = None if tree is None else tree.items.get("board")
    rows: list[Row] | None = None
    notation = "tokens"
    if isinstance(node, ScalarNode) and "{" not in node.text:
        rows, notation = _characters(node, offsets), NOTATIONS[node.style]
    elif isinstance(node, SequenceNode):
        rows = _tokens(node, offsets)
    if not rows or not any(rows) or sum(map(len, rows)) > MAX_CELLS:
        return None
    return rows, notation


def _characters(node: ScalarNode, offsets: Offsets) -> list[Row]:
    """The rows of a board that has one character per cell; empty lines before the first row do not count."""
    lines = node.text.rstrip("\n").split("\n")
    first = next((i for i, line in enumerate(lines) if line), 0)
    rows: list[Row] = []
    for i, line in enumerate(lines[first:], start=first):
        if node.style == "|":
            begin = node.inside(i, 0)
            locations = [(begin.line, begin.column + k, 1) for k in range(len(line))]
        else:
            found = [node.inside(i, k) for k in range(len(line))]
            locations = [(location.line, location.column, location.length) for location in found]
        rows.append(
            [
                (mark, offsets.at(row, column), offsets.at(row, column + length))
                for mark, (row, column, length) in zip(line, locations, strict=True)
            ]
        )
    return rows


def _tokens(node: SequenceNode, offsets: Offsets) -> list[Row] | None:
    """The rows of a board of tokens; None if an item is not a token, or contains a template."""
    rows: list[Row] = []
    for line in node.items:
        if not isinstance(line, SequenceNode):
            return None
        row: Row = []
        for token in line.items:
            if not isinstance(token, ScalarNode) or "{" in token.text:
                return None
            row.append((token.text, *_span(token, token.location, offsets)))
        rows.append(row)
    return rows


def _span(token: ScalarNode, location: SourceLocation, offsets: Offsets) -> tuple[int, int]:
    length = len(token.text) if token.is_plain else location.length
    return offsets.at(location.line, location.column), offsets.at(
        location.line, location.column + length
    )


def painting(text: str, offsets: Offsets, puzzle: Puzzle | None) -> dict[str, Any] | None:
    """The cells for painting; None if the document has no board of its own, or if this board and the puzzle's board
    differ in size.

    Each item of `cells` is `[row, column, x, y, from, to, mark]`: the cell, the coordinates of its centre (relative to
    the top left corner of the cell (0, 0)), the offsets of its text, and this text. `outline` is a polygon around a
    centre. `notation` says how to write the text of a cell: "block", "single quotes", "double quotes" or "plain" for a
    drawing with one character per cell, and "tokens" for a list of texts.
    """
    drawn = _drawn(text, offsets)
    if drawn is None:
        return None
    rows, notation = drawn
    grid = Grid(False)
    if puzzle is not None and puzzle.board is not None:
        is_same = (puzzle.board.rows, puzzle.board.columns) == (len(rows), len(rows[0]))
        if not is_same:
            return None
        grid = grid_of(puzzle)
    every = (
        Grid(False, is_round=True) if grid.is_triangular else grid
    )  # all cells share one outline; for triangles, which point up or down, it is round
    x, y = every.middle(0, 0)
    outline = [[round(a - x, 2), round(b - y, 2)] for a, b in every.polygon(0, 0)]
    cells: list[list[Any]] = []
    for i, row in enumerate(rows):
        for k, (mark, start, end) in enumerate(row):
            a, b = grid.middle(i, k)
            cells.append([i, k, round(a, 2), round(b, 2), start, end, mark])
    return {"outline": outline, "cells": cells, "notation": notation}


def sketch(painted: dict[str, Any]) -> str:
    """An SVG of the cells with their characters or tokens, for a text that is not yet a puzzle."""
    half, parts = UNIT / 2 - GAP / 2, []
    width = height = 0.0
    for _, _, x, y, _, _, mark in painted["cells"]:
        wall = mark == "#"
        fill = "var(--wall)" if wall else "var(--floor)"
        parts.append(
            f'<rect x="{number(x - half)}" y="{number(y - half)}" width="{number(2 * half)}"'
            f' height="{number(2 * half)}" rx="5" fill="{fill}"/>'
        )
        if mark not in ("#", ".", " "):
            parts.append(text_at(x, y, mark[:3], 22 if len(mark) < 3 else 14, "var(--ink)"))
        width, height = max(width, x + UNIT / 2), max(height, y + UNIT / 2)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}">'
        f"{''.join(parts)}</svg>"
    )


def brushes(document: LoadedDocument | None, text: str, painted: dict[str, Any]) -> list[list[str]]:
    """The characters for painting, each with its meaning (empty if it has none): those of the legend and of the board.

    If several characters have the same meaning, the result contains those on the board or, if there are none, the
    first. If pieces have letters, it also contains an unused letter, for a new piece. If the text is not a puzzle
    (`document` is None), it contains all characters of the text's own legend and of the board.
    """
    drawn = dict.fromkeys(cell[6] for cell in painted["cells"])
    found: dict[str, str] = {}
    if document is None:
        tree = parse(Source("text", text), Report())
        legend = None if tree is None else tree.items.get("legend")
        found.update(_written(legend))
        found.update((mark, "") for mark in drawn)
        return [[mark, meaning] for mark, meaning in found.items()]
    known = document.document
    legend_entries = known.legend or {}
    for mark, meaning in legend_entries.items():
        found.setdefault(mark, str(meaning))
    names = known.names or {}
    for mark in sorted(drawn):
        found.setdefault(mark, str(names.get(mark, "")))
    if any(kind is not None and kind.letters is not None for kind in (known.pieces or {}).values()):
        free = (c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" if c not in found)
        letter = next(free, None)
        if letter is not None:
            found[letter] = "a new piece"
    chosen = _one_of_each(found, drawn)
    return [[mark, meaning] for mark, meaning in found.items() if not meaning or mark in chosen]


def _one_of_each(found: dict[str, str], drawn: dict[str, None]) -> set[str]:
    """For each meaning, the characters on the board that have it; if the board has none, the first of all characters
    that have it.
    """
    same: dict[str, list[str]] = {}
    for mark, meaning in found.items():
        same.setdefault(meaning, []).append(mark)
    return {
        mark for marks in same.values() for mark in ([m for m in marks if m in drawn] or marks[:1])
    }


def _written(legend: TreeNode | None) -> dict[str, str]:
    if not isinstance(legend, MappingNode):
        return {}
    return {
        mark: value.text for mark, value in legend.items.items() if isinstance(value, ScalarNode)
    }

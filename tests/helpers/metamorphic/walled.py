"""Extends the board of a puzzle behind a wall that no piece crosses."""

from __future__ import annotations

import copy
import re
from typing import Any

from fewest.commands.api import CompiledPuzzle
from fewest.model.board import DIRECTION_GROUPS
from tests.helpers.metamorphic.document import (
    Data,
    NotApplicableError,
    Rows,
    data_of,
    drawing_of,
    elements_of,
    has_lines,
    is_rectangle,
    map_conditions,
    patterns_of,
    reads_board,
    rows_of,
    rules_of,
)

_MAYBE_NOTHING = ("empty", "wall", "_", "not ")


def walled_off_to_the_right(compiled: CompiledPuzzle) -> Data:
    """The board, extended to the right by columns of walls and then a column of floor."""
    return _walled(compiled, is_below=False)


def walled_off_below(compiled: CompiledPuzzle) -> Data:
    """The board, extended downwards by rows of walls and then a row of floor."""
    return _walled(compiled, is_below=True)


def _walled(compiled: CompiledPuzzle, *, is_below: bool) -> Data:
    board = compiled.puzzle.board
    if board is None:
        raise NotApplicableError("no board")
    data = copy.deepcopy(data_of(compiled))
    if data.get("graph") is not None:
        raise NotApplicableError("a graph has no walls")
    if has_lines(data):
        raise NotApplicableError("a board that is drawn with lines")
    if data.get("levels") and is_below:
        raise NotApplicableError("levels lie below each other")
    wrap = data.get("wrap")
    if wrap is not None and ("both" in wrap or ("columns" if is_below else "rows") in wrap):
        raise NotApplicableError("closed rows have no end")
    thickness = _thickness(data)
    wall, floor = _characters(data)

    def extended(drawing: Any) -> Any:
        rows = rows_of(drawing)
        if (len(rows), len(rows[0])) != (board.rows, board.columns):
            raise NotApplicableError("a drawing is not of the size of the board")
        return drawing_of(_extended(rows, wall, floor, thickness, is_below=is_below))

    def atom(condition: Data) -> Data:
        for key, value in condition.items():
            if key == "board":
                condition[key] = extended(value)
            where = value if isinstance(value, dict) else condition
            if where.get("touches") == ("bottom" if is_below else "right"):
                raise NotApplicableError("the goal is the edge")
        return condition

    data["board"] = extended(data["board"])
    map_conditions(data, atom, _expression)
    for section, _, rule in rules_of(data):
        is_placed = section == "then" and "before" in rule
        if is_placed and _may_be_nothing(elements_of(rule, "before")[0]):
            raise NotApplicableError("a consequence is at its first place on the board")
        for text in (rule.get("when"), *(rule.get("set") or {}).values()):
            _expression(text if isinstance(text, str) else "")
    return data


def _expression(text: str) -> str:
    if reads_board(text) and re.search(r"\b(?:(?:cell|terrain)\(|rows\b|columns\b)", text):
        raise NotApplicableError("an expression asks for cells")
    return text


def _thickness(data: Data) -> int:
    """A number of wall rows or columns that no rule can reach across. Raises NotApplicableError."""
    longest = 1
    for rule, side in patterns_of(data):
        elements = elements_of(rule, side)
        if side == "before":
            if all(_may_be_nothing(element) for element in elements):
                raise NotApplicableError("a pattern fits where no piece is")
            rows = rule["before"] if is_rectangle(rule) else [elements]
            longest = max(longest, len(rows), *map(len, rows))
            if any("..." in e and ("wall" in e or "_" in e or "not" in e) for e in elements):
                raise NotApplicableError("a stretch goes on through walls")
    for _, _, rule in rules_of(data):
        directions = rule.get("directions")
        for item in [directions] if isinstance(directions, str) else directions or ():
            for word in item.split() if isinstance(item, str) else [item]:
                offsets = [word] if isinstance(word, list) else DIRECTION_GROUPS.get(word, ())
                leaps = [abs(step) for offset in offsets for step in offset]
                longest = max([longest, *(leap * longest for leap in leaps if leap > 1)])
    return longest


def _may_be_nothing(element: str) -> bool:
    """Whether the element can match a cell without a piece and without a required terrain."""
    if " on " in element:
        return False
    return any(word in element for word in _MAYBE_NOTHING) or "..." in element


def _characters(data: Data) -> tuple[str, str]:
    """The characters for wall and floor; adds missing ones to the legend."""
    legend = data.setdefault("legend", {})
    found = []
    for meaning, fresh in (("wall", "█"), ("floor", "░")):
        known = next(
            (char for char, name in legend.items() if name == meaning and char != " "), None
        )
        if known is None:
            legend[fresh] = meaning
        found.append(known or fresh)
    return found[0], found[1]


def _extended(rows: Rows, wall: str, floor: str, thickness: int, *, is_below: bool) -> Rows:
    if is_below:
        width = len(rows[0])
        return [*rows, *([wall] * width for _ in range(thickness)), [floor] * width]
    return [[*row, *[wall] * thickness, floor] for row in rows]

"""Provides documents as plain data, and those parts of a document that a metamorphic change must transform."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

import fewest
from fewest.commands.api import CompiledPuzzle
from fewest.formats.stand_alone import plain_values
from tests.helpers.random_puzzles.parts import document as written_quickly

Data = dict[str, Any]
Rows = list[list[str]]

_FOR_PEOPLE = ("model", "extends", "title", "names", "notes", "source", "difficulty", "drawing")
_BOARD_FUNCTIONS = re.compile(r"\b(?:(?:cell|terrain|row|col)\(|rows\b|columns\b)")


class NotApplicableError(Exception):
    """The rules of the puzzle do not allow the change."""


def data_of(compiled: CompiledPuzzle) -> Data:
    """The document with its models, without the keys that are only for readers."""
    assert compiled.document is not None
    data = plain_values(compiled.document.tree)
    return {key: value for key, value in data.items() if key not in (*_FOR_PEOPLE, "expect")}


def compiled_from(data: Data) -> CompiledPuzzle:
    return fewest.load("changed.yaml", text=written_quickly(**data))


def rules_of(data: Data) -> Iterator[tuple[str, str, Data]]:
    """Each rule, with its section (`moves` or `then`) and its name."""
    for section in ("moves", "then"):
        for name, rule in (data.get(section) or {}).items():
            if rule is not None:
                yield section, name, rule


def patterns_of(data: Data) -> Iterator[tuple[Data, str]]:
    """Each pattern rule, with the key of each of its sides."""
    for _, _, rule in rules_of(data):
        for side in ("before", "after"):
            if side in rule:
                yield rule, side


def is_rectangle(rule: Data) -> bool:
    return any(isinstance(row, list) for row in rule.get("before", ()))


def map_elements(rule: Data, side: str, change: Callable[[str], str]) -> None:
    rule[side] = [
        [change(str(item)) for item in row] if isinstance(row, list) else change(str(row))
        for row in rule[side]
    ]


def elements_of(rule: Data, side: str) -> list[str]:
    return [str(item) for row in rule[side] for item in (row if isinstance(row, list) else [row])]


def map_conditions(
    data: Data, atom: Callable[[Data], Data], expression: Callable[[str], str]
) -> None:
    """Change each mapping of a condition and each expression, in the goal and in `forbid`."""

    def changed(condition: Any) -> Any:
        if isinstance(condition, str):
            return expression(condition)
        if isinstance(condition, list):
            return [changed(part) for part in condition]
        if isinstance(condition, dict):
            nested = {key: changed(condition[key]) for key in ("all", "any") if key in condition}
            return {**atom({k: v for k, v in condition.items() if k not in nested}), **nested}
        return condition

    for key in ("goal", "forbid"):
        if key in data:
            data[key] = changed(data[key])


def map_expressions(data: Data, expression: Callable[[str], str]) -> None:
    """Change each expression in rules that can contain expressions about the board."""
    for _, _, rule in rules_of(data):
        if isinstance(rule.get("when"), str):
            rule["when"] = expression(rule["when"])
        if rule.get("set"):
            rule["set"] = {
                target: expression(value) if isinstance(value, str) else value
                for target, value in rule["set"].items()
            }


def reads_board(text: str) -> bool:
    """Whether an expression mentions cells of the board."""
    return _BOARD_FUNCTIONS.search(text) is not None


def parsed(text: str) -> ast.Expression:
    try:
        return ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        raise NotApplicableError(f"an expression that Python does not parse: {text}") from None


# -- drawings ------------------------------------------------------------------------------------------


def rows_of(drawing: Any) -> Rows:
    """A drawing as rows of tokens. Raises NotApplicableError for a template."""
    if isinstance(drawing, str):
        if "{" in drawing:
            raise NotApplicableError("a drawing is a template")
        rows = [list(line) for line in drawing.split("\n")]
        while rows and not rows[-1]:
            rows.pop()
    else:
        rows = [[str(token) for token in row] for row in drawing]
    width = max(map(len, rows))
    return [row + [" "] * (width - len(row)) for row in rows]


def drawing_of(rows: Rows) -> Any:
    """Rows of tokens as a drawing."""
    if all(len(token) == 1 and token not in "{}" for row in rows for token in row):
        return "".join("".join(row) + "\n" for row in rows)
    return rows


def has_lines(data: Data) -> bool:
    edges = data.get("edges")
    return edges == "drawn" or (isinstance(edges, dict) and bool(edges.get("drawn")))

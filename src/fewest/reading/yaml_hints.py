"""Hints for text with brackets and commas that YAML would interpret: each hint shows the line with this text in
quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from fewest.errors import line_break

JOINED = "this drawing needs `|`, because otherwise YAML does not preserve its lines"

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_OPEN, _CLOSE = "([{", ")]}"
_KEY = re.compile(r"(?:(?<=[{,])|^)\s*(?![\"'])[^\s:{},\"'][^:{}\"']*?(?=:\s)")
_DRAWING = re.compile(r"\s*(?:- )?(board|shape):\s*(?:#.*)?$")
_SPECIAL = "@*&!%#`|>-?"  # A plain text may not begin with these characters.
_MAX_QUOTES = 8  # The maximum number of texts to quote on one line.


def quoted_line(text: str, line: int) -> str | None:
    """Line number `line` (from 1), with quotes added so that YAML can read it; None if quotes do not help.

    Each candidate is tested by parsing the document again.
    """
    lines = line_break().split(text)
    at = _mistake(text)
    for number in range(_MAX_QUOTES):
        if at is None or (number and at[0] > line):
            return lines[line - 1] if number else None
        here = lines[line - 1]
        column = at[1] if at[0] == line else len(here)
        # the number of characters from the mistake to the end of the line
        left = len(here) - column
        better = None
        for candidate in _candidates(here, column):
            after = _mistake("\n".join([*lines[: line - 1], candidate, *lines[line:]]))
            if after is None or (after > at and after[0] > line):
                better = candidate, after
                break
            if after[0] == at[0] == line and len(candidate) - after[1] < left:
                better = candidate, after
                left = len(candidate) - after[1]
        if better is None:
            return None
        lines[line - 1], at = better
    return None


def whole_quoted(line: str, start: int) -> str | None:
    """The line with quotes around the value, including its brackets, that starts at this column (from 0)."""
    end = _end(line, start)
    return None if end is None else _with_quotes(line, start, end)


def joined_drawing(text: str, line: int) -> int | None:
    """The line of a key `board:` or `shape:` without `|`, if the given line is in the drawing below this key; otherwise
    None.
    """
    lines = line_break().split(text)
    number = min(line, len(lines))
    while number > 0:
        if _DRAWING.match(lines[number - 1]):
            inner = len(lines[number - 1]) - len(lines[number - 1].lstrip())
            below = lines[number : max(line, number + 1)]
            is_inside = all(not x or len(x) - len(x.lstrip()) > inner for x in below)
            return number if below and is_inside else None
        if line - number > 100:
            return None
        number -= 1
    return None


def _mistake(text: str) -> tuple[int, int] | None:
    """The line (from 1) and column (from 0) at which YAML stops; None if YAML reads the whole text."""
    try:
        for _ in yaml.parse(text, Loader=_Loader):
            pass
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        return None if mark is None else (mark.line + 1, mark.column)
    return None


def _candidates(line: str, column: int) -> Iterator[str]:
    """Versions of the line in which one more text is in quotes. The likeliest version, which quotes the text with the
    mistake, comes first.
    """
    for match in _KEY.finditer(line):
        start = match.start() + len(match[0]) - len(match[0].lstrip())
        is_special = line[start] in _SPECIAL or any(c in line[start : match.end()] for c in _OPEN)
        if is_special and start <= column:
            found = _with_quotes(line, start, match.end())
            if found is not None:
                yield found
    starts = [match.end() for match in re.finditer(r":\s+|(?<=[\[{,])\s*|^\s*- ", line)]
    for start in sorted({s for s in starts if s <= column}, reverse=True):
        end = _end(line, start)
        is_key = line[:start].rstrip().endswith(("{", ",")) or line.startswith("{", start)
        # the text may also be a key with its value, or several such pairs
        is_pair = is_key and re.search(r":\s", line[start:end])
        if end is not None and end > start and not is_pair:
            found = _with_quotes(line, start, end)
            if found is not None:
                yield found


def _end(line: str, start: int) -> int | None:
    """The end of the text that starts at `start`: the first comma, bracket or comment outside the text, or the end of
    the line. None if a bracket or quote remains open.
    """
    depth, at = 0, start
    quote = ""
    while at < len(line):
        character = line[at]
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif line.startswith(" #", at):
            break
        elif character in _OPEN:
            depth += 1
        elif character in _CLOSE and depth:
            depth -= 1
        elif character in _CLOSE or (character == "," and not depth and _in_flow(line, start)):
            break
        at += 1
    return None if depth or quote else len(line[:at].rstrip())


def _in_flow(line: str, start: int) -> bool:
    before = line[:start]
    return any(before.count(a) > before.count(b) for a, b in ("{}", "[]"))


def _with_quotes(line: str, start: int, end: int) -> str | None:
    text = line[start:end]
    quote = '"' if '"' not in text and "\\" not in text else "'"
    if quote in text:
        return None
    return f"{line[:start]}{quote}{text}{quote}{line[end:]}"

"""Replaces or escapes characters that control a terminal or a browser, in text that the program did not write itself.

With such characters, a title could clear the screen, rename the window, or reorder the other characters on its line.
Letters of all scripts are unchanged. So are the two joiners (U+200C, U+200D), which Persian words and emoji need, and
the visible number signs of Arabic and Syriac.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

_RANGES = (
    "\\x00-\\x1f\\x7f-\\x9f"  # control characters
    "\\xad\u061c\u180e\u200b\u200e\u200f"  # invisible characters and direction marks
    "\u2028-\u202e\u2060-\u206f"  # line ends, embeddings, overrides and isolates
    "\ud800-\udfff"  # surrogates, which no encoding can represent
    "\ufeff\ufff9-\ufffb\ufffe\uffff"  # byte order mark, annotations and noncharacters
    # layout characters of rare scripts
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"  # tags and other invisible characters, which can hide a second text
)
_RARE = (
    # from this character on, Python counts some hidden characters as printable
    "\U00010000"
)

_LONGEST = 200  # the maximum number of characters between the quotes that `in_quotes` adds


@cache
def hidden() -> re.Pattern[str]:
    """A pattern for hidden characters. It is compiled only when it is needed: compiling takes half a millisecond, and
    most texts contain no hidden characters.
    """
    return re.compile(f"[{_RANGES}]")


@cache
def _hidden_in_lines() -> re.Pattern[str]:
    return re.compile(f"(?![\\t\\n])[{_RANGES}]")


def _is_plain(text: str) -> bool:
    """Whether a text certainly contains no hidden characters; if the result is False, the text may contain some."""
    return text.isprintable() and (text.isascii() or max(text) < _RARE)


def shown(text: str) -> str:
    """The text on one line, with U+FFFD for every hidden character."""
    return text if _is_plain(text) else hidden().sub("\ufffd", text)


def shown_lines(text: str) -> str:
    """The text with its line breaks, and with U+FFFD for every hidden character except line feeds and tabs."""
    if all(map(_is_plain, text.split("\n"))):
        return text
    return _hidden_in_lines().sub("\ufffd", text)


def file_stem(name: str) -> str:
    """A name as the beginning of a file name; the result cannot select another folder or hide the file."""
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in name).lstrip(".") or "puzzle"


def plain_word(name: str) -> str:
    """The name of a puzzle or metric; it is in quotes unless it is one plain word, because it could otherwise be
    mistaken for a verdict.
    """
    return name if _plain_words().fullmatch(name) else in_quotes(name)


@cache
def _plain_words() -> re.Pattern[str]:
    # this excludes the letters of the Korean script that look like blanks
    return re.compile(r"(?:[^\W\u115f\u1160\u3164\uffa0]|[.+-]){1,100}")


def in_quotes(text: str) -> str:
    """A name or title on one line, in quotes; apostrophes replace quotes within it."""
    text = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return '"' + shown(text).replace('"', "'") + '"'


def shown_in(data: Any) -> Any:
    """Plain data in which every text (including keys) is safe to show: U+FFFD replaces the hidden characters."""
    if isinstance(data, str):
        return shown_lines(data)
    if isinstance(data, dict):
        return {shown_in(key): shown_in(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        is_plain = all(type(item) is int for item in data)  # a fast test for long lists
        return data if is_plain else [shown_in(item) for item in data]
    return data


def escaped_in_json(text: str) -> str:
    """The JSON of the same value, with escape sequences in place of the hidden characters.

    Line feeds and tabs are not replaced. In the output of `json.dumps`, all other hidden characters are in strings.
    """
    return _hidden_in_lines().sub(_in_json, text)


def quoted(text: str) -> str:
    """The text in double quotes for YAML, with escape sequences in place of its hidden characters."""
    import json

    return hidden().sub(_in_yaml, json.dumps(text, ensure_ascii=False))


def _in_yaml(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _in_json(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))

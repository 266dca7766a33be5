"""Removes characters that control a terminal or a browser from foreign text.

With such characters, a title could clear the screen, rename the window, or reorder the other characters on its line.
Letters of every script remain, and so do the two joiners (U+200C, U+200D) that Persian words and emoji need, and the
visible number signs of Arabic and Syriac.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

_RANGES = (
    "\\x00-\\x1f\\x7f-\\x9f"  # control characters
    "\\xad\u061c\u180e\u200b\u200e\u200f"  # invisible characters, and direction marks
    "\u2028-\u202e\u2060-\u206f"  # line ends, embeddings, overrides, isolates
    "\ud800-\udfff"  # surrogates, which no encoding can write
    "\ufeff\ufff9-\ufffb\ufffe\uffff"  # byte order mark, annotations, noncharacters
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # layout of rare scripts
    "\U000e0000-\U000e0fff"  # tags and other invisible characters, which can hide a second text
)
_RARE = (
    "\U00010000"  # the first character from which Python counts some hidden characters as printable
)

_LONGEST = 200  # the maximum length of a text in quotes


@cache
def hidden() -> re.Pattern[str]:
    """A pattern for hidden characters. The pattern is compiled on demand, because compiling takes half a millisecond
    and most texts have no hidden characters.
    """
    return re.compile(f"[{_RANGES}]")


@cache
def _hidden_in_lines() -> re.Pattern[str]:
    return re.compile(f"(?![\\t\\n])[{_RANGES}]")


def _is_plain(text: str) -> bool:
    """Whether a text certainly has no hidden characters. False means that the text may have hidden characters."""
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
    """A name as the beginning of a file name: it cannot choose another folder, or hide the file."""
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in name).lstrip(".") or "puzzle"


def plain_word(name: str) -> str:
    """The name of a puzzle or metric, in quotes if it is not one plain word, because it could otherwise be mistaken for
    a verdict.
    """
    return name if _plain_words().fullmatch(name) else in_quotes(name)


@cache
def _plain_words() -> re.Pattern[str]:
    # without the letters of the Korean script that look like blanks
    return re.compile(r"(?:[^\W\u115f\u1160\u3164\uffa0]|[.+-]){1,100}")


def in_quotes(text: str) -> str:
    """A name or title on one line, in quotes; apostrophes replace any quotes inside it."""
    text = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return '"' + shown(text).replace('"', "'") + '"'


def shown_in(data: Any) -> Any:
    """Plain data in which every text (including keys) is converted to a line that is safe to show."""
    if isinstance(data, str):
        return shown_lines(data)
    if isinstance(data, dict):
        return {shown_in(key): shown_in(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        is_plain = all(type(item) is int for item in data)  # a fast check for long lists
        return data if is_plain else [shown_in(item) for item in data]
    return data


def escaped_in_json(text: str) -> str:
    """The JSON of the same value, in which the hidden characters are escape sequences.

    Apart from the line feeds and blanks between its values, JSON can contain these characters only within strings.
    """
    return _hidden_in_lines().sub(_in_json, text)


def quoted(text: str) -> str:
    """The text in double quotes for YAML, with its hidden characters as escape sequences."""
    import json

    return hidden().sub(_in_yaml, json.dumps(text, ensure_ascii=False))


def _in_yaml(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _in_json(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))

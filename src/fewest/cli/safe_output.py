"""Filters the text that is printed to stdout and stderr: U+FFFD replaces the control characters of untrusted text.

`screened` puts a `Screen` in front of both streams while a command runs. All text goes through these streams, so no
command can bypass the screen by mistake. The program's own colours are not removed, because `style` marks them with a
random word. Each process uses a different word, which the author of a puzzle cannot guess. Files and pictures that go
to stdout as bytes are not filtered.
"""

from __future__ import annotations

import codecs
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from fewest.sanitize import shown_lines

_MARK = f"\x1a{os.urandom(12).hex()}\x1a"
_OWN = rf"{_MARK}(\r|\[[0-9;]*[A-Za-z])"  # a regular expression
CLEAR_LINE = f"{_MARK}\r{_MARK}[K"
_RESET = f"{_MARK}[0m"
_COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_CODES = {
    **{name: 30 + number for number, name in enumerate(_COLOURS)},
    **{f"bright_{name}": 90 + number for number, name in enumerate(_COLOURS)},
}


def style(text: str, *, colour: str | None = None, bold: bool = False, dim: bool = False) -> str:
    """The text in a style; the screen removes the style if colours are disabled."""
    codes = [_CODES[colour]] if colour else []
    codes += [1] * bold + [2] * dim
    opening = "".join(f"{_MARK}[{code}m" for code in codes)
    return f"{opening}{text}{_RESET}" if opening else text


@contextmanager
def screened(uses_colour: Callable[[], bool | None]) -> Iterator[None]:
    """Filter all text on stdout and stderr during this block.

    The program's colours pass if `uses_colour` returns true; if it returns None, they pass only on a terminal.
    """
    if sys.platform == "win32":
        from colorama import just_fix_windows_console  # on Windows, click installs colorama

        just_fix_windows_console()
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast(TextIO, Screen(stream, uses_colour)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


class Screen:
    """A stream that filters text on its way to another stream; all other calls go to that stream unchanged."""

    def __init__(self, stream: TextIO, uses_colour: Callable[[], bool | None]) -> None:
        self._stream, self._uses_colour = stream, uses_colour
        # otherwise, click would create a UTF-8 stream that bypasses this class
        if _is_ascii(stream):
            cast(Any, stream).reconfigure(encoding="utf-8", errors="replace")

    def write(self, text: str) -> int:
        """Write a text, with U+FFFD in place of hidden characters. Returns the length of the original text."""
        self._stream.write(self._shown(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts one after another, as `write` does."""
        for line in lines:
            self.write(line)

    def _shown(self, text: str) -> str:
        if _MARK not in text:
            return shown_lines(text)
        parts = re.split(_OWN, text)  # in this list, texts and the program's own codes alternate
        parts[::2] = map(shown_lines, parts[::2])
        parts[1::2] = map(self._code, parts[1::2])
        return "".join(parts)

    def _code(self, code: str) -> str:
        if code == "\r":
            return code
        wanted = self._uses_colour()
        has_colour = self._stream.isatty() if wanted is None else wanted
        return f"\x1b{code}" if has_colour or not code.endswith("m") else ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _is_ascii(stream: TextIO) -> bool:
    try:
        return codecs.lookup(stream.encoding).name == "ascii" and hasattr(stream, "reconfigure")
    except (LookupError, TypeError):
        return False

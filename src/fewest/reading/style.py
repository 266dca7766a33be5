"""Reads the `drawing` key of a document: colours, symbols and shapes. Checks every word and colour."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fewest.errors import did_you_mean, listed
from fewest.model.puzzle import Variable
from fewest.model.style import COLOURS, Style
from fewest.reading.context import Context, Path

# the maximum number of characters in a symbol; it is more than 1, because one emoji may consist of several characters
MAX_SYMBOL = 12
_HEX = r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})"


def read_style(context: Context, variables: Iterable[Variable]) -> Style:
    """The style of a document. Wrong entries are reported and omitted."""
    raw = context.document.drawing
    if raw is None:
        return Style()
    terrains = list(context.board.terrain) if context.board is not None else []
    pieces = context.piece_words
    values = {str(value) for variable in variables for value in variable.values}
    cells = ["wall", "floor", *terrains]
    colours: dict[str, str] = {}
    for word, text in (raw.colours or {}).items():
        path = ("drawing", "colours", word)
        if _is_known(context, path, word, [*pieces, *cells], values):
            colour = _colour(context, path, text)
            if colour is not None:
                colours[word] = colour
    symbols: dict[str, str] = {}
    for word, text in (raw.symbols or {}).items():
        path = ("drawing", "symbols", word)
        if _is_known(context, path, word, [*pieces, *cells], values):
            if len(text) > MAX_SYMBOL or any(character < " " for character in text):
                message = f"a symbol must have at most {MAX_SYMBOL} characters, all on one line"
                context.error(path, "drawing-symbol", message)
            else:
                symbols[word] = text
    shapes = {
        word: shape
        for word, shape in (raw.shapes or {}).items()
        if _is_known(context, ("drawing", "shapes", word), word, pieces, ())
    }
    return Style(raw.cells, colours, symbols, dict(shapes))


def _is_known(
    context: Context, path: Path, word: str, words: list[str], values: Iterable[str]
) -> bool:
    """Whether the word occurs in the puzzle. Reports a missing word only if the puzzle's own document names it: a model
    may also name letters that are not on every board.
    """
    if word in words or word in values:
        return True
    location, own = context.loaded.key_location(path), context.loaded.location(()).source
    if location.source is own:
        context.error(
            path,
            "drawing-word",
            f"there is neither a piece nor a terrain named `{word}`",
            hint=did_you_mean(word, words, listed("word", words)),
            at_key=True,
        )
    return False


def _colour(context: Context, path: Path, text: str) -> str | None:
    """The colour as `#rrggbb` or `none`; None if a mistake was reported."""
    if text in COLOURS:
        return COLOURS[text]
    if re.fullmatch(_HEX, text):
        return text.lower() if len(text) == 7 else "#" + "".join(c * 2 for c in text[1:].lower())
    context.error(
        path,
        "drawing-colour",
        f"`{text}` is not a colour",
        hint=did_you_mean(text, COLOURS, f'write "#c80" or one of {", ".join(COLOURS)}'),
    )
    return None

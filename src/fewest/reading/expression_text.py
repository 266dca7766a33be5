"""Parses the text of an expression with Python's own grammar, and locates its nodes in the text."""

from __future__ import annotations

import ast
import keyword
import re

from fewest.model.expression import MAX_TEXT, ExpressionError


def parse(text: str, shift: int = 0) -> ast.expr:
    """The tree of an expression; the columns of errors are reduced by `shift`.

    Raises ExpressionError if the text is too long, is nested too deeply, or does not follow Python's grammar.
    """
    if len(text) > MAX_TEXT:
        raise ExpressionError(
            "expression-too-long",
            f"this expression has {len(text):,} characters; the limit is {MAX_TEXT:,}",
        )
    stripped = text.lstrip()
    indent = len(text) - len(stripped)
    try:
        # The parentheses let an expression extend over several lines, as in a text block of YAML.
        node = ast.parse("(" + stripped + "\n)", mode="eval").body
    except (SyntaxError, ValueError) as error:
        row, column = getattr(error, "lineno", 1) or 1, getattr(error, "offset", 1) or 1
        lines = text.split("\n")
        if row > len(lines):  # the expression is incomplete
            row, offset = len(lines), len(lines[-1]) - 1
        else:
            offset = column - 2 + indent if row == 1 else column - 1
        offset = max(0, min(offset, len(lines[row - 1]) - 1))
        reason = re.split(r"\. (?:Perhaps|Maybe) you", getattr(error, "msg", str(error)))[0]
        hint = "compare with `==`; expressions do not support `=`" if "==" in str(error) else ""
        hint = hint or _syntax_hint(stripped)
        raise ExpressionError(
            "expression-syntax",
            f"cannot read this expression: {reason}",
            line=row - 1,
            offset=max(0, offset - shift),
            hint=hint,
        ) from None
    except (RecursionError, MemoryError):
        raise ExpressionError(
            "expression-too-long", "this expression is nested too deeply"
        ) from None
    if isinstance(node, ast.Tuple) and node.col_offset == 0 and not node.elts:
        # the text has only blanks and comments, so only the added parentheses are left
        hint = "quotes do not prevent `#` from starting a comment" if "#" in text else ""
        raise ExpressionError(
            "expression-syntax", "this expression is empty", hint=_drawing_hint(text) or hint
        )
    return node


_OTHER_SIGNS = {"&&": "and", "||": "or", "<>": "!=", "=>": ">=", "=<": "<=", "===": "=="}
"""Operators of other languages, and the operators that expressions have instead."""


def _syntax_hint(text: str) -> str:
    """The hint for a text that does not follow Python's grammar; empty for an unknown mistake."""
    if hint := _drawing_hint(text):
        return hint
    # the contents of quotes are not syntax
    bare = re.sub(r"'[^']*'|\"[^\"]*\"", lambda found: "_" * len(found[0]), text)
    for sign, instead in _OTHER_SIGNS.items():
        if sign in bare:
            return f"write `{instead}` instead of `{sign}`"
    if re.search(r"!(?!=)", bare):
        return "write `not` instead of `!`"
    if re.search(r"\d\s*\.\.", bare):
        return "write `range(n)` for the whole numbers from 0 to n - 1, or `range(a, b)`"
    placed = re.fullmatch(r"\s*([\w-]+)\s+(on|off)\s+([\w-]+)\s*", bare)
    if placed is not None:
        kind, side, terrain = placed.groups()
        if side == "off":
            return f"write `count({kind}, not {terrain}) > 0`"
        return f"write `count({kind}, {terrain}) > 0`, or the map {{{kind}: {{on: {terrain}}}}}"
    if re.search(r"\bcount\([^()]*\b(on|off)\s", bare):
        return "write `count(KIND, TERRAIN)` without `on`, or `count(KIND, not TERRAIN)`"
    if re.match(r"\s*(on|off)\s", bare):
        return "expressions test terrain with `terrain(ROW, COLUMN)` or `count(KIND, TERRAIN)`"
    return _reserved_hint(text, bare)


def _reserved_hint(text: str, bare: str) -> str:
    """The hint for a word that expressions reserve, if quotes around it make the text valid."""
    for found in re.finditer(r"[^\W\d]\w*", bare):
        word = found[0]
        if keyword.iskeyword(word):
            quoted = f"{text[: found.start()]}'{word}'{text[found.end() :]}"
            try:
                ast.parse("(" + quoted + "\n)", mode="eval")
            except (SyntaxError, ValueError):
                continue
            return f"`{word}` is reserved, so put the word in quotes: '{word}'"
    return ""


def _drawing_hint(text: str) -> str:
    """The hint for a text that consists of rows of equal length without blanks; empty for another text."""
    rows = text.split()
    if len(rows) > 1 and rows == text.splitlines() and len({len(row) for row in rows}) == 1:
        return "write a drawn goal under `board`: `goal: {board: ...}`"
    return ""


class ExpressionText:
    """Finds the locations, in the text, of the nodes that `parse(text)` returns."""

    def __init__(self, text: str) -> None:
        self.lines = ("(" + text.lstrip()).split("\n")
        self.indent = len(text) - len(text.lstrip())

    def written(self, node: ast.AST) -> str:
        """The text of a node on one line; empty if the node spans several lines."""
        line, end = getattr(node, "lineno", 1), getattr(node, "end_lineno", 1)
        first, last = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", 0)
        if line != end or line > len(self.lines):
            return ""
        return self.lines[line - 1].encode()[first:last].decode(errors="ignore")

    def error(self, node: ast.AST, code: str, message: str, hint: str = "") -> ExpressionError:
        """An error at the location of the node."""
        line = getattr(node, "lineno", 1) - 1
        raw = getattr(node, "col_offset", 0)
        encoded = self.lines[min(line, len(self.lines) - 1)].encode()
        offset = len(encoded[:raw].decode(errors="ignore"))
        end = getattr(node, "end_col_offset", raw + 1)
        same = getattr(node, "end_lineno", line + 1) == line + 1
        length = len(encoded[raw:end].decode(errors="ignore")) if same and end else 1
        if line == 0:
            offset = offset - 1 + self.indent
        return ExpressionError(
            code, message, line=line, offset=max(0, offset), length=length, hint=hint
        )

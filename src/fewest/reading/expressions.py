"""Expressions of the puzzle language: a safe subset of Python's expressions, which is checked when it is read and does
not use `eval`.

Python's own grammar reads the text (`ast.parse`). The compiler then checks that every node is supported, and compiles
the nodes to closures over an `Env`. Steps, digits and text lengths are limited, so `10 ** 10 ** 10` causes an error
with a location, not an endless computation.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from fewest.model.expression import (
    MAX_LENGTH,
    Expression,
    ExpressionError,
    Scope,
    Target,
)
from fewest.reading.expression_compiler import ExpressionCompiler
from fewest.reading.expression_text import parse
from fewest.reading.formulas import formula_of
from fewest.reading.numeric_letters import numeric_letters


def parse_expression(text: str, scope: Scope, *, is_condition: bool = False) -> Expression:
    """The checked expression of `text`. Raises ExpressionError, which contains the location of the mistake in the
    text. `is_condition`: whether the expression must be true or false, and not a word.
    """
    node = parse(text)
    compiler = ExpressionCompiler(text, scope)
    run = compiler.compile(node, 0)
    if is_condition:
        compiler.check_truth(node)
    return Expression(
        text,
        run,
        compiler.reads_state,
        frozenset(compiler.names_pieces) | numeric_letters(node, scope),
        frozenset(compiler.places_pieces),
        frozenset(compiler.tested_rules),
        parted=formula_of(node, text, scope),
    )


def parse_target(text: str, scope: Scope) -> Target:
    """The target of a `set` key, which has the form `x`, `x[i]`, or `x[j] for j in range(9) if j != i`."""
    generators: list[ast.comprehension] = []
    if " for " in text:
        whole = wrapped = parse("(" + text + ")", shift=1)
        if not isinstance(wrapped, ast.GeneratorExp):
            message = "expected a variable with a loop, such as `x[i] for i in range(3)`"
            raise ExpressionError("expression-syntax", message, length=len(text))
        node, generators = wrapped.elt, wrapped.generators
    else:
        whole = node = parse(text)
    compiler = ExpressionCompiler(text, scope)
    if generators:
        slot, loop, names = compiler.target_loop(node, generators)
    else:
        slot, loop, names = compiler.slot(node, 0), None, []
    return Target(
        text,
        slot,
        tuple(names),
        frozenset(compiler.tested_rules),
        frozenset(compiler.names_pieces) | numeric_letters(whole, scope),
        loop=loop,
    )


def fill_template(
    text: str,
    names: Mapping[str, Any],
    word_texts: Mapping[str, str] | None = None,
    geometry: str = "square",
) -> str:
    """`text` with every `{expression}` replaced by its value; `{{` and `}}` are literal braces.

    If a value is a word in `word_texts`, the text of that word replaces it. `geometry`: that of the board, for the
    functions of directions.
    """
    out: list[str] = []
    size = 0
    scope = Scope(values=frozenset(names), geometry=geometry)
    at = 0
    while at < len(text):
        character = text[at]
        if character in "{}" and text[at : at + 2] == character * 2:
            piece, at = character, at + 2
        elif character == "{":
            end = text.find("}", at)
            if end < 0:
                raise _template_error(text, at, "this `{` has no matching `}`")
            try:
                value = parse_expression(text[at + 1 : end], scope).evaluate(names)
            except ExpressionError as error:
                line, offset = _line_of(text, at + 1 + error.offset)
                raise ExpressionError(
                    error.code,
                    error.message,
                    line=line,
                    offset=offset,
                    length=error.length,
                    hint=error.hint,
                ) from None
            if not isinstance(value, (int, str)) or isinstance(value, bool):
                raise _template_error(
                    text, at, "the value of a template must be text or a whole number"
                )
            piece, at = str(value), end + 1
            if word_texts and isinstance(value, str):
                piece = word_texts.get(value, piece)
        elif character == "}":
            message, hint = "this `}` has no matching `{`", "write `}}` for the character `}`"
            raise _template_error(text, at, message, hint)
        else:
            piece, at = character, at + 1
        out.append(piece)
        size += len(piece)
        if size > MAX_LENGTH:
            raise _template_error(
                text, at - 1, f"this text exceeds the limit of {MAX_LENGTH:,} characters"
            )
    return "".join(out)


def _line_of(text: str, at: int) -> tuple[int, int]:
    before = text[:at]
    line = before.count("\n")
    return line, len(before) - (before.rfind("\n") + 1)


def _template_error(text: str, at: int, message: str, hint: str = "") -> ExpressionError:
    line, offset = _line_of(text, at)
    return ExpressionError("template", message, line=line, offset=offset, hint=hint)

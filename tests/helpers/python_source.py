"""The comments, docstrings and names of Python source. The tests read every file of the project, and the standard
library would take several times longer.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""|'
    r"'''(?:\\.|[^\\])*?'''|"
    r'"(?:\\.|[^"\\\n])*"|'
    r"'(?:\\.|[^'\\\n])*'|"
    r"(?P<comment>#[^\n]*)",
    re.S,
)
"""A string, or a comment."""


def comments(text: str) -> Iterator[tuple[int, str, bool]]:
    """The line of each comment, its text with the #, and whether nothing precedes it on the line."""
    line, counted = 1, 0
    for match in TOKEN.finditer(text):
        if comment := match["comment"]:
            at = match.start()
            line += text.count("\n", counted, at)
            counted = at
            yield line, comment, not text[text.rfind("\n", 0, at) + 1 : at].strip()


def statements(tree: ast.Module) -> Iterator[ast.AST]:
    """All statements of a module, and the parts of statements that contain them."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        yield node
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            todo += getattr(node, field, ())


def docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    """Every string that is a statement. It documents something: attributes have docstrings of this form, too."""
    for node in statements(tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.value


def code_of(text: str, tree: ast.Module) -> str:
    """The text of a module without its comments, and without the lines of its docstrings."""
    lines = TOKEN.sub(lambda token: "" if token["comment"] else token[0], text).split("\n")
    for docstring in docstrings(tree):
        start, end = docstring.lineno - 1, docstring.end_lineno
        assert end is not None
        lines[start:end] = [""] * (end - start)
    return "\n".join(lines)


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes of a tree, like `ast.walk` but in another order."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        for value in vars(node).values():
            if isinstance(value, ast.AST):
                todo.append(value)
            elif isinstance(value, list):
                todo += [one for one in value if isinstance(one, ast.AST)]


def names_in(node: ast.AST) -> Iterator[str]:
    """The names that a node contains, apart from those of the nodes below it and from literals."""
    if isinstance(node, ast.Constant):
        return
    for value in vars(node).values():
        for one in value if isinstance(value, list) else (value,):
            if isinstance(one, str):
                yield from one.split(".")  # the module of an import

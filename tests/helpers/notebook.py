"""Executes the notebooks of docs/ as Jupyter does, but without Jupyter: `python -m tests.helpers.notebook` writes
them."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.helpers.cells import ROOT

NOTEBOOKS = tuple(sorted((ROOT / "docs").glob("*.ipynb")))
_TIMES = re.compile(
    r"0x[0-9a-f]+|\d+(?:\.\d+)?(?= (?:s|ms|MiB|GiB|KiB)\b)|width:[\d.]+%|(?<=>)[\d,.]+(?=</td>)"
)


def executed(book: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the outputs of all its cells, which are executed in order in one namespace."""
    names: dict[str, Any] = {"__name__": "notebook"}
    cells = []
    number = 0
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for cell in book["cells"]:
            if cell["cell_type"] == "code":
                number += 1
                outputs = list(_outputs("".join(cell["source"]), names, number))
                cell = {**cell, "execution_count": number, "outputs": outputs}
            cells.append(cell)
    return {**book, "cells": cells}


def _outputs(source: str, names: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """The output of a cell, and the representation of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    if printed.getvalue():
        yield {"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())}
    if value is not None:
        yield {
            "output_type": "execute_result",
            "execution_count": number,
            "metadata": {},
            "data": bundle(value),
        }


def bundle(value: Any) -> dict[str, list[str]]:
    """The representations of an object that Jupyter would show, by type."""
    shown = {"text/plain": repr(value)}
    for kind, name in (("image/svg+xml", "_repr_svg_"), ("text/html", "_repr_html_")):
        method = getattr(value, name, None)
        text = None if method is None else method()
        if text is not None:
            shown[kind] = text
    if "text/html" in shown:  # Jupyter shows the HTML, so the file needs no other representation
        shown.pop("image/svg+xml", None)
    return {kind: _lines(text) for kind, text in shown.items()}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def steady(book: dict[str, Any]) -> str:
    """A notebook without the values that differ between runs: times and memory."""
    return _TIMES.sub("N", json.dumps(book, ensure_ascii=False, indent=1, sort_keys=True))


def read(notebook: Path) -> dict[str, Any]:
    """The notebook in a file."""
    found: dict[str, Any] = json.loads(notebook.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    os.environ.setdefault("COLUMNS", "80")
    for path in NOTEBOOKS:
        book = executed(read(path))
        text = json.dumps(book, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
        path.write_text(text, encoding="utf-8")

"""Converts the notebook to a page of the site, with its texts, its code and its outputs."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parent / "notebook.ipynb"


def page(notebook: Path = NOTEBOOK) -> str:
    """The text of the page."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join(part for cell in cells for part in _parts(cell)) + "\n"


def _parts(cell: dict[str, Any]) -> list[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    return [f"```python\n{source}\n```", *(_shown(output) for output in cell["outputs"])]


def _shown(output: dict[str, Any]) -> str:
    """An output as one line of HTML, which Markdown does not change. Line breaks become character references."""
    data = output.get("data", {})
    for kind in ("text/html", "image/svg+xml"):
        if kind in data:
            text = "".join(data[kind])
            break
    else:
        text = f"<pre>{escape(''.join(data.get('text/plain', output.get('text', ''))))}</pre>"
    return '<div class="output">' + text.strip().replace("\n", "&#10;") + "</div>"

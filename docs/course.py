"""Converts the course notebook to a page of the site, with the function of `notebook.py`."""

from __future__ import annotations

import runpy
from pathlib import Path

COURSE = Path(__file__).parent / "course.ipynb"


def page() -> str:
    """The text of the page."""
    text: str = runpy.run_path(str(Path(__file__).parent / "notebook.py"))["page"](COURSE)
    return text

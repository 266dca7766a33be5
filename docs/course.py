"""The course notebook as a page of the site, as `notebook.py` makes the other one."""

from __future__ import annotations

import runpy
from pathlib import Path

COURSE = Path(__file__).parent / "course.ipynb"


def page() -> str:
    """The text of the page."""
    made: str = runpy.run_path(str(Path(__file__).parent / "notebook.py"))["page"](COURSE)
    return made

"""Updates program output on pages of the documentation: `python -m tests.helpers.transcripts`.

On these pages, a `yaml` block is a file, named by its `title` or its puzzle, and a `text` block that begins with
`$ fewest` shows the output of its commands. A line `…` stands for omitted lines: an update leaves the same numbers of
lines before and after it.
"""

from __future__ import annotations

import re
import shlex
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.helpers.cells import ROOT
from tests.helpers.command_line import run

DOCS = ROOT / "docs"
PAGES = [DOCS / "tutorial.md", *sorted((DOCS / "how-to").glob("*.md"))]

_BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.M | re.S)
_NAME = re.compile(r"^(?:puzzle|model): (\S+)", re.M)
_TITLE = re.compile(r'title="([^"]+)"')
_LEFT_OUT = "…"


def page(path: Path) -> str:
    """The text of a page with the current output of its commands."""
    with TemporaryDirectory() as folder, chdir(folder):
        return _BLOCK.sub(_block, path.read_text(encoding="utf-8"))


def steady(text: str) -> str:
    """A page without the parts that may differ between searches: the engine, and its number of states."""
    return re.sub(r"proven(.*?): \w+, [\d,]+ states", r"proven\1", text)


def _block(match: re.Match[str]) -> str:
    language, attributes, text = match.groups()
    if language == "yaml":
        title, name = _TITLE.search(attributes), _NAME.search(text)
        if title or name:
            file = Path(title[1] if title else f"{name[1]}.yaml")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    elif language == "text" and text.startswith("$ fewest "):
        parts = re.split(r"^\$ (.*)\n", text, flags=re.M)[1:]
        text = "".join(
            f"$ {command}\n{_trimmed(_said(command), output)}"
            for command, output in zip(parts[::2], parts[1::2], strict=True)
        )
    return f"```{language}{attributes}\n{text}```"


def _said(command: str) -> list[str]:
    done = run(*shlex.split(command)[1:])
    lines = (done.stderr + done.stdout).rstrip("\n").splitlines()
    return [line.rstrip() for line in lines]


def _trimmed(lines: list[str], before: str) -> str:
    old = before.rstrip("\n").splitlines()
    if _LEFT_OUT in old:
        head, tail = old.index(_LEFT_OUT), len(old) - old.index(_LEFT_OUT) - 1
        lines = [*lines[:head], _LEFT_OUT, *(lines[-tail:] if tail else [])]
    gap = "\n" if before.endswith("\n\n") else ""
    return "".join(f"{line}\n" for line in lines) + gap


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(page(path), encoding="utf-8")

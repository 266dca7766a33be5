"""Hooks of mkdocs, which turn files outside `docs/` and generated texts into pages of the site.

In the repository, each link is relative to the file that contains it. The hooks convert links between folders to links
between pages, and replace file names in their texts by the titles of the pages.
"""

from __future__ import annotations

import posixpath
import re
import runpy
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent

ELSEWHERE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "encodings/README.md": "encodings.md",
}
"""The files outside `docs/` that become pages, and the names of these pages."""

MADE = ("commands", "course", "notebook")
"""The pages that the Python files of these names in this folder generate."""

_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s:]+)(#[^)\s]*)?\)")
_ROW = re.compile(r"^\|.*$", re.M)
_CODE = re.compile(r"`[^`\n]*`")
_INLINE_CODE = re.compile(r"(?<=<code>)[^<\n]*(?=</code>)")
_HYPHENATED = re.compile(r"(?<![\w-])(?=[\w-]{3,24}(?![\w-]))-{0,2}\w+(?:-\w+)*")
_FOLDERS = {"encodings/": "encodings/README.md"}


def _title(place: str) -> str:
    """The title of a page, which replaces a file name as the text of a link."""
    path = ROOT / place
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    titles = (line.removeprefix("# ") for line in lines if line.startswith("# "))
    return next(titles, posixpath.basename(place))


def on_files(files: Any, config: Any) -> Any:
    """Add the pages whose texts are outside `docs/`, and the generated pages."""
    for name in MADE:
        text = runpy.run_path(str(ROOT / "docs" / f"{name}.py"))["page"]()
        files.append(File.generated(config, f"{name}.md", content=text))
    for place, page in ELSEWHERE.items():
        files.append(
            File.generated(config, page, content=(ROOT / place).read_text(encoding="utf-8"))
        )
    return files


def without_escapes(markdown: str) -> str:
    """The text without the backslashes before | in the code of tables. GitHub needs them, but the site shows them."""

    def row(match: re.Match[str]) -> str:
        return _CODE.sub(lambda code: code[0].replace("\\|", "|"), match[0])

    return _ROW.sub(row, markdown)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Convert links and pictures between files of the repository to links and pictures between pages."""
    uri = page.file.src_uri
    places = {page_uri: place for place, page_uri in ELSEWHERE.items()}
    place = places.get(uri, f"docs/{uri}")

    def linked(match: re.Match[str]) -> str:
        sign, text, target, anchor = match[1], match[2], match[3], match[4] or ""
        meant = posixpath.normpath(posixpath.join(posixpath.dirname(place), target))
        meant = _FOLDERS.get(f"{meant}/", meant)
        if meant not in ELSEWHERE and not meant.startswith("docs/"):
            return match[0]
        to = ELSEWHERE.get(meant, meant.removeprefix("docs/"))
        start = posixpath.dirname(uri) or "."
        if not sign and posixpath.basename(text) == posixpath.basename(meant):
            text = _title(meant)
        return f"{sign}[{text}]({posixpath.relpath(to, start)}{anchor})"

    return _LINK.sub(linked, without_escapes(markdown))


def with_whole_words(html: str) -> str:
    """The page with a class for short words with hyphens in inline code, such as options. Browsers break lines at
    hyphens, but not in this class (`site.css`).
    """

    def word(match: re.Match[str]) -> str:
        return f'<span class="whole-word">{match[0]}</span>' if "-" in match[0] else match[0]

    return _INLINE_CODE.sub(lambda code: _HYPHENATED.sub(word, code[0]), html)


def on_page_content(html: str, **_: Any) -> str:
    return with_whole_words(html)

"""Lists links and pictures of the built site without an existing target: `python -m tests.helpers.site_links SITE`.

The generator of the site checks links between pages, but not pictures on pages that its hooks add.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Targets(HTMLParser):
    """The `href` and `src` of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.targets += [value for key, value in attrs if key in ("href", "src") and value]


def broken_links(site: Path) -> list[str]:
    """For each page, the relative targets that do not exist."""
    found: list[str] = []
    for page in sorted(site.rglob("index.html")):  # 404.html has absolute links
        parser = _Targets()
        parser.feed(page.read_text(encoding="utf-8"))
        for target in dict.fromkeys(parser.targets):
            url = urlsplit(target)
            if url.scheme or url.netloc or not url.path:
                continue
            file = page.parent / unquote(url.path)
            if not (file / "index.html").is_file() and not file.is_file():
                found.append(f"{page.relative_to(site)}: {target}")
    return found


if __name__ == "__main__":
    broken = broken_links(Path(sys.argv[1]))
    print("\n".join(broken))
    raise SystemExit(bool(broken))

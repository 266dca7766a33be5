"""Enters the public address of the repository in every file that contains it: `python -m tests.helpers.address URL`.

The project has no public address yet. A second call replaces the address of the first.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping

from tests.helpers.cells import ROOT

FILES = ("pyproject.toml", "CITATION.cff", "mkdocs.yml", "SECURITY.md")


def with_address(texts: Mapping[str, str], url: str) -> dict[str, str]:
    """The texts of the files of FILES with the address."""
    url = url.rstrip("/")
    if not re.fullmatch(r"https://[\w.-]+(/[\w.-]+)+", url):
        raise ValueError(f"`{url}` is not the https address of a repository")
    urls = {
        "Repository": url,
        "Issues": f"{url}/issues",
        "Changelog": f"{url}/blob/main/CHANGELOG.md",
    }
    table = "\n".join(["[project.urls]", *(f'{name} = "{place}"' for name, place in urls.items())])
    found = {
        "pyproject.toml": re.sub(r"\[project\.urls\]\n(?:.+\n)+\n", "", texts["pyproject.toml"]),
        "CITATION.cff": re.sub(r"repository-code: .*\n", "", texts["CITATION.cff"]),
        "mkdocs.yml": re.sub(r"repo_url: .*\n", "", texts["mkdocs.yml"]),
    }
    link = f'"[Report a vulnerability]({url}/security/advisories/new)"'
    return {
        "pyproject.toml": _before("[project.scripts]", f"{table}\n\n", found["pyproject.toml"]),
        "CITATION.cff": _before("keywords:", f"repository-code: {url}\n", found["CITATION.cff"]),
        "mkdocs.yml": _before("docs_dir:", f"repo_url: {url}\n", found["mkdocs.yml"]),
        "SECURITY.md": re.sub(
            r'"(?:Report a vulnerability|\[Report a vulnerability\]\(.*?\))"',
            link,
            texts["SECURITY.md"],
        ),
    }


def _before(mark: str, addition: str, text: str) -> str:
    before, found, after = text.partition(f"\n{mark}")
    assert found, mark
    return f"{before}\n{addition}{found[1:]}{after}"


if __name__ == "__main__":
    files = {name: (ROOT / name).read_text(encoding="utf-8") for name in FILES}
    for name, text in with_address(files, sys.argv[1]).items():
        (ROOT / name).write_text(text, encoding="utf-8")

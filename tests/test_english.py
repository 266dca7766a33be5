"""Constructions that make comments hard to read become rarer: each has a maximum, which may only decrease."""

from __future__ import annotations

import re
from functools import cache

import pytest

from tests.helpers.cells import ROOT
from tests.helpers.sentences import (
    build_files,
    c_comments,
    comment_sentences,
    comments_of,
    hash_comments,
    page_sentences,
    python_comments,
    sentences,
    source_files,
)

FOLDERS = {"src": ("src",), "tests": ("tests", "bench")}
MAXIMA = {
    r"\b(?:who|whose|whoever|whom)\b": (2, 17),
    r"\b(?:gone|goes|going|go) on with\b": (0, 0),
    r"\b(?:is|are) asked\b": (0, 0),
    r"\btold\b": (0, 0),
    r"\bso many\b": (0, 0),
    r"\bthere is none\b": (0, 5),
    r"\bfor nothing\b": (0, 0),
    r"\b(?:by|for) itself\b": (1, 0),
    r"(?<=\s)of which\b": (2, 1),
}
"""The numbers of matches in comments of src/, and of tests/ and bench/. Never increase a number."""


@cache
def all_comments(group: str) -> str:
    texts = (comment for path in source_files(*FOLDERS[group]) for comment in comments_of(path))
    return "\n\n".join(" ".join(text.split()) for text in texts)


@pytest.mark.parametrize("group", FOLDERS)
@pytest.mark.parametrize("pattern", MAXIMA)
def test_a_construction_does_not_become_more_frequent(pattern: str, group: str) -> None:
    count = len(re.findall(pattern, all_comments(group), re.I))
    maximum = MAXIMA[pattern][[*FOLDERS].index(group)]
    assert count <= maximum, f"{pattern}: {count} in comments of {group}/, {maximum} before: reword"
    assert count >= maximum, f"{pattern}: only {count} are left; lower the number to {count}"


def test_comments_and_docstrings_are_found_and_strings_are_not() -> None:
    python = '"""A module."""\nx = "# no comment"  # one\n# two\n\n\n# three\n'
    assert list(python_comments(python)) == ["A module.", "one\ntwo", "three"]
    cpp = '// one\n// two\nauto x = "// none";\n/* three\n * four */\n'
    assert [comment.split() for comment in c_comments(cpp)] == [["one", "two"], ["three", "four"]]


def test_a_shebang_and_directives_are_not_comments() -> None:
    python = "#!/usr/bin/env python\n# one\nx = 1  # type: ignore[misc]\ny = 2  # noqa: E501  # why\n# three\n"
    assert list(python_comments(python)) == ["one", "why\nthree"]
    shell = '#!/bin/sh\n# one\n# two\ncd "# none" # three\n\n# shellcheck disable=SC2086\necho $#\n# four\n'
    assert list(hash_comments(shell)) == ["one\ntwo", "three", "four"]


def test_a_text_is_divided_into_sentences_of_four_words() -> None:
    text = "This is the first\nsentence. Too short. `name` begins the second sentence."
    assert sentences(text) == ["This is the first sentence.", "`name` begins the second sentence."]


def test_all_samples_have_sentences_to_choose_from() -> None:
    assert len(all_comments("src")) > 100_000
    assert len(all_comments("tests")) > 50_000
    assert len(page_sentences()) > 500
    pages = {path.relative_to(ROOT).as_posix() for path, _ in page_sentences()}
    assert pages >= {"README.md", "CHANGELOG.md", "encodings/README.md", "docs/guide.md"}
    assert {path.name for path, _ in comment_sentences(build_files())} >= {
        "CMakeLists.txt",
        "pyproject.toml",
        "run",
    }


def test_every_word_of_the_glossary_has_a_meaning_and_a_contrast() -> None:
    rows = re.findall(
        r"^\| \*\*(.+?)\*\* (.*)$", (ROOT / "docs/glossary.md").read_text("utf-8"), re.M
    )
    assert len(rows) > 50
    cells = {word: [cell.strip() for cell in rest.strip("| ").split("|")] for word, rest in rows}
    assert [word for word, texts in cells.items() if len(texts) != 2 or not all(texts)] == []

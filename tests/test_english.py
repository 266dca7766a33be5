"""Constructions that make comments hard to read become rarer: each has a maximum, which may only decrease."""

from __future__ import annotations

import re
from collections.abc import Iterable
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
    pages,
    prose_of,
    python_comments,
    sentences,
    source_files,
)

ANY = 10**6
CODE = re.compile(r"`[^`]*`")
FOLDERS = {"src": ("src",), "tests": ("tests", "bench")}
MAXIMA = {
    # noun clauses instead of nouns
    r"\b(?:who|whose)\b": (0, 16, ANY),  # pages are about players, too
    r"\b(?:whoever|whom)\b": (0, 0, 0),
    r"\b(?:of|from|with|by|for|in|to|on|than|as|and|or) what\b": (0, 0, 0),
    r"(?<!\w )\bwhat (?:is(?! the smallest)|was|it|they|follows|happens|comes|leads|remains|waits|holds|belongs)\b": (
        0,
        0,
        0,
    ),
    r"\b(?:does|do|did|knows?|finds?|gives?|reads?|takes?) what\b": (0, 0, 0),
    # pronouns without an antecedent
    r"(?:^|[.;] )(?:That|Those) of\b": (0, 0, 0),
    r"\bthe (?:latter|former)\b": (0, 0, 0),
    r"\bthe ones\b": (0, 0, 0),
    r"\b(?:nobody|somebody|anybody|everybody)\b": (0, 0, 0),
    r"\bthere is none\b": (0, 0, 0),
    # the order of German clauses
    r"(?<!each)(?<!one)(?<!most)(?<!all)\sof which\b": (0, 0, 0),
    r"(?:^|[.:;] )(?-i:Of) (?:the|what|those|these|all|it|them)\b": (0, 0, 0),
    r"\bso many\b": (0, 0, 0),
    r"\bfor nothing\b": (0, 0, 0),
    r"\b(?:by|(?<!stands )for) itself\b": (0, 0, 0),
    r"\banew\b": (0, 0, 0),
    r"\bany more\b(?! than)": (0, 0, 0),
    r"\b(?:is|are|was|were) to be\b": (0, 0, 0),
    r"\b(?:thereof|therein|thereby|hereby|wherein|whereof|whereby|hence|thus)\b": (0, 0, 0),
    r"\bone another\b": (0, 0, 0),
    r"\bby means of\b|\bin order to\b|\bfor the sake of\b": (0, 0, 0),
    r"\b(?:merely|simply|basically|indeed|actually|of course)\b": (0, 0, 0),
    r"\bso as (?:to|not)\b|\bas it were\b|\bso to speak\b": (0, 0, 0),
    # code that acts like a person
    r"\b(?:be|is|are|being|was|were) asked\b": (0, 0, 0),
    r"\b(?:asks?|asking)\b": (0, 0, 0),
    r"\btold\b": (0, 0, 0),
    r"\b(?:tells?|telling)\b": (0, 0, 0),
    r"\b(?:wants|wishes|thinks|believes|hopes|minds|likes|changes? (?:his|its) mind)\b": (0, 0, 0),
    r"\bgiv(?:es?|ing|en) way\b|\bgave way\b": (0, 0, 0),
    r"\bhand(?:s|ed|ing)? (?:in|out)\b": (0, 0, 0),
    r"\blook(?:s|ed|ing)? after\b": (0, 0, 0),
    # everyday words as terms
    r"\b(?:gone|goes|going|go|went) on with\b": (0, 0, 0),
    r"\bways? (?:back|out|home)\b": (0, 0, 0),
    r"\bsettl(?:e|es|ed|ing)\b": (0, 0, 0),
    r"\b(?:heirs?|crew|gang|desk|berths?|company)\b": (0, 0, 0),
    r"\b(?:granted|spared|laid|laying)\b": (0, 0, 0),
    r"\bhopeless\b|\bat rest\b": (0, 0, 0),
}
"""The numbers of matches in comments of src/, in comments of tests/ and bench/, and on pages, without the names in
backticks. Never increase a number."""


@cache
def all_comments(group: str) -> str:
    texts = (comment for path in source_files(*FOLDERS[group]) for comment in comments_of(path))
    return joined(texts)


@cache
def all_pages() -> str:
    return joined(prose_of(page) for page in pages())


def joined(texts: Iterable[str]) -> str:
    return "\n\n".join(" ".join(CODE.sub("``", text).split()) for text in texts)


@pytest.mark.parametrize("group", ["src", "tests", "pages"])
@pytest.mark.parametrize("pattern", MAXIMA)
def test_a_construction_does_not_become_more_frequent(pattern: str, group: str) -> None:
    text = all_pages() if group == "pages" else all_comments(group)
    count = len(re.findall(pattern, text, re.I | re.M))
    maximum = MAXIMA[pattern][["src", "tests", "pages"].index(group)]
    assert count <= maximum, f"{pattern}: {count} in {group}, {maximum} before: reword"
    assert count >= maximum or maximum == ANY, (
        f"{pattern}: only {count} are left; lower the number to {count}"
    )


def test_the_patterns_find_the_constructions() -> None:
    for sentence in (
        "That of the disk is used.",
        "It depends on what is asked of it.",
        "The one who waits is told.",
        "The store is gone on with.",
        "Of the others each is tested.",
        "It gives way to the next engine.",
        "There is no way back.",
    ):
        assert any(re.search(pattern, sentence, re.I | re.M) for pattern in MAXIMA), sentence


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
    names = {path.relative_to(ROOT).as_posix() for path, _ in page_sentences()}
    assert names >= {"README.md", "CHANGELOG.md", "encodings/README.md", "docs/guide.md"}
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


def test_a_line_of_the_changelog_has_at_most_200_characters() -> None:
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) > 50
    assert [line for line in lines if len(line) > 200] == []

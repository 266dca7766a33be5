"""The sentences of comments, docstrings and documentation, and a random sample of them for a reader to judge.

python -m tests.helpers.sentences --seed 7 --source 150 --docs 100 --tests 150 --build 50
"""

from __future__ import annotations

import argparse
import ast
import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.helpers.cells import ROOT
from tests.helpers.python_source import comments, docstrings

SOURCE_SUFFIXES = frozenset({".py", ".hpp", ".cpp", ".js"})
CPP_TOKEN = re.compile(
    r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|`(?:\\.|[^`\\])*`'
    r"|(?P<block>/\*.*?\*/)|(?P<line>//[^\n]*(?:\n[ \t]*//[^\n]*)*)",
    re.S,
)
HASH_TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|' r"'[^'\n]*'|(?<!\S)#(?P<comment>[^\n]*)")
"""A quoted string, or a comment of a file in which comments begin with a separate #."""
PRAGMA = re.compile(r"(?:type: ?ignore|noqa|pragma:|fmt:|ruff:|mypy:|shellcheck )[^#]*(?:# *)?")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])|:\n|\n\s*\n|\n(?=\s*[-*] )")
MIN_WORDS = 4


def source_files(*folders: str) -> list[Path]:
    return sorted(
        path
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.suffix in SOURCE_SUFFIXES and ".min." not in path.name
    )


def build_files() -> list[Path]:
    """The files that configure the build, the tests, the site and continuous integration."""
    return [
        *(ROOT / name for name in ("pyproject.toml", "mkdocs.yml", ".gitignore", "CMakeLists.txt")),
        *sorted((ROOT / "src").rglob("CMakeLists.txt")),
        *sorted(
            path
            for name in (".ci", ".github")
            for path in (ROOT / name).rglob("*")
            if path.is_file()
        ),
    ]


def pages() -> list[Path]:
    return [
        *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
        ROOT / "encodings" / "README.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    ]


def comments_of(path: Path) -> list[str]:
    """The comments and docstrings of a file. A comment continues on the next lines that have only a comment."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return list(python_comments(text))
    return list(c_comments(text) if path.suffix in SOURCE_SUFFIXES else hash_comments(text))


def python_comments(text: str) -> Iterator[str]:
    yield from (docstring.value for docstring in docstrings(ast.parse(text)))
    yield from joined_lines(
        (line, comment.lstrip("#: "), is_alone) for line, comment, is_alone in comments(text)
    )


def hash_comments(text: str) -> Iterator[str]:
    """The comments of a shell script, or of a TOML, YAML, CMake or .gitignore file."""
    yield from joined_lines(
        (number, match["comment"].lstrip("#: "), not line[: match.start()].strip())
        for number, line in enumerate(text.splitlines(), 1)
        for match in HASH_TOKEN.finditer(line)
        if match["comment"] is not None
    )


def joined_lines(found: Iterable[tuple[int, str, bool]]) -> Iterator[str]:
    """Join a comment with the comments on the next lines. Each comment is given by its line, its text, and whether
    nothing precedes it on the line. The result contains neither a shebang nor directives for other programs."""
    block: list[str] = []
    last_line = -1
    for line, text, is_alone in found:
        if block and not (is_alone and line == last_line + 1):
            yield "\n".join(block)
            block = []
        last_line = line
        if line == 1 and text.startswith("!"):
            continue
        directive = PRAGMA.match(text)
        prose = text[directive.end() :] if directive else text
        if prose or not directive:
            block.append(prose)
    if block:
        yield "\n".join(block)


def c_comments(text: str) -> Iterator[str]:
    for match in CPP_TOKEN.finditer(text):
        if match["line"]:
            yield re.sub(r"^[ \t]*//[/!]*<? ?", "", match["line"], flags=re.M)
        elif match["block"]:
            yield re.sub(r"^[ \t]*\*+ ?", "", match["block"][2:-2], flags=re.M)


def prose_of(page: Path) -> str:
    """The text of a page without code blocks, tables and headings."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return re.sub(r"^(?:\||#|<|!).*$", "", text, flags=re.M)


def sentences(text: str) -> list[str]:
    """The sentences of at least four words, each on one line."""
    parts = (" ".join(part.split()) for part in SENTENCE_END.split(text))
    return [part for part in parts if len(re.findall(r"[A-Za-z]+", part)) >= MIN_WORDS]


def comment_sentences(paths: Iterable[Path]) -> list[tuple[Path, str]]:
    return [
        (path, sentence)
        for path in paths
        for comment in comments_of(path)
        for sentence in sentences(comment)
    ]


def page_sentences() -> list[tuple[Path, str]]:
    return [(page, sentence) for page in pages() for sentence in sentences(prose_of(page))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--source", type=int, default=150, help="sentences of src/")
    parser.add_argument(
        "--docs", type=int, default=100, help="sentences of docs/ and of the other pages"
    )
    parser.add_argument("--tests", type=int, default=150, help="sentences of tests/ and bench/")
    parser.add_argument("--build", type=int, default=50, help="sentences of build files")
    options = parser.parse_args()
    generator = random.Random(options.seed)
    groups = (
        (comment_sentences(source_files("src")), options.source),
        (page_sentences(), options.docs),
        (comment_sentences(source_files("tests", "bench")), options.tests),
        (comment_sentences(build_files()), options.build),
    )
    for found, wanted in groups:
        print(f"{min(wanted, len(found))} of {len(found)} sentences")
        for path, sentence in generator.sample(found, min(wanted, len(found))):
            print(f"{path.relative_to(ROOT)}: {sentence}")
        print()


if __name__ == "__main__":
    main()

"""The sentences of comments, docstrings and documentation, and a random sample of them for a reader to judge.

python -m tests.helpers.sentences --seed 7 --source 150 --docs 100 --tests 150
"""

from __future__ import annotations

import argparse
import ast
import io
import random
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from tests.helpers.cells import ROOT

SOURCE_SUFFIXES = frozenset({".py", ".hpp", ".cpp", ".js"})
CPP_TOKEN = re.compile(
    r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|`(?:\\.|[^`\\])*`'
    r"|(?P<block>/\*.*?\*/)|(?P<line>//[^\n]*(?:\n[ \t]*//[^\n]*)*)",
    re.S,
)
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])|:\n|\n\s*\n|\n(?=\s*[-*] )")
MIN_WORDS = 4


def source_files(*folders: str) -> list[Path]:
    return sorted(
        path
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.suffix in SOURCE_SUFFIXES and ".min." not in path.name
    )


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def comments_of(path: Path) -> list[str]:
    """The comments and docstrings of a file. A comment continues on the next lines that have only a comment."""
    text = path.read_text(encoding="utf-8")
    return list(python_comments(text) if path.suffix == ".py" else c_comments(text))


def python_comments(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        # Every string that is a statement documents something: attributes have docstrings of this form.
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.value.value
    block: list[str] = []
    last_line = -1
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT:
            continue
        is_alone = not token.line[: token.start[1]].strip()
        if block and not (is_alone and token.start[0] == last_line + 1):
            yield "\n".join(block)
            block = []
        block.append(token.string.lstrip("#: "))
        last_line = token.start[0]
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


def source_sentences(*folders: str) -> list[tuple[Path, str]]:
    return [
        (path, sentence)
        for path in source_files(*folders)
        for comment in comments_of(path)
        for sentence in sentences(comment)
    ]


def page_sentences() -> list[tuple[Path, str]]:
    return [(page, sentence) for page in pages() for sentence in sentences(prose_of(page))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--source", type=int, default=150, help="sentences of src/")
    parser.add_argument("--docs", type=int, default=100, help="sentences of docs/ and README.md")
    parser.add_argument("--tests", type=int, default=150, help="sentences of tests/ and bench/")
    options = parser.parse_args()
    generator = random.Random(options.seed)
    groups = (
        (source_sentences("src"), options.source),
        (page_sentences(), options.docs),
        (source_sentences("tests", "bench"), options.tests),
    )
    for found, wanted in groups:
        print(f"{min(wanted, len(found))} of {len(found)} sentences")
        for path, sentence in generator.sample(found, min(wanted, len(found))):
            print(f"{path.relative_to(ROOT)}: {sentence}")
        print()


if __name__ == "__main__":
    main()

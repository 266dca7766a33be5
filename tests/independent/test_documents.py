"""A document and the same document without models, parameters, loops, colours and templates are the same puzzle.

The expander shares no code with the reader of documents, and is written from `docs/language.md` alone. These are the
tests of small documents; `python -m tests.independent.documents` compares all shipped puzzles and many random ones.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.helpers.cells import ROOT
from tests.independent.comparing import figures
from tests.independent.expander import expand

MODELS = ROOT / "models"
_RESOLVED = re.compile(
    r"model:|parameters:|constants:|for:|colours: \[|variables:|\brows\b|\{\w+\}"
)
_SLOW = {
    *("two-jellies", "two-minds", "tilted", "the-press", "joining-colours", "a-cube-of-one"),
    *("three-registers",),
}


def _examples() -> dict[str, str]:
    """The examples of the reference that contain anything to resolve."""
    text = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    found = {}
    for match in re.finditer(r"```yaml\n(puzzle: (\S+)\n.*?)```", text, re.S):
        if _RESOLVED.search(match[1]) and match[2] not in _SLOW:
            found[match[2]] = match[1]
    return found


def test_examples_of_the_reference() -> None:
    examples = _examples()
    assert len(examples) > 25
    for name, text in examples.items():
        document = expand(text, ROOT / "docs", MODELS)
        assert figures(document) == figures(text), name


SENTENCES = (Path(__file__).parent / "sentences.yaml").read_text(encoding="utf-8").split("\n---\n")


@pytest.mark.parametrize("text", SENTENCES, ids=lambda text: text.split("\n")[1])
def test_sentences_of_the_reference(text: str) -> None:
    assert figures(expand(text, ROOT / "puzzles", MODELS)) == figures(text)

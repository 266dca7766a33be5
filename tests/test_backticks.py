"""Every name in backticks, in comments, docstrings and pages, refers to something that exists: a file, a folder, a
module, a class, a function, an attribute, a key, a command or an option.
"""

from __future__ import annotations

from itertools import chain

import pytest

from tests.helpers.backticks import PAGES, SOURCES, backticks, exists
from tests.helpers.cells import ROOT


def test_names_in_backticks_exist() -> None:
    assert len(SOURCES) > 1000
    texts = {path.relative_to(ROOT).as_posix(): [*backticks(path)] for path in [*SOURCES, *PAGES]}
    known = {text: exists(text) for text in {*chain.from_iterable(texts.values())}}
    assert len(known) > 1000
    missing = {path: wrong for path in texts if (wrong := [t for t in texts[path] if not known[t]])}
    assert missing == {}


@pytest.mark.parametrize(
    "text",
    [
        "docs/nothing.md",
        "grounding/nothing.py",
        "nothing/",
        "engines.nothing",
        "fewest.grounding.nothing",
        "engines.registry.NOTHING",
        "NothingError",
        "Task.nothing",
        "Task.nothing()",
        "no_function(task)",
        "no_key_of_a_document",
        "--no-such-option",
        "--no-such-option N",
        "fewest nothing",
        "fewest solve PUZZLE --no-such-option",
    ],
)
def test_a_name_that_does_not_exist_is_found(text: str) -> None:
    assert not exists(text)


@pytest.mark.parametrize(
    "text",
    [
        "docs/glossary.md",
        "grounding/view.py",
        "certificates/",
        "engines.registry",
        "fewest.grounding",
        "engines.registry.FEATURES",
        "UsageError",
        "KeyboardInterrupt",
        "Task.operators",
        "Task.require_flips()",
        "require_flips(task)",
        "terrain",
        "--engine",
        "-e sat",
        "fewest solve PUZZLE --engine sat -o FILE",
        "fewest explain deadlock",
        "n + 1 == 2 * m",
    ],
)
def test_a_name_that_exists_is_accepted(text: str) -> None:
    assert exists(text)

"""The independent player and `fewest` find the same positions, goal positions and minima on boards of every geometry.

The player shares no code with `fewest`, and is written from `docs/language.md` alone. These are the tests of few
puzzles; `python -m tests.independent.geometry` compares all shipped puzzles and many random ones.
"""

from __future__ import annotations

import re
from random import Random

import pytest

from tests.helpers.cells import ROOT
from tests.independent.comparing import figures
from tests.independent.expander import expand
from tests.independent.geometry import BOARDS, MODELS, draw, outcome
from tests.independent.player import play

NUMBER = 3  # puzzles for each kind of board
EXAMPLES = (
    *("round-the-back", "the-siding", "ten-pegs", "two-rings", "four-pancakes", "the-ladder"),
    *("the-packer", "lost-in-space", "the-pond", "behind-the-crate"),
)


def test_examples_of_the_reference() -> None:
    text = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    examples = dict(re.findall(r"```yaml\n(?=puzzle: (\S+)\n)(.*?)```", text, re.S))
    for name in EXAMPLES:
        document = expand(examples[name], ROOT / "docs", MODELS)
        document.pop("metric", None)
        document["metrics"] = {"moves": {"count": 1}}
        found = figures(document)
        assert play(document) == (found.minima["moves"], found.positions, found.goals), name


@pytest.mark.parametrize("board", BOARDS)
def test_random_puzzles(board: str) -> None:
    same, seed = 0, 0
    while same < NUMBER:
        document = draw(Random(f"test {seed}"), board)
        found = outcome(document, most=60)
        assert not found.startswith("DIFFERENT"), (found, document)
        same, seed = same + (found == "same"), seed + 1

"""Compares the independent player of square boards with `fewest`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import fewest
from fewest.errors import DocumentError, UsageError
from tests.helpers.cells import ROOT
from tests.independent.boards.failures import Rejected, TooLarge, Unsupported
from tests.independent.boards.game import Game
from tests.independent.boards.reading import read
from tests.independent.boards.searching import Found, explore
from tests.independent.boards.weighing import minimum

MODELS = ROOT / "models"
ONES = "every-move"  # the name of a metric that counts every move as 1
MOST = 3000  # positions


class Outcome(NamedTuple):
    """`verdict` is a word for statistics; `difference` is empty unless the two programs differ."""

    verdict: str
    reason: str = ""
    difference: str = ""


def compare(text: str, most: int = MOST) -> Outcome:
    """Play a document with both programs."""
    try:
        game = read(text, MODELS)
        mine = explore(game, most)
    except Unsupported as error:
        return Outcome("unsupported", str(error))
    except TooLarge as error:
        return Outcome("too large", str(error))
    except Rejected as error:
        rejected = str(error)
        try:
            fewest.load("drawn.yaml", text=text).explore()
        except DocumentError:
            return Outcome("rejected by both", rejected)
        return Outcome("rejected here only", rejected)
    try:
        theirs = explored(text)
    except DocumentError as error:
        errors = [each for each in error.diagnostics if each.severity == "error"]
        return Outcome("rejected there only", "; ".join(f"{e.code}: {e.message}" for e in errors))
    if mine == theirs:
        return _compare_metrics(game, text, most)
    return Outcome("different", difference=f"independent: {mine}, fewest: {theirs}")


def _compare_metrics(game: Game, text: str, most: int) -> Outcome:
    """Compare the minimum in one of the metrics, for which the independent player searches once more."""
    names = list(game.document.get("metrics") or {})
    if not names:
        return Outcome("equal")
    name = names[len(text) % len(names)]
    try:
        mine = minimum(game, name, most)
        theirs = fewest.load("drawn.yaml", text=text).solve(name).cost
    except (Unsupported, TooLarge, UsageError, DocumentError):
        return Outcome("equal")
    if mine == (theirs[0] if isinstance(theirs, tuple) else theirs):
        return Outcome(
            "equal", f"and the minimum in a metric with {game.document['metrics'][name]}"
        )
    return Outcome("different", difference=f"in {name}, independent: {mine}, fewest: {theirs}")


def explored(text: str) -> Found:
    """What `fewest` finds."""
    found = fewest.load("drawn.yaml", text=with_ones(text)).explore(metric=ONES)
    minimum = found.minimum
    if isinstance(minimum, tuple):
        (minimum,) = minimum
    return Found([number for _, number in found.layers], found.num_goal_states, minimum)


def with_ones(text: str) -> str:
    """The document with one more metric, which counts every move as 1."""
    own = f"{ONES}: {{count: 1}}"
    if re.search(r"^(metrics|model):", text, re.MULTILINE) is None:
        return f"{text.rstrip()}\nmetrics: {{moves: {{}}, {own}}}\n"
    if re.search(r"^metrics:", text, re.MULTILINE) is None:
        return f"{text.rstrip()}\nmetrics: {{{own}}}\n"
    if re.search(r"^metrics: *\{", text, re.MULTILINE):
        return re.sub(r"^metrics: *\{", f"metrics: {{{own}, ", text, count=1, flags=re.MULTILINE)
    return re.sub(
        r"^metrics:( *#.*)?\n( +)",
        rf"metrics:\n\g<2>{own}\n\g<2>",
        text,
        count=1,
        flags=re.MULTILINE,
    )


def examples() -> dict[str, str]:
    """The complete puzzles of the reference of the language, by name."""
    text = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```yaml\n(puzzle: (\S+)\n.*?)^```", text, re.MULTILINE | re.DOTALL)
    return {name: text for text, name in blocks}


def shipped() -> dict[str, str]:
    """The texts of the shipped puzzles, by name."""
    paths: list[Path] = sorted((ROOT / "puzzles").rglob("*.yaml"))
    return {path.stem: path.read_text(encoding="utf-8") for path in paths}

"""The pictures of docs/gallery.md, docs/explore.md and docs/language.md, and the table of mechanisms.

`python -m tests.helpers.gallery` writes these pictures and this table.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import fewest
from fewest.commands.load import load_puzzle
from fewest.drawing.pictures.picture import svg
from fewest.drawing.pictures.puzzle_style import look
from fewest.machine.resources import model_path, puzzle_path
from fewest.model.answer import counted
from fewest.model.position import start
from tests.helpers.cells import ROOT

GALLERY = ROOT / "docs" / "gallery.md"
EXPLORE = ROOT / "docs" / "explore.md"
EXAMPLES = ROOT / "docs" / "language.md"
_SPACE = re.compile(r"!\[[^\]]*\]\((pictures/space-([\w-]+)\.svg)\)")
_IMAGE = re.compile(r"!\[[^\]]*\]\((pictures/([\w-]+?)(-dark)?\.svg)\)")
_EXAMPLE = re.compile(r"^```yaml\n(?=puzzle: )(.*?)^```", re.M | re.S)

_TABLE = "## Puzzles for each mechanism\n"
_RULES = ("moves", "then", "order", "forbid")

MECHANISMS = {
    "cells that change when the walker enters them": ["toggled-path"],
    "groups that each move in one direction and push chains": ["marching-orders"],
    "three blocks of one colour vanish after a move": ["three-alike"],
    "a walker that picks up blocks and moves with them as one body": ["sticky-blocks"],
    "companions that follow the walker or flee from it": ["dog-and-cat"],
    "a climber that builds its own body, and falls": ["the-vine"],
    "monsters that run until blocked, eat their colour, merge into others": ["muddled-monsters"],
    "a tilt maze": ["tilt-maze"],
    "sliders that fall into a hole": ["tilt-7"],
    "a snake that eats, moves as one body and falls": ["falling-snake"],
    "gravity": ["digger", "landslide"],
    "a Minotaur": ["minotaur-one"],
    "conveyors": ["conveyors"],
    "doors and buttons": ["doors-and-buttons"],
    "fire that spreads": ["wildfire"],
    "ice that melts underfoot, keys": ["thin-ice"],
    "twins": ["mirror-twins"],
    "crates of any shape": ["odd-crates"],
    "blocks that stick to the walker": ["sticky-blocks"],
    "chains that the walker pulls": ["long-haul"],
    "a rolling block": ["rolling-block"],
    "guards that see along lines": ["watchman", "unseen"],
    "guards on rounds, and a thief that waits": ["night-patrol"],
    "a laser and mirrors": ["one-laser"],
    "blocks that merge when the board tilts": ["eight-in-one"],
    "crates that glide on ice": ["gliding-crates"],
    "a die that rolls": ["die"],
    "a lift with a limit on the weight": ["lift"],
    "a jump that the player must make if it is possible": ["hungry-frog"],
    "furniture that turns": ["movers"],
    "walls between cells": ["ricochet-thin-walls"],
    "triangular cells": ["three-sides"],
    "trains on a graph": ["shunting"],
    "pebbles on a graph": ["theta-pebbles"],
    "slides in six directions": ["honeycomb"],
    "boards one above the other": ["two-floors"],
    "hexagonal pegs, drawn in two ways": ["triangle-15", "triangle-15-left"],
    "twisty puzzles": ["pocket-cube", "pyraminx", "skewb"],
    "rings that turn": ["top-spin", "hungarian-rings", "loopover", "turning-blocks", "pancakes-11"],
    "a crossing whose cost depends on the people who cross": ["bridge"],
    "a table of sizes": ["jugs-8-5-3"],
    "variables drawn as a grid": ["lights-out-3x3", "lights-5x5"],
    "moves with labels": ["water-three-colours", "ball-three-again"],
    "a flood that spreads automatically": ["flood-4x4"],
    "the value of a variable, copied to another": ["copy-and-paste"],
}


class Shown(NamedTuple):
    """A row of the table: the length of a puzzle's rules, its minimum, and the source of the minimum."""

    what: str
    puzzle: str
    rule_lines: int
    fewest: str
    known_from: str


def shown() -> list[Shown]:
    """All rows of the table of mechanisms."""
    return [_shown(what, name) for what, names in MECHANISMS.items() for name in names]


def _shown(what: str, name: str) -> Shown:
    puzzle = load_puzzle(name)
    known = next(known for known in puzzle.expectations if known.key in puzzle.metrics)
    assert isinstance(known.value, int)
    number = counted(known.value, known.key)
    source = known.source or puzzle.source
    is_ours = "independent search" in source
    return Shown(
        what, name, _rule_lines(name), number, "an independent search" if is_ours else source
    )


def _rule_lines(name: str) -> int:
    """The number of lines of rules in a puzzle and its models, without comments."""
    text = puzzle_path(name).read_text(encoding="utf-8")
    lines, model = 0, re.search(r"^model: (\S+)", text, re.M)
    while text:
        for section in re.split(r"^(?=\w)", text, flags=re.M):
            if section.startswith(tuple(f"{key}:" for key in _RULES)):
                lines += sum(bool(line.partition("#")[0].strip()) for line in section.splitlines())
        text = "" if model is None else model_path(model[1]).read_text(encoding="utf-8")
        model = re.search(r"^extends: (\S+)", text, re.M)
    return lines


def table() -> str:
    """The section of the page that contains the table of mechanisms."""
    rows = [
        f"| {s.what} | `{s.puzzle}` | {s.rule_lines} | {s.fewest} | {s.known_from} |"
        for s in shown()
    ]
    head = [
        _TABLE,
        "`lines` is the number of lines of rules, including those of the puzzle's model. `fewest` is the minimum, and"
        " the last",
        "column gives the source of the minimum.",
        "",
        "| mechanism | puzzle | lines | fewest | source |",
        "| --- | --- | ---: | --- | --- |",
    ]
    return "\n".join([*head, *rows]) + "\n"


def page() -> str:
    """The correct text of the page."""
    return GALLERY.read_text(encoding="utf-8").partition(_TABLE)[0].rstrip() + "\n\n" + table()


@cache
def pictures() -> dict[Path, str]:
    """The correct pictures of the page; each shows the start of the puzzle that its file name contains."""
    out: dict[Path, str] = {}
    for path, name, dark in _IMAGE.findall(GALLERY.read_text(encoding="utf-8")):
        puzzle = load_puzzle(name)
        style = look(puzzle, "dark" if dark else "light")
        out[GALLERY.parent / path] = svg(start(puzzle), puzzle.labels, style=style)
    for path, name in _SPACE.findall(EXPLORE.read_text(encoding="utf-8")):
        compiled = fewest.load(name)
        out[EXPLORE.parent / path] = compiled.picture_of(compiled.explore())
    return out


def example_pictures() -> dict[Path, str]:
    """The correct pictures of docs/language.md; each shows the start of the example with the same name."""
    out: dict[Path, str] = {}
    text = EXAMPLES.read_text(encoding="utf-8")
    examples = {block.split()[1]: block for block in _EXAMPLE.findall(text)}
    for path, name, _ in _IMAGE.findall(text):
        example = load_puzzle(f"{name}.yaml", text=examples[name])
        out[EXAMPLES.parent / path] = svg(
            start(example), example.labels, style=look(example, "light")
        )
    return out


if __name__ == "__main__":
    GALLERY.write_text(page(), encoding="utf-8")
    for path, text in (pictures() | example_pictures()).items():
        path.write_text(text, encoding="utf-8")

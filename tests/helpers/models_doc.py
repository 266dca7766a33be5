"""Writes docs/models.md from the shipped models: `python -m tests.helpers.models_doc`."""

from __future__ import annotations

from pathlib import Path

from fewest.commands.show_model import model_rows, show_model
from fewest.machine.resources import model_path, models, puzzle_path
from fewest.reading.loader import load_document
from tests.helpers.cells import ROOT

MODELS_PAGE = ROOT / "docs" / "models.md"

HEAD = """# Models

This page lists the shipped models, each with an example puzzle. A *model* contains the rules of a family of puzzles. A
puzzle names a model (`model: sokoban`) and adds a board; its other keys replace or extend those of the model
([language.md](language.md#two-kinds-of-document)). If a model extends another model, its table includes the properties
of that model. `fewest list models` lists all models, and `fewest show MODEL` prints a model's table.

"""

_ABOVE = ("name", "file", "notes")  # keys that have their own place in a section

# Families in the order of the page, with a description of each model and a shipped puzzle that has a short search.
FAMILIES: dict[str, dict[str, tuple[str, str]]] = {
    "Sliding blocks": {
        "sliding-blocks": (
            "Pieces of any shape slide on a board, one cell at a time.",
            "swap-corners",
        ),
        "rush-hour": (
            "Cars move along their long axis. The red car, X, must reach the right edge of the board.",
            "small-4x6",
        ),
        "rush-hour-typed": (
            "This is Rush Hour with one character for each kind of car.",
            "hardest-6x6-typed",
        ),
        "klotski": (
            "This is 华容道: the 2×2 piece, C, must reach the middle of the lower edge.",
            "qi-bu-cheng-shi",
        ),
        "tiles": ("This model covers the 15-puzzle and its relatives of any size.", "tiles-2x3"),
    },
    "Rolling and joining": {
        "bloxorz": (
            "A block must reach an exit, and switches open and close the bridges on its way.",
            "bloxorz-first",
        ),
        "flow-free": (
            "For each colour, a line joins the head to the end. Together, the lines cover the whole board.",
            "flow-five",
        ),
    },
    "Sokoban": {
        "sokoban": ("A player pushes boxes onto targets.", "thorns"),
        "sokoban-pairs": ("The levels in collections use this model.", "microban-001"),
        "hexoban": ("", "hexoban-011"),
        "sokoban-pull": ("", "pull-home"),
        "sokoban-double-push": ("", "double-push"),
        "sokoban-toll": ("", "toll"),
    },
    "Pegs and jumps": {
        "peg-solitaire": (
            "A peg jumps over another peg and removes it, until one peg is left.",
            "square-4x4",
        ),
        "peg-solitaire-hex": ("", "triangle-10"),
        "jumping-arrows": (
            "Two kinds of arrow change sides; each kind moves in only one direction.",
            "machinarium",
        ),
        "long-jumping-arrows": ("", "long-jumps"),
    },
    "Chess pieces": {
        "knights-exchange": ("White and black knights change places.", "guarini"),
        "solitaire-chess": ("", "knights-feast"),
        "clones": ("", "clones-one"),
        "swinging-stones": ("", "swinging-stone"),
    },
    "Pieces that run": {
        "lunar-lockout": ("", "lunar-one"),
        "ricochet-robots": ("", "ricochet-small"),
        "skating": ("", "frozen-pond"),
        "tilt": ("", "tilt-4"),
        "jelly": ("", "jelly-pair"),
    },
    "Rings": {
        "turning-rings": ("", "two-rings"),
        "pancakes": ("", "pancakes-7"),
    },
    "Colours and lamps": {
        "lights-out": ("", "lights-4x4"),
        "water-sort": ("", "water-two-colours"),
        "ball-sort": ("", "ball-three-colours"),
        "flood-it": ("", "flood-4x4"),
    },
}


def page() -> str:
    """The text of docs/models.md."""
    parts = [HEAD]
    for family, members in FAMILIES.items():
        parts.append(f"## {family}\n\n")
        for name, (text, example) in members.items():
            parts.append(_section(name, text, example))
    return "".join(parts).rstrip("\n") + "\n"


def _section(name: str, text: str, example: str) -> str:
    path = model_path(name)
    table = dict(model_rows(show_model(load_document(path))))
    words = " ".join(filter(None, (text, table.pop("notes", "") if _has_notes(path) else "")))
    rows = (
        f"| {key} | {table[key].replace('|', chr(92) + '|')} |\n"
        for key in table
        if key not in _ABOVE
    )
    shipped = puzzle_path(example)
    return (
        f"### {name}\n\n{words}\n\n| | |\n| --- | --- |\n{''.join(rows)}\n"
        f"```yaml\n{_text(path)}```\n\nAn example is `puzzles/{shipped.parent.name}/{shipped.name}`:\n\n"
        f"```yaml\n{_text(shipped)}```\n\n"
    )


def _has_notes(path: Path) -> bool:
    """Whether the model itself has notes, not only a model that it extends."""
    return "\nnotes:" in _text(path)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8").rstrip("\n") + "\n"


def all_names() -> set[str]:
    """The models of the page."""
    return {name for members in FAMILIES.values() for name in members}


def shipped_names() -> set[str]:
    """The names of the shipped models."""
    return {name for name, _ in models()}


if __name__ == "__main__":
    MODELS_PAGE.write_text(page(), encoding="utf-8")

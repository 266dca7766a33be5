"""The pictures of a puzzle for the page: the picture below the pieces, each piece, and the picture above the pieces.

Colours that depend on the theme are variables of the style sheet, so that one picture suits both themes.
"""

from __future__ import annotations

from typing import Any

from msgspec import structs

from fewest.drawing.pictures.board import BoardPicture
from fewest.drawing.pictures.colours import THEMES, Theme
from fewest.drawing.pictures.goals import drawn_position
from fewest.drawing.pictures.grid import UNIT
from fewest.drawing.pictures.puzzle_style import PuzzleStyle
from fewest.model.puzzle import Puzzle, Variable


def page_theme() -> Theme:
    """A theme with variables of the style sheet, such as `var(--floor)`, in place of colours."""
    light = THEMES["light"]
    colours = {
        f.name: f"var(--{f.name.replace('_', '-')})"
        for f in structs.fields(Theme)
        if f.name not in ("name", "terrains")
    }
    terrains = tuple(f"var(--terrain-{i})" for i in range(len(light.terrains)))
    return Theme(name="page", terrains=terrains, **colours)


def theme_variables(name: str) -> str:
    """For a theme, the declarations of the variables that `page_theme` uses."""
    theme = THEMES[name]
    found = {
        f.name.replace("_", "-"): getattr(theme, f.name)
        for f in structs.fields(Theme)
        if f.name not in ("name", "terrains")
    }
    found.update({f"terrain-{i}": colour for i, colour in enumerate(theme.terrains)})
    return "".join(f"--{key}:{colour};" for key, colour in found.items())


def scene_data(puzzle: Puzzle) -> dict[str, Any]:
    """Geometry, pieces, variables and pictures as plain data."""
    shown = PuzzleStyle(puzzle, page_theme())
    data: dict[str, Any] = {
        "classes": [
            {
                "kind": c.kind,
                "shape": [list(cell) for cell in c.shape],
                "label": c.label,
                "layer": c.layer,
            }
            for c in puzzle.classes
        ],
        "pieces": [[p.class_id, p.anchor, p.label, p.name] for p in puzzle.pieces],
        "names": dict(puzzle.names),
        "variables": [_variable(v) for v in puzzle.variables],
        "symbols": dict(puzzle.style.symbols),
        "colours": dict(puzzle.style.colours),
        "goal": {"words": list(shown.goal.words), "pictures": []},
        "board": None,
    }
    board = puzzle.board
    if board is None:
        return data
    picture = BoardPicture(shown)
    left, top, width, height = picture.box
    families = [c.family for c in puzzle.classes]
    labels = {
        (c.id, p.label)
        for p in puzzle.pieces
        for c in puzzle.classes
        if c.family == families[p.class_id]
    }
    labels |= {(c.id, c.kind) for c in puzzle.classes} | {
        (c.id, c.label) for c in puzzle.classes if c.label is not None
    }
    data["board"] = {
        "rows": board.rows,
        "columns": board.columns,
        "wraps": [board.wraps_rows, board.wraps_columns],
        "walls": sorted(board.walls),
        "hex": shown.grid.is_hex,
        "middles": _middles(shown) if shown.grid.is_triangular else None,
        "unit": UNIT,
        "box": [left, top, width, height],
        "inner": list(shown.grid.box(map(board.at, picture.shown))),
        "below": picture.below(),
        "above": picture.above(),
        "drawn": {
            f"{class_id}:{label}": shown.piece(puzzle.classes[class_id], label)
            for class_id, label in sorted(labels)
        },
    }
    data["goal"]["pictures"] = [
        picture.drawn_goal(drawn_position(puzzle, drawn), drawn)
        for drawn in shown.goal.drawings[:3]
    ]
    return data


def _middles(shown: PuzzleStyle) -> list[list[float]]:
    """The coordinates of the centre of every cell."""
    board = shown.puzzle.board
    assert board is not None
    return [list(shown.grid.middle(*board.at(cell))) for cell in range(board.num_cells)]


def _variable(variable: Variable) -> dict[str, Any]:
    """A variable: its name, its values and, if the document gives them, its place and the characters of its values."""
    out: dict[str, Any] = {"name": variable.name, "values": list(variable.values)}
    if variable.place is not None:
        out["place"] = list(variable.place)
    if variable.characters:
        out["characters"] = list(variable.characters)
    return out

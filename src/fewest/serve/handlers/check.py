"""Analyses a text while the user writes it: the mistakes with their locations, and the picture."""

from __future__ import annotations

from collections.abc import Mapping
from os.path import basename
from pathlib import Path
from typing import Any

from fewest.commands.api import CompiledPuzzle
from fewest.commands.solve import grounding_watch
from fewest.drawing.pictures.board import BoardPicture
from fewest.drawing.pictures.picture import PADDING, svg_document, whole
from fewest.drawing.pictures.puzzle_style import PuzzleStyle
from fewest.errors import Diagnostic, DocumentError, Report, Source
from fewest.grounding.ground import ground
from fewest.machine.resources import model_file, models
from fewest.model.answer import LimitReached, Limits
from fewest.reading.board_spec import load_board_specs
from fewest.reading.loader import NOWHERE
from fewest.reading.puzzle import read_puzzle
from fewest.reading.source import parse
from fewest.serve.handlers import payload
from fewest.serve.handlers.paint import brushes, painting, sketch
from fewest.serve.text_offsets import Offsets, marked
from fewest.web.scene import page_theme

# the keys of a document that change no rule of its model
NO_RULES = frozenset(
    (
        "puzzle",
        "model",
        "title",
        "names",
        "source",
        "notes",
        "difficulty",
        "parameters",
        "constants",
        "board",
        "metrics",
        "metric",
        "drawing",
        "expect",
        "tests",
    )
)
SOKOBAN = ("sokoban", "sokoban-pairs")  # the models with levels that other programs can read
DEEP_SECONDS = 4.0  # the time limit for grounding the task, in seconds


def check(parameters: Mapping[str, Any], root: Path | None, send: object) -> dict[str, Any]:
    """The mistakes in the text, its picture, the cells and characters for painting, and the data of the puzzle. If
    `deep` is true, the mistakes include the warnings about the grounded task, and the data include its size. If the
    text has the key `fill`, it is read as a spec of boards.

    Raises UsageError if the text or its name is not valid.
    """
    text = payload.text_of(parameters, "text", payload.MOST_CHARACTERS)
    spec: dict[str, Any] | None = None
    if _has_fill(text):
        compiled = None
        spec, diagnostics = _spec(text, payload.name_of(parameters))
    else:
        compiled, diagnostics = _compiled(text, payload.name_of(parameters), root)
    sizes: dict[str, int] | None = None
    if compiled is not None and parameters.get("deep"):
        diagnostics, sizes = _deep(compiled)
    offsets = Offsets(text)
    own = None if root is None else str(payload.path_of(payload.name_of(parameters), root))
    here = {payload.name_of(parameters), own}
    puzzle = None if compiled is None else compiled.puzzle
    painted = painting(text, offsets, puzzle)
    answer: dict[str, Any] = {
        "mistakes": [marked(one, offsets, is_here=one.file in here) for one in diagnostics],
        "picture": None,
        "origin": [0, 0],
        "painting": painted,
        "brushes": [],
        "puzzle": None,
        "spec": spec,
    }
    if compiled is not None:
        answer |= _picture(compiled) | {"puzzle": _about(compiled, sizes)}
    elif painted is not None:
        answer["picture"] = sketch(painted)
    if painted is not None:
        loaded = None if compiled is None else compiled.document
        answer["brushes"] = brushes(loaded, text, painted)
    return answer


def _compiled(
    text: str, name: str, root: Path | None
) -> tuple[CompiledPuzzle | None, tuple[Diagnostic, ...]]:
    """The puzzle of a text, and its warnings; None and the mistakes, if the text is not a puzzle."""
    try:
        document = payload.document_of({"text": text, "name": name}, root)
        compiled = CompiledPuzzle(read_puzzle(document, {}), document)
    except DocumentError as error:
        return None, error.diagnostics
    return compiled, compiled.puzzle.warnings


def _has_fill(text: str) -> bool:
    tree = parse(Source("text", text), Report())
    return tree is not None and "fill" in tree.items


def _spec(text: str, name: str) -> tuple[dict[str, Any] | None, tuple[Diagnostic, ...]]:
    """The metrics and the number of letters of a spec; None and the mistakes, if it has mistakes. As in the workbench,
    a spec may extend only shipped models.
    """
    try:
        spec = load_board_specs(name, text=text, within=NOWHERE)[0]
    except DocumentError as error:
        return None, error.diagnostics
    document = spec.document.document
    # `generate` supports no pairs of metrics
    names = [
        name for name, entry in (document.metrics or {}).items() if not isinstance(entry, list)
    ]
    default = [] if document.metric is None else [document.metric]
    metrics = list(dict.fromkeys([*default, *names])) or ["moves"]
    return {"metrics": metrics, "letters": len(spec.fillers)}, ()


def _deep(compiled: CompiledPuzzle) -> tuple[tuple[Diagnostic, ...], dict[str, int] | None]:
    """All mistakes and warnings, and the size of the task; the size is None if grounding takes too long or finds
    mistakes.
    """
    try:
        if "grounded" not in compiled.__dict__:
            limits = Limits(DEEP_SECONDS)
            compiled.__dict__["grounded"] = ground(compiled.puzzle, grounding_watch(limits, None))
        task = compiled.grounded
        return compiled.warnings, {"facts": len(task.facts), "operators": len(task.moves)}
    except LimitReached:
        return compiled.puzzle.warnings, None
    except DocumentError as error:
        return error.diagnostics, None


def _picture(compiled: CompiledPuzzle) -> dict[str, Any]:
    """The picture in the colours of the page, and the coordinates of the cell (0, 0) in the picture."""
    style = PuzzleStyle(compiled.puzzle, page_theme())
    drawn = svg_document(style, whole(style, compiled.start, compiled.puzzle.labels))
    origin = [0.0, 0.0]
    if compiled.puzzle.board is not None:
        left, top, _, _ = BoardPicture(style).box
        origin = [PADDING - left, PADDING - top]
    return {"picture": drawn, "origin": origin}


def _about(compiled: CompiledPuzzle, sizes: dict[str, int] | None) -> dict[str, Any]:
    """The data of a puzzle that determine what the page shows and offers, such as its metrics."""
    puzzle, document = compiled.puzzle, compiled.document
    assert document is not None
    shipped = {str(path) for _, path in models()}
    return {
        "name": puzzle.name,
        "title": puzzle.title,
        "metrics": list(compiled.metrics),
        "pieces": len(puzzle.pieces),
        "variables": len(puzzle.variables),
        "rules": [rule.name for rule in puzzle.rules],
        "has_goal": puzzle.goal is not None,
        "sizes": sizes,
        "own_models": [basename(file) for file in document.files[1:] if file not in shipped],
        "expect": [[e.key, e.value] for e in puzzle.expectations],
        "is_sokoban": is_sokoban(compiled),
    }


def is_sokoban(compiled: CompiledPuzzle) -> bool:
    """Whether the puzzle is a level of plain Sokoban that is drawn with the characters of level files."""
    document = compiled.document
    assert document is not None
    source = document.tree.location.source
    own = {key for key, location in document.tree.keys.items() if location.source is source}
    drawn = document.document.board
    below = set(document.files[1:])
    is_plain = below and below <= {model_file(name) for name in SOKOBAN} and own <= NO_RULES
    return bool(is_plain) and isinstance(drawn, str) and "{" not in drawn

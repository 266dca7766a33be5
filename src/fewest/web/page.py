"""The page on which puzzles can be played: one HTML file that contains all its data and sends no requests."""

from __future__ import annotations

import base64
import json
import math
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from fewest.commands.limited import uninterrupted
from fewest.drawing.pictures.picture import svg_document, whole
from fewest.drawing.pictures.puzzle_style import PuzzleStyle
from fewest.errors import UsageError
from fewest.model.answer import Limits
from fewest.sanitize import shown, shown_in
from fewest.web.distances import MOST, packed_distances
from fewest.web.rules import rules_data
from fewest.web.scene import page_theme, scene_data, theme_variables

if TYPE_CHECKING:
    from fewest.commands.api import CompiledPuzzle

STATIC = Path(__file__).parent / "static"
SCRIPTS = (
    "rules.js",
    "distances.js",
    "game.js",
    "descriptions.js",
    "board.js",
    "variables.js",
    "player.js",
    "keys.js",
    "gallery.js",
    "main.js",
)


class PageOptions(Struct, frozen=True):
    """The options that determine what a page contains; `seconds` limits the search for each proof and the computation
    of each table of distances; `all_seconds` limits the time of all of these together (None: no limit).
    """

    metric: str | None = None
    seconds: float | None = 60.0
    memory: int | None = None
    distances: bool = True
    most: int = MOST
    all_seconds: float | None = None


class Chapter(Struct, frozen=True):
    """A puzzle on the page: its data for the player, its picture for the gallery, and a note for the user of the
    command, which gives the reasons why results are missing (empty if no result is missing).
    """

    data: Mapping[str, Any]
    picture: str
    note: str


def chapter(compiled: CompiledPuzzle, options: PageOptions) -> Chapter:
    """A puzzle with its minima, the plan in the chosen metric and, if requested, its distances.

    The chosen metric comes first, then the distances, then the other metrics.

    If a limit stops the search for a minimum or the computation of the distances, the data omit them. Raises
    UsageError for an unknown metric, for a task with permutations, and for one with separate
    consequences if a metric merges moves.
    """
    compiled = compiled.in_flips  # the plan contains operators of the task of flips
    puzzle, task = compiled.puzzle, compiled.task
    data = player_data(compiled, options.metric)
    chosen = data["task"]["metric"]
    notes: dict[str, str] = {}
    began = time.perf_counter()

    def limits() -> Limits:
        left = math.inf if options.all_seconds is None else options.all_seconds
        seconds = math.inf if options.seconds is None else options.seconds
        seconds = min(seconds, max(0.0, left - (time.perf_counter() - began)))
        return Limits(None if seconds == math.inf else seconds, options.memory)

    def solve(name: str) -> None:
        now = limits()
        result = uninterrupted(compiled.solve(name, seconds=now.seconds, memory=now.memory))
        proven = result.status == "optimal" and result.cost is not None
        if proven or result.status == "unsolvable":
            data["minima"][name] = result.cost
        else:
            notes[name] = f"{name}: {result.reason or 'no proof'}"
        if name == chosen and result.plan is not None:
            data["plan"] = list(result.plan.operators)

    if puzzle.goal is not None:
        solve(chosen)
        if options.distances:
            packed = packed_distances(task, task.metrics[chosen], limits(), options.most)
            data["distances"] = packed.data
            if packed.reason is not None:
                notes[""] = f"no distances: {packed.reason}"
        for name in puzzle.metrics:
            if name != chosen:
                solve(name)
    data["minima"] = {n: data["minima"][n] for n in puzzle.metrics if n in data["minima"]}
    note = "; ".join(notes[name] for name in (*puzzle.metrics, "") if name in notes)
    style = PuzzleStyle(puzzle, page_theme())
    picture = svg_document(style, whole(style, compiled.start, puzzle.labels))
    return Chapter(data, picture, f"{puzzle.name}: {note}" if note else "")


def player_data(compiled: CompiledPuzzle, metric: str | None = None) -> dict[str, Any]:
    """The data of a puzzle for the player, without minima, plan and distances.

    Raises UsageError for an unknown metric, for two metrics that look the same, for a task with permutations, and for
    one with separate consequences if a metric merges moves.
    """
    puzzle, task = compiled.puzzle, compiled.task
    if metric is not None and metric not in puzzle.metrics:
        raise UsageError(f"{puzzle.name} has no metric `{metric}`")
    names = [shown(name) for name in puzzle.metrics]
    if len(set(names)) < len(names):
        raise UsageError(
            f"two metrics of {puzzle.name} differ only in characters that are not visible"
        )
    task.require_flips("a page")
    if any(part.merge != "none" for m in puzzle.metrics.values() for part in m.parts):
        task.require_whole_moves("a page with a metric that merges moves")
    return {
        "name": puzzle.name,
        "title": puzzle.title,
        "source": puzzle.source,
        "notes": puzzle.notes,
        "task": {**rules_data(puzzle, task), "metric": metric or puzzle.default_metric},
        "scene": scene_data(puzzle),
        "minima": {},
        "plan": None,
        "distances": None,
    }


def page(chapters: Sequence[Chapter], title: str | None = None) -> str:
    """The HTML of one or several puzzles; it loads no other files."""
    called = title or (chapters[0].data["title"] if len(chapters) == 1 else "Puzzles")
    index = [
        {
            "name": c.data["name"],
            "title": c.data["title"],
            "metric": c.data["task"]["metric"],
            "minimum": c.data["minima"].get(c.data["task"]["metric"]),
            "positions": (c.data["distances"] or {}).get("states"),
            "picture": c.picture,
        }
        for c in chapters
    ]
    script = scripts()
    parts = {
        "title": escape(shown(called)),
        "policy": policy(script),
        "style": style_sheet(),
        "index": packed_json(shown_in(index)),
        "puzzles": "\n".join(
            f'<script type="application/octet-stream" class="puzzle">{packed_json(shown_in(c.data))}</script>'
            for c in chapters
        ),
        "script": script,
    }
    text = _static("page.html")
    for key, value in parts.items():
        text = text.replace(f"<!--{key}-->", value)
    return text


def scripts() -> str:
    """All scripts of the page, concatenated in one scope."""
    return '"use strict";\n' + "\n".join(_static(name) for name in SCRIPTS)


def policy(script: str) -> str:
    """The policy for the browser: it allows only this script and forbids all requests."""
    digest = base64.b64encode(sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def style_sheet() -> str:
    """The style sheet with the colours of both themes."""
    light, dark = theme_variables("light"), theme_variables("dark")
    return (
        f":root{{{light}}}\n@media (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
        f':root[data-theme="light"]{{{light}}}\n:root[data-theme="dark"]{{{dark}}}\n'
        + _static("page.css")
    )


def packed_json(data: Any) -> str:
    """Data as deflated JSON in base64, which is short and cannot contain the closing tag of a script."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
    return base64.b64encode(zlib.compress(text, 9)).decode()


def _static(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def write_page(
    puzzles: Sequence[CompiledPuzzle],
    options: PageOptions,
    report: Callable[[Chapter], None] | None = None,
) -> str:
    """The page for some puzzles; `report` is called for each chapter when it is finished.

    Raises UsageError if there are no puzzles or if two of them have the same name, and the errors of `chapter`.
    """
    chapters: list[Chapter] = []
    names: set[str] = set()
    for compiled in puzzles:
        if compiled.puzzle.name in names:
            raise UsageError(
                f"two puzzles have the name {compiled.puzzle.name}",
                hint="give each puzzle only once",
            )
        names.add(compiled.puzzle.name)
        chapters.append(chapter(compiled, options))
        if report is not None:
            report(chapters[-1])
    if not chapters:
        raise UsageError("a page needs at least one puzzle")
    return page(chapters)

"""The puzzles of the package and of the folder: lists, pictures, texts."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from fewest.commands.load import load_any
from fewest.drawing.pictures.picture import svg_document, whole
from fewest.drawing.pictures.puzzle_style import PuzzleStyle, look
from fewest.errors import DocumentError, FewestError, NotFoundError
from fewest.formats.registry import format_of, read_collection
from fewest.machine.resources import puzzles
from fewest.model.answer import counted
from fewest.model.position import start
from fewest.model.puzzle import Puzzle
from fewest.reading.document import ExpectedEntry
from fewest.reading.loader import load_document
from fewest.reading.puzzle import read_puzzle
from fewest.serve.folder import DOCUMENTS, MOST_NAME, Folder, digest
from fewest.serve.handlers import payload
from fewest.serve.text_offsets import Offsets, marked

MOST_LEVELS = 500  # the maximum number of levels that are listed from one file
# the number of seconds for finding and reading the files of the folder, less than the time limit of the whole request
LIST_SECONDS = 4.0


def library(parameters: Mapping[str, Any], root: Path | None, send: object) -> list[dict[str, Any]]:
    """The list of puzzles in groups: the documents and levels in the folder, then the shipped puzzles by family."""
    groups: list[dict[str, Any]] = []
    if root is not None:
        groups.append({"name": root.name or str(root), "own": True, "entries": list(_own(root))})
    return [*groups, *_shipped()]


@cache
def _shipped() -> list[dict[str, Any]]:
    """The groups of the shipped puzzles, which do not change while this process runs."""
    families: dict[str, list[dict[str, Any]]] = {}
    for family, name, path in puzzles():
        entry = _entry(f"{payload.SHIPPED}{family}/{name}", name, path)
        families.setdefault(family, []).append(entry)
    return [{"name": name, "own": False, "entries": rows} for name, rows in families.items()]


def _own(root: Path) -> Iterator[dict[str, Any]]:
    """The documents and levels in the folder. If reading them takes too long, the others have only their names."""
    folder = Folder(root)
    began = time.monotonic()
    until = began + LIST_SECONDS
    for name in folder.names(began + LIST_SECONDS / 2):
        if time.monotonic() > until:
            level = "" if Path(name).suffix.lower() in DOCUMENTS else ":1"
            yield _blank(f"{payload.OWN}{name}{level}", name)
            continue
        with suppress(FewestError):  # omits links out of the folder, and unreadable levels
            path = folder.path(name)
            if path.suffix.lower() in DOCUMENTS:
                yield _entry(f"{payload.OWN}{name}", name, path, root)
            elif format_of(name) is not None and path.stat().st_size <= payload.MOST_CHARACTERS:
                yield from _levels(name, path)


def _blank(ref: str, name: str) -> dict[str, Any]:
    """The entry of a file that was not read."""
    return {"ref": ref, "name": name, "title": name, "model": "", "known": ""}


def _entry(ref: str, name: str, path: Path, root: Path | None = None) -> dict[str, Any]:
    """The title, the model and up to two known answers of a document; if it cannot be read, only its name."""
    entry = _blank(ref, name)
    try:
        known = load_document(path, within=root).document
    except (FewestError, OSError):
        return entry | {"broken": True}
    if known.puzzle is None:
        return entry | {"title": known.title or name, "model": "a model"}
    shown: list[str] = []
    for key, expected in (known.expect or {}).items():
        value = expected.value if isinstance(expected, ExpectedEntry) else expected
        if value is True:
            shown.append(key)
        elif (
            isinstance(value, int)
            and value
            and key not in ("reachable", "goal_states", "plans", "unique")
        ):
            shown.append(counted(value, key))
    title = known.title or name
    return entry | {"title": title, "model": known.model or "", "known": ", ".join(shown[:2])}


def _levels(name: str, path: Path) -> Iterator[dict[str, Any]]:
    collection = read_collection(str(path))
    for level in collection.levels[:MOST_LEVELS]:
        title = level.title or f"{collection.title or Path(name).stem} {level.number}"
        ref = f"{payload.OWN}{name}:{level.number}"
        yield {
            "ref": ref,
            "name": f"{name}:{level.number}",
            "title": title,
            "known": "",
            "model": collection.model,
        }


def picture(parameters: Mapping[str, Any], root: Path | None, send: object) -> str:
    """The picture of a puzzle in the list, as SVG in a theme. Raises FewestError if the document is not a puzzle."""
    theme = "dark" if parameters.get("theme") == "dark" else "light"
    ref = payload.text_of(parameters, "ref", MOST_NAME + len(payload.OWN))
    name, text = payload.resolve_text(ref, root)
    puzzle = _read(ref, name, text, root)
    style: PuzzleStyle = look(puzzle, theme)
    return svg_document(style, whole(style, start(puzzle), puzzle.labels))


def _read(ref: str, name: str, text: str, root: Path | None) -> Puzzle:
    if ref.startswith(payload.SHIPPED):
        return read_puzzle(load_any(name, text=text), {})
    puzzle = read_puzzle(payload.loaded(name, root, text), {})
    return replace(puzzle, file=name)


def opened(parameters: Mapping[str, Any], root: Path | None, send: object) -> dict[str, Any]:
    """The text and the name of a document; for a file in the folder, also its digest, and whether it contains line ends
    of Windows (`windows`). If such a file is not UTF-8, `broken` contains the mistakes.

    Raises NotFoundError, UsageError or DocumentError.
    """
    ref = payload.text_of(parameters, "ref", MOST_NAME + len(payload.OWN))
    name, text = payload.resolve_text(ref, root)
    answer: dict[str, Any] = {"ref": ref, "name": name, "text": text, "broken": [], "digest": None}
    if root is not None and ref == f"{payload.OWN}{name}":  # a file, not one of its levels
        data = Folder(root).read(name)
        answer |= {"digest": digest(data), "windows": b"\r\n" in data}
        try:
            data.decode()
        except UnicodeDecodeError:
            answer["broken"] = _broken(Folder(root).path(name), text, root)
    return answer


def _broken(path: Path, text: str, root: Path) -> list[dict[str, Any]]:
    try:
        load_document(path, within=root)
    except DocumentError as error:
        return [marked(one, Offsets(text), is_here=True) for one in error.diagnostics]
    except NotFoundError:
        pass
    return []


def alone(parameters: Mapping[str, Any], root: Path | None, send: object) -> str:
    """The user's text as a complete document that can be sent to other people. Raises DocumentError, UsageError or
    UndrawableError.
    """
    return payload.alone(payload.compiled_of(parameters, root))

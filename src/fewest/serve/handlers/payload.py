"""The data of a request; the client is not trusted, so this module checks everything."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fewest.commands.api import CompiledPuzzle
from fewest.commands.load import load_any
from fewest.errors import UsageError
from fewest.machine.resources import models, puzzles
from fewest.model.answer import Limits
from fewest.reading.loader import NOWHERE, LoadedDocument
from fewest.reading.puzzle import read_puzzle
from fewest.serve.folder import MOST_NAME, Folder, is_readable
from fewest.serve.time_limits import MOST_SECONDS, MOST_TIMES
from fewest.web.page import PageOptions

MOST_CHARACTERS = 1_000_000
SHIPPED = "shipped/"
OWN = "own/"


def text_of(parameters: Mapping[str, Any], key: str, most: int = 200) -> str:
    """The text at a key. Raises UsageError if the value is not a text of at most `most` characters."""
    text = parameters.get(key)
    if not isinstance(text, str) or len(text) > most:
        raise UsageError(f"`{key}` must be a text of at most {most:,} characters")
    return text


def number_of(
    parameters: Mapping[str, Any], key: str, default: float, least: float, most: float
) -> float:
    """The number at a key, or the default if the key is missing. Raises UsageError if the value is not a number from
    `least` to `most`.
    """
    number = parameters.get(key, default)
    if (
        isinstance(number, bool)
        or not isinstance(number, (int, float))
        or not least <= number <= most
    ):
        raise UsageError(f"`{key}` must be a number from {least:,.0f} to {most:,.0f}")
    return float(number)


def limits_of(parameters: Mapping[str, Any]) -> Limits:
    """The limits that the engine itself observes. In the request, `memory` is in MiB. Raises UsageError."""
    seconds = number_of(parameters, "seconds", 60, 1, MOST_SECONDS)
    return Limits(seconds, int(number_of(parameters, "memory", 2048, 64, 1 << 20)) << 20)


def page_options(parameters: Mapping[str, Any]) -> PageOptions:
    """The options of a page. All its searches end before the server ends the process (`app.Server.run`). Raises
    UsageError.
    """
    limits = limits_of(parameters)
    assert limits.seconds is not None, "requests have a time limit"
    together = 0.75 * min(MOST_TIMES * limits.seconds, MOST_SECONDS)
    return PageOptions(metric_of(parameters), limits.seconds, limits.memory, all_seconds=together)


def metric_of(parameters: Mapping[str, Any]) -> str | None:
    """The name of the chosen metric; None if the request does not choose one."""
    return text_of(parameters, "metric") if parameters.get("metric") else None


def name_of(parameters: Mapping[str, Any]) -> str:
    """The name of the text's file, without control characters; by default, `puzzle.yaml`. Raises UsageError."""
    name = text_of(parameters, "name", MOST_NAME) if parameters.get("name") else "puzzle.yaml"
    return re.sub(r"[\x00-\x1f]", "", name) or "puzzle.yaml"


def document_of(parameters: Mapping[str, Any], root: Path | None) -> LoadedDocument:
    """The document that the user wrote. Raises DocumentError or UsageError.

    A document in the given folder can extend models in this folder. No other file is read, except those of the package.
    """
    text = text_of(parameters, "text", MOST_CHARACTERS)
    if len(text.encode(errors="replace")) > MOST_CHARACTERS:
        raise UsageError("the document is larger than 1 MB")
    return loaded(name_of(parameters), root, text)


def loaded(name: str, root: Path | None, text: str) -> LoadedDocument:
    """A text as a document in the folder. Without a folder, the document may extend only shipped models.

    Raises DocumentError, and UsageError if the name is not that of a file in the folder.
    """
    if root is None:
        return load_any(name, text=text, within=NOWHERE)
    return load_any(path_of(name, root), text=text, within=root)


def path_of(name: str, root: Path) -> Path:
    """The file in the folder that has this name; links are followed. Raises UsageError if it is not in the folder."""
    return Folder(root).path(name) if name and not name.startswith("/") else root / "puzzle.yaml"


def compiled_of(parameters: Mapping[str, Any], root: Path | None) -> CompiledPuzzle:
    """The user's puzzle. Raises DocumentError or UsageError."""
    document = document_of(parameters, root)
    return CompiledPuzzle(read_puzzle(document, {}), document)


def alone(compiled: CompiledPuzzle) -> str:
    """A complete document of a puzzle; if its own text extends only shipped models, this text.

    Raises UndrawableError if no document can express the puzzle.
    """
    document = compiled.document
    assert document is not None
    shipped = {str(path) for _, path in models()}
    if all(file in shipped for file in document.files[1:]):
        return document.texts[0]
    puzzle = compiled.puzzle
    return compiled.document_at(compiled.start, puzzle.name, title=puzzle.title)


def split_level(name: str) -> tuple[str, str]:
    """The name of a file in the folder, and the level that is chosen in it (empty if none is)."""
    at = len(name)
    while not is_readable(name[:at]):
        before = name.rfind(":", 0, at)
        if before < 0:  # the name is not that of a document or of levels
            return name, ""
        at = before
    return name[:at], name[at + 1 :]


def resolve_text(ref: str, root: Path | None) -> tuple[str, str]:
    """The name and the text of a shipped puzzle (`shipped/FAMILY/NAME`) or of a puzzle in the folder (`own/PATH`).

    A level of a file has the form `own/PATH:NUMBER`; the name of a file may contain colons, too. Raises NotFoundError,
    UsageError or DocumentError.
    """
    if ref.startswith(SHIPPED):
        wanted = ref.removeprefix(SHIPPED)
        for family, name, path in puzzles():
            if f"{family}/{name}" == wanted:
                return f"{name}.yaml", path.read_text(encoding="utf-8")
        raise UsageError(f"there is no shipped puzzle `{wanted}`")
    if not ref.startswith(OWN) or root is None:
        raise UsageError(f"there is no puzzle `{ref}`")
    folder = Folder(root)
    name, level = split_level(ref.removeprefix(OWN))
    data = folder.read(name)
    if not level:
        text = data.decode("utf-8", errors="replace").removeprefix("\ufeff")
        return name, text.replace("\r\n", "\n").replace("\r", "\n")
    from fewest.formats.collection import document
    from fewest.formats.registry import read_collection

    collection = read_collection(str(folder.path(name)))
    return f"{Path(name).stem}-{level}.yaml", document(collection, collection.level(level))

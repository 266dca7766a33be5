"""Loads a puzzle by name, from a file or from a text, in YAML or in another program's format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from fewest.formats.registry import level_document, split_reference
from fewest.machine.input import is_stream
from fewest.model.puzzle import Puzzle
from fewest.reading.loader import LoadedDocument, load_document
from fewest.reading.puzzle import read_puzzle

if TYPE_CHECKING:
    from pathlib import Path


def load_puzzle(
    ref: str | Path, parameters: Mapping[str, int] | None = None, *, text: str | None = None
) -> Puzzle:
    """The puzzle in a file, the shipped puzzle of that name, or the puzzle in `text`.

    `parameters` override the parameters of the document. Raises DocumentError, which lists every mistake found,
    NotFoundError, and UsageError if the puzzle does not have one of the given parameters.
    """
    return read_puzzle(load_any(ref, text=text), parameters or {})


def carried(ref: str) -> tuple[str, str] | None:
    """The name and the text of a stream, to be sent to another process: a stream can be read only once.

    The result is None if every process can read the source itself. Raises the errors of `load_any`.
    """
    file, _ = split_reference(ref)
    if not is_stream(file):
        return None
    return level_document(ref) or (ref, load_document(ref).texts[0])


def load_any(
    ref: str | Path, *, text: str | None = None, within: str | Path | None = None
) -> LoadedDocument:
    """The document of a reference; a level of a collection (`levels.xsb:7`) is converted to a document.

    `within`: the only folder from which models are read; see `load_document`. Raises NotFoundError, UsageError and
    DocumentError.
    """
    if text is None:
        level = level_document(str(ref))
        if level is not None:
            ref, text = level
    return load_document(ref, text=text, within=within)

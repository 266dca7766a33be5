"""Writes a first document for a new puzzle, with its own rules or based on a shipped model."""

from __future__ import annotations

import re
from pathlib import Path

from fewest.errors import NotFoundError, UsageError
from fewest.formats.stand_alone import write_puzzle
from fewest.machine.resources import model_path, models, puzzles
from fewest.model.puzzle import Puzzle
from fewest.reading.loader import LoadedDocument, load_document
from fewest.reading.puzzle import read_puzzle

_FIRST = Path(__file__).parent / "first.yaml"
_EVERY = {
    "puzzle",
    "title",
    "model",
    "board",
    "goal",
    "expect",
    "tests",
    "metric",
    "source",
    "notes",
}
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


def new_document(name: str, model: str | None = None) -> str:
    """The text of a document named `name`, with comments that point out the parts to change.

    If a model is given, the document is a copy of the simplest shipped puzzle of that model. Raises UsageError for an
    invalid name, and NotFoundError if the model is unknown or has no puzzle.
    """
    if _NAME.fullmatch(name) is None:
        hint = "use letters, digits, -, _ and .; begin with a letter or a digit"
        raise UsageError(f"`{name}` is not a valid name for a puzzle", hint=hint)
    if model is None:
        text = _FIRST.read_text(encoding="utf-8")
        return text.replace("@NAME@", name).replace("@TITLE@", _title(name))
    model_path(model)
    loaded, puzzle = _smallest(model)
    known = {e.key: e.value for e in puzzle.expectations if not e.slow and e.key in puzzle.metrics}
    text = write_puzzle(
        loaded,
        puzzle,
        name=name,
        title=_title(name),
        metric=puzzle.default_metric,
        expect={key: list(v) if isinstance(v, tuple) else v for key, v in known.items()},
        source="",
        notes="",
    )
    text = "".join(_comments(name, model, loaded, puzzle)) + _without_empty(text)
    read_puzzle(load_document(f"{name}.yaml", text=text), {})
    return text


def _title(name: str) -> str:
    return name.replace("-", " ").replace("_", " ").strip().capitalize()


def _smallest(model: str) -> tuple[LoadedDocument, Puzzle]:
    """The simplest shipped puzzle of the model.

    Puzzles with a quick answer are preferred, then puzzles with fewer keys, and then smaller ones.
    """
    line = re.compile(rf"^model: *{re.escape(model)} *(#.*)?$", re.M)
    found: list[tuple[bool, int, int, str, LoadedDocument, Puzzle]] = []
    for _, name, path in puzzles():
        text = path.read_text(encoding="utf-8")
        if line.search(text):
            loaded = load_document(path)
            puzzle = read_puzzle(loaded, {})
            cells = 0 if puzzle.board is None else puzzle.board.num_cells
            size = cells + len(puzzle.pieces) + len(puzzle.variables)
            keys = len(set(re.findall(r"^([\w-]+):", text, re.M)) - _EVERY)
            is_slow = all(e.slow or e.key not in puzzle.metrics for e in puzzle.expectations)
            found.append((is_slow, keys, size, name, loaded, puzzle))
    if not found:
        others = ", ".join(name for name, _ in models())
        raise NotFoundError(
            f"no shipped puzzle uses the model `{model}`", hint=f"the models are {others}"
        )
    *_, loaded, puzzle = min(found, key=lambda entry: entry[:4])
    return loaded, puzzle


def _comments(name: str, model: str, loaded: LoadedDocument, puzzle: Puzzle) -> list[str]:
    """A summary of the model, as lines of comments."""
    document = loaded.document
    signs = [f"{key!r} {meaning}" for key, meaning in (document.legend or {}).items()]
    for kind, spec in (document.pieces or {}).items():
        if spec is not None and spec.letters is not None:
            letters = spec.letters if isinstance(spec.letters, str) else " ".join(spec.letters)
            signs.append(f"{letters}: patches of one letter, each a {kind}")
    lines = [
        f"A puzzle based on the model {model}: draw another board, or change what the model defines.",
        f"  fewest watch {name}.yaml   shows the board, every mistake and the answer at every save",
        f"characters: {', '.join(signs)}",
        f"rules: {', '.join(rule.name for rule in puzzle.rules)}",
        f"metrics: {', '.join(puzzle.metrics)}",
        "This document can also contain `goal`, `forbid`, `legend`, `pieces`, `moves` and `metrics`. A goal or a "
        "`forbid` replaces that of the model; the entries of the other keys are added to the model, or replace "
        "its entries.",
    ]
    return [f"# {line}\n" for line in lines]


def _without_empty(text: str) -> str:
    """The document without empty keys."""
    return re.sub(r'^(?:source|notes): ""\n|^expect: \{\}\n', "", text, flags=re.M)

"""The puzzle in a certificate: its documents, and a fingerprint of their meaning."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from hashlib import blake2b
from typing import Any

from msgspec import NODEFAULT, Struct

from fewest.certificates.container import Header, RejectedError, TooLargeError
from fewest.errors import FewestError, TimeLimitError
from fewest.model.expression import Expression, Target
from fewest.model.metric import Metric
from fewest.model.puzzle import Puzzle
from fewest.model.rules import Guard
from fewest.reading.loader import load_texts
from fewest.reading.puzzle import read_puzzle


def embedded_puzzle(header: Header, name: str = "the certificate") -> tuple[Puzzle, Metric]:
    """The puzzle and the metric of a certificate. The puzzle is read only from the documents in the certificate.

    `name` is the name of the certificate, for error messages. Raises RejectedError if the documents cannot be read or
    do not match the fingerprint, or if the puzzle has no goal or no such metric. Raises TooLargeError if reading the
    documents takes too long.
    """
    try:
        loaded = load_texts(header.documents, f"{name}, document 1")
        puzzle = read_puzzle(loaded, header.parameters)
    except TimeLimitError:
        raise TooLargeError(
            "the check stopped at the time limit",
            reason="time",
            hint="set a longer limit with --time",
        ) from None
    except FewestError as error:
        raise RejectedError(f"the puzzle in the certificate cannot be read:\n{error}") from None
    except RecursionError:
        raise RejectedError("the puzzle in the certificate is nested too deeply") from None
    metric = puzzle.metrics.get(header.metric)
    if metric is None:
        raise RejectedError(f"the puzzle in the certificate has no metric `{header.metric}`")
    if puzzle.goal is None:
        raise RejectedError("the puzzle in the certificate has no goal")
    if fingerprint(puzzle, metric) != header.rules:
        raise RejectedError(
            "the certificate was made for a different puzzle than the one that it contains"
        )
    return puzzle, metric


def fingerprint(puzzle: Puzzle, metric: Metric) -> str:
    """A hash of everything on which an answer depends, such as the board, the pieces, the rules and the metric.

    Titles, notes, labels of moves and expected answers are not included. Format: 64 hexadecimal digits.
    """
    meaning = [
        puzzle.board,
        puzzle.classes,
        [(piece.class_id, piece.anchor) for piece in puzzle.pieces],
        puzzle.variables,
        puzzle.rules,
        *([puzzle.then, puzzle.stages, puzzle.order] if puzzle.then else []),
        puzzle.goal,
        puzzle.forbid,
        puzzle.parameters,
        puzzle.characters,
        metric,
    ]
    text = json.dumps(_plain(meaning), ensure_ascii=False, separators=(",", ":"))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32).hexdigest()


def _set_fields(value: Any) -> Iterator[tuple[str, Any]]:
    """The names and contents of the fields that matter for the meaning of a value and differ from their defaults. A
    field that a later version adds therefore does not change existing hashes.
    """
    if isinstance(value, Struct):
        names, defaults = value.__struct_fields__, value.__struct_defaults__
        needed = [NODEFAULT] * (len(names) - len(defaults))
        for name, default in zip(names, [*needed, *defaults], strict=True):
            factory = getattr(default, "factory", None)
            content = getattr(value, name)
            is_written = not (isinstance(value, Guard) and name == "labels")
            if is_written and content != (default if factory is None else factory()):
                yield name, content
        return
    for field in fields(value):
        content = getattr(value, field.name)
        factory = field.default_factory
        if field.compare and content != (field.default if factory is MISSING else factory()):
            yield field.name, content


def _plain(value: Any) -> Any:
    """The value, reduced to lists, numbers and texts. Sets and maps are sorted."""
    if type(value) in (int, str):  # most values; the other tests take longer
        return value
    if isinstance(value, Expression | Target):
        return [type(value).__name__, value.text]
    if isinstance(value, Struct) or (is_dataclass(value) and not isinstance(value, type)):
        return [
            type(value).__name__,
            *([name, _plain(content)] for name, content in _set_fields(value)),
        ]
    if isinstance(value, Mapping):
        return ["map", *sorted(([_plain(k), _plain(v)] for k, v in value.items()), key=json.dumps)]
    if isinstance(value, set | frozenset):
        return ["set", *sorted(map(_plain, value), key=json.dumps)]
    if isinstance(value, list | tuple):
        return ["list", *map(_plain, value)]
    assert value is None or isinstance(value, int | str), f"not part of a puzzle: {value!r}"
    return value

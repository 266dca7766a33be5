"""The puzzle that a certificate carries: its documents, and the fingerprint of what they mean."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from typing import Any

from msgspec import Struct

from fewest.certificates.container import Header, RejectedError
from fewest.errors import FewestError
from fewest.model.expression import Expression, Target
from fewest.model.metric import Metric
from fewest.model.puzzle import Puzzle
from fewest.reading.overlay import load_texts
from fewest.reading.puzzle import read_puzzle


def carried_puzzle(header: Header) -> tuple[Puzzle, Metric]:
    """The puzzle that a certificate is of, read from its own documents alone, and the metric.

    Raises RejectedError if they cannot be read, or are not what the fingerprint is of.
    """
    try:
        puzzle = read_puzzle(load_texts(header.documents, header.puzzle), header.parameters)
    except FewestError as error:
        raise RejectedError(f"the puzzle that it carries cannot be read:\n{error}") from None
    metric = puzzle.metrics.get(header.metric)
    if metric is None:
        raise RejectedError(f"the puzzle that it carries has no metric `{header.metric}`")
    if puzzle.goal is None:
        raise RejectedError("the puzzle that it carries has no goal")
    if fingerprint(puzzle, metric) != header.rules:
        raise RejectedError("the puzzle that it carries is not the one that it was made for")
    return puzzle, metric


def fingerprint(puzzle: Puzzle, metric: Metric) -> str:
    """A hash of everything that an answer depends on: board, pieces, variables, rules, goal, metric.

    Titles, notes and what is expected are not in it. 64 hexadecimal digits.
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


def _plain(value: Any) -> Any:
    """Lists, numbers and texts that say the same; sets and maps in order."""
    if isinstance(value, Expression | Target):
        return [type(value).__name__, value.text]
    if is_dataclass(value) and not isinstance(value, type):
        named = [getattr(value, f.name) for f in fields(value) if f.compare]
        return [type(value).__name__, *map(_plain, named)]
    if isinstance(value, Struct):
        named = [getattr(value, name) for name in value.__struct_fields__]
        return [type(value).__name__, *map(_plain, named)]
    if isinstance(value, Mapping):
        return ["map", *sorted(([_plain(k), _plain(v)] for k, v in value.items()), key=json.dumps)]
    if isinstance(value, set | frozenset):
        return ["set", *sorted(map(_plain, value), key=json.dumps)]
    if isinstance(value, list | tuple):
        return ["list", *map(_plain, value)]
    assert value is None or isinstance(value, int | str), f"no part of a puzzle: {value!r}"
    return value

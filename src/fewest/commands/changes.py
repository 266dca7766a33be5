"""Changes the walls, pieces and rules of a puzzle. Each changed puzzle is written as a document and read back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from fewest.errors import DocumentError, FewestError
from fewest.formats.plain import written
from fewest.formats.stand_alone import (
    UndrawableError,
    check_same_start,
    plain_values,
    with_own_letters,
    write_puzzle,
)
from fewest.grounding.ground import ground
from fewest.model.answer import counted
from fewest.model.board import GRAPH
from fewest.model.puzzle import Piece, Puzzle, Spot
from fewest.model.task import Task
from fewest.reading.loader import LoadedDocument, load_document
from fewest.reading.puzzle import read_puzzle

PartKind = Literal["wall", "piece", "rule"]
RulePath = tuple[str, str | int]  # `then` and a name, or `forbid` and an index


class TooLargeError(FewestError):
    """Raised if a changed puzzle exceeds a size limit. Nothing is then known about its plans."""


class Part(Struct, frozen=True):
    """A wall, a piece at the start or a rule that can be removed.

    `spot` is the class and anchor of a piece, `cell` is the cell of a wall, and `rule` is the path of a rule in the
    document.
    """

    kind: PartKind
    name: str
    cells: tuple[tuple[int, int], ...] = ()
    cell: int = -1
    spot: Spot | None = None
    rule: RulePath | None = None

    def __str__(self) -> str:
        return f"{self.name} {self.cells[0]}" if self.cells else self.name

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"kind": self.kind, "name": self.name, "cells": [list(cell) for cell in self.cells]}


class Variation(Struct, frozen=True):
    """The walls and pieces of a changed start, and the rules to omit (`dropped`)."""

    walls: frozenset[int]
    pieces: tuple[Piece, ...]
    dropped: frozenset[RulePath] = frozenset()


class Changed(Struct, frozen=True, eq=False):
    """A changed puzzle, read and compiled."""

    document: LoadedDocument
    puzzle: Puzzle
    task: Task


class Refused(Struct, frozen=True):
    """The reason why a changed puzzle is invalid: the code and the message of the first error in its document."""

    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"


class Refusals:
    """The numbers of changed puzzles that are invalid, by the code of the error, with the first reason for each
    code.
    """

    def __init__(self) -> None:
        self._by_code: dict[str, tuple[Refused, int]] = {}

    def add(self, refused: Refused) -> None:
        """Count one more invalid puzzle."""
        first, number = self._by_code.get(refused.code, (refused, 0))
        self._by_code[refused.code] = first, number + 1

    def all(self) -> tuple[RefusedNumber, ...]:
        """All numbers."""
        return tuple(RefusedNumber(refused, number) for refused, number in self._by_code.values())


class RefusedNumber(Struct, frozen=True):
    """The number of changed puzzles that are invalid with the same code, and the reason for the first of them."""

    refused: Refused
    number: int

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        refused = self.refused
        return {"code": refused.code, "message": refused.message, "number": self.number}


def refusal_lines(refusals: Iterable[RefusedNumber], noun: str) -> Iterator[str]:
    """A line for each code; `noun` names the changed parts, in the plural."""
    for one in refusals:
        leave = "leaves" if one.number == 1 else "leave"
        example = "" if one.number == 1 else "for example, "
        yield f"{counted(one.number, noun)} {leave} no valid puzzle: {example}{one.refused}"


class PuzzleToChange:
    """A puzzle to change. For each set of dropped rules, the document without these rules is read only once."""

    def __init__(self, document: LoadedDocument, puzzle: Puzzle) -> None:
        self.document, self.puzzle = document, puzzle
        self._bases: dict[frozenset[RulePath], tuple[LoadedDocument, Puzzle]] = {
            frozenset(): (document, puzzle)
        }

    @property
    def unchanged(self) -> Variation:
        """The puzzle as it is, as a variation."""
        board = self.puzzle.board
        return Variation(frozenset() if board is None else board.walls, self.puzzle.pieces)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """All parts that can be removed: walls, pieces, consequences, and conditions of `forbid`."""
        return (*self.walls, *self.pieces, *self.rules)

    @cached_property
    def walls(self) -> tuple[Part, ...]:
        """The walls; a graph has no walls."""
        board = self.puzzle.board
        if board is None or board.geometry == GRAPH:
            return ()
        return tuple(Part("wall", "wall", (board.at(cell),), cell) for cell in sorted(board.walls))

    @cached_property
    def pieces(self) -> tuple[Part, ...]:
        """The pieces at the start."""
        return tuple(self.part_of(piece) for piece in self.puzzle.pieces)

    def part_of(self, piece: Piece) -> Part:
        """A piece at the start as a part, with the cells that it covers."""
        board, spot = self.puzzle.board, (piece.class_id, piece.anchor)
        assert board is not None, "pieces stand on boards"
        cells = tuple(sorted(board.at(cell) for cell in self.puzzle.under[spot]))
        return Part("piece", piece.name, cells, spot=spot)

    @cached_property
    def rules(self) -> tuple[Part, ...]:
        """The consequences, and the conditions of `forbid`. Moves are not included, because removing a move never makes
        a puzzle solvable.
        """
        document = self.document.document
        forbid = document.forbid
        count = 0 if forbid is None else len(forbid) if isinstance(forbid, list) else 1
        names = [("then", name, f"`{name}` of `then`") for name in document.then or {}]
        return (
            *(Part("rule", title, rule=(key, name)) for key, name, title in names),
            *(
                Part(
                    "rule",
                    f"`forbid` {number + 1}" if count > 1 else "`forbid`",
                    rule=("forbid", number),
                )
                for number in range(count)
            ),
        )

    def without(self, parts: Collection[Part]) -> Variation:
        """The puzzle without these parts."""
        spots = {part.spot for part in parts if part.spot is not None}
        cells = {part.cell for part in parts if part.kind == "wall"}
        unchanged = self.unchanged
        return Variation(
            unchanged.walls - cells,
            tuple(one for one in unchanged.pieces if (one.class_id, one.anchor) not in spots),
            frozenset(part.rule for part in parts if part.rule is not None),
        )

    def text(self, wanted: Variation, name: str, **texts: Any) -> str:
        """The text of the document of a variation; `write_puzzle` receives `texts`. Raises DocumentError if the
        variation is invalid, and UndrawableError if its start cannot be drawn.
        """
        loaded, base = self._base(wanted.dropped)
        board = base.board
        if board is not None and board.walls != wanted.walls:
            terrain = {name: cells - wanted.walls for name, cells in board.terrain.items()}
            board = replace(board, walls=wanted.walls, terrain=terrain)
        pieces = wanted.pieces if base is self.puzzle else self._pieces_in(base, wanted)
        other = with_own_letters(loaded, replace(base, board=board, pieces=pieces))
        text = write_puzzle(loaded, other, name=name, **texts)
        reread = read_puzzle(load_document(f"{name}.yaml", text=text), {})
        check_same_start(other, reread)
        if board is not None and reread.board is not None and reread.board.walls != board.walls:
            raise UndrawableError("the puzzle has no character for one of these walls")
        return text

    def drawn(self, wanted: Variation) -> Changed | Refused:
        """The puzzle of a variation. If the variation is invalid, for example because it lacks a piece that its goal
        names, the result is the reason. Raises UndrawableError if the variation cannot be written as a document, and
        TooLargeError if it exceeds a size limit.
        """
        name = self.puzzle.name
        try:
            text = self.text(
                wanted,
                name,
                title=self.puzzle.title,
                metric=self.puzzle.default_metric,
                expect={},
                source="",
                notes="",
            )
            document = load_document(f"{name}.yaml", text=text)
            puzzle = read_puzzle(document, {})
            return Changed(document, puzzle, ground(puzzle))
        except DocumentError as error:
            if any(diagnostic.code == "task-too-large" for diagnostic in error.diagnostics):
                raise TooLargeError(f"a change of {name} exceeds a size limit") from error
            first = next(one for one in error.diagnostics if one.severity == "error")
            return Refused(first.code, first.message)

    def _pieces_in(self, base: Puzzle, wanted: Variation) -> tuple[Piece, ...]:
        """The pieces of a variation that only removes parts, expressed as pieces of `base`.

        If a rule is removed, more pieces may be interchangeable, so the classes may have different numbers in `base`.
        """
        places = {_place(self.puzzle, one) for one in wanted.pieces}
        return tuple(one for one in base.pieces if _place(base, one) in places)

    def _base(self, dropped: frozenset[RulePath]) -> tuple[LoadedDocument, Puzzle]:
        """The document without these rules, and the puzzle that it describes."""
        if dropped not in self._bases:
            data = _without_rules(plain_values(self.document.tree), dropped)
            if self.puzzle.parameters:
                data["parameters"] = dict(self.puzzle.parameters)
            document = load_document(f"{self.puzzle.name}.yaml", text=written(data))
            self._bases[dropped] = document, read_puzzle(document, {})
        return self._bases[dropped]


def _place(puzzle: Puzzle, piece: Piece) -> object:
    """The kind of a piece and the cells that it covers."""
    return puzzle.classes[piece.class_id].kind, puzzle.under[piece.class_id, piece.anchor]


def _without_rules(document: Mapping[str, Any], dropped: frozenset[RulePath]) -> dict[str, Any]:
    left_out = ("model", "extends", "expect", "tests")
    data = {key: value for key, value in document.items() if key not in left_out}
    names = {name for key, name in dropped if key == "then"}
    if names:
        data["then"] = {name: rule for name, rule in data["then"].items() if name not in names}
        if not data["then"]:
            del data["then"]
            data.pop("order", None)
    numbers = {number for key, number in dropped if key == "forbid"}
    if numbers:
        conditions = data["forbid"]
        remaining = [
            one
            for at, one in enumerate(conditions if isinstance(conditions, list) else [conditions])
            if at not in numbers
        ]
        if remaining:
            data["forbid"] = remaining
        else:
            del data["forbid"]
    return data


def neighbours(puzzle: Puzzle, cell: int) -> Iterator[int]:
    """The cells next to a cell, including walls."""
    board = puzzle.board
    assert board is not None
    for direction in board.directions:
        beside = board.step(cell, direction.offset)
        if beside is not None:
            yield beside

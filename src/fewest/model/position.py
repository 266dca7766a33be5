"""Positions: the occupied spots and the values of the variables. The module also creates puzzles with another start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from msgspec import Struct, structs
from msgspec.structs import replace

from fewest.errors import UsageError
from fewest.model.board import Board
from fewest.model.notebook_repr import svg_of
from fewest.model.puzzle import Piece, Puzzle, Spot


class Position(Struct, frozen=True, eq=False, dict=True):
    """A state in terms of pieces and variables, for playing and drawing. Pieces of one class are not distinguished."""

    puzzle: Puzzle
    pieces: frozenset[Spot]
    values: tuple[int | str, ...]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.pieces == other.pieces and self.values == other.values

    def __ne__(self, other: object) -> bool:  # the inherited method would compare identities
        if not isinstance(other, Position):
            return NotImplemented
        return self.pieces != other.pieces or self.values != other.values

    def __hash__(self) -> int:
        return hash((self.pieces, self.values))

    def __repr__(self) -> str:
        return f"Position(pieces={sorted(self.pieces)}, values={self.values})"

    @property
    def board(self) -> Board:
        assert self.puzzle.board is not None
        return self.puzzle.board

    @cached_property
    def layers(self) -> Sequence[Mapping[int, Spot]]:
        """For each layer, lowest first, the piece on each occupied cell."""
        under, classes = self.puzzle.under, self.puzzle.classes
        if self.puzzle.num_layers == 1:
            return [dict(chain.from_iterable(map(self.puzzle.standing.__getitem__, self.pieces)))]
        found: list[dict[int, Spot]] = [{} for _ in range(self.puzzle.num_layers)]
        for spot in self.pieces:
            found[classes[spot[0]].layer].update(dict.fromkeys(under[spot], spot))
        return found

    @cached_property
    def occupied(self) -> Mapping[int, Spot]:
        """The uppermost piece on each occupied cell."""
        out: dict[int, Spot] = {}
        for layer in self.layers:
            out.update(layer)
        return out

    def _repr_svg_(self) -> str | None:
        return svg_of(self)

    def to_json(self) -> dict[str, Any]:
        """Plain data that `position_of` reads: the kind, the class and the top-left cell of each piece, and the
        variables.
        """
        classes = self.puzzle.classes
        return {
            "pieces": [
                {"kind": classes[one].kind, "class": one, "at": list(self.board.at(anchor))}
                for one, anchor in sorted(self.pieces, key=lambda spot: (spot[1], spot[0]))
            ],
            "variables": {
                variable.name: value
                for variable, value in zip(self.puzzle.variables, self.values, strict=True)
            },
        }


def position_of(puzzle: Puzzle, data: Mapping[str, Any]) -> Position:
    """The position that the data of `Position.to_json` describe. Raises UsageError if the data are incomplete, if the
    puzzle has no such class, place or value, if a piece is on a cell that it may not enter, or if two pieces of a layer
    overlap. The number of pieces is not checked, because rules may create and remove pieces.
    """
    try:
        board = puzzle.board
        spots = [
            (int(one["class"]), None if board is None else board.cell(*map(int, one["at"])))
            for one in data["pieces"]
        ]
        pieces = frozenset((one, cell) for one, cell in spots if cell is not None)
        given = (data["variables"][variable.name] for variable in puzzle.variables)
        values = tuple(int(value) if isinstance(value, bool) else value for value in given)
    except KeyError as error:
        raise UsageError(
            f"this is not a position of {puzzle.name}, because the key `{error.args[0]}` is missing"
        ) from error
    except (TypeError, ValueError, IndexError) as error:
        raise UsageError(f"this is not a position of {puzzle.name}") from error
    is_whole = len(pieces) == len(spots) and all(
        0 <= one < len(puzzle.classes)
        and puzzle.under[one, anchor]
        and puzzle.classes[one].cells.issuperset(puzzle.under[one, anchor])
        for one, anchor in pieces
    )
    if is_whole:
        covered = [
            (puzzle.classes[spot[0]].layer, cell) for spot in pieces for cell in puzzle.under[spot]
        ]
        is_whole = len(covered) == len(set(covered))
    known = zip(puzzle.variables, values, strict=True)
    if not is_whole or not all(value in variable.values for variable, value in known):
        raise UsageError(f"this is not a position of {puzzle.name}")
    return Position(puzzle, pieces, values)


def start(puzzle: Puzzle) -> Position:
    """The start position."""
    return Position(
        puzzle,
        frozenset((piece.class_id, piece.anchor) for piece in puzzle.pieces),
        tuple(variable.initial for variable in puzzle.variables),
    )


def reading_order_labels(position: Position) -> dict[Spot, str]:
    """Labels for pieces that were not followed from the start. The pieces of each class get, in reading order, the
    letters that belong at the start to this class and to the classes into which its pieces can change. If no letter is
    left, a piece gets its kind.
    """
    classes = position.puzzle.classes
    free: dict[int, list[str]] = {}
    for piece in position.puzzle.pieces:
        free.setdefault(classes[piece.class_id].family, []).append(piece.label)
    out: dict[Spot, str] = {}
    for spot in sorted(position.pieces):
        letters = free.get(classes[spot[0]].family)
        out[spot] = letters.pop(0) if letters else classes[spot[0]].kind
    return out


def start_at(puzzle: Puzzle, position: Position) -> Puzzle:
    """The puzzle with one of its positions as the start; for the letters of the pieces, see `reading_order_labels`."""
    labels = reading_order_labels(position)
    pieces: list[Piece] = []
    for class_id, anchor in sorted(position.pieces, key=lambda spot: (spot[1], spot[0])):
        label, kind = labels[class_id, anchor], puzzle.classes[class_id].kind
        name = puzzle.names.get(label, puzzle.names.get(kind, label))
        pieces.append(Piece(class_id, anchor, label, name))
    variables = tuple(
        structs.replace(variable, initial=value)
        for variable, value in zip(puzzle.variables, position.values, strict=True)
    )
    return replace(puzzle, pieces=tuple(pieces), variables=variables)

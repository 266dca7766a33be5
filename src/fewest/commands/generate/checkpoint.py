"""A file with the results for boards with few pieces; a later search continues from it with more pieces."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from fewest.commands.generate.report import BoardsOfMetric, HardestBoard
from fewest.commands.generate.saved_file import key_of, read_saved
from fewest.machine.files import write_whole
from fewest.model.position import Position

if TYPE_CHECKING:
    from fewest.model.puzzle import Puzzle
    from fewest.reading.board_spec import BoardSpec

_Spots = list[tuple[int, int]]


class Totals(Struct, frozen=True):
    """The complete results for all boards with at most `pieces` pieces."""

    pieces: int | None = None
    solvable_positions: int = 0
    boards: int = 0
    solvable: int = 0
    canonical: int | None = 0
    metrics: tuple[BoardsOfMetric, ...] = ()


class _Hardest(Struct, frozen=True, forbid_unknown_fields=True):
    pieces: dict[str, int]
    minimum: int
    num_positions: int
    spots: _Spots


class _OfMetric(Struct, frozen=True, forbid_unknown_fields=True):
    metric: str
    minimum: int | None
    num_hardest: int
    num_minimal: int
    num_first_minimal: int
    record: int | None
    histogram: list[tuple[int, int]]
    hardest: list[_Hardest]
    best: list[_Spots]


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of the file, as JSON."""

    key: str
    pieces: int | None
    solvable_positions: int
    boards: int
    solvable: int
    canonical: int | None
    metrics: list[_OfMetric]


_DECODER = msgspec.json.Decoder(_File)


class Checkpoint:
    """The file of a search of one spec, in certain metrics, by this version of the program."""

    def __init__(self, path: Path, spec: BoardSpec, puzzle: Puzzle, metrics: Sequence[str]) -> None:
        self._path, self._puzzle = path, puzzle
        self._key = key_of(spec, spec.has_stuck_lines, list(metrics))

    def read(self) -> Totals:
        """The results in the file; empty results if there is no file. Raises UsageError if the file is not a checkpoint
        or belongs to another search, and OSError.
        """
        others = "another spec, other metrics or another version"
        file = read_saved(self._path, _DECODER.decode, self._key, "an exhaustive search", others)
        if file is None:
            return Totals()
        return Totals(
            file.pieces,
            file.solvable_positions,
            file.boards,
            file.solvable,
            file.canonical,
            tuple(
                BoardsOfMetric(
                    metric=one.metric,
                    minimum=one.minimum,
                    num_hardest=one.num_hardest,
                    num_minimal=one.num_minimal,
                    num_first_minimal=one.num_first_minimal,
                    record=one.record,
                    histogram=tuple(one.histogram),
                    hardest=tuple(
                        HardestBoard(
                            row.pieces, row.minimum, row.num_positions, self._at(row.spots)
                        )
                        for row in one.hardest
                    ),
                    best=tuple(map(self._at, one.best)),
                )
                for one in file.metrics
            ),
        )

    def write(self, totals: Totals) -> None:
        """Replace the file. Raises OSError."""
        file = _File(
            self._key,
            totals.pieces,
            totals.solvable_positions,
            totals.boards,
            totals.solvable,
            totals.canonical,
            [
                _OfMetric(
                    metric=one.metric,
                    minimum=one.minimum,
                    num_hardest=one.num_hardest,
                    num_minimal=one.num_minimal,
                    num_first_minimal=one.num_first_minimal,
                    record=one.record,
                    histogram=list(one.histogram),
                    hardest=[
                        _Hardest(row.pieces, row.minimum, row.num_positions, _spots(row.position))
                        for row in one.hardest
                    ],
                    best=[_spots(position) for position in one.best],
                )
                for one in totals.metrics
            ],
        )
        write_whole(self._path, [msgspec.json.encode(file)])

    def _at(self, spots: _Spots) -> Position:
        return Position(self._puzzle, frozenset(spots), ())


def _spots(position: Position) -> _Spots:
    return sorted(position.pieces)

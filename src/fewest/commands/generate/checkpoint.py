"""A file with the results for boards with few pieces; a later search continues from it with more pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec
from msgspec import Struct, structs

from fewest.commands.generate.report import At, BoardsOfMetric, HardestBoard
from fewest.commands.generate.saved_file import key_of, read_saved
from fewest.machine.files import write_whole
from fewest.model.position import Position

if TYPE_CHECKING:
    from fewest.model.puzzle import Puzzle
    from fewest.reading.board_spec import BoardSpec

_Spots = list[tuple[int, int]]
To = TypeVar("To")


class Totals(Struct, Generic[At], frozen=True, forbid_unknown_fields=True):
    """The complete results for all boards with at most `pieces` pieces."""

    pieces: int | None = None
    solvable_positions: int = 0
    boards: int = 0
    solvable: int = 0
    canonical: int | None = 0
    metrics: tuple[BoardsOfMetric[At], ...] = ()


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of the file, as JSON."""

    key: str
    totals: Totals[_Spots]


_DECODER = msgspec.json.Decoder(_File)


class Checkpoint:
    """The file of a search of one spec, in certain metrics, by this version of the program."""

    def __init__(self, path: Path, spec: BoardSpec, puzzle: Puzzle, metrics: Sequence[str]) -> None:
        self._path, self._puzzle = path, puzzle
        self._key = key_of(spec, spec.has_stuck_lines, list(metrics))

    def read(self) -> Totals[Position]:
        """The results in the file; empty results if there is no file. Raises UsageError if the file is not a checkpoint
        or belongs to another search, and OSError.
        """
        others = "another spec, other metrics or another version"
        file = read_saved(self._path, _DECODER.decode, self._key, "an exhaustive search", others)
        return Totals() if file is None else _with_positions(file.totals, self._at)

    def write(self, totals: Totals[Position]) -> None:
        """Replace the file. Raises OSError."""
        write_whole(
            self._path, [msgspec.json.encode(_File(self._key, _with_positions(totals, _spots)))]
        )

    def _at(self, spots: _Spots) -> Position:
        return Position(self._puzzle, frozenset(spots), ())


def _spots(position: Position) -> _Spots:
    return sorted(position.pieces)


def _with_positions(totals: Totals[At], change: Callable[[At], To]) -> Totals[To]:
    """The same results with each position in another form."""
    metrics = []
    for one in totals.metrics:
        values = structs.asdict(one)
        values["best"] = tuple(map(change, one.best))
        values["hardest"] = tuple(
            HardestBoard(row.pieces, row.minimum, row.num_positions, change(row.position))
            for row in one.hardest
        )
        metrics.append(BoardsOfMetric(**values))
    return Totals(**structs.asdict(totals) | {"metrics": tuple(metrics)})

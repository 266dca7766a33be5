"""The results of a search through all boards of a spec, as data."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from msgspec import Struct

from fewest.commands.generate.drawing import drawing_of
from fewest.commands.limited import LimitedResult
from fewest.model.position import Position

MOST_BEST = 20  # the maximum number of boards that hold the record in the report

At = TypeVar("At")
"""The form of a position: `Position`, or lists of spots in a checkpoint."""


class HardestBoard(Struct, Generic[At], frozen=True, forbid_unknown_fields=True):
    """A hardest position for one set of pieces, and the number of equally hard positions with these pieces. `pieces`
    contains the number of pieces of each letter.
    """

    pieces: dict[str, int]
    minimum: int
    num_positions: int
    position: At


class BoardsOfMetric(Struct, Generic[At], frozen=True, forbid_unknown_fields=True):
    """The results for all boards in one metric.

    `minimum` is the minimum of the hardest positions, `num_hardest` is the number of these positions, and `record` is
    the largest minimum of a minimal position that is a hardest position of its board. `histogram` counts the boards by
    the minimum of their hardest position. `num_minimal` boards have a hardest position that is minimal: removing any
    single optional piece changes the minimum or makes the position unsolvable. `num_first_minimal` is the number of
    boards that have a minimal first hardest position (`generate.exhaustive` defines the order).
    """

    metric: str
    minimum: int | None
    num_hardest: int
    num_minimal: int
    num_first_minimal: int
    record: int | None
    histogram: tuple[tuple[int, int], ...]
    hardest: tuple[HardestBoard[At], ...]
    best: tuple[At, ...]
    """some of the minimal boards that hold the record"""


def together(
    one: BoardsOfMetric[Position], other: BoardsOfMetric[Position]
) -> BoardsOfMetric[Position]:
    """The combined results of two reports; no set of pieces may occur in both."""
    minimum = _greatest(one.minimum, other.minimum)
    record = _greatest(one.record, other.record)
    counts = dict(one.histogram)
    for cost, count in other.histogram:
        counts[cost] = counts.get(cost, 0) + count
    both = (one, other)
    best = [position for part in both if part.record == record for position in part.best]
    hardest = sorted((row for part in both for row in part.hardest), key=lambda row: -row.minimum)
    return BoardsOfMetric(
        metric=one.metric,
        minimum=minimum,
        num_hardest=sum(part.num_hardest for part in both if part.minimum == minimum),
        num_minimal=one.num_minimal + other.num_minimal,
        num_first_minimal=one.num_first_minimal + other.num_first_minimal,
        record=record,
        histogram=tuple(sorted(counts.items())),
        hardest=tuple(hardest),
        best=tuple(best[:MOST_BEST]),
    )


def _greatest(one: int | None, other: int | None) -> int | None:
    return max((number for number in (one, other) if number is not None), default=None)


class Generation(LimitedResult, Struct, frozen=True):
    """The results of a search through all boards of a spec. A *board* is a component: positions that moves, forward or
    backward, connect.

    `num_canonical` counts boards that are images of each other as one; it is None if unknown. The search covered all
    boards with up to `num_pieces` pieces (None: no number of pieces was finished); if there is no `reason`, these are
    all boards of the spec.
    """

    name: str
    title: str
    num_positions: int
    num_solvable_positions: int
    num_boards: int
    num_solvable: int
    num_canonical: int | None
    num_pieces: int | None
    metrics: tuple[BoardsOfMetric[Position], ...]
    reason: str | None
    seconds: float
    cpu_seconds: float

    def to_json(self) -> dict[str, Any]:
        """The plain data that `--json` prints."""
        return {
            "spec": self.name,
            "title": self.title,
            "reason": self.reason,
            "positions": self.num_positions,
            "solvable_positions": self.num_solvable_positions,
            "boards": self.num_boards,
            "solvable_boards": self.num_solvable,
            "boards_up_to_symmetry": self.num_canonical,
            "searched_pieces": self.num_pieces,
            "metrics": [
                {
                    "metric": one.metric,
                    "minimum": one.minimum,
                    "hardest_positions": one.num_hardest,
                    "minimal_boards": one.num_minimal,
                    "first_minimal_boards": one.num_first_minimal,
                    "record": one.record,
                    "boards_by_minimum": [list(row) for row in one.histogram],
                    "best": [drawing_of(position) for position in one.best],
                    "hardest": [
                        {
                            "pieces": row.pieces,
                            "minimum": row.minimum,
                            "positions": row.num_positions,
                            "board": drawing_of(row.position),
                        }
                        for row in one.hardest
                    ],
                }
                for one in self.metrics
            ],
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
        }

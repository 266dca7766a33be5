"""The output of the commands that explain and change puzzles."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from fewest.questions.outputs.answers import (
    Cost,
    Count,
    Culprit,
    DrawnBoard,
    Output,
    Reason,
    Seconds,
)


class Argument(Output):
    """An argument that shows that no goal can be reached."""

    kind: str
    text: str
    size: Annotated[Count, Meta(description="How many things it names.")]
    pieces: list[Culprit]
    goals: list[Culprit]
    excerpt: DrawnBoard | None


class PuzzlePart(Output):
    """A wall, a piece of the start, or a rule."""

    kind: Literal["wall", "piece", "rule"]
    name: str
    cells: list[list[int]]


class RemovedSet(Output):
    """Parts without which the puzzle can be solved."""

    parts: list[PuzzlePart]
    minimum: Cost | None
    position: DrawnBoard


class Removals(Output):
    """The smallest sets of parts without which the puzzle can be solved."""

    size: Count
    sets: list[RemovedSet]
    complete: bool
    tried: Count
    open: Annotated[Count, Meta(description="Sets that were not decided within the limits.")]
    invalid: Annotated[Count, Meta(description="Sets without which there is no puzzle.")]
    reason: Reason


class ExplainPuzzle(Output):
    """`fewest explain PUZZLE`."""

    puzzle: str
    title: str
    metric: str
    status: Literal["unsolvable", "solvable", "unknown"]
    reason: Reason
    minimum: Cost | None
    arguments: list[Argument]
    removals: Removals | None
    states: Count | None
    position: DrawnBoard
    seconds: Seconds

"""The output of the commands that explain or change puzzles."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from fewest.commands.outputs.answers import (
    Audit,
    BottleneckRow,
    Cost,
    Count,
    DeadlockPart,
    DrawnBoard,
    Output,
    Reason,
    Seconds,
)


class Argument(Output):
    """An argument that shows that no goal position can be reached."""

    kind: str
    text: str
    size: Annotated[
        Count,
        Meta(
            description="The number of pieces and goals, or of pieces and weights, in the argument."
        ),
    ]
    pieces: list[DeadlockPart]
    goals: list[DeadlockPart]
    excerpt: DrawnBoard | None


class PuzzlePart(Output):
    """A wall, a piece at the start, or a rule."""

    kind: Literal["wall", "piece", "rule"]
    name: str
    cells: list[list[int]]


class Refusal(Output):
    """The number of changed puzzles that are not valid for the same kind of reason."""

    code: Annotated[str, Meta(description="The code of the error, as in `docs/errors.md`.")]
    message: Annotated[str, Meta(description="The message of the first such error.")]
    number: Count


class RemovedSet(Output):
    """Parts that must be removed to make the puzzle solvable."""

    parts: list[PuzzlePart]
    minimum: Cost | None
    position: DrawnBoard


class Removals(Output):
    """The smallest sets of parts that must be removed to make the puzzle solvable."""

    size: Count
    sets: list[RemovedSet]
    complete: bool
    tried: Count
    open: Annotated[Count, Meta(description="Sets that were not decided within the limits.")]
    invalid: Annotated[
        Count,
        Meta(description="Sets that cannot be removed, because the rest is not a valid puzzle."),
    ]
    refusals: list[Refusal]
    undrawn: Annotated[
        Count,
        Meta(description="Sets that were not tried, because no document describes the rest."),
    ]
    reason: Reason


class ExplainPuzzle(Output):
    """The output of `fewest explain PUZZLE`: whether the puzzle is unsolvable, and why."""

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
    audit: Audit


class PlannedMove(Output):
    """A move of a plan, and the sum of the distances of single pieces to the goal after the move."""

    number: Count
    text: str
    trend: Literal["towards", "beside", "away"]
    distance: Count


class WithoutPiece(Output):
    """The minimum without a piece, and whether the piece never moves in the plan."""

    piece: PuzzlePart
    status: str
    minimum: Cost | None
    idle: bool
    code: Annotated[
        str | None,
        Meta(description="The code of the error, if the puzzle without the piece is not valid."),
    ]
    message: str | None


class Measure(Output):
    """A measure of difficulty."""

    name: str
    value: float | None
    reason: Annotated[
        str | None,
        Meta(description="Why the value is null; null also if a limit stopped the computation."),
    ]
    formula: str
    source: str


class ExplainHard(Output):
    """`fewest explain PUZZLE --hard`: the reasons why the minimum is so large; null means "not computed"."""

    puzzle: str
    title: str
    metric: str
    minimum: Cost
    moves: list[PlannedMove] | None
    plans: Count | None
    plans_up_to_order: Count | None
    bottlenecks: list[BottleneckRow] | None
    shared_moves: Count | None
    without: list[WithoutPiece]
    measures: list[Measure]
    reason: Reason
    seconds: Seconds
    audit: Audit


class VariedBoard(Output):
    """A board that differs from the puzzle by one change."""

    change: str
    text: str
    removed: PuzzlePart | None
    added: PuzzlePart | None
    status: Annotated[
        Literal["optimal", "unsolvable", "limit", "undrawn", "invalid"],
        Meta(
            description="As in `solve`; `invalid`: the change makes the puzzle invalid; "
            "`undrawn`: no document describes the board."
        ),
    ]
    minimum: Cost | None
    code: Annotated[
        str | None, Meta(description="The code of the error, if the changed puzzle is not valid.")
    ]
    message: str | None
    board: DrawnBoard | None


class Vary(Output):
    """The output of `fewest vary`: the boards that differ from the puzzle by one change."""

    puzzle: str
    title: str
    metric: str
    status: str
    minimum: Cost | None
    changes: Annotated[
        Count, Meta(description="The number of boards; `boards` contains those that were tried.")
    ]
    reason: Reason
    boards: list[VariedBoard]
    seconds: Seconds


class Minimize(Output):
    """The output of `fewest minimize`: the smaller puzzle."""

    puzzle: str
    title: str
    metric: str
    keep: Literal["minimum", "unique", "both"]
    minimum: Cost
    removed: list[PuzzlePart]
    trimmed: list[str]
    before: DrawnBoard
    after: DrawnBoard
    document: str
    minimal: Annotated[bool, Meta(description="Whether no other single part can be removed.")]
    tried: Count
    open: Count
    invalid: Annotated[
        list[Refusal],
        Meta(description="Parts that cannot be removed, because the rest is not a valid puzzle."),
    ]
    reason: Reason
    seconds: Seconds

"""The output of the commands that solve or explore a puzzle or a family of puzzles, or evaluate a position."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

Cost = Annotated[
    int | list[int], Meta(description="A number; a list for a metric of several parts.")
]
Count = Annotated[int, Meta(ge=0)]
Seconds = Annotated[float, Meta(ge=0, description="Seconds of wall-clock time.")]
Reason = Annotated[
    str | None,
    Meta(
        description="Why it stopped early: time, memory, horizon, disk, interrupted, killed or endless; else null."
    ),
]
DrawnBoard = Annotated[list[str], Meta(description="The rows of the board, then the variables.")]
Parameters = dict[str, int]


class Output(Struct, forbid_unknown_fields=True):
    """An object with no other keys than those of its class."""


class Moved(Output):
    """A piece that moved from one cell to another; for a larger piece, these are the cells of its top-left corner."""

    piece: Annotated[str, Meta(description="Its letter, or its kind.")]
    from_: list[int] = msgspec.field(name="from")
    to: list[int]


class Placed(Output):
    """A piece that vanished or appeared, and its cell."""

    piece: Annotated[str, Meta(description="Its letter, or its kind.")]
    at: list[int]


class Step(Output):
    """One application of a rule with all its consequences. `from` and `to` are cells of the piece that the metric
    counts.
    """

    rule: str
    text: str
    moved: list[Moved]
    gone: list[Placed]
    appeared: list[Placed]
    position: Annotated[DrawnBoard, Meta(description="The position after the step.")]
    direction: str | None = None
    from_: list[int] | None = msgspec.field(default=None, name="from")
    to: list[int] | None = None
    words: str | None = None
    label: Annotated[
        str | None, Meta(description="The label that the rule gives to the move (`say`).")
    ] = None
    then: Annotated[list[str] | None, Meta(description="The consequences, in order.")] = None
    values: Annotated[
        dict[str, int | str] | None, Meta(description="The values of the variables after the step.")
    ] = None


class PlannedMove(Output):
    """One counted move. `steps` begins with the free steps before this move; `cost` contains a number for each part of
    the metric.
    """

    text: str
    cost: list[int]
    steps: list[Step]


class Solve(Output):
    """`fewest solve PUZZLE`: the minimum, or its proven bounds if a limit ended the search."""

    puzzle: str
    title: str
    status: Literal["optimal", "unsolvable", "solved", "limit"]
    cost: Cost | None
    lower_bound: Annotated[Cost, Meta(description="It is proven that no plan costs less.")]
    upper_bound: Annotated[
        Cost | None, Meta(description="The cost of the plan: the minimum is at most this.")
    ]
    metric: str
    engine: str
    reason: Reason
    plan: list[PlannedMove] | None
    unique: Annotated[
        bool | None,
        Meta(
            description="Whether there is only one optimal plan, up to the order of independent moves; null if unknown."
        ),
    ]
    statistics: Annotated[
        dict[str, Any], Meta(description="The engine's own figures, and the audit.")
    ]
    lurd: Annotated[
        str | None, Meta(description="The plan in the letters of Sokoban, if they can express it.")
    ] = None
    argument: Annotated[
        str | None, Meta(description="Why there is no plan, if an argument shows it.")
    ] = None


class Audit(Output):
    """The number of positions that were played by the rules to check the compiled puzzle."""

    positions: Count
    all: Annotated[bool, Meta(description="Whether these are all reachable positions.")]


class Member(Output):
    """One member of a family."""

    parameters: Parameters
    status: Literal["optimal", "unsolvable", "solved", "limit", "invalid"]
    cost: Cost | None
    lower_bound: Cost | None
    states: Count | None
    seconds: Seconds
    reason: Reason
    error: str | None
    audit: Audit


class Level(Member):
    """A line that `fewest solve COLLECTION` prints for one level and, with `--resume FILE`, also writes to FILE."""

    sweep: Literal[1]
    document: Annotated[
        str, Meta(description="A hash that identifies the rules and the version of fewest.")
    ]
    puzzle: str
    metric: str
    engine: str
    time: float | None
    memory: int | None
    lurd: str | None
    argument: Annotated[
        str | None, Meta(description="Why there is no plan, if an argument is known.")
    ]
    level: int
    title: str


class Fit(Output):
    """A formula that matches all proven minima of the members with the `fixed` parameters; a fit is never a proof."""

    formula: str
    expression: str
    part: int | str | None
    fixed: Parameters
    num_values: Count
    num_degrees_of_freedom: Count
    proof: bool


class Sweep(Output):
    """The output of `fewest sweep`: the members and the formulas that fit."""

    puzzle: str
    title: str
    metric: str
    engine: str
    members: list[Member]
    num_members: Count
    interrupted: bool
    fits: list[Fit]


class Explore(Output):
    """`fewest explore`: the numbers of positions, and the distances; null means "not computed", or that there is no
    such number.
    """

    puzzle: str
    title: str
    metric: str
    exhausted: bool
    to_depth: Annotated[
        bool,
        Meta(description="Whether the layers end at --depth although there are more positions."),
    ]
    reason: Reason
    states: Count
    consistent_states: Count | None
    goal_states: Count
    canonical_states: Count | None
    minimum: Cost | None
    optimal_plans: Count | None
    optimal_plans_up_to_order: Count | None
    unique: bool | None
    eccentricity: Cost | None
    layers: list[tuple[Cost, int]]
    solvable: Count | None
    dead: Count | None
    goal_distances: list[tuple[Cost, int]] | None
    goal_eccentricity: Cost | None
    hardest_states: Count | None
    seconds: Seconds
    store: Annotated[
        dict[str, Any] | None,
        Meta(
            description="For a search on disk: folder and bytes; on a cluster also owners, nodes, threads, shards, "
            "actors_replaced, bytes_exchanged, bytes_merged_early, messages_per_layer, times_grown, times_balanced; "
            "for an index on a cluster bytes_per_owner."
        ),
    ]
    audit: Audit
    hardest: DrawnBoard | None


class BottleneckRow(Output):
    """A position that every optimal plan passes through, and the cost from this position to the goal."""

    left: Cost
    position: DrawnBoard


class PlansOfCost(Output):
    """The number of plans of one cost."""

    cost: Cost
    plans: Count
    plans_up_to_order: Annotated[
        Count | None,
        Meta(
            description="Null above the minimum if moves merge, are free or have different costs."
        ),
    ]


class Solutions(Output):
    """`fewest solutions`: the optimal plans; null means "not counted", or that there is no such number."""

    puzzle: str
    title: str
    metric: str
    status: Literal["optimal", "unsolvable", "limit"]
    reason: Reason
    minimum: Cost | None
    plans: Count | None
    plans_up_to_order: Annotated[
        Count | None,
        Meta(description="Plans that differ only in the order of independent moves count as one."),
    ]
    plans_up_to_symmetry: Count | None
    symmetries: Count | None
    all_symmetries: Annotated[
        bool | None,
        Meta(
            description="Whether the task has no other symmetries; if false, `plans_up_to_symmetry` is an upper bound."
        ),
    ]
    unique: Annotated[
        bool | None,
        Meta(
            description="Whether there is only one optimal plan, up to the order of independent moves."
        ),
    ]
    uncounted: Annotated[
        str | None, Meta(description="Why the plans could not be counted up to the order of moves.")
    ]
    different_moves: Count | None
    shared_moves: Annotated[list[str] | None, Meta(description="Null if they were not computed.")]
    bottlenecks: list[BottleneckRow]
    listed: list[list[PlannedMove]]
    at_most: list[PlansOfCost]
    seconds: Seconds
    audit: Audit


class HintedMove(Output):
    """A possible next move: the distance after it, and its loss compared with the best move; both are null if the move
    leads to a dead position.
    """

    text: str
    best: bool
    cost: Cost
    left: Cost | None
    loss: Cost | None
    position: DrawnBoard


class Hint(Output):
    """The output of `fewest hint`: the distance and the possible next moves."""

    title: str
    metric: str
    status: str
    reason: Reason
    position: DrawnBoard
    distance: Cost | None
    finish: str | None
    moves: list[HintedMove]
    audit: Audit


class DeadlockPart(Output):
    """A piece or a goal that occurs in an argument."""

    name: str
    cells: list[list[int]]


class ExplainDeadlock(Output):
    """The output of `fewest explain deadlock`: whether a position is dead, and why."""

    title: str
    status: str
    argument: str | None
    text: str
    pieces: list[DeadlockPart]
    goals: list[DeadlockPart]
    cost: Cost | None
    states: Count | None
    position: DrawnBoard
    excerpt: DrawnBoard | None
    audit: Audit

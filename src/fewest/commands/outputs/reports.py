"""The output of the other commands (such as check, compare and export), and of errors."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from fewest.commands.compare.provenance import Provenance
from fewest.commands.outputs.answers import (
    Audit,
    Cost,
    Count,
    DrawnBoard,
    Output,
    Parameters,
    PlannedMove,
    Reason,
    Seconds,
)
from fewest.errors import Diagnostic


class CheckedRow(Output):
    """The check of one known answer by one engine, or one test of the rules."""

    key: str
    engine: str
    expected: Cost | bool | str
    found: Cost | bool | str | None
    verdict: str
    seconds: Seconds
    drawing: Annotated[
        list[str], Meta(description="The position before the move of a test that fails.")
    ]
    reason: Annotated[
        str | None, Meta(description="Why there can be no answer; null if a limit prevented it.")
    ]


class CheckedDocument(Output):
    """The result of `fewest check` for one document."""

    path: str
    verdict: Literal["ok", "wrong", "open", "invalid", "bug"]
    errors: str | None
    bug: Annotated[str | None, Meta(description="A fault in fewest that stopped the check.")]
    mistakes: list[Diagnostic]
    warnings: list[str]
    num_slow: Count
    rows: list[CheckedRow]
    audit: Annotated[
        Audit,
        Meta(description="The sum over all queries; `all`: one audit covered all positions."),
    ]


class Expectation(Output):
    """A known answer."""

    key: str
    value: Cost | bool
    source: str
    slow: bool


class Show(Output):
    """The output of `fewest show`: the contents of a puzzle."""

    name: str
    title: str
    file: str
    board: DrawnBoard
    geometry: str
    parameters: Parameters
    pieces: dict[str, int]
    variables: Count
    rules: list[str]
    then: list[str]
    metrics: list[str]
    facts: Count
    operators: Count
    words: Count
    source: str
    notes: str
    expect: list[Expectation]


class ShowModel(Output):
    """`fewest show MODEL`: the contents of the model in words."""

    name: str
    title: str
    file: str
    extends: str | None
    geometry: str | None
    pieces: dict[str, str]
    legend: dict[str, str]
    terrain: dict[str, str]
    rules: dict[str, str]
    then: dict[str, str]
    goal: str | None
    metrics: dict[str, str]
    parameters: Parameters
    source: str
    notes: str


class DiffSide(Output):
    """One of the two puzzles in a comparison."""

    name: str
    status: Annotated[str, Meta(description="As in `solve`, or: no goal.")]
    minimum: Cost | None
    plans: Count | None
    positions: Count
    dead: Count | None


class FirstDifference(Output):
    """The first position where two puzzles differ, the moves that only one of them allows there, and whether the
    position is a goal position of each.
    """

    after_moves: Count
    position: DrawnBoard
    removed_moves: list[str]
    added_moves: list[str]
    goal: Annotated[
        list[bool], Meta(description="For each puzzle, whether the position is a goal position.")
    ]
    on_plan: Annotated[
        bool,
        Meta(
            description="Whether only a plan was searched for the position, "
            "because all played positions are the same."
        ),
    ]


class Diff(Output):
    """A comparison of two puzzles by `fewest diff`."""

    metric: str
    different: bool
    partial: Annotated[bool, Meta(description="Whether there are more positions than were played.")]
    sides: list[DiffSide]
    common_positions: Count
    removed_positions: Count
    added_positions: Count
    removed_moves: Count
    added_moves: Count
    first_difference: FirstDifference | None
    seconds: Seconds


class HardestOfPieces(Output):
    """The hardest position for one set of pieces; `pieces` contains the number of pieces of each letter."""

    pieces: dict[str, int]
    minimum: Count
    positions: Count
    board: DrawnBoard


class BoardsInMetric(Output):
    """Numbers of boards in one metric, and the hardest positions; `record` is the largest minimum of a minimal
    position.
    """

    metric: str
    minimum: Count | None
    hardest_positions: Count
    minimal_boards: Count
    first_minimal_boards: Count
    record: Count | None
    boards_by_minimum: list[tuple[int, int]]
    best: list[DrawnBoard]
    hardest: list[HardestOfPieces]


class Generate(Output):
    """`fewest generate --exhaustive`; a board is a set of positions that can be reached from each other by moves."""

    spec: str
    title: str
    reason: Reason
    positions: Count
    solvable_positions: Count
    boards: Count
    solvable_boards: Count
    boards_up_to_symmetry: Count | None
    searched_pieces: Annotated[
        Count | None, Meta(description="All boards with up to this number of pieces were searched.")
    ]
    metrics: list[BoardsInMetric]
    seconds: Seconds
    cpu_seconds: Seconds


class PositionsInMetric(Output):
    """The positions of a spec, counted by their minimum; if `complete` is false, only the positions of finished layers
    are counted.
    """

    metric: str
    complete: bool
    minimum: Count | None
    positions_by_minimum: list[tuple[int, int]]
    best: list[DrawnBoard]


class GenerateIndexed(Output):
    """`fewest generate --exhaustive --store index`: all positions, not divided into boards."""

    spec: str
    title: str
    reason: Reason
    positions: Count
    metrics: list[PositionsInMetric]
    seconds: Seconds
    cpu_seconds: Seconds


class FoundBoard(Output):
    """One of the best boards; `value` is the value of the objective."""

    value: float
    minimum: Count
    measures: dict[str, float]
    board: DrawnBoard


class GenerateBest(Output):
    """`fewest generate`: the best boards of a random search, or (without `seed`) of all boards."""

    spec: str
    title: str
    metric: str
    objective: str
    seed: int | None
    reason: Reason
    explored_boards: Count
    solvable_boards: Count
    fulfilling_boards: Count
    too_large_boards: Count
    skipped_boards: Count
    searched_pieces: Count | None
    positions: Count
    boards: list[FoundBoard]
    seconds: Seconds


class Listed(Output):
    """A puzzle or model that `fewest list` prints."""

    family: str
    name: str
    title: str
    expect: dict[str, Cost | bool | str]


class Entry(Output):
    """The result of one engine; `memory` is the peak memory of its processes, and `above_minimum` is the difference
    between its cost and the minimum.
    """

    engine: str
    encoding: str | None
    solver: str | None
    solver_version: str | None
    configuration: Annotated[str | None, Meta(description="The options of the solver.")]
    repeat: Annotated[int, Meta(ge=1)]
    seed: int | None
    status: Literal["optimal", "unsolvable", "solved", "limit", "refused", "invalid", "failed"]
    cost: Cost | None
    lower_bound: Cost | None
    above_minimum: Cost | None
    reason: Reason
    seconds: Seconds | None
    cpu: Annotated[float | None, Meta(description="CPU seconds of encoding and solving.")]
    cpu_grounding: float | None
    cpu_encoding: float | None
    cpu_solving: float | None
    cpu_validation: float | None
    memory: Count | None
    memory_before: Count | None
    time_limit: float | None
    memory_limit: int | None
    certified: Annotated[
        str | None,
        Meta(description="How checkers confirmed the answer, or why there is no certificate."),
    ]
    states: Count | None
    variables: Count | None
    clauses: Count | None
    conflicts: Count | None
    cubes: Annotated[
        Count | None, Meta(description="The number of cubes of the backward search of `sat`.")
    ]
    horizons: Count | None
    origin: Annotated[
        Provenance | None,
        Meta(
            description="Only for a run on another computer, with other programs, or by an earlier command."
        ),
    ]
    error: str | None
    warnings: list[str]
    plan: list[PlannedMove] | None
    profile: Annotated[list[dict[str, Any]], Meta(description="A row for each horizon or layer.")]
    statistics: Annotated[dict[str, Any], Meta(description="The engine's own figures.")]


class Disagreement(Output):
    """A claim of one engine that the plan of another engine contradicts."""

    claim: str
    plan: str
    text: Any


class KnownAnswer(Output):
    """The answer that a document or a suite expects: a minimum, or null for an unsolvable puzzle."""

    cost: Cost | None
    source: str


class Comparison(Output):
    """The engines' answers to one instance."""

    puzzle: str
    title: str
    file: str
    parameters: Parameters
    metric: str
    instance: Annotated[
        str, Meta(description="A hash of board, rules, goal, parameters and metric.")
    ]
    known: KnownAnswer | None
    minimum: Cost | None
    decided: bool
    disagreements: list[Disagreement]
    entries: list[Entry]


class Compare(Output):
    """The output of `fewest compare`: a comparison for each instance."""

    comparisons: list[Comparison]
    verdict: str
    num_planned: Count
    num_finished: Count
    interrupted: bool
    provenance: Provenance | None


class ExportedFile(Output):
    """A file: its name and its text, or its path if it was written."""

    name: str | None = None
    text: str | None = None
    path: str | None = None


class Export(Output):
    """The output of `fewest export`: the exported files."""

    puzzle: str
    metric: str
    format: str
    unit: Count
    sizes: dict[str, int]
    files: list[ExportedFile]


class Prove(Output):
    """`fewest prove`: the certificate that was written."""

    file: str
    puzzle: str
    metric: str
    status: str
    cost: Cost | None
    lower_bound: Cost
    kinds: list[str]
    bytes: Count
    reason: Reason
    seconds: Seconds
    audit: Audit | None


class Section(Output):
    """The statement that a section of a certificate proves, and the assumptions of the proof."""

    kind: str
    proves: str
    value: Cost | None
    counts: dict[str, int]
    checked_by: str
    trusts: str
    is_grounded: bool


class VerifyCertificate(Output):
    """`fewest verify FILE`. `puzzle`, `title`, `parameters`, `rules` and `board` come from the `documents`."""

    file: str
    verified: bool
    rejected: str | None
    puzzle: str | None
    title: str | None
    compared_with: str | None
    parameters: dict[str, int] | None
    rules: str | None
    documents: list[str]
    board: DrawnBoard | None
    metric: str
    sections: list[Section]
    by_rules: bool
    audit: Audit | None
    seconds: Seconds


class VerifyPlan(Output):
    """`fewest verify PUZZLE --lurd LETTERS` and `fewest verify PUZZLE --plan FILE`; with `--plan`, pushes are not
    counted.
    """

    puzzle: str
    is_solution: bool
    problem: str | None
    moves: Count
    costs: dict[str, Cost]
    pushes: Count | None = None


class OracleBuild(Output):
    """The output of `fewest oracle build`: the oracle file that was written."""

    file: str
    metric: str
    states: Count
    bytes: Count
    reason: Reason
    seconds: Seconds


class OracleInfo(Output):
    """The output of `fewest oracle info`: the puzzle of an oracle file."""

    file: str
    puzzle: str
    title: str
    parameters: Parameters
    metric: str
    states: Count
    made_by: str
    bytes: Count


class CompilerDisagreement(Output):
    """A position where the compiled puzzle differs from the rules, which is a bug in fewest."""

    kind: Literal["missing", "extra", "goal", "no goal", "state", "invariant", "index"]
    position: DrawnBoard
    by_rules: str
    by_task: str


class Failure(Output):
    """The reason why there is no answer; `mistakes` are the mistakes in a document."""

    kind: Literal["usage", "input", "not-found", "memory", "bug", "output", "interrupted"]
    message: str
    hint: str | None
    exit_code: int
    mistakes: list[Diagnostic]
    disagreement: CompilerDisagreement | None = None


class Error(Output):
    """The output of any command instead of an answer."""

    error: Failure

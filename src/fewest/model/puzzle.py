"""The parsed puzzle: what the grounder and the reference interpreter both read, and all they share.

Every name is resolved and every mistake reported before a `Puzzle` exists; nothing below it sees YAML.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from fewest.errors import Diagnostic, FewestError
from fewest.model.board import Board, Direction, Shape
from fewest.model.conditions import Condition
from fewest.model.metric import Metric
from fewest.model.rules import Rule


@dataclass(frozen=True)
class PieceClass:
    """Pieces that cannot be told apart: same kind, shape, directions and (where named) letter.

    `cells` are the cells that a piece of the class may cover; `label` is set when the goal or a rule
    names the letter, `member` when the kind is declared not interchangeable.
    """

    id: int
    kind: str
    shape: Shape
    directions: tuple[Direction, ...] | None
    cells: frozenset[int]
    label: str | None = None
    member: int | None = None

    @property
    def is_single_cell(self) -> bool:
        return len(self.shape) == 1

    def answers_to(self, word: str) -> bool:
        """Whether a rule or goal that says `word` (a kind, a letter or `any`) means this class."""
        return word in (self.kind, self.label, "any")


@dataclass(frozen=True)
class Piece:
    """One piece of the start position; `anchor` is the top-left cell of its bounding box."""

    class_id: int
    anchor: int
    label: str  # the letter it is drawn with, or its kind
    name: str  # what people call it


@dataclass(frozen=True)
class Variable:
    """One finite variable (an indexed one is several), `name` with its indices: `peg[2]`."""

    name: str
    values: tuple[int | str, ...]
    initial: int | str


@dataclass(frozen=True)
class Expectation:
    """A known answer: `key` is a metric's name, `reachable`, `goal_states` or `unsolvable`."""

    key: str
    value: int | tuple[int, ...] | bool
    source: str
    slow: bool
    line: int


@dataclass(frozen=True)
class Puzzle:
    """A puzzle with its rules, ready to be grounded or played."""

    name: str
    title: str
    file: str
    board: Board | None
    classes: tuple[PieceClass, ...]
    pieces: tuple[Piece, ...]
    variables: tuple[Variable, ...]
    rules: tuple[Rule, ...]
    goal: Condition | None
    forbid: tuple[Condition, ...]
    metrics: Mapping[str, Metric]
    default_metric: str
    expectations: tuple[Expectation, ...]
    parameters: Mapping[str, int]
    characters: Mapping[str, str]  # how a drawing shows things: kind, `KIND on TERRAIN`, terrain …
    names: Mapping[str, str]  # letters and kinds -> what people call them
    source: str = ""
    notes: str = ""
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False)
    # (code, message, hint) -> an error at the part that decides how large the puzzle is
    blame: Callable[[str, str, str], FewestError] = field(repr=False, compare=False, kw_only=True)

"""The parsed puzzle: the input of the grounder and of the reference interpreter. They share no code outside `model`.

When a `Puzzle` exists, all names have been resolved and all mistakes reported; later code does not read YAML.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from fewest.errors import Diagnostic, FewestError
from fewest.model.board import Board, Direction, Shape
from fewest.model.conditions import Condition
from fewest.model.metric import Metric
from fewest.model.rules import Rule, Stage
from fewest.model.style import Style

Path = tuple[int | str, ...]  # The keys and indices of a part of a document.
Spot = tuple[int, int]  # The place of a piece: its class id and its anchor.


class PieceClass(Struct, frozen=True):
    """A class of interchangeable pieces: they have the same kind, shape and directions and, if a rule, a condition or a
    terrain names their letter, the same letter.

    `cells` contains the cells that a piece of the class may cover. `label` is set if a rule, a condition or a terrain
    names the letter; `member` is set if the document declares that pieces of the kind are not interchangeable. `mirror`
    states which directions are reversed in commands to several pieces: "columns", "rows" or "both". Pieces in different
    layers may be on the same cell; `layer` is counted from the lowest layer.
    """

    id: int
    kind: str
    shape: Shape
    directions: tuple[Direction, ...] | None
    cells: frozenset[int]
    label: str | None = None
    member: int | None = None
    mirror: str | None = None
    layer: int = 0
    turned_from: int | None = None  # The class to which the same pieces belong before they turn.
    any_colour: str | None = None  # The kind without its colour, if the kind has several colours.

    @property
    def family(self) -> int:
        """A number that is the same for all classes that represent one piece in different orientations."""
        return self.id if self.turned_from is None else self.turned_from

    @property
    def is_single_cell(self) -> bool:
        return len(self.shape) == 1

    def answers_to(self, word: str) -> bool:
        """Whether `word` (a kind, a letter or `any`) in a rule or in the goal means this class."""
        return word in (self.kind, self.label, "any", self.any_colour)

    def answers_to_one_of(self, words: frozenset[str]) -> bool:
        """Whether one of the words means this class. The time does not depend on the number of words."""
        return not words.isdisjoint((self.kind, self.label, "any", self.any_colour))

    @property
    def words(self) -> frozenset[str]:
        """The words that mean this class."""
        words = (self.kind, self.label, "any", self.any_colour)
        return frozenset(word for word in words if word is not None)


def classes_by_word(classes: Iterable[PieceClass]) -> Mapping[str, Sequence[PieceClass]]:
    """For each word, the classes that it means. With this table, rules about thousands of kinds take linear time."""
    found: dict[str, list[PieceClass]] = {}
    for piece in classes:
        for word in dict.fromkeys((piece.kind, piece.label, "any", piece.any_colour)):
            if word is not None:
                found.setdefault(word, []).append(piece)
    return found


class Piece(Struct, frozen=True):
    """One piece of the start position; `anchor` is the top-left cell of its bounding box."""

    class_id: int
    anchor: int
    label: str  # The letter of the piece in the drawing, or its kind.
    name: str  # The name under which the piece is displayed.


class Variable(Struct, frozen=True):
    """One finite variable. An indexed variable of a document becomes several such variables, with the indices in their
    `name`, as in `peg[2]`.

    `place` is the row and column of the value in a drawing, if a drawing shows the variable; `characters` are the
    characters of its values.
    """

    name: str
    values: tuple[int | str, ...]
    initial: int | str
    place: tuple[int, int] | None = None
    characters: tuple[str, ...] = ()

    def character(self, value: int | str) -> str:
        """The character of a value in a drawing."""
        return self.characters[self.values.index(value)] if self.characters else str(value)


class Expectation(Struct, frozen=True):
    """A known answer; `key` is the name of a metric, `reachable`, `goal_states`, `plans`, `unique` or `unsolvable`."""

    key: str
    value: int | tuple[int, ...] | bool
    source: str
    slow: bool
    line: int


class Puzzle(Struct, frozen=True, eq=False, dict=True, weakref=True, kw_only=True):
    """A puzzle and its rules, ready to be grounded or played."""

    name: str
    title: str
    file: str
    board: Board | None
    classes: tuple[PieceClass, ...]
    pieces: tuple[Piece, ...]
    variables: tuple[Variable, ...]
    rules: tuple[Rule, ...]
    then: tuple[Rule, ...]  # The consequences.
    stages: tuple[Stage, ...]  # The consequences of each stage of sweeps.
    order: str  # The order of a sweep: top-down, bottom-up, left-right or right-left.
    goal: Condition | None
    forbid: tuple[Condition, ...]
    metrics: Mapping[str, Metric]
    default_metric: str
    expectations: tuple[Expectation, ...]
    parameters: Mapping[str, int]
    # The characters in drawings. The keys are `wall`, `floor`, terrains, kinds, and combinations such as
    # `KIND & KIND on TERRAIN`.
    characters: Mapping[str, str]
    # For each kind with letters, the single characters that mean a piece of this kind in drawings.
    letters: Mapping[str, tuple[str, ...]]
    names: Mapping[str, str]  # The displayed names of letters and kinds.
    source: str = ""
    notes: str = ""
    style: Style = field(default_factory=Style)
    warnings: tuple[Diagnostic, ...] = ()
    # (code, message, hint, path) -> an error at this part of the document; if there is no path, at the part that
    # determines the size of the puzzle.
    error_for: Callable[[str, str, str, Path], FewestError]
    # Reads the puzzle again in another process: expressions contain functions, which cannot be sent there.
    origin: Callable[[], Puzzle] | None = None

    def __repr__(self) -> str:
        return f"<Puzzle {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.origin is None:
            raise TypeError(f"{self!r} has no record of where it was read")
        return _read_again, (self.origin, self.pieces, self.variables)

    def __copy__(self) -> Puzzle:
        return self

    def __deepcopy__(self, _: dict[int, Any]) -> Puzzle:
        return self  # puzzles are immutable

    @cached_property
    def under(self) -> Mapping[Spot, tuple[int, ...]]:
        """For every spot where a piece fits, the cells under the piece; empty for any other spot."""
        return _CoveredCells(self)

    @cached_property
    def standing(self) -> Mapping[Spot, tuple[tuple[int, Spot], ...]]:
        """For every spot where a piece fits, a pair (cell, spot) for each cell under the piece; these are the entries
        of `Position.layers`.
        """
        return _OccupiedCells(self.under)

    @cached_property
    def _classes_by_word(self) -> Mapping[str, Sequence[PieceClass]]:
        return classes_by_word(self.classes)

    def answering(self, words: Iterable[str]) -> Sequence[PieceClass]:
        """The classes that some of the words mean, in the order of their ids."""
        found = {piece.id: piece for word in words for piece in self._classes_by_word.get(word, ())}
        return [found[class_id] for class_id in sorted(found)]

    @cached_property
    def num_layers(self) -> int:
        """The maximum number of pieces that one cell can hold."""
        return 1 + max((piece.layer for piece in self.classes), default=0)

    @cached_property
    def labels(self) -> Mapping[Spot, str]:
        """The letter (or else the kind) of every piece, keyed by its spot at the start."""
        return {(piece.class_id, piece.anchor): piece.label for piece in self.pieces}

    @cached_property
    def piece_names(self) -> Mapping[Spot, str]:
        """The name under which each piece is displayed, keyed by its spot at the start."""
        return {(piece.class_id, piece.anchor): piece.name for piece in self.pieces}


class _OccupiedCells(dict[Spot, tuple[tuple[int, Spot], ...]]):
    """A cache that computes missing entries."""

    def __init__(self, under: Mapping[Spot, tuple[int, ...]]) -> None:
        super().__init__()
        self._under = under

    def __missing__(self, spot: Spot) -> tuple[tuple[int, Spot], ...]:
        found = self[spot] = tuple((cell, spot) for cell in self._under[spot])
        return found


class _CoveredCells(dict[Spot, tuple[int, ...]]):
    """A cache that computes missing entries."""

    def __init__(self, puzzle: Puzzle) -> None:
        super().__init__()
        self._classes, self._board = puzzle.classes, puzzle.board

    def __missing__(self, spot: Spot) -> tuple[int, ...]:
        assert self._board is not None, "pieces stand on boards"
        cells = self._board.cover(self._classes[spot[0]].shape, spot[1]) or ()
        self[spot] = cells
        return cells


def _read_again(
    origin: Callable[[], Puzzle], pieces: tuple[Piece, ...], variables: tuple[Variable, ...]
) -> Puzzle:
    """Recreate the puzzle in another process, with the same start."""
    return replace(origin(), pieces=pieces, variables=variables)

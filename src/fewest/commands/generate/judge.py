"""Determines the value of a board for a spec, and the number of wanted properties that the board lacks."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from msgspec import Struct

from fewest.commands.generate.found import FoundBoard
from fewest.commands.generate.properties import (
    has_redundant_piece,
    has_redundant_wall,
    is_symmetric,
    puzzle_at,
)
from fewest.commands.limited import completed
from fewest.model.states import decode

if TYPE_CHECKING:
    from fewest.commands.generate.component import MeasuredBoard
    from fewest.commands.generate.universe import Universe
    from fewest.commands.solutions import Solutions
    from fewest.model.metric import Metric
    from fewest.reading.board_spec import BoardSpec


class Judged(Struct, frozen=True, eq=False):
    """A hardest position as a set of facts, the number of wanted properties that it was found to lack, and its board
    with its measures and its value.
    """

    start: int
    lacks: int
    board: FoundBoard


class Judge:
    """Evaluates boards by a spec's `want` and `maximise`; several threads may share one judge."""

    def __init__(self, spec: BoardSpec, universe: Universe, metric: Metric) -> None:
        self._spec, self._universe, self._metric = spec, universe, metric

    def best_start(self, measured: MeasuredBoard) -> Judged:
        """The first of those hardest positions that lack the fewest wanted properties.

        `measured.hardest` must not be empty.
        """
        wanted, measures = self._spec.wanted, dict(measured.measures)
        minimum = int(measures["minimum"])
        is_easy = wanted.minimum is not None and minimum < wanted.minimum
        fewest: tuple[int, int, Solutions | None] | None = None
        for start in measured.hardest:
            lacks, solutions = is_easy + self._lacks(start, minimum), None
            if wanted.unique and (fewest is None or lacks < fewest[0]):
                solutions = self._solutions(start)
                lacks += solutions.num_traces != 1
            if fewest is None or lacks < fewest[0]:
                fewest = lacks, start, solutions
            if lacks == 0:
                break
        assert fewest is not None, "there is a hardest position"
        lacks, start, solutions = fewest
        measures["detours"] = Fraction(measured.detours(start))
        if wanted.unique or "plans" in self._spec.objective.names:
            solutions = solutions or self._solutions(start)
            measures["plans"] = Fraction(solutions.num_plans or 0)
        value = self._spec.objective.value(measures)
        position = decode(self._universe.puzzle, self._universe.task, start)
        return Judged(start, lacks, FoundBoard(value, minimum, measures, position))

    def _solutions(self, start: int) -> Solutions:
        puzzle = puzzle_at(self._spec, self._universe, start)
        return completed(puzzle.solutions(self._metric.name, audit="off"))

    def _lacks(self, start: int, minimum: int) -> int:
        """The number of wanted properties that a position lacks, without `minimum` and `unique`. Walls are checked only
        if the position lacks no other property, because the check solves the puzzle once for each wall.
        """
        made, wanted, metric = self._universe, self._spec.wanted, self._metric
        lacks = 0
        if wanted.symmetric:
            lacks += not is_symmetric(decode(made.puzzle, made.task, start))
        if wanted.no_redundant_piece:
            lacks += has_redundant_piece(made, metric, start, minimum)
        if wanted.no_redundant_wall and lacks == 0:
            lacks += has_redundant_wall(self._spec, made, metric, start, minimum)
        return lacks

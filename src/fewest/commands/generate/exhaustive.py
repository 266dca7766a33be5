"""Searches all boards of a spec: all positions, all moves between them, and the goal distance of each position.

No move changes the number of pieces, so the search can go from few pieces to many. If a limit stops it, its results for
the boards with few pieces are therefore proven.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from fewest.analysis.symmetry import FoundSymmetry, search_symmetry
from fewest.commands.generate.checkpoint import Checkpoint, Totals
from fewest.commands.generate.documents import NamedBoard
from fewest.commands.generate.images import image_of
from fewest.commands.generate.report import (
    MOST_BEST,
    BoardsOfMetric,
    Generation,
    HardestBoard,
    together,
)
from fewest.commands.generate.stages import Stages
from fewest.commands.generate.universe import Universe, universe
from fewest.commands.texts import texts
from fewest.errors import UsageError, no_goal
from fewest.model.answer import LimitReached, Limits, counted, reason_of_end
from fewest.model.costs import cost_table
from fewest.model.metric import metric_of
from fewest.model.position import Position
from fewest.model.problem import sets_in
from fewest.model.states import decode
from fewest.search.batches import Components
from fewest.space.board_graph import DEAD, BoardGraph, board_graph, distances_to
from fewest.space.merged_operators import MergedOperators, merged_operators
from fewest.space.placements import MOST_CELLS, TooManyLimitsError, all_placements
from fewest.space.state_graph import in_cubes, in_goal, limit_watch, sums_over_facts
from fewest.store.error_translation import is_full
from fewest.version import __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fewest.model.answer import Trial
    from fewest.model.metric import Metric
    from fewest.model.problem import Problem
    from fewest.reading.board_spec import BoardSpec
    from fewest.space.state_graph import Ids, States, Watch


def generate(
    spec: BoardSpec,
    metrics: str | Sequence[str] = (),
    limits: Limits | None = None,
    progress: Callable[[Trial], None] | None = None,
    *,
    checkpoint: str | Path | None = None,
    show: Callable[[NamedBoard], None] | None = None,
) -> Generation:
    """The numbers of all boards of a spec, and the hardest boards in each metric (by default, the metric of the spec).

    Each move of each position needs about 40 bytes and 1 µs. After a limit, the result covers the numbers of pieces
    that are finished. `checkpoint` is a file for these results; a second call with this file continues the search.
    After each number of pieces, `show` is called with each new board that holds the record.

    Raises DocumentError for mistakes in the spec, OSError, and UsageError: for an unknown metric, for a spec without a
    goal, for rules that this search does not support, and for a file of another search.
    """
    limits, began, cpu_began = limits or Limits(), time.perf_counter(), time.process_time()
    stages = None if progress is None else Stages(progress)
    watch = limit_watch(limits.seconds, limits.memory, began, stages)
    search = _Search(spec, texts(metrics), watch)
    search.stages = stages
    search.show = show
    if checkpoint is not None:
        names = [metric.name for metric in search.metrics]
        search.checkpoint = Checkpoint(Path(checkpoint), spec, search.universe.puzzle, names)
        search.totals = search.checkpoint.read()
    reason = reason_of_end(search.run)
    puzzle, totals = search.universe.puzzle, search.totals
    return Generation(
        name=puzzle.name,
        title=puzzle.title,
        num_positions=search.num_positions,
        num_solvable_positions=totals.solvable_positions,
        num_boards=totals.boards,
        num_solvable=totals.solvable,
        num_canonical=totals.canonical,
        num_pieces=totals.pieces,
        metrics=totals.metrics,
        reason=reason,
        seconds=time.perf_counter() - began,
        cpu_seconds=time.process_time() - cpu_began,
    )


def all_positions(
    universe: Universe, problem: Problem, watch: Watch
) -> tuple[States, NDArray[np.uint64]]:
    """All positions of a spec, and the number of pieces in each. Raises UsageError if the spec has too many limits, and
    the exceptions that `watch` raises.
    """
    assert universe.puzzle.board is not None
    num_cells = universe.puzzle.board.num_cells
    try:
        states = all_placements(
            universe.facts, universe.task.words, num_cells, universe.rules, watch
        )
    except TooManyLimitsError as error:
        raise UsageError(
            f"an exhaustive search does not support this spec: {error}",
            hint="use a smaller board, fewer letters with a `number`, or leave out `stuck_lines: false`",
        ) from None
    forbid = problem.arrays
    if len(forbid.forbid_mask):
        states = states[~in_cubes(states, forbid.forbid_mask, forbid.forbid_value)]
    ones = np.ones(len(universe.facts), dtype=np.uint64)
    return states, sums_over_facts(states, ones)


class _Level(Struct, frozen=True, eq=False):
    """All boards with a given number of pieces, and the distances of their positions in each metric."""

    graph: BoardGraph
    distances: dict[str, NDArray[np.int16]]


class _Search:
    """The stages of the search; the results of finished stages remain after a limit."""

    def __init__(self, spec: BoardSpec, metrics: Sequence[str], watch: Watch) -> None:
        self.universe: Universe = universe(spec)
        self.watch = watch
        task = self.universe.task
        if not task.has_goal:
            raise no_goal(task.name)
        self.metrics: list[Metric] = [
            metric_of(task, name) for name in metrics or [task.default_metric]
        ]
        self.merged: MergedOperators = merged_operators(task, self.metrics)
        self.num_positions = 0
        self.totals: Totals[Position] = Totals()
        self.checkpoint: Checkpoint | None = None
        self.symmetry = FoundSymmetry(None, is_whole=False)
        self.show: Callable[[NamedBoard], None] | None = None
        self.stages: Stages | None = None

    def run(self) -> None:
        """Run all stages."""
        states, numbers = all_positions(self.universe, self.merged.problem, self.watch)
        self.num_positions = len(states)
        self._find_symmetries()
        known, fewer = self.totals.pieces, None
        counts = np.bincount(numbers.astype(np.uint8))  # a board has at most 64 pieces
        states = states[np.argsort(numbers.astype(np.uint8), kind="stable")]
        ends = np.cumsum(counts).tolist()
        different = np.flatnonzero(counts).tolist()
        for finished, number in enumerate(different):
            if self.stages is not None:
                what = f"boards with {counted(number, 'pieces')}"
                self.stages.begin(finished, len(different), what)
            if known is not None and number < known:
                continue
            if self.totals.pieces not in (number, number - 1):
                fewer = None
            level = self._level(states[ends[number] - counts[number] : ends[number]])
            if number != known:
                before = self.totals
                # a single assignment, so that Ctrl-C cannot leave inconsistent totals
                self.totals = self._with(number, level, fewer)
                self._save()
                self._show_new(before)
            fewer = level

    def _show_new(self, before: Totals[Position]) -> None:
        """Call `show` for each board that holds the record now and is not among the best boards in `before`."""
        if self.show is None:
            return
        puzzle, pieces = self.universe.puzzle, self.totals.pieces or 0
        known = {(one.metric, position) for one in before.metrics for position in one.best}
        for one in self.totals.metrics:
            for number, position in enumerate(one.best, 1):
                if (one.metric, position) in known or one.record is None:
                    continue
                self.show(
                    NamedBoard(
                        f"{puzzle.name}-{one.metric}-{pieces}-{number}",
                        f"{puzzle.title}: {counted(one.record, one.metric)}",
                        one.metric,
                        one.record,
                        position,
                        f"the hardest of all boards with up to {counted(pieces, 'pieces')} of {puzzle.name},"
                        f" fewest {__version__}",
                    )
                )

    def _save(self) -> None:
        """Write the totals to the checkpoint, if there is one. Raises OSError; raises LimitReached if the disk is
        full.
        """
        if self.checkpoint is None:
            return
        try:
            self.checkpoint.write(self.totals)
        except OSError as error:
            if is_full(error):
                raise LimitReached("disk") from error
            raise

    def _level(self, states: States) -> _Level:
        """The boards that these positions form, and the distances of the positions."""
        problem = self.merged.problem
        graph = board_graph(problem, states, self.watch)
        is_goal = in_goal(states, problem)
        distances = {
            metric.name: distances_to(
                graph,
                is_goal,
                self.merged.in_metric[metric.name],
                is_reversible=self.merged.is_reversible,
                watch=self.watch,
            )
            for metric in self.metrics
        }
        return _Level(graph, distances)

    def _with(self, number: int, level: _Level, fewer: _Level | None) -> Totals[Position]:
        """The totals after adding the boards with `number` pieces; `fewer` contains the boards with one piece fewer
        (None: no such board exists).
        """
        graph, before = level.graph, self.totals
        found = [self._of_metric(level, fewer, metric) for metric in self.metrics]
        if before.metrics:
            found = [together(*both) for both in zip(before.metrics, found, strict=True)]
        boards = np.flatnonzero(graph.component == np.arange(len(graph)))
        num_canonical = self._count_canonical(graph, boards)
        unknown = before.canonical is None or num_canonical is None
        distances = level.distances[self.metrics[0].name]
        solvable = _of_components(graph, distances)[boards] != DEAD
        return Totals(
            pieces=number,
            solvable_positions=before.solvable_positions + int((distances != DEAD).sum()),
            boards=before.boards + len(boards),
            solvable=before.solvable + int(solvable.sum()),
            canonical=None if unknown else (before.canonical or 0) + (num_canonical or 0),
            metrics=tuple(found),
        )

    def _of_metric(
        self, level: _Level, fewer: _Level | None, metric: Metric
    ) -> BoardsOfMetric[Position]:
        graph, distances = level.graph, level.distances[metric.name]
        boards = np.flatnonzero(graph.component == np.arange(len(graph)))
        greatest = _of_components(graph, distances)
        solvable = greatest[boards][greatest[boards] != DEAD]
        counts = np.bincount(solvable)
        hardest = np.flatnonzero((distances != DEAD) & (distances == greatest[graph.component]))
        numbers = self._numbers_of_pieces(graph.states[hardest])
        is_minimal = self._is_minimal(level, fewer, metric, hardest, numbers)
        minimal = hardest[is_minimal]
        first = self._first_of_each(graph, hardest)
        record = int(distances[minimal].max()) if len(minimal) else None
        best: Ids = minimal[distances[minimal] == record] if record is not None else minimal
        _, once = np.unique(graph.component[best], return_index=True)
        return BoardsOfMetric(
            metric=metric.name,
            minimum=int(solvable.max()) if len(solvable) else None,
            num_hardest=int((distances == solvable.max()).sum()) if len(solvable) else 0,
            num_minimal=len(np.unique(graph.component[minimal])),
            num_first_minimal=int(is_minimal[first].sum()),
            record=record,
            histogram=tuple(
                (minimum, count) for minimum, count in enumerate(counts.tolist()) if count
            ),
            hardest=tuple(self._by_pieces(graph, distances, hardest, numbers)),
            best=tuple(self._position(graph.states[place]) for place in best[once][:MOST_BEST]),
        )

    def _first_of_each(self, graph: BoardGraph, places: Ids) -> Ids:
        """For each component, the index in `places` of one position: the first one in the order by the cells under wide
        pieces, and then by the cells under other pieces.

        The cells under pieces that are wider than high form a number in which the last cell is the most significant
        digit. This is the order of fogleman's enumerator (github.com/fogleman/rush, `cpp/`).
        """
        states = graph.states[places]
        facts = self.universe.facts
        cells = np.zeros((2, len(facts)), dtype=np.uint64)
        for placed in facts:
            shape = self.universe.puzzle.classes[placed.class_id].shape
            is_wide = max(column for _, column in shape) > max(row for row, _ in shape)
            cells[int(is_wide), placed.fact] = placed.cells
        others, wide = (
            sums_over_facts(states, row) for row in cells
        )  # the sum is exact, because no two pieces cover the same cell
        component, found = graph.component[places], np.arange(len(places))
        for key in (wide, others):  # sorting all positions would take longer
            least = np.full(len(graph), np.iinfo(np.uint64).max, dtype=np.uint64)
            np.minimum.at(least, component[found], key[found])
            found = found[key[found] == least[component[found]]]
        # different pieces may be on the same cells, so several positions of a component may remain
        _, once = np.unique(component[found], return_index=True)
        return found[once]

    def _is_minimal(
        self,
        level: _Level,
        fewer: _Level | None,
        metric: Metric,
        places: Ids,
        numbers: NDArray[np.uint8],
    ) -> NDArray[np.bool_]:
        """For each position, whether every removal of a single optional piece would change the minimum or make the
        position unsolvable. `properties.has_redundant_piece` tests the same.
        """
        graph, distances = level.graph, level.distances[metric.name]
        least = self.universe.rules.least
        out = np.ones(len(places), dtype=np.bool_)
        if fewer is None:
            return out
        before = fewer.distances[metric.name]
        rest = np.arange(len(places))
        states = graph.states[places]
        for placed in self.universe.facts:
            word, bit = placed.fact // 64, np.uint64(1 << placed.fact % 64)
            has = (states[rest, word] & bit) != 0
            there = rest[has & (numbers[rest, placed.class_id] > least[placed.class_id])]
            if not len(there):
                continue
            without = states[there]
            without[:, word] ^= bit
            at = fewer.graph.index.find(without)
            known = at >= 0  # a position that is not in the index is forbidden
            same = before[at[known]] == distances[places[there[known]]]
            out[there[known][same]] = False
            rest = rest[out[rest]]
        return out

    def _numbers_of_pieces(self, states: States) -> NDArray[np.uint8]:
        """The number of pieces of each class in each state, uint8[n, classes]."""
        numbers = np.zeros((len(states), len(self.universe.letters)), dtype=np.uint8)
        for begin in range(0, numbers.shape[1], 8):  # one word holds eight counters
            ones = np.zeros(len(self.universe.facts), dtype=np.uint64)
            for placed in self.universe.facts:
                if begin <= placed.class_id < begin + 8:
                    ones[placed.fact] = 1 << 8 * (placed.class_id - begin)
            packed = sums_over_facts(states, ones).astype("<u8").view(np.uint8).reshape(-1, 8)
            numbers[:, begin : begin + 8] = packed[:, : numbers.shape[1] - begin]
        return numbers

    def _by_pieces(
        self,
        graph: BoardGraph,
        distances: NDArray[np.int16],
        hardest: Ids,
        numbers: NDArray[np.uint8],
    ) -> Iterator[HardestBoard[Position]]:
        """A hardest position for each set of pieces, hardest set first; `hardest` contains the hardest positions of
        each board.
        """
        if not len(hardest):
            return
        code = np.zeros(len(hardest), dtype=np.int64)
        for column in numbers.T:
            code = code * (MOST_CELLS + 1) + column
        kinds, kind = np.unique(code, return_inverse=True)
        greatest = np.full(len(kinds), DEAD, dtype=np.int16)
        np.maximum.at(greatest, kind, distances[hardest])
        order = np.flatnonzero(distances[hardest] == greatest[kind])
        how_many = np.bincount(kind[order], minlength=len(kinds))
        _, first = np.unique(kind[order], return_index=True)
        for number in np.argsort(-greatest, kind="stable").tolist():
            at = int(order[first[number]])
            letters = zip(self.universe.letters, numbers[at].tolist(), strict=True)
            yield HardestBoard(
                {letter: count for letter, count in letters if count},
                int(greatest[number]),
                int(how_many[number]),
                self._position(graph.states[hardest[at]]),
            )

    def _position(self, state: States) -> Position:
        (number,) = sets_in(np.ascontiguousarray(state), self.universe.task.words)
        return decode(self.universe.puzzle, self.universe.task, number)

    def _find_symmetries(self) -> None:
        table = cost_table(self.universe.task, self.metrics[0])
        self.symmetry = search_symmetry(self.universe.task.problem, table)

    def _count_canonical(self, graph: BoardGraph, boards: Ids) -> int | None:
        """The number of boards; boards that are images of each other count once. None if some symmetries are unknown,
        or if the image of a board is not a board of the spec.
        """
        symmetry = self.symmetry.symmetry
        if not self.symmetry.is_whole:
            return None
        if symmetry is None:
            return len(boards)
        number = np.full(len(graph), -1, dtype=np.int32)
        number[boards] = np.arange(len(boards), dtype=np.int32)
        classes = Components(len(boards))
        states = graph.states[boards]
        for row in symmetry.facts[1:]:
            at = graph.index.find(image_of(states, row))
            if len(at) and at.min() < 0:
                return None  # the rules have a symmetry that the spec lacks
            classes.link(np.arange(len(boards), dtype=np.int32), number[graph.component[at]])
            self.watch(len(boards), 0)
        return len(np.unique(classes.labels()))


def _of_components(graph: BoardGraph, distances: NDArray[np.int16]) -> NDArray[np.int16]:
    """The largest distance in each component, stored at the index that represents the component."""
    found = np.full(len(graph), DEAD, dtype=np.int16)
    np.maximum.at(found, graph.component, distances)
    return found

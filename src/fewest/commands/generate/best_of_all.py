"""Finds the best of all boards of a spec; the keys `want` and `maximise` of the spec define which boards are best.

Like the search in `exhaustive`, this search goes from few pieces to many. For each number of pieces, the search
measures the solvable boards, hardest first. If the spec maximises the minimum itself, the search skips boards that are
too easy to be among the best.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from fewest.analysis.symmetry import find_symmetry
from fewest.commands.generate.component import BoardExplorer
from fewest.commands.generate.exhaustive import all_positions
from fewest.commands.generate.found import FoundBoard, FoundBoards
from fewest.commands.generate.images import image_of
from fewest.commands.generate.judge import Judge
from fewest.commands.generate.stages import Stages
from fewest.commands.generate.universe import Universe, universe
from fewest.errors import no_goal
from fewest.model.answer import Limits, counted, reason_of_end
from fewest.model.costs import cost_table
from fewest.model.metric import metric_of
from fewest.search.batches import Components
from fewest.space.board_graph import DEAD, BoardGraph, board_graph, distances_to
from fewest.space.state_graph import in_goal, limit_watch

if TYPE_CHECKING:
    from fewest.model.answer import Trial
    from fewest.model.metric import Metric
    from fewest.reading.board_spec import BoardSpec
    from fewest.space.state_graph import Ids, States, Watch


def find_best_of_all(
    spec: BoardSpec,
    metric: str | None = None,
    *,
    best: int = 10,
    limits: Limits | None = None,
    progress: Callable[[Trial], None] | None = None,
) -> FoundBoards:
    """At most `best` boards: the best of all boards of a spec, according to the keys `want` and `maximise` of the spec.

    Boards that are images of each other count once. The first of a board's hardest positions that has all wanted
    properties represents the board. Boards with a minimum of 0 are omitted. The search takes as long as `generate`,
    plus a few milliseconds for each board that it measures. After a limit, the result contains the best boards so far.
    Raises DocumentError, and UsageError for an unknown metric, a spec without a goal, or rules that this search does
    not support.
    """
    limits, began = limits or Limits(), time.perf_counter()
    stages = None if progress is None else Stages(progress)
    watch = limit_watch(limits.seconds, limits.memory, began, stages)
    search = _Search(spec, metric, best, watch)
    search.stages = stages
    reason = reason_of_end(search.run)
    return FoundBoards(
        name=search.universe.puzzle.name,
        title=search.universe.puzzle.title,
        metric=search.metric.name,
        objective=spec.objective.text,
        seed=None,
        num_boards=search.num_boards,
        num_solvable=search.num_solvable,
        num_fulfilling=search.num_fulfilling,
        num_too_large=0,
        num_positions=search.num_positions,
        boards=tuple(search.best),
        reason=reason,
        seconds=time.perf_counter() - began,
        num_pieces=search.num_pieces,
        num_skipped=search.num_skipped,
    )


class _Board(Struct, frozen=True, eq=False):
    """A board that can be solved: the minimum of its hardest positions, and the indices of its positions. If images of
    a board can have other wanted properties, `places` also contains the indices of the positions of each image.
    """

    minimum: int
    places: tuple[Ids, ...]


class _Search:
    """The search, with its results so far."""

    def __init__(self, spec: BoardSpec, metric: str | None, most: int, watch: Watch) -> None:
        self.spec, self.universe, self.watch, self.most = spec, universe(spec), watch, most
        task = self.universe.task
        if not task.has_goal:
            raise no_goal(task.name)
        self.metric: Metric = metric_of(task, metric)
        self.explorer = BoardExplorer(self.universe, self.metric, None, None)
        self.judge = Judge(spec, self.universe, self.metric)
        self.symmetries = _symmetries(self.universe, self.metric)
        # a symmetry of the rules need not be one of the drawing, so images of a board may differ in these properties
        self.are_images_different = spec.wanted.symmetric or spec.wanted.no_redundant_wall
        self.is_by_minimum = spec.objective.text.strip() == "minimum"
        self.best: list[FoundBoard] = []
        self.stages: Stages | None = None
        self.num_pieces: int | None = None
        self.num_positions = self.num_boards = self.num_solvable = 0
        self.num_fulfilling = self.num_skipped = 0

    def run(self) -> None:
        """Search the boards for each number of pieces in the spec."""
        merged, wanted = self.explorer.merged, self.spec.wanted.pieces
        states, numbers = all_positions(self.universe, merged.problem, self.watch)
        for number in np.unique(numbers).tolist():
            if wanted is None or wanted[0] <= number <= wanted[1]:
                self._compare(number, np.ascontiguousarray(states[numbers == number]))
            self.num_pieces = number

    def _compare(self, pieces: int, states: States) -> None:
        """Compare all boards that have `pieces` pieces; `states` contains all their positions."""
        self._report(0, 1, pieces)
        merged = self.explorer.merged
        graph = board_graph(merged.problem, states, self.watch)
        self.num_positions += len(states)
        least = self.spec.wanted.minimum or 0
        boards = list(self._boards(graph))
        for finished, board in enumerate(boards):
            self._report(finished, len(boards), pieces)
            self.watch(len(states), states.nbytes * 2)
            if board.minimum == 0 or board.minimum < least:
                continue
            is_full = len(self.best) == self.most
            if self.is_by_minimum and is_full and board.minimum <= self.best[-1].minimum:
                self.num_skipped += 1
                continue
            judged = (
                self.judge.best_start(self.explorer.measured(np.ascontiguousarray(states[places])))
                for places in board.places
            )
            found = next((one.board for one in judged if not one.lacks), None)
            if found is None:
                continue
            self.num_fulfilling += 1
            self.best.append(found)
            # the sort is stable, so among boards with equal values, the earliest remain
            self.best.sort(key=lambda one: -one.value)
            del self.best[self.most :]

    def _report(self, finished: int, total: int, pieces: int) -> None:
        if self.stages is not None:
            self.stages.begin(finished, total, f"boards with {counted(pieces, 'pieces')}")

    def _boards(self, graph: BoardGraph) -> Iterator[_Board]:
        """The boards that can be solved, hardest first; of boards that are images of each other, only one is
        included.
        """
        merged = self.explorer.merged
        distances = distances_to(
            graph,
            in_goal(graph.states, merged.problem),
            merged.in_metric[self.metric.name],
            is_reversible=merged.is_reversible,
            watch=self.watch,
        )
        greatest = np.full(len(graph), DEAD, dtype=np.int16)
        np.maximum.at(greatest, graph.component, distances)
        boards, images = self._different(graph)
        solvable = boards[greatest[boards] != DEAD]
        self.num_boards += len(boards)
        self.num_solvable += len(solvable)
        order = np.argsort(graph.component, kind="stable")
        sorted_components = graph.component[order]
        for board in solvable[np.argsort(-greatest[solvable], kind="stable")].tolist():
            places: list[Ids] = []
            for image in images[board] if self.are_images_different else [board]:
                begin, end = np.searchsorted(sorted_components, [image, image + 1])
                places.append(order[begin:end])
            yield _Board(int(greatest[board]), tuple(places))

    def _different(self, graph: BoardGraph) -> tuple[Ids, dict[int, list[int]]]:
        """The index of the first position of each board; of boards that are images of each other, only the first is
        included. The second result contains, for each of these boards, the board and its images, if these are needed.
        """
        boards: Ids = np.flatnonzero(graph.component == np.arange(len(graph)))
        number = np.full(len(graph), -1, dtype=np.int32)
        number[boards] = np.arange(len(boards), dtype=np.int32)
        classes = Components(len(boards))
        for row in self.symmetries:
            at = graph.index.find(image_of(graph.states[boards], row))
            # an image may be missing from the index, because the rules may have a symmetry that the spec lacks
            is_there = at >= 0
            sources = np.flatnonzero(is_there).astype(np.int32)
            classes.link(sources, number[graph.component[at[is_there]]])
        labels = classes.labels()
        _, first = np.unique(labels, return_index=True)
        images: dict[int, list[int]] = {}
        if self.are_images_different:
            for board, label in zip(boards.tolist(), labels.tolist(), strict=True):
                images.setdefault(int(boards[label]), []).append(board)
        different: Ids = boards[first]
        return different, images


def _symmetries(universe: Universe, metric: Metric) -> list[Ids]:
    """The symmetries that map each piece to a piece that has the same `number` in the spec."""
    symmetry = find_symmetry(universe.task.problem, cost_table(universe.task, metric))
    if symmetry is None:
        return []
    class_of = {placed.fact: placed.class_id for placed in universe.facts}
    limits = [
        (universe.rules.least[class_of[fact]], universe.rules.most[class_of[fact]])
        for fact in range(len(universe.task.facts))
    ]
    return [
        row
        for row in symmetry.facts[1:]
        if all(limits[fact] == limits[to] for fact, to in enumerate(row.tolist()))
    ]

"""The random search for hard boards, by restarts and local changes; the result does not depend on the number of
threads.

The number of walkers is fixed; each walker has its own random numbers and a current position. In every round, each
walker proposes either a new position or its current position with a small change. Threads explore the boards of all
proposals in parallel, but the search uses the results in the order of the walkers. Therefore, the result depends on the
seed and on the number of boards, but not on the number of threads.

The search never explores a board twice, nor an image of an explored board under a symmetry, unless the board is too
large. To this end, the search stores the least images of the positions of all explored boards; for a board that is too
large, it stores only the proposed position. Two proposals in one round have different sets of pieces, so they belong to
different boards, because no move changes the set of pieces. If moves create or remove pieces, only the start identifies
a board. The search then stores only the starts, and two proposals in one round have different starts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from fewest.analysis.symmetry import find_symmetry
from fewest.commands.generate.candidates import Candidates
from fewest.commands.generate.component import BoardExplorer
from fewest.commands.generate.found import FoundBoard, FoundBoards
from fewest.commands.generate.images import least_images
from fewest.commands.generate.judge import Judge
from fewest.commands.generate.random_search_checkpoint import (
    RandomSearchCheckpoint,
    SearchState,
    WalkerState,
    random_at,
)
from fewest.commands.generate.universe import universe
from fewest.errors import UsageError, no_goal
from fewest.machine.processor_time import processors
from fewest.model.answer import LimitReached, Limits, reason_of_end
from fewest.model.costs import cost_table
from fewest.model.metric import metric_of
from fewest.search.batches import StateSet
from fewest.space.state_graph import limit_watch

if TYPE_CHECKING:
    from fewest.reading.board_spec import BoardSpec
    from fewest.search.interface import Progress
    from fewest.space.state_graph import States

_WALKERS = 16
_MOST_FAILURES = 40  # a walker restarts after this number of proposals without progress
_IDLE_ROUNDS = 60  # the search ends after this number of rounds without a new board
_MOST_POSITIONS = 300_000  # boards with more positions are omitted
_MOST_STARTS = 30  # the maximum number of hardest positions to compare on one board
_BYTES_PER_WORD = 16  # the number of bytes for each word of a known position
_PENALTY = 1_000_000  # the penalty for each wanted property that a board lacks


def find_boards(
    spec: BoardSpec,
    metric: str | None = None,
    *,
    seed: int = 0,
    boards: int | None = None,
    best: int = 10,
    threads: int | None = None,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
    checkpoint: str | Path | None = None,
) -> FoundBoards:
    """At most `best` boards: the best that a random search finds, according to the keys `want` and `maximise` of the
    spec.

    The search ends after exploring `boards` boards, at a limit, or when it finds no new boards. `checkpoint` is a file:
    a second call with this file continues the search, and gives the same result as a single call. Raises DocumentError,
    OSError, and UsageError: for an unknown metric, for a spec without a goal, for rules that this search does not
    support, for a search without a limit on boards or time, and for a file of another search.
    """
    limits, began = limits or Limits(), time.perf_counter()
    if boards is None and limits.seconds is None:
        raise UsageError(
            "a random search needs a limit",
            hint="set a limit, for example --time 60 or --boards 1000",
        )
    search = _Search(spec, metric, seed, best, threads or max(1, len(processors())))
    if checkpoint is not None:
        options = search.explorer.metric.name, seed, best
        search.open(RandomSearchCheckpoint(Path(checkpoint), spec, search.universe.puzzle, options))
    watch = limit_watch(limits.seconds, limits.memory, began, progress)

    def run() -> None:
        for known, size in search.rounds(boards):
            watch(known, size)

    reason = reason_of_end(run)
    try:
        search.save()
    except LimitReached as limit:
        reason = limit.reason
    return FoundBoards(
        name=search.universe.puzzle.name,
        title=search.universe.puzzle.title,
        metric=search.explorer.metric.name,
        objective=spec.objective.text,
        seed=seed,
        num_boards=search.num_boards,
        num_solvable=search.num_solvable,
        num_fulfilling=search.num_fulfilling,
        num_too_large=search.num_too_large,
        num_positions=len(search.known),
        boards=tuple(search.best),
        reason=reason,
        seconds=time.perf_counter() - began,
    )


class _Walker:
    """One sequence of local changes."""

    def __init__(self, seed: int, number: int) -> None:
        self.random = Random(f"{seed} {number}")
        self.state: int | None = None
        self.value = Fraction(0)
        self.failures = 0

    @property
    def saved(self) -> WalkerState:
        """The state of this walker between two rounds."""
        return WalkerState(self.random.getstate(), self.state, self.value, self.failures)

    def restore(self, saved: WalkerState) -> None:
        """Continue from a saved state."""
        self.random = random_at(saved.random)
        self.state, self.value, self.failures = saved.state, saved.value, saved.failures

    def proposal(self, candidates: Candidates) -> int | None:
        if self.state is None or self.failures >= _MOST_FAILURES:
            self.state, self.failures = None, 0
            return candidates.random(self.random)
        return candidates.changed(self.random, self.state)

    def take(self, state: int | None, value: Fraction) -> None:
        """Continue from `state` (None: no position) if it is at least as good as the current position."""
        if state is not None and (self.state is None or value >= self.value):
            self.failures = self.failures + 1 if value == self.value else 0
            self.state, self.value = state, value
        else:
            self.failures += 1


class _Explored(Struct, frozen=True):
    """The result of exploring a proposal.

    `names` contains the least images of the positions, or of the start if moves create or remove pieces; None if the
    board is too large. `state` is the best start; None if the minimum is 0 or the board cannot be solved. `board` is
    None unless the start has all wanted properties.
    """

    names: States | None
    is_solvable: bool
    state: int | None
    value: Fraction
    board: FoundBoard | None


class _Search:
    """The walkers, the known positions, and the best boards."""

    def __init__(
        self, spec: BoardSpec, metric: str | None, seed: int, best: int, threads: int
    ) -> None:
        self.spec, self.universe = spec, universe(spec, must_conserve=False)
        task = self.universe.task
        if not task.has_goal:
            raise no_goal(task.name)
        chosen = metric_of(task, metric)
        self.explorer = BoardExplorer(self.universe, chosen, _MOST_POSITIONS, _MOST_STARTS)
        self.judge = Judge(spec, self.universe, chosen)
        self.candidates = Candidates(self.universe, spec.wanted.pieces)
        self.walkers = [_Walker(seed, number) for number in range(_WALKERS)]
        self.threads, self.most = threads, best
        symmetry = find_symmetry(task.problem, cost_table(task, chosen))
        identity = np.arange(len(task.facts), dtype=np.int32).reshape(1, -1)
        self.symmetries = identity if symmetry is None else symmetry.facts
        self.known = StateSet(task.words)
        self.best: list[FoundBoard] = []
        self.num_boards = self.num_solvable = self.num_fulfilling = self.num_too_large = 0
        self.idle = 0
        self._checkpoint: RandomSearchCheckpoint | None = None
        self._before: SearchState | None = None  # the latest state that may be saved

    def open(self, checkpoint: RandomSearchCheckpoint) -> None:
        """Use this file for all saves; if it contains a state, continue from this state. Raises UsageError."""
        self._checkpoint = checkpoint
        found = checkpoint.read(self.universe.task.words)
        if found is None:
            return
        state, known = found
        self.known.insert(known)
        for walker, saved in zip(self.walkers, state.walkers, strict=True):
            walker.restore(saved)
        self.best = list(state.best)
        self.num_boards, self.num_solvable = state.num_boards, state.num_solvable
        self.num_fulfilling, self.num_too_large = state.num_fulfilling, state.num_too_large
        self.idle = state.idle

    def save(self) -> None:
        """Write the latest state that may be saved; it is a state between two rounds. Raises LimitReached if the disk
        is full, and OSError for other failures.
        """
        if self._checkpoint is not None and self._before is not None:
            self._checkpoint.write(self._before, self.known.states())

    def _state(self) -> SearchState:
        return SearchState(
            tuple(walker.saved for walker in self.walkers),
            tuple(self.best),
            len(self.known),
            self.num_boards,
            self.num_solvable,
            self.num_fulfilling,
            self.num_too_large,
            self.idle,
        )

    def rounds(self, boards: int | None) -> Iterator[tuple[int, int]]:
        """Search round by round; yields the number of known positions and their size in bytes.

        A last round with fewer boards than walkers is not saved, because a search for more boards would have a full
        round instead.
        """
        with ThreadPoolExecutor(self.threads) as pool:
            while self.idle < _IDLE_ROUNDS and (boards is None or self.num_boards < boards):
                left = _WALKERS if boards is None else boards - self.num_boards
                if self._checkpoint is not None:
                    self._before = self._state()
                    if self._checkpoint.is_due:
                        self.save()
                proposals = self._proposals(left)
                self.idle = 0 if proposals else self.idle + 1
                explored = pool.map(self._explored, [state for _, state in proposals])
                for (walker, state), found in zip(proposals, explored, strict=True):
                    self._take(walker, state, found)
                    size = len(self.known) * self.universe.task.words * _BYTES_PER_WORD
                    yield len(self.known), size
                if left >= _WALKERS and self._checkpoint is not None:
                    self._before = self._state()

    def _proposals(self, most: int) -> list[tuple[_Walker, int]]:
        """At most `most` positions that are not yet known, each from a different board and with the walker that
        proposed it.
        """
        found: list[tuple[_Walker, int]] = []
        pieces: set[tuple[int, ...]] = set()
        for walker in self.walkers:
            state = walker.proposal(self.candidates)
            if state is None or len(found) == most:
                walker.failures += 1
                continue
            name = self._names(self.explorer.as_row(state))
            is_conserving = self.universe.is_conserving
            kinds = self._pieces(state) if is_conserving else tuple(name[0].tolist())
            if kinds in pieces or self.known.contains(name)[0]:
                walker.failures += 1
                continue
            pieces.add(kinds)
            found.append((walker, state))
        return found

    def _names(self, states: States) -> States:
        return least_images(states, self.symmetries)

    def _pieces(self, state: int) -> tuple[int, ...]:
        """The classes of the pieces, sorted, for the image of the position with the least result. All images of a
        position therefore have the same result.
        """
        facts = [placed.fact for placed in self.universe.facts if state >> placed.fact & 1]
        class_of = {placed.fact: placed.class_id for placed in self.universe.facts}
        images = self.symmetries[:, facts].tolist()
        return min(tuple(sorted(class_of[fact] for fact in image)) for image in images)

    def _explored(self, state: int) -> _Explored:
        states = self.explorer.positions(state)
        if states is None:
            return _Explored(None, False, None, Fraction(-1), None)
        measured = self.explorer.measured(states)
        names = self._names(states if self.universe.is_conserving else states[:1])
        if not measured.hardest or measured.measures["minimum"] == 0:
            return _Explored(names, bool(measured.hardest), None, Fraction(-1), None)
        judged = self.judge.best_start(measured)
        value = judged.board.value - judged.lacks * _PENALTY
        board = None if judged.lacks else judged.board
        return _Explored(names, True, judged.start, value, board)

    def _take(self, walker: _Walker, state: int, found: _Explored) -> None:
        if found.names is None:
            self.known.insert(self._names(self.explorer.as_row(state)))
            self.num_too_large += 1
            walker.failures += 1
            return
        self.known.insert(found.names)
        self.num_boards += 1
        self.num_solvable += found.is_solvable
        walker.take(found.state, found.value)
        if found.board is not None:
            self.num_fulfilling += 1
            self.best.append(found.board)
            # the sort is stable, so among boards with equal values, the earliest remain
            self.best.sort(key=lambda board: -board.value)
            del self.best[self.most :]

"""A game of a puzzle, played with the reference interpreter: moves, undo, costs, and distances."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from fewest.commands.hint.evaluation import evaluate
from fewest.model.answer import LimitReached, counted, single
from fewest.model.costs import cost_table
from fewest.model.metric import Parts, metric_of
from fewest.model.states import encode
from fewest.playing.move import Move
from fewest.playing.price import MergedRun, price
from fewest.playing.replay import Subjects, named_step
from fewest.playing.rules import is_goal, legal_moves
from fewest.playing.step import phrase

if TYPE_CHECKING:
    from fewest.commands.api import CompiledPuzzle
    from fewest.model.board import Offset
    from fewest.model.metric import Metric
    from fewest.model.position import Position
    from fewest.model.puzzle import Spot
    from fewest.model.task import Task
    from fewest.space.distances import Distances
    from fewest.space.state_graph import StateSpace


class VisitedPosition(Struct, frozen=True):
    """A position that the game has visited, the move that led to it (None for the start), and the letters of its
    pieces.

    For each metric, `totals` contains the costs so far, and `runs` contains the merged moves in progress.
    """

    move: Move | None
    position: Position
    labels: Mapping[Spot, str]
    totals: Mapping[str, Parts]
    runs: Mapping[str, tuple[MergedRun | None, ...]]


class Session:
    """One game: `entries` is the path from the start to the current position."""

    def __init__(self, compiled: CompiledPuzzle, metric: str | None = None) -> None:
        self.compiled = compiled
        self.puzzle = compiled.puzzle
        self.metric = metric_of(self.puzzle, metric)
        self.tell: DistanceTable | None = None
        self.undone: list[Move] = []
        self._subjects = Subjects(self.puzzle)
        zero = {name: (0,) * len(m.parts) for name, m in self.puzzle.metrics.items()}
        runs = {name: (None,) * len(m.parts) for name, m in self.puzzle.metrics.items()}
        self.entries = [VisitedPosition(None, compiled.start, self.puzzle.labels, zero, runs)]

    @property
    def now(self) -> VisitedPosition:
        return self.entries[-1]

    @property
    def position(self) -> Position:
        return self.now.position

    @property
    def is_solved(self) -> bool:
        return is_goal(self.position)

    # -- moves ------------------------------------------------------------------------------------------

    def moves(self) -> list[Move]:
        """The legal moves, one for each combination of rule, moving piece, text of the binding, and result."""
        found: dict[object, Move] = {}
        for move in legal_moves(self.position):
            found.setdefault((move.rule, move.moved[-1:], move.words, move.target), move)
        return list(found.values())

    def towards(self, spot: Spot, offset: Offset) -> list[Move]:
        """The moves of the piece at a spot in a direction, one for each result."""
        found: dict[Position, Move] = {}
        for move in self.moves():
            if move.shown_direction is None or move.shown_direction.offset != offset:
                continue
            if any(source == spot for source, _ in move.moved):
                found.setdefault(move.target, move)
        return list(found.values())

    def agent(self) -> Spot | None:
        """The piece that takes part in every legal move, if it is the only piece of its class; otherwise None."""
        moves = self.moves()
        if not moves:
            return None
        shared = {source for source, _ in moves[0].moved}
        for move in moves[1:]:
            shared &= {source for source, _ in move.moved}
        alone = [s for s in shared if sum(s[0] == other[0] for other in self.position.pieces) == 1]
        return alone[0] if len(alone) == 1 else None

    def play(self, move: Move) -> None:
        """Make a legal move."""
        if self.undone and self.undone[-1].target == move.target:
            self.undone.pop()
        else:
            self.undone.clear()
        self._push(move)

    def _push(self, move: Move) -> None:
        now = self.now
        totals: dict[str, Parts] = {}
        runs: dict[str, tuple[MergedRun | None, ...]] = {}
        for name, metric in self.puzzle.metrics.items():
            priced = [price(p, r, move) for p, r in zip(metric.parts, now.runs[name], strict=True)]
            totals[name] = tuple(
                t + paid for t, (paid, _) in zip(now.totals[name], priced, strict=True)
            )
            runs[name] = tuple(run for _, run in priced)
        labels = followed(move, now.labels)
        self.entries.append(VisitedPosition(move, move.target, labels, totals, runs))

    def undo(self) -> bool:
        """Undo the last move; return False at the start."""
        if len(self.entries) == 1:
            return False
        move = self.entries.pop().move
        assert move is not None
        self.undone.append(move)
        return True

    def redo(self) -> bool:
        """Redo the move that was undone last; return False if there is nothing to redo."""
        if not self.undone:
            return False
        self._push(self.undone.pop())
        return True

    def restart(self) -> None:
        """Undo all moves."""
        while self.undo():
            pass

    # -- words ------------------------------------------------------------------------------------------

    def name(self, spot: Spot) -> str:
        """The name of the piece at a spot."""
        kind = self.puzzle.classes[spot[0]].kind
        label = self.now.labels.get(spot, kind)
        return self.puzzle.names.get(label, self.puzzle.names.get(kind, label))

    def describe(self, move: Move) -> str:
        """The text of a move, as a plan prints it."""
        names = {spot: self.name(spot) for spot in self.position.pieces}
        return phrase([named_step(self._subjects, move, self.now.labels, names, self.position)])

    # -- distances ---------------------------------------------------------------------------------------

    def left(self) -> Parts | None:
        """The cost from the current position to the goal, given the merged move in progress; None if the goal cannot be
        reached.

        Call this method only if the distances are known.
        """
        return self._onward()[0]

    def _onward(self) -> tuple[Parts | None, list[Move]]:
        """The remaining cost if the merged move in progress may continue for free, and the moves that continue it."""
        assert self.tell is not None
        task, metric = self.compiled.grounded, self.metric
        best = self.tell(encode(task, self.position))
        best_path: list[Move] = []
        first = (self.position, self.now.runs[metric.name])
        paths: dict[tuple[Position, tuple[MergedRun | None, ...]], list[Move]] = {first: []}
        queue = [first] if any(run is not None for run in first[1]) and not self.is_solved else []
        for position, runs in queue:
            for move in legal_moves(position):
                priced = [price(p, r, move) for p, r in zip(metric.parts, runs, strict=True)]
                after = (move.target, tuple(run for _, run in priced))
                if any(paid for paid, _ in priced) or after in paths:
                    continue
                paths[after] = [*paths[position, runs], move]
                left = self.tell(encode(task, move.target))
                if left is not None and (best is None or left < best):
                    best, best_path = left, paths[after]
                if any(run is not None for run in after[1]):
                    queue.append(after)
        return best, best_path

    def best(self) -> Move | None:
        """The first move of an optimal plan; None if the position is dead or a goal position."""
        assert self.tell is not None
        onward = self._onward()[1]
        if onward:
            return onward[0]
        task = self.compiled.grounded
        state = encode(task, self.position)
        evaluation = evaluate(task, self.metric, state, self.tell)
        paths = [move.operators for move in evaluation.moves if move.is_best]
        path = evaluation.finish or (min(paths, key=len) if paths else None)
        if not path:
            return None
        target = task.after(path[0], state)
        return next((m for m in self.moves() if encode(task, m.target) == target), None)

    def sentence(self) -> str:
        """The status on one line; empty if the distances are unknown."""
        if self.is_solved:
            return (
                f"Solved in {counted(single(self.now.totals[self.metric.name]), self.metric.name)}"
            )
        if self.tell is None:
            return ""
        left = self.left()
        if left is None:
            return "This position cannot be solved"
        return f"{counted(single(left), self.metric.name)} left"


def followed(move: Move, labels: Mapping[Spot, str]) -> dict[Spot, str]:
    """The letter of each piece after a move."""
    out = dict(labels)
    carried = [(target, out.pop(source)) for source, target in move.moved if source in out]
    for spot in move.removed:
        out.pop(spot, None)
    out.update(carried)
    classes = move.target.puzzle.classes
    for class_id, anchor in move.created:
        out[class_id, anchor] = classes[class_id].label or classes[class_id].kind
    return out


class DistanceTable:
    """The distances of all positions of a task, in memory."""

    def __init__(self, task: Task, metric: Metric, seconds: float, most: int) -> None:
        """Explore the space. Raises LimitReached after `seconds`, or if there are more than `most` positions."""
        from fewest.space.distances import goal_distances
        from fewest.space.state_graph import build_state_graph

        began = time.perf_counter()

        def watch(num_states: int, num_bytes: int) -> None:
            if num_states > most:
                raise LimitReached("memory")
            if time.perf_counter() - began > seconds:
                raise LimitReached("time")

        self.words = task.words
        self.space: StateSpace = build_state_graph(task.problem, watch)
        self.distances: Distances = goal_distances(self.space, cost_table(task, metric), watch)

    def __call__(self, state: int) -> Parts | None:
        """The distance of a reachable state; None if the state is dead."""
        import numpy as np

        row = np.frombuffer(state.to_bytes(self.words * 8, "little"), dtype="<u8")
        found = int(self.space.index.find(row.astype(np.uint64).reshape(1, -1))[0])
        return self.distances.cost(found)

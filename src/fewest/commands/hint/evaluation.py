"""Evaluates a state: its distance to the goal, the next moves, and the loss of each move.

The distances come from a *distance oracle*: a function that returns the distance of a state without a merged move in
progress. One oracle searches (`search_oracle`); another looks up the distances (`Oracle.cost`). A state has few counted
moves (see `space.plans`), so this module computes them in Python, with states as integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from math import inf
from typing import TYPE_CHECKING

from msgspec import Struct

from fewest.model.costs import added, run_rule
from fewest.model.metric import Parts

if TYPE_CHECKING:
    from fewest.model.metric import Metric
    from fewest.model.task import Task

Node = tuple[int, Parts]  # A state and its tokens.
# A function that returns the distance of a state; None if the state is dead.
DistanceOracle = Callable[[int], "Parts | None"]


class NextMove(Struct, frozen=True):
    """One counted move: its operators, its cost, and its target state.

    `left` is the distance of the target; None if the target is dead. `loss` is the cost of the best plan that begins
    with this move, minus the cost of an optimal plan; None if no plan begins with this move.
    """

    operators: tuple[int, ...]
    cost: Parts
    state: int
    left: Parts | None
    loss: Parts | None

    @property
    def is_best(self) -> bool:
        return self.loss is not None and not any(self.loss)


class Evaluation(Struct, frozen=True):
    """The evaluation of a state: its `distance` (None if the state is dead) and its moves, best first.

    `finish` contains the free operators that lead to a goal state if no counted move is needed; otherwise, it is None.
    """

    distance: Parts | None
    moves: tuple[NextMove, ...]
    finish: tuple[int, ...] | None


def evaluate(
    task: Task,
    metric: Metric,
    state: int,
    oracle: DistanceOracle,
    look: Callable[[int], None] | None = None,
) -> Evaluation:
    """The evaluation of a state. A dead state or a goal state has no moves; of several moves to the same state, only
    the best one is listed.

    `look` is called with the number of states so far, because free moves can lead to any number of states. Raises the
    exceptions of `oracle` and `look`.
    """
    distance = oracle(state)
    game = _TaskSimulator(task, metric, oracle, look)
    finish = game.free_path_to_goal(state)
    if distance is None or (finish is not None and not finish):
        return Evaluation(distance, (), finish)
    worst = (inf,) * len(metric.parts)
    moves = [game.value(distance, *found) for found in game.moves(state)]
    moves.sort(key=lambda m: (worst if m.loss is None else m.loss, m.cost, len(m.operators)))
    best: dict[int, NextMove] = {}  # the best move to each state
    for move in moves:
        best.setdefault(move.state, move)
    return Evaluation(distance, tuple(best.values()), finish)


class _TaskSimulator:
    """Applies the operators of a task to states, which are integers, and keeps track of the tokens of a metric."""

    def __init__(
        self,
        task: Task,
        metric: Metric,
        oracle: DistanceOracle,
        look: Callable[[int], None] | None,
    ) -> None:
        self.task, self.oracle, self.look = task, oracle, look
        self.rule = run_rule(task, metric)
        self.step, self.is_free = self.rule.step, self.rule.is_free
        self.zero, self.fresh = self.rule.zero, self.rule.fresh
        self.applicable: dict[int, list[tuple[int, int]]] = {}

    # -- single operators -------------------------------------------------------------------------

    def successors(self, state: int) -> list[tuple[int, int]]:
        """The pair (operator, next state) for every legal operator."""
        if state not in self.applicable:
            if self.look is not None:
                self.look(len(self.applicable))
            found: list[tuple[int, int]] = []
            for index, move in enumerate(self.task.moves):
                if move.is_applicable(state):
                    target = self.task.after(index, state)
                    if target not in (None, state) and not self.task.is_forbidden(target):
                        found.append((index, target))
            self.applicable[state] = found
        return self.applicable[state]

    # -- counted moves ----------------------------------------------------------------------------

    def moves(self, state: int) -> Iterator[tuple[tuple[int, ...], Parts, Node]]:
        """The triple (operators, cost, end) for every cost and end of a counted move, with a shortest sequence of
        operators. Moves that lead back to `state` are omitted.
        """
        prepared = self._prepared(state)
        ends: dict[tuple[Parts, Node], tuple[int, ...]] = {}
        for start, path in prepared.items():
            if self.task.is_goal(start):
                continue
            for index, target in self.successors(start):
                cost, tokens = self.step(index, self.fresh)
                if cost != self.zero:
                    self._run(cost, (target, tokens), (*path, index), ends)
        for (cost, end), path in ends.items():
            if end[0] != state:
                yield path, cost, end

    def _prepared(self, state: int) -> dict[int, tuple[int, ...]]:
        """The states that free operators reach, each with the sequence of operators that reaches it."""
        found: dict[int, tuple[int, ...]] = {state: ()}
        queue = [state]
        for here in queue:
            if self.task.is_goal(here):
                continue
            for index, target in self.successors(here):
                if self.is_free(index) and target not in found:
                    found[target] = (*found[here], index)
                    queue.append(target)
        return found

    def _run(
        self,
        cost: Parts,
        first: Node,
        path: tuple[int, ...],
        ends: dict[tuple[Parts, Node], tuple[int, ...]],
    ) -> None:
        """Add the end states of a move: the state after the operator that has a cost, and all states that the merged
        move reaches by continuing for free.
        """
        paths = {first: path}
        queue = [first]
        _keep_shortest(ends, (cost, first), path)
        for node in queue:
            if self.task.is_goal(node[0]):
                continue
            for index, target in self.successors(node[0]):
                paid, tokens = self.step(index, node[1])
                if paid != self.zero or (self.is_free(index) and node[1] == self.fresh):
                    continue
                reached = (target, tokens)
                onward = (*paths[node], index)
                if not self.is_free(index):
                    _keep_shortest(ends, (cost, reached), onward)
                if reached not in paths:
                    paths[reached] = onward
                    queue.append(reached)

    def free_path_to_goal(self, state: int) -> tuple[int, ...] | None:
        """A shortest sequence of free operators that leads to a goal state; empty for a goal state; None if there is no
        such sequence.
        """
        paths = [path for here, path in self._prepared(state).items() if self.task.is_goal(here)]
        return min(paths, key=len, default=None)

    # -- the values of moves ---------------------------------------------------------------------------------

    def value(self, distance: Parts, path: tuple[int, ...], cost: Parts, end: Node) -> NextMove:
        """The move with its loss and the distance that remains after it."""
        left = self.oracle(end[0])
        onward = self._onward(end, left)
        loss = None
        if onward is not None:
            loss = tuple(a + b - c for a, b, c in zip(cost, onward, distance, strict=True))
        return NextMove(path, cost, end[0], left, loss)

    def _onward(self, end: Node, left: Parts | None) -> Parts | None:
        """The cost of the best plan after a move, provided that the next move counts separately.

        This is the distance of the state, except in lexicographic metrics, where the next move may continue the merged
        move in one part of the cost but add to the other part.
        """
        if len(self.zero) == 1 or end[1] == self.fresh:
            return left
        if left is None:
            return None
        best = left
        queue: list[tuple[Parts, bool, Node]] = [(self.zero, True, end)]
        done: set[tuple[bool, Node]] = set()
        while queue:
            cost, must_pay, node = heappop(queue)
            if (must_pay, node) in done or cost >= best:
                continue
            done.add((must_pay, node))
            rest = self.oracle(node[0])
            if rest is not None:
                best = min(best, added(cost, rest))
            for index, target in self.successors(node[0]):
                paid, tokens = self.step(index, node[1])
                is_free = self.is_free(index)
                if must_pay and paid == self.zero and not is_free:
                    continue  # this operator only continues the same move
                # in all other cases, the distance from `oracle` includes the cost of this move
                if (paid, tokens) != self.step(index, self.fresh):
                    total = added(cost, paid)
                    heappush(queue, (total, must_pay and is_free, (target, tokens)))
        return best


def _keep_shortest(
    ends: dict[tuple[Parts, Node], tuple[int, ...]], key: tuple[Parts, Node], path: tuple[int, ...]
) -> None:
    if key not in ends or len(path) < len(ends[key]):
        ends[key] = path

"""The reference interpreter: the rules played straight on the board, slow and obvious.

It shares nothing with the grounder but the parsed `Puzzle`. It validates every plan before anybody
sees it, and it is the oracle of the tests: reachable states, goal states and minima of every engine
must equal its own.
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from fewest.language.board import Board, Direction
from fewest.language.expressions import Content
from fewest.language.puzzle import Metric, MetricPart, Puzzle

Spot = tuple[int, int]  # (class id, anchor): a piece that stands somewhere


@dataclass(frozen=True)
class Move:
    """One move: the rule, what it did, and the position it leads to.

    `moved` holds (from, to) of each piece that went somewhere else, in the order of the rule; the
    last of them is the piece that a merging metric counts, unless a `ring` was turned.
    """

    rule: str
    target: Position
    moved: tuple[tuple[Spot, Spot], ...]
    removed: tuple[Spot, ...]
    created: tuple[Spot, ...]
    direction: Direction | None
    ring: int | None
    words: str


@dataclass(frozen=True)
class Position:
    """A state: which spots are taken, and the values of the variables. Also answers expressions."""

    puzzle: Puzzle = field(compare=False, repr=False)
    pieces: frozenset[Spot]
    values: tuple[int | str, ...]

    @property
    def board(self) -> Board:
        assert self.puzzle.board is not None
        return self.puzzle.board

    @cached_property
    def occupied(self) -> Mapping[int, Spot]:
        """The piece on each cell that has one."""
        found: dict[int, Spot] = {}
        for class_id, anchor in self.pieces:
            for cell in self.board.cover(self.puzzle.classes[class_id].shape, anchor) or ():
                found[cell] = (class_id, anchor)
        return found

    def kind_at(self, cell: int, word: str) -> bool:
        """Whether the piece on a cell answers to `word`."""
        spot = self.occupied.get(cell)
        return spot is not None and self.puzzle.classes[spot[0]].answers_to(word)

    # -- rules ------------------------------------------------------------------------------------

    def moves(self, only: str | None = None) -> Iterator[Move]:
        """Every legal move, in the order of the rules; of the rule `only`, if it is given."""
        for rule in self.puzzle.rules:
            if only is not None and rule.name != only:
                continue
            for move in rule.moves(self):
                if move.target != self and not move.target.is_forbidden:
                    yield move

    def move(
        self, rule: str, changes: Mapping[Spot, Spot | None], assigned: Mapping[int, int | str], *,
        created: list[Spot] | None = None, direction: Direction | None = None,
        ring: int | None = None, words: str = "",
    ) -> Move:  # fmt: skip
        """The move that takes pieces from spots to spots (None: off the board) and sets variables."""
        pieces = set(self.pieces).difference(changes)
        pieces.update(spot for spot in changes.values() if spot is not None)
        pieces.update(created or ())
        values = list(self.values)
        for slot, value in assigned.items():
            values[slot] = value
        return Move(
            rule=rule,
            target=Position(self.puzzle, frozenset(pieces), tuple(values)),
            moved=tuple((a, b) for a, b in changes.items() if b is not None and a != b),
            removed=tuple(a for a, b in changes.items() if b is None),
            created=tuple(created or ()),
            direction=direction,
            ring=ring,
            words=words,
        )

    @property
    def is_goal(self) -> bool:
        return self.puzzle.goal is not None and self.puzzle.goal.holds(self)

    @property
    def is_forbidden(self) -> bool:
        return any(condition.holds(self) for condition in self.puzzle.forbid)

    # -- what expressions ask (the View protocol) ---------------------------------------------------

    def variable(self, slot: int) -> int | str:
        return self.values[slot]

    def variable_is(self, slot: int, value: int | str) -> bool:
        return self.values[slot] == value

    def content(self, row: int, column: int) -> Content:
        cell = self.board.cell(row, column)
        if cell is None or cell in self.board.walls:
            return Content("wall")
        spot = self.occupied.get(cell)
        if spot is None:
            return Content("empty")
        piece = self.puzzle.classes[spot[0]]
        return Content(piece.kind, piece.label)

    def place(self, name: str) -> tuple[int, int]:
        for class_id, anchor in self.pieces:
            if self.puzzle.classes[class_id].answers_to(name):
                return self.board.at(anchor)
        return (-1, -1)

    def count(self, name: str, terrain: str | None) -> int:
        cells = None if terrain is None else self.board.terrain[terrain]
        return sum(
            self.puzzle.classes[class_id].answers_to(name) and (cells is None or anchor in cells)
            for class_id, anchor in self.pieces
        )


def start(puzzle: Puzzle) -> Position:
    """The start position."""
    return Position(
        puzzle,
        frozenset((piece.class_id, piece.anchor) for piece in puzzle.pieces),
        tuple(variable.initial for variable in puzzle.variables),
    )


# -- what counts ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """What the next move must continue to cost nothing: this piece (or ring), this way, this weight."""

    carrier: Hashable
    direction: Direction | None
    weight: int


def price(part: MetricPart, run: Run | None, move: Move) -> tuple[int, Run | None]:
    """What a move costs in one part of a metric after `run`, and the run it leaves behind."""
    weight = part.weights[move.rule]
    if weight == 0:
        is_broken = (
            run is not None
            and isinstance(run.carrier, tuple)
            and run.carrier not in move.target.pieces
        )
        return 0, None if is_broken else run
    if part.merge == "none":
        return weight, None
    direction = move.direction if part.merge == "line" else None
    if move.ring is not None:
        before = after = Run(move.ring, direction, weight)
    elif move.moved:
        source, target = move.moved[-1]
        before, after = Run(source, direction, weight), Run(target, direction, weight)
    else:
        return weight, None
    return (0 if run == before else weight), after


def cost_of(metric: Metric, moves: list[Move]) -> tuple[int, ...]:
    """What a sequence of moves costs, one number for each part of the metric."""
    totals: list[int] = []
    for part in metric.parts:
        total, run = 0, None
        for move in moves:
            paid, run = price(part, run, move)
            total += paid
        totals.append(total)
    return tuple(totals)


@dataclass(frozen=True)
class Reach:
    """All that the reference search found: the least cost of every position it reached."""

    costs: Mapping[Position, tuple[int, ...]]
    minimum: tuple[int, ...] | None
    num_goal_states: int


class TooLargeError(Exception):
    """The reference search met more positions than it was allowed."""


def exhaust(puzzle: Puzzle, metric: Metric, limit: int = 100_000) -> Reach:
    """The least cost of every reachable position, by Dijkstra (1959). Raises TooLargeError past `limit`."""
    first = start(puzzle)
    runs: tuple[Run | None, ...] = (None,) * len(metric.parts)
    zero = (0,) * len(metric.parts)
    best: dict[tuple[Position, tuple[Run | None, ...]], tuple[int, ...]] = {(first, runs): zero}
    settled: dict[Position, tuple[int, ...]] = {}
    queue: list[tuple[tuple[int, ...], int, Position, tuple[Run | None, ...]]] = [
        (zero, 0, first, runs)
    ]
    moves: dict[Position, list[Move]] = {}
    ticket = 0
    while queue:
        cost, _, position, runs = heapq.heappop(queue)
        if best[position, runs] != cost:
            continue
        settled.setdefault(position, cost)
        if len(settled) > limit:
            raise TooLargeError
        if position not in moves:
            moves[position] = list(position.moves())
        for move in moves[position]:
            paid = [price(part, run, move) for part, run in zip(metric.parts, runs, strict=True)]
            total = tuple(c + p for c, (p, _) in zip(cost, paid, strict=True))
            node = (move.target, tuple(run for _, run in paid))
            if node not in best or total < best[node]:
                best[node] = total
                ticket += 1
                heapq.heappush(queue, (total, ticket, *node))
    goals = [cost for position, cost in settled.items() if position.is_goal]
    return Reach(settled, min(goals, default=None), len(goals))

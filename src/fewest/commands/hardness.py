"""Explains why the minimum is large: by moves away from the goal, bottlenecks, pieces, and measures of difficulty."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log2
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from fewest.commands.audit import played
from fewest.commands.changes import Part, PuzzleToChange, Refused, TooLargeError
from fewest.commands.limited import LimitedResult
from fewest.commands.measures import (
    Measure,
    chance_of_optimal,
    effective_branching,
    measures,
    mobility,
    within,
)
from fewest.commands.solutions import find_solutions
from fewest.commands.solve import less, solve
from fewest.drawing.text import draw
from fewest.errors import TimeLimitError, UsageError, no_goal
from fewest.formats.stand_alone import UndrawableError
from fewest.model.answer import Cost, LimitReached, Limits, Trial, counted, limit_words
from fewest.model.costs import cost_table
from fewest.model.metric import metric_of
from fewest.model.position import Position
from fewest.model.puzzle import Puzzle
from fewest.model.states import encode
from fewest.model.task import Task, facts_in
from fewest.reading.loader import LoadedDocument

if TYPE_CHECKING:
    from fewest.playing.plan import Plan
    from fewest.space.plan_graph import PlanGraph

# the distances of single pieces are computed only if there are at most this many goal cubes
_MOST_GOALS = 2_000
_MOST_STATES = 2_000_000
_FEW = 12

Progress = Callable[[Any], None]
Trend = Literal["towards", "beside", "away"]


class PlannedMove(Struct, frozen=True):
    """A counted move of the plan, and the sum of the pieces' distances to the goal after it."""

    number: int
    text: str
    trend: Trend
    distance: int


class WithoutPiece(Struct, frozen=True):
    """The minimum of the puzzle without a piece; `status` is as in `solve`, or `invalid` if the puzzle without the
    piece is invalid; `refused` is the reason. If it cannot be written as a document or exceeds a size limit, the status
    is `limit`.
    """

    piece: Part
    status: str
    minimum: Cost | None
    is_idle: bool
    """whether the piece never moves in the plan"""
    refused: Refused | None = None

    def result(self, metric: str) -> str:
        """The minimum or, if the puzzle has none, the reason, in words."""
        if self.minimum is not None:
            return counted(self.minimum, metric)
        if self.refused is not None:
            return f"not a valid puzzle: {self.refused}"
        return "unsolvable" if self.status == "unsolvable" else "not decided"


class Hardness(LimitedResult, Struct, frozen=True):
    """The reasons why the minimum is as large as it is. A field is None if its value was not computed.

    `moves`: the counted moves of one optimal plan; None if `planned_moves` does not support the task. `num_traces`: the
    number of optimal plans up to the order of independent moves; `bottlenecks`: the positions that all optimal plans
    pass through. `audit`: the statistics of the audit.
    """

    puzzle: str
    title: str
    metric: str
    minimum: Cost
    moves: tuple[PlannedMove, ...] | None
    num_plans: int | None
    num_traces: int | None
    bottlenecks: tuple[tuple[Cost, Position], ...] | None
    num_shared: int | None
    without: tuple[WithoutPiece, ...]
    num_pieces: int
    measures: tuple[Measure, ...]
    reason: str | None
    seconds: float
    audit: Mapping[str, Any] = field(default_factory=lambda: played(None))

    def summary(self) -> str:
        """The answer in one line."""
        stop = (
            ""
            if self.reason is None
            else f" ({limit_words(self.reason)}: some figures were not computed)"
        )
        return f"{self.title}: {counted(self.minimum, self.metric)}{stop}"

    def lines(self) -> Iterator[str]:
        """All lines below the summary."""
        if self.moves is not None:
            away = [one for one in self.moves if one.trend == "away"]
            beside = sum(one.trend == "beside" for one in self.moves)
            lead, keep = ("lead", "leads")[len(away) == 1], ("keep", "keeps")[beside == 1]
            yield (
                f"  of {counted(len(self.moves), 'moves')} of a plan, {len(away):,} {lead} away from "
                f"the goal and {beside:,} {keep} the distance"
            )
            for one in away[:_FEW]:
                yield f"    {one.number}. {one.text}"
            if len(away) > _FEW:
                yield f"    and {len(away) - _FEW:,} more"
        if self.bottlenecks is not None:
            yield (
                f"  every optimal plan passes through {counted(len(self.bottlenecks), 'positions')}, "
                "the start included"
            )
        if self.num_traces is not None:
            yield f"  {counted(self.num_traces, 'plans')}, up to the order of independent moves"
        idle = [str(one.piece) for one in self.without if one.is_idle]
        if idle:
            yield f"  do not move in this plan: {', '.join(idle)}"
        if self.without:
            yield ""
            yield "the minimum without a piece:"
            for row in self.without:
                yield f"  {row.piece}: {row.result(self.metric)}"
        yield ""
        yield "measures:"
        for measure in self.measures:
            yield f"  {measure.name}: {measure.result}"

    def to_json(self) -> dict[str, Any]:
        """Plain data, as `--json` prints it."""
        return {
            "puzzle": self.puzzle,
            "title": self.title,
            "metric": self.metric,
            "minimum": self.minimum,
            "moves": None
            if self.moves is None
            else [
                {"number": o.number, "text": o.text, "trend": o.trend, "distance": o.distance}
                for o in self.moves
            ],
            "plans": self.num_plans,
            "plans_up_to_order": self.num_traces,
            "bottlenecks": None
            if self.bottlenecks is None
            else [
                {"left": left, "position": draw(there, there.puzzle.labels)}
                for left, there in self.bottlenecks
            ],
            "shared_moves": self.num_shared,
            "without": [
                {
                    "piece": row.piece.to_json(),
                    "status": row.status,
                    "minimum": row.minimum,
                    "idle": row.is_idle,
                    "code": None if row.refused is None else row.refused.code,
                    "message": None if row.refused is None else row.refused.message,
                }
                for row in self.without
            ],
            "measures": [
                {
                    "name": m.name,
                    "value": m.value,
                    "reason": m.reason,
                    "formula": m.formula,
                    "source": m.source,
                }
                for m in self.measures
            ],
            "reason": self.reason,
            "seconds": self.seconds,
            "audit": dict(self.audit),
        }

    def __str__(self) -> str:
        return "\n".join([self.summary(), *self.lines()])


def explain_hardness(
    document: LoadedDocument,
    puzzle: Puzzle,
    task: Task,
    metric: str,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Hardness:
    """Explain why the minimum is as large as it is. After a limit or Ctrl-C, the answer contains the values computed so
    far.

    Raises UsageError if the metric is unknown or the puzzle has no goal or no plan, and TimeLimitError if no minimum is
    found.
    """
    if puzzle.goal is None:
        raise no_goal(puzzle.name)
    limits, began = limits or Limits(), time.perf_counter()
    own = solve(puzzle, metric, task=task, limits=limits, progress=progress)
    if own.status != "optimal" or own.cost is None or own.plan is None:
        if own.status == "unsolvable":
            raise UsageError(f"{puzzle.name} is unsolvable", hint="run `fewest explain` to see why")
        stop = limit_words(own.reason)
        raise TimeLimitError(f"the minimum of {puzzle.name} is unknown: {stop}")
    work = _Work(document, puzzle, task, metric, limits, progress, own.plan, own.cost)
    reason = None
    try:
        work.run()
    except LimitReached as limit:
        reason = limit.reason
    except KeyboardInterrupt:
        reason = "interrupted"
    seconds = time.perf_counter() - began
    return replace(work.found, reason=reason, seconds=seconds, audit=own.statistics["audit"])


class _Work:
    """Computes the parts of the answer, one after another."""

    def __init__(
        self,
        document: LoadedDocument,
        puzzle: Puzzle,
        task: Task,
        metric: str,
        limits: Limits,
        progress: Progress | None,
        plan: Plan,
        minimum: Cost,
    ) -> None:
        self.document, self.puzzle, self.task = document, puzzle, task
        self.metric, self.limits, self.progress = metric, limits, progress
        self.plan = plan
        self.began = time.perf_counter()
        self.found = Hardness(
            puzzle=puzzle.name,
            title=puzzle.title,
            metric=metric,
            minimum=minimum,
            moves=None,
            num_plans=None,
            num_traces=None,
            bottlenecks=None,
            num_shared=None,
            without=(),
            num_pieces=len(puzzle.pieces),
            measures=measures(minimum),
            reason=None,
            seconds=0.0,
        )

    def run(self) -> None:
        self.found = replace(self.found, moves=planned_moves(self.task, self.plan))
        away = (
            None if self.found.moves is None else sum(o.trend == "away" for o in self.found.moves)
        )
        self._set("moves away from the goal", away, "the distance to the goal is not defined")
        self._without_pieces()
        self._plans()
        self._space()

    def _left(self) -> Limits:
        left = less(self.limits, self.began)
        if left.seconds is not None and left.seconds <= 0:
            raise LimitReached("time")
        return left

    def _set(self, name: str, value: float | None, reason: str | None = None) -> None:
        """Set the value of a measure, or the reason why it has no value."""
        why = reason if value is None else None
        every = tuple(
            replace(one, value=value, reason=why) if one.name == name else one
            for one in self.found.measures
        )
        self.found = replace(self.found, measures=every)

    def _without_pieces(self) -> None:
        work = PuzzleToChange(self.document, self.puzzle)
        moved = _moved(self.task, self.plan)
        for number, part in enumerate(work.pieces):
            if self.progress is not None:
                seconds = time.perf_counter() - self.began
                self.progress(Trial(number, len(work.pieces), "pieces", seconds))
            fact = None if part.spot is None else self.task.fact_of_spot.get(part.spot)
            is_idle = fact is None or not moved >> fact & 1
            left = self._left()
            try:
                other = work.drawn(work.without([part]))
            except (UndrawableError, TooLargeError):
                row = WithoutPiece(part, "limit", None, is_idle)
                self.found = replace(self.found, without=(*self.found.without, row))
                continue
            if isinstance(other, Refused):
                row = WithoutPiece(part, "invalid", None, is_idle, other)
            else:
                found = solve(other.puzzle, self.metric, task=other.task, limits=left, audit="off")
                if found.reason in ("interrupted", "time"):
                    raise LimitReached(found.reason)
                cost = found.cost if found.status == "optimal" else None
                row = WithoutPiece(part, found.status, cost, is_idle)
            self.found = replace(self.found, without=(*self.found.without, row))

    def _plans(self) -> None:
        chosen = metric_of(self.task, self.metric)
        solutions = find_solutions(self.puzzle, self.task, chosen, limits=self._left())
        is_complete = solutions.num_shared is not None  # a limit did not stop the search before
        self.found = replace(
            self.found,
            num_plans=solutions.num_plans,
            num_traces=solutions.num_traces,
            num_shared=solutions.num_shared,
            bottlenecks=tuple((one.left, one.position) for one in solutions.bottlenecks)
            if is_complete
            else None,
        )
        if is_complete:
            self._set("bottlenecks", len(solutions.bottlenecks))
        if solutions.reason is not None:
            raise LimitReached(solutions.reason)
        if solutions.graph is not None:
            self._moved_pieces(solutions.graph)

    def _moved_pieces(self, graph: PlanGraph) -> None:
        """Compute the measures of how often a plan changes the piece that it moves."""
        from fewest.space.moved_pieces import (
            TooManyDivisionsError,
            facts_of_moved_pieces,
            least_piece_changes,
            least_returns,
        )
        from fewest.space.state_graph import limit_watch

        left = self._left()
        watch = limit_watch(left.seconds, left.memory, time.perf_counter(), self.progress)
        followed = facts_of_moved_pieces(self.task, graph)
        changes = least_piece_changes(graph, followed)
        self._set("piece changes", changes, "no optimal plan moves a piece")
        try:
            returns = least_returns(graph, followed, watch)
        except TooManyDivisionsError:
            self._set("decomposition", None, "there are too many pieces or plans")
        else:
            self._set("decomposition", returns, "no optimal plan moves two pieces separately")

    def _planned_states(self) -> list[int]:
        """The state before each move of the plan."""
        after = [encode(self.task, move.position) for move in self.plan.counted]
        return [self.task.initial, *after][:-1]

    def _space(self) -> None:
        """Compute the measures that need the graph of all positions."""
        from fewest.space.distances import goal_distances
        from fewest.space.layered_plans import has_uniform_costs
        from fewest.space.state_graph import build_state_graph, limit_watch

        table = cost_table(self.task, metric_of(self.task, self.metric))
        is_single = has_uniform_costs(table) and table.parts == 1 and self.found.minimum
        left = self._left()
        inner = limit_watch(left.seconds, left.memory, time.perf_counter(), self.progress)

        def watch(num_states: int, num_bytes: int) -> None:
            inner(num_states, num_bytes)
            if num_states > _MOST_STATES:
                raise LimitReached("memory")

        space = build_state_graph(self.task.problem, watch)
        distances = goal_distances(space, table, watch)
        levels = distances.of_states
        self._set("dead positions", 1 - float((levels >= 0).mean()))
        if not is_single:
            for name in ("mobility", "bits of choice", "effective branching factor"):
                self._set(name, None, "it is defined only if all moves cost the same")
            return
        self._set("mobility", mobility(space, self._planned_states()))
        chance = chance_of_optimal(space, distances)
        bits = -log2(chance) if chance > 0 else None
        self._set("bits of choice", bits, "the chance is too small for a floating-point number")
        depth = int(levels[0])
        factor = effective_branching(within(space, depth), depth)
        self._set("effective branching factor", factor, "no b of at least 1 satisfies the equation")


def planned_moves(task: Task, plan: Plan) -> tuple[PlannedMove, ...] | None:
    """The effect of each counted move on the goal distances of single pieces. The result is None if a cube of the goal
    names no place, if there are too many cubes or several lists of cubes, and for tasks with consequences or
    permutations.

    The distance of a position to a cube of the goal is a sum over the facts of the cube. The summand of a fact is the
    minimum number of operators that bring any piece of the class to the place of the fact on an otherwise empty board.
    The distance of the position to the goal is its distance to the nearest cube.
    """
    distance = _alone(task)
    if distance is None:
        return None
    last = distance(task.initial)
    moves: list[PlannedMove] = []
    for number, move in enumerate(plan.counted, 1):
        now = distance(encode(task, move.position))
        trend: Trend = "away" if now > last else "towards" if now < last else "beside"
        moves.append(PlannedMove(number, move.text, trend, now))
        last = now
    return tuple(moves)


def _alone(task: Task) -> Callable[[int], int] | None:
    """The sum of the distances of single pieces to the goal, as a function of the state; None if the distances are not
    defined.
    """
    goals = [
        [fact for fact in facts_in(value) if task.facts[fact].slot < 0] for _, value in task.goal
    ]
    if not goals or len(goals) > _MOST_GOALS or not all(goals) or task.further_goals:
        return None
    if task.pending or task.permutations or task.consequences:
        return None
    before: dict[int, set[int]] = {}
    for operator in task.operators:
        taken, put = operator.flip & operator.value, operator.flip & ~operator.value
        for target in facts_in(put):
            before.setdefault(target, set()).update(
                source
                for source in facts_in(taken)
                if task.facts[source].class_id == task.facts[target].class_id
            )
    far = len(task.facts)
    tables = {fact: _steps_to(fact, before) for facts in goals for fact in facts}

    def nearest(table: dict[int, int], true: Sequence[int]) -> int:
        return min((table[fact] for fact in true if fact in table), default=far)

    def distance(state: int) -> int:
        true = list(facts_in(state))
        to = {fact: nearest(table, true) for fact, table in tables.items()}
        return min(sum(to[fact] for fact in facts) for facts in goals)

    return distance


def _steps_to(goal: int, before: dict[int, set[int]]) -> dict[int, int]:
    found, waiting = {goal: 0}, deque([goal])
    while waiting:
        fact = waiting.popleft()
        for source in before.get(fact, ()):
            if source not in found:
                found[source] = found[fact] + 1
                waiting.append(source)
    return found


def _moved(task: Task, plan: Plan) -> int:
    """All facts that change during the plan."""
    state, moved = task.initial, 0
    for move in plan.moves:
        moved |= state ^ encode(task, move.position)
        for step in move.steps:
            moved |= task.initial ^ encode(task, step.position)
    return moved

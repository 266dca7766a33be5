"""Hints: the evaluation of a position, presented with the names and drawings of the puzzle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from fewest.commands.audit import Audit, explain_failure, played
from fewest.commands.hint.evaluation import Evaluation, NextMove, evaluate
from fewest.commands.hint.search_oracle import Searcher
from fewest.commands.oracle import UnreachableError
from fewest.drawing.text import draw, text_width
from fewest.errors import Exit, InternalError, no_goal
from fewest.model.answer import (
    Cost,
    LimitReached,
    Limits,
    counted,
    format_cost,
    limit_words,
    single,
)
from fewest.model.position import Position, start
from fewest.model.states import encode
from fewest.playing.plan import PlannedMove
from fewest.playing.replay import play
from fewest.playing.rules import is_goal
from fewest.playing.step import Step

if TYPE_CHECKING:
    from fewest.commands.oracle import Oracle
    from fewest.model.metric import Metric
    from fewest.model.puzzle import Puzzle
    from fewest.model.task import Task
    from fewest.search.interface import Progress


@dataclass(frozen=True)
class HintedMove:
    """One counted move, in the words of the puzzle. `left` and `loss` are None if the move leads to a dead position."""

    text: str
    cost: Cost
    left: Cost | None
    loss: Cost | None
    is_best: bool
    move: PlannedMove = field(repr=False)


@dataclass(frozen=True)
class Hint:
    """The evaluation of a position.

    - `solvable`: `distance` is the cost to the goal; `moves` are all counted moves, best first;
    - `solved`: the position is a goal position; `dead`: it is proven that no goal position can be reached;
    - `limit`: a limit stopped a search (`reason`); `distance` is None if it is unknown.

    `finish` describes the free moves that lead to a goal position if no counted move is needed; otherwise, it is None.
    """

    title: str
    metric: str
    status: Literal["solvable", "solved", "dead", "limit"]
    distance: Cost | None
    moves: tuple[HintedMove, ...]
    finish: str | None
    reason: str | None
    position: Position = field(repr=False)
    audited: Audit | None = None

    @property
    def best(self) -> tuple[HintedMove, ...]:
        """The moves without a loss."""
        return tuple(move for move in self.moves if move.is_best)

    @property
    def exit_code(self) -> Exit:
        """The exit code, which shows whether a limit stopped a search."""
        return Exit.LIMIT if self.status == "limit" else Exit.ANSWERED

    def move_lines(self) -> list[tuple[str, bool]]:
        """For each move, a line with the distance after the move and its loss, and whether it is a best move."""
        width = min(50, max((text_width(move.text) for move in self.moves), default=0))
        lines: list[tuple[str, bool]] = []
        for move in self.moves:
            left = "" if move.left is None else f"{format_cost(move.left)} left"
            gap = " " * max(0, width - text_width(move.text))
            lines.append(
                (f"  {move.text}{gap}  {left:>12}  {described_move(move)}".rstrip(), move.is_best)
            )
        return lines

    def __repr__(self) -> str:
        return f"<Hint {self.summary()}>"

    def summary(self) -> str:
        """The answer in one line."""
        if self.status == "limit":
            why = limit_words(self.reason)
            known = "" if self.distance is None else f"{counted(self.distance, self.metric)}; "
            return f"{self.title}: {known}{why}; the moves were not compared"
        if self.status == "solved":
            return f"{self.title}: solved"
        if self.status == "dead":
            return f"{self.title}: no goal can be reached from here (proven)"
        assert self.distance is not None
        distance = counted(self.distance, self.metric)
        return f"{self.title}: {distance} to the goal (proven minimal)"

    def to_json(self) -> dict[str, Any]:
        """The plain data that `--json` prints."""
        return {
            "title": self.title,
            "metric": self.metric,
            "status": self.status,
            "reason": self.reason,
            "position": draw(self.position, self.position.puzzle.labels),
            "distance": self.distance,
            "finish": self.finish,
            "moves": [
                {
                    "text": move.text,
                    "best": move.is_best,
                    "cost": move.cost,
                    "left": move.left,
                    "loss": move.loss,
                    "position": draw(move.move.position, move.move.steps[-1].labels),
                }
                for move in self.moves
            ],
            "audit": played(self.audited),
        }

    def __str__(self) -> str:
        lines = [self.summary()]
        if self.finish:
            lines.append(f"no counted move is needed: {self.finish}")
        width = max((len(move.text) for move in self.moves), default=0)
        for move in self.moves:
            lines.append(f"  {move.text:<{width}}  {described_move(move)}")
        return "\n".join(lines)


def described_move(move: HintedMove) -> str:
    """The loss of a move as text."""
    if move.is_best:
        return "best"
    return "dead position" if move.loss is None else f"loses {_signed(move.loss)}"


def _signed(loss: Cost) -> str:
    """A loss as text, such as `2`, or `1 - 3` for a pair: if the first part increases, the second may decrease."""
    if isinstance(loss, int):
        return f"{loss:,}"
    return f"{loss[0]:,} " + " ".join(
        f"{'-' if part < 0 else '+'} {abs(part):,}" for part in loss[1:]
    )


def give_hint(
    puzzle: Puzzle,
    task: Task,
    metric: Metric,
    oracle: Oracle | None,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
) -> Hint:
    """The evaluation of the start of `puzzle`. `task` is the task of the puzzle or of the oracle.

    Raises UnreachableError if the oracle does not contain the position, OracleError if it was made for another puzzle
    or metric, UsageError for a puzzle without a goal, and DisagreementError if the rules do not allow a move of the
    task.
    """
    if puzzle.goal is None:
        raise no_goal(puzzle.name)
    position = start(puzzle)
    if oracle is not None:
        oracle.check(task, metric)
    try:
        state = encode(task, position)
    except KeyError as error:
        raise UnreachableError(
            "the oracle does not contain this position, because the position cannot be reached from the start",
            hint="leave out --oracle to search from this position",
        ) from error
    searcher = Searcher(task, metric, limits, progress)
    try:
        goal_distance = searcher if oracle is None else oracle.cost
        evaluation = evaluate(task, metric, state, goal_distance, searcher.look)
    except (LimitReached, KeyboardInterrupt) as error:
        reason = error.reason if isinstance(error, LimitReached) else "interrupted"
        known = searcher.known.get(state)
        distance = None if known is None else single(known)
        return Hint(puzzle.title, metric.name, "limit", distance, (), None, reason, position)
    finish = evaluation.finish
    if finish == () and not is_goal(position):
        explain_failure(puzzle, task, metric, ())
        raise InternalError("this position is not a goal position")
    moves = tuple(_worded(puzzle, task, metric, move) for move in evaluation.moves)
    return Hint(
        title=puzzle.title,
        metric=metric.name,
        status=_status(evaluation),
        distance=None if evaluation.distance is None else single(evaluation.distance),
        moves=moves,
        finish=_phrase(puzzle, task, metric, finish) if finish else None,
        reason=None,
        position=position,
    )


def _status(evaluation: Evaluation) -> Literal["solvable", "solved", "dead"]:
    if evaluation.distance is None:
        return "dead"
    return "solved" if evaluation.finish == () else "solvable"


def _worded(puzzle: Puzzle, task: Task, metric: Metric, move: NextMove) -> HintedMove:
    planned = PlannedMove(_steps(puzzle, task, metric, move.operators), move.cost)
    return HintedMove(
        text=planned.text,
        cost=single(move.cost),
        left=None if move.left is None else single(move.left),
        loss=None if move.loss is None else single(move.loss),
        is_best=move.is_best,
        move=planned,
    )


def _phrase(puzzle: Puzzle, task: Task, metric: Metric, operators: Sequence[int]) -> str:
    return PlannedMove(_steps(puzzle, task, metric, operators), ()).text


def _steps(
    puzzle: Puzzle, task: Task, metric: Metric, operators: Sequence[int]
) -> tuple[Step, ...]:
    """The steps that these operators make when the rules execute them. Raises DisagreementError if the rules do not
    allow them.
    """
    try:
        return tuple(play(puzzle, task, operators))
    except InternalError:
        explain_failure(puzzle, task, metric, operators)
        raise

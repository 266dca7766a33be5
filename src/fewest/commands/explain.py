"""Explains in words and pictures why no goal position can be reached from a position. The argument comes from
`deadlocks.argument` or `impossible_goal`; if neither finds an argument, an exhaustive search decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from msgspec import Struct

from fewest.commands.audit import explain_failure, played
from fewest.commands.impossible_goal import impossible_goal
from fewest.commands.solve import solve
from fewest.deadlocks.argument import Argument, argument
from fewest.deadlocks.dead_cubes import DeadCubes, find_dead_cubes
from fewest.drawing.text import draw
from fewest.errors import Exit, InternalError, no_goal
from fewest.grounding.ground import ground
from fewest.model.answer import Cost, Limits, counted
from fewest.model.position import Position, start
from fewest.model.puzzle import Puzzle
from fewest.model.states import encode
from fewest.model.task import Fact, Task, facts_in
from fewest.playing.rules import is_goal

_FEW = 12  # the maximum number of pieces to name in one line


class DeadlockPart(Struct, frozen=True):
    """A piece and the cells that it covers, or a variable's value (without cells)."""

    name: str
    cells: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        return f"{self.name} {self.cells[0]}" if self.cells else self.name


@dataclass(frozen=True)
class Deadlock:
    """The status of a position, and its reason.

    - `dead`: no goal position can be reached; `kind` and `text` give the reason, which is an argument or `exhaustion`;
    - `solvable`: the position is not dead, and `cost` is the lowest cost of a plan (None if it is unknown); `solved`:
      the position is a goal position;
    - `unknown`: no argument applies, and the search ended at a limit.

    `excerpt` is the position with only the pieces that the argument is about, and with the agent if the argument
    depends on it; None if there is no such argument. `audit`: the statistics of the audit, or None if there was none.
    """

    title: str
    status: Literal["dead", "solvable", "solved", "unknown"]
    kind: str | None
    text: str
    position: Position = field(repr=False)
    pieces: tuple[DeadlockPart, ...] = ()
    goals: tuple[DeadlockPart, ...] = ()
    cost: Cost | None = None
    num_states: int | None = None
    excerpt: Position | None = field(default=None, repr=False)
    audit: Mapping[str, Any] | None = field(default=None, repr=False)

    @property
    def exit_code(self) -> Exit:
        """The exit code, which shows whether the status of the position is known."""
        return Exit.LIMIT if self.status == "unknown" else Exit.ANSWERED

    def summary(self) -> str:
        """The answer in one line."""
        return f"{self.title}: {self.text}"

    def to_json(self) -> dict[str, Any]:
        """Plain data, as `--json` prints it."""
        return {
            "title": self.title,
            "status": self.status,
            "argument": self.kind,
            "text": self.text,
            "pieces": [{"name": c.name, "cells": c.cells} for c in self.pieces],
            "goals": [{"name": c.name, "cells": c.cells} for c in self.goals],
            "cost": self.cost,
            "states": self.num_states,
            "position": _drawing(self.position),
            "excerpt": None if self.excerpt is None else _drawing(self.excerpt),
            "audit": played(None) if self.audit is None else dict(self.audit),
        }

    def __str__(self) -> str:
        lines = [self.summary(), *_drawing(self.position)]
        if self.excerpt is not None:
            lines += ["", *_drawing(self.excerpt)]
        return "\n".join(lines)


def with_names(text: str, pieces: Sequence[DeadlockPart], goals: Sequence[DeadlockPart]) -> str:
    """The text of an argument, followed by the first few pieces and goals that it names. If it names both, words
    separate them.
    """
    parts = [(word, named) for word, named in (("pieces", pieces), ("goals", goals)) if named]
    names = [
        _first(named) if len(parts) == 1 else f"{word} {_first(named)}" for word, named in parts
    ]
    return f"{text}: {'; '.join(names)}" if names else text


def _first(named: Sequence[DeadlockPart]) -> str:
    return ", ".join(map(str, named[:_FEW])) + ", …" * (len(named) > _FEW)


def explain_deadlock(
    puzzle: Puzzle,
    task: Task,
    there: Puzzle,
    metric: str | None,
    limits: Limits,
    progress: Callable[[Any], None] | None = None,
) -> Deadlock:
    """Decide whether `there`, the puzzle at another position, is dead, and explain why; `task` is the task of `puzzle`.

    If no argument applies, an exhaustive search within the limits decides; if `seconds` is 0, there is no search.
    Raises UsageError for a puzzle without a goal and, if there is a search, for an unknown metric. Raises
    DisagreementError or InternalError if the rules and the task disagree about the goal.
    """
    if puzzle.goal is None:
        raise no_goal(puzzle.name)
    fitting, state = _task_of(task, there)
    dead = find_dead_cubes(fitting)
    found = argument(dead, state)
    position = start(there)
    answer = partial(Deadlock, puzzle.title, position=position)
    if fitting.is_goal(state):
        if not is_goal(position):
            explain_failure(there, fitting, None, ())
            raise InternalError("this position is not a goal position")
        return answer("solved", None, "it is solved")
    if found is not None and found.kind == "agent":
        impossible = impossible_goal(there, fitting, state)
        if impossible is not None:
            pieces = tuple(
                _deadlock_part(there, fitting.facts[fact]) for fact in facts_in(impossible.pieces)
            )
            goals = tuple(_deadlock_part(there, spot) for spot in impossible.spots)
            text = _counting_text(len(pieces), len(goals), bool(pieces))
            return answer("dead", "counting", text, pieces=pieces, goals=goals)
    if found is not None and found.kind == "agent" and (values := _possible_values(fitting)):
        text = f"moves lead only to these values, and no goal is possible with them: {values}"
        return answer("dead", "agent", text)
    if found is not None:
        named = tuple(_deadlock_part(there, fitting.facts[fact]) for fact in facts_in(found.pieces))
        return answer(
            "dead",
            found.kind,
            _text(found, named),
            pieces=named,
            goals=tuple(
                _deadlock_part(there, fitting.facts[fact]) for fact in facts_in(found.goals)
            ),
            excerpt=_excerpt(dead, state, found, position),
        )
    if limits.seconds == 0:
        text = "no argument shows that it is dead, and it was not searched"
        return answer("unknown", None, text)
    own = fitting if fitting is not task or there is puzzle else None
    result = solve(there, metric, task=own, limits=limits, progress=progress)
    states = result.statistics.get("states")
    answer = partial(answer, num_states=states, audit=result.statistics["audit"])
    if result.status == "unsolvable":
        text = f"no goal can be reached, by exhaustive search ({counted(states or 0, 'states')}); no argument shows it"
        return answer("dead", "exhaustion", text)
    if result.status == "optimal":
        assert result.cost is not None
        text = f"it is not dead: {counted(result.cost, result.metric)} to the goal"
        return answer("solvable", None, text, cost=result.cost)
    if result.cost is not None:  # a limit stopped the search after it found a plan
        text = f"it is not dead: at most {counted(result.cost, result.metric)} to the goal"
        return answer("solvable", None, text)
    text = f"no argument shows that it is dead; the search stopped ({result.reason})"
    return answer("unknown", None, text)


def _task_of(task: Task, there: Puzzle) -> tuple[Task, int]:
    """A task and the state of `there` in this task. If the invariants of `task`, which belongs to the puzzle's own
    start, hold in the state, the task is `task` itself; otherwise, it is a new task for `there`.

    `task` is preferred, because its arguments usually name fewer pieces.
    """
    try:
        state = encode(task, start(there))
    except KeyError:
        own = ground(there)
        return own, own.initial
    flips = 0
    for operator in task.operators:
        flips |= operator.flip
    holds = (
        not (state ^ task.initial) & ~flips
        and all(sum(state >> f & 1 for f in g.facts) == g.count for g in task.exactly)
        and all(sum(state >> f & 1 for f in facts) <= 1 for facts in task.at_most_one)
    )
    if holds:
        return task, state
    own = ground(there)
    return own, own.initial


def _possible_values(task: Task) -> str:
    """The values that the variables can get, if no goal is possible with them. The text is empty if pieces can move, or
    if there are many values.
    """
    if task.goal or len(task.facts) > _FEW or any(fact.slot < 0 for fact in task.facts):
        return ""
    return ", ".join(fact.name for fact in task.facts)


def _text(found: Argument, named: Sequence[DeadlockPart]) -> str:
    pieces, goals = found.pieces.bit_count(), found.goals.bit_count()
    if found.kind == "agent":
        return "every goal needs something that no moves achieve, wherever the pieces are"
    alone = ", wherever moves take the other pieces"
    if found.kind in ("piece", "set"):
        return f"no goal can be reached with {_these(named)}{alone}"
    if found.kind == "frozen":
        if pieces == 1:
            return "this piece can never move again on the way to a goal, and no goal has it here"
        return (
            f"these {pieces} pieces block each other for good: none of them can move again on "
            "the way to a goal, and no goal has them all here"
        )
    return _counting_text(pieces, goals, found.are_pieces_many)


def _these(named: Sequence[DeadlockPart]) -> str:
    """The pieces and the values of variables that an argument names."""
    pieces = sum(bool(one.cells) for one in named)
    parts = [
        f"this {what}" if count == 1 else f"these {count} {what}s"
        for count, what in ((pieces, "piece"), (len(named) - pieces, "value"))
        if count
    ]
    where = "where" if pieces == len(named) else "as"
    return f"{' and '.join(parts)} {where} {'it is' if len(named) == 1 else 'they are'}"


def _counting_text(pieces: int, goals: int, are_pieces_many: bool) -> str:
    if are_pieces_many and not goals:
        if pieces == 1:
            return "this piece can reach no cell where a goal has it"
        return f"these {pieces} pieces can reach no cells where a goal has them"
    if are_pieces_many:
        spots = f"{goals} goal spot{'s' * (goals != 1)}"
        return f"together, these {pieces} pieces can reach only {spots}"
    if not pieces:
        return f"no piece can reach {'this goal spot' if goals == 1 else 'these goal spots'}"
    only = "this piece" if pieces == 1 else f"these {pieces} pieces"
    return f"these {goals} goal spots can be filled by only {only}"


def _deadlock_part(puzzle: Puzzle, fact: Fact) -> DeadlockPart:
    if fact.slot >= 0 or puzzle.board is None:
        return DeadlockPart(fact.name, ())
    piece = puzzle.classes[fact.class_id]
    cells = puzzle.board.cover(piece.shape, fact.cell) or ()
    where = tuple(sorted(puzzle.board.at(cell) for cell in cells))
    return DeadlockPart(
        puzzle.piece_names.get((fact.class_id, fact.cell), piece.label or piece.kind), where
    )


def _excerpt(dead: DeadCubes, state: int, found: Argument, position: Position) -> Position | None:
    """The position with only the pieces that the argument is about; None if the argument names no pieces or is about
    variables.
    """
    facts = found.pieces
    if found.depends_on_agent:
        facts |= state & dead.view.agent
    named = [dead.view.task.facts[fact] for fact in facts_in(facts)]
    if not named or any(fact.slot >= 0 for fact in named):
        return None
    spots = frozenset((fact.class_id, fact.cell) for fact in named)
    return Position(position.puzzle, spots & position.pieces, position.values)


def _drawing(position: Position) -> list[str]:
    return draw(position, position.puzzle.labels)

"""LURD writes the moves of one agent as letters: `l u r d` for steps, and `L U R D` for steps in which the agent moves
something.

LURD can express the plans of any puzzle in which every rule moves the same single piece by one cell: Sokoban, and
variants in which the agent pulls, or pushes two boxes.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Any, TypeAlias

from fewest.errors import UsageError
from fewest.model.answer import counted, format_cost, single
from fewest.model.board import Direction, direction_of
from fewest.model.position import Position, start
from fewest.model.puzzle import Puzzle
from fewest.model.rules import Form, Pattern
from fewest.playing.move import Move
from fewest.playing.plan import Plan
from fewest.playing.price import cost_of
from fewest.playing.replay_result import ReplayResult
from fewest.playing.rules import is_goal, legal_moves

LETTERS = {"left": "l", "up": "u", "right": "r", "down": "d"}
MAX_LETTERS = 1_000_000

_MOST_POSITIONS = 1_000  # the maximum number of positions that one text may describe, if its letters are ambiguous

_Chain: TypeAlias = "tuple[_Chain, Move] | None"
"""The moves that lead to a position: the moves before the last one, and the last move."""

_TOKEN = re.compile(r"\s+|\d+|[lurdLURD()]")


def agent(puzzle: Puzzle) -> int | None:
    """The class of the single piece that every rule moves by one cell; None if there is no such piece."""
    classes = [piece.class_id for piece in puzzle.pieces]
    for class_id in classes:
        if classes.count(class_id) == 1 and all(
            isinstance(rule, Pattern)
            and not rule.goes_on
            and all(o.direction.name in LETTERS for o in rule.orientations)
            and len({_step(puzzle, form, class_id) for form in rule.forms} | {0}) == 2
            for rule in puzzle.rules
        ):
            return class_id
    return None


def some_agent(puzzle: Puzzle, *, hint: str) -> int:
    """The class of the agent. Raises UsageError with the given hint if the puzzle has no agent."""
    class_id = agent(puzzle)
    if class_id is None:
        raise UsageError(
            f"the moves of {puzzle.name} cannot be written as letters, because no piece is the agent",
            hint=hint,
        )
    return class_id


def _step(puzzle: Puzzle, form: Form, class_id: int) -> int:
    """The direction in which a pattern moves the agent: 1 along the pattern, -1 against it, 0 if the pattern does not
    move the agent.
    """
    return next(
        (
            target - source
            for source, target in form.carried
            if abs(source - target) == 1
            and [
                c.id for c in puzzle.classes if any(map(c.answers_to, form.elements[source].words))
            ]
            == [class_id]
        ),
        0,
    )


def lurd(plan: Plan) -> str | None:
    """The plan as letters; None if the puzzle has no agent."""
    class_id = agent(plan.start.puzzle)
    if class_id is None:
        return None
    steps = (step.move for planned in plan.moves for step in planned.steps)
    return "".join(_letter(move, class_id) for move in steps)


def _letter(move: Move, class_id: int) -> str:
    letter = LETTERS[_direction(move, class_id).name]
    return letter.upper() if _is_push(move, class_id) else letter


def _is_push(move: Move, class_id: int) -> bool:
    """Whether the agent itself moves or removes something, not counting consequences."""
    own = move.alone
    return any(source[0] != class_id for source, _ in own.moved) or bool(own.removed)


def _direction(move: Move, class_id: int) -> Direction:
    """The direction of the agent's own move. Consequences may move the agent further after this move. If a pattern
    points against the agent's direction, the agent pulls.
    """
    own = move.alone
    assert own.direction is not None, "an agent's patterns are lines"
    (_, before), (_, after) = next(pair for pair in own.moved if pair[0][0] == class_id)
    down, right = own.direction.offset
    if own.target.board.step(before, (down, right)) == after:
        return own.direction
    return direction_of((-down, -right))


class PlayedLetters(ReplayResult, frozen=True, kw_only=True):
    """The result of replaying a plan that is given as letters; `pushes` is the number of its moves in which the agent
    moves something.
    """

    pushes: int

    def to_json(self) -> dict[str, Any]:
        """Plain data, as `--json` prints it."""
        return super().to_json() | {"pushes": self.pushes}

    def _counted(self) -> str:
        return f"{counted(self.moves, 'moves')}, including {counted(self.pushes, 'pushes')}"

    def _costs(self) -> list[str]:
        return [f"{name} {format_cost(single(cost))}" for name, cost in self.costs.items()]


def verify(puzzle: Puzzle, text: str) -> PlayedLetters:
    """Replay a plan that is given as letters.

    The text may be run-length encoded, as in `3r2(uL)`. The case of a letter matters only if both a step and a push are
    possible. If several rules allow different moves for a letter, some choice of these moves must lead to a goal
    position. Raises UsageError if the puzzle has no agent, or if the text is not LURD or too long.
    """
    hint = "LURD is for puzzles in which every rule moves the same single piece by one cell"
    class_id = some_agent(puzzle, hint=hint)
    first = start(puzzle)
    chains: dict[Position, _Chain] = {first: None}
    problem = ""
    for number, letter in enumerate(unpacked(text), 1):
        following: dict[Position, _Chain] = {}
        for here, chain in chains.items():
            found = [(_letter(move, class_id), move) for move in legal_moves(here)]
            exact = [move for own, move in found if own == letter]
            similar = [move for own, move in found if own.lower() == letter.lower()]
            for move in exact or similar:
                following.setdefault(move.target, (chain, move))
        if not following:
            problem = f"letter {number}, `{letter}`: the way is blocked"
            break
        chains = dict(islice(following.items(), _MOST_POSITIONS))
    solved = next((here for here in chains if is_goal(here)), None)
    if not problem and solved is None:
        problem = "all letters were played, but the last position is not a goal position"
    position = next(iter(chains)) if problem or solved is None else solved
    played = _moves_of(chains[position])
    return PlayedLetters(
        moves=len(played),
        pushes=sum(_is_push(move, class_id) for move in played),
        position=position,
        problem=problem,
        costs={name: cost_of(metric, played) for name, metric in puzzle.metrics.items()},
    )


def _moves_of(chain: _Chain) -> list[Move]:
    moves: list[Move] = []
    while chain is not None:
        chain, move = chain
        moves.append(move)
    return moves[::-1]


def unpacked(text: str) -> str:
    """The text as letters only, without run-length encoding. Raises UsageError if the text is not LURD, or has more
    than MAX_LETTERS letters without the encoding.
    """
    stack: list[tuple[str, int]] = []
    letters, count, at = "", "", 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise UsageError(
                f"`{text[at]}`, character {at + 1} of the plan, is not a letter of LURD",
                hint="use l, u, r and d for steps, and L, U, R and D for pushes",
            )
        token, at = match[0], match.end()
        if token.isspace():
            continue
        if token.isdigit():
            count = token[:7]
            continue
        times = int(count or 1)
        count = ""
        if token == "(":
            stack.append((letters, times))
            letters = ""
            continue
        if token == ")":
            if not stack:
                raise UsageError("a `)` of the plan has no matching `(`")
            outer, times = stack.pop()
            token, letters = letters, outer
        if len(letters) + len(token) * times > MAX_LETTERS:
            raise UsageError(f"the plan has more than {MAX_LETTERS:,} letters")
        letters += token * times
    if stack or count:
        raise UsageError(
            "a `(` of the plan has no matching `)`"
            if stack
            else f"nothing follows the run length {count} of the plan"
        )
    return letters

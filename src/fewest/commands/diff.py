"""Compares two rule sets on one board, or two boards, and finds the moves and positions that only one of them allows.

The reference interpreter plays both puzzles, position by position, so every difference in moves and positions comes
from the rules and not from an engine. Positions of the two puzzles are the same if the boards have the same size and
walls, the same pieces are in the same places, and variables with the same names have the same values.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from fewest.commands.api import CompiledPuzzle, load
from fewest.drawing.text import draw
from fewest.errors import UsageError
from fewest.formats.plain import written
from fewest.formats.stand_alone import own_tree, plain_values
from fewest.model.answer import counted, format_cost
from fewest.model.position import Position, start, start_at
from fewest.playing.plan_parser import labelled_start
from fewest.playing.replay import Subjects
from fewest.playing.rules import is_goal, legal_moves
from fewest.playing.step import phrase
from fewest.reading.loader import load_document
from fewest.reading.puzzle import read_puzzle

if TYPE_CHECKING:
    from fewest.model.answer import Cost
    from fewest.model.puzzle import Puzzle
    from fewest.playing.plan import Plan

# the maximum number of positions of each puzzle to play, at about 0.2 ms each
_MOST_POSITIONS = 20_000

Key = tuple[frozenset[tuple[str, str, object, int]], frozenset[tuple[str, object]], object]


class Side(Struct, frozen=True):
    """The figures for one puzzle. `minimum` is None if the puzzle is unsolvable or has no goal, or if its minimum is
    unknown (see `status`).
    """

    name: str
    status: str
    minimum: Cost | None
    num_plans: int | None
    num_positions: int
    num_dead: int | None
    reason: str | None = None
    """the limit that ended the search for these figures, if any"""


class FirstDifference(Struct, frozen=True):
    """The position nearest to the start where the puzzles differ: either their moves differ, or the goal holds in only
    one of them.

    If the puzzles agree on all played positions that they share, this is the first difference on a plan of one of them
    (`is_on_plan`). Positions that were not played may then differ after fewer moves.
    """

    number_of_moves: int
    drawing: tuple[str, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    goal: tuple[bool, bool]
    is_on_plan: bool = False


class RuleDifference(Struct, frozen=True):
    """The comparison of two puzzles. The numbers of positions and moves are exact unless `is_partial` is true."""

    metric: str
    first: Side
    second: Side
    num_common: int
    removed_positions: int
    added_positions: int
    removed_moves: int
    added_moves: int
    difference: FirstDifference | None
    have_same_start: bool
    is_partial: bool
    seconds: float

    @property
    def is_different(self) -> bool:
        """Whether any difference was found. Suppose that the starts and the moves of all common positions are the same.
        Then a position that was played in only one puzzle does not show a difference: it exists only if some positions
        were not played, and the other puzzle may reach it through them.
        """
        return self.difference is not None or not self.have_same_start or self._are_minima_different

    @property
    def _are_minima_different(self) -> bool:
        """Whether both minima are known and different. If all positions were played and show no difference, the metrics
        count the moves differently.
        """
        sides = (self.first, self.second)
        is_known = all(side.status in ("optimal", "unsolvable") for side in sides)
        return is_known and self.first.minimum != self.second.minimum

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C ended a search for the figures."""
        return "interrupted" in (self.first.reason, self.second.reason)

    def to_json(self) -> dict[str, Any]:
        """Plain data, as `--json` prints it."""
        at = self.difference
        return {
            "metric": self.metric,
            "different": self.is_different,
            "partial": self.is_partial,
            "sides": [
                {
                    "name": side.name,
                    "status": side.status,
                    "minimum": side.minimum,
                    "plans": side.num_plans,
                    "positions": side.num_positions,
                    "dead": side.num_dead,
                }
                for side in (self.first, self.second)
            ],
            "common_positions": self.num_common,
            "removed_positions": self.removed_positions,
            "added_positions": self.added_positions,
            "removed_moves": self.removed_moves,
            "added_moves": self.added_moves,
            "first_difference": None
            if at is None
            else {
                "after_moves": at.number_of_moves,
                "position": list(at.drawing),
                "removed_moves": list(at.only_first),
                "added_moves": list(at.only_second),
                "goal": list(at.goal),
                "on_plan": at.is_on_plan,
            },
            "seconds": self.seconds,
        }


class _Played(Struct, frozen=True):
    """The positions played, in breadth-first order, each with its distance from the start and its successors."""

    positions: dict[Key, Position]
    depth: dict[Key, int]
    following: dict[Key, frozenset[Key]]
    is_whole: bool


def diff(
    first: CompiledPuzzle,
    second: CompiledPuzzle,
    metric: str | None = None,
    *,
    most: int = _MOST_POSITIONS,
    seconds: float | None = None,
    memory: int | None = None,
) -> RuleDifference:
    """Compare two puzzles, playing up to `most` positions of each.

    `seconds` and `memory` limit each search for a minimum or for figures. `metric` defaults to the first metric that
    both puzzles have. Raises UsageError if the puzzles have no metric in common, or if a puzzle with a goal does not
    have `metric`.
    """
    began = time.perf_counter()
    named = metric or next((name for name in first.metrics if name in second.metrics), None)
    if named is None:
        raise UsageError(
            f"{first.puzzle.name} and {second.puzzle.name} have no metric in common",
            hint="; ".join(
                f"the metrics of {one.puzzle.name} are {', '.join(one.metrics)}"
                for one in (first, second)
            ),
        )
    pair = _with_the_same_letters(first, second)
    played = [_play(one, most) for one in pair]
    one, other = played
    common = [key for key in one.positions if key in other.positions]
    removed = sum(len(one.following[key] - other.following[key]) for key in common)
    gained = sum(len(other.following[key] - one.following[key]) for key in common)
    differing = next(
        (
            key
            for key in common
            if one.following[key] != other.following[key]
            or is_goal(one.positions[key]) != is_goal(other.positions[key])
        ),
        None,
    )
    answered = [
        _side(compiled, found, named, seconds, memory)
        for compiled, found in zip((first, second), played, strict=True)
    ]
    names = _names(first.puzzle, second.puzzle)
    sides = [replace(side, name=name) for (side, _), name in zip(answered, names, strict=True)]
    have_same_start = len({_key(start(compiled.puzzle)) for compiled in pair}) == 1
    difference: FirstDifference | None = None
    if differing is not None:
        difference = _first(*pair, _pair(one, other, differing), one.depth[differing])
    elif have_same_start:  # otherwise, a plan leads through different positions of the two puzzles
        paths = (_path(plan) for _, plan in answered if plan is not None)
        difference = next(
            (found for path in paths if (found := _along(*pair, *path)) is not None), None
        )
        if difference is not None:
            difference = replace(difference, is_on_plan=True)
    return RuleDifference(
        metric=named,
        first=sides[0],
        second=sides[1],
        num_common=len(common),
        removed_positions=len(one.positions) - len(common),
        added_positions=len(other.positions) - len(common),
        removed_moves=removed,
        added_moves=gained,
        difference=difference,
        have_same_start=have_same_start,
        is_partial=not (one.is_whole and other.is_whole),
        seconds=time.perf_counter() - began,
    )


def with_model(puzzle: str, model: str) -> CompiledPuzzle:
    """The puzzle with the rules of another model. Raises NotFoundError if there is no such puzzle or model, and
    DocumentError if the rules do not fit the board of the puzzle.
    """
    document = load_document(puzzle)
    data = {
        key: plain_values(node)
        for key, node in own_tree(document).items.items()
        if key not in ("expect", "tests")
    }
    name = f"{document.document.puzzle}-{model}"
    return load(f"{name}.yaml", text=written({**data, "puzzle": name, "model": model}))


def _with_the_same_letters(
    first: CompiledPuzzle, second: CompiledPuzzle
) -> tuple[CompiledPuzzle, CompiledPuzzle]:
    """Both puzzles, with the same starts, rules and goals; the letters that only one of them distinguishes are
    distinguished in both, because the positions could not be compared otherwise.
    """
    each = [_letters_of(compiled.puzzle) for compiled in (first, second)]
    letters = each[0] | each[1]
    one, other = (
        compiled if own == letters else _with_letters(compiled, letters)
        for own, compiled in zip(each, (first, second), strict=True)
    )
    return one, other


def _with_letters(compiled: CompiledPuzzle, letters: frozenset[str]) -> CompiledPuzzle:
    """The puzzle, with a class of its own for each of these letters."""
    assert compiled.document is not None, "made by `load`"
    own = compiled.puzzle
    puzzle = read_puzzle(compiled.document, own.parameters, letters)
    class_of = {
        (c.kind, c.shape, c.label, c.member): c.id for c in puzzle.classes if c.label in letters
    }
    rest = {(c.kind, c.shape, c.label, c.member): c.id for c in puzzle.classes}
    pieces = []
    for piece in own.pieces:
        old = own.classes[piece.class_id]
        named = class_of.get((old.kind, old.shape, piece.label, old.member))
        if named is None:
            named = rest[old.kind, old.shape, old.label, old.member]
        pieces.append(replace(piece, class_id=named))
    moved = replace(puzzle, pieces=tuple(pieces), variables=own.variables)
    return CompiledPuzzle(moved, compiled.document)


def _letters_of(puzzle: Puzzle) -> frozenset[str]:
    """The letters that the classes of a puzzle distinguish."""
    return frozenset(filter(None, _letters_of_classes(puzzle)))


@lru_cache(maxsize=4)
def _letters_of_classes(puzzle: Puzzle) -> tuple[str, ...]:
    """For each class, the letter of its pieces; empty if they can have different letters or have none."""
    drawn = {puzzle.classes[piece.class_id].family: piece.label for piece in puzzle.pieces}
    found: list[str] = []
    for piece in puzzle.classes:
        letter = piece.label or ("" if piece.member is None else drawn.get(piece.family, ""))
        found.append("" if letter == piece.kind else letter)
    return tuple(found)


def _play(compiled: CompiledPuzzle, most: int) -> _Played:
    """Play the first `most` positions in breadth-first order; every position in the result is expanded."""
    first = start(compiled.puzzle)
    key = _key(first)
    # most moves lead to a known position; this map avoids computing the key of such a position again
    keys = {first: key}
    positions: dict[Key, Position] = {}
    depth = {key: 0}
    following: dict[Key, frozenset[Key]] = {}
    waiting = [(key, first)]
    for here, position in waiting:
        if len(positions) == most:
            return _Played(positions, depth, following, is_whole=False)
        positions[here] = position
        found: set[Key] = set()
        for move in legal_moves(position):
            target = keys.get(move.target)
            if target is None:
                target = keys[move.target] = _key(move.target)
            found.add(target)
            if target not in depth:
                depth[target] = depth[here] + 1
                waiting.append((target, move.target))
        following[here] = frozenset(found)
    return _Played(positions, depth, following, is_whole=True)


def _key(position: Position, letters: frozenset[str] | None = None) -> Key:
    """A key for comparing positions of the two puzzles. `letters`: the letters to distinguish; None means all."""
    puzzle = position.puzzle
    letter_of = _letters_of_classes(puzzle)
    pieces = frozenset(
        (piece.kind, letter if letters is None or letter in letters else "", piece.shape, anchor)
        for class_id, anchor in position.pieces
        for piece, letter in [(puzzle.classes[class_id], letter_of[class_id])]
    )
    names = (variable.name for variable in puzzle.variables)
    board = puzzle.board
    size = None if board is None else (board.rows, board.columns, board.walls)
    return pieces, frozenset(zip(names, position.values, strict=True)), size


def _names(first: Puzzle, second: Puzzle) -> tuple[str, str]:
    """Different names for two puzzles: the names of their files if the puzzles have the same name."""
    for one, other in ((first.name, second.name), (first.file, second.file)):
        if one != other:
            return one, other
    return f"the first {first.name}", f"the second {second.name}"


def _side(
    compiled: CompiledPuzzle,
    played: _Played,
    metric: str,
    seconds: float | None,
    memory: int | None,
) -> tuple[Side, Plan | None]:
    """The figures for one puzzle, computed by the engines, and its plan if not all positions were played."""
    name, own = compiled.puzzle.name, _letters_of(compiled.puzzle)
    # the positions that the puzzle itself distinguishes
    size = len({_key(position, own) for position in played.positions.values()})
    if compiled.puzzle.goal is None:
        return Side(name, "no goal", None, None, size, None), None
    if not played.is_whole:
        result = compiled.solve(metric, seconds=seconds, memory=memory)
        minimum = result.cost if result.status == "optimal" else None
        side = Side(name, result.status, minimum, None, size, None, result.reason)
        return side, result.plan
    exploration = compiled.explore(metric, seconds=seconds, memory=memory)
    status = "limit" if exploration.reason is not None else "optimal"
    if status == "optimal" and exploration.minimum is None:
        status = "unsolvable"
    dead = None if exploration.goal_distances is None else exploration.goal_distances.num_dead
    return Side(
        name, status, exploration.minimum, exploration.num_plans, size, dead, exploration.reason
    ), None


class _Pair(Struct, frozen=True):
    """A position that occurs in both puzzles, and its successors in each."""

    here: Position
    there: Position
    after_here: frozenset[Key]
    after_there: frozenset[Key]

    @property
    def is_different(self) -> bool:
        return self.after_here != self.after_there or is_goal(self.here) != is_goal(self.there)


def _pair(one: _Played, other: _Played, key: Key) -> _Pair:
    here, there = one.positions[key], other.positions[key]
    return _Pair(here, there, one.following[key], other.following[key])


def _path(plan: Plan) -> tuple[list[Key], frozenset[str]]:
    """The positions after the moves of a plan, and the letters that they distinguish."""
    letters = _letters_of(plan.start.puzzle)
    return [_key(move.position, letters) for move in plan.moves], letters


def _along(
    first: CompiledPuzzle, second: CompiledPuzzle, path: list[Key], letters: frozenset[str]
) -> FirstDifference | None:
    """The first difference along a path that is played in both puzzles; None if no difference is found."""
    here, there = start(first.puzzle), start(second.puzzle)
    for number, wanted in enumerate([*path, None]):
        nexts = [
            {_key(move.target): move.target for move in legal_moves(position)}
            for position in (here, there)
        ]
        pair = _Pair(here, there, frozenset(nexts[0]), frozenset(nexts[1]))
        if pair.is_different:
            return _first(first, second, pair, number)
        after = (key for key, target in nexts[0].items() if _key(target, letters) == wanted)
        following = next(after, None)
        if following is None:
            # the plan has ended, or it cannot be played further, because this move of the metric has several steps
            return None
        here, there = nexts[0][following], nexts[1][following]
    return None


def _first(
    first: CompiledPuzzle, second: CompiledPuzzle, pair: _Pair, number_of_moves: int
) -> FirstDifference:
    removed, gained = pair.after_here - pair.after_there, pair.after_there - pair.after_here
    return FirstDifference(
        number_of_moves,
        tuple(draw(pair.here)),
        tuple(_moves(first, pair.here, removed)),
        tuple(_moves(second, pair.there, gained)),
        (is_goal(pair.here), is_goal(pair.there)),
    )


def _moves(compiled: CompiledPuzzle, position: Position, targets: frozenset[Key]) -> Iterator[str]:
    """The moves from a position to any of `targets`, as text."""
    puzzle = start_at(compiled.puzzle, position)
    phrases: set[str] = set()
    for step, labelled in labelled_start(puzzle).steps(Subjects(puzzle)):
        if _key(labelled.position) in targets and (words := phrase([step])) not in phrases:
            phrases.add(words)
            yield words


def lines_of(difference: RuleDifference) -> Iterator[str]:
    """The comparison as text."""
    at_least = "at least " if difference.is_partial else ""
    for side in (difference.first, difference.second):
        minimum = side.status if side.minimum is None else counted(side.minimum, difference.metric)
        more = f"{at_least}{counted(side.num_positions, 'positions')}"
        if side.num_plans is not None:
            more += f", {_number(side.num_plans, 'optimal plan')}"
        if side.num_dead is not None:
            more += f", {_number(side.num_dead, 'dead position')}"
        yield f"  {side.name}: {minimum}; {more}"
    alone = f"{difference.removed_positions:,} only in the first, {difference.added_positions:,} only in the second"
    played = " that were played" if difference.is_partial else ""
    yield f"  positions{played}: {difference.num_common:,} in both, {alone}"
    yield (
        f"  moves in common positions{played}: {difference.removed_moves:,} removed, {difference.added_moves:,} added"
    )
    at = difference.difference
    if at is None:
        if difference.is_different:
            yield f"  no first difference to draw: {_why_none(difference)}"
        return
    yield ""
    on_plan = " on a plan" if at.is_on_plan else ""
    yield f"the first difference{on_plan}, after {counted(at.number_of_moves, 'moves')}:"
    yield ""
    yield from at.drawing
    yield ""
    for side, moves in ((difference.first, at.only_first), (difference.second, at.only_second)):
        if moves:
            yield f"only in {side.name}: {', '.join(moves)}"
    if at.goal[0] != at.goal[1]:
        yield f"it is a goal only in {(difference.first if at.goal[0] else difference.second).name}"


def _why_none(difference: RuleDifference) -> str:
    """The reason why two different puzzles have no first difference."""
    played = " that was played" if difference.is_partial else ""
    if not difference.num_common:
        return f"no position{played} is in both puzzles"
    if difference.have_same_start and not difference.is_partial:
        return (
            f"the puzzles count `{difference.metric}` differently; "
            "every position has the same moves and the same goal"
        )
    if difference.have_same_start:
        return "the minima differ, but every position in both that was played has the same moves and the same goal"
    return f"the starts differ, and every position in both{played} has the same moves and the same goal"


def _number(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def table_of(differences: Sequence[RuleDifference]) -> Iterator[str]:
    """Several comparisons, one per line: both minima, and the numbers of removed and added moves."""
    width = max((len(one.first.name) for one in differences), default=0)
    for one in differences:
        minima = " → ".join(_minima(one))
        moves = f"{counted(one.removed_moves, 'moves')} removed, {one.added_moves:,} added"
        yield f"  {one.first.name:<{width}}  {minima}; {moves}"


def _minima(difference: RuleDifference) -> Iterator[str]:
    """Both minima; only the last number has a unit."""
    first, second = difference.first, difference.second
    for side in (first, second):
        if side.minimum is None:
            yield side.status
        elif side is first and second.minimum is not None:
            yield format_cost(side.minimum)
        else:
            yield counted(side.minimum, difference.metric)


def heading(difference: RuleDifference) -> str:
    """The comparison in one line."""
    names = f"{difference.first.name} and {difference.second.name}"
    if difference.is_different:
        return f"{names} differ"
    return f"{names}: no difference in {counted(difference.num_common, 'positions')}" + (
        ", which are not all positions" if difference.is_partial else ", which are all positions"
    )

"""All boards that differ from a puzzle by one change, with their minima."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, get_args

from msgspec import Struct

from fewest.commands.changes import (
    Part,
    PuzzleToChange,
    Refusals,
    Refused,
    TooLargeError,
    Variation,
    neighbours,
    refusal_lines,
)
from fewest.commands.limited import uninterrupted
from fewest.commands.solve import less, solve
from fewest.commands.texts import texts
from fewest.drawing.text import draw
from fewest.errors import Exit, UsageError, listed, no_goal
from fewest.formats.stand_alone import UndrawableError
from fewest.model.answer import Cost, Limits, Trial, counted, format_cost, limit_words
from fewest.model.board import GRAPH
from fewest.model.position import Position, start
from fewest.model.puzzle import Piece, Puzzle
from fewest.reading.loader import LoadedDocument

ChangeKind = Literal[
    "remove-wall", "add-wall", "move-wall", "remove-piece", "add-piece", "move-piece"
]
CHANGES: tuple[ChangeKind, ...] = get_args(ChangeKind)
Status = Literal["optimal", "unsolvable", "limit", "undrawn", "invalid"]
_ORDER: dict[str, int] = {"optimal": 0, "limit": 1, "unsolvable": 2, "undrawn": 3, "invalid": 4}


class Change(Struct, frozen=True):
    """One change: a part is removed, a part is added, or both."""

    kind: ChangeKind
    removed: Part | None
    added: Part | None
    variation: Variation

    def __str__(self) -> str:
        if self.removed is None:
            return f"add {self.added}"
        if self.added is None:
            return f"remove {self.removed}"
        return f"move {self.removed} to {self.added.cells[0]}"


class VariedBoard(Struct, frozen=True):
    """A board that differs from the puzzle by one change. `minimum` is None if the board is unsolvable or its minimum
    is unknown (see `status`). `position` is the start of the board, and `document` is the text of its document. Both
    are None if the change makes the puzzle invalid (`refused` is the reason), if no document can describe the board
    (`undrawn`), or if the board exceeds a size limit.
    """

    change: Change
    status: Status
    minimum: Cost | None
    reason: str | None
    position: Position | None
    document: str | None = None
    refused: Refused | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        removed, added = self.change.removed, self.change.added
        return {
            "change": self.change.kind,
            "text": str(self.change),
            "removed": None if removed is None else removed.to_json(),
            "added": None if added is None else added.to_json(),
            "status": self.status,
            "minimum": self.minimum,
            "code": None if self.refused is None else self.refused.code,
            "message": None if self.refused is None else self.refused.message,
            "board": None if self.position is None else _drawing(self.position),
        }

    def cells(self) -> dict[str, Any]:
        """The board as a row of a table."""
        cost = "" if self.minimum is None else format_cost(self.minimum).replace(",", "")
        board = "" if self.position is None else "/".join(_drawing(self.position))
        return {
            "change": self.change.kind,
            "text": str(self.change),
            "status": self.status,
            "minimum": cost,
            "board": board,
        }


class Variations(Struct, frozen=True):
    """The boards that differ from the puzzle by one change, hardest first.

    `num_changes` is the number of changes; if some boards were omitted because of a limit, `reason` names the limit.
    """

    puzzle: str
    title: str
    metric: str
    status: str
    minimum: Cost | None
    boards: tuple[VariedBoard, ...]
    num_changes: int
    reason: str | None
    seconds: float

    @property
    def exit_code(self) -> Exit:
        """The exit code, which shows whether all boards were decided."""
        is_open = self.reason is not None or any(one.status == "limit" for one in self.boards)
        return Exit.LIMIT if is_open else Exit.ANSWERED

    def summary(self) -> str:
        """The answer in one line."""
        own = "minimum not known" if self.status == "limit" else self.status
        if self.minimum is not None:
            own = counted(self.minimum, self.metric)
        solved = [one for one in self.boards if one.status == "optimal"]
        puzzles = sum(one.status not in ("invalid", "undrawn") for one in self.boards)
        text = f"{self.title}: {own}; {len(solved):,} of {counted(puzzles, 'boards')} one change away can be solved"
        if solved and solved[0].minimum is not None:
            text += f", in at most {counted(solved[0].minimum, self.metric)}"
        undecided = sum(one.status == "limit" for one in self.boards)
        if undecided:
            text += f"; {undecided:,} not decided"
        undrawn = sum(one.status == "undrawn" for one in self.boards)
        if undrawn:
            text += f"; {undrawn:,} not tried, because no document describes them"
        if self.reason is not None:
            stop = limit_words(self.reason)
            text += f" ({stop}: {len(self.boards):,} of {self.num_changes:,} were tried)"
        return text

    def lines(self) -> Iterator[str]:
        """The valid boards, one per line, the reasons for invalid ones, and a drawing of the hardest board."""
        width = max((len(str(one.change)) for one in self.boards), default=0)
        for one in self.boards:
            if one.status not in ("invalid", "undrawn"):
                minimum = one.status if one.minimum is None else counted(one.minimum, self.metric)
                yield f"  {one.change!s:<{width}}  {minimum}"
        refusals = Refusals()
        for one in self.boards:
            if one.refused is not None:
                refusals.add(one.refused)
        for line in refusal_lines(refusals.all(), "changes"):
            yield f"  {line}"
        first = next((one for one in self.boards if one.status == "optimal"), None)
        if first is not None and first.position is not None:
            yield ""
            yield f"the hardest, {first.change}:"
            yield ""
            yield from _drawing(first.position)

    def to_json(self) -> dict[str, Any]:
        """Plain data, as `--json` prints it."""
        return {
            "puzzle": self.puzzle,
            "title": self.title,
            "metric": self.metric,
            "status": self.status,
            "minimum": self.minimum,
            "changes": self.num_changes,
            "reason": self.reason,
            "boards": [one.to_json() for one in self.boards],
            "seconds": self.seconds,
        }


def changes_of(work: PuzzleToChange, kinds: str | Sequence[str] = CHANGES) -> list[Change]:
    """All changes of these kinds; if several lead to the same board, the result contains only the first.

    Changes that lead to the original board are omitted. A wall or piece moves by one cell. A new piece has the class of
    some piece on the board, except a piece that a rule or the goal names. Raises UsageError for an unknown kind or a
    puzzle without a board.
    """
    kinds = texts(kinds)
    unknown = next((kind for kind in kinds if kind not in CHANGES), None)
    if unknown is not None:
        raise UsageError(
            f"there is no kind of change `{unknown}`", hint=listed("kind of change", CHANGES)
        )
    if work.puzzle.board is None:
        raise UsageError(f"{work.puzzle.name} has no board to change")
    seen = {_key(work.unchanged)}
    changes: list[Change] = []
    for change in _all_changes(work):
        key = _key(change.variation)
        if change.kind in kinds and key not in seen:
            seen.add(key)
            changes.append(change)
    return changes


def _key(variation: Variation) -> object:
    return variation.walls, frozenset((one.class_id, one.anchor) for one in variation.pieces)


def _all_changes(work: PuzzleToChange) -> Iterator[Change]:
    whole, puzzle = work.unchanged, work.puzzle
    board = puzzle.board
    assert board is not None
    free = [cell for cell in board.floors if cell not in start(puzzle).occupied]
    if board.geometry != GRAPH:
        for wall in work.walls:
            yield Change("remove-wall", wall, None, work.without([wall]))
        for cell in free:
            added = Part("wall", "wall", (board.at(cell),), cell)
            walls = whole.walls | {cell}
            yield Change("add-wall", None, added, Variation(walls, whole.pieces))
        for wall in work.walls:
            for cell in neighbours(puzzle, wall.cell):
                if cell in free:
                    added = Part("wall", "wall", (board.at(cell),), cell)
                    walls = whole.walls - {wall.cell} | {cell}
                    yield Change("move-wall", wall, added, Variation(walls, whole.pieces))
    for part in work.pieces:
        yield Change("remove-piece", part, None, work.without([part]))
    models = {one.class_id: one for one in reversed(whole.pieces)}
    for class_id, model in sorted(models.items()):
        named = puzzle.classes[class_id]
        if named.label is None and named.member is None:
            for anchor in range(board.num_cells):
                if _fits(puzzle, whole.pieces, class_id, anchor):
                    new = Piece(class_id, anchor, model.label, model.name)
                    pieces = (*whole.pieces, new)
                    yield Change(
                        "add-piece", None, work.part_of(new), Variation(whole.walls, pieces)
                    )
    for piece, part in zip(whole.pieces, work.pieces, strict=True):
        others = tuple(one for one in whole.pieces if one is not piece)
        for anchor in neighbours(puzzle, piece.anchor):
            if _fits(puzzle, others, piece.class_id, anchor):
                new = Piece(piece.class_id, anchor, piece.label, piece.name)
                moved = tuple(new if one is piece else one for one in whole.pieces)
                yield Change("move-piece", part, work.part_of(new), Variation(whole.walls, moved))


def _fits(puzzle: Puzzle, pieces: Sequence[Piece], class_id: int, anchor: int) -> bool:
    """Whether a piece of a class fits at `anchor` and no other piece of its layer covers its cells."""
    cells = puzzle.under[class_id, anchor]
    layer = puzzle.classes[class_id].layer
    taken = {
        cell
        for one in pieces
        if puzzle.classes[one.class_id].layer == layer
        for cell in puzzle.under[one.class_id, one.anchor]
    }
    return (
        bool(cells) and puzzle.classes[class_id].cells.issuperset(cells) and taken.isdisjoint(cells)
    )


def vary(
    document: LoadedDocument,
    puzzle: Puzzle,
    metric: str,
    *,
    kinds: str | Sequence[str] = CHANGES,
    each: float | None = None,
    limits: Limits | None = None,
    progress: Callable[[Any], None] | None = None,
    show: Callable[[VariedBoard], None] | None = None,
) -> Variations:
    """All boards that differ from the puzzle by one change, with their minima.

    `each`: the time limit in seconds for one board; `show` is called with each board as soon as it is decided. After a
    limit or Ctrl-C, the result contains the boards decided so far. Raises UsageError for an unknown metric or kind of
    change, and for a puzzle without a board or a goal.
    """
    if puzzle.goal is None:
        raise no_goal(puzzle.name)
    limits, began = limits or Limits(), time.perf_counter()
    work = PuzzleToChange(document, puzzle)
    changes = changes_of(work, kinds)
    reason: str | None = None
    status, minimum, boards = "limit", None, list[VariedBoard]()
    try:
        own_limits = _each(less(limits, began), each)
        own = uninterrupted(
            solve(puzzle, metric, limits=own_limits, audit="off", progress=progress)
        )
        status, minimum = own.status, own.cost if own.status == "optimal" else None
        for number, change in enumerate(changes):
            if progress is not None:
                seconds = time.perf_counter() - began
                progress(Trial(number, len(changes), "boards", seconds))
            left = less(limits, began)
            if left.seconds is not None and left.seconds <= 0:
                reason = "time"
                break
            boards.append(_decided(work, change, metric, _each(left, each)))
            if show is not None:
                show(boards[-1])
    except KeyboardInterrupt:
        reason = "interrupted"
    boards.sort(key=lambda one: (_ORDER[one.status], _negated(one.minimum)))
    return Variations(
        puzzle.name,
        puzzle.title,
        metric,
        status,
        minimum,
        tuple(boards),
        len(changes),
        reason,
        time.perf_counter() - began,
    )


def _decided(work: PuzzleToChange, change: Change, metric: str, limits: Limits) -> VariedBoard:
    try:
        other = work.drawn(change.variation)
    except UndrawableError:
        return VariedBoard(change, "undrawn", None, None, None)
    except TooLargeError:
        return VariedBoard(change, "limit", None, None, None)
    if isinstance(other, Refused):
        return VariedBoard(change, "invalid", None, None, None, refused=other)
    result = uninterrupted(solve(other.puzzle, metric, task=other.task, limits=limits, audit="off"))
    status: Status = "limit" if result.status == "solved" else result.status
    minimum = result.cost if status == "optimal" else None
    text = other.document.texts[0]
    return VariedBoard(change, status, minimum, result.reason, start(other.puzzle), text)


def _each(limits: Limits, each: float | None) -> Limits:
    if each is None or (limits.seconds is not None and limits.seconds <= each):
        return limits
    return Limits(each, limits.memory)


def _negated(cost: Cost | None) -> tuple[int, ...]:
    return () if cost is None else (-cost,) if isinstance(cost, int) else tuple(-c for c in cost)


def _drawing(position: Position) -> list[str]:
    return draw(position, position.puzzle.labels)

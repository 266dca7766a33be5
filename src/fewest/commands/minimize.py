"""Removes parts from a puzzle while its minimum stays the same, or its plan stays unique."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct

from fewest.commands.changes import (
    Changed,
    Part,
    PuzzleToChange,
    Refusals,
    Refused,
    RefusedNumber,
    TooLargeError,
    Variation,
    refusal_lines,
)
from fewest.commands.limited import uninterrupted
from fewest.commands.solutions import find_solutions
from fewest.commands.solve import less, solve
from fewest.drawing.text import draw
from fewest.errors import DocumentError, Exit, InternalError, TimeLimitError, UsageError, no_goal
from fewest.formats.plain import written
from fewest.formats.stand_alone import UndrawableError, own_tree, plain_values
from fewest.grounding.ground import ground
from fewest.model.answer import Cost, Limits, Trial, counted, limit_words
from fewest.model.metric import metric_of
from fewest.model.position import Position, start
from fewest.model.puzzle import Puzzle
from fewest.model.task import Cube, Task, facts_in
from fewest.reading.loader import LoadedDocument, load_document
from fewest.reading.puzzle import read_puzzle
from fewest.version import __version__

Keep = Literal["minimum", "unique", "both"]
SIDES = ("top", "bottom", "left", "right")


class Minimized(Struct, frozen=True):
    """A smaller puzzle that still has the minimum or the unique plan, as `keep` requires, and its `document`.

    `is_minimal`: whether no other single part can be removed; if it is false, a limit stopped the search, or left
    unknown whether a smaller puzzle still has the minimum or the unique plan. `trimmed` lists the sides at which
    unnecessary rows and columns were cut off, one side for each row or column. `refusals` counts the parts without
    which the puzzle is invalid. The cells in `removed` refer to the
    board before rows and columns were cut off.
    """

    puzzle: str
    title: str
    metric: str
    keep: str
    minimum: Cost
    removed: tuple[Part, ...]
    trimmed: tuple[str, ...]
    before: Position
    after: Position
    document: str
    is_minimal: bool
    num_tried: int
    num_open: int
    refusals: tuple[RefusedNumber, ...]
    reason: str | None
    seconds: float

    @property
    def exit_code(self) -> Exit:
        """The exit code, which shows whether the result is known to be minimal."""
        return Exit.ANSWERED if self.is_minimal else Exit.LIMIT

    def summary(self) -> str:
        """The answer in one line."""
        walls = sum(one.kind == "wall" for one in self.removed)
        pieces = len(self.removed) - walls
        removed = [
            f"{number:,} of its {noun}"
            for number, noun in ((pieces, "pieces"), (walls, "walls"))
            if number
        ]
        text = f"{self.title}: {self._property_text()}"
        if removed:
            text += f", without {' and '.join(removed)}"
        if self.trimmed:
            lines = "row or column" if len(self.trimmed) == 1 else "rows and columns"
            text += f", and {len(self.trimmed):,} {lines} smaller"
        if self.is_minimal:
            more = " more" if removed else ""
            return f"{text}; nothing{more} can be taken away"
        stop = (
            limit_words(self.reason)
            if self.reason
            else f"{counted(self.num_open, 'boards')} not decided"
        )
        return f"{text} ({stop}: more may be possible)"

    def _property_text(self) -> str:
        """What stayed the same; if only the plan must stay unique, the minimum may be another one."""
        cost = counted(self.minimum, self.metric)
        if self.keep == "minimum":
            return f"still {cost}"
        if self.keep == "both":
            return f"still {cost} and only one optimal plan"
        return f"still only one optimal plan, now of {cost}"

    def lines(self) -> Iterator[str]:
        """The removed parts, and the reasons why others cannot be removed."""
        if self.removed:
            yield f"without {', '.join(map(str, self.removed))}"
        yield from refusal_lines(self.refusals, "removals")

    def to_json(self) -> dict[str, Any]:
        """Plain data, as `--json` prints it."""
        return {
            "puzzle": self.puzzle,
            "title": self.title,
            "metric": self.metric,
            "keep": self.keep,
            "minimum": self.minimum,
            "removed": [one.to_json() for one in self.removed],
            "trimmed": list(self.trimmed),
            "before": draw(self.before, self.before.puzzle.labels),
            "after": draw(self.after, self.after.puzzle.labels),
            "document": self.document,
            "minimal": self.is_minimal,
            "tried": self.num_tried,
            "open": self.num_open,
            "invalid": [one.to_json() for one in self.refusals],
            "reason": self.reason,
            "seconds": self.seconds,
        }


def minimize(
    document: LoadedDocument,
    puzzle: Puzzle,
    task: Task,
    metric: str,
    *,
    keep: Keep = "minimum",
    limits: Limits | None = None,
    progress: Callable[[Any], None] | None = None,
) -> Minimized:
    """Remove pieces, walls, rows and columns, one after another, while the puzzle keeps the property `keep`.

    Rows and columns at the sides are cut off if the puzzle keeps the property without them. After every step, the
    document is written, read and solved again. After a limit or Ctrl-C, the result contains the steps so far. Raises
    UsageError if the metric is unknown, if the puzzle has no goal or no plan, or if its plan is not known to be unique
    although `keep` requires a unique plan. Raises TimeLimitError if no minimum is found.
    """
    if puzzle.goal is None:
        raise no_goal(puzzle.name)
    limits, began = limits or Limits(), time.perf_counter()
    search = _Search(document, puzzle, task, metric, keep, limits, progress)
    search.begin()
    reason: str | None = None
    try:
        search.run()
    except KeyboardInterrupt:
        reason = "interrupted"
    except _StoppedError as stop:
        reason = stop.reason
    return Minimized(
        puzzle=puzzle.name,
        title=puzzle.title,
        metric=metric,
        keep=keep,
        minimum=search.minimum,
        removed=tuple(search.removed),
        trimmed=tuple(search.trimmed),
        before=start(puzzle),
        after=start(search.work.puzzle),
        document=search.document(),
        is_minimal=reason is None and not search.num_open,
        num_tried=search.num_tried,
        num_open=search.num_open,
        refusals=search.refusals.all(),
        reason=reason,
        seconds=time.perf_counter() - began,
    )


class _StoppedError(Exception):
    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Search:
    """A search for parts to remove, and the puzzle after the steps so far."""

    def __init__(
        self,
        document: LoadedDocument,
        puzzle: Puzzle,
        task: Task,
        metric: str,
        keep: Keep,
        limits: Limits,
        progress: Callable[[Any], None] | None,
    ) -> None:
        self.work = PuzzleToChange(document, puzzle)
        self.task, self.metric, self.keep = task, metric, keep
        self.limits, self.progress = limits, progress
        self.began = time.perf_counter()
        self.minimum: Cost = 0
        self.removed: list[Part] = []
        self.trimmed: list[str] = []
        self.num_tried = self.num_open = 0
        self.refusals = Refusals()

    def begin(self) -> None:
        """Solve the puzzle in its original form. Raises UsageError if the puzzle does not have the property that it
        must keep, and TimeLimitError if no minimum is found.
        """
        puzzle = self.work.puzzle
        own = solve(
            puzzle,
            self.metric,
            task=self.task,
            limits=self._left(),
            audit="off",
            progress=self.progress,
        )
        if own.status != "optimal" or own.cost is None:
            if own.status == "unsolvable":
                raise UsageError(
                    f"{puzzle.name} is unsolvable", hint="run `fewest explain` to see why"
                )
            stop = limit_words(own.reason)
            raise TimeLimitError(f"the minimum of {puzzle.name} is unknown: {stop}")
        self.minimum = own.cost
        if self.keep != "minimum" and not self._is_unique(puzzle, self.task):
            raise UsageError(f"{puzzle.name} is not known to have only one optimal plan")

    def run(self) -> None:
        """Cut off rows and columns and remove parts until nothing more can be removed."""
        is_smaller = True
        while is_smaller:
            self.num_open, self.refusals = 0, Refusals()
            is_smaller = self._trim() or self._remove()

    def _remove(self) -> bool:
        """Remove every unnecessary part; pieces come first. Returns whether a part was removed."""
        tried: set[tuple[str, str, object]] = set()
        is_any = False
        while True:
            parts = [*self.work.pieces, *self.work.walls]
            rest = [one for one in parts if _key(one) not in tried]
            if not rest:
                return is_any
            part = rest[0]
            self._report(len(tried) + 1, len(tried) + len(rest))
            tried.add(_key(part))
            try:
                other = self.work.drawn(self.work.without([part]))
            except (UndrawableError, TooLargeError):
                self.num_open += 1
                continue
            if isinstance(other, Refused):
                self.refusals.add(other)
            elif self._has_same_answer(other):
                self._accept(other)
                self.removed.append(self._in_the_untrimmed_board(part))
                is_any = True

    def _trim(self) -> bool:
        """Cut off rows and columns at the sides. Returns whether a row or column was cut off."""
        is_any = False
        for side in SIDES:
            while (other := self._cut_off(side)) is not None and self._has_same_answer(other):
                self._accept(other)
                self.trimmed.append(side)
                is_any = True
        return is_any

    def _cut_off(self, side: str) -> Changed | None:
        """The puzzle without its outermost row or column; None if no puzzle is the same without it.

        If pieces could use the row or column, walls replace it first, because goals and rules may contain coordinates.
        """
        same = _trimmed(self.work, self.task, side)
        if same is not None:
            return same
        cells = _cells_at(self.work.puzzle, side)
        walls = self.work.unchanged.walls
        if not cells or walls.issuperset(cells):
            return None
        try:
            walled = self.work.drawn(Variation(walls | cells, self.work.puzzle.pieces))
        except (UndrawableError, TooLargeError):
            return None
        if isinstance(walled, Refused):
            return None
        return _trimmed(PuzzleToChange(walled.document, walled.puzzle), walled.task, side)

    def _in_the_untrimmed_board(self, part: Part) -> Part:
        down, right = self.trimmed.count("top"), self.trimmed.count("left")
        cells = tuple((row + down, column + right) for row, column in part.cells)
        return Part(part.kind, part.name, cells)

    def _accept(self, other: Changed) -> None:
        self.work, self.task = PuzzleToChange(other.document, other.puzzle), other.task

    def _left(self) -> Limits:
        return less(self.limits, self.began)

    def _report(self, number: int, total: int) -> None:
        if self.progress is not None:
            seconds = time.perf_counter() - self.began
            self.progress(Trial(number, total, "parts", seconds))
        if self.limits.seconds is not None and not self._left().seconds:
            raise _StoppedError("time")

    def _has_same_answer(self, other: Changed) -> bool:
        self.num_tried += 1
        result = uninterrupted(
            solve(other.puzzle, self.metric, task=other.task, limits=self._left(), audit="off")
        )
        if result.status in ("limit", "solved"):
            if result.reason == "time":
                raise _StoppedError("time")
            self.num_open += 1
            return False
        if result.status != "optimal":
            return False
        if self.keep != "unique" and result.cost != self.minimum:
            return False
        if self.keep != "minimum" and not self._is_unique(other.puzzle, other.task):
            return False
        assert result.cost is not None
        self.minimum = result.cost
        return True

    def _is_unique(self, puzzle: Puzzle, task: Task) -> bool:
        chosen = metric_of(task, self.metric)
        solutions = uninterrupted(find_solutions(puzzle, task, chosen, limits=self._left()))
        if solutions.is_unique is None:
            self.num_open += 1
        return solutions.is_unique is True

    def document(self) -> str:
        """The document, together with its answers. Raises InternalError if reading the document gives another task."""
        puzzle = self.work.puzzle
        name = puzzle.name.removesuffix("-minimal") + "-minimal"
        source = f"made from {puzzle.name} by fewest {__version__}"
        expect: dict[str, Any] = {
            self.metric: {"value": self.minimum, "source": f"computed: fewest {__version__}"}
        }
        if self.keep != "minimum":
            expect["unique"] = True
        text = self.work.text(
            self.work.unchanged,
            name,
            title=puzzle.title,
            metric=self.metric,
            expect=expect,
            source=source,
            notes=f"without the parts that do not affect its {'minimum' if self.keep == 'minimum' else 'only plan'}",
        )
        reread = read_puzzle(load_document(f"{name}.yaml", text=text), {})
        task = ground(reread)
        is_comparable = _has_only_operators(self.task)
        if is_comparable and not _is_same(self.task, task, self.work.puzzle, reread, (0, 0)):
            raise InternalError(f"{name} was written as another puzzle")
        return text


def _key(part: Part) -> tuple[str, str, object]:
    return part.kind, part.name, part.cells


# -- trimming ----------------------------------------------------------------------------------------


def _trimmed(work: PuzzleToChange, task: Task, side: str) -> Changed | None:
    """The puzzle without its outermost row or column, if its task stays the same; None otherwise."""
    puzzle = work.puzzle
    if not _cells_at(puzzle, side):
        return None
    own = own_tree(work.document)
    data = {key: plain_values(node) for key, node in own.items.items()}
    if own is work.document.tree:  # the tree already contains everything that the document extends
        data = {key: value for key, value in data.items() if key not in ("model", "extends")}
    cut = _cut(data.get("board"), side)
    if cut is None:
        return None
    name = puzzle.name
    try:
        document = load_document(
            f"{name}.yaml", text=written({**_without_answers(data), "board": cut})
        )
        again = read_puzzle(document, dict(puzzle.parameters))
        other = ground(again)
    except DocumentError:
        return None
    shift = {"top": (1, 0), "left": (0, 1)}.get(side, (0, 0))
    if not _is_same(task, other, puzzle, again, shift):
        return None
    return Changed(document, again, other)


def _cells_at(puzzle: Puzzle, side: str) -> frozenset[int]:
    """The cells of the outermost row or column; empty if it cannot be cut off, for example because a piece is there."""
    board = puzzle.board
    if board is None or board.geometry != "square" or board.wraps_rows or board.wraps_columns:
        return frozenset()
    is_row = side in ("top", "bottom")
    number = board.rows if is_row else board.columns
    at = 0 if side in ("top", "left") else number - 1
    cells = frozenset(
        cell for cell in range(board.num_cells) if board.at(cell)[0 if is_row else 1] == at
    )
    return cells if number > 1 and cells.isdisjoint(start(puzzle).occupied) else frozenset()


def _without_answers(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in ("expect", "tests")}


def _cut(drawn: Any, side: str) -> Any:
    """A drawing without its outermost row or column at a side; None if nothing would remain or the drawing has another
    form.
    """
    if isinstance(drawn, str):
        rows: list[Any] = drawn.rstrip("\n").split("\n")
    elif isinstance(drawn, list) and all(isinstance(row, list) for row in drawn):
        rows = drawn
    else:
        return None
    if side == "top":
        rows = rows[1:]
    elif side == "bottom":
        rows = rows[:-1]
    else:
        width = max(map(len, rows))
        rows = [row + " " * (width - len(row)) if isinstance(row, str) else row for row in rows]
        rows = [row[1:] if side == "left" else row[: width - 1] for row in rows]
    if not rows or not all(rows):
        return None
    return "\n".join(rows) + "\n" if isinstance(drawn, str) else rows


def _is_same(one: Task, other: Task, first: Puzzle, second: Puzzle, shift: tuple[int, int]) -> bool:
    """Whether two tasks are the same, apart from a shift of all cells by some rows and columns. The result is False for
    tasks that contain more than operators, such as consequences.
    """
    if not (_has_only_operators(one) and _has_only_operators(other)):
        return False
    named = _fact_names(one, first, shift), _fact_names(other, second, (0, 0))
    return _shape_of(one, named[0]) == _shape_of(other, named[1])


def _has_only_operators(task: Task) -> bool:
    return not (task.pending or task.permutations or task.consequences or task.never)


def _fact_names(task: Task, puzzle: Puzzle, shift: tuple[int, int]) -> list[object]:
    names: list[object] = []
    for fact in task.facts:
        if fact.slot >= 0 or puzzle.board is None:
            names.append(fact.name)
            continue
        piece = puzzle.classes[fact.class_id]
        row, column = puzzle.board.at(fact.cell)
        names.append((piece.kind, piece.label, piece.shape, row - shift[0], column - shift[1]))
    return names


def _shape_of(task: Task, names: list[object]) -> object:
    def set_of(bits: int) -> frozenset[object]:
        return frozenset(names[fact] for fact in facts_in(bits))

    def cube_of(cube: Cube) -> object:
        mask, value = cube
        return set_of(mask), set_of(value)

    operators = frozenset(
        (operator.rule, set_of(operator.mask), set_of(operator.value), set_of(operator.flip))
        for operator in task.operators
    )
    goals = (task.goal, *task.further_goals)
    every_goal = frozenset(frozenset(map(cube_of, goal)) for goal in goals)
    forbid = frozenset(map(cube_of, task.forbid))
    return set_of(task.initial), operators, every_goal, forbid

"""A puzzle with its task, and methods for other starts, warnings, documents and pictures. This module contains no
search.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from fewest.commands.solve import grounding_watch
from fewest.grounding.ground import ground
from fewest.machine.resources import is_puzzle_file
from fewest.model.answer import Limits
from fewest.model.notebook_repr import shows
from fewest.model.position import Position, position_of, start, start_at
from fewest.model.puzzle import Puzzle
from fewest.model.task import Task
from fewest.reading.clock import look
from fewest.reading.loader import LoadedDocument

if TYPE_CHECKING:
    from typing import Self

    from fewest.commands.result import Result
    from fewest.errors import Diagnostic
    from fewest.space.index import StateIndex


_FEW_POSITIONS = 2_000  # the most positions to play for warnings with an answer
_SECONDS_TO_PLAY = 0.3


class PuzzleWithTask(Struct, frozen=True, eq=False, dict=True):
    """A puzzle and its task, which is compiled when it is first needed."""

    puzzle: Puzzle
    document: LoadedDocument | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.puzzle.name}>"

    @cached_property
    def grounded(self) -> Task:
        """The grounded task. Raises DocumentError if the task is too large."""
        return ground(self.puzzle, lambda _, __: look())

    def ground_timed(self, seconds: dict[str, float]) -> Task:
        """Ground the task (again), and add the seconds for each part of the document to `seconds`."""
        task = self.__dict__["grounded"] = ground(self.puzzle, seconds=seconds)
        return task

    @property
    def task(self) -> Task:
        """The grounded task: facts, cubes and flips.

        Raises DocumentError if the task is too large, and UsageError if some moves are not flips or there would be too
        many flips (`grounded` contains all moves).
        """
        task = self.in_flips.grounded
        task.require_flips("this function")
        return task

    @cached_property
    def in_flips(self) -> Self:
        """The puzzle with the task in which flips replace those moves that set variables simultaneously.

        Raises DocumentError if the task is too large, and UsageError if there would be too many flips.
        """
        if not self.grounded.pending:
            return self
        from fewest.analysis.case_split import compile_to_flips

        same = type(self)(self.puzzle, self.document)
        same.__dict__["grounded"] = compile_to_flips(self.grounded, "this").task
        return same

    def _task_within(self, limits: Limits, progress: Callable[[Any], None] | None) -> Task:
        """The task, which is compiled now if it has not been compiled. Raises LimitReached at the time limit, and
        DocumentError if the task is too large.
        """
        if "grounded" not in self.__dict__:
            self.__dict__["grounded"] = ground(self.puzzle, grounding_watch(limits, progress))
        return self.grounded

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics, the default metric first."""
        default = self.puzzle.default_metric
        return (default, *(name for name in self.puzzle.metrics if name != default))

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """Likely mistakes, with their locations. Raises DocumentError if the task is too large."""
        return (*self.puzzle.warnings, *self.document_warnings)

    @cached_property
    def document_warnings(self) -> tuple[Diagnostic, ...]:
        """The warnings that need the task. Raises DocumentError if the task is too large."""
        from fewest.commands.lint import document_warnings

        if self.document is None:
            return ()
        return document_warnings(self.document, self.puzzle, self.grounded)

    def warnings_from_search(self, result: Result) -> tuple[Diagnostic, ...]:
        """The warnings that only the search for this result could reveal."""
        if self.document is None or result.statistics.get("endless") is None:
            return ()
        from fewest.commands.lint import warnings_from_search

        return warnings_from_search(self.document, result.statistics)

    def unused_rules(self, positions: int = 20_000, seconds: float = 2.0) -> tuple[Diagnostic, ...]:
        """Warnings about rules that apply in no reachable position, and about conditions of `forbid` that no move makes
        true.

        There are no warnings if there are more than `positions` positions, or if playing the positions takes more than
        `seconds` of CPU time.
        """
        from fewest.commands.lint import unused

        if self.document is None:
            return ()
        return unused(self.document, self.puzzle, self.grounded, positions, seconds)

    @property
    def unused_rules_of_few_positions(self) -> tuple[Diagnostic, ...]:
        """Like `unused_rules`, but with limits so low that each answer of a small puzzle can include these warnings."""
        return self.unused_rules(_FEW_POSITIONS, _SECONDS_TO_PLAY)

    def warnings_with(self, result: Result) -> tuple[Diagnostic, ...]:
        """The warnings that belong to an answer, besides those of `puzzle`: about the task, about what the search
        revealed, and about rules that apply in none of few reachable positions.

        There are none for a puzzle that is shipped: the tests check this, and so its answer needs no code for warnings.
        """
        if self.document is None or self._is_as_shipped or "grounded" not in self.__dict__:
            return ()
        found = [*self.document_warnings, *self.warnings_from_search(result)]
        if result.is_proven and result.statistics.get("states", 0) <= _FEW_POSITIONS:
            found += self.unused_rules_of_few_positions
        return tuple(dict.fromkeys(found))

    @property
    def _is_as_shipped(self) -> bool:
        """Whether the document is a shipped puzzle, and no option changes its parameters."""
        document = self.document
        if document is None or not is_puzzle_file(document.files[0]):
            return False
        return all(
            self.puzzle.parameters.get(name) == value
            for name, value in (document.document.parameters or {}).items()
        )

    @cached_property
    def index(self) -> StateIndex:
        """A numbering of all consistent positions, as states of the task: see `space.index.StateIndex`.

        Raises UsageError if the positions cannot be numbered.
        """
        from fewest.space.index import state_index

        return state_index(self.task)

    @property
    def start(self) -> Position:
        """The start position."""
        return start(self.puzzle)

    def at(self, position: str | Position | Mapping[str, Any], name: str = "position") -> Self:
        """The puzzle with another start: a position, its data, or its drawing (see `read_position`).

        Raises DocumentError, PositionError or UsageError if the argument is not a position of the puzzle.
        """
        from fewest.reading.positions import check_numbers, read_position

        if isinstance(position, str):
            assert self.document is not None, "made by `load`"
            moved = read_position(self.document, self.puzzle, position, name)
        else:
            if isinstance(position, Mapping):
                position = position_of(self.puzzle, position)
            moved = start_at(self.puzzle, position)
        check_numbers(self.grounded, moved)
        return type(self)(moved, self.document)

    def document_at(self, position: Position, name: str, **texts: Any) -> str:
        """A complete puzzle document that starts at a position; the text is read again as a check.

        `write_puzzle` receives `texts`. Raises UndrawableError if the position cannot be drawn.
        """
        from fewest.formats.stand_alone import stand_alone

        assert self.document is not None, "made by `load`"
        return stand_alone(self.document, self.puzzle, position, name, **texts)

    def svg(self, position: str | Position | None = None, *, theme: str = "light") -> str:
        """The picture of a position (the start by default) as an SVG document.

        Pieces have the same colours as at the start. Raises UsageError for an unknown theme, and DocumentError or
        PositionError if the argument is not a position.
        """
        from fewest.commands.draw import picture

        there = self if position is None else self.at(position)
        return picture(self.puzzle, there.puzzle, theme)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        from fewest.drawing.text import draw

        return "\n".join([self.puzzle.title, *draw(self.start, self.puzzle.labels)])

    def _repr_html_(self) -> str:
        return f"<figure style='margin:0'>{self.svg()}</figure>"


def _drawn(position: Position) -> str:
    from fewest.drawing.pictures.picture import svg

    return svg(position)


shows(Position, svg=_drawn)

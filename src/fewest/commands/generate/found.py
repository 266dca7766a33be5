"""The best boards found by a random or exhaustive search, as data and as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from msgspec import Struct

from fewest.commands.generate.documents import NamedBoard
from fewest.commands.generate.drawing import drawing_of
from fewest.errors import Exit
from fewest.model.answer import counted, limit_words
from fewest.model.position import Position
from fewest.version import __version__

_FEW = 3  # the maximum number of boards to draw
_NONE = "no board has all wanted properties"


class FoundBoard(Struct, frozen=True, eq=False):
    """One of the hardest positions of a board, with its minimum, its measures, and the value of the objective."""

    value: Fraction
    minimum: int
    measures: Mapping[str, Fraction]
    position: Position


class FoundBoards(Struct, frozen=True, eq=False):
    """The best boards that a search found. The minimum of each board is proven. `num_fulfilling` boards have all
    properties under `want`; `num_too_large` boards were omitted because of their size. If there is no `seed`,
    the search compared all boards with up to `num_pieces` pieces, so no other board with at most this number of pieces
    is better. If there is also no `reason`, the search covered all numbers of pieces in the spec. `num_pieces`
    is None for a random search, and for a search that finished no number of pieces. `num_skipped` boards are too easy
    to be among the best, so the search did not check them for the wanted properties.
    """

    name: str
    title: str
    metric: str
    objective: str
    seed: int | None
    num_boards: int
    num_solvable: int
    num_fulfilling: int
    num_too_large: int
    num_positions: int
    boards: tuple[FoundBoard, ...]
    reason: str | None
    seconds: float
    num_pieces: int | None = None
    num_skipped: int = 0

    @property
    def exit_code(self) -> Exit:
        """The exit code, which shows whether the answer is proven or, for a random search, whether a board was
        found.
        """
        is_answered = self.reason is None if self.seed is None else bool(self.boards)
        return Exit.ANSWERED if is_answered else Exit.LIMIT

    def to_json(self) -> dict[str, Any]:
        """The plain data that `--json` prints."""
        return {
            "spec": self.name,
            "title": self.title,
            "metric": self.metric,
            "objective": self.objective,
            "seed": self.seed,
            "reason": self.reason,
            "explored_boards": self.num_boards,
            "solvable_boards": self.num_solvable,
            "fulfilling_boards": self.num_fulfilling,
            "too_large_boards": self.num_too_large,
            "skipped_boards": self.num_skipped,
            "searched_pieces": self.num_pieces,
            "positions": self.num_positions,
            "boards": [
                {
                    "value": _number(board.value),
                    "minimum": board.minimum,
                    "measures": {name: _number(value) for name, value in board.measures.items()},
                    "board": drawing_of(board.position),
                }
                for board in self.boards
            ],
            "seconds": self.seconds,
        }


def heading_of(found_boards: FoundBoards) -> str:
    """The answer in one line."""
    if found_boards.seed is None:
        return f"{found_boards.title}: {_proven(found_boards)}"
    if not found_boards.boards:
        return f"{found_boards.title}: none of {found_boards.num_boards:,} explored boards has all wanted properties"
    return f"{found_boards.title}: the best board found needs {_best(found_boards)}"


def _proven(found_boards: FoundBoards) -> str:
    """The answer of a search through all boards, in one line."""
    known = f"the best board needs {_best(found_boards)}" if found_boards.boards else _NONE
    if found_boards.reason is None:
        return f"{known} (proven: all boards were searched)"
    if not found_boards.boards:
        known = f"{_NONE} so far"
    if found_boards.num_pieces is None:
        return f"{limit_words(found_boards.reason)}; {known}; nothing is proven"
    pieces = counted(found_boards.num_pieces, "pieces")
    return f"{limit_words(found_boards.reason)}; {known}; no board with up to {pieces} is better (proven)"


def _best(found_boards: FoundBoards) -> str:
    best = found_boards.boards[0]
    value = (
        ""
        if found_boards.objective == "minimum"
        else f", {found_boards.objective} = {_shown(best.value)}"
    )
    return counted(best.minimum, found_boards.metric) + value


def figures_of(found_boards: FoundBoards) -> Iterator[str]:
    """A line for every figure, and the measures and drawings of a few of the best boards."""
    ended = f" ({limit_words(found_boards.reason)})" if found_boards.reason is not None else ""
    explored = f"{counted(found_boards.num_boards, 'boards')}, {counted(found_boards.num_positions, 'positions')}"
    yield f"  {'explored':<14} {explored}{ended}"
    yield f"  {'solvable':<14} {counted(found_boards.num_solvable, 'boards')}"
    at_least = "at least " if found_boards.num_skipped else ""
    fulfilling = counted(found_boards.num_fulfilling, "boards")
    yield f"  {'as wanted':<14} {at_least}{fulfilling}"
    if found_boards.num_skipped:
        yield f"  {'too easy':<14} {counted(found_boards.num_skipped, 'boards')}, not compared with `want`"
    if found_boards.num_too_large:
        yield f"  {'too large':<14} {counted(found_boards.num_too_large, 'boards')}"
    for board in found_boards.boards[:_FEW]:
        yield ""
        yield ", ".join(f"{name} {_shown(value)}" for name, value in board.measures.items())
        yield from drawing_of(board.position)
    if len(found_boards.boards) > _FEW:
        yield ""
        yield f"and {len(found_boards.boards) - _FEW:,} more: -o FOLDER writes them"


def rows_of(found_boards: FoundBoards) -> Iterator[dict[str, Any]]:
    """The boards found, as rows of a table, best first."""
    for board in found_boards.boards:
        yield {
            "metric": found_boards.metric,
            "value": _number(board.value),
            **{name: _number(value) for name, value in board.measures.items()},
            "board": "/".join(drawing_of(board.position)),
        }


def named_boards(found_boards: FoundBoards) -> Iterator[NamedBoard]:
    """The boards found, for documents."""
    for number, board in enumerate(found_boards.boards, 1):
        searched = (
            f"a search of {counted(found_boards.num_boards, 'boards')} of {found_boards.name}"
        )
        seed = "" if found_boards.seed is None else f", seed {found_boards.seed}"
        by = f"found by {searched}{seed}, fewest {__version__}"
        title = f"{found_boards.title}: {counted(board.minimum, found_boards.metric)}"
        name = f"{found_boards.name}-{number}"
        yield NamedBoard(name, title, found_boards.metric, board.minimum, board.position, by)


def _number(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)


def _shown(value: Fraction) -> str:
    return f"{int(value):,}" if value.denominator == 1 else f"{float(value):.2f}"

"""The hardest start that an exploration found, as a position and as a puzzle document."""

from __future__ import annotations

from typing import Any

from fewest.commands.explore.exploration import Exploration
from fewest.drawing.text import draw
from fewest.errors import UsageError
from fewest.formats.stand_alone import stand_alone
from fewest.model.answer import counted
from fewest.model.position import Position
from fewest.model.puzzle import Puzzle
from fewest.model.states import decode
from fewest.model.task import Task
from fewest.reading.loader import LoadedDocument
from fewest.version import __version__


def hardest_start(puzzle: Puzzle, task: Task, exploration: Exploration) -> Position | None:
    """A solvable position that is farthest from the goal; None if the exploration found none."""
    known = exploration.goal_distances
    if known is None or known.hardest is None:
        return None
    return decode(puzzle, task, known.hardest)


def to_json(puzzle: Puzzle, task: Task, exploration: Exploration) -> dict[str, Any]:
    """The plain data of an exploration, including a drawing of its hardest start."""
    hardest = hardest_start(puzzle, task, exploration)
    return {
        "puzzle": puzzle.name,
        "title": puzzle.title,
        **exploration.to_json(),
        "hardest": None if hardest is None else draw(hardest),
    }


def hardest_document(
    document: LoadedDocument, puzzle: Puzzle, task: Task, exploration: Exploration
) -> str:
    """The hardest start as a complete puzzle document.

    Raises UsageError if there is no hardest start, and UndrawableError if it cannot be drawn.
    """
    hardest, known = hardest_start(puzzle, task, exploration), exploration.goal_distances
    if hardest is None or known is None or known.eccentricity is None:
        raise UsageError("no hardest start is known")
    cost = known.eccentricity
    by = f"computed by exhaustive search, fewest {__version__}"
    value = cost if isinstance(cost, int) else list(cost)
    return stand_alone(
        document,
        puzzle,
        hardest,
        f"{puzzle.name}-hardest",
        title=f"{puzzle.title}: the hardest start",
        metric=exploration.metric,
        expect={exploration.metric: {"value": value, "source": by}},
        source="; ".join(part for part in (puzzle.source, by) if part),
        notes=f"Of the {counted(exploration.num_states, 'positions')} that can be reached in {puzzle.name}, "
        f"{known.num_hardest:,} are farthest from the goal; this is one of them.",
    )

"""Writes a whole state space to a file for other programs: positions, distances and moves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from fewest.drawing.text import draw
from fewest.errors import UsageError, joined
from fewest.formats.spaces.table import SpaceTable
from fewest.machine.files import check_writable, write_whole
from fewest.model.answer import Limits
from fewest.model.costs import cost_table
from fewest.model.states import decode

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fewest.model.metric import Metric
    from fewest.model.puzzle import Puzzle
    from fewest.model.task import Operator, PermutationOperator, Task
    from fewest.search.interface import Progress
    from fewest.space.distances import Distances

# For each suffix, the name of a module in `formats.spaces` and the name of its function.
SPACE_FILES: Mapping[str, str] = {".npz": "npz", ".parquet": "parquet", ".graphml": "graphml"}


def check_space_file(path: Path) -> None:
    """Check, before the computation starts, that a state space can be written to a path. Raises UsageError for an
    unknown suffix or a missing package, and OSError if the path cannot be written.
    """
    check_writable(path)
    if path.suffix.lower() not in SPACE_FILES:
        raise UsageError(
            f"cannot write a state space to {path}",
            hint=f"name a file that ends in {joined(SPACE_FILES, 'or')}",
        )
    if path.suffix.lower() == ".parquet":
        from fewest.formats.spaces.parquet import check_parquet

        check_parquet()


def write_space(
    puzzle: Puzzle,
    task: Task,
    metric: Metric,
    path: Path,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> int:
    """Write all reachable positions, moves and distances in blocks, either completely or not at all, and return the
    number of bytes.

    Raises LimitReached before the first write, OSError, and the errors of `check_space_file`. Each position takes 3 µs
    and 150 bytes, plus the memory for its text.
    """
    check_space_file(path)
    table = space_table(puzzle, task, metric, limits or Limits(), progress)
    name = SPACE_FILES[path.suffix.lower()]
    chunks: Iterator[bytes] = getattr(import_module(f"fewest.formats.spaces.{name}"), name)(table)
    return write_whole(path, chunks)


def space_table(
    puzzle: Puzzle,
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
) -> SpaceTable:
    """All positions, moves and distances. Raises LimitReached."""
    from fewest.space.distances import goal_distances, start_distances
    from fewest.space.state_graph import build_state_graph, limit_watch

    watch = limit_watch(limits.seconds, limits.memory, time.perf_counter(), progress)
    costs = cost_table(task, metric)
    space = build_state_graph(task.problem, watch)

    def drawn(state_id: int) -> str:
        return "/".join(draw(decode(puzzle, task, space.integer(state_id))))

    return SpaceTable(
        metric.name,
        space,
        _costs(start_distances(space, costs, watch), costs.parts),
        _costs(goal_distances(space, costs, watch), costs.parts),
        [fact.name for fact in task.facts],
        [move_name(task, operator) for operator in task.moves],
        drawn,
    )


def move_name(task: Task, operator: Operator | PermutationOperator) -> str:
    """The name of an operator in a table: its rule, its subject, and the facts from which and to which it moves the
    subject.
    """
    words = [operator.rule]
    if operator.words:
        words.append(operator.words)
    if operator.from_fact >= 0 and operator.to_fact >= 0:
        words.append(f"{task.facts[operator.from_fact].name} → {task.facts[operator.to_fact].name}")
    return " ".join(words)


def _costs(distances: Distances, parts: int) -> NDArray[np.int64]:
    """The distance of every state, with one column for each part of the cost; -1 for dead states."""
    import numpy as np

    rows = np.array([*distances.costs, (-1,) * parts], dtype=np.int64).reshape(-1, parts)
    return rows[distances.of_states]  # dead states have the index -1, which selects the last row

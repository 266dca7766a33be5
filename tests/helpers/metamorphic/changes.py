"""Lists all changes by name, and computes the answers that they must not change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from fewest.commands.api import CompiledPuzzle
from tests.helpers.metamorphic.document import Data
from tests.helpers.metamorphic.names import letters_renamed, words_renamed
from tests.helpers.metamorphic.reordered import reordered
from tests.helpers.metamorphic.rotations import TURNS, turned
from tests.helpers.metamorphic.walled import walled_off_below, walled_off_to_the_right

Change = Callable[[CompiledPuzzle], Data]

CHANGES: Mapping[str, Change] = {
    "words renamed": words_renamed,
    "letters renamed": letters_renamed,
    "reordered": reordered,
    "walled-off cells to the right": walled_off_to_the_right,
    "walled-off cells below": walled_off_below,
    **{name: partial(turned, turn=turn) for name, turn in TURNS.items()},
}

Answers = dict[str, object]
MEMORY = 3 << 30  # the largest number of bytes for counting positions


def answers(compiled: CompiledPuzzle, seconds: float | None = None) -> Answers:
    """The minimum in each metric, and the numbers of positions and goal positions.

    `seconds` limits the time for counting these positions. A count that would exceed this time or MEMORY is left out.
    """
    found: Answers = {}
    for metric in compiled.puzzle.metrics:
        result = compiled.solve(metric, threads=1, audit="off")
        found[metric] = result.status, result.cost
    space = compiled.explore(
        threads=1, plans=False, consistent=False, seconds=seconds, memory=MEMORY, audit="off"
    )
    if space.is_exhausted:
        found["positions"] = space.num_states
        found["goal positions"] = space.num_goal_states
    return found

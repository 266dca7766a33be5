"""Dead cubes: partial states from which no goal state can be reached, found before any search.

    Task ─ find_dead_cubes ─> DeadCubes: cubes, regions, and tests of a given state

There are five kinds of arguments:

- *agent*: places of the agent from which no goal state can be reached, wherever the pieces are;
- *pieces*: a single piece at a spot (a "dead square"), possibly only while the agent is at certain places;
- *sets*: two, three or four pieces that form a deadlock (`deadlock_sets`);
- *regions*: sets of spots that contain more pieces than there are goal spots that can be reached from them
  (`counting`);
- *freezing*: pieces that block each other permanently (`freezing`), a test of each state.

Each of these arguments proves that there is no plan from the state. Therefore, excluding such states changes no minimum
in any metric (weighted, merging or lexicographic), and does not change the answer "unsolvable". Only the numbers of
reachable states change. The proofs hold for states that satisfy the task's invariants; all reachable states do.

**For a search**: a state is dead in two cases: it is in one of `cubes`, or more than `most` of the `facts` of one of
`regions` are true. In a cube, 0 to MAX_SIZE facts about pieces are true. If the cube depends on the place of the agent,
it also requires that the agent is at none of the places for which the set is not dead: the facts of these places are
false. No cube contains another cube. The cubes do not depend on the first state of a search, except for the constant
facts in this state.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from fewest.deadlocks.counting import Counting, Region, regions
from fewest.deadlocks.deadlock_sets import MAX_SIZE, DeadCube, SetSearch
from fewest.deadlocks.projection import PieceView
from fewest.model.task import Cube, Task


class DeadCubes(Struct, frozen=True, dict=True):
    """The known dead states: deadlock sets, and counting arguments that use the goal spots that each piece can
    reach.
    """

    sets: SetSearch

    @property
    def view(self) -> PieceView:
        return self.sets.view

    @property
    def found(self) -> Sequence[DeadCube]:
        """The minimal deadlock sets, smallest first."""
        return self.sets.found

    @property
    def largest(self) -> int:
        """The number of pieces up to which sets have been searched; -1 if no sets have been searched."""
        return self.sets.largest

    @cached_property
    def counting(self) -> Counting:
        """The goal spots that each piece can still reach."""
        return Counting(self.sets)

    @cached_property
    def cubes(self) -> tuple[Cube, ...]:
        """Cubes in the same form as the task's `forbid`. A state in any of these cubes is dead. The smallest sets come
        first.
        """
        return tuple(dead.cube for dead in self.found)

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """Regions, each with a maximum number of pieces; see `counting.regions`."""
        return regions(self.counting)

    def cube_of(self, state: int) -> DeadCube | None:
        """The first deadlock set that a state contains, or None."""
        for dead in self.found:
            mask, value = dead.cube
            if state & mask == value:
                return dead
        return None


def forbidding(task: Task, largest: int, *, wherever_agent: bool = False) -> Task:
    """If the task has an agent, the task in which deadlock sets of at most `largest` pieces are forbidden.

    `wherever_agent`: whether to forbid only sets that are deadlocks wherever the agent is. The result has the same
    plans as the task in every metric, because no plan contains a dead state. Tasks without an agent are returned
    unchanged, because they have few deadlock sets; so are tasks that `projection` does not support.
    """
    cubes = dead_cubes_with_agent(task, largest, wherever_agent=wherever_agent)
    return replace(task, forbid=(*task.forbid, *cubes))


def dead_cubes_with_agent(
    task: Task, largest: int, *, wherever_agent: bool = False
) -> tuple[Cube, ...]:
    """The cubes that `forbidding` adds to a task."""
    view = PieceView(task)
    if not view.is_small or not view.agent:
        return ()
    sets = find_dead_cubes(task, largest).found
    return tuple(end.cube for end in sets if end.places is None or not wherever_agent)


def find_dead_cubes(task: Task, largest: int = MAX_SIZE) -> DeadCubes:
    """The dead states that follow from all minimal deadlock sets of at most `largest` pieces, within the limits.

    For each size above 1, if there are at most MAX_SETS sets, all of them are searched; otherwise, only the sets of
    pieces that block each other are searched. If there are also too many of these, or if a size needs more than
    MAX_EVALUATIONS evaluations, this size and all larger sizes are omitted. No set is found if the task has no goal,
    has permutations or separate consequences, or exceeds the limits of `projection`. Each evaluation of a set takes
    about 20 µs.
    """
    view = PieceView(task)
    sets = SetSearch(view)
    if view.is_small and task.has_goal:
        for size in range(min(largest, MAX_SIZE) + 1):
            if not sets.run(size):
                break
    return DeadCubes(sets)

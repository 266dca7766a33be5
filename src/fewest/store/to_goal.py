"""The second search of a store, from all goals: how far everything that was reached is from them.

Where every move can be undone by one that costs the same, a plan backwards is one forwards: the layers around the
goals are those of the distances to the goal, and whatever was reached is in one of them. Elsewhere every operator is
inverted (`analysis.reverse`), and of what that leads to only what was reached is kept; what was reached and is in no
layer is a dead end. The layers lie in a folder of their own in the store's, as layers of a store, so that they are gone
on with, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from fewest.errors import InternalError
from fewest.search.interface import GoalDistances, GoalSearch, Progress
from fewest.search.units import Units
from fewest.store.crew import Threads, Work, shards_of
from fewest.store.driver import STOPS, Driver, stopped_by
from fewest.store.record import (
    TO_GOAL,
    Layer,
    Record,
    check_same,
    is_store,
    read_record,
    write_record,
)

if TYPE_CHECKING:
    from fewest.search import _native

_READING = 16 << 20  # bytes of the buffers of who only reads


class Whole(Struct, frozen=True):
    """A store whose layers are all there: its work, of one owner, its record, and what is known since when."""

    work: Work
    record: Record
    layers: Sequence[Layer]
    progress: Callable[[Progress], None] | None
    began: float
    deadline: float


def measure(whole: Whole, found: GoalSearch) -> None:
    """Search from all goals, on from where that has come to. Raises StoreError, OSError, DamageError; InternalError
    if it finds other states than were reached."""
    assert whole.work.folder is not None, "layers of a folder are measured"
    folder = whole.work.folder / TO_GOAL
    is_undoable = whole.work.is_undoable
    assert found.back is not None, "who searches says how backwards"
    work = replace(whole.work, folder=folder, back=None if is_undoable else found.back())
    shards = shards_of(work)
    if shards is None:
        found.unserved = "on disk where moves that merge cannot be followed backwards"
        return
    folder.mkdir(exist_ok=True)
    wanted = replace(whole.record, packing=f"{shards.packing:016x}", layers=(), about={})
    if is_store(folder):
        known = read_record(folder)
        check_same(known, wanted, folder)
        wanted = replace(wanted, layers=known.layers)

    def keep(layers: tuple[Layer, ...]) -> None:
        write_record(folder, replace(wanted, layers=layers))

    crew = _FromGoals(shards, whole)
    driver = Driver(crew, wanted.layers, keep, Units(work.cost), whole.progress, whole.began)
    try:
        status = driver.run(exhaust=True, depth=None, deadline=whole.deadline)
    except STOPS as error:  # in layer 0; what was reached is an answer all the same
        status = stopped_by(error)
    finally:
        crew.end()
    if status != "exhausted":
        found.stopped = status
        return
    layers = [layer for layer in driver.layers if layer.entries]
    reached, measured = (sum(row.states for row in rows) for rows in (whole.layers, layers))
    goals = sum(row.goals for row in whole.layers)
    if measured > reached or (is_undoable and measured < reached) or layers[0].states < goals:
        raise InternalError(f"from the goals {measured:,} states were found, of {reached:,}")
    units, farthest = driver.units, shards.least(len(layers) - 1)
    found.distances = GoalDistances(
        layers=tuple((units.split(number), row.states) for number, row in enumerate(layers)),
        num_dead=reached - measured,
        hardest=sum(word << 64 * number for number, word in enumerate(farthest)),
    )


class _FromGoals(Threads):
    """Threads of a search that begins with the goals among what was reached."""

    def __init__(self, shards: _native.Shards, whole: Whole) -> None:
        super().__init__(shards, whole.work.workers)
        self.begin = self._begin
        reached = shards_of(replace(whole.work, workers=1, memory=_READING))
        assert reached is not None, "it has been searched in layers"
        reached.open(len(whole.layers))
        shards.search_within(reached)

    def _begin(self) -> None:
        self._wait([self.pool.submit(self.shards.begin_at_goals)], lambda: None)
        self._wait([self.pool.submit(self.shards.merge, 0)], lambda: None)

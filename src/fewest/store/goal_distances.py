"""The second search of a store, backward from all goal states that the first search reached. It finds the goal distance
of every reached state.

If every move can be undone by a move of the same cost, each path can be reversed at the same cost. In this case, the
layers around the goal states are the layers of the goal distances, and every reached state is in one of these layers.
Otherwise, the search inverts every operator (`analysis.regression`) and keeps only predecessors that the first search
reached. A reached state that is in no layer is dead. The layers are in a separate folder inside the store, in the
format of a store, so this search can also be resumed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from fewest.errors import InternalError
from fewest.search.cost_packing import CostPacking
from fewest.search.interface import GoalDistances, GoalSearch, Progress
from fewest.store.driver import STOPS, Driver, stopped_by
from fewest.store.metadata import (
    GOAL_DISTANCES,
    LayerRecord,
    StoreMetadata,
    check_same,
    is_store,
    read_record,
    write_record,
)
from fewest.store.redistribution import redistribute_layers
from fewest.store.workers import SearchContext, WorkersMaker, WorkOrder


class CompleteStore(Struct, frozen=True):
    """A store that has all layers: its work order, the function that creates its workers, its record, and its layers.
    `began`, `deadline`: the beginning and the time limit of the query, on the clock `time.perf_counter`.
    """

    work: WorkOrder
    make_workers: WorkersMaker
    record: StoreMetadata
    layers: Sequence[LayerRecord]
    progress: Callable[[Progress], None] | None
    began: float
    deadline: float


def measure(store: CompleteStore, search: GoalSearch) -> dict[str, int]:
    """Search from all goal states, or resume this search. Stores the result in `search`, and returns the statistics of
    the workers (empty if the search is impossible).

    Raises StoreError, OSError or DamageError. Raises InternalError if the numbers of states contradict those of the
    first search.
    """
    assert store.work.folder is not None, "layers of a folder are measured"
    folder = store.work.folder / GOAL_DISTANCES
    is_reversible = store.work.is_reversible
    assert search.back is not None, "a search for distances needs the backward problem"
    folder.mkdir(exist_ok=True)
    back = None if is_reversible else search.back()
    within = SearchContext(store.work.folder, len(store.layers), back)
    work = replace(store.work, folder=folder, within=within)
    workers = store.make_workers(work)
    if workers is None:
        search.unserved = "on disk where moves that merge cannot be followed backwards"
        return {}
    wanted = replace(store.record, packing=f"{workers.packing:016x}", layers=(), about={})
    if is_store(folder):
        known = read_record(folder)
        check_same(known, wanted, folder)
        wanted = replace(wanted, layers=known.layers)
    else:
        known = wanted

    def keep(layers: tuple[LayerRecord, ...]) -> None:
        write_record(folder, replace(wanted, layers=layers))

    driver = Driver(
        workers, wanted.layers, keep, CostPacking(work.cost), store.progress, store.began
    )
    try:
        status = driver.wait_for_start(store.deadline)
        if status is None:
            redistribute_layers(workers, known, work, keep)
            status = driver.run(exhaust=True, depth=None, deadline=store.deadline)
        if status == "exhausted":
            search.distances = _distances(store, driver)
            if search.counts_plans:
                from fewest.store.plans import count_plans

                minimum = next(n for n, layer in enumerate(store.layers) if layer.goals)
                search.num_plans = count_plans(work, workers, minimum, driver.look)
    except STOPS as error:  # the states that have been reached and measured still form an answer
        status = stopped_by(error)
    finally:
        workers.end()
    if status != "exhausted":
        search.stopped = status
    return workers.statistics()


def _distances(store: CompleteStore, driver: Driver) -> GoalDistances:
    """The goal distances that complete layers give. Raises InternalError if the numbers of states contradict those of
    the first search.
    """
    layers = [layer for layer in driver.layers if layer.entries]
    reached, measured = (sum(row.states for row in rows) for rows in (store.layers, layers))
    goals = sum(row.goals for row in store.layers)
    is_short = measured < reached and store.work.is_reversible
    if measured > reached or is_short or layers[0].states < goals:
        raise InternalError(
            f"the search from the goals found {measured:,} states, but the first search found {reached:,}"
        )
    split, farthest = driver.units.split, driver.workers.least(len(layers) - 1)
    return GoalDistances(
        layers=tuple((split(number), row.states) for number, row in enumerate(layers)),
        num_dead=reached - measured,
        hardest=sum(word << 64 * number for number, word in enumerate(farthest)),
    )

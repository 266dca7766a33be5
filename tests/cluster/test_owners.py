"""Tests of the real driver with real owners in threads: the exchange of successors, processes that end, and late
owners. `test_cluster.py` tests Ray."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import fewest
from fewest import search
from fewest.cluster import actors
from fewest.cluster import owner as owners
from fewest.cluster.recovery import ActorEndedError, ClusterError, RecoveryLimits
from fewest.errors import FewestError
from fewest.store import driver
from fewest.store.location import IndexLocation, StoreLocation
from fewest.store.metadata import read_record
from fewest.store.shard_division import ShardDivision
from fewest.store.workers import WorkOrder
from tests.helpers import local_fleet
from tests.helpers.local_fleet import LocalFleet, local_actors

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="stores need the native core")
FIELDS = ("states", "expanded", "generated", "layers")


def solved(folder: Path, num_owners: int, progress: Any = None, **options: Any) -> dict[str, Any]:
    seen: list[LocalFleet] = options.pop("seen", [])
    make_workers: Any = partial(local_actors, seen=seen, **options)
    place = StoreLocation(folder / "store", make_workers=make_workers, owners=num_owners, threads=1)
    compiled = fewest.load("tiles-2x4")
    return compiled.solve(
        exhaust=True, symmetry="off", store=place, progress=progress, memory=1 << 30
    ).statistics


def room(after: int, owners: int, more: int) -> Callable[[], int]:
    """The number of owners for which there is room. After the given number of calls, it increases to `more`."""
    looks = iter([owners] * after)
    return lambda: next(looks, more)


def test_a_search_moves_to_more_owners(tmp_path: Path) -> None:
    """The search moves to more owners between two layers. Then the store has more shards, and its counts stay the
    same."""
    compiled = fewest.load("tiles-2x3")
    options: Any = {"exhaust": True, "symmetry": "off", "memory": 1 << 30}
    alone = compiled.solve(store=f"disk:{tmp_path / 'alone'}", **options).statistics
    seen: list[LocalFleet] = []
    make_workers: Any = partial(local_actors, seen=seen)
    where = tmp_path / "store"
    place = StoreLocation(
        where, make_workers=make_workers, owners=2, threads=1, owners_now=room(7, 2, 17)
    )
    found = compiled.solve(store=place, **options).statistics
    assert [found[field] for field in FIELDS] == [alone[field] for field in FIELDS]
    store = found["store"]
    assert (store["owners"], store["shards"], store["times_grown"]) == (17, 17 * 8, 1)
    assert [fleet.work.owners for fleet in seen] == [2, 17]
    assert len(list(where.glob("owner-*-of-0017"))) == 17
    assert not list(where.glob("owner-*-of-0002"))
    assert read_record(where).owners == 17


def test_a_search_does_not_grow_after_its_answer(tmp_path: Path) -> None:
    make_workers: Any = partial(local_actors, seen=[])
    place = StoreLocation(
        tmp_path / "store", make_workers=make_workers, owners=2, threads=1, owners_now=room(0, 2, 5)
    )
    found = fewest.load("wolf-goat-cabbage").solve(exhaust=True, store=place).statistics["store"]
    # The search grew after the first layer.
    assert (found["owners"], found["times_grown"]) == (5, 1)
    again = fewest.load("wolf-goat-cabbage").solve(exhaust=True, store=place).statistics["store"]
    assert (again["owners"], again["times_grown"]) == (2, 0)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    store = tmp_path_factory.mktemp("alone") / "store"
    return (
        fewest.load("tiles-2x4")
        .solve(exhaust=True, symmetry="off", store=f"disk:{store}")
        .statistics
    )


@pytest.mark.parametrize(("num_owners", "lose_answers"), [(1, 0), (2, 0), (5, 0), (3, 4)])
def test_owners_find_the_same_answer_as_one_process(
    num_owners: int, lose_answers: int, alone: dict[str, Any], tmp_path: Path
) -> None:
    found = solved(tmp_path, num_owners, lose_answers=lose_answers)
    assert [found[field] for field in FIELDS] == [alone[field] for field in FIELDS]
    store = found["store"]
    assert (store["owners"], store["actors_replaced"]) == (num_owners, 0)
    assert (store["bytes_exchanged"] > 0) == (num_owners > 1)
    assert store["messages_per_layer"] >= num_owners


def test_the_driver_reads_layers_itself_to_find_a_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thousands of requests to all owners would take longer than the search."""
    call = LocalFleet.call
    methods: list[str] = []

    def counted(self: LocalFleet, owner: int, method: str, *arguments: Any, **options: Any) -> Any:
        methods.append(method)
        return call(self, owner, method, *arguments, **options)

    monkeypatch.setattr(LocalFleet, "call", counted)
    make: Any = partial(local_actors, seen=[])
    place = StoreLocation(tmp_path / "store", make_workers=make, owners=3, threads=1)
    compiled = fewest.load("tiles-2x4")
    found = compiled.solve(symmetry="off", store=place, memory=1 << 30)
    assert found.cost == compiled.solve().cost
    assert found.plan is not None
    assert "work" in methods
    assert "contains" not in methods


@pytest.mark.parametrize("delay", [None, 0.0, 0.002, 0.01])
def test_killed_owners_are_replaced_without_a_change_of_the_answer(
    delay: float | None, alone: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actors, "_CHECK_EVERY", 0.05)
    seen: list[LocalFleet] = []
    work = actors._LayerWork.__init__
    killed: list[int] = []

    def begin(self: Any, actors: Any, look: Any) -> None:
        is_due = actors._num_layers in (3, 14, 15, 30) and len(killed) < 4
        if delay is not None or not is_due:
            work(self, actors, look)
        if is_due:
            killed.append(actors._num_layers % 3)
            time.sleep(delay or 0.0)
            seen[0].kill(killed[-1])
            # The kill is between two layers, so the new process contains neither layer.
            if delay is None:
                work(self, actors, look)

    monkeypatch.setattr(actors._LayerWork, "__init__", begin)
    found = solved(tmp_path, 3, seen=seen)
    assert len(killed) == 4
    assert [found[field] for field in FIELDS] == [alone[field] for field in FIELDS]
    # An owner that ended when its layer no longer needed the owner is replaced in the next layer.
    assert found["store"]["actors_replaced"] >= 4


class Late(owners.Owner):
    """Owner 0 expands later than the others."""

    def _in_threads(self, phase: Any) -> bool:
        if self.number == 0 and phase.__name__ == "expand" and self._own.num_layers > 15:
            time.sleep(0.05)
        return super()._in_threads(phase)


def test_others_expand_the_shards_of_a_late_owner(
    alone: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owners, "_LONG", 0.0)
    found = solved(tmp_path, 3, make=Late)
    assert [found[field] for field in FIELDS] == [alone[field] for field in FIELDS]
    assert found["store"]["shards_helped"] > 0


def test_an_owner_that_waits_for_late_owners_delays_nobody(
    alone: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It already sends the successors of its own shards, and waits only as long as an owner is late."""
    monkeypatch.setattr(owners, "_LONG", 0.0)
    help_late = owners.Owner._help
    pieces: list[owners.Piece] = []
    seconds: list[float] = []

    def helped(self: owners.Owner, layer: Any, took: float) -> bool:
        if layer.number != 20:
            return help_late(self, layer, took)
        other = (self.number + 1) % 3
        pieces.append(self.piece(other, self.epoch, layer.number, 0, self.run))
        began = time.monotonic()
        is_whole = help_late(self, layer, 1200.0)  # waits at most a minute
        seconds.append(time.monotonic() - began)
        return is_whole

    monkeypatch.setattr(owners.Owner, "_help", helped)
    found = solved(tmp_path, 3)
    assert [found[field] for field in FIELDS] == [alone[field] for field in FIELDS]
    assert all(len(piece.data) for piece in pieces)
    assert {(piece.is_late, piece.is_last) for piece in pieces} == {(False, False)}
    assert len(seconds) == 3
    assert max(seconds) < 30


def test_all_go_back_if_an_owner_that_helped_ends(
    alone: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owners, "_LONG", 0.0)
    seen: list[LocalFleet] = []
    mended: list[int] = []
    mend, help_late = actors.Actors._mend, owners.Owner._help
    killed: list[int] = []

    def helped(self: owners.Owner, *arguments: Any) -> bool:
        is_whole = help_late(self, *arguments)
        if self._helped and not killed:
            killed.append(self.number)
            seen[0].kill(self.number)
        return is_whole

    def mending(self: actors.Actors) -> None:
        mended.append(self._num_layers)
        mend(self)

    monkeypatch.setattr(owners.Owner, "_help", helped)
    monkeypatch.setattr(actors.Actors, "_mend", mending)
    found = solved(tmp_path, 3, make=Late, seen=seen)
    assert killed and mended
    assert [found[field] for field in FIELDS] == [alone[field] for field in FIELDS]


@pytest.mark.parametrize("all_go_back", [False, True])
def test_ctrl_c_ends_the_wait_for_a_new_node(
    all_go_back: bool, alone: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The layers that are complete are saved, although an owner has no process."""
    seen: list[LocalFleet] = []
    calls: list[int] = []

    def interrupt(progress: search.Progress) -> None:
        if progress.cost < 15:
            return
        calls.append(progress.cost)
        if len(calls) == 1:
            seen[0].withdraw(1)
        elif len(calls) == 3:
            raise KeyboardInterrupt

    if all_go_back:

        def revive(self: actors._LayerWork, owner: int) -> None:
            raise ActorEndedError

        monkeypatch.setattr(actors._LayerWork, "_revive", revive)
    monkeypatch.setattr(driver, "_LOOK", 0.0)
    place = StoreLocation(
        tmp_path / "store", make_workers=partial(local_actors, seen=seen), owners=3, threads=1
    )
    compiled = fewest.load("tiles-2x4")
    began = time.monotonic()
    found = compiled.solve(exhaust=True, symmetry="off", store=place, progress=interrupt)
    assert time.monotonic() - began < 60  # a search waits ten minutes for a node
    assert (found.reason, len(read_record(tmp_path / "store").layers) >= 15) == (
        "interrupted",
        True,
    )
    monkeypatch.undo()
    resumed = solved(tmp_path, 3)
    assert [resumed[field] for field in FIELDS] == [alone[field] for field in FIELDS]


def test_an_owner_that_ends_while_it_is_idle_still_gives_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its new process has no layers until all owners have gone back."""
    seen: list[LocalFleet] = []
    least = actors.Actors.least

    def kill(self: actors.Actors, layer: int) -> list[int]:
        seen[-1].kill(1)
        return least(self, layer)

    monkeypatch.setattr(actors.Actors, "least", kill)
    place = StoreLocation(
        tmp_path / "store", make_workers=partial(local_actors, seen=seen), owners=3, threads=1
    )
    compiled = fewest.load("tiles-2x3")
    found = compiled.explore(store=place)
    assert found.goal_distances == compiled.explore().goal_distances


class EndsFirst(owners.Owner):
    """Owner 1 ends when it receives the first request to begin."""

    has_ended = False

    def begin(self, epoch: int = 0) -> owners.Closed:
        if self.number == 1 and not EndsFirst.has_ended:
            EndsFirst.has_ended = True
            raise ActorEndedError
        return super().begin(epoch)


def test_an_owner_that_ends_at_the_beginning_is_replaced_once(tmp_path: Path) -> None:
    found = solved(tmp_path, 3, make=EndsFirst)
    assert found["store"]["actors_replaced"] == 1


def test_an_owner_that_cannot_use_its_folder_names_the_folder(tmp_path: Path) -> None:
    """Ray regards an actor as dead if its constructor raises an error; the driver would wait for another one."""
    (tmp_path / "store").mkdir()
    file = tmp_path / "store" / "owner-0001-of-0003"
    file.touch()
    with pytest.raises(FewestError, match=file.name):
        solved(tmp_path, 3, recovery_limits=RecoveryLimits(seconds=1))


def test_a_cancelled_owner_stops_between_two_layers_of_another_division(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[LocalFleet] = []
    solved(tmp_path, 2, seen=seen)
    work = replace(seen[0].work, owners=3, num_shards=129)
    assert isinstance(work, WorkOrder)
    owner, file_of = owners.Owner(work, 1), owners.layer_file

    def cancel(folder: Path, layer: int) -> Path:
        if layer == 4:
            owner.cancel()
        return file_of(folder, layer)

    monkeypatch.setattr(owners, "layer_file", cancel)
    owner.take_over(30, ShardDivision(2, 128))
    assert owner._own.num_layers == 5
    owner.clear()


def test_a_search_with_too_many_ended_processes_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[LocalFleet] = []
    work = actors._LayerWork._go_back

    def kill_again(self: Any, owner: int) -> None:
        seen[0].kill(owner)
        work(self, owner)

    monkeypatch.setattr(actors._LayerWork, "_work", lambda self, owner: self._revive(owner))
    monkeypatch.setattr(actors._LayerWork, "_go_back", kill_again)
    with pytest.raises(ClusterError, match="3 actors died in one layer"):
        solved(tmp_path, 2, seen=seen, recovery_limits=RecoveryLimits(replacements=2, seconds=20))
    assert isinstance(seen[0].work, WorkOrder)


class _Full(LocalFleet):
    """A fleet for which the cluster has no room: its actors never start."""

    def wait(self, calls: list[Any], seconds: float) -> tuple[list[Any], list[Any]]:
        time.sleep(seconds)
        return [], calls

    def get(self, calls: list[Any], seconds: float | None = None) -> list[Any]:
        raise AssertionError("the driver would wait forever")

    def end(self, *, has_started: bool) -> None:
        assert not has_started  # otherwise Ray would wait for actors that cannot answer
        super().end(has_started=has_started)


@pytest.mark.parametrize("kind", ["disk", "index"])
def test_actors_that_never_start_end_the_search(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_fleet, "LocalFleet", _Full)
    recovery_limits = RecoveryLimits(seconds=0.1)
    compiled = fewest.load("tiles-2x4")
    with pytest.raises(ClusterError, match=r"not all of the 3 actors started within 0\.1 seconds"):
        if kind == "disk":
            solved(tmp_path, 3, recovery_limits=recovery_limits)
        else:
            make: Any = partial(local_fleet.local_parts, seen=[], recovery_limits=recovery_limits)
            compiled.explore(store=IndexLocation(make, owners=3, threads=1))


@pytest.mark.parametrize("kind", ["disk", "index"])
def test_a_time_limit_ends_the_wait_for_actors(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search reports the bound that it has proved: none at first, and later that of its complete layers."""
    compiled = fewest.load("tiles-2x4")
    minimum = compiled.solve().cost

    def place() -> StoreLocation | IndexLocation:
        if kind == "index":
            return IndexLocation(partial(local_fleet.local_parts, seen=[]), owners=3, threads=1)
        make: Any = partial(local_actors, seen=[])
        return StoreLocation(tmp_path / "store", make_workers=make, owners=3, threads=1)

    def limited() -> fewest.Result:
        with monkeypatch.context() as patch:
            patch.setattr(local_fleet, "LocalFleet", _Full)
            began = time.monotonic()
            found = compiled.solve(store=place(), seconds=0.2)
            explored = compiled.explore(store=place(), seconds=0.0)
        assert time.monotonic() - began < 20
        assert (explored.reason, explored.is_exhausted) == ("time", False)
        return found

    found = limited()
    assert (found.reason, found.cost, found.lower_bound) == ("time", None, 0)
    if kind == "disk":
        for depth, bound in ((5, 6), (minimum + 3, minimum)):
            compiled.explore(store=place(), depth=depth)
            found = limited()
            assert (found.reason, found.cost, found.lower_bound) == ("time", None, bound)
        assert compiled.solve(store=place()).cost == minimum

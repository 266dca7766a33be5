"""If owners in threads share the numbers of an index, the counts are those of one process. `test_cluster.py` tests
Ray."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

import fewest
from fewest import search
from fewest.cluster import exchange, index_actors, index_owner
from fewest.cluster.recovery import ActorEndedError, ClusterError, RecoveryLimits
from fewest.store import index_parts
from fewest.store.error_translation import StoreError
from fewest.store.index_workers import BLOCK, ends_of, read_saved
from fewest.store.location import IndexLocation
from tests.helpers.local_fleet import LocalFleet, local_parts

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="an index needs the native core")
FIELDS = (
    "num_states",
    "num_goal_states",
    "layers",
    "minimum",
    "goal_distances",
    "num_consistent",
    "is_exhausted",
    "is_to_depth",
)


def location(num_owners: int, **options: Any) -> IndexLocation:
    options.setdefault("seen", [])
    return IndexLocation(partial(local_parts, **options), owners=num_owners, threads=1)


def explored(name: str, metric: str, place: object, **options: Any) -> Any:
    return fewest.load(name).explore(metric, store=place, **options)  # type: ignore[arg-type]


def check(name: str, metric: str, num_owners: int, **options: Any) -> Any:
    alone = explored(name, metric, "index")
    found = explored(name, metric, location(num_owners, **options))
    assert [getattr(found, field) for field in FIELDS] == [
        getattr(alone, field) for field in FIELDS
    ]
    return found


@pytest.mark.parametrize(
    ("name", "metric", "num_owners"),
    [
        ("tiles-2x4", "moves", 3),  # processed by ranges
        ("quzzle", "turns", 4),  # processed state by state
        ("triangle-15", "jumps", 2),  # not reversible: many positions are dead
        ("wolf-goat-cabbage", None, 2),  # fewer numbers than a block: one owner has all of them
    ],
)
def test_owners_find_the_same_answer_as_one_process(
    name: str, metric: str, num_owners: int
) -> None:
    found = check(name, metric, num_owners)
    figures = found.store_figures
    assert (figures["owners"], figures["actors_replaced"]) == (num_owners, 0)
    assert (figures["bytes_exchanged"] > 0) == (name != "wolf-goat-cabbage")


@pytest.mark.parametrize(("name", "metric"), [("tiles-2x4", "moves"), ("swap-corners", "turns")])
def test_a_plan_is_found_by_halves(name: str, metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "_AGAIN", 0.001)
    compiled = fewest.load(name)
    found = compiled.solve(metric, store=location(3, lose_answers=7))
    alone = compiled.solve(metric, store="index")
    assert (found.cost, found.status) == (alone.cost, "optimal")
    assert found.plan is not None and len(found.plan.operators) > 0  # `solve` has replayed it
    assert found.statistics["layers"] == alone.statistics["layers"]
    assert found.statistics["generated"] == alone.statistics["generated"]


def test_small_pieces_and_a_full_outbox_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_owner, "OUTBOX", 1)
    monkeypatch.setattr(exchange, "_AGAIN", 0.001)
    monkeypatch.setattr(index_owner.IndexOwner.piece, "__defaults__", (1,))
    found = check("tiles-2x4", "moves", 5, lose_answers=5)
    assert found.store_figures["messages_per_layer"] > 5


def test_owners_that_end_are_replaced_and_change_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(index_actors, "_CHECK_EVERY", 0.05)
    monkeypatch.setattr(index_parts, "SAVE_EVERY", -1)
    monkeypatch.setattr(index_parts, "_KEEPING_TIMES", 0)
    chance, killed = random.Random(38), list[int]()
    seen: list[LocalFleet] = []

    def disturbed(name: str) -> Callable[..., Any]:
        method = getattr(index_actors.IndexActors, name)

        def disturb(self: Any, *arguments: Any, **options: Any) -> Any:
            if len(killed) < 12 and chance.random() < 0.1:
                killed.append(chance.randrange(3))
                if name == "move":  # the owner ends after the others have begun
                    look = arguments[0]
                    owner, left = killed[-1], [seen[0].kill]

                    def kill() -> None:
                        if left:
                            left.pop()(owner)
                        look()

                    arguments = (kill,)
                else:
                    seen[0].kill(killed[-1])
            return method(self, *arguments, **options)

        return disturb

    for name in ("move", "advance", "least", "figures", "mark_goals", "save"):
        monkeypatch.setattr(index_actors.IndexActors, name, disturbed(name))
    place = location(3, seen=seen)
    found = explored("tiles-2x4", "moves", place, checkpoint=str(tmp_path / "saved"))
    alone = explored("tiles-2x4", "moves", "index")
    assert [getattr(found, field) for field in FIELDS] == [
        getattr(alone, field) for field in FIELDS
    ]
    assert len(killed) == 12 and found.store_figures["actors_replaced"] >= 6


def test_too_many_owners_that_end(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[LocalFleet] = []
    begin = index_actors.IndexActors.begin

    def kill(self: Any, number: int) -> None:
        begin(self, number)
        seen[0].kill(1)

    monkeypatch.setattr(index_actors.IndexActors, "begin", kill)
    place = location(2, seen=seen, recovery_limits=RecoveryLimits(replacements=2, seconds=20))
    with pytest.raises(ClusterError, match="3 actors died in one layer"):
        explored("tiles-2x4", "moves", place)


def test_marks_move_between_clusters_of_different_sizes(tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    alone = explored("tiles-2x4", "moves", "index")
    for depth, owners in ((8, 2), (15, 5), (20, 3)):
        part = explored("tiles-2x4", "moves", location(owners), depth=depth, checkpoint=str(folder))
        assert part.is_to_depth and part.layers == alone.layers[: depth + 1]
        assert len(list(folder.glob("part-*"))) == owners
    found = explored("tiles-2x4", "moves", location(4), checkpoint=str(folder))
    assert [getattr(found, field) for field in FIELDS] == [
        getattr(alone, field) for field in FIELDS
    ]
    with pytest.raises(StoreError, match="belong to a search on a cluster"):
        explored("tiles-2x4", "moves", "index", checkpoint=str(folder))
    file = next(folder.glob("part-0001*"))
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    with pytest.raises(StoreError, match="checksum"):
        explored("tiles-2x4", "moves", location(2), checkpoint=str(folder))


def test_a_search_with_saved_marks_moves_to_more_owners(tmp_path: Path) -> None:
    alone = explored("tiles-2x4", "moves", "index")
    for folder, expected in ((tmp_path / "saved", (5, 1)), (None, (2, 0))):
        looks = iter([2] * 9)
        place = replace(location(2), owners_now=lambda looks=looks: next(looks, 5))
        saving = {} if folder is None else {"checkpoint": str(folder)}
        found = explored("tiles-2x4", "moves", place, **saving)
        assert [getattr(found, field) for field in FIELDS] == [
            getattr(alone, field) for field in FIELDS
        ]
        figures = found.store_figures
        assert (figures["owners"], figures["times_grown"]) == expected


def test_marks_of_one_process_are_not_those_of_a_cluster(tmp_path: Path) -> None:
    folder = str(tmp_path / "saved")
    explored("tiles-2x4", "moves", "index", depth=9, checkpoint=folder)
    with pytest.raises(StoreError, match="belong to a search in one process"):
        explored("tiles-2x4", "moves", location(2), checkpoint=folder)


def test_limits_end_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_parts, "_LOOK", 0.0)
    found = explored("tiles-2x4", "moves", location(2), seconds=0.0)
    assert (found.reason, found.is_exhausted) == ("time", False)

    def interrupt(progress: search.Progress) -> None:
        if progress.cost >= 10:
            raise KeyboardInterrupt

    found = explored("tiles-2x4", "moves", location(2), progress=interrupt)
    assert found.reason == "interrupted"
    alone = explored("tiles-2x4", "moves", "index")
    assert found.layers == alone.layers[: len(found.layers)]


@pytest.mark.parametrize("limit", ["interrupted", "time"])
def test_a_limit_ends_the_wait_for_a_new_node(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_parts, "_LOOK", 0.0)
    seen: list[LocalFleet] = []
    calls: list[int] = []

    def lose(progress: search.Progress) -> None:
        if progress.cost < 10:
            return
        calls.append(progress.cost)
        if len(calls) == 1:
            seen[0].withdraw(1)
        elif len(calls) > 3 and limit == "interrupted":
            raise KeyboardInterrupt

    seconds = {"seconds": 4.0} if limit == "time" else {}
    found = explored("tiles-2x5", "moves", location(2, seen=seen), progress=lose, **seconds)
    assert len(calls) > 3
    assert (found.reason, len(found.layers) >= 10) == (limit, True)


def test_ranges_are_of_whole_blocks(tmp_path: Path) -> None:
    assert ends_of(10 * BLOCK + 1, 4) == (3 * BLOCK, 6 * BLOCK, 9 * BLOCK, 10 * BLOCK + 1)
    assert ends_of(5, 3) == (5, 5, 5)
    assert read_saved(tmp_path, 5) is None


def test_all_finished_owners_are_checked_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    class Fleet:
        """Every owner still runs, except the last one, which restarted after its answer."""

        def __init__(self) -> None:
            self.checked: list[int] = []

        def call(self, owner: int, _method: str, *_arguments: Any, **_options: Any) -> int:
            self.checked.append(owner)
            return owner

        def get(self, calls: list[int], _seconds: float) -> list[bool]:
            return [owner != 4 for owner in calls]

    monkeypatch.setattr(index_actors, "_FIGURES_OF", 2)
    actors, fleet = object.__new__(index_actors.IndexActors), Fleet()
    actors._fleet, actors._step, actors._next_checked = fleet, 1, 0  # type: ignore[assignment]
    actors._recovery = SimpleNamespace(epoch=0)  # type: ignore[assignment]
    with pytest.raises(ActorEndedError):
        for _ in range(3):
            actors._check_finished([0, 1, 2, 3, 4])
    assert fleet.checked == [0, 1, 2, 3, 4, 0]

"""Shards on several Ray nodes of one machine give the answers of one process, even if actors and nodes die."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import fewest
from fewest import search
from fewest.errors import UsageError
from fewest.store.metadata import read_record
from fewest.store.shard_division import ShardDivision
from tests.helpers.command_line import run

ray = pytest.importorskip("ray", reason="the extra `cluster` is not installed")

pytestmark = [
    pytest.mark.skipif(not search.NATIVE, reason="stores need the native core"),
    pytest.mark.filterwarnings("ignore"),  # Ray itself causes warnings
    pytest.mark.slow,  # starting the nodes takes about ten seconds
]


@pytest.mark.parametrize(
    ("name", "metric", "symmetry"),
    [
        ("tiles-2x4", "moves", "off"),
        ("heng-dao-li-ma", "turns", "on"),
        ("microban-001", "pushes", "off"),
        ("triangle-15", "jumps", "off"),
    ],
)
def test_a_cluster_answers_as_one_process_does(
    name: str, metric: str, symmetry: str, nodes: object, tmp_path: Path
) -> None:
    from fewest.cluster.connect import cluster_location

    compiled = fewest.load(name)
    expected = compiled.explore(metric, symmetry=symmetry, consistent=False)
    with cluster_location(nodes.address, f"disk:{tmp_path / 'store'}", 3) as place:  # type: ignore[attr-defined]
        found = compiled.explore(metric, symmetry=symmetry, store=place)
        result = compiled.solve(metric, symmetry=symmetry, store=place)
    for field in (
        "num_states",
        "num_goal_states",
        "layers",
        "minimum",
        "canonical_states",
        "goal_distances",
    ):
        assert getattr(found, field) == getattr(expected, field)
    if metric in ("moves", "jumps"):
        assert found.num_plans == expected.num_plans
    assert result.cost == expected.minimum
    stored = result.statistics["store"]
    assert (stored["actors"], stored["owners"], stored["actors_replaced"]) == (3, 3, 0)


def test_actors_that_are_killed_are_replaced_and_change_nothing(
    nodes: object, tmp_path: Path
) -> None:
    from fewest.cluster import actors, fleet
    from fewest.cluster.connect import cluster_location

    compiled, killed = fewest.load("tiles-2x5"), threading.Event()
    # This store generates as few states as the shards of a cluster.
    alone = f"disk:{tmp_path / 'alone'}"
    whole = compiled.solve(exhaust=True, symmetry="off", store=alone).statistics

    def kill(progress: search.Progress) -> None:
        if progress.cost >= 20 and not killed.is_set():
            killed.set()
            ray.kill(made[0]._fleet._owners[1], no_restart=False)

    made: list[actors.Actors] = []

    def remember(work: object) -> actors.Actors | None:
        made.append(fleet.actors(work))  # type: ignore[arg-type]
        return made[0]

    with cluster_location(nodes.address, f"disk:{tmp_path / 'store'}", 2) as place:  # type: ignore[attr-defined]
        from msgspec.structs import replace

        result = compiled.solve(
            exhaust=True, symmetry="off", store=replace(place, make_workers=remember), progress=kill
        )
    assert killed.is_set()
    found = result.statistics
    for field in ("states", "expanded", "generated", "layers"):
        assert found[field] == whole[field]
    assert found["store"]["actors_replaced"] >= 1


def test_an_actor_that_dies_in_the_search_from_the_goals_is_replaced(
    nodes: object, tmp_path: Path
) -> None:
    from msgspec.structs import replace

    from fewest.cluster import actors, fleet
    from fewest.cluster.connect import cluster_location

    compiled = fewest.load("odd-crates")  # some moves of this puzzle are not reversible
    made: list[actors.Actors] = []
    killed = threading.Event()

    def remember(work: object) -> actors.Actors | None:
        made.append(fleet.actors(work))  # type: ignore[arg-type]
        return made[-1]

    def kill(_: search.Progress) -> None:
        if len(made) == 2 and made[1]._num_layers > 5 and not killed.is_set():
            killed.set()
            ray.kill(made[1]._fleet._owners[0], no_restart=False)

    with cluster_location(nodes.address, f"disk:{tmp_path / 'store'}", 2) as place:  # type: ignore[attr-defined]
        found = compiled.explore(store=replace(place, make_workers=remember), progress=kill)
    assert killed.is_set() and made[1]._recovery.replaced >= 1
    assert found.goal_distances == compiled.explore(plans=False).goal_distances


def test_removing_a_node_does_not_change_the_answer(nodes: object, tmp_path: Path) -> None:
    from fewest.cluster.connect import cluster_location

    gone = nodes.add_node(num_cpus=2, node_ip_address="127.0.0.1")  # type: ignore[attr-defined]
    removed = threading.Event()

    def remove(progress: search.Progress) -> None:
        if progress.cost >= 15 and not removed.is_set():
            removed.set()
            nodes.remove_node(gone, allow_graceful=False)  # type: ignore[attr-defined]
            time.sleep(0.1)

    with cluster_location(nodes.address, f"disk:{tmp_path / 'store'}", 4) as place:  # type: ignore[attr-defined]
        found = fewest.load("tiles-2x5").explore(store=place, progress=remove)
    assert removed.is_set() and found.num_states == 1_814_400


def test_actors_without_a_node_wait_for_one_that_joins(nodes: object, tmp_path: Path) -> None:
    from fewest.cluster.connect import cluster_location

    cluster: Any = nodes
    gone = cluster.add_node(num_cpus=2, node_ip_address="127.0.0.1")
    removed: list[float] = []
    joined: list[Any] = []

    def disturb(progress: search.Progress) -> None:
        if not removed and progress.cost >= 15:
            cluster.remove_node(gone, allow_graceful=False)
            removed.append(time.monotonic())
        elif removed and not joined and time.monotonic() > removed[0] + 3:
            joined.append(cluster.add_node(num_cpus=2, node_ip_address="127.0.0.1"))

    # The seven actors need all seven processors.
    with cluster_location(cluster.address, f"disk:{tmp_path / 'store'}", 7) as place:
        found = fewest.load("tiles-2x5").explore(store=place, progress=disturb)
    cluster.remove_node(joined[0])
    assert found.num_states == 1_814_400
    assert found.to_json()["store"]["actors_replaced"] >= 2


def test_a_store_moves_between_clusters_of_different_sizes(nodes: object, tmp_path: Path) -> None:
    from fewest.cluster.connect import cluster_location

    compiled, store = fewest.load("tiles-2x4"), f"disk:{tmp_path / 'store'}"
    expected = compiled.explore()
    with cluster_location(nodes.address, store, 2) as place:  # type: ignore[attr-defined]
        compiled.explore(store=place, depth=9)
    with cluster_location(nodes.address, store, 5) as place:  # type: ignore[attr-defined]
        assert compiled.explore(store=place).layers == expected.layers
    assert read_record(tmp_path / "store").division == ShardDivision(5, 130)
    found = compiled.explore(store=store)  # in one process
    assert (found.layers, found.goal_distances) == (expected.layers, expected.goal_distances)
    assert not list((tmp_path / "store").glob("owner-*"))
    with cluster_location(nodes.address, store, 3) as place:  # type: ignore[attr-defined]
        again = compiled.explore(store=place)
    assert (again.layers, again.goal_distances) == (expected.layers, expected.goal_distances)


def test_an_existing_connection_is_used_and_remains_open(nodes: object, tmp_path: Path) -> None:
    from fewest.cluster.connect import cluster_location

    ray.init(address=nodes.address, log_to_driver=False)  # type: ignore[attr-defined]
    try:
        with cluster_location("here", f"disk:{tmp_path / 'store'}", 2) as place:
            found = fewest.load("tiles-2x4").explore(store=place, depth=9)
        assert ray.is_initialized()
        figures = found.to_json()["store"]
    finally:
        ray.shutdown()
    assert (figures["owners"], figures["nodes"], figures["actors_replaced"]) == (2, 3, 0)
    assert figures["bytes_exchanged"] > 0 and figures["messages_per_layer"] >= 2


@pytest.mark.parametrize(
    "changes",
    [
        {"RAY_AUTH_TOKEN": "another"},
        {"RAY_AUTH_TOKEN": None, "HOME": "without-a-token"},
        {"RAY_AUTH_MODE": "disabled"},
    ],
)
def test_a_wrong_token_is_refused(changes: dict[str, str | None], nodes: object) -> None:
    began = time.monotonic()
    done = run_with(changes, nodes, "disk:unused")
    assert done.returncode == 3 and "rejects this machine" in done.stdout
    assert "put the token of the cluster into" in done.stdout
    assert time.monotonic() - began < 15  # Ray itself tries for 20 seconds


def test_a_token_is_used_even_if_the_mode_is_not_set(nodes: object, tmp_path: Path) -> None:
    """Ray itself uses the token only for a cluster that it finds without an address."""
    done = run_with({"RAY_AUTH_MODE": None}, nodes, f"disk:{tmp_path / 'store'}")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["states"] == 360


def run_with(
    changes: dict[str, str | None], nodes: object, store: str
) -> subprocess.CompletedProcess[str]:
    """A search in a separate process, with changes to the environment variables."""
    env = {**os.environ, **changes}
    command = ["explore", "tiles-2x3", "--store", store, "--cluster", nodes.address, "--json"]  # type: ignore[attr-defined]
    return subprocess.run(
        [sys.executable, "-P", "-m", "fewest", *command],
        env={name: value for name, value in env.items() if value is not None},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_more_actors_than_this_machine_has_processors_are_refused() -> None:
    refused = run("explore", "tiles-2x3", "--store", "index", "--cluster", "--actors", "5000")
    assert (refused.returncode, ray.is_initialized()) == (2, False)
    assert "5,000 actors need 5,000 processors" in refused.stderr


@pytest.mark.parametrize("store", ["disk", "index"])
def test_a_time_limit_ends_the_wait_for_actors_without_room(
    nodes: object, store: str, tmp_path: Path
) -> None:
    where = f"disk:{tmp_path / 'store'}" if store == "disk" else "index"
    command = ["solve", "tiles-2x4", "--store", where, "--cluster", nodes.address]  # type: ignore[attr-defined]
    done = run(*command, "--actors", "99", "--time", "3s", "--json")
    assert done.returncode == 4, done.stderr
    found = json.loads(done.stdout)
    assert (found["reason"], found["lower_bound"]) == ("time", 0)


def test_a_cluster_needs_a_folder_of_its_own() -> None:
    from fewest.cluster.connect import cluster_location

    with (
        pytest.raises(UsageError, match="a folder that all nodes share"),
        cluster_location("here", ""),
    ):
        pass
    with (
        pytest.raises(UsageError, match="different current folders"),
        cluster_location("here", "disk:file://store"),
    ):
        pass


def test_an_index_on_a_cluster_outlives_an_actor_and_a_node(nodes: object, tmp_path: Path) -> None:
    from fewest.cluster import fleet, index_actors
    from fewest.cluster.connect import cluster_index
    from fewest.store.index_workers import PartOrder
    from fewest.store.location import IndexLocation

    compiled = fewest.load("tiles-2x5")
    alone = compiled.explore(store="index")
    gone = nodes.add_node(num_cpus=2, node_ip_address="127.0.0.1")  # type: ignore[attr-defined]
    made: list[index_actors.IndexActors] = []
    left = ["node", "actor"]

    def remember(order: PartOrder) -> index_actors.IndexActors:
        made.append(fleet.index_actors(order))
        return made[0]

    def disturb(progress: search.Progress) -> None:
        if left[-1:] == ["actor"] and progress.cost >= 12:
            left.pop()
            ray.kill(made[0]._fleet._owners[1], no_restart=False)  # type: ignore[attr-defined]
        elif left and progress.cost >= 20:
            left.pop()
            nodes.remove_node(gone, allow_graceful=False)  # type: ignore[attr-defined]

    with cluster_index(nodes.address, 4) as place:  # type: ignore[attr-defined]
        place = IndexLocation(remember, owners=place.owners, threads=place.threads)
        found = compiled.explore(store=place, progress=disturb, checkpoint=str(tmp_path / "saved"))
    assert not left
    for field in ("num_states", "num_goal_states", "layers", "minimum", "goal_distances"):
        assert getattr(found, field) == getattr(alone, field)
    figures = found.to_json()["store"]
    assert figures["owners"] == 4 and figures["actors_replaced"] >= 1
    assert figures["bytes_exchanged"] > 0 and figures["bytes_per_owner"] > 0


def test_all_boards_of_a_spec_are_counted_on_a_cluster(nodes: object, tmp_path: Path) -> None:
    from tests.commands.generate.test_indexed import JAMS

    spec = tmp_path / "jams.yaml"
    spec.write_text(JAMS)
    command = ["generate", str(spec), "--exhaustive", "--store", "index", "-m", "slides", "--json"]
    alone = json.loads(run(*command).stdout)
    command += [
        "--cluster",
        nodes.address,
        "--actors",
        "3",
        "--checkpoint",
        str(tmp_path / "saved"),
    ]  # type: ignore[attr-defined]
    found = json.loads(run(*command).stdout)
    for key in ("positions", "reason"):
        assert found[key] == alone[key]
    (one,), (other,) = found["metrics"], alone["metrics"]
    assert one["positions_by_minimum"] == other["positions_by_minimum"]
    assert (one["minimum"], len(one["best"])) == (7, len(other["best"]))


@pytest.mark.parametrize("store", ["disk", "index"])
def test_a_search_uses_nodes_that_join(
    nodes: object, store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fewest.cluster import connect

    monkeypatch.setattr(connect, "LOOK_EVERY", 0.0)
    compiled = fewest.load("tiles-2x4")
    alone = compiled.explore(store="index")
    added: list[object] = []

    def join(progress: search.Progress) -> None:
        if not added and progress.cost >= 8:
            added.append(nodes.add_node(num_cpus=2, node_ip_address="127.0.0.1"))  # type: ignore[attr-defined]

    folder = str(tmp_path / "saved")
    try:
        if store == "disk":
            with connect.cluster_location(nodes.address, f"disk:{folder}") as place:  # type: ignore[attr-defined]
                before = place.owners
                found = compiled.explore(store=place, progress=join)
        else:
            with connect.cluster_index(nodes.address) as marks:  # type: ignore[attr-defined]
                before = marks.owners
                found = compiled.explore(store=marks, progress=join, checkpoint=folder)
    finally:
        for node in added:
            nodes.remove_node(node)  # type: ignore[attr-defined]
    for field in ("num_states", "num_goal_states", "layers", "minimum", "goal_distances"):
        assert getattr(found, field) == getattr(alone, field)
    figures = found.to_json()["store"]
    assert (figures["owners"], figures["times_grown"]) == (before + 2, 1)


def test_a_search_grows_by_a_quarter_at_least(monkeypatch: pytest.MonkeyPatch) -> None:
    from fewest.cluster import connect

    nodes_now = [4, 4]
    monkeypatch.setattr(connect, "processors", lambda: nodes_now)
    room = connect.Growth(owners=4, threads=2)
    nodes_now.append(4)
    assert room() == 4  # the driver does not look for new nodes yet
    monkeypatch.setattr(connect, "LOOK_EVERY", 0.0)
    assert room() == 6
    nodes_now.append(2)
    assert room() == 6
    nodes_now.clear()
    assert room() == 6  # the search ignores a smaller cluster

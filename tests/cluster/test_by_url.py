"""Actors write layers to an object store; the answers are those of one process, even if actors and the driver die."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import fewest
from fewest import search

ray = pytest.importorskip("ray", reason="the extra `cluster` is not installed")
pytest.importorskip("fsspec", reason="the extra `cluster` is not installed")

pytestmark = [
    pytest.mark.skipif(not search.NATIVE, reason="stores need the native core"),
    pytest.mark.filterwarnings("ignore"),  # Ray itself causes warnings
    pytest.mark.slow,  # starting the nodes takes about ten seconds
]


@pytest.fixture
def url(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    before = set(Path(tempfile.gettempdir()).glob("fewest-*"))
    yield f"file://{tmp_path}/saved"
    # No node leaves a file behind.
    assert set(Path(tempfile.gettempdir()).glob("fewest-*")) <= before


@pytest.mark.parametrize(
    ("name", "metric"),
    [("tiles-2x4", "moves"), ("triangle-15", "jumps"), ("microban-001", "pushes")],
)
def test_a_store_by_url_has_the_answers_of_a_search_in_memory(
    name: str, metric: str, nodes: object, url: str
) -> None:
    from fewest.cluster.connect import cluster_location

    compiled = fewest.load(name)
    expected = compiled.explore(metric, consistent=False)
    with cluster_location(nodes.address, f"disk:{url}", 3) as place:  # type: ignore[attr-defined]
        found = compiled.explore(metric, store=place)
        result = compiled.solve(metric, store=place)
    for field in ("num_states", "num_goal_states", "layers", "minimum"):
        assert getattr(found, field) == getattr(expected, field)
    assert (result.cost, result.statistics["store"]["folder"]) == (expected.minimum, url)


def test_the_memory_of_one_process_is_seen_by_all(nodes: object) -> None:
    from fewest.cluster.connect import cluster_location

    compiled = fewest.load("tiles-2x4")
    with cluster_location(nodes.address, "disk:memory://saved", 2) as place:  # type: ignore[attr-defined]
        assert compiled.explore(store=place, depth=9).is_to_depth
        found = compiled.explore(store=place)
        assert place.backend is not None and place.backend.num_bytes() > 20_160
    assert found.layers == compiled.explore().layers


@pytest.mark.parametrize("url", ["file", "memory"], indirect=True)
def test_an_owner_that_returns_fetches_its_layers(
    nodes: object, url: str, request: pytest.FixtureRequest
) -> None:
    from msgspec.structs import replace

    from fewest.cluster import actors
    from fewest.cluster.connect import cluster_location

    if request.node.callspec.params["url"] == "memory":
        url = "memory://saved-too"
    compiled, killed = fewest.load("tiles-2x5"), threading.Event()
    made: list[actors.Actors] = []

    def kill(progress: search.Progress) -> None:
        if progress.cost >= 20 and not killed.is_set():
            killed.set()
            folder = place.folder / "owner-0001-of-0002"
            assert (folder / "layer-000019").exists()
            # An actor on a different machine would not have these files.
            for layer in folder.glob("layer-*"):
                layer.unlink()
            ray.kill(made[0]._fleet._owners[1], no_restart=False)

    with cluster_location(nodes.address, f"disk:{url}", 2) as place:  # type: ignore[attr-defined]
        assert place.make_workers is not None
        make = place.make_workers

        def remember(work: object) -> object:
            made.append(make(work))  # type: ignore[arg-type]
            return made[0]

        result = compiled.solve(
            exhaust=True,
            symmetry="off",
            store=replace(place, make_workers=remember),
            progress=kill,
        )
    assert killed.is_set()
    assert (result.statistics["states"], result.cost) == (1_814_400, compiled.solve().cost)
    assert result.statistics["store"]["actors_replaced"] >= 1


def test_the_command_resumes_from_a_url(nodes: object, url: str) -> None:
    import json
    import subprocess
    import sys

    def answer_of(*arguments: str) -> dict[str, object]:
        command = [sys.executable, "-P", "-m", "fewest", *arguments, "--json"]
        command += ["--cluster", nodes.address]  # type: ignore[attr-defined]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        found: dict[str, object] = json.loads(done.stdout)
        return found

    first = answer_of("explore", "tiles-2x4", "--checkpoint", url, "--depth", "9", "--actors", "2")
    layers = first["layers"]
    assert isinstance(layers, list) and len(layers) == 10
    again = answer_of("solve", "tiles-2x4", "--checkpoint", url)
    expected = fewest.load("tiles-2x4").solve()
    assert again["cost"] == expected.cost
    resumed = answer_of("resume", url)
    assert (resumed["cost"], resumed["plan"]) == (again["cost"], again["plan"])

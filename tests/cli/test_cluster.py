"""With `--cluster`, commands send the right jobs to the given address. The tests of Ray itself are in
`tests/cluster`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fewest.cli import cluster
from fewest.machine.processes import in_processes
from tests.helpers.command_line import run, without_seconds

LEVELS = "IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM\nooooooooooooooAAoooooooooooooooooooo\n"
SWEEP = ("sweep", "hanoi", "disks=1..4", "--csv")


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Replaces the cluster with local processes. The value is the list of addresses and job counts that this
    replacement receives."""
    requests: list[Any] = []

    @contextmanager
    def connected(address: str) -> Iterator[None]:
        requests.append(address)
        yield
        requests.append("left")

    def on_cluster(*arguments: Any, jobs: int | None) -> Any:
        requests.append(jobs)
        return in_processes(*arguments, jobs=jobs or 2)

    rooms = {
        "connect": SimpleNamespace(connected=connected),
        "tasks": SimpleNamespace(on_cluster=on_cluster),
    }
    monkeypatch.setattr(cluster, "_of_ray", rooms.__getitem__)
    return requests


def test_a_sweep_is_handed_to_a_cluster(requests: list[Any]) -> None:
    far = run(*SWEEP, "--cluster", "10.0.0.1:6379")
    assert requests == ["10.0.0.1:6379", None, "left"]
    assert without_seconds(far.stdout) == without_seconds(run(*SWEEP).stdout)
    run(*SWEEP, "--jobs", "3", "--cluster")
    assert requests[3:] == ["here", 3, "left"]


def test_a_check_is_handed_to_a_cluster(requests: list[Any], tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "puzzle: a\nmodel: rush-hour\nboard: XX.\nexpect: {steps: 2}\n"
    )
    far, near = (run("check", str(tmp_path), *more) for more in (("--cluster",), ()))
    assert requests == ["here", None, "left"]
    assert far.returncode == near.returncode == 1
    assert without_seconds(far.stdout) == without_seconds(near.stdout)


def test_a_collection_is_handed_to_a_cluster_without_a_store(
    requests: list[Any], tmp_path: Path
) -> None:
    levels = tmp_path / "two.rush"
    levels.write_text(LEVELS)
    call = ("solve", str(levels), "-m", "slides")
    far = run(*call, "--threads", "2", "--cluster")
    assert requests == ["here", 2, "left"]
    assert far.returncode == 0 and "2 levels: 2 proven minimal" in far.stdout
    refused = run(*call, "--cluster", "--actors", "2")
    assert refused.returncode == 2 and "--actors" in refused.stderr
    refused = run(*call, "--cluster", "--store", f"disk:{tmp_path}/s")
    assert refused.returncode == 2 and "--store" in refused.stderr
    assert requests[3:] == []


def test_a_search_is_handed_to_actors(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="the extra `cluster` is not installed")
    from fewest.cluster import actors

    requests: list[Any] = []

    @contextmanager
    def cluster_location(address: str, store: str, *more: Any) -> Iterator[str]:
        requests.append((address, store, *more))
        yield store

    connect = SimpleNamespace(
        cluster_location=cluster_location, RecoveryLimits=actors.RecoveryLimits
    )
    monkeypatch.setattr(cluster, "_of_ray", lambda _: connect)
    store = f"disk:{tmp_path}/saved"
    call = ("explore", "wolf-goat-cabbage", "--store", store, "--json")
    found = json.loads(run(*call, "--cluster", "10.0.0.1:6379", "--actors", "3").stdout)
    assert found["store"]["folder"] == f"{tmp_path}/saved" and found["states"] == 10
    options = ("--replacements", "5", "--node-wait", "2m")
    assert run(*call[:-1], "--cluster", *options).returncode == 0
    assert requests == [
        ("10.0.0.1:6379", store, 3, actors.RecoveryLimits()),
        ("here", store, None, actors.RecoveryLimits(5, 120.0)),
    ]
    refused = run(*call, "--node-wait", "2m")
    assert refused.returncode == 2 and "--node-wait needs --cluster" in refused.stdout


def test_memory_is_shared_as_by_a_job_for_each_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "memory_to_use", lambda: 12 << 30)
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    each = partial(cluster.memory_each, None)
    assert [each(jobs, None) >> 30 for jobs in (None, 1, 3)] == [12, 12, 4]
    assert [each(jobs, "here") >> 30 for jobs in (None, 1, 3)] == [3, 3, 3]
    assert cluster.memory_each(1 << 20, 3, "here") == 1 << 20


@pytest.mark.parametrize("command", ["solve", "check", "sweep"])
def test_without_ray_the_extra_is_named(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    for room in ("connect", "tasks"):
        monkeypatch.delitem(sys.modules, f"fewest.cluster.{room}", raising=False)
    levels = tmp_path / "two.rush"
    levels.write_text(LEVELS)
    words = {"solve": ("solve", str(levels)), "check": ("check",), "sweep": SWEEP}[command]
    done = run(*words, "--cluster")
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install '.[cluster]'" in done.stderr

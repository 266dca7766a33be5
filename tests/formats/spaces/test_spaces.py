"""NumPy, polars and networkx read exported state spaces, and these agree with the rules."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from io import BytesIO
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

import fewest
from fewest.commands.explore.export import SPACE_FILES
from fewest.errors import UsageError
from fewest.model.answer import LimitReached
from fewest.model.states import decode
from fewest.playing.exhaust import exhaust
from tests.helpers.command_line import run

GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"
PUZZLES = [
    ("jugs", "moves"),
    ("microban-001", "pushes"),
    ("microban-001", "pushes-then-moves"),
    ("forty-01", "turns"),
]


def arrays(name: str, metric: str, folder: Path) -> dict[str, np.ndarray]:
    path = folder / "space.npz"
    assert fewest.load(name).write_space(path, metric) == path.stat().st_size
    with np.load(path) as file:
        return dict(file)


@pytest.mark.parametrize(("name", "metric"), PUZZLES)
def test_arrays_contain_every_position_with_its_distances(
    name: str, metric: str, tmp_path: Path
) -> None:
    compiled = fewest.load(name)
    found = arrays(name, metric, tmp_path)
    reach = exhaust(compiled.puzzle, compiled.puzzle.metrics[metric], 2_000_000)
    explored = compiled.explore(metric)
    assert len(found["states"]) == explored.num_states == len(reach.costs)
    for state, cost in zip(found["states"], found["start_distance"].tolist(), strict=True):
        number = int.from_bytes(state.astype("<u8").tobytes(), "little")
        position = decode(compiled.puzzle, compiled.task, number)
        assert reach.costs[position] == tuple(cost)
        true = {found["facts"][bit] for bit in range(number.bit_length()) if number >> bit & 1}
        assert true == {
            compiled.task.facts[f].name for f in range(64 * len(state)) if number >> f & 1
        }
    assert found["goal"].sum() == explored.num_goal_states
    assert explored.goal_distances is not None
    assert (found["goal_distance"][:, 0] < 0).sum() == explored.goal_distances.num_dead
    minimum = explored.minimum if isinstance(explored.minimum, tuple) else (explored.minimum,)
    assert tuple(found["goal_distance"][0]) == minimum
    assert found["metric"] == metric


def test_a_move_of_the_arrays_leads_to_its_target(tmp_path: Path) -> None:
    found = arrays("jugs", "moves", tmp_path)
    task = fewest.load("jugs").task
    for source in range(len(found["states"])):
        for edge in range(found["first"][source], found["first"][source + 1]):
            operator = task.operators[found["operator"][edge]]
            assert operator.apply(int(found["states"][source, 0])) == int(
                found["states"][found["target"][edge], 0]
            )
            assert found["moves"][found["operator"][edge]].startswith(operator.rule)


@pytest.mark.parametrize(("name", "metric"), PUZZLES[:3])
def test_a_graph_is_the_same_as_the_arrays(name: str, metric: str, tmp_path: Path) -> None:
    found = arrays(name, metric, tmp_path)
    fewest.load(name).write_space(tmp_path / "space.graphml", metric)
    graph = ElementTree.parse(tmp_path / "space.graphml").getroot().find(f"{GRAPHML}graph")
    assert graph is not None
    nodes = graph.findall(f"{GRAPHML}node")
    assert [node.get("id") for node in nodes] == [str(i) for i in range(len(found["states"]))]
    data = [{d.get("key"): d.text for d in node} for node in nodes]
    parts = found["start_distance"].shape[1]
    for part in range(parts):
        suffix = f"_{part + 1}" if parts > 1 else ""
        starts = [int(row[f"start_distance{suffix}"] or "") for row in data]
        assert starts == found["start_distance"][:, part].tolist()
        goals = [int(row.get(f"goal_distance{suffix}") or -1) for row in data]
        assert goals == found["goal_distance"][:, part].tolist()
    assert [row["goal"] == "true" for row in data] == found["goal"].tolist()
    assert len({row["position"] for row in data}) == len(data)
    edges = graph.findall(f"{GRAPHML}edge")
    assert [int(edge.get("target", "")) for edge in edges] == found["target"].tolist()


def test_a_position_of_the_file_is_read_again(tmp_path: Path) -> None:
    compiled = fewest.load("jugs")
    compiled.write_space(tmp_path / "space.graphml")
    graph = ElementTree.parse(tmp_path / "space.graphml").getroot().find(f"{GRAPHML}graph")
    assert graph is not None
    for node in graph.findall(f"{GRAPHML}node"):
        data = {d.get("key"): d.text for d in node}
        answer = compiled.at(data["position"] or "").solve()
        assert answer.cost == int(data["goal_distance"] or "")


def test_a_table_is_the_same_as_the_arrays(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    for name, metric in PUZZLES:
        found = arrays(name, metric, tmp_path)
        fewest.load(name).write_space(tmp_path / "space.parquet", metric)
        table = parquet.read_table(tmp_path / "space.parquet").to_pydict()
        parts = found["start_distance"].shape[1]
        for column in ("start_distance", "goal_distance"):
            for part in range(parts):
                values = table[f"{column}_{part + 1}" if parts > 1 else column]
                assert [-1 if v is None else v for v in values] == found[column][:, part].tolist()
        assert table["goal"] == found["goal"].tolist()
        assert list(chain(*table["successors"])) == found["target"].tolist()
        assert list(chain(*table["moves"])) == found["moves"][found["operator"]].tolist()


def test_errors_about_files_come_before_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = run("explore", "tiles-3x4", "--write", str(tmp_path / "space.csv"))
    assert done.returncode == 2
    assert "name a file that ends in .npz, .parquet or .graphml" in done.stderr
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match="pyarrow"):
        fewest.load("jugs").write_space(tmp_path / "space.parquet")
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", SPACE_FILES)
def test_a_limit_leaves_no_file_and_is_reported(suffix: str, tmp_path: Path) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"space{suffix}"
    with pytest.raises(LimitReached):
        fewest.load("hardest-6x6").write_space(path, memory=1 << 16)
    assert not any(tmp_path.iterdir())


def test_the_command_writes_beside_its_table(tmp_path: Path) -> None:
    path = tmp_path / "space.npz"
    done = run("explore", "jugs", "--write", str(path))
    assert done.returncode == 0, done.stderr
    assert "16 reachable positions" in done.stdout
    assert f"all positions are in {path}" in done.stderr
    assert np.load(BytesIO(path.read_bytes()))["goal"].sum() > 0
    limited = run("explore", "tiles-3x4", "--write", str(tmp_path / "large.npz"), "--time", "0.3")
    assert limited.returncode == 4
    assert "was not written: time limit" in limited.stderr
    assert not (tmp_path / "large.npz").exists()

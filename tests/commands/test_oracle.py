"""Oracle files contain exact distances, contain none for unreachable states, and reveal damage."""

from __future__ import annotations

import json
import mmap
from itertools import pairwise
from math import comb
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import fewest
from fewest.commands.oracle import BLOCK, OracleError, UnreachableError, encode_oracle, open_oracle
from fewest.errors import DocumentError
from fewest.model.costs import cost_table
from fewest.model.metric import metric_of
from fewest.playing.exhaust import TooManyPositionsError, exhaust
from fewest.space.distances import goal_distances
from fewest.space.ranking import ranking
from fewest.space.state_graph import build_state_graph
from tests.helpers.agreement import compiled_or_none, relaxed
from tests.helpers.command_line import run
from tests.helpers.random_puzzles import puzzles


def write(compiled: fewest.CompiledPuzzle, metric: str, path: Path) -> None:
    task = compiled.task
    space = build_state_graph(task.problem)
    chosen = metric_of(task, metric)
    distances = goal_distances(space, cost_table(task, chosen))
    path.write_bytes(b"".join(encode_oracle(task, chosen, space, distances, {"puzzle": "it"})))


@settings(relaxed, max_examples=40)
@given(text=puzzles(), flips=st.lists(st.integers(0, 200), max_size=30))
def test_an_oracle_knows_exactly_what_breadth_first_search_knows(
    tmp_path_factory: pytest.TempPathFactory, text: str, flips: list[int]
) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    task = compiled.task
    try:
        exhaust(compiled.puzzle, next(iter(compiled.puzzle.metrics.values())), 400)
    except (TooManyPositionsError, DocumentError):
        assume(False)
    space = build_state_graph(task.problem)
    states = {space.integer(state): state for state in range(len(space))}
    path = tmp_path_factory.mktemp("oracle") / "it.oracle"
    for metric in compiled.puzzle.metrics.values():
        write(compiled, metric.name, path)
        oracle = open_oracle(path)
        oracle.check(task, metric)
        distances = goal_distances(space, cost_table(task, metric))
        for state, state_id in states.items():
            assert oracle.cost(state) == distances.cost(state_id)
        for number, flip in enumerate(flips):
            other = list(states)[number % len(states)] ^ 1 << flip % max(1, len(task.facts))
            assert (oracle.find(other) is not None) == (other in states)
            if task.operators:
                moved = other ^ task.operators[flip % len(task.operators)].flip
                assert (oracle.find(moved) is not None) == (moved in states)
        oracle.close()


@pytest.mark.parametrize(
    ("name", "metric"),
    [("heng-dao-li-ma", "turns"), ("hardest-6x6", "slides"), ("microban-001", "pushes-then-moves")],
)
def test_answers_equal_a_search_from_random_positions(
    name: str, metric: str, tmp_path: Path
) -> None:
    compiled = fewest.load(name)
    path = tmp_path / "it.oracle"
    built = compiled.build_oracle(path, metric)
    assert built.num_bytes == path.stat().st_size
    oracle = open_oracle(path)
    space = build_state_graph(compiled.task.problem)
    random = np.random.default_rng(2)
    from fewest.model.states import decode

    for state_id in random.choice(len(space), 5, replace=False).tolist():
        position = decode(compiled.puzzle, compiled.task, space.integer(state_id))
        looked_up = compiled.hint(position, metric, oracle=oracle)
        searched = compiled.hint(position, metric)
        assert looked_up.distance == searched.distance == compiled.at(position).solve(metric).cost
        assert [(m.text, m.loss) for m in looked_up.moves] == [
            (m.text, m.loss) for m in searched.moves
        ]


class PieceCount:
    """The bytes of an open oracle, with a count of those that were read."""

    def __init__(self, data: mmap.mmap) -> None:
        self.data, self.num_read = data, 0

    def __getitem__(self, part: slice) -> bytes:
        found = self.data[part]
        self.num_read += len(found)
        return found


def test_an_oracle_is_small_and_reads_little(tmp_path: Path) -> None:
    sizes = {}
    for name in ("heng-dao-li-ma", "eight-puzzle"):
        built = fewest.load(name).build_oracle(tmp_path / name)
        sizes[name] = built.num_bytes / built.num_states
    assert sizes["eight-puzzle"] < sizes["heng-dao-li-ma"] < 3
    oracle = open_oracle(tmp_path / "heng-dao-li-ma")
    space = build_state_graph(fewest.load("heng-dao-li-ma").task.problem)
    states = [space.integer(state) for state in range(0, len(space), 25)]
    data = PieceCount(oracle.data)
    counted = replace(oracle, data=cast(mmap.mmap, data))
    for state in states:
        counted.cost(state)
    # A binary search in the index reads 8 bytes in each step; a block has at most three bytes for each state.
    most = 8 * (len(space) // BLOCK + 1).bit_length() + 3 * BLOCK + 8 * 4
    assert data.num_read / len(states) < most


def test_a_dense_group_of_many_facts_has_ranks() -> None:
    """C(72, 62) is small, but C(71, 35), which no rank uses, does not fit into 64 bits."""
    random = np.random.default_rng(6)
    ranks = ranking(72, [(tuple(range(72)), 62)])
    numbers = [
        sum(1 << int(fact) for fact in random.choice(72, 62, replace=False)) for _ in range(200)
    ]
    numbers += [(1 << 62) - 1, (1 << 72) - (1 << 10)]  # the first rank, and the last
    raw = b"".join(number.to_bytes(16, "little") for number in numbers)
    states = np.frombuffer(raw, dtype="<u8").reshape(-1, 2).astype(np.uint64)
    keys = [key for (key,) in ranks.keys(states).tolist()]
    assert keys == [ranks.key(number) for number in numbers]
    assert keys[-2:] == [0, comb(72, 62) - 1]


def test_states_of_several_limbs_keep_their_order(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    bits = random.random((1000, 150)) < 0.5
    groups = [(tuple(range(90)), 3), (tuple(range(90, 95)), 1)]
    bits[:, :95] = False
    for row in bits:
        row[random.choice(90, 3, replace=False)] = True
        row[90 + random.integers(5)] = True
    numbers = [sum(1 << int(fact) for fact in np.flatnonzero(row)) for row in bits]
    raw = b"".join(number.to_bytes(24, "little") for number in numbers)
    states = np.frombuffer(raw, dtype="<u8").reshape(-1, 3).astype(np.uint64)
    ranks = ranking(150, groups)
    assert len(ranks.limbs) > 1
    limbs = ranks.keys(states)
    keys = [int.from_bytes(row.astype(">u8").tobytes(), "big") for row in limbs]
    assert keys == [ranks.key(number) for number in numbers]
    assert len(set(keys)) == len(set(numbers))
    assert ranks.key(numbers[0] ^ 1) is None  # the group does not allow this number of facts

    from fewest.commands.oracle.build import _differences

    order = np.lexsort(limbs.T[::-1])
    stream, begins = _differences(np.ascontiguousarray(limbs[order]))
    ordered = sorted(keys)
    at, data = 0, stream.tolist()
    for before, (row, key) in pairwise(enumerate(ordered)):
        if row % BLOCK == 0:
            assert begins[row // BLOCK] == at
            continue
        difference = shift = 0
        while True:
            byte = data[at]
            at += 1
            difference |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        assert before[1] + difference == key
    assert at == len(data)


def test_a_group_with_few_false_facts_has_small_ranks() -> None:
    ranks = ranking(70, [(tuple(range(70)), 68)])
    numbers = [(1 << 70) - 1 ^ 1 << one ^ 1 << other for one in range(70) for other in range(one)]
    raw = b"".join(number.to_bytes(16, "little") for number in numbers)
    states = np.frombuffer(raw, dtype="<u8").reshape(-1, 2).astype(np.uint64)
    keys = ranks.keys(states)[:, 0].tolist()
    assert keys == [ranks.key(number) for number in numbers]
    assert sorted(keys) == list(range(70 * 69 // 2))


def test_damage_is_noticed(tmp_path: Path) -> None:
    good = tmp_path / "good.oracle"
    fewest.load("microban-001").build_oracle(good)
    whole = good.read_bytes()
    bad = tmp_path / "bad.oracle"
    for place in range(0, len(whole), 97):
        bad.write_bytes(whole[:place])
        with pytest.raises(OracleError, match=r"cut short|not an oracle|damaged"):
            open_oracle(bad)
        bad.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        with pytest.raises(OracleError):
            open_oracle(bad)
    bad.write_bytes(whole + b"more")
    with pytest.raises(OracleError, match="damaged"):
        open_oracle(bad)


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "not an oracle file"), (b"PK\x03\x04", "not an oracle file"), (None, "cut short")],
)
def test_a_bad_file_is_bad_input(content: bytes | None, words: str, tmp_path: Path) -> None:
    path = tmp_path / "it.oracle"
    fewest.load("jugs").build_oracle(path)
    path.write_bytes(path.read_bytes()[:-50] if content is None else content)
    done = run("hint", "jugs", "--oracle", str(path))
    assert done.returncode == 3 and words in done.stderr and "Traceback" not in done.stderr
    assert run("oracle", "info", str(path)).returncode == 3


def test_an_oracle_of_another_puzzle_or_metric_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "it.oracle"
    fewest.load("hanoi", {"disks": 4}).build_oracle(path)
    oracle = open_oracle(path)
    with pytest.raises(OracleError, match="another puzzle"):
        fewest.load("hanoi").hint(oracle=oracle)
    done = run("hint", "hanoi", "--oracle", str(path))  # the parameters come from the file
    assert done.returncode == 0 and "15 moves" in done.stdout
    assert run("hint", "hanoi", "--oracle", str(path), "--set", "disks=3").returncode == 3
    assert run("hint", "hanoi", "--oracle", str(path), "-m", "steps").returncode == 2
    assert run("hint", "hanoi", "--oracle", str(tmp_path / "none")).returncode == 3


def test_an_unreachable_position_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "it.oracle"
    tiles = fewest.load("tiles-2x3")
    tiles.build_oracle(path)
    oracle = open_oracle(path)
    with pytest.raises(UnreachableError):
        tiles.hint("123/54_", oracle=oracle)
    done = run("hint", "tiles-2x3", "--oracle", str(path), "--at", "123/54_")
    assert done.returncode == 3 and "cannot be reached from the start" in done.stderr
    assert tiles.hint("123/4_5", oracle=oracle).distance == 1


def test_oracle_on_the_command_line_leaves_no_half_file(tmp_path: Path) -> None:
    path = tmp_path / "it.oracle"
    done = run("oracle", "build", "two-rings", "-o", str(path), "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["states"] == 120
    assert "120 positions" in run("oracle", "info", str(path)).stdout
    path.unlink()
    done = run("oracle", "build", "tiles-2x4", "-o", str(path), "--memory", "100K")
    assert done.returncode == 4 and "memory" in done.stdout
    assert run("oracle", "build", "jugs", "-o", str(tmp_path / "no" / "it")).returncode == 3
    assert list(tmp_path.iterdir()) == []

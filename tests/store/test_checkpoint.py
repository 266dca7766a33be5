"""Checkpoints of SAT and ASP contain the proof of each horizon; a search with the same query resumes from them."""

from __future__ import annotations

import json
import random
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import fewest
from fewest import search
from fewest.commands.resume import resume
from fewest.grounding.ground import ground
from fewest.model.answer import Horizon
from fewest.store import checkpoint as checkpoints
from fewest.store import metadata as records
from fewest.store.error_translation import StoreError
from tests.helpers.command_line import run
from tests.helpers.console import MANNERS, words

ENGINES = ("sat", "asp")
FEWEST = 7  # the minimum of wolf-goat-cabbage
PROGRAM = """
from fewest.search import native
native.SAVE_EVERY = -1  # whenever there is something
from fewest.cli import main
main()
"""
HARDER, HARDER_COSTS = "korf-079", 42


def stopped_behind(horizon: int, folder: Path, **options: Any) -> None:
    """Solve with a checkpoint, and interrupt the search when a horizon is finished."""

    def look(progress: Any) -> None:
        assert isinstance(progress, Horizon)
        if progress.horizon == horizon:
            raise KeyboardInterrupt

    puzzle = fewest.load("wolf-goat-cabbage")
    stopped = puzzle.solve(checkpoint=str(folder), progress=look, **options)
    assert stopped.reason == "interrupted"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("horizon", [1, 4, FEWEST])
def test_refuted_horizons_are_not_tried_again(engine: str, horizon: int, tmp_path: Path) -> None:
    stopped_behind(horizon, tmp_path / "saved", engine=engine)
    again = resume(tmp_path / "saved").result
    assert again is not None
    assert (again.status, again.cost, again.engine) == ("optimal", FEWEST, engine)
    # The result for this last horizon is not saved.
    assert again.statistics.get("resumed_behind", 0) == horizon - 1
    assert [one.horizon for one in again.statistics["horizons"]] == [*range(horizon, FEWEST + 1)]
    answered = resume(tmp_path / "saved").result  # the checkpoint contains the answer
    assert answered is not None and answered.cost == FEWEST and answered.plan is not None
    assert answered.statistics["horizons"] == []


@pytest.mark.skipif(not search.NATIVE, reason="A* needs the native core")
@pytest.mark.parametrize("engine", ["astar", pytest.param("ida", marks=pytest.mark.slow)])
def test_costs_below_the_proved_bound_are_not_searched_again(engine: str, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    puzzle = fewest.load(HARDER)
    assert puzzle.task.operators  # compile now, so that the limit stops the search
    assert puzzle.solve(**MANNERS[engine], checkpoint=str(folder), seconds=0.0).reason == "time"
    saved = checkpoints.read_checkpoint(folder)
    bound = 36  # as if the search had proved this bound
    saved = replace(saved, proved=replace(saved.proved, bound=bound))
    records.write_checked(folder / checkpoints.NAME, saved)
    again = resume(folder).result
    assert again is not None and (again.status, again.cost) == ("optimal", HARDER_COSTS)
    assert again.statistics["resumed_at"] == bound
    if engine == "ida":  # IDA* skips the iterations below the bound
        assert again.statistics["iterations"][0][0][0] >= bound
    answered = resume(folder).result  # the checkpoint contains the answer
    assert answered is not None and answered.cost == HARDER_COSTS and answered.plan is not None
    assert "iterations" not in answered.statistics


@pytest.mark.skipif(not search.NATIVE, reason="A* needs the native core")
def test_astar_resumes_from_its_states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fewest.search import native

    monkeypatch.setattr(native, "SAVE_EVERY", -1.0)
    folder = tmp_path / "saved"

    def look(progress: Any) -> None:
        states = folder / "states"
        if states.exists() and states.stat().st_size > 15_000:
            raise KeyboardInterrupt

    puzzle = fewest.load("microban.xsb:36")
    assert puzzle.task.operators
    options: dict[str, Any] = {
        "metric": "pushes-then-moves",
        "engine": "astar",
        "checkpoint": str(folder),
    }
    stopped = puzzle.solve(progress=look, **options)
    monkeypatch.undo()
    assert stopped.reason == "interrupted" and (folder / "states").exists()
    whole = (folder / "states").read_bytes()
    changed = bytearray(whole)
    changed[len(changed) // 2] ^= 4
    (folder / "states").write_bytes(changed)
    with pytest.raises(StoreError, match=r"damaged: .*states: its checksum is wrong"):
        puzzle.solve(**options)
    (folder / "states").write_bytes(whole)
    again = resume(folder).result
    assert again is not None and (again.status, again.cost) == ("optimal", (59, 156))
    assert again.statistics["resumed"] > 500
    assert not (folder / "states").exists()


def informed_search(name: str, file: Path | None) -> Any:
    """A* on a shipped puzzle in its default metric. With a file, it resumes from there."""
    from fewest.engines.answers import pieces_of
    from fewest.model.costs import cost_table
    from fewest.search.informed import InformedProblem, InformedSearch

    puzzle = fewest.load(name)
    task = puzzle.task
    costs = cost_table(task, task.metrics[puzzle.puzzle.default_metric])
    problem = InformedProblem(task.problem, costs, **pieces_of(task))
    return InformedSearch(problem, file="" if file is None else str(file))


def advance_within(memory: int | None, search: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """Advance a search with this limit in bytes on its tables (None: no limit), and return its status."""
    from fewest.search import informed
    from fewest.search.interface import ALL, SearchLimits

    with monkeypatch.context() as patch:
        patch.setattr(informed, "left_of", lambda _: memory)
        return str(search.advance(ALL, SearchLimits()))


@pytest.mark.skipif(not search.NATIVE, reason="A* needs the native core")
@pytest.mark.parametrize("name", ["microban-001", "fifteen-20"])
def test_astar_resumes_after_its_memory_was_full(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the round in which memory is full, some successors of the expanded states are not stored."""
    whole = informed_search(name, None)
    assert advance_within(None, whole, monkeypatch) == "goal"
    expected = whole.outcome()
    file = tmp_path / "states"
    num_resumed = 0
    for part in range(40):
        file.unlink(missing_ok=True)
        few = expected.facts["bytes"] * part // 40
        if advance_within(few, informed_search(name, file), monkeypatch) != "memory":
            continue
        again = informed_search(name, file)
        assert advance_within(None, again, monkeypatch) == "goal"
        assert again.outcome().cost == expected.cost
        num_resumed += "resumed" in again.outcome().facts
    assert num_resumed >= 3


@pytest.mark.skipif(not search.NATIVE, reason="A* needs the native core")
def test_states_that_do_not_fit_into_memory_remain_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "states"
    assert advance_within(1 << 20, informed_search("fifteen-30", file), monkeypatch) == "memory"
    before = file.read_bytes()
    assert advance_within(1 << 18, informed_search("fifteen-30", file), monkeypatch) == "memory"
    assert file.read_bytes() == before
    again = informed_search("fifteen-30", file)
    assert advance_within(None, again, monkeypatch) == "goal" and again.outcome().cost == (30,)


@pytest.mark.skipif(not search.NATIVE, reason="IDA* needs the native core")
def test_deepening_begins_with_the_bound_that_is_known() -> None:
    from fewest.engines.stage_searches import AStar, AStarOptions, Request
    from fewest.model.answer import Limits
    from fewest.model.metric import metric_of
    from fewest.search.interface import ALL

    puzzle = fewest.load("tiles-2x4")
    found = []
    for bound in (0, 36):
        options = AStarOptions(algorithm="ida*", patterns="off", at_least=bound)
        metric = metric_of(puzzle.task, "moves")
        search_ = AStar(Request(puzzle.task, metric, Limits(), astar=options))
        search_.advance(ALL, None)
        found.append(search_.answer())
    from_below, known = found
    assert from_below.cost == known.cost == (36,)
    assert len(from_below.statistics["iterations"]) > 1
    assert [limit for limit, _ in known.statistics["iterations"]] == [(36,)]


SEARCHES = {
    **{engine: ["tiles-2x3", "--engine", engine] for engine in ENGINES},
    **{name: [HARDER, *words(name)] for name in ("astar", "ida")},
    "index": ["tiles-2x5", "--engine", "bfs", "--store", "index"],
    "weights": ["microban-005", "--metric", "pushes-then-moves", "--engine", "bfs"],
    "bidirectional": ["tiles-2x6", "--engine", "bidirectional"],
    "bidirectional by weights": [
        *("microban-066", "--metric", "pushes-then-moves"),
        *("--engine", "bidirectional"),
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("search_name", SEARCHES)
def test_a_killed_search_continues_to_the_same_answer(search_name: str, tmp_path: Path) -> None:
    folder, call = tmp_path / "saved", ["solve", *SEARCHES[search_name]]
    began = time.perf_counter()
    expected = json.loads(_started(*call, "--json").communicate()[0])
    seconds = time.perf_counter() - began
    known, chance = 0, random.Random(4)
    for _ in range(20):
        process = _started(*_again(call, folder))
        time.sleep(seconds * (0.3 + 0.7 * chance.random()))
        process.kill()
        process.communicate()
        if checkpoints.is_checkpoint(folder):
            proved = checkpoints.read_checkpoint(folder).proved
            assert proved.refuted + proved.bound >= known  # saved proofs stay
            known = proved.refuted + proved.bound
    found = json.loads(_started(*_again(call, folder), "--json").communicate()[0])
    assert (found["cost"], found["status"]) == (expected["cost"], expected["status"])


@pytest.mark.slow
@pytest.mark.skipif(not search.NATIVE, reason="an index needs the native core")
def test_a_killed_search_in_an_index_continues_to_the_same_layers(tmp_path: Path) -> None:
    folder, chance = tmp_path / "saved", random.Random(4)
    call = ["explore", "tiles-3x4", "--store", "index", "--depth", "42"]
    began = time.perf_counter()
    expected = json.loads(_started(*call, "--json").communicate()[0])
    seconds = time.perf_counter() - began
    layers = [0]
    for _ in range(20):
        process = _started(*_again(call, folder))
        time.sleep(seconds * chance.random())
        process.kill()
        process.communicate()
        layers.append(_num_words(folder / "marks"))
    assert layers == sorted(layers) and len(set(layers)) > 3  # saved layers stay, and others follow
    found = json.loads(_started(*_again(call, folder), "--json").communicate()[0])
    assert (found["states"], found["layers"]) == (expected["states"], expected["layers"])


def _num_words(marks: Path) -> int:
    """The number of words of an index in addition to its marks: one for each layer, and a few others."""
    if not marks.exists():
        return 0
    with marks.open("rb") as file:
        return int(struct.unpack("=4Q", file.read(32))[1])


def _started(*arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-c", PROGRAM, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def _again(call: list[str], folder: Path) -> list[str]:
    if checkpoints.is_checkpoint(folder):
        return ["resume", str(folder)]
    return [*call, "--checkpoint", str(folder)]


def test_a_checkpoint_of_something_else_is_refused_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    stopped_behind(2, folder, engine="sat")
    with pytest.raises(StoreError, match="belongs to wolf-goat-cabbage, not to hanoi"):
        fewest.load("hanoi").solve(engine="sat", checkpoint=str(folder))
    with pytest.raises(StoreError, match="another version of machinarium-arrows"):
        other = tmp_path / "other"
        fewest.load("machinarium-arrows", {"n": 2}).solve(engine="sat", checkpoint=str(other))
        fewest.load("machinarium-arrows", {"n": 3}).solve(engine="sat", checkpoint=str(other))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("dear")
    with pytest.raises(StoreError, match="already exists and is not a checkpoint"):
        fewest.load("hanoi").solve(engine="sat", checkpoint=str(tmp_path / "full"))
    file = folder / checkpoints.NAME
    file.write_bytes(file.read_bytes().replace(b'"refuted":1', b'"refuted":9'))
    with pytest.raises(StoreError, match="its checksum is wrong"):
        resume(folder)


def test_the_command_prints_how_to_resume(tmp_path: Path) -> None:
    folder = str(tmp_path / "saved")
    call = ["solve", "wolf-goat-cabbage", "--engine", "sat", "--checkpoint", folder]
    done = run(*call, "--to", "3")
    assert done.returncode == 4 and f"`fewest resume {folder}` continues" in done.stderr
    # The limit is the same, so no horizon above 3 is tried.
    assert run("resume", folder).returncode == 4
    assert run(*call).returncode == 0
    assert run("solve", "hanoi", "--checkpoint", folder, "--store", "hash").returncode == 2


@pytest.mark.skipif(not search.NATIVE, reason="stores need the native core")
def test_searches_in_layers_keep_a_store(tmp_path: Path) -> None:
    folder = str(tmp_path / "saved")
    assert run("explore", "hanoi", "--checkpoint", folder).returncode == 0
    assert run("resume", folder).returncode == 0
    assert run("solve", "hanoi", "--engine", "bfs", "--checkpoint", folder).returncode == 0


@pytest.mark.skipif(not search.NATIVE, reason="an index needs the native core")
@pytest.mark.parametrize(
    "name",
    [
        "tiles-2x4",
        pytest.param("tiles-2x5", marks=pytest.mark.slow),
    ],  # the test interrupts only tiles-2x5
)
def test_an_index_is_resumed(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fewest.search import native

    monkeypatch.setattr(native, "SAVE_EVERY", 0.0)
    folder = tmp_path / "saved"

    def look(progress: Any) -> None:
        if getattr(progress, "cost", 0) >= 12:
            raise KeyboardInterrupt

    puzzle = fewest.load(name)
    expected = puzzle.explore(store="index")
    stopped = puzzle.explore(store="index", checkpoint=str(folder), progress=look)
    assert stopped.reason == ("interrupted" if name == "tiles-2x5" else None)
    assert (folder / "marks").exists()
    again = resume(folder).exploration
    assert again is not None
    assert (again.layers, again.num_goal_states) == (expected.layers, expected.num_goal_states)
    assert again.goal_distances == expected.goal_distances
    solved = puzzle.solve(
        store="index", engine="bfs", checkpoint=str(folder)
    )  # this search uses the same layers
    assert solved.cost == expected.minimum and solved.plan is not None
    raw = bytearray((folder / "marks").read_bytes())
    raw[len(raw) // 2] ^= 4
    (folder / "marks").write_bytes(raw)
    with pytest.raises(StoreError, match=r"damaged: .*marks: its checksum is wrong"):
        resume(folder)


@pytest.mark.skipif(not search.NATIVE, reason="an index needs the native core")
def test_the_commands_keep_an_index(tmp_path: Path) -> None:
    for command, folder in (("explore", "explored"), ("solve", "solved")):
        call = [command, "tiles-2x3", "--store", "index", "--checkpoint", str(tmp_path / folder)]
        assert run(*call).returncode == 0
        assert run("resume", str(tmp_path / folder)).returncode == 0
    refused = run("solve", "hanoi", "--checkpoint", str(tmp_path / "other"), "--store", "hash")
    assert refused.returncode == 2


@pytest.mark.parametrize(("one", "other"), [("y", "9 - y"), ("(y * 3) % 10", "(y * 7) % 10")])
def test_the_assignments_of_moves_distinguish_problems(one: str, other: str) -> None:
    """The two problems have the same operators and facts, and different consequences."""
    text = """puzzle: set
variables: {{x: {{values: range(10), initial: 1}}, y: {{values: range(10), initial: 1}}}}
moves: {{set: {{set: {{x: "{}"}}}}, next: {{set: {{y: "(y + 1) % 10"}}}}}}
goal: x == 7
"""
    puzzles = [fewest.load("set.yaml", text=text.format(by)).puzzle for by in (one, other)]
    problems = [ground(puzzle, most_flips=0).problem for puzzle in puzzles]
    assert records.problem_digest(problems[0]) != records.problem_digest(problems[1])
    assert bytes(problems[0].flip) == bytes(problems[1].flip)

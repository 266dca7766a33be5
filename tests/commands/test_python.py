"""The Python interface offers plans as sequences, plain data and short names, and works in other processes and
threads."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

import fewest
from fewest.errors import UsageError

NAMES = ["bird", "hanoi", "microban-001", "two-rings", "jugs", "lights-out-3x3", "keys-and-doors"]


def test_the_package_is_marked_as_typed() -> None:
    assert (Path(fewest.__file__).parent / "py.typed").is_file()


def test_a_plan_is_the_sequence_of_the_moves_that_count() -> None:
    plan = fewest.load("bird").solve("slides").plan
    assert plan is not None and isinstance(plan, Sequence)
    assert len(plan) == 24 and len(list(plan)) == 24
    assert plan[0] == plan.moves[0] and plan[-1] == plan.moves[-1] and plan[1:3] == plan.moves[1:3]
    assert plan[5] in plan and plan.index(plan[5]) == 5 and plan.count(plan[5]) == 1
    assert list(reversed(plan)) == list(plan)[::-1]
    with pytest.raises(IndexError):
        plan[24]


def test_moves_that_cost_nothing_are_not_counted() -> None:
    text = (
        "puzzle: x\nvariables: {a: {values: range(3), initial: 0}}\n"
        "moves: {up: {when: a == 0, set: {a: 1}}, over: {when: a == 1, set: {a: 2}}}\n"
        "metrics: {ups: {count: {up: 1, over: 0}}}\ngoal: a == 2\n"
    )
    plan = fewest.load("x.yaml", text=text).solve().plan
    assert plan is not None
    assert len(plan.moves) == 2 and len(plan) == 1 and bool(plan)


def test_names_of_things_are_short() -> None:
    compiled = fewest.load("heng-dao-li-ma")
    result = compiled.solve()
    assert repr(result) == "<Result heng-dao-li-ma: 81 turns, optimal>"
    assert repr(result.plan) == "<Plan of 81 moves>"
    assert result.plan is not None
    for thing in (
        compiled,
        compiled.puzzle,
        compiled.task,
        compiled.document,
        result,
        result.plan[0],
        result.plan[0].steps[0],
        result.plan[0].steps[0].move,
        compiled.hint(),
        compiled.explore(),
    ):
        assert len(repr(thing)) < 100 and repr(thing).startswith("<")


@pytest.mark.parametrize("name", NAMES)
def test_everything_can_be_pickled_and_copied(name: str) -> None:
    compiled = fewest.load(name)
    result = compiled.solve()
    for thing in (compiled, result, result.plan, compiled.puzzle, compiled.start, compiled.task):
        copy.copy(thing)
        copy.deepcopy(thing)
        pickle.loads(pickle.dumps(thing))
    again = pickle.loads(pickle.dumps(compiled))
    assert again.solve().cost == result.cost
    assert pickle.loads(pickle.dumps(result)).to_json() == result.to_json()


def test_a_moved_puzzle_stays_moved_when_it_is_pickled() -> None:
    compiled = fewest.load("hanoi", disks=4)
    moved = compiled.at("peg[0]=1")
    again = pickle.loads(pickle.dumps(moved))
    assert again.start == moved.start != compiled.start
    assert again.puzzle.parameters["disks"] == 4


def test_parameters_are_keywords() -> None:
    assert fewest.load("hanoi", disks=5).solve().cost == 31
    assert fewest.load("hanoi", {"disks": 5}).solve().cost == 31
    with pytest.raises(UsageError, match="no parameter"):
        fewest.load("hanoi", disk=5)


def test_a_document_is_plain_data() -> None:
    document = {
        "puzzle": "two",
        "model": "sliding-blocks",
        "board": "A..\nB.#\n",
        "goal": {"A": {"touches": "right"}},
        "title": "no: 'quotes'\tand 曹操",
    }
    compiled = fewest.load(document)
    assert compiled.puzzle.name == "two" and compiled.puzzle.title == document["title"]
    assert compiled.solve().cost == 2
    with pytest.raises(fewest.DocumentError) as raised:
        fewest.load({**document, "board": "A..\nB.+\n"})
    assert raised.value.diagnostics[0].code == "board-character"
    with pytest.raises(UsageError, match="YAML cannot express"):
        fewest.load({"puzzle": object()})


@pytest.mark.parametrize("name", NAMES)
def test_positions_and_plans_are_plain_data(name: str) -> None:
    compiled = fewest.load(name)
    plan = compiled.solve().plan
    assert plan is not None
    for move in list(plan)[:5]:
        data = json.loads(json.dumps(move.position.to_json()))
        assert compiled.at(data).start == move.position
    assert compiled.play(json.loads(json.dumps(plan.to_json()))).is_solution
    assert compiled.play(plan.text()).is_solution


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"pieces": 3, "variables": {}},
        {"pieces": [{"class": 99, "at": [0, 0]}], "variables": {}},
        {"pieces": [{"class": 0, "at": [99, 0]}], "variables": {}},
    ],
)
def test_invalid_positions_are_refused(data: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="not a position of bird"):
        fewest.load("bird").at(data)


@pytest.mark.parametrize(
    ("name", "engine"),
    [
        ("tiles-3x4", "bfs"),
        ("tiles-3x4", "python"),
        ("korf-001", "astar"),
        ("eight-puzzle", "sat"),
        ("eight-puzzle", "asp"),
        ("tiles-3x4", "bidirectional"),
        ("korf-001", "auto"),
    ],
)
def test_another_thread_cancels_a_search_and_gets_the_proved_bound(name: str, engine: str) -> None:
    compiled = fewest.load(name)
    cancel, began = threading.Event(), threading.Event()
    timer = threading.Thread(target=lambda: (began.wait(60), time.sleep(0.05), cancel.set()))
    timer.start()
    result = compiled.solve(engine=engine, cancel=cancel, progress=lambda _: began.set())
    timer.join()
    assert (result.status, result.reason) == ("limit", "interrupted")


def test_a_solve_that_is_awaited_answers_and_can_be_cancelled() -> None:
    async def both() -> tuple[fewest.Result, float]:
        answer = await fewest.load("bird").solve_async("slides")
        long = asyncio.ensure_future(fewest.load("tiles-3x4").solve_async(engine="python"))
        await asyncio.sleep(0.3)
        began = time.monotonic()
        long.cancel()
        with pytest.raises(asyncio.CancelledError):
            await long
        return answer, time.monotonic() - began

    answer, seconds = asyncio.run(both())
    assert answer.cost == 24 and seconds < 3


@pytest.mark.parametrize("kind", [str, Path])
def test_files_can_be_named_by_a_text_or_by_a_path(
    kind: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fewest.commands.generate import find_boards, generate, generate_in_index
    from fewest.commands.oracle import open_oracle
    from fewest.commands.verify import verify_file
    from fewest.reading.board_spec import load_board_spec

    monkeypatch.chdir(tmp_path)
    compiled = fewest.load("two-rings")
    compiled.prove(kind("file.proof"))
    assert verify_file(kind("file.proof")).found.rejected is None
    compiled.build_oracle(kind("file.oracle"))
    assert open_oracle(kind("file.oracle")).header["puzzle"] == "two-rings"
    spec = load_board_spec(
        "x.yaml",
        text="puzzle: x\nmodel: sliding-blocks\nboard: '..'\ngoal: {X: {at: [0, 1]}}\n"
        "fill: {X: {shape: '#', number: 1}}\n",
    )
    assert generate(spec, "slides", checkpoint=kind("boards")).metrics[0].metric == "slides"
    found = generate_in_index(spec, "steps", checkpoint=kind("index"))
    assert [one.metric for one in found.metrics] == ["steps"]
    assert find_boards(spec, boards=1, checkpoint=kind("search")).boards
    assert {path.name for path in tmp_path.iterdir()} >= {"boards", "index", "search"}

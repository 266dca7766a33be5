"""Checkpoints of searches by weight and of bidirectional searches contain the states, and the searches resume from
them."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

import fewest
from fewest import search
from fewest.commands.resume import resume
from fewest.engines.bidirectional import BOTH
from fewest.engines.checkpointed import TABLES
from fewest.errors import UsageError
from fewest.store.checkpoint import is_checkpoint
from fewest.store.error_translation import StoreError
from fewest.store.metadata import is_store
from tests.helpers.command_line import run

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="only the native core saves searches")

LEVEL, PAIR = "microban.xsb:36", "pushes-then-moves"
# A position of `tiles-2x6` that is nearer to the goal.
TILES = """
puzzle: tiles
model: tiles
board: |
  B973_8
  A65412
goal:
  board: |
    123456
    789AB_
"""
SEARCHES = {  # puzzle, metric, engine; each search takes long enough for an interruption
    "weights": (LEVEL, PAIR, "bfs"),
    "weights by default": (LEVEL, PAIR, "auto"),
    "both ends in layers": ("tiles", "moves", "bidirectional"),
}


def loaded(name: str) -> fewest.CompiledPuzzle:
    return fewest.load("tiles.yaml", text=TILES) if name == "tiles" else fewest.load(name)


def file_of(engine: str) -> str:
    return BOTH if engine == "bidirectional" else TABLES


def stopped_with(folder: Path, name: str, metric: str, engine: str, size: int = 50_000) -> None:
    """Solve with a checkpoint, and interrupt the search when the file of states has more than `size` bytes."""
    file = folder / file_of(engine)

    def look(progress: Any) -> None:
        if file.exists() and file.stat().st_size > size:
            raise KeyboardInterrupt

    puzzle = loaded(name)
    assert puzzle.task.operators
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fewest.search.native.SAVE_EVERY", -1.0)  # save after every change
        stopped = puzzle.solve(metric, engine=engine, checkpoint=str(folder), progress=look)
    assert stopped.reason == "interrupted" and is_checkpoint(folder)


def counted(statistics: Any) -> dict[str, Any]:
    """The statistics that are the same after a resumption."""
    apart = (
        "seconds",
        "audit",
        "bytes",
        "resumed",
        "generated",
        "backward_states",
        "forward_states",
        "stages",
    )
    return {name: value for name, value in statistics.items() if name not in apart}


@pytest.mark.parametrize("search_name", SEARCHES)
def test_a_stopped_search_continues_to_the_same_answer(search_name: str, tmp_path: Path) -> None:
    name, metric, engine = SEARCHES[search_name]
    folder = tmp_path / "saved"
    expected = loaded(name).solve(metric, engine=engine.replace("auto", "bfs"))
    stopped_with(folder, name, metric, engine)
    again = resume(folder).result
    assert again is not None and again.statistics["resumed"] > 500
    assert (again.status, again.cost, again.metric) == ("optimal", expected.cost, metric)
    if engine != "bidirectional":
        assert again.plan == expected.plan and again.engine == engine.replace("auto", "bfs")
        assert counted(again.statistics) == counted(expected.statistics)
    answered = resume(folder).result  # the checkpoint contains the answer
    assert answered is not None and (answered.cost, answered.plan) == (again.cost, again.plan)
    assert counted(answered.statistics) == counted(again.statistics)
    assert answered.statistics["resumed"] == answered.statistics["states"]


def test_an_exploration_by_weights_is_resumed(tmp_path: Path) -> None:
    folder, puzzle = tmp_path / "saved", fewest.load("microban-066")
    expected = puzzle.explore(PAIR)
    stopped_with(folder, "microban-066", PAIR, "bfs", size=20_000)
    found = puzzle.explore(PAIR, checkpoint=str(folder))
    assert (found.layers, found.num_goal_states) == (expected.layers, expected.num_goal_states)
    assert (found.goal_distances, found.num_plans) == (expected.goal_distances, expected.num_plans)
    again = resume(folder).exploration  # `resume` repeats the last command, which was explore
    assert again is not None
    assert (again.layers, again.goal_distances) == (expected.layers, expected.goal_distances)


def test_layers_are_saved_in_a_store(tmp_path: Path) -> None:
    folder, puzzle = tmp_path / "saved", fewest.load("hanoi")
    for engine in ("bfs", "auto"):
        assert puzzle.solve(engine=engine, checkpoint=str(folder / engine)).cost == 7
        assert is_store(folder / engine)
        result = resume(folder / engine).result
        assert result is not None and result.cost == 7
    found = puzzle.explore(checkpoint=str(folder / "explored"))
    assert (
        found.goal_distances == puzzle.explore().goal_distances
    )  # the store also contains the distances
    assert resume(folder / "explored").exploration.goal_distances == found.goal_distances  # type: ignore[union-attr]
    with pytest.raises(UsageError, match="--checkpoint determines the store"):
        puzzle.solve(engine="bfs", checkpoint=str(folder / "x"), store=f"disk:{folder / 'y'}")


def test_files_of_other_programs_and_altered_files_are_refused(tmp_path: Path) -> None:
    folder, other = tmp_path / "saved", tmp_path / "other"
    stopped_with(folder, LEVEL, PAIR, "bfs")
    options: dict[str, Any] = {"engine": "bfs", "checkpoint": str(folder)}
    with pytest.raises(
        StoreError, match=f"belongs to the metric `{PAIR}`, not to `moves-then-pushes`"
    ):
        fewest.load(LEVEL).solve("moves-then-pushes", **options)
    with pytest.raises(StoreError, match=r"belongs to .*36, not to microban-008"):
        fewest.load("microban-008").solve(PAIR, **options)
    with pytest.raises(StoreError, match="already exists and is not a store"):
        fewest.load(LEVEL).solve("moves", **options)
    (folder / BOTH).write_bytes((folder / TABLES).read_bytes())
    with pytest.raises(StoreError, match=r"damaged: .*both-ends: it belongs to another search"):
        fewest.load(LEVEL).solve(PAIR, engine="bidirectional", checkpoint=str(folder))
    (folder / BOTH).unlink()
    options["engine"] = "bidirectional"  # this engine has a separate file
    assert fewest.load(LEVEL).solve(PAIR, **options).cost == (59, 156)
    options["engine"] = "bfs"
    file = folder / TABLES
    whole = file.read_bytes()
    for at in (len(whole) // 2, len(whole) - 1, 40):
        changed = bytearray(whole)
        changed[at] ^= 4
        file.write_bytes(changed)
        with pytest.raises(StoreError, match=r"damaged: .*weighed: its checksum is wrong"):
            fewest.load(LEVEL).solve(PAIR, **options)
    file.write_bytes(whole[:-9])
    with pytest.raises(StoreError, match=r"damaged: .*weighed"):
        resume(folder)
    file.write_bytes(whole)
    assert resume(folder).result.cost == (59, 156)  # type: ignore[union-attr]
    stopped_with(other, *SEARCHES["both ends in layers"])
    changed = bytearray((other / BOTH).read_bytes())
    changed[len(changed) // 2] ^= 4
    (other / BOTH).write_bytes(changed)
    with pytest.raises(StoreError, match=r"damaged: .*both-ends: its checksum is wrong"):
        resume(other)


def test_the_memory_that_ends_is_no_loss(tmp_path: Path) -> None:
    """At a memory limit, both searches save all their states, and a search with more memory resumes from them."""
    for name, metric, engine in (SEARCHES["weights"], ("microban-066", PAIR, "bidirectional")):
        folder, puzzle = str(tmp_path / name), fewest.load(name)
        expected = puzzle.solve(metric, engine=engine)
        options: dict[str, Any] = {"engine": engine, "checkpoint": folder}
        stopped = puzzle.solve(metric, memory=expected.statistics["bytes"] // 4, **options)
        assert stopped.reason == "memory"
        with (tmp_path / name / file_of(engine)).open("rb") as file:
            saved = struct.unpack("=5Q", file.read(40))[4]  # the number of states, in the header
        assert saved > 500
        again = puzzle.solve(metric, **options)
        assert again.cost == expected.cost and again.statistics["resumed"] > 400


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["solve", "hanoi", "-e", "python"], "the engine `python` does not support --checkpoint"),
        (["solve", "hanoi", "-e", "goal-directed"], "does not support --checkpoint"),
        (["solve", "falling-snake", "-e", "bfs"], "does not support intermediate states"),
        (["solve", "pancakes-11", "-e", "bfs"], "needs moves that flip facts"),
        (
            ["explore", "microban-005", "-m", PAIR, "--depth", "3"],
            "--depth needs a breadth-first search",
        ),
        (["solve", "microban-005", "-m", PAIR, "-e", "bfs", "--symmetry", "on"], "symmetr"),
        (["solve", "hanoi", "-e", "bfs", "--store", "hash"], "--checkpoint determines the store"),
    ],
)
def test_searches_without_a_checkpoint_give_the_reason(
    arguments: list[str], words: str, tmp_path: Path
) -> None:
    done = run(*arguments, "--checkpoint", str(tmp_path / "saved"))
    assert done.returncode == 2 and words in done.stderr


def test_the_commands_print_how_to_resume(tmp_path: Path) -> None:
    folder = str(tmp_path / "saved")
    options = ["solve", "microban.xsb:6", "-m", PAIR, "-e", "bfs", "--checkpoint", folder]
    nothing = run(*options, "--time", "0")  # the limit ends the command before the search
    assert nothing.returncode == 4 and "fewest resume" not in nothing.stderr
    stopped = run(*options, "--memory", "1M")
    assert stopped.returncode == 4 and f"`fewest resume {folder}` continues" in stopped.stderr
    answered = run("resume", folder, "--json")
    assert answered.returncode == 0 and json.loads(answered.stdout)["cost"] == [29, 107]
    explored = run("explore", "microban.xsb:6", "-m", PAIR, "--checkpoint", folder, "--json")
    assert json.loads(explored.stdout)["states"] == 54_102

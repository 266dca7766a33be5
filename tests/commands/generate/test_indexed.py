"""The search that stores two bits for each position counts the same positions as the search in arrays."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import fewest
from fewest import search
from fewest.commands.generate import IndexedGeneration, generate, generate_in_index
from fewest.commands.generate.drawing import drawing_of
from fewest.commands.generate.exhaustive import _Search
from fewest.commands.generate.indexed import heading_of, named_boards
from fewest.errors import UsageError
from fewest.model.answer import Limits
from fewest.reading.board_spec import BoardSpec, load_board_spec
from fewest.space.board_graph import DEAD, board_graph, distances_to
from fewest.space.placements import all_placements
from fewest.space.state_graph import in_goal, never_stop
from fewest.store.error_translation import StoreError
from tests.commands.generate.spec_cases import ROOM, SLIDING, jams, timeless
from tests.helpers.command_line import run

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="needs the native core")

JAMS = jams(4, 1).replace("stuck_lines: false\n", "")
ONE_WAY = """
puzzle: one-way
pieces: {man: {letters: X}, log: {letters: A}}
legend: {".": floor}
board: |
  ....
  ....
  ....
moves:
  step: {before: [man, empty], after: [empty, man], directions: [right, down]}
  roll: {before: [log, empty], after: [empty, log], directions: [down]}
goal: {X: {at: [2, 3]}}
fill:
  X: {shape: "#", number: 1}
  A: {shape: "#", number: [1, 3]}
"""


def spec_of(text: str) -> BoardSpec:
    return load_board_spec("spec.yaml", text=text)


def layers_by_arrays(spec: BoardSpec, metric: str) -> tuple[int, list[int]]:
    """The number of positions, and the number for each minimum, computed from all positions in an array."""
    found = _Search(spec, [metric], never_stop)
    made, problem = found.universe, found.merged.problem
    assert made.puzzle.board is not None
    states = all_placements(made.facts, made.task.words, made.puzzle.board.num_cells, made.rules)
    distances = distances_to(
        board_graph(problem, states),
        in_goal(states, problem),
        found.merged.in_metric[metric],
        is_reversible=found.merged.is_reversible,
    )
    return len(states), np.bincount(distances[distances != DEAD]).tolist()


@pytest.mark.parametrize("metric", ["steps", "slides"])
def test_the_boards_with_the_fewest_pieces_are_minimal_and_have_the_record(metric: str) -> None:
    (found,) = (indexed := generate_in_index(spec_of(JAMS), [metric])).metrics
    (at_once,) = generate(spec_of(JAMS), [metric]).metrics
    assert found.minimum == at_once.record
    boards = list(named_boards(indexed))
    assert boards
    for board in boards:
        rows = "\n".join(drawing_of(board.position)) + "\n"
        for letter in sorted(set(rows) - set(".X\n")):
            fewer = {"puzzle": "it", "model": "rush-hour", "board": rows.replace(letter, ".")}
            assert fewest.load(fewer).solve(metric).cost != board.minimum


@pytest.mark.parametrize(
    ("text", "metrics"),
    [(JAMS, "steps slides turns"), (SLIDING, "slides turns"), (ONE_WAY, "moves")],
    ids=["jams", "sliding blocks", "one way"],
)
def test_the_layers_are_those_of_the_search_in_arrays(text: str, metrics: str) -> None:
    spec = spec_of(text)
    found = generate_in_index(spec, metrics.split(), threads=1)
    for one in found.metrics:
        size, layers = layers_by_arrays(spec, one.metric)
        assert (found.num_positions, list(one.layers)) == (size, layers)
        assert one.is_complete
        numbers = [len(position.pieces) for position in one.best]
        assert numbers
        assert numbers == sorted(numbers)


def test_the_best_positions_need_the_minimum() -> None:
    found = generate_in_index(spec_of(JAMS), ["slides", "steps"])
    assert [one.minimum for one in found.metrics] == [7, 10]
    for one in found.metrics:
        for position in one.best:
            board = "\n".join(drawing_of(position)) + "\n"
            document = {"puzzle": "it", "model": "rush-hour", "board": board}
            assert fewest.load(document).solve(one.metric, audit="off").cost == one.minimum


@pytest.mark.slow
def test_five_by_five_boards_have_the_known_number_of_solvable_positions() -> None:
    spec = spec_of(jams(5, 2).replace("stuck_lines: false\n", ""))
    steps, slides = generate_in_index(spec, ["steps", "slides"]).metrics
    assert (steps.minimum, steps.layers[-1], sum(steps.layers)) == (33, 2, 5842041)
    assert (slides.minimum, slides.layers[-1], sum(slides.layers)) == (20, 2, 5842041)


def counts(found: IndexedGeneration) -> list[tuple[int, ...]]:
    return [one.layers for one in found.metrics]


def test_a_second_search_continues(tmp_path: Path) -> None:
    spec, folder = spec_of(SLIDING), tmp_path / "pairs"
    complete = generate_in_index(spec, ["slides", "turns"])
    stopped = generate_in_index(spec, ["slides", "turns"], Limits(seconds=0), checkpoint=folder)
    assert (stopped.reason, stopped.exit_code) == ("time", 4)
    for part, whole in zip(counts(stopped), counts(complete), strict=True):
        assert all(few <= many for few, many in zip(part, whole, strict=False))
        assert sum(part) < sum(whole)
    assert not any(one.is_complete for one in stopped.metrics)
    again = generate_in_index(spec, ["slides", "turns"], checkpoint=folder)
    assert (again.reason, counts(again)) == (None, counts(complete))
    # A finished search is not repeated.
    known = generate_in_index(spec, ["slides", "turns"], Limits(seconds=0), checkpoint=folder)
    assert timeless(known) == timeless(again)  # type: ignore[arg-type]
    with pytest.raises(StoreError, match="another spec, other metrics"):
        generate_in_index(spec, ["slides"], checkpoint=folder)
    (folder / "boards.json").write_text("{")
    with pytest.raises(StoreError, match="is damaged"):
        generate_in_index(spec, ["slides", "turns"], checkpoint=folder)
    with pytest.raises(StoreError, match="not a checkpoint of an exhaustive search"):
        generate_in_index(spec, ["slides", "turns"], checkpoint=tmp_path)


def test_no_solution_and_too_many_pieces() -> None:
    nowhere = JAMS.replace("rows: [1]", "rows: [1], columns: [0]").replace(
        "model: rush-hour", "model: rush-hour\ngoal: {X: {at: [0, 0]}}"
    )
    found = generate_in_index(spec_of(nowhere))
    assert found.metrics[0].minimum is None
    assert "no unsolved position can be solved" in heading_of(found)
    full = SLIDING.replace("number: [1, 2]", "number: [1, 5]")
    assert generate_in_index(spec_of(full)).num_positions == generate(spec_of(full)).num_positions


@pytest.mark.parametrize(
    ("text", "metric", "message"),
    [
        (jams(4, 1), "steps", "`stuck_lines: false` omits some"),
        (ROOM, "pushes", "all moves cost the same"),
        (JAMS + "forbid: {A: {at: [0, 0]}}\n", "steps", "does not support `forbid`"),
    ],
    ids=["lines", "free moves", "forbid"],
)
def test_an_index_refuses_unsupported_tasks(text: str, metric: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        generate_in_index(spec_of(text), [metric])


def test_a_spec_that_has_no_room_in_memory_is_refused() -> None:
    with pytest.raises(UsageError, match="exceeds the memory limit"):
        generate_in_index(spec_of(JAMS), limits=Limits(memory=1 << 16))


def test_the_command_writes_the_farthest_positions(tmp_path: Path) -> None:
    spec, out = tmp_path / "jams.yaml", tmp_path / "out"
    spec.write_text(JAMS)
    words = ["generate", str(spec), "--exhaustive", "--store", "index", "-m", "slides"]
    done = run(*words, "-o", str(out))
    assert done.returncode == 0, done.stderr
    assert (
        "the hardest positions need 7 slides (proven: all positions were searched)" in done.stdout
    )
    assert re.search(r"slides: 8,681 positions can be solved, \d+ need 7", done.stdout)
    assert run("check", str(out)).returncode == 0
    table = run(*words, "--csv").stdout.splitlines()
    assert table[0] == "metric,minimum,positions"
    assert sum(int(line.split(",")[2]) for line in table[1:]) == 8681
    refused = run("generate", str(spec), "--store", "index")
    assert refused.returncode == 2
    assert "--store index needs --exhaustive" in refused.stderr

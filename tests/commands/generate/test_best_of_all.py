"""The search for the best of all boards of a spec finds boards that satisfy `want`, and no other board is better."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations
from typing import Any

import pytest

import fewest
from fewest.commands.generate import (
    FoundBoards,
    best_of_all,
    exhaustive,
    find_best_of_all,
    find_boards,
    generate,
)
from fewest.commands.generate.component import BoardExplorer
from fewest.commands.generate.drawing import drawing_of
from fewest.commands.generate.exhaustive import all_positions
from fewest.commands.generate.found import heading_of
from fewest.commands.generate.properties import has_redundant_piece
from fewest.commands.generate.universe import universe
from fewest.errors import Exit
from fewest.model.answer import Limits, Trial
from fewest.model.metric import metric_of
from fewest.model.states import decode
from fewest.reading.board_spec import load_board_spec
from fewest.search.interface import Progress
from fewest.space.state_graph import never_stop
from tests.commands.generate.spec_cases import ROOM, SLIDING, jams
from tests.helpers.command_line import run

PLANS = "maximise: plans - pieces\n"
UNIQUE = "want: {unique: true, minimum: 2}\n"


GOAL = {"X": {"at": [0, 0]}}


def all_drawings(marks: str) -> list[str]:
    """All boards of two by three cells with these marks."""
    orders = {"".join(order).replace("A", "B", 1) for order in permutations(marks)}
    return [f"{order[:3]}\n{order[3:]}\n" for order in sorted(orders)]


def best_of(text: str, metric: str | None = None, **options: Any) -> FoundBoards:
    return find_best_of_all(load_board_spec("spec.yaml", text=text), metric, **options)


@pytest.mark.parametrize(
    "ranking", [PLANS, UNIQUE, PLANS + UNIQUE], ids=["plans", "unique", "both"]
)
@pytest.mark.parametrize("text", [SLIDING, ROOM], ids=["sliding", "sokoban"])
def test_the_best_are_those_of_a_search_that_explores_every_board(text: str, ranking: str) -> None:
    spec = load_board_spec("spec.yaml", text=text + ranking)
    one_by_one = find_boards(spec, limits=Limits(seconds=60), best=1000)
    at_once = find_best_of_all(spec, best=1000)
    assert one_by_one.reason is at_once.reason is None
    assert at_once.num_boards == one_by_one.num_boards
    assert at_once.num_solvable == one_by_one.num_solvable
    assert at_once.num_fulfilling == one_by_one.num_fulfilling > 0
    values = [Counter(board.value for board in found.boards) for found in (at_once, one_by_one)]
    assert values[0] == values[1]
    assert at_once.exit_code == Exit.ANSWERED


def test_boards_that_are_skipped_are_not_better() -> None:
    few = best_of(jams(4, 1) + UNIQUE, "slides", best=4)
    text = jams(4, 1) + UNIQUE + "maximise: minimum + 0\n"  # with this text, no board is skipped
    all_of_them = best_of(text, "slides", best=1000)
    assert few.num_skipped > 0 == all_of_them.num_skipped
    assert all_of_them.num_fulfilling == len(all_of_them.boards) > 4
    assert [board.minimum for board in few.boards] == [
        board.minimum for board in all_of_them.boards[:4]
    ]
    for board in all_of_them.boards:
        rows = "\n".join(drawing_of(board.position)) + "\n"
        puzzle = fewest.load({"puzzle": "it", "model": "rush-hour", "board": rows})
        assert puzzle.solve("slides", audit="off").cost == board.minimum >= 2
        assert puzzle.solutions("slides").is_unique


@pytest.mark.parametrize("metric", ["slides", "steps"])
def test_the_boards_without_redundant_pieces_are_the_minimal_boards(metric: str) -> None:
    text = jams(4, 1) + "want: {no_redundant_piece: true}\nmaximise: minimum + 0\n"
    (one,) = generate(load_board_spec("spec.yaml", text=jams(4, 1)), [metric]).metrics
    assert best_of(text, metric).num_fulfilling == one.num_minimal == 32


LOCKOUT = """
puzzle: lockout
model: lunar-lockout
board: |
  .....
  .....
  .....
  .....
  .....
fill:
  X: {shape: "#", number: 1}
  A: {shape: "#", number: [0, 2]}
"""
# on the only board that starts at the goal, no piece can move
CORRIDOR = """
puzzle: corridor
model: sliding-blocks
board: |
  ..
goal: {X: {at: [0, 0]}}
fill:
  X: {shape: "#", number: [0, 1]}
  B: {shape: "#", number: 1}
"""


def test_a_piece_without_which_a_board_is_unsolvable_is_not_redundant() -> None:
    (one,) = generate(load_board_spec("spec.yaml", text=LOCKOUT)).metrics
    drawn = "\n".join(drawing_of(one.best[0])) + "\n"
    minima = [
        fewest.load({"puzzle": "it", "model": "lunar-lockout", "board": board}).solve().cost
        for board in (drawn, *(drawn.replace(letter, ".") for letter in "AB"))
    ]
    assert minima == [one.record, None, None]
    # X and A have the same shape, so two hardest positions of a board may occupy the same cells
    assert one.num_first_minimal == one.num_minimal


def test_a_goal_position_whose_goal_needs_a_piece_is_minimal() -> None:
    spec = load_board_spec("spec.yaml", text=CORRIDOR)
    (one,) = generate(spec).metrics
    assert (one.num_minimal, one.record) == (1, 0)
    made = universe(spec)
    state = next(
        sum(1 << fact for fact in facts)
        for facts in combinations(range(len(made.facts)), 2)
        if decode(made.puzzle, made.task, sum(1 << fact for fact in facts)) == one.best[0]
    )
    assert not has_redundant_piece(made, metric_of(made.task, "steps"), state, 0)


def test_every_hardest_position_of_a_board_is_compared() -> None:
    text = """
puzzle: many
model: sliding-blocks
board: |
  ...
  ...
goal: {X: {at: [0, 0]}}
want: {symmetric: true}
fill:
  X: {shape: "#", number: 1}
  A: {shape: "#", number: 2}
"""
    search = best_of_all._Search(load_board_spec("spec.yaml", text=text), None, 1, never_stop)
    states, _ = all_positions(search.universe, search.explorer.merged.problem, never_stop)
    measured = search.explorer.measured(states)
    few = BoardExplorer(search.universe, search.metric, None, 2).measured(states)
    assert few.hardest == measured.hardest[:2]
    minima = [
        fewest.load({"puzzle": "it", "model": "sliding-blocks", "board": board, "goal": GOAL})
        .solve()
        .cost
        for board in all_drawings("XAA...")
    ]
    assert len(measured.hardest) == minima.count(max(minima)) > 2


def test_after_a_limit_the_best_boards_remain(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = best_of(jams(4, 1) + UNIQUE, "slides")
    assert whole.num_pieces is not None
    compare, count = best_of_all._Search._compare, iter(range(9))

    def interrupted(search: Any, pieces: int, states: Any) -> None:
        if next(count) == 5:
            raise KeyboardInterrupt
        compare(search, pieces, states)

    monkeypatch.setattr(best_of_all._Search, "_compare", interrupted)
    found = best_of(jams(4, 1) + UNIQUE, "slides")
    assert (found.reason, found.num_pieces, found.exit_code) == ("interrupted", 5, Exit.LIMIT)
    assert 0 < found.boards[0].minimum <= whole.boards[0].minimum
    assert "no board with up to 5 pieces is better (proven)" in heading_of(found)


def test_the_progress_shows_the_state_of_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def at_every_call(*given: Any) -> Any:
        return lambda states, size: given[3](Progress(0, states, states, 0.0, size))

    updates: list[Trial] = []
    for module in (best_of_all, exhaustive):
        monkeypatch.setattr(module, "limit_watch", at_every_call)
    generate(load_board_spec("spec.yaml", text=jams(4, 1)), progress=updates.append)
    assert updates[0].what == "placing the pieces"
    levels = list(dict.fromkeys((one.number, one.total, one.what) for one in updates[1:]))[1:]
    assert levels[0] == (0, len(levels), "boards with 1 piece")
    assert [number for number, _, _ in levels] == list(range(len(levels)))
    updates.clear()
    find_best_of_all(
        load_board_spec("spec.yaml", text=jams(4, 1) + UNIQUE), progress=updates.append
    )
    about_two = [one for one in updates if one.what == "boards with 2 pieces" and one.total > 1]
    assert [one.number for one in about_two] == list(range(about_two[0].total))


def test_the_command_proves_the_best_boards(tmp_path: Any) -> None:
    spec = tmp_path / "jams.yaml"
    spec.write_text(jams(4, 1) + UNIQUE)
    done = run("generate", str(spec), "--exhaustive", "-m", "slides", "-o", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert "the best board needs 7 slides (proven: all boards were searched)" in done.stdout
    assert run("check", str(tmp_path / "out")).returncode == 0
    for options, output in (
        (["-m", "steps", "-m", "slides"], "a second --metric"),
        (["--checkpoint", str(tmp_path / "saved")], "--checkpoint"),
        (["--store", "index"], "--store index"),
    ):
        refused = run("generate", str(spec), "--exhaustive", *options)
        assert (refused.returncode, output in refused.stderr) == (2, True)
    spec.write_text(jams(4, 1))
    early = run("generate", str(spec), "--exhaustive", "-o", str(spec))
    # The error comes before the search, not hours later.
    assert (early.returncode, early.stdout) == (2, "")
    assert run("generate", str(spec), "--exhaustive", "--best", "3").returncode == 2


def test_an_image_under_the_rules_may_be_symmetric_where_the_first_board_is_not() -> None:
    text = """
puzzle: cells
model: sliding-blocks
board: |
  ..#..
  #####
  .....
  #####
  ..#..
goal: {X: {at: [2, 4]}}
fill:
  X: {shape: "#", number: 1, rows: [2]}
  A: {shape: "#", number: 2, rows: [0, 4]}
want: {symmetric: true}
metric: steps
"""
    # the rules exchange any two of the four corners, but only a mirror image exchanges two corners of the drawing
    found = best_of(text)
    assert (found.num_boards, found.num_fulfilling, found.boards[0].minimum) == (2, 1, 4)
    first, *_, last = drawing_of(found.boards[0].position)
    assert first.replace("A", "B") == last.replace("A", "B") != "..#.."

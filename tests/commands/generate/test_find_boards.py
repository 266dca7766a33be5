"""A random search for boards does not depend on the number of threads, and finds no board twice and no unwanted
board."""

from __future__ import annotations

import csv
import errno
import json
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import fewest
from fewest.commands.generate import FoundBoards, find_boards, generate, random_search_checkpoint
from fewest.commands.generate.component import BoardExplorer
from fewest.commands.generate.drawing import drawing_of
from fewest.errors import DocumentError, UsageError
from fewest.model.answer import Limits
from fewest.reading.board_spec import load_board_spec
from fewest.reading.objective import read_objective
from tests.commands.generate.spec_cases import ROOM, SLIDING, jams
from tests.helpers.command_line import run


def found(
    text: str, boards: int | None = 60, metric: str | None = None, **options: Any
) -> FoundBoards:
    return find_boards(load_board_spec("spec.yaml", text=text), metric, boards=boards, **options)


def loaded(model: str, found_board: Any, **keys: Any) -> fewest.CompiledPuzzle:
    board = "\n".join(drawing_of(found_board.position)) + "\n"
    return fewest.load({"puzzle": "it", "model": model, "board": board, **keys})


def plain(result: FoundBoards) -> dict[str, Any]:
    return {key: value for key, value in result.to_json().items() if key != "seconds"}


def test_the_threads_do_not_change_the_result() -> None:
    one = found(jams(4, 1), metric="slides", seed=3, threads=1)
    for threads in (2, 5):
        assert plain(found(jams(4, 1), metric="slides", seed=3, threads=threads)) == plain(one)
    assert one.num_boards == 60
    assert plain(found(jams(4, 1), metric="slides", seed=4)) != plain(one)


@pytest.mark.parametrize("text", [SLIDING, ROOM], ids=["sliding", "sokoban"])
def test_a_small_spec_is_explored_to_its_end_and_no_board_twice(text: str) -> None:
    all_boards = generate(load_board_spec("spec.yaml", text=text))
    best = found(text, boards=None, limits=Limits(seconds=60))
    assert best.reason is None
    assert best.num_boards == all_boards.num_canonical
    assert best.boards[0].minimum == all_boards.metrics[0].minimum


PEGS = """
puzzle: pegs
model: peg-solitaire
board: |
  ....
  ...#
fill: {o: {shape: "#", number: [2, 5]}}
"""


def test_boards_whose_moves_remove_pieces_are_single_starts() -> None:
    """If several starts are mirror images of each other, only one is explored. The best boards are nevertheless those
    of all starts, up to mirror images.
    """
    best = found(PEGS, boards=None, best=1_000, limits=Limits(seconds=60))

    def least(board: str) -> tuple[str, ...]:
        """The smallest of the images. No peg leaves its row, so each row can be mirrored separately."""
        rows = [line.strip("#") for line in board.split()]
        return tuple(min(row, row[::-1]) for row in rows)

    minima: dict[tuple[str, ...], int] = {}
    seen: set[tuple[str, ...]] = set()
    for number in range(2, 6):
        for cells in combinations([0, 1, 2, 3, 4, 5, 6], number):
            marks = ["o" if cell in cells else "." for cell in range(7)]
            board = "".join(marks[:4]) + "\n" + "".join(marks[4:]) + "#\n"
            seen.add(least(board))
            answer = fewest.load({"puzzle": "it", "model": "peg-solitaire", "board": board}).solve()
            if isinstance(answer.cost, int):
                minima[least(board)] = answer.cost
    drawn = {least("\n".join(drawing_of(one.position))): one.minimum for one in best.boards}
    assert best.reason is None
    assert (best.num_boards, len(best.boards)) == (len(seen), len(minima))
    assert drawn == minima
    assert {int(one.measures["pieces"]) - one.minimum for one in best.boards} == {1}


def test_a_move_must_not_create_a_kind_that_the_spec_lacks() -> None:
    text = """
puzzle: crown
pieces: {man: {}, king: {}}
legend: {m: man, k: king, ".": floor}
board: |
  ....
moves: {jump: {before: [man, empty], after: [empty, king]}}
goal: {count: {king: 1}}
fill: {m: {shape: "#", number: [1, 2]}}
"""
    with pytest.raises(UsageError, match="every kind of piece under `fill`"):
        found(text)


def test_the_record_of_small_jams_is_found_soon() -> None:
    best = found(jams(4, 1), boards=300, metric="slides")
    assert [board.minimum for board in best.boards[:2]] == [7, 7]
    for board in best.boards:
        assert loaded("rush-hour", board).solve("slides").cost == board.minimum


def test_measures_are_those_of_other_commands() -> None:
    text = jams(4, 1) + "maximise: plans + minimum / 2 - pieces\n"
    best = found(text, boards=40, best=6)
    values = [board.value for board in best.boards]
    assert values == sorted(values, reverse=True)
    for board in best.boards:
        explored = loaded("rush-hour", board).explore("steps")
        assert board.measures["positions"] == explored.num_states
        assert explored.goal_distances is not None
        assert board.measures["plans"] == explored.num_plans
        assert board.measures["dead_positions"] == explored.goal_distances.num_dead
        assert board.measures["pieces"] == len(board.position.pieces)
        expected = board.measures["plans"] + Fraction(board.minimum, 2) - board.measures["pieces"]
        assert board.value == expected


def test_detours_count_pieces_that_come_back() -> None:
    text = """
puzzle: aside
model: sliding-blocks
board: |
  ...
  #.#
goal: {X: {at: [0, 2]}, A: {at: [0, 1]}}
fill:
  X: {shape: "#", number: 1}
  A: {shape: "#", number: 1}
"""
    # In .XA, X and A leave the middle row, in either order, and X passes A. Therefore, X and A each return to the
    # middle once.
    (board,) = found(text, boards=None, limits=Limits(seconds=60)).boards
    assert (drawing_of(board.position)[0], board.minimum) == (".XA", 6)
    assert board.measures["detours"] == 2


def test_detours_are_those_from_the_chosen_start() -> None:
    """A board may have several hardest positions, and the first one may lack a wanted property."""
    goal = {"X": {"at": [0, 0]}, "A": {"at": [0, 1]}}
    text = """
puzzle: narrow
model: sliding-blocks
board: |
  ....
  #..#
goal: {X: {at: [0, 0]}, A: {at: [0, 1]}}
want: {unique: true, minimum: 2}
maximise: detours
fill:
  X: {shape: "#", number: 1}
  A: {shape: "#", number: 1}
  B: {shape: "#", number: [0, 2]}
"""
    best = found(text, boards=None, best=100, limits=Limits(seconds=60))
    numbers = []
    for board in best.boards:
        (plan,) = loaded("sliding-blocks", board, goal=goal).solutions("steps", listed=1).plans
        places, left, number = plan.start.pieces, set[Any](), 0
        for move in plan.moves:
            number += bool((move.position.pieces - places) & left)
            left |= places - move.position.pieces
            places = move.position.pieces
        assert board.measures["detours"] == number
        numbers.append(number)
    assert max(numbers) > 0


def test_boards_are_as_wanted() -> None:
    wants = "want: {minimum: 3, unique: true, no_redundant_piece: true, pieces: [2, 5]}\n"
    best = found(jams(4, 1) + wants, boards=250, metric="slides")
    assert best.boards
    for board in best.boards:
        puzzle = loaded("rush-hour", board)
        assert board.minimum >= 3
        assert puzzle.solutions("slides").is_unique
        rows = drawing_of(board.position)
        letters = sorted(set("".join(rows)) - {"."})
        assert 2 <= len(letters) <= 5
        for letter in letters:
            if letter == "X":
                continue
            fewer = "\n".join(rows).replace(letter, ".") + "\n"
            easier = fewest.load({"puzzle": "it", "model": "rush-hour", "board": fewer})
            assert easier.solve("slides", audit="off").cost != board.minimum


def test_symmetric_boards_without_redundant_walls() -> None:
    text = """
puzzle: mirrored
model: sliding-blocks
board: |
  ...
  .#.
  ...
goal: {X: {at: [0, 1]}}
want: {symmetric: true, no_redundant_wall: true}
fill:
  X: {shape: "#", number: 1}
  A: {shape: "#", number: [0, 5]}
"""
    best = found(text, boards=None, limits=Limits(seconds=60))
    assert best.num_fulfilling > 0
    crooked = found(text.replace(".#.", ".##"), boards=30)
    assert (crooked.num_fulfilling, crooked.boards, crooked.num_solvable > 0) == (0, (), True)
    assert any(
        drawing_of(board.position) == ["...", ".#.", ".X."] and board.minimum == 4
        for board in best.boards
    )
    for board in best.boards:
        rows = drawing_of(board.position)
        cells = {(r, c): mark for r, row in enumerate(rows) for c, mark in enumerate(row)}
        images = [
            {
                ((2 - r) if down else r, (2 - c) if right else c): mark
                for (r, c), mark in cells.items()
            }
            for down, right in ((True, False), (False, True), (True, True))
        ]
        images += [{(c, r): mark for (r, c), mark in image.items()} for image in [cells, *images]]
        shapes = [
            "".join("A" if m.isalpha() and m != "X" else m for _, m in sorted(i.items()))
            for i in images
        ]
        assert "".join("A" if m.isalpha() and m != "X" else m for m in "".join(rows)) in shapes
        document = {
            "puzzle": "it",
            "model": "sliding-blocks",
            "board": "\n".join(rows).replace("#", ".") + "\n",
            "goal": {"X": {"at": [0, 1]}},
        }
        assert fewest.load(document).solve().cost != board.minimum


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("maximise: height", "`height` is not a measure of a board"),
        ("maximise: minimum ** 2", "an objective can contain only measures"),
        ("maximise: '3'", "the objective contains no measure"),
        ("maximise: 'minimum +'", "not an arithmetic expression"),
        ("want: {pieces: [4, 2]}", "a list of the smallest and the largest number of pieces"),
        ("want: {lovely: true}", "lovely"),
        ("want: {minimum: -2}", "`minimum` must not be negative"),
    ],
)
def test_a_mistake_in_want_has_a_location(line: str, message: str) -> None:
    with pytest.raises(DocumentError) as caught:
        load_board_spec("spec.yaml", text=f"{line}\n{SLIDING.strip()}\n")
    assert message in str(caught.value)
    assert "spec.yaml:1" in str(caught.value)


def test_objectives_are_exact() -> None:
    measures = {"minimum": Fraction(7), "pieces": Fraction(3)}
    assert read_objective("minimum / pieces").value(measures) == Fraction(7, 3)
    assert read_objective("-(minimum - 2) * pieces").value(measures) == -15
    assert read_objective("minimum / (pieces - 3)").value(measures) == 0


def test_a_search_needs_an_end_and_a_limit_is_one() -> None:
    with pytest.raises(UsageError, match="needs a limit"):
        found(SLIDING, boards=None)
    ended = found(jams(5, 2), boards=None, limits=Limits(seconds=0.5))
    assert (ended.reason, ended.seconds < 30) == ("time", True)
    assert ended.num_boards > 0


def test_the_command_writes_documents_tables_and_a_sheet(tmp_path: Path) -> None:
    spec, out = tmp_path / "jams.yaml", tmp_path / "out"
    spec.write_text(jams(4, 1))
    options = ("--boards", "60", "--best", "3", "-m", "slides", "--seed", "2")
    done = run("generate", str(spec), *options, "-o", str(out), "--certificates", "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert (data["explored_boards"], len(data["boards"]), data["seed"]) == (60, 3, 2)
    names = {file.name for file in out.iterdir()}
    documents = {f"jams-{number}.yaml" for number in (1, 2, 3)}
    assert documents | {"boards.csv", "boards.json", "boards.svg", "jams-1.proof"} <= names
    with (out / "boards.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["minimum"]) for row in rows] == [board["minimum"] for board in data["boards"]]
    assert json.loads((out / "boards.json").read_text())[0]["board"] == rows[0]["board"]
    assert run("check", str(out)).returncode == 0
    assert run("verify", str(out / "jams-1.proof")).returncode == 0
    wrong = run("generate", str(spec), "--exhaustive", "--seed", "1")
    assert (wrong.returncode, "--seed can be used only in a random search" in wrong.stderr) == (
        2,
        True,
    )


def test_a_second_search_continues_with_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, file = load_board_spec("spec.yaml", text=jams(4, 1)), tmp_path / "boards.saved"
    whole = find_boards(spec, "slides", seed=3, boards=90)
    # One call that ends within a round, and one for more boards.
    for boards in (40, 90):
        again = find_boards(spec, "slides", seed=3, boards=boards, threads=2, checkpoint=file)
        assert plain(again) == plain(find_boards(spec, "slides", seed=3, boards=boards))
    assert plain(find_boards(spec, "slides", seed=3, boards=90, checkpoint=file)) == plain(whole)

    file = tmp_path / "interrupted.saved"
    real, calls = BoardExplorer.measured, 0

    def interrupted(explorer: BoardExplorer, states: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls % 37 == 0:
            raise KeyboardInterrupt
        return real(explorer, states)

    monkeypatch.setattr(BoardExplorer, "measured", interrupted)
    reasons = []
    result = None
    while result is None or result.reason is not None:
        result = find_boards(spec, "slides", seed=3, boards=90, threads=1, checkpoint=file)
        reasons.append(result.reason)
    assert "interrupted" in reasons
    assert plain(result) == plain(whole)


def test_a_checkpoint_of_something_else_is_refused(tmp_path: Path) -> None:
    spec, file = load_board_spec("spec.yaml", text=SLIDING), tmp_path / "boards.saved"
    find_boards(spec, seed=1, boards=20, checkpoint=file)
    with pytest.raises(UsageError, match="another spec, metric, seed or version"):
        find_boards(spec, seed=2, boards=20, checkpoint=file)
    file.write_bytes(b"{")
    with pytest.raises(UsageError, match="not a checkpoint of a random search"):
        find_boards(spec, seed=1, boards=20, checkpoint=file)


def test_a_full_disk_keeps_the_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(path: Path, parts: list[bytes]) -> int:
        raise OSError(errno.ENOSPC, "no space left on device", str(path))

    monkeypatch.setattr(random_search_checkpoint, "write_whole", write)
    spec = load_board_spec("spec.yaml", text=SLIDING)
    best = find_boards(spec, seed=1, boards=20, checkpoint=tmp_path / "boards.saved")
    assert best.reason == "disk"
    assert best.boards

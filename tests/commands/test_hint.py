"""The best moves of a hint are the first moves of optimal plans; positions can be given in the forms in which users
write them.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import assume, given, settings

import fewest
from fewest.commands.hint.evaluation import evaluate
from fewest.commands.hint.search_oracle import Searcher
from fewest.drawing.text import draw
from fewest.errors import DocumentError, FewestError, UsageError
from fewest.model.answer import LimitReached, Limits
from fewest.model.metric import metric_of
from fewest.model.position import reading_order_labels, start
from fewest.model.states import decode, encode
from fewest.playing.exhaust import TooManyPositionsError, exhaust
from fewest.playing.rules import is_goal, legal_moves
from fewest.reading.positions import PositionError
from tests.helpers.agreement import compiled_or_none, relaxed
from tests.helpers.brute_force import LIMIT, BruteForce, add
from tests.helpers.command_line import run
from tests.helpers.random_puzzles import puzzles


@settings(relaxed, max_examples=35)
@given(puzzles())
def test_the_best_moves_are_those_that_optimal_plans_begin_with(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    task, puzzle = compiled.task, compiled.puzzle
    try:
        reach = exhaust(puzzle, next(iter(puzzle.metrics.values())), LIMIT)
    except (TooManyPositionsError, DocumentError):
        assume(False)
    first = start(puzzle)
    for metric in puzzle.metrics.values():
        brute = BruteForce(list(reach.costs), metric)

        def oracle(state: int, brute: BruteForce = brute) -> tuple[int, ...] | None:
            return brute.distance.get((decode(puzzle, task, state), brute.fresh))

        advice = evaluate(task, metric, task.initial, oracle)
        assert advice.distance == brute.distance.get((first, brute.fresh))
        assert Searcher(task, metric, Limits())(task.initial) == advice.distance
        if advice.distance is None or is_goal(first):
            assert advice.moves == ()
            continue
        begins = {encode(task, plan[0]) for plan in brute.plans(first) if plan} - {task.initial}
        assert {move.state for move in advice.moves if move.is_best} == begins, (metric.name, text)
        zero = (0,) * len(metric.parts)
        for move in advice.moves:
            assert move.left == oracle(move.state)
            assert (move.loss is None) == (move.left is None)
            assert move.loss is None or move.loss >= zero
            if len(metric.parts) == 1 and move.loss is not None and move.left is not None:
                assert add(move.cost, move.left) == add(advice.distance, move.loss)


def test_a_hint_names_moves_in_the_words_of_the_puzzle() -> None:
    hint = fewest.load("heng-dao-li-ma").hint()
    assert hint.distance == 81 and hint.status == "solvable"
    assert {move.text for move in hint.best} == {"G ↓", "H ↓", "J ←", "I →"}
    assert "loses 1" in str(hint)


def test_free_moves_prepare_the_move_that_counts() -> None:
    hint = fewest.load("microban-001").hint(metric="pushes")
    assert [move.loss for move in hint.moves] == [0, 2, None, None]
    assert hint.best[0].text == "walk player ↓←, push box (3, 1)→(2, 1) ↑"


def test_a_goal_a_dead_position_and_free_moves_to_the_goal() -> None:
    text = """
puzzle: walk-home
legend: {"@": player, ".": floor, "$": box, "!": home}
terrain: [home]
pieces: {player: {}, box: {}}
moves:
  walk: {before: [player, empty], after: [empty, player], directions: left right, count: 0}
  push: {before: [player, box, empty], after: [empty, player, box], directions: left right}
board: |
  !@..
goal: {player: {on: home}}
"""
    puzzle = fewest.load("walk-home.yaml", text=text)
    hint = puzzle.hint()
    assert (hint.distance, hint.finish, hint.moves) == (0, "walk player ←", ())
    assert puzzle.hint("@...").status == "solved"
    blocked = text.replace("!@..", "!$@.")
    dead = fewest.load("walk-home.yaml", text=blocked).hint()
    assert dead.status == "dead" and dead.distance is None


@pytest.mark.parametrize(
    ("name", "board", "distance"),
    [
        ("heng-dao-li-ma", "ACCB/ACCB/DFFE/DGHE/IJ..", 81),
        ("heng-dao-li-ma", "\nACCB\nACCB\nDFFE\nDGHE\nIJ..\n", 81),
        ("heng-dao-li-ma", "aCCb/aCCb/dFFe/dghe/i..j", 81),
        ("microban-001", "######\n# .###\n#  ###\n#*@  #\n#  $ #\n#  ###\n######", 8),
        ("keys-and-doors", "keys=2", 12),
        ("keys-and-doors", "keys = 0", 14),
        ("hanoi", "peg[0]=2, peg[1]=1", 5),
        ("hanoi", "peg[0]=2 peg[1]=2 peg[2]=2", 0),
        ("machinarium", ">>>_<<<", 15),
        ("eight-puzzle", "8 6 7/2 5 4/3 _ 1", 31),
    ],
)
def test_positions_are_written_as_they_are_drawn(name: str, board: str, distance: int) -> None:
    assert fewest.load(name).hint(board).distance == distance


def test_every_drawing_is_read_back() -> None:
    from fewest.drawing.text import draw

    for name in (
        "heng-dao-li-ma",
        "microban-001",
        "keys-and-doors",
        "two-rings",
        "fifteen-15",
        "guarini",
        "lunar-one",
        "frozen-pond",
        "triangle-10",
        "jugs",
    ):
        compiled = fewest.load(name)
        position = next(legal_moves(compiled.start)).target
        text = "\n".join(draw(position))
        assert compiled.at(text).start == position, name


@pytest.mark.parametrize(
    ("name", "board", "words"),
    [
        ("heng-dao-li-ma", "ACCB/ACCB/DFFE/DGHE", "5 rows of 4 cells, but the position has 4 rows"),
        ("heng-dao-li-ma", "ACCB/ACCB/DFFE/DGHE/I..", "4 columns"),
        ("heng-dao-li-ma", "ACCB/ACCB/DFFE/DGHE/I..#", "the position has a wall in this cell"),
        ("heng-dao-li-ma", "ACCB/ACCB/DFFE/DGHE/I..?", "no meaning"),
        ("heng-dao-li-ma", "ACCB/ACCB/DFFE/DGHE/I...", "the number of pieces such as `G` is 3"),
        ("heng-dao-li-ma", "CCCB/ACCB/DFFE/DGHE/I..J", "no piece `C` of this shape"),
        (
            "microban-001",
            "######\n#..###\n#  ###\n#*@  #\n#  $ #\n#  ###\n######",
            "the position has `target`",
        ),
        ("keys-and-doors", "keys=9", "cannot have the value 9"),
        ("hanoi", "peg[7]=1", "no variable `peg[7]`"),
        ("hanoi", "abc", "no board"),
    ],
)
def test_errors_in_positions_are_reported(name: str, board: str, words: str) -> None:
    with pytest.raises((PositionError, DocumentError)) as error:
        fewest.load(name).hint(board)
    assert words in str(error.value)


def test_a_position_outside_the_component_is_dead() -> None:
    assert fewest.load("tiles-2x3").hint("123/54_").status == "dead"


def test_a_limit_is_an_answer() -> None:
    hint = fewest.load("tiles-3x4").hint(seconds=0.05)
    assert hint.status == "limit" and hint.distance is None and hint.reason == "time"
    task = fewest.load("tiles-3x4").task
    with pytest.raises(LimitReached):
        Searcher(task, metric_of(task, None), Limits(memory=1 << 10))(task.initial)


def test_a_limit_also_ends_the_evaluation_of_free_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
puzzle: free-tiles
model: tiles
metrics: {ones: {count: {one: 1, slide: 0}}}
pieces: {one: {letters: A}, tile: {letters: B-Z}}
moves: {one: {slide: one}, slide: {slide: tile}}
board: |
  ABC
  _DE
goal: {board: "_BC\\nADE"}
"""
    puzzle = fewest.load("free-tiles.yaml", text=text)
    assert puzzle.hint(seconds=60).status == "solvable"
    task = puzzle.task
    searcher = Searcher(task, metric_of(task, None), Limits(memory=10_000))
    searcher.look(10)
    with pytest.raises(LimitReached, match="memory"):
        searcher.look(11)
    with pytest.raises(LimitReached, match="time"):
        Searcher(task, metric_of(task, None), Limits(seconds=0)).look(0)

    def ten_states(self: Searcher, num_states: int) -> None:
        if num_states > 10:
            raise LimitReached("memory")

    monkeypatch.setattr(Searcher, "look", ten_states)
    hint = puzzle.hint()
    assert (hint.status, hint.reason, hint.distance) == ("limit", "memory", 1)


def test_hint_on_the_command_line(tmp_path: Path) -> None:
    done = run("hint", "heng-dao-li-ma", "--at", "ACCB/ACCB/DFFE/DGHE/IJ..")
    assert done.returncode == 0 and "J →" in done.stdout and "best" in done.stdout
    file = tmp_path / "board.txt"
    file.write_text("ACCB\nACCB\nDFFE\nDGHE\nIJ..\n")
    data = json.loads(run("hint", "heng-dao-li-ma", "--at", str(file), "--json").stdout)
    assert data["distance"] == 81 and data["position"][4] == "IJ.."
    assert all((move["loss"] == 0) == move["best"] for move in data["moves"])
    file.write_text("ACCB\nACCB\nDFFE\nDGHE\nI!..\n")
    done = run("hint", "heng-dao-li-ma", "--at", str(file))
    assert done.returncode == 3 and "board.txt:5:2: error[board-character]" in done.stderr
    assert run("hint", "tiles-3x4", "--time", "0.1s").returncode == 4


def test_the_hardest_starts_of_random_puzzles_are_written_and_solved() -> None:
    @settings(relaxed, max_examples=40)
    @given(puzzles())
    def check(text: str) -> None:
        compiled = compiled_or_none(text)
        assume(compiled is not None)
        assert compiled is not None
        for metric in compiled.puzzle.metrics:
            found = compiled.explore(metric)
            if (
                found.num_states > 2_000
                or found.goal_distances is None
                or found.goal_distances.hardest is None
            ):
                return
            try:
                document = compiled.hardest_document(found)
            except FewestError as error:
                assert "touch" in str(error) or "drawn" in str(error)
                return
            again = fewest.load("hardest.yaml", text=document)
            assert again.solve(metric).cost == found.goal_distances.eccentricity, document

    check()


def test_a_puzzle_without_a_goal_has_no_hint() -> None:
    puzzle = fewest.load(
        "mine.yaml",
        text='puzzle: mine\nboard: "a.."\nlegend: {".": floor, a: a}\npieces: {a: {}}\nmoves: {m: {slide: a}}\n',
    )
    with pytest.raises(UsageError, match="has no goal"):
        puzzle.hint()


@pytest.mark.parametrize(
    ("position", "cost"),
    [
        ("   \nA #\n   ", 1),
        ("   \n  #\nA  \n", 2),
        ("\n   \n  #\nA  \nturns=1\n", 2),
        ("A  \n  #\n   ", 0),
        ("A  \n  #\n\n", 0),
        (" A /  #/   ", 1),
        ("   /A #/   ", 1),
    ],
)
def test_a_position_may_begin_and_end_with_rows_of_blank_floor(position: str, cost: int) -> None:
    text = """puzzle: blank
legend: {" ": floor, "#": wall}
pieces: {tile: {letters: A-Z}}
variables: {turns: {values: [0, 1], initial: 0}}
moves: {slide: {slide: tile}}
goal: {A: {at: [0, 0]}}
board: "   \\nA #\\n   "
"""
    compiled = fewest.load("blank.yaml", text=text)
    assert compiled.at(position).solve().cost == cost


@pytest.mark.parametrize("puzzle", ["hexoban-011", "theta-pebbles"])
def test_a_printed_drawing_of_hexagons_or_of_a_graph_is_a_position(puzzle: str) -> None:
    compiled = fewest.load(puzzle)
    position = compiled.start
    for _ in range(4):
        drawing = "\n".join(draw(position, reading_order_labels(position)))
        assert compiled.at(drawing).start == position
        position = next(iter(legal_moves(position))).target

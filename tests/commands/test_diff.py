"""`diff` counts the differences between two rule sets or two boards, and shows the first one in order of distance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import fewest
from fewest.commands import diff as compared
from fewest.commands.api import CompiledPuzzle
from fewest.commands.diff import RuleDifference, diff, with_model
from fewest.commands.result import Result
from fewest.errors import UsageError
from tests.helpers.command_line import run

ROW = {
    "puzzle": "row",
    "board": "A..B\n",
    "legend": {".": "floor"},
    "pieces": {"block": {"letters": "A-Z"}},
    "moves": {"step": {"slide": "block", "directions": ["right", "left"]}},
    "goal": {"A": {"at": [0, 2]}},
    "metrics": {"moves": {}},
}


def test_the_same_puzzle_has_no_difference() -> None:
    found = diff(fewest.load("bird"), fewest.load("bird"), "steps", most=300)
    assert not found.is_different
    assert (found.num_common, found.removed_moves, found.added_moves) == (300, 0, 0)
    assert found.is_partial
    assert found.first.minimum == found.second.minimum == 34


def test_puzzles_of_the_same_name_have_different_headings() -> None:
    longer = fewest.load(ROW | {"board": "A...B\n"})
    found = diff(fewest.load(ROW), longer, "moves")
    assert (found.first.name, found.second.name) == ("the first row", "the second row")
    from_file = replace(longer.puzzle, file="changed.yaml")
    assert compared._names(longer.puzzle, from_file)[1] == "changed.yaml"


def test_another_order_of_the_rules_is_no_difference() -> None:
    board = {
        **ROW,
        "board": "A.......\n........\n........\n.......B\n",
        "goal": {"A": {"at": [3, 0]}},
    }
    steps = {letter: {"slide": letter} for letter in "AB"}
    one = fewest.load({**board, "moves": steps})
    other = fewest.load({**board, "moves": dict(reversed(steps.items()))})
    found = diff(one, other, most=100)
    assert found.is_partial and found.removed_positions  # the other puzzle reaches these later
    assert any("  positions that were played: " in line for line in compared.lines_of(found))
    assert not found.is_different
    assert replace(found, first=replace(found.first, minimum=9)).is_different
    assert not diff(one, other).is_different


def test_removed_and_added_moves_are_those_counted_by_hand() -> None:
    only_right = {**ROW, "moves": {"step": {"slide": "block", "directions": "right"}}}
    found = diff(fewest.load(ROW), fewest.load(only_right))
    # A and B keep their order on four cells: 6 positions and 8 pairs of neighbours. Moves to the right reach 3.
    assert found.first.num_positions == 6
    assert (found.first.minimum, found.second.minimum) == (2, 2)
    assert found.second.num_positions == found.num_common == 3
    assert (found.removed_positions, found.added_positions) == (3, 0)
    assert found.added_moves == 0
    assert found.difference is not None
    assert found.difference.number_of_moves == 0
    assert found.difference.drawing == ("A..B",)
    assert found.difference.only_first == ("B ←",)
    assert found.difference.only_second == ()
    # Moves to the left are lost: B in A..B, A and B in .A.B, A in ..AB.
    assert found.removed_moves == 4


def test_the_text_gives_the_reason_for_a_missing_first_difference() -> None:
    def last_line(first: fewest.CompiledPuzzle, second: fewest.CompiledPuzzle) -> str:
        found = diff(first, second)
        assert found.is_different and found.difference is None
        return list(compared.lines_of(found))[-1].strip()

    assert (
        last_line(fewest.load("tiles-2x3"), fewest.load("tiles-2x3-swapped"))
        == "no first difference to draw: no position is in both puzzles"
    )
    right = {**ROW, "moves": {"step": {"slide": "block", "directions": "right"}}}
    reason = "the starts differ, and every position in both has the same moves and the same goal"
    assert last_line(fewest.load(right), fewest.load({**right, "board": ".A.B\n"})) == (
        f"no first difference to draw: {reason}"
    )


def test_a_plan_is_not_followed_from_different_starts() -> None:
    far = {**ROW, "board": "A.......B\n........C\n", "goal": {"A": {"at": [0, 7]}}}
    other = {**far, "board": "...A....B\n........C\n"}
    found = diff(fewest.load(far), fewest.load(other), most=2)
    assert (found.num_common, found.is_different, found.difference) == (0, True, None)
    last = list(compared.lines_of(found))[-1]
    assert last == ("  no first difference to draw: no position that was played is in both puzzles")


def test_moves_that_the_metric_counts_differently_are_a_difference() -> None:
    one, other = (
        fewest.load({**ROW, "metrics": {"moves": {"count": {"step": weight}}}}) for weight in (1, 2)
    )
    found = diff(one, other)
    assert (found.first.minimum, found.second.minimum, found.is_partial) == (2, 4, False)
    assert found.difference is None
    assert found.is_different
    assert "count `moves` differently" in "\n".join(compared.lines_of(found))


def test_another_goal_is_a_difference() -> None:
    other = {**ROW, "goal": {"A": {"at": [0, 1]}}}
    found = diff(fewest.load(ROW), fewest.load(other))
    assert found.difference is not None
    assert found.difference.number_of_moves == 1
    assert found.difference.goal == (False, True)
    assert (found.first.minimum, found.second.minimum) == (2, 1)


def test_two_models_are_compared_on_one_board() -> None:
    found = diff(
        with_model("microban-001", "sokoban"), with_model("microban-001", "sokoban-double-push")
    )
    assert (found.removed_moves, found.added_moves) == (0, 4)
    assert found.difference is not None
    assert [move.startswith("push-two") for move in found.difference.only_second] == [True]
    assert (found.first.num_plans, found.first.num_dead) == (1, 481)


def test_puzzles_without_a_metric_in_common_are_refused() -> None:
    other = {**ROW, "metrics": {"others": {}}}
    with pytest.raises(UsageError, match="no metric in common") as caught:
        diff(fewest.load(ROW), fewest.load(other))
    assert caught.value.hint is not None
    assert caught.value.hint.count("the metrics of ") == 2
    assert caught.value.hint.endswith("are others")


def test_the_command_draws_the_first_difference_and_has_a_table(tmp_path: Path) -> None:
    models = ("sokoban", "sokoban-double-push")
    done = run("diff", *models, "--on", "microban-001")
    assert done.returncode == 1
    assert "the first difference, after 7 moves:" in done.stdout
    assert "only in microban-001-sokoban-double-push: push-two" in done.stdout
    assert run("diff", "jugs", "jugs").returncode == 0
    for name in ("one", "two"):
        text = f'puzzle: {name}\nmodel: sokoban\nboard: "#@$ .#"\n'
        (tmp_path / f"{name}.yaml").write_text(text)
    table = run("diff", *models, "--on", str(tmp_path / "*.yaml"))
    assert table.returncode == 0
    assert "sokoban and sokoban-double-push differ on 0 of 2 boards" in table.stdout
    assert "2 → 2 pushes; 0 moves removed, 0 added" in table.stdout
    (tmp_path / "one.yaml").write_text('puzzle: one\nmodel: sokoban\nboard: "#@$$..#"\n')
    (tmp_path / "two.yaml").write_text('puzzle: two\nmodel: sokoban\nboard: "#$@ .#"\n')
    table = run("diff", *models, "--on", str(tmp_path / "*.yaml"))
    assert "unsolvable → 2 pushes; 0 moves removed" in table.stdout
    assert "unsolvable → unsolvable; 0 moves removed, 0 added" in table.stdout
    assert run("diff", *models, "--on", str(tmp_path / "*.xsb")).returncode == 2


def test_models_without_a_board_and_boards_that_do_not_fit_are_reported(tmp_path: Path) -> None:
    alone = run("diff", "sokoban", "sokoban-pull")
    assert (alone.returncode, "--on PUZZLE" in alone.stderr) == (2, True)
    (tmp_path / "one.yaml").write_text('puzzle: one\nmodel: sokoban\nboard: "#@$ .#"\n')
    (tmp_path / "two.yaml").write_text('puzzle: two\nmodel: sokoban\nboard: "#@$ .#"\nwrong: 1\n')
    table = run("diff", "sokoban", "sokoban-pull", "--on", str(tmp_path / "*.yaml"))
    assert table.returncode == 1
    assert "two.yaml: there is no key `wrong` here" in table.stderr
    assert "differ on 1 of 1 board" in table.stdout
    (tmp_path / "one.yaml").write_text("wrong: 1\n")
    assert run("diff", "sokoban", "sokoban-pull", "--on", str(tmp_path / "*")).returncode == 3


@pytest.mark.parametrize("stop", ["play", "search"])
def test_an_interruption_keeps_the_compared_boards(
    stop: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two", "zoo"):
        text = f'puzzle: {name}\nmodel: sokoban\nboard: "#@$ .#"\n'
        (tmp_path / f"{name}.yaml").write_text(text)
    real, count = compared.diff, iter(range(9))

    def interrupted(*pair: Any, **options: Any) -> RuleDifference:
        found = real(*pair, **options)
        if next(count) < 1:
            return found
        if stop == "play":
            raise KeyboardInterrupt
        return replace(found, first=replace(found.first, reason="interrupted"))

    monkeypatch.setattr(compared, "diff", interrupted)
    models = ("sokoban", "sokoban-double-push")
    done = run("diff", *models, "--on", str(tmp_path / "*.yaml"))
    number, boards = {"play": (1, "1 board"), "search": (2, "2 boards")}[stop]
    assert done.returncode == 4
    assert f"on 0 of {boards}, interrupted: {number} of 3" in done.stdout
    assert "one-sokoban" in done.stdout


DISPUTED = """\
DriftingDroids 18
!DriftingDroids_game!C5DFD19D!AAAEL3ja5ZJLCoAwDETzRBBBxCt4VvdeWBdWrf2
kaS9gYEqSTpMMjYjIcqN3x+GwO6wO2zQOM8rEtJBOCfg8JRWdVWViHdKYwIh9EKojYUft
1s1i2M/Qmj+35JNNg3H7yEPJx9ZKmkMrzuejcGp6avP94L+xF/63C+CdU7r35AKtFQUm!
"""


def test_the_disputed_board_needs_seven_moves_or_nine(tmp_path: Path) -> None:
    file = tmp_path / "issue.droids"
    file.write_text(DISPUTED, encoding="utf-8")
    published = fewest.load(f"{file}:1").puzzle
    puzzles = [fewest.load(name) for name in ("ricochet-straight", "ricochet-rebound")]
    for one in puzzles:
        assert one.puzzle.board is not None
        assert published.board is not None
        assert one.puzzle.board.exits == published.board.exits
        assert {p.label: p.anchor for p in one.puzzle.pieces} == {
            p.label: p.anchor for p in published.pieces
        }
    found = diff(puzzles[0], puzzles[1], most=30)
    assert (found.first.minimum, found.second.minimum) == (7, 9)  # the two published minima
    assert found.difference is not None
    assert found.difference.number_of_moves == 7
    assert found.difference.goal == (True, False)
    assert found.is_different
    assert "the first difference on a plan, after 7 moves:" in compared.lines_of(found)
    assert found.to_json()["first_difference"]["on_plan"] is True


def test_the_cost_of_a_plan_that_is_not_proven_is_no_minimum(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = CompiledPuzzle.solve

    def stopped(*arguments: Any, **options: Any) -> Result:
        return replace(real(*arguments, **options), status="limit", reason="time")

    monkeypatch.setattr(CompiledPuzzle, "solve", stopped)
    found = diff(fewest.load(ROW), fewest.load(ROW), most=1)
    assert (found.first.status, found.first.minimum) == ("limit", None)
    assert "2 moves" not in "\n".join(compared.table_of([found]))


LETTERS = """
puzzle: letters
model: sliding-blocks
goal: {GOAL}
board: |
  A.
  B.
"""


def test_puzzles_that_name_different_letters_have_the_same_positions() -> None:
    one, other = (
        fewest.load("letters.yaml", text=LETTERS.replace("GOAL", f"{letter}: {{at: [0, 1]}}"))
        for letter in "AB"
    )
    found = diff(one, other)
    assert found.have_same_start and (found.num_common, found.removed_moves) == (12, 0)
    assert found.difference is not None and found.difference.goal == (True, False)
    unnamed = fewest.load("letters.yaml", text=LETTERS.replace("GOAL", "count: {block: 2}"))
    for pair in ((one, unnamed), (unnamed, one)):
        found = diff(*pair)
        assert found.have_same_start and found.num_common == 12
        assert {found.first.num_positions, found.second.num_positions} == {12, 6}
    partial = diff(unnamed, unnamed.at("AB/.."), most=1)
    assert not partial.have_same_start
    moved = diff(one.at(".A/B."), other.at(".A/B."))
    assert moved.have_same_start and moved.first.minimum == 0


def test_the_path_of_a_plan_is_followed_with_letters_that_it_does_not_distinguish() -> None:
    goal = "cell(1, 1) != empty and cell(0, 1) != empty"
    named = goal.replace("cell(1, 1) != empty", "cell(1, 1) == B")
    one, other = (
        fewest.load("letters.yaml", text=LETTERS.replace("{GOAL}", each)) for each in (goal, named)
    )
    found = diff(one, other, most=1)
    assert found.is_partial and found.have_same_start
    assert (found.first.minimum, found.second.minimum) == (2, 2)
    assert found.difference is None and not found.is_different


def test_distinct_pieces_of_a_kind_are_counted_as_explore_counts_them() -> None:
    text = LETTERS.replace("GOAL", "count: {block: 2}")
    distinct = text.replace("board:", "pieces: {block: {interchangeable: false}}\nboard:")
    one, other = (fewest.load("letters.yaml", text=each) for each in (text, distinct))
    found = diff(one, other)
    assert not found.is_different
    assert (found.first.num_positions, found.second.num_positions) == (6, 12)
    assert other.explore().num_states == 12

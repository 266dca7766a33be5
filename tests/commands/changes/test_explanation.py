"""Tests the reasons why puzzles are unsolvable: arguments, or the smallest sets of parts to remove. The sets are
compared with a search of all subsets."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

import fewest
from fewest.analysis.unsolvability import argument_of, prove_unsolvable
from fewest.commands import explanation
from fewest.commands.changes import PuzzleToChange, Variation
from fewest.commands.explanation import Removals, removal_heading, smallest_removals
from fewest.commands.result import Result
from fewest.commands.vary import vary
from fewest.errors import Exit, UsageError
from fewest.formats.stand_alone import UndrawableError
from fewest.grounding import grounder
from fewest.model.answer import Limits
from tests.helpers.command_line import run
from tests.helpers.small_changes import (
    RULES,
    document,
    minimum_by_rules,
    random_rows,
    smallest_sets,
)

LARGEST = 2


def workpiece(compiled: fewest.CompiledPuzzle) -> PuzzleToChange:
    assert compiled.document is not None
    return PuzzleToChange(compiled.document, compiled.puzzle)


def unsolvable_boards(rules: str, number: int) -> list[list[str]]:
    found: list[list[str]] = []
    for seed in range(400):
        rows = random_rows(rules, seed)
        if minimum_by_rules(document(rules, rows)) is None:
            found.append(rows)
        if len(found) == number:
            break
    return found


@pytest.mark.parametrize("rules", RULES)
def test_the_smallest_sets_are_those_of_all_subsets(rules: str) -> None:
    boards = unsolvable_boards(rules, 6)
    assert len(boards) == 6
    lines = [line for line in RULES[rules].splitlines() if line.startswith("  - ")]
    num_sets = 0
    for rows in boards:
        compiled = fewest.load("small.yaml", text=document(rules, rows))
        found = smallest_removals(workpiece(compiled), "moves", LARGEST, Limits())
        named = {
            frozenset(
                lines[part.rule[1]]
                if part.rule is not None and isinstance(part.rule[1], int)
                else part.cells[0]
                for part in one.parts
            ): one.minimum
            for one in found.found
        }
        assert named == smallest_sets(rules, rows, LARGEST), rows
        assert found.is_complete
        assert found.num_open == 0
        num_sets += len(named)
    assert num_sets > 2


@pytest.mark.parametrize("rules", RULES)
def test_a_board_is_unsolvable_if_the_interpreter_finds_no_plan(rules: str) -> None:
    kinds = set()
    for seed in range(40):
        text = document(rules, random_rows(rules, seed))
        minimum = minimum_by_rules(text)
        if minimum == "invalid":
            continue
        found = fewest.load("small.yaml", text=text).explain(largest=0)
        assert found.status == ("unsolvable" if minimum is None else "solvable")
        assert found.minimum == minimum
        assert not found.reasons or minimum is None
        kinds.add(found.status)
    assert kinds == {"unsolvable", "solvable"}


def test_the_shortest_argument_comes_first() -> None:
    found = fewest.load("clones-three").explain()
    assert [one.kind for one in found.reasons] == ["invariant"]
    assert found.removals is None
    rows = ["$#..", "@.!.", "...."]  # a pushed box cannot leave the corner
    stuck = fewest.load("small.yaml", text=document("pushing", rows)).explain()
    assert stuck.status == "unsolvable"
    assert stuck.reasons
    assert [one.size for one in stuck.reasons] == sorted(one.size for one in stuck.reasons)


def test_sets_are_searched_beside_an_argument_if_wanted() -> None:
    rows = ["@.#!", "..#.", "$.#."]
    found = fewest.load("small.yaml", text=document("pushing", rows)).explain(always=True)
    assert found.reasons
    assert found.removals is not None
    assert found.removals.size == 1 or not found.removals.found


def test_a_limit_keeps_the_results() -> None:
    compiled = fewest.load("zou-tou-wu-lu")
    unknown = compiled.explain(seconds=0)
    assert unknown.status == "unknown"
    assert unknown.exit_code == Exit.LIMIT
    cut = smallest_removals(workpiece(compiled), "turns", 2, Limits(0))
    assert not cut.is_complete
    assert cut.reason == "time"
    assert cut.found == ()


def test_ctrl_c_keeps_the_sets_found(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = fewest.load("zou-tou-wu-lu")

    def interrupt(trial: object) -> None:
        if getattr(trial, "number", 0) == 4:
            raise KeyboardInterrupt

    cut = smallest_removals(workpiece(compiled), "turns", 1, Limits(), interrupt)
    assert [str(one) for one in cut.found] == ["B (0, 0)", "A (0, 3)", "D (2, 0)"]
    assert cut.reason == "interrupted"


def test_a_puzzle_without_a_goal_has_nothing_to_explain() -> None:
    text = document("gliding", ["A...", "....", "...."]).replace("goal: {A: {on: exit}}\n", "")
    with pytest.raises(UsageError, match="no goal"):
        fewest.load("small.yaml", text=text).explain()


def test_the_command_draws_the_board_without_the_parts() -> None:
    done = run("explain", "zou-tou-wu-lu")
    assert done.returncode == 0
    assert "  E (2, 1): 9 turns" in done.stdout
    assert "without B (0, 0):\n\n.CCA\n.CCA\n" in done.stdout
    data = json.loads(run("explain", "zou-tou-wu-lu", "--json").stdout)
    assert data["removals"]["tried"] == 10
    assert data["removals"]["invalid"] == 1
    assert run("explain", "bird").stdout.splitlines()[0].endswith("it can be solved: 34 steps")


@pytest.mark.parametrize(
    ("model", "board", "goal", "message"),
    [
        ("sokoban", "######/#$ @.#/#    #/######", "", "this goal spot: box (1, 4)"),
        (
            "sokoban",
            "########/#   @#.#/# $  ###/#      #/########",
            "",
            "this goal spot: box (1, 6)",
        ),
        ("sokoban", "#######/# $$  #/#   @ #/#  .. #/#######", "", "(3, 3), box (3, 4)"),
        ("sliding-blocks", "XA.#./...##", "{X: {at: [0, 4]}}", "this goal spot: X (0, 4)"),
        (
            "sliding-blocks",
            "XA.#./...##",
            "{any: [{X: {at: [0, 4]}}, {A: {at: [0, 4]}}]}",
            "these goal spots: X (0, 4), A (0, 4)",
        ),
        ("ricochet-robots", "R..#*/...##/.....", "", "this goal spot: R (0, 4)"),
    ],
)
def test_goal_spots_that_no_piece_can_reach_are_named(
    model: str, board: str, goal: str, message: str
) -> None:
    drawing = "".join(f"  {row}\n" for row in board.split("/"))
    text = f"puzzle: spots\nmodel: {model}\nboard: |\n{drawing}" + (
        f"goal: {goal}\n" if goal else ""
    )
    reasons = fewest.load("spots.yaml", text=text).explain().reasons
    assert reasons[0].kind == "counting"
    assert reasons[0].line().startswith("no piece can reach ")
    assert reasons[0].line().endswith(message)


def test_the_line_of_an_argument_separates_pieces_from_goals() -> None:
    text = """puzzle: two
model: sokoban
goal: count(box) == count(box, target)
board: |
  #########
  #       #
  # $ $ * #
  # @   . #
  #   $ * #
  #       #
  #########
"""
    line = fewest.load("two.yaml", text=text).explain().reasons[0].line()
    assert line.endswith(
        "only 3 goal spots: pieces box (2, 2), box (2, 4), box (2, 6), box (4, 4), box (4, 6);"
        " goals box (2, 6), box (3, 6), box (4, 6)"
    )


def test_a_piece_that_can_reach_no_goal_spot_is_named_in_the_singular() -> None:
    text = """puzzle: corner
legend: {"@": man, "$": box, ".": floor, x: mark}
terrain: [mark]
pieces: {man: {}, box: {}}
moves:
  walk: {before: [man, empty], after: [empty, man]}
  push: {before: [man, box, empty], after: [empty, man, box]}
goal: {every: box, on: mark}
board: |
  $...$
  .@.x.
  .....
"""
    (reason, *_) = fewest.load("corner.yaml", text=text).explain().reasons
    assert reason.line() == "this piece can reach no cell where a goal has it: box (0, 0)"


def test_the_plan_of_a_stopped_search_shows_that_a_puzzle_can_be_solved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = explanation.solve

    def stopped(*arguments: Any, **options: Any) -> Result:
        result = real(*arguments, **options)
        return result if result.cost is None else replace(result, status="limit", reason="memory")

    monkeypatch.setattr(explanation, "solve", stopped)
    found = fewest.load("jugs").explain()
    assert (found.status, found.minimum) == ("solvable", None)
    text = document("pushing", unsolvable_boards("pushing", 1)[0])
    removals = fewest.load("small.yaml", text=text).explain(always=True).removals
    assert removals is not None and removals.found and removals.num_open == 0
    assert all(one.minimum is None for one in removals.found)


def test_only_a_complete_search_reports_that_no_removal_helps() -> None:
    complete = Removals(2, (), True, 10, 0, 0, None)
    for found, words in (
        (complete, "no removal of up to 2 parts"),
        (replace(complete, num_open=1), "no decided removal of up to 2 parts"),
        (replace(complete, is_complete=False, reason="time"), "no decided removal of up to 2"),
        (replace(complete, num_undrawn=1), "no decided removal of up to 2 parts"),
    ):
        assert next(explanation._lines_of(found, "moves")).startswith(words)


def test_sets_that_no_document_describes_do_not_count_as_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled = fewest.load("zou-tou-wu-lu")
    work = workpiece(compiled)
    written = PuzzleToChange.text

    def without_the_last_part(
        self: PuzzleToChange, wanted: Variation, *given: Any, **texts: Any
    ) -> str:
        if wanted == work.without(work.parts[-1:]):
            raise UndrawableError("no letter is left")
        return written(self, wanted, *given, **texts)

    whole = smallest_removals(work, "turns", 1, Limits())
    monkeypatch.setattr(PuzzleToChange, "text", without_the_last_part)
    found = smallest_removals(work, "turns", 1, Limits())
    assert (found.num_tried, found.num_undrawn) == (whole.num_tried - 1, 1)
    assert found.num_invalid == whole.num_invalid
    assert found.to_json()["undrawn"] == 1
    assert "1 set could not be tried" in removal_heading(found)


def test_an_impossible_goal_may_test_rules() -> None:
    """No `b` exists, so no move achieves the goal; to name the missing piece, the goal is compiled again."""
    text = """
puzzle: impossible
board: "#a."
legend: {"#": wall, ".": floor, "a": a, "b": b}
pieces: {a: {}, b: {}}
moves: {step: {before: [a, empty], after: [empty, a]}}
goal: {all: ["not can(step)", {b: {at: [0, 1]}}]}
"""
    found = fewest.load("impossible.yaml", text=text).explain()
    assert found.status == "unsolvable" and found.reasons


SMALL = """
puzzle: closed
board: "#a#b#"
legend: {"#": wall, "a": a, "b": b}
pieces: {a: {}, b: {}}
moves: {swap: {before: [a, b], after: [b, a]}, step: {before: [a, empty], after: [empty, a]}}
goal: {a: {at: [0, 3]}}
"""


def test_a_removal_that_makes_the_puzzle_too_large_is_not_decided(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without the middle wall, there is a plan. If that puzzle is too large to compile, nothing is said about it."""
    compiled = fewest.load("closed.yaml", text=SMALL)
    work = workpiece(compiled)
    assert [str(one) for one in smallest_removals(work, "moves", 1, Limits()).found] == [
        "wall (0, 2)"
    ]
    monkeypatch.setattr(grounder, "MAX_OPERATORS", 1)
    found = smallest_removals(work, "moves", 1, Limits())
    assert not found.found and found.num_open > 0
    assert removal_heading(found).startswith("no decided removal of up to 1 part ")
    boards = vary(work.document, work.puzzle, "moves").boards
    assert {one.status for one in boards if str(one.change) == "remove wall (0, 2)"} == {"limit"}


TWO_GOALS = """
puzzle: lamps
variables:
  x[i]: {for: {i: range(3)}, values: range(2), initial: 0}
  y[i]: {for: {i: range(3)}, values: range(2), initial: 0}
moves:
  x: {for: {i: range(2)}, set: {"x[i]": "1 - x[i]", "x[i + 1]": "1 - x[i + 1]"}}
  y: {for: {i: range(2)}, set: {"y[i]": "1 - y[i]", "y[i + 1]": "1 - y[i + 1]"}}
goal: {any: ["x[0] == 1 and x[1] + x[2] == 0", "y[0] == 1 and y[1] + y[2] == 0"]}
"""


def test_a_sum_that_refutes_only_some_goals_does_not_claim_more() -> None:
    compiled = fewest.load("strides.yaml", text=TWO_GOALS)
    sums = prove_unsolvable(compiled.task)
    assert sums is not None and len(sums) == 2
    text = argument_of(sums)
    assert "the goal has" not in text and "some goals have the other value" in text
    assert text.endswith("together, these 2 sums exclude every goal")
    assert text in {one.text for one in compiled.explain().reasons}


def test_the_possible_values_of_variables_are_named() -> None:
    text = """
puzzle: even
variables:
  a: {values: range(5), initial: 0}
moves:
  add: {when: a < 3, set: {a: a + 2}}
goal: a == 3
"""
    (reason, *_) = fewest.load("even.yaml", text=text).explain().reasons
    assert reason.line().endswith(", and no goal is possible with them: a=0, a=2, a=4")

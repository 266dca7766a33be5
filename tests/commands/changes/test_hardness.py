"""The reference interpreter confirms every number of the hardness of a puzzle."""

from __future__ import annotations

import json
from math import isclose, log2

import pytest

import fewest
from fewest.commands.hardness import Hardness
from fewest.commands.measures import effective_branching
from fewest.errors import UsageError
from fewest.model.position import Position, start
from fewest.playing.rules import is_goal, legal_moves
from tests.helpers.command_line import run
from tests.helpers.small_changes import (
    FLOOR,
    RULES,
    document,
    minimum_by_rules,
    random_rows,
    with_marks,
)


class Played:
    """All positions that the rules reach, with their distances to the goal."""

    def __init__(self, text: str) -> None:
        self.start = start(fewest.load("small.yaml", text=text).puzzle)
        self.nexts: dict[Position, set[Position]] = {}
        waiting = [self.start]
        while waiting:
            here = waiting.pop()
            if here not in self.nexts:
                self.nexts[here] = {move.target for move in legal_moves(here)} - {here}
                waiting += self.nexts[here]
        self.left = {here: 0 for here in self.nexts if is_goal(here)}
        while True:
            new = {
                here: 1 + min(self.left[t] for t in targets if t in self.left)
                for here, targets in self.nexts.items()
                if here not in self.left and any(t in self.left for t in targets)
            }
            if not new:
                break
            least = min(new.values())
            self.left.update({here: far for here, far in new.items() if far == least})

    def chance(self, here: Position) -> float:
        if self.left[here] == 0:
            return 1.0
        good = [t for t in self.nexts[here] if self.left.get(t) == self.left[here] - 1]
        return sum(map(self.chance, good)) / len(self.nexts[here])

    def sums_of_moves(self, here: Position) -> set[int]:
        """For each optimal plan, the sum of the numbers of next positions before each of its moves."""
        if self.left[here] == 0:
            return {0}
        good = [t for t in self.nexts[here] if self.left.get(t) == self.left[here] - 1]
        return {len(self.nexts[here]) + each for t in good for each in self.sums_of_moves(t)}

    def within(self, depth: int) -> int:
        seen, layer = {self.start}, {self.start}
        for _ in range(depth):
            layer = {t for here in layer for t in self.nexts[here]} - seen
            seen |= layer
        return len(seen)


def solvable(rules: str, number: int) -> list[list[str]]:
    found: list[list[str]] = []
    for seed in range(600):
        minimum = minimum_by_rules(document(rules, random_rows(rules, seed)))
        if isinstance(minimum, int) and minimum > 1:
            found.append(random_rows(rules, seed))
        if len(found) == number:
            break
    return found


def value(found: Hardness, name: str) -> float | None:
    return next(one.value for one in found.measures if one.name == name)


@pytest.mark.parametrize("rules", RULES)
def test_the_numbers_are_those_of_the_rules(rules: str) -> None:
    boards = solvable(rules, 4)
    assert len(boards) == 4
    for rows in boards:
        text = document(rules, rows)
        found = fewest.load("small.yaml", text=text).explain_hardness("moves")
        played = Played(text)
        depth = played.left[played.start]
        assert found.minimum == depth
        dead = value(found, "dead positions")
        assert dead is not None
        assert isclose(dead, 1 - len(played.left) / len(played.nexts))
        bits = value(found, "bits of choice")
        assert bits is not None
        assert isclose(bits, -log2(played.chance(played.start)))
        mobility = value(found, "mobility")
        assert mobility is not None
        assert any(isclose(mobility, each / depth) for each in played.sums_of_moves(played.start))
        assert value(found, "effective branching factor") == effective_branching(
            played.within(depth), depth
        )
        for row in found.without:
            gone = with_marks(rows, {row.piece.cells[0]: FLOOR})
            minimum = minimum_by_rules(document(rules, gone))
            assert row.minimum == (minimum if isinstance(minimum, int) else None)
            assert (row.status == "invalid") == (minimum == "invalid")


def steps_on_floor(rows: list[str], goal: tuple[int, int]) -> dict[tuple[int, int], int]:
    found, waiting = {goal: 0}, [goal]
    for r, c in waiting:
        for cell in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
            inside = 0 <= cell[0] < len(rows) and 0 <= cell[1] < len(rows[0])
            if inside and rows[cell[0]][cell[1]] != "#" and cell not in found:
                found[cell] = found[r, c] + 1
                waiting.append(cell)
    return found


def test_a_walk_around_a_guard_leads_away_from_the_goal() -> None:
    found = fewest.load("small.yaml", text=document("forbidden", ["....", "@#g!", "...."]))
    answer = found.explain_hardness()
    assert answer.moves is not None
    far = steps_on_floor(["....", "@#g!", "...."], (1, 3))
    assert answer.moves[-1].distance == 0
    before = far[1, 0]
    for one in answer.moves:
        assert one.trend == (
            "towards" if one.distance < before else "away" if one.distance > before else "beside"
        )
        before = one.distance
    assert all(one.distance <= max(far.values()) for one in answer.moves)


def test_known_puzzles_have_their_figures() -> None:
    found = fewest.load("bird").explain_hardness()
    assert found.moves is not None
    assert [one.number for one in found.moves if one.trend == "away"] == [4, 14]
    assert found.num_traces == 1
    assert found.bottlenecks is not None
    assert len(found.bottlenecks) == 3
    assert value(found, "piece changes") == 23
    assert value(found, "decomposition") == 0
    doors = fewest.load("keys-and-doors").explain_hardness()
    assert "door (1, 5)" in [str(one.piece) for one in doors.without if one.is_idle]
    assert fewest.load("jugs").explain_hardness().moves is None


def test_a_uniform_tree_has_its_own_branching_factor() -> None:
    found = effective_branching(1 + 3 + 9 + 27, 3)
    assert found is not None
    assert isclose(found, 3)
    assert effective_branching(5, 4) == pytest.approx(1)
    assert effective_branching(1, 0) is None


def test_every_measure_has_a_formula_and_a_source() -> None:
    data = json.loads(run("explain", "jugs", "--hard", "--json").stdout)
    assert all(one["formula"] and one["source"] for one in data["measures"])
    by_name = {one["name"]: one for one in data["measures"]}
    assert by_name["length"]["reason"] is None
    assert by_name["piece changes"]["value"] is None  # jugs are variables
    assert by_name["piece changes"]["reason"] == "no optimal plan moves a piece"
    text = run("explain", "--hard", "bird").stdout
    assert "  A (0, 0): 22 steps" in text
    assert "2 lead away from the goal" in text


def test_a_single_move_is_counted_in_the_singular() -> None:
    text = "puzzle: one\nmodel: sliding-blocks\nboard: A.\ngoal: {A: {touches: right}}\n"
    lines = list(fewest.load("one.yaml", text=text).explain_hardness().lines())
    assert lines[0] == ("  of 1 move of a plan, 0 lead away from the goal and 0 keep the distance")


def test_ctrl_c_keeps_the_computed_results() -> None:
    def interrupt(trial: object) -> None:
        if getattr(trial, "number", 0) == 3:
            raise KeyboardInterrupt

    cut = fewest.load("bird").explain_hardness(progress=interrupt)
    assert cut.reason == "interrupted"
    assert len(cut.without) == 3
    assert cut.minimum == 34


def test_a_puzzle_without_a_plan_is_not_hard_but_impossible() -> None:
    with pytest.raises(UsageError, match="unsolvable"):
        fewest.load("zou-tou-wu-lu").explain_hardness()

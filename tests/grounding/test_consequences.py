"""The grounder skips placements of rules under `then` that cannot match."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import fewest
from fewest.grounding.consequences import Consequences
from fewest.grounding.ground import ground
from fewest.grounding.grounder import Grounder
from fewest.grounding.intermediate_view import IntermediateView, fits
from fewest.grounding.partial import PartialState, partial
from fewest.grounding.view import PartialView
from fewest.model.puzzle import Puzzle
from fewest.model.task import Task
from tests.helpers.agreement import compiled_or_none, relaxed
from tests.helpers.random_puzzles import puzzles

FALLING = """
puzzle: falling
legend: {".": floor, a: a, b: b}
pieces: {a: {}, b: {}}
moves: {go: {before: [a, empty], after: [empty, a], directions: horizontal}}
then:
  fall: {slide: b, directions: down}
  grow: {before: [a, b], after: [a, a], directions: horizontal}
  fill: {before: [empty, b, b], after: [a, b, b], directions: right}
goal: {a: {at: [1, 1]}}
board: |
  b..
  a..
"""


def test_a_rule_is_tested_only_at_cells_where_its_first_element_may_match() -> None:
    grounder = Grounder(fewest.load("falling.yaml", text=FALLING).puzzle)
    rules = Consequences(grounder)
    there = set(grounder.initial_facts())
    absent = [fact for fact in range(len(grounder.facts)) if fact not in there]
    start = IntermediateView(grounder, partial(there, absent))
    may_fit = [(unit.rule.name, unit.cell) for unit in rules.units if unit.may_fit(start)]
    # The first cell of `fill` may be empty, and its three cells fit into the row.
    assert may_fit == [("fall", 0), ("fill", 0), ("grow", 3), ("fill", 3)]
    assert {unit.cell for unit in rules.units if unit.rule.name == "grow"} == set(range(6))
    assert not any(list(fits(unit, start)) for unit in rules.units)
    unknown = IntermediateView(grounder, partial())
    assert all(unit.may_fit(unknown) for unit in rules.units)


def from_the_beginning(puzzle: Puzzle, most_divided: int) -> Task:
    """The task of a grounder that computes every case of a consequence from the beginning."""
    begins = PartialView.__init__

    def forgetful(
        view: PartialView, facts: Grounder, at: PartialState, _begun: object = None
    ) -> None:
        begins(view, facts, at)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PartialView, "__init__", forgetful)
        return ground(puzzle, most_divided=most_divided)


@pytest.mark.parametrize("name", ["digger", "three-alike", "wildfire", "watchman", "the-vine"])
def test_a_case_resumes_at_the_test_that_split_it(name: str) -> None:
    puzzle = fewest.load(name).puzzle
    for most in (200_000, 1_000):  # a resumed case uses as much of the budget as a new one
        assert ground(puzzle, most_divided=most) == from_the_beginning(puzzle, most)


@settings(relaxed, max_examples=25)
@given(text=puzzles())
def test_a_case_of_any_puzzle_resumes_at_the_test_that_split_it(text: str) -> None:
    compiled = compiled_or_none(text)
    if compiled is not None and (compiled.puzzle.then or "together" in text):
        for most in (200_000, 300):
            again, task = (
                from_the_beginning(compiled.puzzle, most),
                ground(compiled.puzzle, most_divided=most),
            )
            # If the budget is almost used up, a repeated visit can determine which of the two forms the task has.
            assert task == again or (
                most < 1_000 and bool(task.consequences) != bool(again.consequences)
            )


def test_moves_from_intermediate_states_are_omitted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    puzzle = fewest.load("minotaur-one").puzzle  # before a move, the minotaur has no step left
    num_calls = 0
    follow = Consequences.follow

    def counted(rules: Consequences, *args: object) -> object:
        nonlocal num_calls
        num_calls += 1
        return follow(rules, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Consequences, "follow", counted)
    task = ground(puzzle)
    few, num_calls = num_calls, 0
    monkeypatch.setattr(Consequences, "is_at_rest", lambda *_: True)
    assert ground(puzzle, most_divided=400_000) == task
    assert 2 * few < num_calls

"""A rule with `wait: true` is a move if only its consequences change anything."""

from __future__ import annotations

import pytest

import fewest
from fewest.errors import DocumentError
from fewest.grounding.ground import ground
from fewest.playing.rules import legal_moves
from tests.helpers.matrix.compare import compare

CROSSING = """
puzzle: crossing
legend: {".": floor, "@": walker, c: cart, "!": far}
terrain: [far]
pieces: {walker: {}, cart: {}}
variables: {tired: {values: range(3), initial: 0}}
moves:
  step: {before: [walker, empty], after: [empty, walker], directions: right}
  rest: REST
then:
  roll: {before: [cart, empty], after: [empty, cart], directions: down, once: true, everywhere: true}
board: |
  ..c..
  @...!
  .....
forbid: {walker: {at: [1, 1]}}
goal: {cart: {at: [2, 2]}}
"""
WAITS = "{wait: true}"


def crossing(rest: str) -> fewest.CompiledPuzzle:
    return fewest.load("crossing.yaml", text=CROSSING.replace("REST", rest))


def moves_of(puzzle: fewest.CompiledPuzzle) -> list[tuple[str, tuple[str, ...]]]:
    return [(move.rule, move.then) for move in legal_moves(puzzle.start)]


def test_a_wait_is_a_move_as_long_as_the_consequences_change_something() -> None:
    puzzle = crossing(WAITS)
    assert moves_of(puzzle) == [("rest", ("roll",))]
    assert compare(puzzle.puzzle).is_complete
    exploration = puzzle.explore()
    # the cart falls twice; after that, a wait changes nothing and is no move
    assert (exploration.num_states, exploration.minimum) == (3, 2)
    apart = ground(puzzle.puzzle, most_divided=0)  # consequences that apply one by one
    assert apart.consequences and not puzzle.task.consequences
    assert [step.text for step in puzzle.solve().plan.moves] == ["rest (roll)"] * 2


def test_without_a_wait_no_consequences_apply() -> None:
    assert crossing("{set: {tired: tired}}").explore().num_states == 1


def test_a_wait_can_have_a_condition_a_loop_and_assignments() -> None:
    puzzle = crossing(
        "{for: {i: [0, 2]}, wait: true, when: tired == i, set: {tired: 1 if tired == 0 else 2}}"
    )
    assert moves_of(puzzle) == [("rest", ("roll",))]
    assert compare(puzzle.puzzle).is_complete
    assert puzzle.explore().num_states == 2
    again = crossing("{wait: true, set: {tired: 1 if tired == 0 else tired}}")
    assert compare(again.puzzle).is_complete
    assert again.explore().num_states == 3


def test_the_hint_for_a_rule_that_changes_nothing_names_the_key() -> None:
    (warning,) = crossing("{before: [walker], after: [walker]}").warnings
    assert (warning.code, warning.hint) == (
        "rule-idle",
        "if only the consequences should apply, write `{wait: true}`",
    )


@pytest.mark.parametrize(
    ("old", "new", "code", "message"),
    [
        (", once: true", "", "move-key-unused", "`wait` has no effect, because no rule"),
        ("roll: {", "roll: {wait: true, ", "move-key-unused", "`wait` is not allowed"),
        ("roll:", "tick: {set: {tired: 1}, wait: true}\n  roll:", "move-key-unused", "`wait` is not"),
        ("step: {", "step: {wait: true, ", "move-key-unused", "`wait` is not allowed"),
        ("{wait: true}", "{wait: false}", "move-kind", "`rest` belongs to no type of rule"),
        ("{wait: true}", "{wait: 3}", "wrong-type", "`wait` has the wrong type"),
    ],
)  # fmt: skip
def test_a_wait_elsewhere_is_refused(old: str, new: str, code: str, message: str) -> None:
    text = CROSSING.replace("REST", WAITS)
    assert old in text
    with pytest.raises(DocumentError) as caught:
        fewest.load("crossing.yaml", text=text.replace(old, new))
    found = next(d for d in caught.value.diagnostics if d.severity == "error")
    assert found.code == code
    assert message in found.message

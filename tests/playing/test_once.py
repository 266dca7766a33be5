"""After every move, each rule under `then` with `once` applies once, in order, even if it changes nothing."""

from __future__ import annotations

import pytest

import fewest
from fewest.errors import DocumentError
from fewest.grounding.ground import ground
from fewest.playing.rules import legal_moves
from tests.helpers.matrix.compare import compare

TOWER = """
puzzle: tower
legend: {".": floor, "#": wall, a: ant, s: stone}
pieces: {ant: {}, stone: {}}
variables: {x: {values: range(4), initial: 0}, y: {values: range(4), initial: 0}}
moves:
  go: {before: [ant, empty], after: [empty, ant], directions: right}
then:
THEN
order: bottom-up
board: |
  as...
  #.#..
  #.#..
goal: {ant: {at: [0, 4]}}
"""


def then_of(rules: str) -> tuple[tuple[str, ...], str, tuple[int | str, ...]]:
    """The consequences of the only move: the names of rules, the cells of stones, and the values afterwards."""
    text = TOWER.replace("as...", "a.s..").replace("THEN", rules)
    puzzle = fewest.load("tower.yaml", text=text)
    (move,) = legal_moves(puzzle.start)
    assert compare(puzzle.puzzle).is_complete
    stones = [spot[1] for spot in sorted(move.target.pieces) if spot[0] == 1]
    return move.then, str(stones), move.target.values


@pytest.mark.parametrize(
    ("rules", "happened", "stones", "values"),
    [
        (  # each rule applies once, in the order of the document
            "  one: {set: {x: x + 1}, once: true}\n  two: {set: {y: x, x: x + 1}, once: true}",
            ("one", "two"),
            "[2]",
            (2, 1),
        ),
        (  # the first rule does not match, and is not tried again
            "  one: {set: {x: x + 2}, when: y == 1, once: true}\n  two: {set: {y: 1}, once: true}",
            ("two",),
            "[2]",
            (0, 1),
        ),
        (  # rules without `once` apply before and after, in every stage
            "  fall: {slide: stone, directions: down}\n"
            "  push: {slide: stone, directions: right, once: true, everywhere: true}\n"
            "  two: {set: {x: 1}, once: true}",
            ("push", "fall", "fall", "two"),
            "[13]",
            (1, 0),
        ),
        (  # one sweep from the left moves a stone repeatedly; `everywhere` moves it by one cell
            "  roll: {slide: stone, directions: right, once: true}",
            ("roll", "roll"),
            "[4]",
            (0, 0),
        ),
        (
            "  roll: {slide: stone, directions: right, once: true, everywhere: true}\n"
            "  two: {set: {x: 3}, once: true}",
            ("roll", "two"),
            "[3]",
            (3, 0),
        ),
        (  # rules without `once` that only set variables come last
            "  last: {set: {y: y + 1, x: 2}, when: x == 1}\n  one: {set: {x: 1}, once: true}",
            ("one", "last"),
            "[2]",
            (2, 1),
        ),
    ],
)
def test_each_rule_with_once_runs_once(
    rules: str, happened: tuple[str, ...], stones: str, values: tuple[int, ...]
) -> None:
    assert then_of(rules) == (happened, stones, values)


def test_engines_that_support_effects_run_each_rule_with_once_once() -> None:
    text = TOWER.replace(
        "THEN",
        "  push: {slide: stone, directions: right, once: true, everywhere: true}\n"
        "  tick: {set: {x: (x + 1) % 4}, once: true}",
    )
    puzzle = fewest.load(
        "tower.yaml", text=text.replace("[0, 4]", "[0, 3]").replace("as...", "a.s..")
    )
    task = ground(puzzle.puzzle, most_divided=0)
    assert task.consequences
    assert [puzzle.solve(engine=engine).cost for engine in ("bfs", "python", "sat")] == [3, 3, 3]


def test_a_common_move_cannot_have_the_key_once() -> None:
    with pytest.raises(DocumentError, match="is not allowed in a rule under `then`"):
        text = TOWER.replace("THEN", "  turn: {together: stone, once: true}")
        fewest.load("tower.yaml", text=text)

"""Patterns may begin or end outside the board; every cell outside counts as a wall."""

from __future__ import annotations

import pytest

import fewest
from fewest.grounding.ground import ground
from fewest.playing.exhaust import exhaust

HEAD = 'puzzle: x\nlegend: {".": floor, "#": wall, "@": man, x: box}\npieces: {man: {}, box: {}}\n'
BOARD = "goal: {man: {at: [1, 1]}}\nboard: |\n  @.\n  ..\n"


def num_states(text: str) -> int:
    """The number of positions; the reference and both forms of the task (with and without sweeps) agree about it."""
    found = set[int]()
    for most_divided in (0, 5_000):
        compiled = fewest.load("x.yaml", text=text)
        compiled.__dict__["grounded"] = ground(compiled.puzzle, most_divided=most_divided)
        found.add(compiled.explore().num_states)
        (metric,) = compiled.puzzle.metrics.values()
        found.add(len(exhaust(compiled.puzzle, metric, 100).costs))
    (number,) = found
    return number


@pytest.mark.parametrize(
    ("rule", "moves"),
    [
        ("before: [wall, man], after: [_, box], directions: right", 1),
        ("before: [man, wall], after: [box, _], directions: left", 1),
        ("before: [wall, wall, man], after: [_, _, box], directions: right", 1),
        ("before: [not box, man], after: [_, box], directions: down", 1),
        ("before: [box, man], after: [_, box]", 0),
        ("before: [[wall, wall], [man, _]], after: [[_, _], [box, _]]", 1),
        (
            "before: [[_, _, _], [_, man, _], [_, _, _]], after: [[_, _, _], [_, box, _], [_, _, _]]",
            1,
        ),
        ("before: [[wall], [man]], after: [[_], [box]], rotations: true", 2),
        ("before: [wall..., wall, man], after: [_..., wall, box], directions: right", 2),
    ],
)
@pytest.mark.parametrize("following", [False, True])
def test_cells_beyond_the_edge_are_walls(rule: str, moves: int, following: bool) -> None:
    text = HEAD + f"moves: {{turn: {{{rule}}}}}\n{BOARD}"
    if following:
        text = HEAD + (
            "variables: {on: {values: [0, 1], initial: 0}}\nmoves: {start: {when: on == 0, set: {on: 1}}}\n"
            f"then: {{turn: {{{rule}, when: on == 1}}}}\n{BOARD}"
        )
    assert num_states(text) == (2 if following else 1 + bool(moves))


def test_a_line_may_begin_at_a_wall_between_cells_too() -> None:
    text = HEAD + (
        "edges: drawn\nmoves: {turn: {before: [wall, man], after: [_, box], directions: right}}\n"
        "goal: {man: {at: [0, 0]}}\nboard: |\n  +-+-+\n  |.|@|\n  +-+-+\n"
    )
    assert num_states(text) == 2

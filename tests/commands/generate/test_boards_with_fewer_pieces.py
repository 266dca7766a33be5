"""An exhaustive search for boards finds exactly the positions that the reference interpreter can solve, although the
numbers of pieces differ from board to board.
"""

from __future__ import annotations

from itertools import product

import pytest

from fewest.commands.generate import generate
from fewest.commands.load import load_puzzle
from fewest.errors import DocumentError
from fewest.grounding.ground import ground
from fewest.playing.exhaust import exhaust
from fewest.reading.board_spec import load_board_spec

MOVABLE = """
puzzle: movable
legend: {".": floor, "@": walker, r: rock}
pieces: {walker: {}, rock: {}}
moves:
  walk: {before: [walker, empty], after: [empty, walker]}
  push: {before: [walker, rock, empty], after: [empty, walker, rock]}
  pull: {before: [empty, walker, rock], after: [walker, rock, empty]}
"""
STATIC = """
puzzle: static
legend: {".": floor, "@": walker, r: rock}
pieces: {walker: {}, rock: {}}
moves:
  walk: {slide: walker, when: "cell(0, 1) == empty or row(walker) == 0"}
"""
RING = """
puzzle: ring
legend: {".": floor, "@": walker, r: rock}
pieces: {walker: {}, rock: {}}
moves:
  turn: {cycle: [[0, 0], [0, 1], [1, 1], [1, 0]]}
"""


@pytest.mark.parametrize("rules", [MOVABLE, STATIC, RING])
@pytest.mark.parametrize(
    "goal", ['"cell(0, 0) != rock"', '"cell(0, 0) == empty"', "{walker: {at: [1, 0]}}"]
)
def test_the_solvable_positions_are_those_of_the_reference(rules: str, goal: str) -> None:
    goal = goal.replace('"cell(0, 0) != rock"', '"cell(0, 0) != rock"')
    text = f"{rules}goal: {goal}\nboard: |\n"
    fill = 'stuck_lines: false\nfill:\n  "@": {shape: "#", number: 1}\n  r: {shape: "#", number: [1, 2]}\n'
    spec = load_board_spec("spec.yaml", text=f"{text}  ..\n  ..\n{fill}")
    num_positions = num_solvable = 0
    for cells in product(".@r", repeat=4):
        if cells.count("@") == 1 and cells.count("r") in (1, 2):
            rows = ["".join(cells[:2]), "".join(cells[2:])]
            drawing = "".join(f"  {row}\n" for row in rows)
            puzzle = load_puzzle("drawn.yaml", text=text + drawing)
            (metric,) = puzzle.metrics.values()
            num_positions += 1
            num_solvable += exhaust(puzzle, metric).minimum is not None
    found = generate(spec)
    assert (found.num_positions, found.num_solvable_positions) == (num_positions, num_solvable)


FALLING = """
puzzle: falling
legend: {".": floor, "@": walker, r: rock}
pieces: {walker: {}, rock: {}}
moves:
  walk: {slide: walker, directions: horizontal}
then:
  fall: {slide: walker, directions: down}
  swap: {before: [rock, walker], after: [walker, rock], directions: right}
goal: {walker: {at: [2, 0]}}
board: |
"""


def test_a_position_in_which_a_consequence_applies_is_no_position_of_a_board() -> None:
    fill = 'fill:\n  "@": {shape: "#", number: 1}\n  r: {shape: "#", number: [1, 2]}\n'
    spec = load_board_spec("spec.yaml", text=FALLING + "  ..\n" * 3 + "stuck_lines: false\n" + fill)
    num_positions, minima = 0, list[tuple[int, ...]]()
    for cells in product(".@r", repeat=6):
        if cells.count("@") != 1 or cells.count("r") not in (1, 2):
            continue
        rows = ("".join(cells[first : first + 2]) for first in (0, 2, 4))
        puzzle = load_puzzle("drawn.yaml", text=FALLING + "".join(f"  {row}\n" for row in rows))
        try:
            ground(puzzle)
        except DocumentError as error:
            assert [found.code for found in error.diagnostics] == ["start-consequence"]
            continue
        num_positions += 1
        minimum = exhaust(puzzle, puzzle.metrics["moves"]).minimum
        minima += [] if minimum is None else [minimum]
    found = generate(spec)
    assert (found.num_positions, found.num_solvable_positions) == (num_positions, len(minima))
    assert (found.metrics[0].minimum,) == max(minima)

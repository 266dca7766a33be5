"""Comparisons of counts need only few cases, and the grounder agrees with the reference interpreter."""

from __future__ import annotations

import pytest

import fewest
from fewest.playing.exhaust import exhaust

WELLS = """
puzzle: wells
legend: {".": floor, "@": man, w: water, "!": pad}
terrain: [pad]
pieces: {man: {}, water: {}}
moves:
  walk: {before: [man, empty], after: [empty, man]}
  pour: {before: [man, empty], after: [man, water], when: WHEN}
  dry:  {before: [man, water], after: [man, empty]}
board: |
  @..
  .!w
goal: GOAL
"""


@pytest.mark.parametrize(
    "condition",
    [
        "count(water) < 3",
        "2 >= count(water)",
        "count(water) == 2",
        "count(water) != 1",
        "count(water) in [0, 2]",
        "count(water, pad) + count(man, pad) >= 1",
        "count(water, pad) + count(water) == 3",
        "count(water) % 2 == 1",
        "count(any) == 3 and count(any, pad) == 0",
        "sees(any, water) and count(any) > 2",
        "count(water) + 1 < 3",
        "count(water) < count(man) + 1",
        "1 <= count(water) <= 2",
        "not count(water) > 1 or count(man) == 2",
    ],
)
def test_a_count_means_the_same_on_the_board_and_in_the_task(condition: str) -> None:
    text = WELLS.replace("WHEN", f'"{condition} or cell(0, 0) == man"').replace(
        "GOAL", f'"{condition}"'
    )
    compiled = fewest.load("wells.yaml", text=text)
    reach = exhaust(compiled.puzzle, next(iter(compiled.puzzle.metrics.values())))
    found = compiled.explore(consistent=False)
    assert (found.num_states, found.num_goal_states) == (len(reach.costs), reach.num_goal_states)
    assert reach.num_goal_states > 0


CORNERS = """
puzzle: corners
legend: {".": floor, "#": wall, "!": pad}
terrain: [pad]
pieces: {block: {letters: A-B, parts: together}}
variables: {x: {values: range(2), initial: 0}}
moves:
  step: {slide: any}
  note: {set: {x: 1}, when: "WHEN"}
board: |
  #A!.
  A...
  B..#
goal: "WHEN and x == 1"
"""


@pytest.mark.parametrize("terrain", ["floor", "pad", "pad|floor", "not floor", "not pad"])
@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_counted_cell_of_a_piece_may_be_a_wall(terrain: str, number: int) -> None:
    text = CORNERS.replace("WHEN", f"count(block, {terrain}) == {number}")
    compiled = fewest.load("corners.yaml", text=text)
    reach = exhaust(compiled.puzzle, next(iter(compiled.puzzle.metrics.values())))
    found = compiled.explore(consistent=False)
    assert (found.num_states, found.num_goal_states) == (len(reach.costs), reach.num_goal_states)
    assert found.num_states > 10


def test_a_count_of_none_is_one_case_however_large_the_board() -> None:
    rows = ["@" + "." * 7, *["." * 8] * 6, "." * 7 + "w"]
    text = WELLS.replace("WHEN", "count(water) == 0").replace("GOAL", "count(water) == 0")
    text = text.replace("  @..\n  .!w\n", "".join(f"  {row}\n" for row in rows))
    task = fewest.load("wells.yaml", text=text.replace(', "!": pad', "")).task
    assert len(task.goal) == 1
    poured = [op for op in task.operators if op.rule == "pour"]
    assert len(poured) == 4 * 8 * 7  # one for each place and direction


def test_few_of_many_are_as_many_cases_as_there_are_choices() -> None:
    rows = ["@....", ".....", ".....", "....w"]
    text = WELLS.replace("WHEN", "count(water) < 2").replace("GOAL", "count(water) < 2")
    text = text.replace("  @..\n  .!w\n", "".join(f"  {row}\n" for row in rows))
    assert len(fewest.load("wells.yaml", text=text).task.goal) <= 21


def test_errors_in_comparisons_of_counts_are_reported() -> None:
    text = WELLS.replace("WHEN", "count(water) < empty").replace("GOAL", "count(water) == 0")
    with pytest.raises(fewest.DocumentError, match="cannot compare"):
        fewest.load("wells.yaml", text=text).solve()


BEASTS = """
puzzle: beasts
legend: {".": floor}
pieces: {beast: {letters: A-H, interchangeable: false}}
moves: {eat: {before: [beast, beast|empty], after: [empty, beast]}}
goal: {count: {beast: NUMBER}}
board: |
"""


def test_a_count_of_distinct_pieces_has_a_case_for_each_arrangement() -> None:
    text = BEASTS.replace("NUMBER", "2") + "  A.B\n  ..C\n"
    goal = fewest.load("beasts.yaml", text=text).task.goal
    assert len(set(goal)) == len(goal) == 3 * 6 * 5  # two of three pieces on two of six cells


def test_too_many_arrangements_of_distinct_pieces_are_refused_in_a_second() -> None:
    text = BEASTS.replace("NUMBER", "6") + "  A.B..\n  ..C.D\n  .....\n  E.F.G\n  ....H\n"
    with pytest.raises(fewest.DocumentError, match="choose 6 of 200 places"):
        _ = fewest.load("beasts.yaml", text=text).task

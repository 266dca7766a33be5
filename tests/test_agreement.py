"""The reference interpreter, the pure-Python core and the native core agree on random puzzles."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import assume, example, given, settings

from fewest.engines import ENGINES
from fewest.errors import DocumentError
from fewest.model.states import encode
from fewest.playing.exhaust import TooManyPositionsError, exhaust
from tests.helpers.agreement import (
    LIMIT,
    check_agreement,
    check_planning,
    compiled_or_none,
    relaxed,
)
from tests.helpers.random_puzzles import (
    actions,
    asking,
    cycles,
    following,
    graphs,
    graphs_following,
    layers,
    layers_following,
    multi_cell_patterns,
    patterns,
    pivots,
    puzzles,
    slides,
    triangles,
)

PLANNERS = [name for name, engine in ENGINES.items() if not engine.is_exhaustive]

# Fewer examples, because `tests/test_matrix.py` also draws such puzzles.
fewer = settings(relaxed, max_examples=25)

# A block that fills a closed column can move around the board without entering a new cell.
FILLED = """
puzzle: filled
board: |
  AAA.
  AAA.
wrap: both
legend: {".": floor}
pieces: {block: {letters: A-Z}}
moves: {move: {slide: block}}
goal: {A: {at: [1, 0]}}
"""

# A portal leads the pushed piece back to its own cell, so the pushing piece cannot enter that cell.
LED_BACK = """
puzzle: led-back
board: |
  ABB
  ...
  ...
legend: {".": floor}
pieces: {block: {letters: A-Z}}
moves: {move: {slide: block, carries: block}}
edges: {portals: [{leaving: [0, 0], by: up, entering: [0, 0], both: false}]}
goal: {A: {touches: right}}
"""

# Only a consequence could move `b` out of the way of the command, but consequences come after a move. Therefore, no
# move is legal.
PENDING = """puzzle: pending
board: |
  .ab
  ...
legend: {".": floor, a: a, b: b}
pieces: {a: {}, b: {}}
variables: {x: {values: range(3), initial: 0}}
moves:
  order: {together: a, distance: blocked, set: {x: 2}}
then:
  drift: {before: [b, empty], after: [empty, b], when: x > 0, set: {x: x - 1}}
order: left-right
goal: x == 2
"""


# A puzzle with a command to all pieces of a kind and a rule for one of them.
ORDERED = """
puzzle: ordered
board: |
  a#
  ..
legend: {"#": wall, ".": floor}
pieces: {a: {}}
moves: {one: {slide: a}, two: {together: a}, ring: {cycle: [[0, 0], [1, 0], [1, 1]]}}
goal: cell(1, 1) == a
"""


@fewer
@given(slides())
@example(ORDERED)
@example(FILLED)
@example(LED_BACK)
def test_slides_agree(text: str) -> None:
    check_agreement(text)


@fewer
@given(patterns())
def test_patterns_agree(text: str) -> None:
    check_agreement(text)


@fewer
@given(cycles())
def test_cycles_agree(text: str) -> None:
    check_agreement(text)


@fewer
@given(actions())
def test_actions_agree(text: str) -> None:
    check_agreement(text)


@fewer
@given(actions())
def test_simultaneous_assignments_agree(text: str) -> None:
    check_agreement(text, most_flips=0)


def with_lamps(text: str) -> str:
    """The puzzle with two variables that one move sets simultaneously."""
    document = yaml.safe_load(text)
    lamps = {"for": {"i": "range(2)"}, "values": [0, 1], "initial": 0}
    document.setdefault("variables", {})["lamp[i]"] = lamps
    document["moves"]["lamps"] = {"set": {"lamp[i] for i in range(2)": "1 - lamp[i]"}}
    return str(yaml.safe_dump(document, sort_keys=False, width=1000))


@fewer
@given(slides())
def test_simultaneous_assignments_beside_a_board_agree(text: str) -> None:
    check_agreement(with_lamps(text), most_flips=0)


@fewer
@given(cycles())
def test_permutations_beside_simultaneous_assignments_agree(text: str) -> None:
    check_agreement(with_lamps(text), most_flips=0, has_permutations=True)


@fewer
@given(graphs())
def test_graphs_agree(text: str) -> None:
    check_agreement(text)


@settings(relaxed, max_examples=40)
@given(triangles())
def test_triangles_agree(text: str) -> None:
    check_agreement(text)


@settings(relaxed, max_examples=12)
@given(layers())
def test_layers_agree(text: str) -> None:
    check_agreement(text)


@settings(relaxed, max_examples=12)
@given(pivots())
def test_pivots_agree(text: str) -> None:
    check_agreement(text)


@settings(relaxed, max_examples=12)
@given(multi_cell_patterns())
def test_patterns_of_whole_pieces_agree(text: str) -> None:
    check_agreement(text)


@settings(relaxed, max_examples=12)
@given(asking(slides(), patterns(), cycles(), actions(), pivots(), multi_cell_patterns()))
def test_rules_that_depend_on_others_agree(text: str) -> None:
    check_agreement(text)


@settings(relaxed, max_examples=4)
@given(asking(following()))
def test_consequences_that_depend_on_rules_agree(text: str) -> None:
    check_agreement(text)
    check_agreement(text, is_divided=False)


@settings(relaxed, max_examples=4)
@given(layers_following())
def test_layers_with_consequences_agree(text: str) -> None:
    check_agreement(text)
    check_agreement(text, is_divided=False)


@settings(relaxed, max_examples=6)
@given(graphs_following())
def test_graphs_with_consequences_agree(text: str) -> None:
    check_agreement(text)
    check_agreement(text, is_divided=False)


@settings(relaxed, max_examples=8)
@given(following())
@example(PENDING)
def test_consequences_agree(text: str) -> None:
    check_agreement(text)


@settings(relaxed, max_examples=20)
@given(following())
@example(PENDING)
def test_consequences_agree_as_intermediate_states(text: str) -> None:
    check_agreement(text, is_divided=False)


@relaxed
@given(puzzles())
def test_invariants_hold_in_every_reachable_state(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    task = compiled.task
    try:
        reach = exhaust(compiled.puzzle, next(iter(compiled.puzzle.metrics.values())), LIMIT)
    except (TooManyPositionsError, DocumentError):
        assume(False)
    for position in reach.costs:
        state = encode(task, position)
        for group in task.exactly:
            assert sum(state >> fact & 1 for fact in group.facts) == group.count
        for facts in task.at_most_one:
            assert sum(state >> fact & 1 for fact in facts) <= 1


@fewer
@given(slides())
def test_interchangeable_pieces_do_not_change_the_minimum(text: str) -> None:
    apart = text.replace('"letters": "A-Z"', '"letters": "A-Z", "interchangeable": false')
    assume('"interchangeable"' not in text)
    merged, distinct = compiled_or_none(text), compiled_or_none(apart)
    assume(merged is not None and distinct is not None)
    assert merged is not None and distinct is not None
    for name in merged.puzzle.metrics:
        assert merged.solve(name).cost == distinct.solve(name, seconds=20).cost


@settings(relaxed, max_examples=12)
@given(puzzles())
def test_planning_agrees_with_the_reference(text: str) -> None:
    check_planning(text, [(engine, {}) for engine in PLANNERS])


@pytest.mark.slow
@settings(relaxed, max_examples=3000)
@given(puzzles())
def test_thousands_of_random_puzzles_agree(text: str) -> None:
    check_agreement(text)

"""The text of a plan leads to the positions of the plan, and legal moves with different results have different
texts."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import fewest
from fewest.commands.catalogue import puzzles as shipped_puzzles
from fewest.commands.load import load_puzzle
from fewest.commands.replay import replay_plan
from fewest.errors import DocumentError
from fewest.playing.plan_parser import labelled_start
from fewest.playing.replay import Subjects
from fewest.playing.step import phrase
from tests.helpers.agreement import compiled_or_none, relaxed
from tests.helpers.matrix.agenda import Agenda
from tests.helpers.matrix.constructs import matrix
from tests.helpers.matrix.documents import draw
from tests.helpers.matrix.refused import refused_pairs
from tests.helpers.random_puzzles import following, graphs_following, layers_following, puzzles
from tests.helpers.random_puzzles.parts import document as written_quickly
from tests.helpers.read_back import Walked, check_plan, check_random_walk, check_text

SHIPPED = [name for _, name, _ in shipped_puzzles()]
MOST_MOVES = 12  # of a plan that a test finds
SLOW = {"jelly-first", "jelly-bridges", "ricochet-rebound", "ricochet-straight", "pocket-cube"}
"""puzzles for which the search takes seconds"""

ANTS = """puzzle: two-ants
legend: {".": floor, a: ant}
pieces: {ant: {}, mark: {layer: 1}}
moves:
  mark: {before: [ant & not mark], after: [ant & mark], directions: right}
then:
  go: {before: [ant & mark, empty], after: [empty, ant], directions: right}
board: |
  a..
  .a.
goal: {ant: {at: [0, 1]}}
"""
UNCLEAR = {
    "one piece jumps by several distances, to the same arrow": """puzzle: x
legend: {".": floor, a: hopper}
pieces: {hopper: {}}
moves: {jump: {before: [hopper, _..., empty], after: [empty, _..., hopper], directions: horizontal}}
metrics: {jumps: {}, lines: {merge: line}, paths: {merge: path}}
board: a....
goal: {hopper: {at: [0, 3]}}
""",
    "leaps have one arrow": """puzzle: x
legend: {".": floor, a: horse}
pieces: {horse: {}}
moves: {leap: {before: [horse, empty], after: [empty, horse], directions: knight}}
metrics: {leaps: {}, rides: {merge: path}}
board: |
  a...
  ....
  ....
goal: {horse: {at: [0, 2]}}
""",
    "slides by a knight's move have one arrow": """puzzle: x
legend: {".": floor, a: horse}
pieces: {horse: {directions: knight}}
moves: {leap: {slide: horse}}
metrics: {leaps: {}, rides: {merge: path}}
board: |
  a...
  ....
  ....
goal: {horse: {at: [0, 2]}}
""",
    "a slide sets a variable to one of several values": """puzzle: x
legend: {".": floor, a: ant}
pieces: {ant: {}}
variables: {x: {values: range(3), initial: 0}}
moves: {go: {slide: ant, for: {i: range(3)}, set: {x: i}}}
board: a..
goal: x == 2
""",
    "a rule creates a second piece of a kind": """puzzle: x
legend: {".": floor, a: ant, e: egg}
pieces: {ant: {}, egg: {}}
moves:
  go: {before: [ant, empty], after: [empty, ant]}
  hatch: {before: [egg], after: [ant], directions: up}
board: |
  a..
  ..e
goal: {count: {ant: 2}, board: "a.a\\n..."}
""",
    "only a variable remains of what a consequence has seen": """puzzle: x
legend: {".": floor, a: ant, b: bee}
pieces: {ant: {}, bee: {}, mark: {layer: 1}}
variables: {seen: {values: [0, 1, 2], initial: 0}}
moves:
  look: {before: [ant], after: [ant & mark], directions: up}
then:
  see: {before: [ant & mark, bee], after: [ant, bee], set: {seen: 1}}
  miss: {before: [ant & mark], after: [ant], directions: up, set: {seen: 2}}
board: a.ab
goal: seen == 1
""",
    "a rule changes no piece and sets a variable by its place": """puzzle: x
legend: {".": floor, "#": wall, a: ant}
pieces: {ant: {}}
variables: {x: {values: range(4), initial: 3}}
moves:
  point: {before: [ant, _, empty], after: [ant, _, empty], directions: right left, set: {x: "abs(x - 1)"}}
  other: {before: [ant, empty, ant], after: [ant, empty, ant], directions: right, set: {x: "max(0, x - 2)"}}
board: a.a..
goal: x == 0
""",
    "names look like the other parts of a text": """puzzle: x
legend: {".": floor}
names: {A: "the (1, 2) box", B: "box [3]", C: "a, b", D: "b {{x=1}}"}
pieces: {box: {letters: A-Z}}
moves: {go: {slide: box}}
metrics: {steps: {}, slides: {merge: line}}
board: |
  A.B.
  DC..
goal: {A: {at: [0, 1]}, D: {at: [0, 0]}, B: {at: [1, 3]}}
""",
    "a piece is carried back to where it was": """puzzle: x
legend: {".": floor, a: ant, "<": belt}
terrain: [belt]
pieces: {ant: {}}
variables: {n: {values: range(3), initial: 0}}
moves: {go: {before: [ant, empty], after: [empty, ant], directions: horizontal, when: n < 2, set: {n: n + 1}}}
then: {carry: {before: [empty, ant on belt], after: [ant, empty], directions: right}}
board: |
  a<..
  .a<.
goal: n == 2
""",
}


def test_a_text_names_the_place_where_a_rule_without_a_moving_piece_applies() -> None:
    compiled = fewest.load("ants.yaml", text=ANTS)
    plan = compiled.solve().plan
    assert plan is not None
    assert plan.text() == "1. mark (0, 0) → (go)"
    check_plan(compiled.puzzle, plan)


JELLIES = """
puzzle: unsaid
model: jelly
moves: {push: {say: null}}
board: |
  R.R.B
"""


def test_the_jelly_that_is_pushed_is_named() -> None:
    labelled = labelled_start(fewest.load("jellies.yaml", text=JELLIES).puzzle)
    phrases = [phrase([step]) for step, _ in labelled.steps(Subjects(labelled.position.puzzle))]
    assert len(phrases) == 4 and all(text.startswith("push (") for text in phrases)


def test_an_unclear_text_is_an_error_that_lists_the_moves() -> None:
    puzzle = fewest.load("ants.yaml", text=ANTS).puzzle
    problem = replay_plan(puzzle, "mark → (go)").problem
    assert problem == (
        "move 1: `mark → (go)` matches several moves: `mark (0, 0) → (go)`, `mark (1, 1) → (go)`"
    )


@pytest.mark.parametrize("text", UNCLEAR.values(), ids=UNCLEAR)
def test_moves_that_would_have_the_same_short_text_are_distinguished(text: str) -> None:
    compiled = fewest.load("x.yaml", text=text)
    walked = [check_random_walk(compiled.puzzle, Random(number)) for number in range(12)]
    assert sum(walk.moves for walk in walked) > 12
    for metric in compiled.puzzle.metrics:
        plan = compiled.solve(metric).plan
        assert plan is not None
        check_plan(compiled.puzzle, plan)


@settings(relaxed, max_examples=40)
@given(
    st.one_of(puzzles(), following(), graphs_following(), layers_following()), st.integers(0, 99)
)
def test_the_moves_of_random_puzzles_are_read_again(text: str, number: int) -> None:
    try:
        puzzle = load_puzzle("random.yaml", text=text)
    except DocumentError:
        assume(False)
    else:
        check_text(puzzle, Random(number))


def test_the_moves_of_puzzles_with_every_construct_are_read_again() -> None:
    refused = refused_pairs()
    agenda = Agenda(matrix(refused), refused)
    walked: list[Walked] = []
    for number in range(50):
        text = written_quickly(**draw(Random(number), agenda))
        try:
            walked.append(check_text(load_puzzle("drawn.yaml", text=text), Random(number)))
        except DocumentError:
            continue
    assert sum(walk.moves > 0 for walk in walked) >= 25


@settings(relaxed, max_examples=15)
@given(puzzles())
def test_plans_of_random_puzzles_are_read_again_in_every_metric(text: str) -> None:
    compiled = compiled_or_none(text, takes_permutations=True)
    assume(compiled is not None)
    assert compiled is not None
    for metric in compiled.puzzle.metrics:
        plan = compiled.solve(metric, seconds=2).plan
        if plan is not None:
            check_plan(compiled.puzzle, plan)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if number % 6 == 0 else pytest.mark.slow)
        for number, name in enumerate(SHIPPED)
    ],
)
def test_the_moves_and_short_plans_of_shipped_puzzles_are_read_again(name: str) -> None:
    compiled = fewest.load(name)
    check_random_walk(compiled.puzzle, Random(name), length=3)
    for expectation in compiled.puzzle.expectations:
        if name in SLOW or expectation.key not in compiled.puzzle.metrics:
            continue
        if isinstance(expectation.value, int) and expectation.value <= MOST_MOVES:
            plan = compiled.solve(expectation.key, audit="off").plan
            if plan is not None and len(plan.operators) <= 200:
                check_plan(compiled.puzzle, plan)

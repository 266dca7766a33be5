"""There are provisional facts for the places of every class and the values of every variable, and mutex facts are
known."""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations, product

import pytest

import fewest
from fewest.errors import DocumentError
from fewest.grounding import task_builder
from fewest.grounding.facts import ProvisionalFacts
from fewest.grounding.ground import ground
from fewest.grounding.partial import partial

SHAPES = """
puzzle: shapes
board: |
  AA.
  .#B
legend: {".": floor, "#": wall}
pieces: {block: {letters: A-Z}}
variables: {x: {values: [1, 2, 3], initial: 2}, door: {values: [open, shut], initial: open}}
moves: {slide: {slide: block}}
goal: {all: [{B: {at: [0, 2]}}, {A: {at: [0, 0]}}]}
"""

CREATING = """
puzzle: creating
board: |
  ab.
legend: {".": floor, a: a, b: b}
pieces: {a: {}, b: {}}
moves: {grow: {before: [a, empty], after: [a, a]}}
goal: {count: {a: 2}}
"""


def facts_of(text: str) -> ProvisionalFacts:
    return ProvisionalFacts(fewest.load("facts.yaml", text=text).puzzle)


def fits_with(facts: ProvisionalFacts, fact: int, others: Collection[int]) -> bool:
    """Whether a fact can be true together with these other facts."""
    return facts.fits_among(fact, facts.standing(others))


def test_there_is_a_fact_for_every_class_where_it_fits_and_every_value() -> None:
    facts = facts_of(SHAPES)
    assert [fact.name for fact in facts.facts] == [
        "A@0,0", "A@0,1",
        "B@0,0", "B@0,1", "B@0,2", "B@1,0", "B@1,2",
        "x=1", "x=2", "x=3", "door=open", "door=shut",
    ]  # fmt: skip
    assert facts.value_facts == [(7, 8, 9), (10, 11)]
    a, b = (piece.id for piece in facts.puzzle.classes)
    assert facts.anchors(a) == [0, 1] and facts.anchors(b) == [0, 1, 2, 3, 5]
    assert [facts.fact(a, cell) for cell in range(6)] == [0, 1, None, None, None, None]
    assert facts.layer_cells_at(a, 1) == facts.layer_cells_of(1) == (1, 2)
    assert facts.layer_cells_of(7) == ()
    assert [facts.class_of(fact) for fact in (0, 2, 7)] == [a, b, -1]
    assert facts.class_count == [1, 1]


def test_facts_are_found_by_cell_word_and_value() -> None:
    facts = facts_of(SHAPES)
    assert facts.covering(1) == [0, 1, 3]
    assert facts.covering(1, "A") == [0, 1]
    assert facts.covering(1, "block") == [0, 1, 3]
    assert facts.covering(4) == []
    assert facts.facts_of("B") == [2, 3, 4, 5, 6]
    assert facts.facts_of("block") == [0, 1, 2, 3, 4, 5, 6]
    assert facts.value_fact(0, 3) == facts.value_fact_of(0, 3) == 9
    assert facts.value_fact(1, "shut") == facts.value_fact_of(1, "shut") == 11
    assert facts.value_fact(0, 4) is None
    assert facts.value_fact(0, None) is None


def test_two_facts_fit_unless_they_share_a_cell_or_a_variable() -> None:
    facts = facts_of(SHAPES)
    for fact, other in combinations(range(len(facts.facts)), 2):
        cells = set(facts.layer_cells_of(fact)) & set(facts.layer_cells_of(other))
        slots = {facts.facts[fact].slot, facts.facts[other].slot}
        overlap = bool(cells) or (len(slots) == 1 and slots != {-1})
        expected = facts.has_room(fact, [other]) and not overlap
        assert fits_with(facts, fact, [other]) == fits_with(facts, other, [fact]) == expected


def test_a_class_has_room_for_as_many_pieces_as_there_are() -> None:
    facts = facts_of(SHAPES)
    assert not facts.has_room(2, [6]) and facts.has_room(2, []) and facts.has_room(2, [0, 7])
    assert (
        fits_with(facts, 6, [0, 7])
        and not fits_with(facts, 3, [0])
        and not fits_with(facts, 6, [5])
    )
    assert facts.has_room(7, [8, 9])
    growing = facts_of(CREATING)
    assert growing.class_count == [None, 1]  # rules create `a` until the board is full
    assert growing.has_room(2, [0, 1]) and not growing.has_room(5, [3])


@pytest.mark.parametrize(
    ("positive", "negative", "expected"),
    [
        ([], [], True),
        ([0, 6, 7, 10], [1, 8], True),
        ([0], [0], False),
        ([0, 3], [], False),  # both cover one cell
        ([7, 8], [], False),  # two values of one variable
        ([2, 6], [], False),  # two places of the only B
    ],
)
def test_a_partial_state_is_consistent_if_nothing_in_it_excludes_the_rest(
    positive: list[int], negative: list[int], expected: bool
) -> None:
    facts = facts_of(SHAPES)
    assert facts.is_consistent(partial(positive, negative)) == expected


def test_an_error_about_size_names_the_limit() -> None:
    facts = facts_of(SHAPES)
    with pytest.raises(DocumentError, match=r"20,000 facts; the limit is 16,384") as error:
        facts.too_large("20,000 facts", "16,384")
    assert error.value.diagnostics[0].code == "task-too-large"
    many = "variables: {" + ", ".join(
        f"v{i}: {{values: range(129), initial: 0}}" for i in range(128)
    )
    text = "puzzle: many\n" + many + "}\nmoves: {a: {set: {v0: 1}}}\ngoal: v0 == 1\n"
    with pytest.raises(
        DocumentError, match=r"its variables have 16,512 values; the limit is 16,384"
    ):
        fewest.load("many.yaml", text=text).task  # noqa: B018


def test_facts_that_can_become_true_are_too_many_from_their_limit_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = SHAPES.replace("AA.", "A#.").replace(".#B", "A#B")  # a wall separates A and B
    text = text.replace("{A: {at: [0, 0]}}", "x == 2")
    compiled = fewest.load("facts.yaml", text=text)
    number = len(ground(compiled.puzzle).facts)
    assert number < len(facts_of(text).facts)
    monkeypatch.setattr(task_builder, "MAX_FACTS", number)
    assert len(ground(compiled.puzzle).facts) == number
    monkeypatch.setattr(task_builder, "MAX_FACTS", number - 1)
    with pytest.raises(DocumentError, match=rf"{number} facts; the limit is {number - 1}\b"):
        ground(compiled.puzzle)


def test_all_consistent_pairs_are_those_that_fit() -> None:
    facts = facts_of(SHAPES)
    for fact, other in product(range(len(facts.facts)), repeat=2):
        if fact != other:
            assert facts.is_consistent(partial((fact, other))) == fits_with(facts, fact, [other])


def test_an_operator_records_the_motion_of_its_piece_if_it_has_one() -> None:
    lamps = fewest.load("lights-out-3x3").task
    assert {(o.from_fact, o.to_fact) for o in lamps.operators} == {(-1, -1)}
    task = fewest.load("facts.yaml", text=SHAPES).task
    for operator in task.operators:
        assert operator.flip == 1 << operator.from_fact | 1 << operator.to_fact
        assert operator.value >> operator.from_fact & 1

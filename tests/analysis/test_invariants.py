"""Every derived property holds in all states that satisfy the groups."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import fewest
from fewest.analysis.invariants import num_empty_cells, proven_at_most_one
from fewest.model.task import Group
from tests.helpers.agreement import compiled_or_none, relaxed
from tests.helpers.dead_states import states_of
from tests.helpers.random_puzzles import puzzles

NUM_FACTS = 6
some_facts = st.sets(st.integers(0, NUM_FACTS - 1), min_size=1, max_size=4)


@st.composite
def groups(draw: st.DrawFn) -> tuple[tuple[Group, ...], tuple[tuple[int, ...], ...]]:
    """Exactly-k groups that share no fact, and the facts that cover each cell."""
    exactly: list[Group] = []
    used: set[int] = set()
    for facts in draw(st.lists(some_facts, max_size=3)):
        if left := sorted(facts - used):
            exactly.append(Group(tuple(left), draw(st.integers(0, len(left)))))
            used |= facts
    return tuple(exactly), tuple(map(tuple, draw(st.lists(some_facts, max_size=4))))


@relaxed
@given(groups())
def test_the_number_of_empty_cells_is_that_of_every_state(
    drawn: tuple[tuple[Group, ...], tuple[tuple[int, ...], ...]],
) -> None:
    exactly, cells = drawn
    empty: set[int] = set()
    for state in range(1 << NUM_FACTS):
        covering = [sum(state >> fact & 1 for fact in cell) for cell in cells]
        held = [sum(state >> fact & 1 for fact in group.facts) for group in exactly]
        if max(covering, default=0) <= 1 and held == [group.count for group in exactly]:
            empty.add(covering.count(0))
    found = num_empty_cells(exactly, cells)
    assert found is None or empty <= {found}


def test_pieces_of_one_size_leave_a_known_number_of_cells_and_others_do_not() -> None:
    cells = ((0, 3), (1, 3), (2,))  # fact 3 covers the first two cells
    small, large = Group((0, 1, 2), 2), Group((3,), 1)
    assert num_empty_cells((small,), cells[2:]) is None
    assert num_empty_cells((small,), ((0,), (1,), (2,))) == 1
    assert num_empty_cells((Group((0, 1, 2), 1), large), cells) == 0
    assert num_empty_cells((Group((0, 1, 2, 3), 1),), cells) is None
    assert num_empty_cells((small,), cells) is None  # no group says whether fact 3 is true


@settings(relaxed, max_examples=25)
@given(puzzles(), st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=5))
def test_a_group_is_proven_only_if_no_reachable_state_has_two_of_it(
    text: str, pairs: list[tuple[int, int]]
) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    task, num_facts = compiled.task, len(compiled.task.facts)
    assume(num_facts)
    drawn = {tuple(sorted({a % num_facts, b % num_facts})) for a, b in pairs}
    states = [state for state, _ in states_of(task, 500)]
    assume(states)
    proven = proven_at_most_one(replace(task, at_most_one=(*task.at_most_one, *drawn)))
    for group in proven:
        assert all(sum(state >> fact & 1 for fact in group) <= 1 for state in states)
    assert set(proven_at_most_one(task)) <= set(proven) <= {*task.at_most_one, *drawn}


def test_a_false_group_is_removed_with_all_groups_that_depend_on_it() -> None:
    task = fewest.load("hanoi").task
    assert proven_at_most_one(task) == task.at_most_one
    first, *_ = task.exactly
    moving = sorted({*first.facts[:1], *task.exactly[1].facts[:1]})
    found = proven_at_most_one(replace(task, at_most_one=(*task.at_most_one, tuple(moving))))
    assert found == task.at_most_one

"""Layers that represent a state or its mirror image have a model for every walk, and the same minima."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import fewest
from fewest.model.metric import metric_of
from fewest.model.task import Group
from fewest.planning.automorphisms import keeps_invariants
from fewest.planning.potential import Potential
from fewest.planning.sat.mirror import find_mirror
from fewest.planning.sat.profile import PruningPart, load_profile
from fewest.planning.task import PlanningTask, planning_task
from tests.helpers.agreement import check_planning, relaxed
from tests.helpers.layers import layered, walks
from tests.helpers.symmetric_puzzles import MIRRORED, mirrored_slides


def planned(compiled: fewest.CompiledPuzzle, metric: str | None = None) -> PlanningTask:
    return planning_task(compiled.task, metric_of(compiled.task, metric))


@pytest.mark.parametrize("profile", ["leave-arrive", "operators"])
@pytest.mark.parametrize("metric", ["steps", "turns"])
@pytest.mark.parametrize("horizon", [1, 2, 3])
def test_every_walk_has_one_model(profile: str, metric: str, horizon: int) -> None:
    planning = planned(fewest.load("mirrored.yaml", text=MIRRORED), metric)
    mirror = find_mirror(planning)
    assert mirror is not None
    assert [planning.facts[fact] for fact in mirror.beyond] == ["X@0,2", "X@1,2", "X@2,2"]
    mirroring = replace(load_profile(profile), pruning=PruningPart(symmetry=True))
    expected = walks(planning, horizon)
    crosses = any(state >> mirror.beyond[0] & 1 for walk in expected for state in walk)
    assert crosses == (horizon == 3)
    assert layered(planning, mirroring, horizon) == expected


@pytest.mark.parametrize("profile", ["leave-arrive", "incremental"])
@pytest.mark.parametrize("metric", ["steps", "slides", "turns"])
def test_the_minimum_is_the_same(profile: str, metric: str) -> None:
    compiled = fewest.load("mirrored.yaml", text=MIRRORED)
    expected = compiled.solve(metric, engine="bfs")
    found = compiled.solve(metric, engine="sat", encoding=profile)
    assert (found.status, found.cost) == ("optimal", expected.cost)


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("hardest-6x6", "slides"),  # the puzzle has no symmetry
        ("du-se-yao-dao", "turns"),  # the start is not its own mirror image
        ("english", "jumps"),  # no piece is the only one of its kind
    ],
)
def test_there_is_no_mirror(name: str, metric: str) -> None:
    assert find_mirror(planned(fewest.load(name), metric)) is None


def test_a_group_of_which_one_is_true_is_not_mirrored_to_one_of_which_none_may_be() -> None:
    planning = planned(fewest.load("mirrored.yaml", text=MIRRORED), "steps")
    one, other = (0, 1), (2, 3)
    swapped = (2, 3, 0, 1, *range(4, len(planning.facts)))
    apart = replace(planning, exactly=(Group(one, 1),), at_most_one=(other,))
    assert not keeps_invariants(apart, swapped)
    assert keeps_invariants(replace(apart, exactly=(), at_most_one=(one, other)), swapped)
    assert keeps_invariants(
        replace(apart, exactly=(Group(one, 1), Group(other, 1)), at_most_one=()), swapped
    )


@settings(relaxed, max_examples=8)
@given(mirrored_slides(), st.sampled_from(("leave-arrive", "incremental")))
def test_mirrored_boards_agree_with_the_reference(text: str, encoding: str) -> None:
    check_planning(text, [("sat", {"encoding": encoding})])


TWO_SIDES = """
puzzle: two-sides
variables:
  a: {values: range(4), initial: 0}
  b: {values: range(4), initial: 0}
  c: {values: range(3), initial: 1}
moves:
  left: {when: c > 0, set: {c: c - 1}}
  right: {when: c < 2, set: {c: c + 1}}
  raise-b: {when: c == 0 and b < 3, set: {b: b + 1}}
  raise-a: {when: c == 2 and a < 3, set: {a: a + 1}}
  both: {when: c == 1 and a == 1 and b == 1, set: {a: 2, b: 2}}
goal: a == 3 and b == 3 and c == 1
"""


@pytest.mark.parametrize("profile", ["leave-arrive", "incremental"])
def test_waste_is_not_counted_if_a_state_and_its_image_differ_in_their_potential(
    profile: str,
) -> None:
    """The potential is the distance of `a` alone, because `both` brings `a` and `b` nearer to the goal in one move. The
    mirror exchanges `a` and `b`.
    """
    compiled = fewest.load("two-sides.yaml", text=TWO_SIDES)
    planning = planned(compiled)
    mirror = find_mirror(planning)
    assert mirror is not None
    assert not Potential(planning).is_invariant_under(mirror.facts)
    found = compiled.solve(engine="sat", encoding=profile)
    assert (found.status, found.cost) == ("optimal", 10)


def test_the_mirror_does_not_change_the_usual_potential() -> None:
    planning = planned(fewest.load("mirrored.yaml", text=MIRRORED), "steps")
    mirror = find_mirror(planning)
    assert mirror is not None
    assert Potential(planning).is_invariant_under(mirror.facts)

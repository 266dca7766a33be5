"""Unreachable combinations of facts are found if and only if there is no plan; the checker accepts them as a proof."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import msgspec
import pytest
from hypothesis import assume, given, settings

import fewest
from fewest.certificates.container import (
    Budget,
    RejectedError,
    encode_head,
)
from fewest.certificates.cube_invariant_checker import CubeRow
from fewest.certificates.invariant_checker import InvariantHead
from fewest.certificates.make_invariant import invariant_section
from fewest.errors import DocumentError
from fewest.model.task import Cube
from fewest.planning.reachability import regressed, unreachable_cubes
from fewest.playing.exhaust import TooManyPositionsError, exhaust
from tests.helpers.agreement import compiled_or_none, relaxed
from tests.helpers.certificates import apart, certificate_of, checked, made, of_section, together
from tests.helpers.random_puzzles import puzzles
from tests.helpers.small_boards import board

STUCK = """
puzzle: stuck
model: rush-hour
board: |
  ....A.
  XX..A.
  ....A.
  BBBCCC
  ....D.
  ....D.
"""


def sealed(compiled: fewest.CompiledPuzzle, cubes: tuple[Cube, ...]) -> bytes:
    return of_section(compiled, "invariant", invariant_section(compiled.task, (), cubes))


def decides(compiled: fewest.CompiledPuzzle, *, is_solvable: bool, seconds: float) -> bool:
    """Whether combinations are found. Fails if they contradict a plan, or if the checker rejects them."""
    cubes = unreachable_cubes(compiled.task, seconds)
    if is_solvable:
        assert cubes is None
    if cubes is None:
        return False
    assert checked(sealed(compiled, cubes))[0].proves == "unsolvable"
    return True


def decided(text: str, most: int, seconds: float) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    try:
        reach = exhaust(compiled.puzzle, next(iter(compiled.puzzle.metrics.values())), most)
    except (TooManyPositionsError, DocumentError):
        assume(False)
    found = decides(compiled, is_solvable=reach.minimum is not None, seconds=seconds)
    if reach.minimum is None and len(reach.costs) < 30 and compiled.task.goal:
        assert found or len(compiled.task.facts) > 60, text


@settings(relaxed, max_examples=25)
@given(text=puzzles())
def test_they_are_found_exactly_where_there_is_no_plan(text: str) -> None:
    decided(text, 100, 10.0)


@pytest.mark.slow
@settings(relaxed, max_examples=400)
@given(text=puzzles())
def test_they_are_found_exactly_where_larger_puzzles_have_no_plan(text: str) -> None:
    decided(text, 2_000, 20.0)


def test_small_boards_are_decided() -> None:
    found = 0
    for seed in range(0, 60, 4):
        compiled = fewest.load("small.yaml", text=board(seed))
        is_solvable = compiled.solve(engine="bfs").status == "optimal"
        found += decides(compiled, is_solvable=is_solvable, seconds=0.2)
    assert found >= 2


def test_regression_is_exact() -> None:
    """For sampled states and operators of a small task: the regression of a cube contains the state, and the operator
    leads from the regression into the cube."""
    task = fewest.load("tiles-2x2").task
    everything = (1 << len(task.facts)) - 1
    cubes = [(1 << f | 1 << g, 1 << f) for f in range(0, 12, 5) for g in range(1, 12, 4) if f != g]
    for operator in task.operators[::5]:
        for state in range(0, 1 << len(task.facts), 7):
            if not operator.is_applicable(state):
                continue
            after = operator.apply(state)
            for cube in cubes:
                if after & cube[0] != cube[1]:
                    continue
                mask, value = regressed(cube, operator, after, ())
                assert state & mask == value
                outside = ((mask, value), (everything & ~mask, 0))
                for filled in (value, value | outside[1][0]):
                    assert operator.is_applicable(filled)
                    assert operator.apply(filled) & cube[0] == cube[1]


@cache
def certificate() -> bytes:
    compiled = fewest.load("stuck.yaml", text=STUCK)
    return made(compiled, Path(mkdtemp()), "steps", "invariant")


def head() -> InvariantHead:
    return certificate_of(certificate()).section(0).head(InvariantHead)


def rejected(never: tuple[CubeRow, ...]) -> str:
    data = together(apart(certificate())[0], [encode_head(InvariantHead((), never))])
    with pytest.raises(RejectedError) as error:
        checked(data)
    return str(error.value)


def test_a_car_that_never_leaves_is_the_reason() -> None:
    compiled = fewest.load("stuck.yaml", text=STUCK)
    verdict = checked(certificate())[0]
    assert (verdict.proves, verdict.counts["combinations"]) == ("unsolvable", len(head().never))
    cubes = unreachable_cubes(compiled.task)
    assert cubes is not None and len(cubes) <= 12


def test_tables_that_are_changed_are_rejected_each_with_its_reason() -> None:
    rows = head().never
    assert len(rows) >= 2
    initial = fewest.load("stuck.yaml", text=STUCK).puzzle.pieces[0]
    start = CubeRow((((initial.class_id, initial.anchor), True),), ())
    assert "the start is in" in rejected((*rows, start))
    assert "no sum refutes" in rejected(())
    for number in range(len(rows)):  # the proof needs each of these combinations
        assert (
            "leads to combination" in (why := rejected(rows[:number] + rows[number + 1 :]))
            or " refutes " in why
        )
    for number, row in enumerate(rows):
        for at in range(len(row.spots)):
            spot, is_true = row.spots[at]
            spots = (*row.spots[:at], (spot, not is_true), *row.spots[at + 1 :])
            other = msgspec.structs.replace(row, spots=spots)
            why = rejected((*rows[:number], other, *rows[number + 1 :]))
            assert "leads to" in why or "the start is in" in why or "refuted" in why


def test_the_check_keeps_its_limits() -> None:
    from fewest.certificates.container import TooLargeError
    from fewest.commands.verify import CheckOptions, check_certificate

    with pytest.raises(TooLargeError):
        check_certificate(certificate_of(certificate()), None, Budget(deadline=0), CheckOptions())

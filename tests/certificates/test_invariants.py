"""Every puzzle that invariants refute is unsolvable, and the checker rejects every altered table."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import fewest
from fewest.analysis.unsolvability import prove_unsolvable
from fewest.certificates.container import (
    CertificateError,
    RejectedError,
    encode_head,
)
from fewest.certificates.invariant_checker import InvariantHead, SumRow
from fewest.certificates.make_invariant import accepts, invariant_section
from fewest.errors import DocumentError
from fewest.playing.exhaust import TooManyPositionsError, exhaust
from tests.helpers.agreement import compiled_or_none, relaxed
from tests.helpers.certificates import apart, certificate_of, checked, made, of_section, together
from tests.helpers.random_puzzles import puzzles
from tests.helpers.small_boards import board

FIFTEEN = """
puzzle: fourteen-fifteen
model: tiles
board:
  - [ 1,  2,  3,  4]
  - [ 5,  6,  7,  8]
  - [ 9, 10, 11, 12]
  - [13, 15, 14,  _]
goal:
  board:
    - [ 1,  2,  3,  4]
    - [ 5,  6,  7,  8]
    - [ 9, 10, 11, 12]
    - [13, 14, 15,  _]
"""
KNOWN = ["eight-puzzle-swapped", "square-4x4", "octagon-21", "clones-three"]


@cache
def certificate(name: str) -> bytes:
    return made(fewest.load(name), Path(mkdtemp()), fewest.load(name).metrics[0], "invariant")


def certified(compiled: fewest.CompiledPuzzle) -> bool:
    """Whether `prove` finds sums that the checker can evaluate; if so, the checker accepts their certificate."""
    sums = prove_unsolvable(compiled.task)
    if sums is None or not accepts(compiled.task, sums):
        return False
    data = of_section(compiled, "invariant", invariant_section(compiled.task, sums))
    assert checked(data)[0].proves == "unsolvable"
    return True


@pytest.mark.parametrize("name", KNOWN)
def test_known_puzzles_are_refuted(name: str) -> None:
    verdict = checked(certificate(name))[0]
    assert (verdict.kind, verdict.proves) == ("invariant", "unsolvable")
    assert len(certificate(name)) < 2_000


def test_the_fifteen_puzzle_with_two_exchanged_is_refused_immediately_with_an_argument() -> None:
    result = fewest.load("fifteen.yaml", text=FIFTEEN).solve(seconds=30)
    assert result.status == "unsolvable"
    argument = (
        "the arrangement of the 15 pieces, together with the number of pieces on certain cells,"
    )
    assert f"no move changes whether {argument} is even or odd" in result.summary()


@pytest.mark.parametrize("name", ["english", "eight-puzzle", "triangle-15", "hardest-6x6", "jugs"])
def test_a_solvable_puzzle_is_not_refuted(name: str) -> None:
    assert prove_unsolvable(fewest.load(name).task) is None


def test_small_boards_are_refuted_exactly_where_parity_decides() -> None:
    refuted = 0
    for seed in range(60):
        compiled = fewest.load("small.yaml", text=board(seed))
        answer = compiled.solve(engine="bfs")
        if certified(compiled):
            assert answer.status == "unsolvable", seed
            refuted += 1
    assert refuted >= 5


@settings(relaxed, max_examples=30)
@given(text=puzzles())
def test_refuted_puzzles_are_unsolvable(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    try:
        reach = exhaust(compiled.puzzle, next(iter(compiled.puzzle.metrics.values())), 500)
    except (TooManyPositionsError, DocumentError):
        assume(False)
    assert not certified(compiled) or reach.minimum is None


def test_the_checker_uses_mutex_pairs_for_a_blocked_goal() -> None:
    """The goal puts `b` on the cell where `a` starts: only a pair of facts, and no group, implies that `a` has left."""
    text = """
puzzle: two-kinds
board: [[a, ".", "#", b]]
legend: {a: a, b: b, ".": floor, "#": wall}
pieces: {a: {}, b: {}}
wrap: rows
moves: {m: {before: ["any|wall", b, empty], after: ["any|wall", a, b], directions: [[0, 1]]}}
goal: {board: [[b, "?", "?", "?"]]}
"""
    assert certified(fewest.load("two-kinds.yaml", text=text))


SHADE = """
puzzle: shade
legend: {a: a, b: b, ".": floor}
pieces: {a: {}, b: {layer: 1}}
moves: {step: {slide: any}}
goal: {all: [{a: {at: [0, 1]}}, {b: {at: [0, 0]}}]}
board: |
  ab
"""


def test_pieces_in_different_layers_are_no_arrangement() -> None:
    """The pieces pass each other, because they can share a cell. The row claims that they fill both cells."""
    compiled = fewest.load("shade.yaml", text=SHADE)
    assert compiled.solve().cost == 2
    row = SumRow(2, (), (), (((0, 0), (0, 1)), ((1, 0), (1, 1))))
    data = of_section(compiled, "invariant", [encode_head(InvariantHead((row,), ()))])
    with pytest.raises(RejectedError, match="may enter a cell that is not empty"):
        checked(data)


Change = Callable[[list[SumRow]], list[SumRow]]


def altered(name: str, change: Change) -> bytes:
    header, _ = apart(certificate(name))
    head = certificate_of(certificate(name)).section(0).head(InvariantHead)
    return together(header, [encode_head(InvariantHead(tuple(change(list(head.sums))), ()))])


def first(**fields: object) -> Change:
    return lambda sums: [msgspec.structs.replace(sums[0], **fields), *sums[1:]]


def other_weight(sums: list[SumRow]) -> list[SumRow]:
    (spot, weight), *rest = sums[0].spots
    return [msgspec.structs.replace(sums[0], spots=((spot, weight + 1), *rest)), *sums[1:]]


def weight_left_out(sums: list[SumRow]) -> list[SumRow]:
    return [msgspec.structs.replace(sums[0], spots=sums[0].spots[1:]), *sums[1:]]


def piece_left_out(sums: list[SumRow]) -> list[SumRow]:
    return [msgspec.structs.replace(sums[0], pieces=sums[0].pieces[1:]), *sums[1:]]


def spot_left_out(sums: list[SumRow]) -> list[SumRow]:
    one, *rest = sums[0].pieces
    return [msgspec.structs.replace(sums[0], pieces=(one[1:], *rest)), *sums[1:]]


def piece_twice(sums: list[SumRow]) -> list[SumRow]:
    return [
        msgspec.structs.replace(sums[0], pieces=(*sums[0].pieces, sums[0].pieces[0])),
        *sums[1:],
    ]


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("clones-three", other_weight, "raises sum|no sum refutes"),
        ("clones-three", weight_left_out, "raises sum|no sum refutes"),
        ("clones-three", first(modulus=3), "changes sum"),
        ("square-4x4", other_weight, "changes sum"),
        ("square-4x4", weight_left_out, "changes sum"),
        ("square-4x4", lambda sums: sums[1:], "no sum refutes"),
        ("square-4x4", first(modulus=0), "raises sum|no sum refutes"),
        ("square-4x4", first(modulus=1), "no sum refutes"),
        ("eight-puzzle-swapped", other_weight, "changes sum"),
        ("eight-puzzle-swapped", weight_left_out, "changes sum"),
        ("eight-puzzle-swapped", piece_left_out, "must fill all|more empty"),
        ("eight-puzzle-swapped", spot_left_out, "not always in exactly one place"),
        ("eight-puzzle-swapped", piece_twice, "twice"),
        ("eight-puzzle-swapped", first(pieces=()), "changes sum"),
        ("eight-puzzle-swapped", first(modulus=4), "must be 2"),
    ],
)
def test_altered_tables_are_rejected_each_with_its_reason(
    name: str, change: Change, reason: str
) -> None:
    with pytest.raises(RejectedError, match=reason):
        checked(altered(name, change))


@pytest.mark.parametrize(
    ("name", "other"), [("eight-puzzle", "eight-puzzle-swapped"), ("jugs", "clones-three")]
)
def test_the_table_of_another_puzzle_refutes_nothing(name: str, other: str, tmp_path: Path) -> None:
    compiled = fewest.load(name)
    header, _ = apart(made(compiled, tmp_path, compiled.metrics[0], "plan"))
    header = msgspec.structs.replace(header, sections=("invariant",))
    with pytest.raises(RejectedError, match=r"no sum refutes|changes it|raises it"):
        checked(together(header, apart(certificate(other))[1]))


@settings(relaxed, max_examples=60)
@given(at=st.integers(0, 5_000), byte=st.integers(0, 255), length=st.integers(0, 3))
def test_no_change_of_bytes_crashes(at: int, byte: int, length: int) -> None:
    header, (section,) = apart(certificate("eight-puzzle-swapped"))
    at %= len(section)
    with suppress(RejectedError, CertificateError):
        checked(together(header, [section[:at] + bytes([byte] * length) + section[at + length :]]))

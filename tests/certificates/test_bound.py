"""The checkers verify the positions of a bound that a potential does not rule out, and the potential itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import fewest
from fewest.certificates.container import (
    CertificateError,
    RejectedError,
    TooLargeError,
    encode_head,
)
from fewest.certificates.invariant_checker import SumRow
from fewest.certificates.native import has_native_checkers
from fewest.certificates.potential import BoundHead
from fewest.errors import DocumentError
from fewest.model.position import Position
from fewest.playing.exhaust import TooManyPositionsError, exhaust
from fewest.playing.move import Move
from tests.helpers.agreement import compiled_or_none, relaxed
from tests.helpers.certificates import apart, certificate_of, checked, made, together
from tests.helpers.command_line import run
from tests.helpers.random_puzzles import puzzles
from tests.helpers.small_boards import board

if not has_native_checkers():
    pytest.skip("needs the native checkers", allow_module_level=True)


def check_all(compiled: fewest.CompiledPuzzle, folder: Path) -> int:
    """Compare each metric's bound with the reference interpreter; return the number of bounds."""
    found = 0
    moves: dict[Position, list[Move]] = {}
    for metric in compiled.puzzle.metrics.values():
        if len(metric.parts) > 1 or metric.parts[0].merge != "none":
            continue
        reach = exhaust(compiled.puzzle, metric, 800, moves)
        if reach.minimum is None or not any(reach.minimum):
            continue
        verdict = checked(made(compiled, folder, metric.name, "bound"))[0]
        assert (verdict.proves, verdict.value) == ("bound", reach.minimum)
        found += 1
    return found


@settings(relaxed, max_examples=20)
@given(text=puzzles())
def test_the_minimum_of_the_reference_is_bounded(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    try:
        check_all(compiled, tmp_path_factory.mktemp("proof"))
    except (TooManyPositionsError, DocumentError):
        assume(False)


def test_small_boards_need_fewer_positions(tmp_path: Path) -> None:
    found = 0
    for seed in range(25):
        compiled = fewest.load("small.yaml", text=board(seed))
        try:
            found += check_all(compiled, tmp_path)
        except TooManyPositionsError:
            continue
    assert found >= 4
    bound, layers = (
        checked(made(fewest.load("tiles-2x3"), tmp_path, "moves", kind))[0]
        for kind in ("bound", "layers")
    )
    assert 0 < bound.counts["positions"] < layers.counts["positions"] / 2


@cache
def certificate() -> bytes:
    return made(fewest.load("fifteen-20"), Path(mkdtemp()), "moves", "bound")


def altered(
    change: Callable[[BoundHead], BoundHead], body: Callable[[bytes], bytes] = bytes
) -> bytes:
    header, _ = apart(certificate())
    stream = certificate_of(certificate()).section(0)
    head = change(stream.head(BoundHead))
    return together(header, [encode_head(head) + body(b"".join(stream.rest()))])


def with_potential(change: Callable[[SumRow], SumRow]) -> Callable[[BoundHead], BoundHead]:
    return lambda head: msgspec.structs.replace(head, potential=change(head.potential))


def all_weights(by: Callable[[int], int]) -> Callable[[SumRow], SumRow]:
    return lambda row: msgspec.structs.replace(
        row, spots=tuple((spot, by(weight)) for spot, weight in row.spots)
    )


def repeated_spots(row: SumRow) -> SumRow:
    """The same potential, except that each place of one tile lowers it by more than 64 bits can represent."""
    more = tuple(((0, cell), -(1 << 62)) for cell in range(16))
    return msgspec.structs.replace(row, spots=(*row.spots, *more, *more, *more))


def one_more(head: BoundHead) -> BoundHead:
    assert head.layers.bound is not None
    layers = msgspec.structs.replace(head.layers, bound=(head.layers.bound[0] + 1,))
    return msgspec.structs.replace(head, layers=layers)


def unbounded(head: BoundHead) -> BoundHead:
    return msgspec.structs.replace(head, layers=msgspec.structs.replace(head.layers, bound=None))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            with_potential(all_weights(lambda w: 2 * w)),
            "lowers the potential by more than its cost",
        ),
        (
            with_potential(all_weights(lambda w: w - 1)),
            "no layer allows|no move leads|lowers the potential",
        ),
        (with_potential(all_weights(lambda w: -w)), "no layer allows|lowers"),
        (
            with_potential(lambda row: msgspec.structs.replace(row, spots=row.spots[5:])),
            "lowers|no layer allows",
        ),
        (with_potential(lambda row: msgspec.structs.replace(row, spots=())), "no layer allows"),
        (with_potential(lambda row: msgspec.structs.replace(row, modulus=2)), "not a parity"),
        (with_potential(repeated_spots), "too large"),
        (one_more, "no layer allows|is a goal"),
        (unbounded, "a metric that has one part"),
    ],
)
def test_altered_bounds_are_rejected_each_with_its_reason(
    change: Callable[[BoundHead], BoundHead], reason: str
) -> None:
    assert altered(lambda head: head) == certificate()
    with pytest.raises(RejectedError, match=reason):
        checked(altered(change))


def test_a_potential_that_is_not_0_in_the_goal_is_rejected(tmp_path: Path) -> None:
    compiled = fewest.load("microban-001")
    data = made(compiled, tmp_path, "pushes", "bound")
    header, _ = apart(data)
    stream = certificate_of(data).section(0)
    head = stream.head(BoundHead)
    body = b"".join(stream.rest())
    player = {(0, 0)} | {spot for spot, _ in head.potential.spots}
    task = compiled.task
    box = next(group for group in task.exactly if group.count > 1)
    spots = tuple(((task.facts[f].class_id, task.facts[f].cell), 1) for f in box.facts)
    assert player
    row = msgspec.structs.replace(head.potential, spots=spots)
    with pytest.raises(RejectedError, match="above 0 in a goal"):
        checked(
            together(header, [encode_head(msgspec.structs.replace(head, potential=row)) + body])
        )


@settings(relaxed, max_examples=50)
@given(at=st.integers(0, 1 << 20), byte=st.integers(0, 255), length=st.integers(0, 3))
def test_no_change_of_bytes_crashes_or_proves_a_false_statement(
    at: int, byte: int, length: int
) -> None:
    header, (section,) = apart(certificate())
    at %= len(section)
    new = section[:at] + bytes([byte] * length) + section[at + length :]
    try:
        (verdict,) = checked(together(header, [new]))
    except (RejectedError, CertificateError, TooLargeError):
        return
    assert verdict.value is not None and verdict.value <= (20,)


def test_a_star_s_puzzles_are_proven_by_bounds(tmp_path: Path) -> None:
    path = tmp_path / "it.proof"
    done = run("prove", "microban-001", "-m", "pushes", "-o", str(path))
    assert done.returncode == 0 and "plan and bound" in done.stdout
    done = run("verify", str(path), "--share", "50", "--by", "task", "--seed", "3")
    assert done.returncode == 0 and "8 pushes, and no fewer" in done.stdout
    assert "by seed 3" in done.stdout
    done = run("prove", "hardest-6x6", "-m", "slides", "--kind", "bound", "-o", str(path))
    assert done.returncode == 2 and "merges moves" in done.stderr


def test_pairs_that_a_star_solves_are_proven_by_layers(tmp_path: Path) -> None:
    path = tmp_path / "it.proof"
    done = run("prove", "microban-001", "-m", "pushes-then-moves", "-o", str(path))
    assert done.returncode == 0 and "plan and layers" in done.stdout
    assert run("verify", str(path), "--by", "task").returncode == 0

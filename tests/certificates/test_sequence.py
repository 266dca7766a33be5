"""Layers in one run over the file: what is made natively is what is made in Python, and moves that lead far back."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest
from msgspec.structs import replace

import fewest
from fewest.certificates.container import Budget, RejectedError, TooLargeError, certificate_of
from fewest.certificates.make_layers import layers_section
from fewest.certificates.make_sequence import can_be_sequence, sequence_section
from fewest.certificates.native import has_native_checkers
from fewest.certificates.positions import PositionNumbering
from fewest.model.position import Position
from fewest.questions.verify import CheckManner, check_certificate
from tests.helpers.certificates import Layers, apart, checked, made, together

if not has_native_checkers():
    pytest.skip("needs the native checkers", allow_module_level=True)

# Groups of one piece, of several, variables, forbidden positions; moves that can be taken back and others.
KNOWN = [
    ("jugs", "moves"),
    ("tiles-2x3", "moves"),
    ("small-4x6", "steps"),
    ("square-4x4-b", "jumps"),
    ("two-kings", "moves"),
]


def positions(data: bytes, puzzle: object) -> list[tuple[tuple[int, ...], set[Position]]]:
    """The cost and the positions of each layer."""
    layers = Layers.of(data, 0)
    numbering = PositionNumbering(puzzle, layers.head.groups)  # type: ignore[arg-type]
    rows = zip(layers.head.layers, layers.rows, strict=True)
    return [(cost, {numbering.position(n) for n in row}) for (cost, _), row in rows]


@pytest.mark.parametrize(("name", "metric"), KNOWN)
def test_what_is_made_natively_is_what_is_made_in_python(
    name: str, metric: str, tmp_path: Path
) -> None:
    compiled = fewest.load(name)
    puzzle, task = compiled.puzzle, compiled.task
    chosen = puzzle.metrics.get(metric) or next(iter(puzzle.metrics.values()))
    assert can_be_sequence(puzzle, task, chosen)
    cost = compiled.solve(chosen.name).cost
    assert isinstance(cost, int)
    header = replace(apart(made(compiled, tmp_path, chosen.name, "plan"))[0], sections=("layers",))
    native, plain = (
        together(header, [b"".join(section)])
        for section in (
            sequence_section(puzzle, task, chosen, cost, tmp_path, Budget()),
            layers_section(puzzle, task, chosen, (cost,), Budget()),
        )
    )
    assert positions(native, puzzle) == positions(plain, puzzle)
    for data in (native, plain):
        assert checked(data, "task", 0.05)[0].value == (cost,)


@cache
def jugs() -> bytes:
    """Emptying a jug leads far back."""
    return made(fewest.load("jugs"), Path(mkdtemp()), "moves", "layers")


def test_what_moves_far_back_lead_to_is_sought_in_a_second_run() -> None:
    whole = Layers.of(jugs(), 0)
    assert len(whole.rows) >= 5
    assert checked(jugs(), "task")[0].value == whole.head.bound
    for depth, row in enumerate(whole.rows):
        for number in row:
            layers = Layers.of(jugs(), 0)
            layers.rows[depth].pop(number)
            data = together(apart(jugs())[0], [layers.encode()])
            with pytest.raises(RejectedError, match=r"no layer allows|first layer|no move leads"):
                checked(data, "task")


def test_the_limit_of_memory_ends_it() -> None:
    for budget in (Budget(memory=8), Budget(deadline=0)):
        with pytest.raises(TooLargeError):
            check_certificate(certificate_of(jugs()), None, budget, CheckManner("task"))

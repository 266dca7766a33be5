"""Native and Python code agree when they make and check layers in one pass, even if moves lead many layers back."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest
from msgspec.structs import replace

import fewest
from fewest.certificates.container import Budget, RejectedError, TooLargeError
from fewest.certificates.make_layers import bound_section, layers_section
from fewest.certificates.make_sequence import (
    bound_sequence_section,
    can_be_sequence,
    closed_section,
    sequence_section,
)
from fewest.certificates.native import has_native_checkers
from fewest.certificates.positions import GroupRow, PositionNumbering
from fewest.certificates.potential import BoundHead
from fewest.certificates.rules_checker import LayersHead
from fewest.commands.verify import CheckOptions, check_certificate
from fewest.model.position import Position
from tests.helpers.certificates import (
    Layers,
    apart,
    certificate_of,
    checked,
    made,
    of_section,
    together,
)

if not has_native_checkers():
    pytest.skip("needs the native checkers", allow_module_level=True)

# These puzzles have groups of one piece and of several, variables, and forbidden positions; reversible moves and
# others; moves of different costs, some of them free; merged moves of pieces and of rings.
KNOWN = [
    ("jugs", "moves"),
    ("tiles-2x3", "moves"),
    ("small-4x6", "steps"),
    ("square-4x4-b", "jumps"),
    ("two-kings", "moves"),
    ("bridge", "minutes"),
    ("microban-001", "pushes"),
    ("qi-bu-cheng-shi", "turns"),
    ("qi-bu-cheng-shi", "slides"),
    ("triangle-10", "turns"),
    ("two-rings", "turns"),
    ("small-4x6", "slides"),
]


def positions(data: bytes, puzzle: object) -> list[tuple[tuple[int, ...], set[Position]]]:
    """The cost and the positions of each layer."""
    layers = Layers.of(data, 0)
    numbering = PositionNumbering(puzzle, layers.head.groups)  # type: ignore[arg-type]
    rows = zip(layers.head.layers, layers.rows, strict=True)
    return [(cost, {numbering.position(n) for n in row}) for (cost, _), row in rows]


@pytest.mark.parametrize(("name", "metric"), KNOWN)
def test_native_code_writes_the_same_layers_as_python(
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


@pytest.mark.parametrize(
    ("name", "metric"),
    [("fifteen-20", "moves"), ("tiles-2x3", "moves"), ("microban-001", "pushes")],
)
def test_bounds_are_made_natively_as_in_python(name: str, metric: str, tmp_path: Path) -> None:
    compiled = fewest.load(name)
    puzzle, task, chosen = compiled.puzzle, compiled.task, compiled.puzzle.metrics[metric]
    cost = compiled.solve(metric).cost
    assert isinstance(cost, int)
    header = replace(apart(made(compiled, tmp_path, metric, "plan"))[0], sections=("bound",))
    found = []
    for section in (
        bound_sequence_section(puzzle, task, chosen, cost, tmp_path, Budget()),
        bound_section(puzzle, task, chosen, cost, Budget()),
    ):
        data = together(header, [b"".join(section)])
        (verdict,) = checked(data, "task", 0.05)
        assert verdict.value == (cost,)
        stream = certificate_of(data).section(0)
        found.append((verdict.counts, stream.head(BoundHead).layers.layers))
    assert found[0] == found[1]


UNSOLVABLE = """
puzzle: stuck
model: rush-hour
board: |
  XX.A.C.
  B..A.C.
  B..A...
"""


def unsolvable(name: str) -> fewest.CompiledPuzzle:
    return fewest.load("stuck.yaml", text=UNSOLVABLE) if name == "stuck" else fewest.load(name)


@cache
def closed(name: str) -> bytes:
    """All positions of a puzzle without a plan, made natively."""
    compiled = unsolvable(name)
    return of_section(compiled, "layers", closed_section(compiled.puzzle, compiled.task, Budget()))


@pytest.mark.parametrize("name", ["tiles-2x3-swapped", "stuck"])
def test_all_positions_are_listed_natively_as_in_python(name: str) -> None:
    compiled = unsolvable(name)
    metric = next(iter(compiled.puzzle.metrics.values()))
    plain = layers_section(compiled.puzzle, compiled.task, metric, None, Budget())
    section = of_section(compiled, "layers", plain)
    assert positions(closed(name), compiled.puzzle) == positions(section, compiled.puzzle)
    for by in ("rules", "task"):
        for data in (closed(name), section):
            (verdict,) = checked(data, by, 0.2)
            assert verdict.proves == "unsolvable"
    counts = [
        checked(data, by)[0].counts for data in (closed(name), section) for by in ("rules", "task")
    ]
    assert all(count == counts[0] for count in counts)


def test_a_set_that_is_not_closed_is_rejected() -> None:
    """A set without one of its positions, or with a position that no move reaches, is rejected."""
    whole = Layers.of(closed("stuck"), 0)
    header = apart(closed("stuck"))[0]
    row = whole.rows[0]
    assert len(row) == 6
    others = [{n: runs for n, runs in row.items() if n != left_out} for left_out in row]
    unused = next(n for n in range(max(row)) if n not in row)
    for other in [*others, {**row, unused: next(iter(row.values()))}]:
        layers = Layers(whole.head, [other])
        with pytest.raises(
            RejectedError, match=r"no layer allows|first layer|no move leads|cannot be"
        ):
            checked(together(header, [layers.encode()]), "task")


@cache
def jugs() -> bytes:
    """A certificate with moves that lead many layers back; these moves empty a jug."""
    return made(fewest.load("jugs"), Path(mkdtemp()), "moves", "layers")


def test_targets_in_much_earlier_layers_are_looked_up_in_a_second_pass() -> None:
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
            check_certificate(certificate_of(jugs()), None, budget, CheckOptions("task"))


def test_a_move_into_a_full_group_is_rejected() -> None:
    # A forged certificate divides the cells of three equal pieces into two groups. The first group has one piece, so a
    # move from its last cell would give the second group three pieces instead of two.
    text = """
puzzle: row
pieces: {a: {}}
legend: {".": floor, a: a}
moves: {go: {before: [a, empty], after: [empty, a]}}
board: |
  .a..aa
goal: cell(0, 0) == a
"""
    compiled = fewest.load("row.yaml", text=text)
    groups = tuple(
        GroupRow(tuple((0, cell) for cell in cells), count)
        for cells, count in (((0, 1), 1), ((2, 3, 4, 5), 2))
    )
    number = PositionNumbering(compiled.puzzle, groups).number(compiled.start)
    assert number is not None
    head = LayersHead((2,), groups, ((),), (((0,), 1),))
    data = of_section(compiled, "layers", [Layers(head, [{number: []}]).encode()])
    for by in ("task", "rules"):
        with pytest.raises(RejectedError, match="no layer allows"):
            checked(data, by)


@pytest.mark.parametrize("by", ["task", "rules"])
def test_a_cost_of_the_wrong_length_is_rejected(by: str, tmp_path: Path) -> None:
    data = made(fewest.load("tiles-2x3"), tmp_path, "moves", "layers")
    layers = Layers.of(data, 0)
    for change in (lambda cost: (*cost, 0), lambda cost: ()):
        costs = tuple((change(cost), count) for cost, count in layers.head.layers)
        changed = Layers(replace(layers.head, layers=costs), layers.rows)
        with pytest.raises(RejectedError, match=r"in order|number of parts"):
            checked(together(apart(data)[0], [changed.encode()]), by)

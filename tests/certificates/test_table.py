"""Layers made in a table are correct for merging metrics, pairs, long numbers, and moves that do more than flip
facts."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

import fewest
from fewest.certificates import grounded_task
from fewest.certificates.container import Budget, RejectedError, TooLargeError, encode_head
from fewest.certificates.invariant_checker import InvariantHead, SumRow
from fewest.certificates.make_layers import layers_section
from fewest.certificates.make_sequence import can_be_sequence, can_be_table, table_section
from fewest.certificates.native import has_native_checkers
from fewest.certificates.positions import PositionNumbering
from fewest.errors import UsageError
from fewest.grounding.ground import ground
from fewest.model.position import Position
from fewest.model.task import Task
from tests.helpers.certificates import Layers, checked, made, of_section

if not has_native_checkers():
    pytest.skip("needs the native checkers", allow_module_level=True)

from fewest.certificates import _checkers

# These puzzles have merged moves of pieces and of rings, pairs, free moves, permutations, or moves with consequences;
# some have no plan.
KNOWN = [
    ("qi-bu-cheng-shi", "slides"),
    ("triangle-10", "turns"),
    ("two-rings", "turns"),
    ("microban-044", "pushes-then-moves"),
    ("microban-021", "moves-then-pushes"),
    ("bridge", "minutes"),
    ("tiles-2x3-swapped", "moves"),
]
FEW_PANCAKES = """
puzzle: few-pancakes
model: pancakes
parameters: {n: 9}
board: |
  EFGABCDHI
goal: {board: ABCDEFGHI}
"""


def nodes(
    data: bytes, puzzle: object
) -> list[tuple[tuple[int, ...], dict[Position, list[list[int]]]]]:
    """The cost of each layer, its positions, and the runs of each position."""
    layers = Layers.of(data, 0)
    numbering = PositionNumbering(puzzle, layers.head.groups)  # type: ignore[arg-type]
    rows = zip(layers.head.layers, layers.rows, strict=True)
    return [
        (cost, {numbering.position(n): runs for n, runs in row.items()}) for (cost, _), row in rows
    ]


def compare(compiled: fewest.CompiledPuzzle, task: Task, metric: str) -> bytes:
    """Compute layers natively; check that Python computes the same positions and that the rules checker accepts the
    layers."""
    puzzle = compiled.puzzle
    chosen = puzzle.metrics[metric]
    cost = compiled.solve(metric).cost
    bound = (cost,) if isinstance(cost, int) else cost
    ours = of_section(
        compiled, "layers", table_section(puzzle, task, chosen, bound, Budget()), metric
    )
    theirs = of_section(
        compiled, "layers", layers_section(puzzle, task, chosen, bound, Budget()), metric
    )
    found, known = nodes(ours, puzzle), nodes(theirs, puzzle)
    # Among nodes of one cost, the order decides which ones are redundant.
    assert [(at, set(layer)) for at, layer in found] == [(at, set(layer)) for at, layer in known]
    (verdict,) = checked(ours)
    assert verdict.value == bound
    return ours


@pytest.mark.parametrize(("name", "metric"), KNOWN)
def test_a_table_gives_the_same_layers_as_python(name: str, metric: str) -> None:
    compiled = fewest.load(name)
    ours = compare(compiled, compiled.task, metric)
    (verdict,) = checked(ours, "task", 0.1)
    assert verdict.counts["positions"] > 0


def test_moves_that_permute_are_played_by_the_task_checker_too(tmp_path: Path) -> None:
    compiled = fewest.load("few-pancakes", text=FEW_PANCAKES)
    task = compiled.grounded
    assert task.permutations
    ours = compare(compiled, task, "flips")
    assert [checked(ours, "task", share)[0].value for share in (0.0, 1.0)] == [(3,)] * 2
    assert checked(made(compiled, tmp_path, "flips", "plan", "layers"), "task", 1.0)


@pytest.mark.parametrize("by", ["rules", "task"])
def test_a_certificate_that_omits_permutations_is_rejected(by: str) -> None:
    compiled = fewest.load("few-pancakes", text=FEW_PANCAKES)
    puzzle, metric = compiled.puzzle, compiled.puzzle.metrics["flips"]
    forgetful = replace(compiled.grounded, permutations=())
    for bound in ((3,), None):
        data = of_section(
            compiled, "layers", table_section(puzzle, forgetful, metric, bound, Budget())
        )
        with pytest.raises(RejectedError, match="that no layer allows"):
            checked(data, by)


def test_sums_and_potentials_are_refused_where_moves_permute() -> None:
    compiled = fewest.load("few-pancakes", text=FEW_PANCAKES)
    nothing = SumRow(0, (), (), ())
    data = of_section(compiled, "invariant", [encode_head(InvariantHead((nothing,), ()))])
    with pytest.raises(RejectedError, match="moves permute"):
        checked(data)
    with pytest.raises(UsageError, match="permutes the pieces on rings"):
        compiled.prove(Path("nowhere"), kinds=["bound"])


def test_the_task_checker_applies_consequences_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled = fewest.load("three-alike")
    task = ground(compiled.puzzle, most_divided=0)
    assert task.consequences
    ours = compare(compiled, task, "moves")
    monkeypatch.setattr(grounded_task, "ground", partial(ground, most_divided=0))
    (verdict,) = checked(ours, "task", 1.0)
    assert verdict.value == (10,)
    forgetful = replace(task, consequences=())
    section = table_section(
        compiled.puzzle, forgetful, compiled.puzzle.metrics["moves"], (10,), Budget()
    )
    with pytest.raises((RejectedError, _checkers.RejectedError)):
        checked(of_section(compiled, "layers", section), "task")


def test_positions_whose_numbers_take_more_than_64_bits_are_listed_natively(tmp_path: Path) -> None:
    text = FEW_PANCAKES.replace("n: 9", "n: 20").replace("HI", "HIJKLMNOPQRST")
    compiled = fewest.load("many-pancakes", text=text)
    metric = compiled.puzzle.metrics["flips"]
    assert not can_be_sequence(compiled.puzzle, compiled.grounded, metric)
    assert can_be_table(compiled.puzzle, compiled.grounded)
    data = made(compiled, tmp_path, "flips", "layers")
    assert checked(data)[0].value == checked(data, "task")[0].value == (3,)


def test_the_limit_of_memory_ends_it() -> None:
    compiled = fewest.load("qi-bu-cheng-shi")
    metric = compiled.puzzle.metrics["slides"]
    with pytest.raises(TooLargeError, match="memory"):
        list(table_section(compiled.puzzle, compiled.task, metric, (8,), Budget(memory=1_000)))

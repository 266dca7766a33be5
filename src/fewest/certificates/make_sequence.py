"""Layers of millions of positions as a section of a certificate: searched natively, written while they are found."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile

from fewest.analysis.invariants import possible_facts
from fewest.certificates.container import Budget, TooLargeError, encode_head
from fewest.certificates.make_layers import StateNumbers
from fewest.certificates.native import has_native_checkers, native_checkers
from fewest.certificates.parts import part_table
from fewest.certificates.questions import is_sequence, layers_question
from fewest.certificates.rules_checker import LayersHead
from fewest.model.metric import Metric
from fewest.model.puzzle import Puzzle
from fewest.model.task import Task

_PIECE = 1 << 20  # bytes


def can_be_sequence(puzzle: Puzzle, task: Task, metric: Metric) -> bool:
    """Whether `sequence_section` makes layers of this metric."""
    if task.consequences:
        return False
    parts = [part_table(task, metric, number) for number in range(len(metric.parts))]
    if not has_native_checkers():
        return False
    return is_sequence(parts, StateNumbers(puzzle, task, possible_facts(task)).size)


def sequence_section(
    puzzle: Puzzle, task: Task, metric: Metric, bound: int, folder: Path, budget: Budget
) -> Iterator[bytes]:
    """The section that proves `bound`. Layers stand in a file without a name in `folder` meanwhile.

    Memory: three layers, at 8 bytes a position; where moves cannot be taken back also some 3 bytes for every
    position. Raises TooLargeError.
    """
    native = native_checkers()
    numbers = StateNumbers(puzzle, task, possible_facts(task))
    parts = [part_table(task, metric, 0)]
    maker = native.LayerMaker(
        layers_question(puzzle, task, parts, numbers.groups, [[]], (bound,), ()),
        numbers.number(task.initial),
        _is_reversible(task),
        budget.deadline - time.perf_counter(),
        min(budget.memory, (1 << 64) - 1),
    )
    unit = parts[0].weights[0]
    layers: list[tuple[tuple[int, ...], int]] = []
    with TemporaryFile(dir=folder) as file:
        try:
            while len(layers) * unit < bound and (count := maker.advance()):
                layers.append(((len(layers) * unit,), count))
                file.write(maker.encoded())
        except native.GivenUpError as error:
            raise TooLargeError(f"{error} limit") from None
        yield encode_head(LayersHead((bound,), numbers.groups, ((),), tuple(layers)))
        file.seek(0)
        while piece := file.read(_PIECE):
            yield piece


def _is_reversible(task: Task) -> bool:
    """Whether every operator has its inverse."""
    known = {(o.mask, o.value, o.flip) for o in task.operators}
    return not task.forbid and all(
        (o.mask, o.inverse_value, o.flip) in known for o in task.operators
    )

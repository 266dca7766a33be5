"""Layers of millions of positions as a section of a certificate. Native code searches for the layers and writes
them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from fewest.analysis.invariants import possible_facts
from fewest.analysis.potentials import potential
from fewest.analysis.unsolvability import LinearInvariant
from fewest.certificates.container import Budget, TooLargeError, encode_head
from fewest.certificates.layer_check_input import MOST_TABLE_NUMBERS, is_sequence, layer_check_input
from fewest.certificates.make_invariant import sum_row
from fewest.certificates.make_layers import StateNumbers
from fewest.certificates.metric_tables import all_parts, metric_table
from fewest.certificates.native import has_native_checkers, native_checkers
from fewest.certificates.positions import GroupRow
from fewest.certificates.potential import BoundHead
from fewest.certificates.rules_checker import LayersHead
from fewest.model.metric import Metric, Parts
from fewest.model.puzzle import Puzzle
from fewest.model.task import Operator, Task, facts_in, union

_PIECE = 1 << 20  # the number of bytes of a chunk that is read from the temporary file


def can_be_sequence(puzzle: Puzzle, task: Task, metric: Metric | None) -> bool:
    """Whether native code can make the layers as lists of numbers in this metric. If the metric is None, all positions
    form one set.
    """
    if not has_native_checkers():
        return False
    parts = [] if metric is None else all_parts(task, metric)
    numbers = StateNumbers(puzzle, task, possible_facts(task))
    return numbers.can_be_named and is_sequence(parts, numbers.size)


def can_be_table(puzzle: Puzzle, task: Task) -> bool:
    """Whether native code can make the layers of any metric, or the set of all positions, in a table."""
    return has_native_checkers() and (
        StateNumbers(puzzle, task, possible_facts(task)).size < MOST_TABLE_NUMBERS
    )


def sequence_section(
    puzzle: Puzzle, task: Task, metric: Metric, bound: int, folder: Path, budget: Budget
) -> Iterator[bytes]:
    """The section that proves `bound`. The search stores the layers in an anonymous temporary file in `folder`.

    The memory contains the moves from one layer, and three layers (or all layers, if moves are not reversible or differ
    in cost). A position takes 2 or 3 bytes; if moves merge, a node takes about 4 bytes. Raises TooLargeError, OSError,
    and UsageError if the native checkers are not installed.
    """
    with TemporaryFile(dir=folder) as file:
        head = _layers(puzzle, task, metric, bound, None, file, budget)
        yield encode_head(head)
        yield from _pieces(file)


def bound_sequence_section(
    puzzle: Puzzle, task: Task, metric: Metric, bound: int, folder: Path, budget: Budget
) -> Iterator[bytes]:
    """The section that proves `bound` and omits the positions that a potential excludes. Raises the same errors as
    `sequence_section`; also raises UsageError if the task has moves other than operators.
    """
    weights = potential(task, metric_table(task, metric, 0).weights, bound)
    with TemporaryFile(dir=folder) as file:
        head = _layers(puzzle, task, metric, bound, weights, file, budget)
        yield encode_head(BoundHead(head, sum_row(task, LinearInvariant(weights, 0))))
        yield from _pieces(file)


def closed_section(puzzle: Puzzle, task: Task, budget: Budget) -> Iterator[bytes]:
    """The section that lists all reachable positions, to prove that there is no plan. Raises the same errors as
    `sequence_section`.
    """
    numbers = StateNumbers(puzzle, task, possible_facts(task))
    maker = _maker(puzzle, task, numbers, None, None, {}, budget)
    with _limits():
        while maker.advance():
            pass
    count, pieces = maker.all()
    yield encode_head(LayersHead(None, numbers.groups, (), (((), count),)))
    yield from pieces


def table_section(
    puzzle: Puzzle, task: Task, metric: Metric, bound: Parts | None, budget: Budget
) -> Iterator[bytes]:
    """The section that proves `bound`, or that there is no plan (None), for layers that cannot be lists of numbers.

    The function takes about 60 bytes of memory per node. Raises TooLargeError, and UsageError if the native checkers
    are not installed or if there are more spots than a certificate may have.
    """
    parts = [] if bound is None else all_parts(task, metric)
    native = native_checkers()

    def sequence_input(groups: Sequence[GroupRow]) -> Any:
        runs = [list(range(len(part.rows))) for part in parts]
        return layer_check_input(puzzle, task, parts, groups, runs, bound, ())

    maker = native.TableWriter(
        sequence_input(()), budget.deadline - time.perf_counter(), min(budget.memory, (1 << 64) - 1)
    )
    with _limits():
        while maker.advance():  # Ctrl-C can interrupt the search between layers
            pass
    numbers = StateNumbers(puzzle, task, int.from_bytes(maker.facts(), "little"))
    named = sequence_input(numbers.named_groups())
    layers = tuple((tuple(cost), count) for cost, count in maker.layers)
    yield encode_head(LayersHead(bound, numbers.groups, tuple(part.rows for part in parts), layers))
    for layer in range(len(layers)):
        yield maker.encoded(named, layer)


def _layers(
    puzzle: Puzzle,
    task: Task,
    metric: Metric,
    bound: int,
    weights: Mapping[int, int] | None,
    file: Any,
    budget: Budget,
) -> LayersHead:
    """Write all layers to a file, and return the head of their section."""
    numbers = StateNumbers(puzzle, task, possible_facts(task))
    maker = _maker(puzzle, task, numbers, metric, bound, weights or {}, budget)
    layers: list[tuple[tuple[int, ...], int]] = []
    with _limits():
        while count := maker.advance():
            layers.append(((maker.cost,), count))
            maker.encode(file.write)
    runs = metric_table(task, metric, 0).rows
    return LayersHead((bound,), numbers.groups, (runs,), tuple(layers))


def _maker(
    puzzle: Puzzle,
    task: Task,
    numbers: StateNumbers,
    metric: Metric | None,
    bound: int | None,
    weights: Mapping[int, int],
    budget: Budget,
) -> Any:
    parts = [] if metric is None else [metric_table(task, metric, 0)]
    facts = [weights.get(fact, 0) for fact in range(64 * task.words)] if weights else []
    return native_checkers().LayerWriter(
        layer_check_input(
            puzzle,
            task,
            parts,
            numbers.groups,
            [[] for _ in parts],
            None if bound is None else (bound,),
            (),
            facts,
        ),
        numbers.number(task.initial),
        metric is not None and _is_reversible(task),
        budget.deadline - time.perf_counter(),
        min(budget.memory, (1 << 64) - 1),
    )


@contextmanager
def _limits() -> Iterator[None]:
    """Convert the error that native code raises at a limit to TooLargeError."""
    try:
        yield
    except native_checkers().GivenUpError as error:
        raise TooLargeError(f"{error} limit", reason=str(error)) from None


def _pieces(file: Any) -> Iterator[bytes]:
    file.seek(0)
    while piece := file.read(_PIECE):
        yield piece


def _is_reversible(task: Task) -> bool:
    """Whether every move is reversible: its precondition, its effect and the mutex groups must imply the precondition
    of an inverse move. The result is False for tasks with forbidden cubes or consequences.
    """
    back: dict[int, list[Operator]] = {}
    for operator in task.operators:
        back.setdefault(operator.flip, []).append(operator)
    excluded = _excluded(task)
    if task.forbid or task.consequences:
        return False
    images = {permutation.image for permutation in task.permutations}
    if any(_inverse(image) not in images for image in images):
        return False
    for operator in task.operators:
        false = operator.mask & ~operator.value | union(
            excluded[fact] for fact in facts_in(operator.value)
        )
        true_behind = operator.inverse_value & operator.mask
        false_behind = false & ~operator.flip | operator.flip & operator.value
        if not any(
            other.value & ~true_behind == 0 and other.mask & ~other.value & ~false_behind == 0
            for other in back[operator.flip]
        ):
            return False
    return True


def _inverse(image: tuple[int, ...]) -> tuple[int, ...]:
    back = [0] * len(image)
    for fact, to in enumerate(image):
        back[to] = fact
    return tuple(back)


def _excluded(task: Task) -> list[int]:
    """For each fact, the facts that are never true together with it, as a bit set."""
    excluded = [0] * len(task.facts)
    ones = [group.facts for group in task.exactly if group.count == 1]
    for facts in (*ones, *task.at_most_one):
        together = union(1 << fact for fact in facts)
        for fact in facts:
            excluded[fact] |= together & ~(1 << fact)
    return excluded

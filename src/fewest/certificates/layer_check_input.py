"""A task, a metric and the numbering of positions, as input of the native checkers and writers of layers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from fewest.certificates.metric_tables import MetricTable
from fewest.certificates.native import native_checkers
from fewest.certificates.positions import GroupRow
from fewest.model.puzzle import Puzzle
from fewest.model.task import Cube, Task, index_fact

_NO_FACT, _CONSTANT = -1, -2
MOST_NUMBERS = 1 << 63  # the limit on the numbers of nodes, for layers that are lists of numbers
MOST_TABLE_NUMBERS = 1 << 120  # the limit on the numbers of positions, for layers in a table


def layer_check_input(
    puzzle: Puzzle,
    task: Task,
    parts: Sequence[MetricTable],
    groups: Sequence[GroupRow],
    runs: Sequence[Sequence[int]],
    bound: Sequence[int] | None,
    layers: Sequence[tuple[Sequence[int], int]],
    potential: Sequence[int] = (),
) -> Any:
    """The input of the native checkers and writers. Raises UsageError if they are not installed."""
    native = native_checkers()
    return native.Layers(
        task=_task(native, task),
        parts=[_part(native, part) for part in parts],
        groups=_groups(task, groups),
        variables=_variables(puzzle, task),
        runs=runs,
        bound=bound,
        layers=layers,
        potential=potential,
    )


def input_bytes(task: Task) -> int:
    """The number of bytes that the rows of a task take while they are passed to the native checkers. During this time,
    several copies of the rows exist: in Python, in the input of the checkers, and in unpacked form.
    """
    rows = 3 * len(task.operators) + 2 * (len(task.goal) + len(task.forbid))
    rows += 6 * sum(len(effects) for stage in task.consequences for effects in stage.places)
    images = sum(len(permutation.image) for permutation in task.permutations)
    return 4 * (8 * rows * task.words + 8 * images)


def native_table_bytes(groups: Sequence[GroupRow]) -> int:
    """The number of bytes of the tables with which the native checkers number positions: 16 for each pair (spot,
    occupied spot) of a group.
    """
    return sum(16 * (group.count or 0) * (len(group.spots) + 1) for group in groups)


def is_sequence(parts: Sequence[MetricTable], num_positions: int) -> bool:
    """Whether layers can be stored as lists of numbers. The metric must have at most one part. If moves merge in the
    metric, all moves that are not free must cost the same. The numbers of all nodes must be below MOST_NUMBERS.

    `parts` is empty if all positions form a single layer. `num_positions`: the number of positions that the numbering
    can represent.
    """
    if not parts:
        return num_positions < MOST_NUMBERS
    part, *others = parts
    weights = {weight for weight in part.weights if weight} | {row.weight for row in part.rows}
    is_one = not part.rows or len(weights) == 1
    return not others and is_one and num_positions * (len(part.rows) + 1) < MOST_NUMBERS


def _rows(task: Task, values: Iterable[int]) -> bytes:
    return b"".join(value.to_bytes(task.words * 8, "little") for value in values)


def _cubes(task: Task, cubes: Sequence[Cube]) -> tuple[bytes, bytes]:
    return _rows(task, (mask for mask, _ in cubes)), _rows(task, (value for _, value in cubes))


def _task(native: Any, task: Task) -> Any:
    return native.Task(
        words=task.words,
        initial=_rows(task, [task.initial]),
        operators=_cubes(task, [(o.mask, o.value) for o in task.operators]),
        flip=_rows(task, (o.flip for o in task.operators)),
        index_fact=[index_fact(o) for o in task.operators],
        goals=_cubes(task, task.goal),
        forbidden=_cubes(task, task.forbid),
        permutations=[permutation.image for permutation in task.permutations],
        effects=_effects(native, task),
    )


def _effects(native: Any, task: Task) -> Any:
    """The consequences of moves as rows, one for each effect at each place."""
    rows = [
        (place, stage, effect)
        for place, (stage, effects) in enumerate(
            (number, effects)
            for number, stage in enumerate(task.consequences)
            for effects in stage.places
        )
        for effect in effects
    ]
    every = [effect for _, _, effect in rows]
    return native.Effects(
        fits=_cubes(task, [(e.mask, e.value) for e in every]),
        flip=_rows(task, (e.flip for e in every)),
        clear=_rows(task, (e.clear for e in every)),
        can_still=_cubes(task, [(e.need_mask, e.need_value) for e in every]),
        place=[place for place, _, _ in rows],
        stage=[stage for _, stage, _ in rows],
        is_everywhere=[int(stage.is_everywhere) for stage in task.consequences],
    )


def _groups(task: Task, groups: Sequence[GroupRow]) -> list[tuple[list[int], int]]:
    """For each group of spots, its facts and the number of true facts (-1: any number)."""
    return [
        (
            [task.fact_of_spot.get(spot, _NO_FACT) for spot in group.spots],
            -1 if group.count is None else group.count,
        )
        for group in groups
    ]


def _part(native: Any, part: MetricTable) -> Any:
    return native.Part(
        weight=part.weights,
        run_in=part.ins,
        run_out=part.outs,
        run_weight=[row.weight for row in part.rows],
        run_fact=part.facts,
    )


def _variables(puzzle: Puzzle, task: Task) -> list[list[int]]:
    """For each variable, the fact of each of its values."""
    out: list[list[int]] = []
    for slot, variable in enumerate(puzzle.variables):
        facts = [task.fact_of_value.get((slot, value), _NO_FACT) for value in variable.values]
        if all(fact == _NO_FACT for fact in facts):  # such a variable never changes
            facts[variable.values.index(variable.initial)] = _CONSTANT
        out.append(facts)
    return out

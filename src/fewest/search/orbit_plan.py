"""Maps a plan that begins at an image of the start to a plan that begins at the start. This is the last step of a
search that stores one state of every orbit.

Such a search finds a plan that begins at g(start) for some symmetry g. The inverse of g maps the operators of this plan
to operators with the same costs, and its goal state to a goal state.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fewest.model.costs import CostTable
from fewest.model.problem import Problem, Symmetry


def pull_back(
    problem: Problem, cost: CostTable, symmetry: Symmetry, plan: Sequence[int]
) -> tuple[int, ...]:
    """A plan from the initial state with the same cost as `plan`; `plan` begins at an image of the initial state.

    Raises ValueError if `plan` begins at no image of the initial state. The function takes at most one pass over the
    operators and, for each symmetry, one pass over the plan.
    """
    rows = np.array(plan, dtype=np.int64)
    true = _facts_in(problem.arrays.initial)
    images = (_state(facts[true], problem.arrays.initial) for facts in symmetry.facts)
    g = next((g for g, image in enumerate(images) if _is_plan(problem, image, rows)), None)
    if g is None:
        raise ValueError("the plan begins at no image of the initial state")
    if g == 0:
        return tuple(rows.tolist())
    back = np.argsort(symmetry.facts[g])
    keys = [np.argsort(part[g]) for part in symmetry.keys]
    number = {_name(problem, cost, index): index for index in range(len(problem.arrays.mask))}
    return tuple(number[_name(problem, cost, index, back, keys)] for index in rows.tolist())


def _is_plan(problem: Problem, state: NDArray[np.uint64], rows: NDArray[np.int64]) -> bool:
    """Whether the operators can be applied one after another from a state, enter no forbidden cube, and end in a goal
    state.
    """
    flips = np.bitwise_xor.accumulate(problem.arrays.flip[rows], axis=0)
    after = state ^ flips
    before = np.concatenate([state.reshape(1, -1), after])[: len(rows)]
    end = after[-1] if len(rows) else state
    return (
        np.array_equal(before & problem.arrays.mask[rows], problem.arrays.value[rows])
        and _is_goal(problem, end)
        and not any(
            ((after & mask) == value).all(axis=1).any()
            for mask, value in zip(
                problem.arrays.forbid_mask, problem.arrays.forbid_value, strict=True
            )
        )
    )


def _is_goal(problem: Problem, state: NDArray[np.uint64]) -> bool:
    """Whether a state is in some cube of each list of the goal."""
    holds = ((state & problem.arrays.goal_mask) == problem.arrays.goal_value).all(axis=1)
    if not len(problem.goal_list):
        return bool(holds.any())
    lists = np.asarray(problem.goal_list)
    return bool(np.array_equal(np.unique(lists[holds]), np.unique(lists)))


def _name(
    problem: Problem,
    cost: CostTable,
    index: int,
    facts: NDArray[np.int64] | None = None,
    keys: Sequence[NDArray[np.int64]] | None = None,
) -> tuple[object, ...]:
    """The precondition, the effect, the costs and the run keys of an operator under a permutation. Operators with equal
    results of this function are equivalent.
    """
    rows = [problem.arrays.mask[index], problem.arrays.value[index], problem.arrays.flip[index]]
    if facts is not None:
        rows = [_state(facts[_facts_in(row)], row) for row in rows]
    parts: list[int] = []
    for part in range(len(cost.arrays.run_fact)):
        for key in (int(cost.arrays.run_in[part, index]), int(cost.arrays.run_out[part, index])):
            parts.append(key if keys is None or key < 0 else int(keys[part][key]))
    return (*(row.tobytes() for row in rows), *cost.arrays.weight[:, index].tolist(), *parts)


def _facts_in(row: NDArray[np.uint64]) -> NDArray[np.int64]:
    bits = np.unpackbits(np.ascontiguousarray(row, dtype="<u8").view(np.uint8), bitorder="little")
    return np.flatnonzero(bits)


def _state(facts: NDArray[np.integer], like: NDArray[np.uint64]) -> NDArray[np.uint64]:
    row = np.zeros_like(like)
    np.bitwise_or.at(row, facts // 64, np.uint64(1) << (facts % 64).astype(np.uint64))
    return row

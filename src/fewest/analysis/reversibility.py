"""Reversibility: whether every move can be undone at the same cost. This property is proved from the operators.

If moves are reversible, every successor of a state at distance d is at distance d - 1, d or d + 1. A breadth-first
search then needs to look for duplicates only in the last two layers.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from fewest.analysis.regression import exclusions
from fewest.model.task import Operator, Task, facts_in

if TYPE_CHECKING:
    from fewest.model.costs import CostTable

_NO_RUN = -1


def is_reversible(task: Task, cost: CostTable) -> bool:
    """Whether, from every successor of a state, a move of the same cost leads back to the state. Returns False if the
    metric is a pair. The function considers only operators, not permutations or separate consequences.

    A move is an operator, or a merged sequence with the cost of one operator. For every operator, there must be an
    inverse operator with the same weight and the same flip. The cube of the inverse must hold in every state after the
    first operator; the cube of the first operator and the groups must imply this. If the metric merges moves, each key
    needs one key for the reverse move, which may be the same key: the inverses of the operators with the first key must
    all have the second key. Then the operators that undo a merged move form one merged move in the reverse direction.

    Forbidden cubes require no additional condition. A reached state is in no forbidden cube, so every operator that
    leads back to the state is allowed. Only the initial state may be in such a cube, and no layer precedes it. The test
    takes tens of microseconds per operator.
    """
    weights, runs_in, runs_out = cost.rows.weight, cost.rows.run_in, cost.rows.run_out
    if cost.parts != 1:
        return False
    alive = set(runs_in[0]) & set(runs_out[0]) - {_NO_RUN}
    excluded = exclusions(task)
    by_flip: defaultdict[int, list[int]] = defaultdict(list)
    for number, operator in enumerate(task.operators):
        by_flip[operator.flip].append(number)
    undone_key: dict[int, int] = {}
    for number, operator in enumerate(task.operators):
        true, false = _known_after(operator, excluded)
        for other in by_flip[operator.flip]:
            if weights[0][other] != weights[0][number]:
                continue
            inverse = task.operators[other]
            if inverse.value & ~true or inverse.mask & ~inverse.value & ~false:
                continue
            pairs = (
                (runs_out[0][number], runs_in[0][other]),
                (runs_in[0][number], runs_out[0][other]),
            )
            if _agree(undone_key, [(key, back) for key, back in pairs if key in alive]):
                break
        else:
            return False
    return True


def _known_after(operator: Operator, excluded: list[int]) -> tuple[int, int]:
    """The facts that are true, and the facts that are false, in every state after an operator."""
    before = operator.mask & ~operator.value
    for fact in facts_in(operator.value):
        before |= excluded[fact]
    true = operator.inverse_value
    false = before & ~operator.flip | operator.mask & ~true
    for fact in facts_in(true):
        false |= excluded[fact]
    return true, false


def _agree(undone_key: dict[int, int], pairs: list[tuple[int, int]]) -> bool:
    """Whether `pairs` (a key, and the key that undoes it) are compatible with the pairs in `undone_key`. If so, the
    function adds them to `undone_key`.
    """
    if any(back == _NO_RUN or undone_key.get(key, back) != back for key, back in pairs):
        return False
    if len(pairs) == 2 and pairs[0][0] == pairs[1][0] and pairs[0][1] != pairs[1][1]:
        return False
    undone_key.update(pairs)
    return True

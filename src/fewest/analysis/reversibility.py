"""Whether every move can be undone by one that costs the same: proved from the operators, or not believed.

Then a successor of a state at distance d is at distance d - 1, d or d + 1, and who searches in layers need
look for duplicates in the last two alone.
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
    """Whether from every successor a move leads back to where it came from, for the same cost.

    A move is an operator, or a run of them that costs one. For every operator there must be one of the same
    weight that flips the same facts and whose cube holds wherever the first one leads: by what that one says,
    or since a group of the task has another fact that is true. For runs, what goes on with a key has to be
    undone by what another key, the same for all of them, allows to go on: then the operators that undo a run
    are one, in reverse.

    Of forbidden cubes nothing is asked. A state that was reached is in none, so whatever leads back to it may
    be applied; the initial state alone may be in one, and is in layer 0, before which there is no other.
    Time: some ten microseconds an operator.
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
    """The facts that are surely true, and surely false, behind an operator."""
    before = operator.mask & ~operator.value
    for fact in facts_in(operator.value):
        before |= excluded[fact]
    true = operator.inverse_value
    false = before & ~operator.flip | operator.mask & ~true
    for fact in facts_in(true):
        false |= excluded[fact]
    return true, false


def _agree(undone_key: dict[int, int], pairs: list[tuple[int, int]]) -> bool:
    """Whether these keys can be undone by those, beside what is said already; then it is said, too."""
    if any(back == _NO_RUN or undone_key.get(key, back) != back for key, back in pairs):
        return False
    if len(pairs) == 2 and pairs[0][0] == pairs[1][0] and pairs[0][1] != pairs[1][1]:
        return False
    undone_key.update(pairs)
    return True

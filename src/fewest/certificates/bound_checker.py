"""The checker of bounds. The checker plays the moves from each listed position by the rules, and checks the potential
on the grounded task.
"""

from __future__ import annotations

from dataclasses import replace

from fewest.certificates.container import Budget, RejectedError, Stream
from fewest.certificates.grounded_task import grounded
from fewest.certificates.metric_tables import metric_table
from fewest.certificates.potential import BoundHead, checked_potential, read_bound_head
from fewest.certificates.rules_checker import Verdict, play_layers
from fewest.model.metric import Metric
from fewest.model.position import Position
from fewest.model.puzzle import Puzzle
from fewest.model.states import encode
from fewest.model.task import facts_in

TRUSTS = "the language, the interpreter of the rules, and (for the potential) the grounder"
BY = "playing the rules, and the operators of the grounded task for the potential"


def check_bound_by_rules(puzzle: Puzzle, metric: Metric, stream: Stream, budget: Budget) -> Verdict:
    """Like `task_checker.check_bound`, but the moves are played by the rules; only the potential is checked with the
    operators. Raises RejectedError, and TooLargeError at a limit.
    """
    head: BoundHead = read_bound_head(stream, metric)
    if head.layers.is_of_nothing:
        return play_layers("bound", puzzle, metric, head.layers, stream, budget)
    task = grounded(puzzle, budget)
    weights = checked_potential(task, metric_table(task, metric, 0), head.potential, budget)

    def left(position: Position) -> int:
        try:
            state = encode(task, position)
        except KeyError:
            raise RejectedError(
                "the grounder has a bug: the rules lead to a position that the task has no facts for"
            ) from None
        return max(0, sum(weights[fact] for fact in facts_in(state)))

    found = play_layers("bound", puzzle, metric, head.layers, stream, budget, left)
    return replace(found, trusts=TRUSTS, by=BY, is_grounded=True)

"""Converts the outcome of a core search to an `Answer`, in the same way for every engine that uses a core."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from fewest.model.answer import Answer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fewest.model.task import Task
    from fewest.search.informed import InformedOutcome
    from fewest.search.interface import Outcome


class KnownPlan(NamedTuple):
    """A plan that a search has found, and its cost; the cost need not be minimal."""

    cost: tuple[int, ...]
    plan: tuple[int, ...]


def answer_of(outcome: Outcome | InformedOutcome, statistics: Mapping[str, Any]) -> Answer:
    """The answer for an outcome: `optimal` if the search proved the minimum, `unsolvable` if it exhausted all states
    without reaching a goal state, otherwise `limit`.

    If `exhaust` is set and a limit stops the search after it has proved the minimum, the answer is still `optimal`, and
    `reason` is the limit. If a limit stops the search while its best plan costs more than the lower bound, the answer
    is `limit`, and the cost of the plan is an upper bound.
    """
    is_ended = outcome.status in ("goal", "exhausted")
    reason = None if is_ended else outcome.status
    known = {**statistics, "exhausted": outcome.status == "exhausted"}
    if outcome.cost is not None and not is_ended and outcome.cost > outcome.lower_bound:
        return Answer("limit", outcome.cost, outcome.lower_bound, outcome.plan, reason, known)
    if outcome.cost is not None:
        return Answer("optimal", outcome.cost, outcome.cost, outcome.plan, reason, known)
    return Answer(
        "limit" if reason else "unsolvable", None, outcome.lower_bound, None, reason, known
    )


def with_plan(answer: Answer, known: KnownPlan | None) -> Answer:
    """The answer of a stopped search, with the plan of another search if that plan costs less. If the cost of this plan
    is the lower bound, the answer becomes `optimal`. An answer that is not `limit` is returned unchanged.
    """
    if known is None or answer.status != "limit":
        return answer
    if answer.cost is not None and answer.cost <= known.cost:
        return answer
    if known.cost <= answer.lower_bound:
        return replace(
            answer, status="optimal", cost=known.cost, lower_bound=known.cost, plan=known.plan
        )
    return replace(answer, cost=known.cost, plan=known.plan)


def counts(outcome: Outcome, **more: Any) -> dict[str, Any]:
    """The counts of a blind search as statistics, combined with the statistics in `more`.

    `generated` is missing if the search did not count the moves: an index counts them afterward, unless a limit
    stopped the search. `only_plan` is missing if the search did not determine whether there is only one optimal plan,
    up to the order of independent moves.
    """
    is_stopped = outcome.status in ("time", "memory", "interrupted")
    is_counted = outcome.num_generated > 0 or not is_stopped
    return {
        "algorithm": outcome.algorithm,
        "states": outcome.num_states,
        "goal_states": outcome.num_goal_states,
        "expanded": outcome.num_expanded,
        **({"generated": outcome.num_generated} if is_counted else {}),
        **({"resumed": outcome.num_resumed} if outcome.num_resumed else {}),
        **({} if outcome.is_only_plan is None else {"only_plan": outcome.is_only_plan}),
        **more,
        "seconds": outcome.seconds,
        "bytes": outcome.bytes,
    }


def pieces_of(task: Task) -> dict[str, Any]:
    """The arguments from which the core derives the pieces of a task: the groups, and the cell of each fact."""
    return {
        "groups": [group.facts for group in task.exactly],
        "numbers": [fact.cell for fact in task.facts],
    }

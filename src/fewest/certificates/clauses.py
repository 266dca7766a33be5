"""The section of a refuted formula: the CNF of a horizon, and an LRAT proof that it has no model."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec.structs import replace

from fewest.certificates.container import Count
from fewest.errors import UsageError
from fewest.model.metric import Metric
from fewest.model.task import Task
from fewest.planning.bounds import Bounds
from fewest.planning.sat.encoding import Encoding
from fewest.planning.sat.profile import Profile, PruningPart
from fewest.planning.task import planning_task

PROFILE = "proved"


class ClausesHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The statement that no plan costs less than `bound`, because the CNF of the profile for `horizon` moves has no
    model.

    The CNF follows the head in `formula_bytes` bytes, and the proof follows the CNF. `rounds`: the number of encoded
    rounds of consequences, if consequences apply one by one.
    """

    bound: Count
    horizon: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
    profile: Profile
    variables: Count
    clauses: Count
    formula_bytes: Count
    rounds: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 0


def encoding_of(
    task: Task, metric: Metric, profile: Profile, rounds: int | None = None
) -> tuple[Encoding, int]:
    """The encoding of a task in a single-part metric, and the cost of each move that counts towards the horizon.

    If consequences apply one by one, the encoding has `rounds` rounds of consequences; the default is the number that
    `planning_task` chooses. If the consequences of a move take more rounds, the encoding does not restrict the state
    after them. Therefore, every plan has a model for any number of rounds. Raises UsageError if the metric has two
    parts or if the task cannot be encoded. Also raises UsageError unless `rounds` is positive for consequences that
    apply one by one, and zero for other tasks.
    """
    planning = planning_task(task, metric)
    if rounds is not None and bool(rounds) != bool(planning.rounds):
        raise UsageError(
            "the number of rounds must be positive if consequences apply one by one, and 0 otherwise"
        )
    if rounds:
        planning = replace(planning, rounds=rounds)
    return Encoding(Bounds(planning), profile), planning.unit


def is_complete(profile: Profile) -> bool:
    """Whether every plan corresponds to a model. This requires that the encoding excludes no plans and allows plans
    that are shorter than the horizon.
    """
    return profile.pruning == PruningPart() and profile.transition.idle != "none"

"""The section of a refuted formula: the CNF of a horizon, and an LRAT proof that it has no model."""

from __future__ import annotations

from typing import Annotated

import msgspec

from fewest.certificates.container import Count
from fewest.model.metric import Metric
from fewest.model.task import Task
from fewest.planning.bounds import Bounds
from fewest.planning.sat.encoding import Encoding
from fewest.planning.sat.profile import Profile, PruningPart
from fewest.planning.task import planning_task

PROFILE = "proved"


class ClausesHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """No plan costs less than `bound`: there is none of `horizon` moves, as the profile's CNF says it.

    The CNF follows, `formula_bytes` of it, then the proof.
    """

    bound: Count
    horizon: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
    profile: Profile
    variables: Count
    clauses: Count
    formula_bytes: Count


def encoding_of(task: Task, metric: Metric, profile: Profile) -> tuple[Encoding, int]:
    """The encoding of a task in a metric of one part, and what a move of a horizon costs.

    Raises UsageError for a metric of two, and for tasks that cannot be encoded.
    """
    task.require_whole_moves("a refuted formula")
    planning = planning_task(task, metric)
    return Encoding(Bounds(planning), profile), planning.unit


def is_complete(profile: Profile) -> bool:
    """Whether every plan has a model: nothing is pruned, and a plan may be shorter than the horizon."""
    return profile.pruning == PruningPart() and profile.transition.idle != "none"

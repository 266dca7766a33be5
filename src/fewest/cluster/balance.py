"""Divides the shards of a search among its owners in proportion to their measured speeds.

A move to other ranges writes all layers again. It is therefore worthwhile only if the owners differ for a long time.
The rule is that of the ski rental problem: the search moves as soon as the time that the present ranges have lost
exceeds the time of a move. A move costs at most as much as the search has lost before, and a node that is slow
for only a few layers causes no move.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from fewest.cluster.owner import WorkTimes

if TYPE_CHECKING:
    from fewest.store.shard_division import ShardDivision

# the factor by which the weight of a layer decreases when a further layer is complete
_DECAY = 0.5
# the minimum number of seconds of an owner's work on a layer for which the layer is measured
_LONG = 0.2
# the minimum fraction of the time of a layer that other ranges must save
_LEAST_GAIN = 0.05
# the number of seconds for ending the owners and starting them again
RESTART = 5.0
# the time for moving an entry, as a fraction of the time for merging it
MOVING = 0.7


class Balance:
    """The measured speeds of the owners of a division. `can_help`: whether owners expand the shards of late owners; if
    so, unequal speeds delay only merging.
    """

    def __init__(self, division: ShardDivision, *, can_help: bool) -> None:
        self._division, self._can_help = division, can_help
        self._times = [WorkTimes()] * division.owners  # the weighted sums over the layers
        self._delay = (
            0.0  # the number of seconds that other ranges would have saved since the owners started
        )

    def add(self, times: Sequence[WorkTimes]) -> None:
        """Add the measurements of a layer."""
        if max(one.expanding + one.merging for one in times) < _LONG:
            return
        self._times = [_sum(sums, one) for sums, one in zip(self._times, times, strict=True)]
        ends = self._ends()
        if ends is not None:
            gain = self._seconds(None, times) - self._seconds(ends, times)
            self._delay = max(0.0, self._delay + gain)

    def better_ends(self, entries: int) -> tuple[int, ...] | None:
        """See `store.workers.Workers.better_ends`."""
        ends = self._ends()
        if ends is None:
            return None
        costs = [_per_state(one)[1] for one in self._times]
        move = RESTART + MOVING * entries * (sum(costs) / len(costs)) / len(costs)
        before, after = (self._seconds(some, self._times) for some in (None, ends))
        is_worthwhile = self._delay > move and before - after > _LEAST_GAIN * before
        return ends if is_worthwhile else None

    def _ends(self) -> tuple[int, ...] | None:
        """Ranges in proportion to the measured speeds; None if they are unknown, or if an owner would have no shard."""
        if any(one.expanded == 0 or one.merged == 0 for one in self._times):
            return None
        speeds = [1 / sum(_per_state(one)) for one in self._times]
        total, shards = sum(speeds), self._division.num_shards
        ends = tuple(round(speed / total * shards) for speed in accumulate(speeds))
        begins = (0, *ends[:-1])
        return ends if all(begin < end for begin, end in zip(begins, ends, strict=True)) else None

    def _seconds(self, ends: Sequence[int] | None, times: Sequence[WorkTimes]) -> float:
        """The seconds that this work takes with these ranges (None: the present ranges), as long as the speeds
        are those that were measured.
        """
        owners, shards = range(self._division.owners), self._division.num_shards
        firsts = [self._division.first(owner) for owner in (*owners, len(owners))]
        bounds = firsts if ends is None else [0, *ends]
        shares = [(bounds[owner + 1] - bounds[owner]) / shards for owner in owners]
        costs = [_per_state(one) for one in self._times]
        expanded, merged = sum(one.expanded for one in times), sum(one.merged for one in times)
        if self._can_help:
            expanding = expanded / sum(1 / cost for cost, _ in costs)
        else:
            expanding = expanded * max(
                share * cost for share, (cost, _) in zip(shares, costs, strict=True)
            )
        merging = max(share * cost for share, (_, cost) in zip(shares, costs, strict=True))
        return expanding + merged * merging


def _sum(before: WorkTimes, now: WorkTimes) -> WorkTimes:
    """The weighted sum over the layers so far and a further layer."""
    return WorkTimes(
        int(_DECAY * before.expanded) + now.expanded,
        _DECAY * before.expanding + now.expanding,
        int(_DECAY * before.merged) + now.merged,
        _DECAY * before.merging + now.merging,
    )


def _per_state(times: WorkTimes) -> tuple[float, float]:
    """The seconds for expanding one state, and for merging one state."""
    least = 1e-12  # a clock may not have advanced
    return max(least, times.expanding / times.expanded), max(least, times.merging / times.merged)

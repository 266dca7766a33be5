"""Converts costs to the units of the native core: costs are divided by their greatest common divisor, and a pair is
packed into one number.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from math import gcd

from msgspec.structs import replace

from fewest.model.costs import CostTable
from fewest.search.interface import Progress

NativeReport = Callable[[int, int, int, float, int], None]
"""The callback of the native core; its arguments are the packed cost, the number of states, the number of expanded
states, the seconds and the bytes.
"""


class CostPacking:
    """Converts costs in both directions.

    `costs` is the table for the native core. A packed cost is a number: for a pair, it is first << 32 | second.
    """

    def __init__(self, cost: CostTable) -> None:
        rows = cost.rows.weight
        self.units = [max(1, gcd(*row)) for row in rows]
        self.costs = cost
        if any(unit > 1 for unit in self.units):
            weight = array("q")
            for unit, row in zip(self.units, rows, strict=True):
                weight.extend([number // unit for number in row])
            self.costs = replace(cost, weight=weight)

    def split(self, packed: int) -> tuple[int, ...]:
        """The parts of a packed cost."""
        if len(self.units) == 1:
            return (packed * self.units[0],)
        return ((packed >> 32) * self.units[0], (packed & 0xFFFFFFFF) * self.units[1])

    def pack(self, first: int) -> int:
        """The smallest packed cost in which the first part is at least `first`."""
        packed = -(-first // self.units[0])
        return packed if len(self.units) == 1 else packed << 32

    def reporter(self, progress: Callable[[Progress], None] | None) -> NativeReport | None:
        """A callback that passes the native core's reports to `progress`."""
        if progress is None:
            return None

        def report(packed: int, states: int, expanded: int, elapsed: float, used: int) -> None:
            progress(Progress(self.split(packed)[0], states, expanded, elapsed, used))

        return report

"""Statistics of measured times: PAR2, coverage, and geometric means of ratios with confidence intervals.

A time is in seconds; None means an unsolved instance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

_Z = 1.959964  # 97.5 % quantile of the normal distribution
_T = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281)
"""97.5 % quantiles of Student's t distribution with 1 to 10 degrees of freedom."""

SHORTEST = 0.001
"""The shortest time, in seconds, in ratios; shorter times are too inaccurate and are rounded up to it."""


class Ratio(Struct, frozen=True):
    """The geometric mean of `count` ratios with a 95 % confidence interval; a single ratio has no interval."""

    mean: float
    low: float | None
    high: float | None
    count: int


def par2(times: Sequence[float | None], limit: float) -> float:
    """The mean of the times. An unsolved instance, or a time above the limit, counts as twice the limit. Raises
    ValueError if there are no instances.
    """
    if not times:
        raise ValueError("there are no instances")
    return math.fsum(2 * limit if t is None or t > limit else t for t in times) / len(times)


def coverage(times: Sequence[float | None]) -> int:
    """The number of solved instances."""
    return sum(time is not None for time in times)


def middle(times: Sequence[float | None]) -> float | None:
    """The median; an unsolved run counts as longer than every solved run. The result is None if the median is unsolved.

    If the number of times is even, the median is the mean of the two middle times. Raises ValueError if there are no
    times.
    """
    if not times:
        raise ValueError("there are no times")
    ordered = sorted(math.inf if time is None else time for time in times)
    half = len(ordered) // 2
    found = ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
    return None if math.isinf(found) else found


def ratio(times: Sequence[float | None], reference: Sequence[float | None]) -> Ratio | None:
    """The geometric mean of the ratios of the times to the reference times, over the instances that both engines
    solved; None if there is no such instance.

    The interval comes from Student's t distribution for the mean of the logarithms.
    """
    logs = [
        math.log(max(time, SHORTEST) / max(other, SHORTEST))
        for time, other in zip(times, reference, strict=True)
        if time is not None and other is not None
    ]
    if not logs:
        return None
    count = len(logs)
    mean = math.fsum(logs) / count
    if count == 1:
        return Ratio(math.exp(mean), None, None, 1)
    variance = math.fsum((log - mean) ** 2 for log in logs) / (count - 1)
    half = t_quantile(count - 1) * math.sqrt(variance / count)
    return Ratio(math.exp(mean), math.exp(mean - half), math.exp(mean + half), count)


def t_quantile(degrees: int) -> float:
    """The 97.5 % quantile of Student's t distribution.

    Beyond 10 degrees of freedom, this is the expansion of Cornish and Fisher (Abramowitz and Stegun 1964, 26.7.5), with
    an error below 0.001.
    """
    if degrees <= len(_T):
        return _T[degrees - 1]
    z = _Z
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / degrees + second / degrees**2 + third / degrees**3


def cactus(times: Sequence[float | None]) -> list[tuple[int, float]]:
    """The points (n, t) of a cactus plot, in order of t: n instances take at most t seconds each."""
    return list(enumerate(sorted(time for time in times if time is not None), 1))

"""The different rows of an array."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Number = TypeVar("_Number", np.int64, np.uint64)


def unique_rows(rows: NDArray[_Number]) -> tuple[NDArray[_Number], NDArray[np.int64]]:
    """The different rows in order, and for each given row its number among them. `rows` has the shape (count, width).

    `np.unique` with an axis compares structured arrays. If Ctrl-C arrives during such a comparison, NumPy raises
    TypeError instead of KeyboardInterrupt.
    """
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    is_first = np.ones(len(rows), dtype=bool)
    is_first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    place = np.empty(len(rows), dtype=np.int64)
    place[order] = np.cumsum(is_first) - 1
    return ordered[is_first], place

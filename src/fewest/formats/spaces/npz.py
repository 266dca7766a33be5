"""A state space as arrays in one file, for `numpy.load`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
from numpy.lib.format import dtype_to_descr, write_array_header_2_0
from numpy.typing import NDArray

from fewest.formats.spaces.table import Sink

if TYPE_CHECKING:
    from fewest.formats.spaces.table import SpaceTable

_BYTES = 1 << 22  # the number of bytes of an array that are compressed at a time


def npz(table: SpaceTable) -> Iterator[bytes]:
    """The file, in chunks. The arrays are `states`, `first`, `target`, `operator`, `goal`, `start_distance`,
    `goal_distance`, `facts`, `moves` and `metric`; docs/explore.md describes their shapes.
    """
    space = table.space
    arrays: dict[str, NDArray[Any]] = {
        "states": space.states,
        "first": space.first,
        "target": space.target,
        "operator": space.operator,
        "goal": space.is_goal,
        "start_distance": table.start_distance,
        "goal_distance": table.goal_distance,
        "facts": np.array(table.fact_names),
        "moves": np.array(table.move_names),
        "metric": np.array(table.metric),
    }
    sink = Sink()
    with ZipFile(cast("Any", sink), "w", ZIP_DEFLATED, compresslevel=3) as file:
        for name, array in arrays.items():
            header = {
                "descr": dtype_to_descr(array.dtype),
                "fortran_order": False,
                "shape": array.shape,
            }
            data = np.ascontiguousarray(array).reshape(-1)
            rows = max(1, _BYTES // max(1, data.itemsize))
            with file.open(f"{name}.npy", "w", force_zip64=True) as member:
                write_array_header_2_0(member, header)
                for begin in range(0, len(data), rows):
                    member.write(data[begin : begin + rows].tobytes())
                    yield from sink.taken()
    yield from sink.taken()

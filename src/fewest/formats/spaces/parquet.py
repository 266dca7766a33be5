"""A state space as a table, one row per position, for polars, pandas and DuckDB. This module needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from fewest.errors import UsageError
from fewest.formats.spaces.table import Sink

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fewest.formats.spaces.table import SpaceTable


def check_parquet() -> None:
    """Raises UsageError if pyarrow is not installed."""
    if find_spec("pyarrow") is None:
        raise UsageError(
            "Parquet needs pyarrow, which is not installed",
            hint="install the extra `parquet`; in a clone of the repository: pip install '.[parquet]'",
        )


def parquet(table: SpaceTable) -> Iterator[bytes]:
    """The file, one group of rows at a time. The columns are `id`, `position`, `start_distance`, `goal_distance`,
    `goal`, `successors` and `moves`. A cost with several parts becomes one column for each part.
    """
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    sink = Sink()
    distances = [*table.columns("start_distance"), *table.columns("goal_distance")]
    schema = pa.schema(
        [
            ("id", pa.int32()),
            ("position", pa.string()),
            *((name, pa.int64()) for name in distances),
            ("goal", pa.bool_()),
            ("successors", pa.list_(pa.int32())),
            ("moves", pa.list_(pa.string())),
        ],
        metadata={"metric": table.metric},
    )
    names = pa.array(table.move_names, pa.string())
    space = table.space
    with ParquetWriter(pa.PythonFile(sink, mode="w"), schema, compression="zstd") as writer:
        for ids in table.blocks():
            rows = slice(ids.start, ids.stop)
            edges = slice(int(space.first[ids.start]), int(space.first[ids.stop]))
            offsets = (space.first[ids.start : ids.stop + 1] - edges.start).astype(np.int32)
            moves = names.take(pa.array(space.operator[edges]))
            columns = [
                pa.array(np.arange(ids.start, ids.stop, dtype=np.int32)),
                pa.array([table.drawn(i) for i in ids], pa.string()),
                *(pa.array(column) for column in table.start_distance[rows].T),
                *(_nullable(column) for column in table.goal_distance[rows].T),
                pa.array(space.is_goal[rows]),
                pa.ListArray.from_arrays(offsets, pa.array(space.target[edges])),
                pa.ListArray.from_arrays(offsets, moves),
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))
            yield from sink.taken()
    yield from sink.taken()


def _nullable(column: NDArray[np.int64]) -> Any:
    import pyarrow as pa

    return pa.array(column, mask=column < 0)

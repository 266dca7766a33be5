"""Writes oracle files: computes all distances over arrays, and writes them in the order that `file` requires."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fewest.commands.file_result import FileResult
from fewest.commands.oracle.file import BLOCK, DIGEST, MAGIC, VERSION, task_digest
from fewest.errors import no_goal
from fewest.model.answer import LimitReached, Limits, counted, limit_words
from fewest.model.costs import cost_table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.interface import Progress
    from fewest.space.distances import Distances
    from fewest.space.state_graph import StateSpace


class Built(FileResult, frozen=True, kw_only=True):
    """The result of building an oracle."""

    metric: str
    num_states: int

    def summary(self) -> str:
        """The outcome in one line."""
        if self.reason is not None:
            return f"{self.path} was not written: {limit_words(self.reason)}"
        each = self.num_bytes / self.num_states
        return (
            f"{self.path}: {counted(self.num_states, 'positions')}, distances in {self.metric}, "
            f"{self.num_bytes:,} bytes ({each:.2f} a position), {self.seconds:.1f} s"
        )

    def to_json(self) -> dict[str, Any]:
        """The plain data that `--json` prints."""
        return {
            "file": str(self.path),
            "metric": self.metric,
            "states": self.num_states,
            "bytes": self.num_bytes,
            "reason": self.reason,
            "seconds": self.seconds,
        }


def build_oracle(
    task: Task,
    metric: Metric,
    path: Path,
    about: Mapping[str, Any],
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
) -> Built:
    """Write the oracle of a task in a metric, either completely or not at all; the header contains `about`.

    Each position takes about 3 µs and 150 bytes. Raises UsageError for a task without a goal, and OSError if the file
    cannot be written.
    """
    from fewest.machine.files import check_writable, write_whole
    from fewest.space.distances import goal_distances
    from fewest.space.state_graph import build_state_graph, limit_watch

    if not task.has_goal:
        raise no_goal(task.name)
    check_writable(path)
    began = time.perf_counter()
    reason: str | None = None
    num_states = size = 0
    try:
        watch = limit_watch(limits.seconds, limits.memory, began, progress)
        space = build_state_graph(task.problem, watch)
        num_states = len(space)
        distances = goal_distances(space, cost_table(task, metric), watch)
        size = write_whole(path, encode_oracle(task, metric, space, distances, about))
    except LimitReached as error:
        reason = error.reason
    except MemoryError:
        reason = "memory"
    return Built(
        path=path,
        metric=metric.name,
        num_states=num_states,
        num_bytes=size,
        reason=reason,
        seconds=time.perf_counter() - began,
    )


def encode_oracle(
    task: Task, metric: Metric, space: StateSpace, distances: Distances, about: Mapping[str, Any]
) -> Iterator[bytes]:
    """The bytes of an oracle file, section by section; the header contains `about`.

    This needs 40 bytes per state.
    """
    import numpy as np

    from fewest.space.ranking import ranking

    groups = [(group.facts, group.count) for group in task.exactly]
    limbs = ranking(len(task.facts), groups)
    keys = limbs.keys(space.states)
    order = np.lexsort(keys.T[::-1])
    keys = np.ascontiguousarray(keys[order])
    num_limbs = keys.shape[1]
    width = next(w for w in (1, 2, 4) if len(distances.costs) < 1 << 8 * w)
    codes = (distances.of_states[order] + 1).astype(f"<u{width}")
    stream, begins = _differences(keys)
    index = np.empty((len(begins), num_limbs + 1), dtype=">u8")
    index[:, :num_limbs] = keys[::BLOCK]
    index[:, num_limbs] = begins
    header = {
        **about,
        "metric": metric.name,
        "task": task_digest(task, metric),
        "states": len(space),
        "facts": len(task.facts),
        "groups": [[list(facts), count] for facts, count in groups],
        "block": BLOCK,
        "code_bytes": width,
        "costs": [list(cost) for cost in distances.costs],
        "index_bytes": index.nbytes,
        "difference_bytes": stream.nbytes,
    }
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    digest = blake2b(digest_size=DIGEST)
    for part in (
        MAGIC,
        VERSION.to_bytes(4, "little"),
        len(text).to_bytes(4, "little"),
        text,
        index.tobytes(),
        stream.tobytes(),
        codes.tobytes(),
    ):
        digest.update(part)
        yield part
    yield digest.digest()


def _differences(keys: NDArray[np.uint64]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The keys, delta-encoded: each difference of consecutive keys has seven bits per byte, low bits first; the top bit
    of a byte means that more bytes follow.

    The first key of each block is in the index instead. The second result gives the offsets of the blocks.
    """
    import numpy as np

    num_limbs = keys.shape[1]
    num_bytes = -(-64 * num_limbs // 7)
    pieces: list[NDArray[np.uint8]] = []
    begins: list[NDArray[np.int64]] = []
    done = 0
    step = BLOCK * max(1, (1 << 18) // (BLOCK * num_limbs))
    for begin in range(0, len(keys), step):
        here = keys[begin : begin + step]
        rest = here.copy()
        rest[1:] -= here[:-1]
        for limb in range(1, num_limbs):  # borrow from the lower limb
            borrowed = np.zeros(len(here), dtype=np.uint64)
            borrowed[1:] = _is_below(here, limb)
            rest[:, limb - 1] -= borrowed
        groups = np.zeros((len(here), num_bytes), dtype=np.uint8)
        for place in range(num_bytes):
            groups[:, place] = rest[:, -1] & np.uint64(127)
            for limb in range(num_limbs - 1, -1, -1):
                rest[:, limb] >>= np.uint64(7)
                if limb:
                    rest[:, limb] |= rest[:, limb - 1] << np.uint64(57)
        length = num_bytes - (groups[:, ::-1] != 0).argmax(axis=1)
        length[~groups.any(axis=1)] = 1
        length[::BLOCK] = 0
        places = np.arange(num_bytes)
        groups[places < length[:, None] - 1] |= 128
        pieces.append(groups[places < length[:, None]])
        ends = np.cumsum(length)
        begins.append(done + ends[::BLOCK])
        done += int(ends[-1])
    return np.concatenate(pieces), np.concatenate(begins)


def _is_below(keys: NDArray[np.uint64], limb: int) -> NDArray[np.bool_]:
    """For each row except the first, whether the number that its limbs from `limb` on form is less than that of the
    previous row.
    """
    import numpy as np

    below = np.zeros(len(keys) - 1, dtype=np.bool_)
    for column in range(keys.shape[1] - 1, limb - 1, -1):
        now, before = keys[1:, column], keys[:-1, column]
        below = (now < before) | ((now == before) & below)
    return below

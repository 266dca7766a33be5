"""Oracle files: the distance of every reachable state to the goal, exact, looked up from disk.

The states are numbers (`space.ranking`), sorted, and kept as differences in blocks with an index; the
distances are codes in the same order. A lookup is a binary search in the index and a walk through one
block; it says "not reachable" for every state that is not in the set. docs/oracle.md has the format.
"""

from __future__ import annotations

import json
import mmap
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fewest.errors import FewestError, UsageError
from fewest.model.answer import Limits
from fewest.model.costs import cost_table, runs_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.interface import Progress
    from fewest.space.distances import Distances
    from fewest.space.ranking import Ranking
    from fewest.space.states import StateSpace

MAGIC = b"\x93fewest oracle\r\n"
VERSION = 1
BLOCK = 128  # states: a walk of some 15 µs, and an index of an eighth of a byte a state
_PREFIX = len(MAGIC) + 8
_DIGEST = 32


class OracleError(FewestError):
    """An oracle file that cannot be read, is damaged, or belongs to something else."""


class UnreachableError(FewestError):
    """A state that cannot be reached from the start, so that the oracle knows nothing of it."""


@dataclass(frozen=True)
class Built:
    """What building an oracle came to; `reason` says which limit stopped it, then there is no file."""

    path: Path
    metric: str
    num_states: int
    num_bytes: int
    reason: str | None
    seconds: float

    def summary(self) -> str:
        """The outcome in one line."""
        if self.reason is not None:
            return f"{self.path} was not written: stopped by {self.reason}"
        each = self.num_bytes / self.num_states
        return (
            f"{self.path}: {self.num_states:,} positions in {self.metric}, {self.num_bytes:,} bytes "
            f"({each:.2f} a position), {self.seconds:.1f} s"
        )

    def to_json(self) -> dict[str, Any]:
        """Plain data: the same that `--json` prints."""
        return {
            "file": str(self.path),
            "metric": self.metric,
            "states": self.num_states,
            "bytes": self.num_bytes,
            "reason": self.reason,
            "seconds": self.seconds,
        }


# -- writing ----------------------------------------------------------------------------------------


def build_oracle(
    task: Task,
    metric: Metric,
    path: Path,
    about: Mapping[str, Any],
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
) -> Built:
    """Write the oracle of a task in a metric, whole or not at all; `about` goes into its header.

    Cost: as `explore`. Raises UsageError for a task without a goal, OSError if it cannot be written.
    """
    from fewest.machine.files import check_place, write_whole
    from fewest.space.distances import goal_distances
    from fewest.space.states import StoppedError, explore_states, limit_watch

    if not task.has_goal:
        raise UsageError(f"{task.name} has no goal", hint="say what to reach under `goal`")
    check_place(path)
    began = time.perf_counter()
    reason: str | None = None
    num_states = 0
    try:
        watch = limit_watch(limits.seconds, limits.memory, began, progress)
        space = explore_states(task.problem, watch)
        num_states = len(space)
        distances = goal_distances(space, cost_table(task, metric), watch)
        write_whole(path, encode_oracle(task, metric, space, distances, about))
    except StoppedError as error:
        reason = error.reason
    except MemoryError:
        reason = "memory"
    size = 0 if reason is not None else path.stat().st_size
    return Built(path, metric.name, num_states, size, reason, time.perf_counter() - began)


def encode_oracle(
    task: Task, metric: Metric, space: StateSpace, distances: Distances, about: Mapping[str, Any]
) -> Iterator[bytes]:
    """The parts of an oracle file, one after the other; `about` goes into its header.

    Cost: 40 bytes a state while it works.
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
    digest = blake2b(digest_size=_DIGEST)
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
    """Each key less the one before, seven bits a byte, low bits first, the top bit for "more".

    The first key of a block is in the index and takes no bytes here. Also returns where blocks begin.
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
        for limb in range(1, num_limbs):  # borrow for the limb before
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
    """Whether the limbs from `limb` on of each row are less than those of the row before."""
    import numpy as np

    below = np.zeros(len(keys) - 1, dtype=np.bool_)
    for column in range(keys.shape[1] - 1, limb - 1, -1):
        now, before = keys[1:, column], keys[:-1, column]
        below = (now < before) | ((now == before) & below)
    return below


def task_digest(task: Task, metric: Metric) -> str:
    """A fingerprint of everything that distances depend on: facts, operators, goal, metric."""
    runs = [runs_of(task, part) for part in metric.parts]
    operators = sorted(
        (
            operator.mask,
            operator.value,
            operator.flip,
            *(
                (
                    part.weights[operator.rule],
                    facts[ins[at]] if ins[at] >= 0 else -1,
                    operator.ring,
                    part.merge,
                    str(operator.direction and operator.direction.name),
                )
                for part, (ins, _, facts) in zip(metric.parts, runs, strict=True)
            ),
        )
        for at, operator in enumerate(task.operators)
    )
    facts = [(fact.class_id, fact.cell, fact.slot, fact.value) for fact in task.facts]
    groups = [(group.facts, group.count) for group in task.exactly]
    text = repr((facts, groups, operators, sorted(task.goal), sorted(task.forbid), task.initial))
    return blake2b(text.encode(), digest_size=16).hexdigest()


# -- reading ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Oracle:
    """An open oracle file. Looking a state up takes some 20 µs, and reads one block of the file."""

    path: Path
    header: Mapping[str, Any]
    ranking: Ranking
    data: mmap.mmap
    index_at: int
    differences_at: int
    codes_at: int

    @property
    def metric(self) -> str:
        return str(self.header["metric"])

    @property
    def num_states(self) -> int:
        return int(self.header["states"])

    @property
    def num_bytes(self) -> int:
        return len(self.data)

    def check(self, task: Task, metric: Metric) -> None:
        """Raises OracleError unless the file was made for this task and metric."""
        if self.header["task"] != task_digest(task, metric):
            given = "  ".join(f"{k}={v}" for k, v in self.header.get("parameters", {}).items())
            raise OracleError(
                f"{self.path} was made for another puzzle, or another version of this one",
                hint=f"it is for {self.header.get('puzzle', '?')} {given}".rstrip()
                + f" in {self.metric}; `fewest oracle build` makes one anew",
            )

    def cost(self, state: int) -> tuple[int, ...] | None:
        """What the goal costs from a state, a number for each part of the metric; None if it is dead.

        Raises UnreachableError.
        """
        found = self.find(state)
        if found is None:
            raise UnreachableError("this position cannot be reached from the start")
        width = self.header["code_bytes"]
        at = self.codes_at + found * width
        code = int.from_bytes(self.data[at : at + width], "little")
        return None if code == 0 else tuple(self.header["costs"][code - 1])

    def find(self, state: int) -> int | None:
        """The place of a state among the sorted ones, None if it is not reachable."""
        key = self.ranking.key(state)
        if key is None:
            return None
        row = 8 * (len(self.ranking.limbs) + 1)
        data, start = self.data, self.index_at

        def first_key(block: int) -> int:
            at = start + block * row
            return int.from_bytes(data[at : at + row - 8], "big")

        size = self.header["block"]
        num_blocks = -(-self.num_states // size)
        block = bisect_right(range(num_blocks), key, key=first_key) - 1
        if block < 0:
            return None
        current = first_key(block)
        place = block * size
        at = start + block * row + row - 8
        begin = self.differences_at + int.from_bytes(data[at : at + 8], "big")
        end = self.codes_at
        if block + 1 < num_blocks:
            end = self.differences_at + int.from_bytes(data[at + row : at + row + 8], "big")
        difference = shift = 0
        for byte in data[begin:end]:
            if current >= key:
                break
            difference |= (byte & 127) << shift
            if byte & 128:
                shift += 7
            else:
                current += difference
                place += 1
                difference = shift = 0
        return place if current == key else None

    def close(self) -> None:
        """Unmap the file."""
        self.data.close()


def open_oracle(path: Path, *, verify: bool = True) -> Oracle:
    """The oracle in a file, mapped into memory. `verify` reads it once, about a second a gigabyte.

    Raises OracleError for what is no oracle, is cut short or damaged, or is of a later version;
    OSError if it cannot be read.
    """
    from fewest.space.ranking import ranking

    with open(path, "rb") as file:
        head = file.read(_PREFIX)
        if not head.startswith(MAGIC):
            if head and MAGIC.startswith(head):
                raise _damaged(path, "it is cut short")
            raise OracleError(f"{path} is no oracle file", hint="`fewest oracle build` makes one")
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        version = int.from_bytes(head[len(MAGIC) : len(MAGIC) + 4], "little")
        if version != VERSION:
            raise OracleError(
                f"{path} is an oracle file of version {version}; this fewest reads {VERSION}",
                hint="`fewest oracle build` makes one anew",
            )
        if len(head) < _PREFIX:
            raise _damaged(path, "it is cut short")
        index_at = _PREFIX + int.from_bytes(head[-4:], "little")
        if index_at + _DIGEST > len(data):
            raise _damaged(path, "it is cut short")
        if verify and _digest(data) != data[-_DIGEST:]:
            size = _expected_size(data, index_at)
            raise _damaged(
                path,
                "it is cut short"
                if size is not None and len(data) < size
                else "its checksum is wrong",
            )
        header = json.loads(data[_PREFIX:index_at])
        differences_at = index_at + header["index_bytes"]
        groups = [(tuple(facts), count) for facts, count in header["groups"]]
        return Oracle(
            path,
            header,
            ranking(header["facts"], groups),
            data,
            index_at,
            differences_at,
            differences_at + header["difference_bytes"],
        )
    except (ValueError, KeyError, TypeError) as error:
        data.close()
        raise _damaged(path, "its header cannot be read") from error
    except BaseException:
        data.close()
        raise


def _digest(data: mmap.mmap) -> bytes:
    digest = blake2b(digest_size=_DIGEST)
    end = len(data) - _DIGEST
    with memoryview(data) as view:
        for begin in range(0, end, 1 << 24):
            digest.update(view[begin : min(end, begin + (1 << 24))])
    return digest.digest()


def _expected_size(data: mmap.mmap, index_at: int) -> int | None:
    """What the header says the size is; None if it cannot be read."""
    try:
        header = json.loads(data[_PREFIX:index_at])
        return int(
            index_at
            + header["index_bytes"]
            + header["difference_bytes"]
            + header["states"] * header["code_bytes"]
            + _DIGEST
        )
    except (ValueError, KeyError, TypeError):
        return None


def _damaged(path: Path, why: str) -> OracleError:
    return OracleError(f"{path} is damaged: {why}", hint="`fewest oracle build` makes one anew")

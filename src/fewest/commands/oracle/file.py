"""Oracle files: the exact goal distance of every reachable state, for look-ups on disk.

The states are sorted numbers (`space.ranking`), stored as delta-encoded blocks with an index. The distances are stored
as codes, in the same order. A look-up is a binary search in the index and a scan of one block; a state that is not in
the file is reported as unreachable. docs/oracle.md describes the format.
"""

from __future__ import annotations

import json
import mmap
from bisect import bisect_right
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from fewest.errors import FewestError
from fewest.model.answer import counted
from fewest.model.costs import runs_of

if TYPE_CHECKING:
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.space.ranking import Ranking

MAGIC = b"\x93fewest oracle\r\n"
VERSION = 1
# the number of states per block: scanning a block takes about 15 µs, and the index needs an eighth of a byte per state
# if a key has one limb
BLOCK = 128
DIGEST = 32  # the number of bytes of a digest
_PREFIX = len(MAGIC) + 8
_BUILD = "run `fewest oracle build` to make a new file"


class OracleError(FewestError):
    """Raised if a file is not an oracle file, is damaged, has another version, or was made for another puzzle or
    metric.
    """


class UnreachableError(FewestError):
    """Raised for a state that the oracle does not contain because it cannot be reached from the start."""


class Oracle(Struct, frozen=True):
    """An open oracle file. A look-up takes about 20 µs and reads one block of the file."""

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

    def to_json(self) -> dict[str, Any]:
        """The plain data about the oracle and its puzzle that `--json` prints."""
        keys = ("puzzle", "title", "parameters", "metric", "states", "made_by")
        header = {key: self.header.get(key) for key in keys}
        return {"file": str(self.path), **header, "bytes": self.num_bytes}

    def summary(self) -> str:
        """A one-line description of an oracle that `open_oracle` has verified."""
        header = self.header
        given = "".join(f" {k}={v}" for k, v in (header.get("parameters") or {}).items())
        return (
            f"{self.path}: {header.get('title')} ({header.get('puzzle')}{given}), {self.metric}, "
            f"{counted(self.num_states, 'positions')}, {self.num_bytes:,} bytes "
            f"({self.num_bytes / self.num_states:.2f} a position), undamaged"
        )

    def check(self, task: Task, metric: Metric) -> None:
        """Check that the file was made for this task and metric. Raises OracleError."""
        if self.header["task"] != task_digest(task, metric):
            given = "  ".join(f"{k}={v}" for k, v in self.header.get("parameters", {}).items())
            raise OracleError(
                f"{self.path} was made for another puzzle, or for another version of this puzzle",
                hint=f"the file is for {self.header.get('puzzle', '?')} {given}".rstrip()
                + f" in {self.metric}; {_BUILD}",
            )

    def cost(self, state: int) -> tuple[int, ...] | None:
        """The cost from a state to the goal, with a number for each part of the metric; None if the state is dead.

        Raises UnreachableError if the state is not in the file.
        """
        found = self.find(state)
        if found is None:
            raise UnreachableError("this position cannot be reached from the start")
        width = self.header["code_bytes"]
        at = self.codes_at + found * width
        code = int.from_bytes(self.data[at : at + width], "little")
        return None if code == 0 else tuple(self.header["costs"][code - 1])

    def find(self, state: int) -> int | None:
        """The index of a state among the sorted states; None if the state is not in the file."""
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


def open_oracle(path: str | Path, *, verify: bool = True) -> Oracle:
    """The oracle in a file, mapped into memory. If `verify` is true, the function reads the whole file to check it,
    which takes about a second per gigabyte.

    Raises OracleError if the file is not an oracle, is truncated or damaged, or has another version, and OSError if it
    cannot be read.
    """
    from fewest.space.ranking import ranking

    with open(path, "rb") as file:
        head = file.read(_PREFIX)
        if not head.startswith(MAGIC):
            if head and MAGIC.startswith(head):
                raise _damaged(path, "it is cut short")
            raise OracleError(f"{path} is not an oracle file", hint=_BUILD)
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        version = int.from_bytes(head[len(MAGIC) : len(MAGIC) + 4], "little")
        if version != VERSION:
            raise OracleError(
                f"{path} is an oracle file of version {version}; this release of fewest reads {VERSION}",
                hint=_BUILD,
            )
        if len(head) < _PREFIX:
            raise _damaged(path, "it is cut short")
        index_at = _PREFIX + int.from_bytes(head[-4:], "little")
        if index_at + DIGEST > len(data):
            raise _damaged(path, "it is cut short")
        if verify and _digest(data) != data[-DIGEST:]:
            size = _expected_size(data, index_at)
            raise _damaged(
                Path(path),
                "it is cut short"
                if size is not None and len(data) < size
                else "the checksum is wrong",
            )
        header = json.loads(data[_PREFIX:index_at])
        differences_at = index_at + header["index_bytes"]
        groups = [(tuple(facts), count) for facts, count in header["groups"]]
        return Oracle(
            Path(path),
            header,
            ranking(header["facts"], groups),
            data,
            index_at,
            differences_at,
            differences_at + header["difference_bytes"],
        )
    except (ValueError, KeyError, TypeError) as error:
        data.close()
        raise _damaged(path, "the header cannot be read") from error
    except BaseException:
        data.close()
        raise


def _digest(data: mmap.mmap) -> bytes:
    digest = blake2b(digest_size=DIGEST)
    end = len(data) - DIGEST
    with memoryview(data) as view:
        for begin in range(0, end, 1 << 24):
            digest.update(view[begin : min(end, begin + (1 << 24))])
    return digest.digest()


def _expected_size(data: mmap.mmap, index_at: int) -> int | None:
    """The size of the file according to its header; None if the header cannot be read."""
    try:
        header = json.loads(data[_PREFIX:index_at])
        return int(
            index_at
            + header["index_bytes"]
            + header["difference_bytes"]
            + header["states"] * header["code_bytes"]
            + DIGEST
        )
    except (ValueError, KeyError, TypeError):
        return None


def _damaged(path: str | Path, why: str) -> OracleError:
    return OracleError(f"{path} is damaged: {why}", hint=_BUILD)


def task_digest(task: Task, metric: Metric) -> str:
    """A hash of everything that the distances and their order in the file depend on: facts, mutex groups, operators,
    consequences, start, goal, forbidden states and metric.
    """
    runs = [runs_of(task, part) for part in metric.parts]
    operators = sorted(
        (
            operator.mask,
            operator.value,
            operator.flip,
            *(
                (
                    part.weight(operator.rule, operator.binding),
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
    known = (facts, groups, operators, sorted(task.goal), sorted(task.forbid), task.initial)
    more = tuple(filter(None, (task.consequences, task.further_goals)))
    text = repr((*known, *more) if more else known)
    return blake2b(text.encode(), digest_size=16).hexdigest()

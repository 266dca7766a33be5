"""The division of a store: the number of its shards, the range of shards of each owner, and the folder of each owner.

An owner has a range of shards, and a shard has a range of hashes. Therefore, when the number of owners changes, a new
owner needs files from only a few old owners, and a store can move between clusters of different sizes.
"""

from __future__ import annotations

import re
import shutil
from bisect import bisect_right
from hashlib import blake2b
from pathlib import Path

from msgspec import Struct

from fewest.errors import UsageError

# the minimum number of shards per owner, so that a slow owner can hand over shards; more than 8,192 owners have fewer
# shards each
SHARDS_PER_OWNER = 8
# the maximum number of shards, because every thread of an owner has a buffer for each shard
MOST_SHARDS = 1 << 16
_PART = re.compile(r"owner-(\d+)-of-\d+(-[0-9a-f]+)?")


class ShardDivision(Struct, frozen=True):
    """A number of shards, divided among a number of owners.

    `ends`: for each owner, the shard after the last one of its range; empty if the ranges are equal.
    """

    owners: int
    num_shards: int
    ends: tuple[int, ...] = ()

    def first(self, owner: int) -> int:
        """The first shard of an owner. The range of an owner ends before the first shard of the next owner."""
        if self.ends:
            return self.ends[owner - 1] if owner else 0
        return -(-owner * self.num_shards // self.owners)

    def owner_of(self, shard: int) -> int:
        """The owner of a shard."""
        if self.ends:
            return bisect_right(self.ends, shard)
        return shard * self.owners // self.num_shards

    def overlapping(self, other: ShardDivision, owner: int) -> list[int]:
        """The owners in this division that have ranges overlapping the range of `owner` in the other division."""
        begin = other.first(owner) * self.num_shards
        end = other.first(owner + 1) * self.num_shards
        return [
            number
            for number in range(self.owners)
            if self.first(number) * other.num_shards < end
            and begin < self.first(number + 1) * other.num_shards
        ]


def shards_for(owners: int, least: int) -> int:
    """The number of shards: the same number for each owner, and at least `least` in total. Raises UsageError if there
    are more than MOST_SHARDS owners.
    """
    if owners > MOST_SHARDS:
        raise UsageError(
            f"a store can have at most {MOST_SHARDS:,} shards, too few for {owners:,} actors",
            hint=f"--actors {MOST_SHARDS // SHARDS_PER_OWNER} gives {SHARDS_PER_OWNER} shards to each actor",
        )
    each = max(SHARDS_PER_OWNER, -(-least // owners))
    return least if owners == 1 else owners * min(each, MOST_SHARDS // owners)


def part_folder(folder: Path, owner: int, division: ShardDivision) -> Path:
    """The folder of an owner's layers; a single owner uses the folder of the store itself. The name is different in
    every division with unequal ranges.
    """
    if division.owners == 1:
        return folder
    text = ",".join(map(str, division.ends)).encode()
    ranges = f"-{blake2b(text, digest_size=6).hexdigest()}" if division.ends else ""
    return folder / f"owner-{owner:04}-of-{division.owners:04}{ranges}"


def layer_file(part: Path, layer: int) -> Path:
    """The file of a layer in an owner's folder."""
    return part / f"layer-{layer:06}"


def remove_other_parts(folder: Path, division: ShardDivision) -> None:
    """Remove the layers of other divisions; they are obsolete as soon as the record of the store names another
    division.
    """
    for file in folder.iterdir():
        part = _PART.fullmatch(file.name)
        if part is not None and file != part_folder(folder, int(part[1]), division):
            shutil.rmtree(file, ignore_errors=True)
        elif division.owners > 1 and file.name.startswith("layer-"):
            file.unlink(missing_ok=True)

"""The file `store.json`: the record of a store. A new version always replaces the whole file.

A layer is part of the store as soon as the record contains it. The record is written after the files of the layer have
been synced to disk. Therefore, an interruption between these two steps leaves the previous record, and files that this
record does not mention.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from fewest.machine.files import sync_folder, write_whole
from fewest.model.costs import CostTable
from fewest.model.problem import Problem, Symmetry
from fewest.store.error_translation import StoreError
from fewest.store.shard_division import ShardDivision
from fewest.version import __version__

FORMAT = 1
_NAME = "store.json"
GOAL_DISTANCES = "goal-distances"
"""The folder of the second search of a store (`goal_distances.py`), beside the layers of the first search."""

_ELSEWHERE = "choose another folder"
_ANEW = "remove the folder and start again, or continue with a copy"
_Known = TypeVar("_Known")


class LayerRecord(Struct, frozen=True, array_like=True):
    """The counts of a layer: the number of stored entries, and the numbers of states and of goal states that they
    represent.

    With symmetry, `canonical` and `in_orbits` are the layer's share of `Outcome.canonical_states` and
    `Outcome.orbit_states`. `expanded` and `generated` count all work up to the end of the layer. `goal` is the smallest
    goal state of the layer, as packed words.
    """

    entries: int
    states: int
    goals: int
    canonical: int
    in_orbits: int
    expanded: int
    generated: int
    goal: tuple[int, ...]


class SearchKey(Struct, frozen=True, forbid_unknown_fields=True):
    """The query of a saved search, and the version of the program that saved it. `about`: the query as plain data, from
    which `commands.resume` repeats it.
    """

    format: int
    made_by: str
    name: str
    metric: str
    problem: str
    costs: str
    about: Mapping[str, Any]


class StoreMetadata(SearchKey, frozen=True, forbid_unknown_fields=True):
    """A store: its query, the format of its states, and the complete layers. `ends`: see `ShardDivision`."""

    packing: str
    owners: int
    num_shards: int
    is_reversible: bool
    layers: tuple[LayerRecord, ...]
    ends: tuple[int, ...] = ()

    @property
    def division(self) -> ShardDivision:
        """The division of the shards among the owners."""
        return ShardDivision(self.owners, self.num_shards, self.ends)


class MetadataBackend(Protocol):
    """The location of the record of a store: the folder of the layers, or an object store."""

    @property
    def name(self) -> str:
        """The name of the location in messages."""

    def num_bytes(self) -> int:
        """The size of the layers in bytes."""

    def entered(self) -> AbstractContextManager[None]:
        """A context in which the location can be accessed. Errors in this context are reported with the name of the
        location.
        """

    def read(self) -> StoreMetadata | None:
        """The record, if there is one. Raises StoreError."""

    def write(self, record: StoreMetadata) -> None:
        """Write a record in place of the previous one; the new record survives a power failure. Raises
        StoreError or OSError.
        """


def problem_digest(problem: Problem) -> str:
    """A digest that distinguishes problems by their facts, operators, consequences, start, goal, forbidden cubes and
    groups.
    """
    parts = (
        problem.initial,
        problem.mask,
        problem.value,
        problem.flip,
        problem.index_fact,
        problem.goal_mask,
        problem.goal_value,
        problem.forbid_mask,
        problem.forbid_value,
    )
    groups = msgspec.json.encode((problem.num_facts, problem.exactly_one, problem.at_most_one))
    # omitted if empty, so that the digests of most problems do not change
    more: list[bytes] = []
    if problem.num_permutations:
        more.append(problem.permutations.tobytes())
    if problem.conditional_effects is not None:
        rows = (
            getattr(problem.conditional_effects, name)
            for name in problem.conditional_effects.__struct_fields__
        )
        more += [bytes(row) if isinstance(row, tuple) else row.tobytes() for row in rows]
    if len(problem.goal_list):
        more.append(b"lists" + problem.goal_list.tobytes())
    if len(problem.pending):
        more.append(problem.pending.tobytes())
    return _digest([*(part.tobytes() for part in parts), groups, *more])


def costs_digest(cost: CostTable, symmetry: Symmetry | None) -> str:
    """A digest that distinguishes costs, and distinguishes searches with symmetry from searches without it."""
    rows = [msgspec.json.encode(rows) for rows in astuple(cost.rows)]
    return _digest([*rows, b"" if symmetry is None else symmetry.facts.tobytes()])


def _digest(parts: list[bytes]) -> str:
    found = blake2b(digest_size=16)
    for part in parts:
        found.update(len(part).to_bytes(8, "little"))
        found.update(part)
    return found.hexdigest()


def is_store(folder: Path) -> bool:
    """Whether there is a record in the folder."""
    return (folder / _NAME).exists()


def has_layers(folder: Path) -> bool:
    """Whether the folder has a record that contains a layer. Raises StoreError if the record is damaged."""
    return is_store(folder) and bool(read_record(folder).layers)


def may_begin(folder: Path, name: str = _NAME) -> bool:
    """Whether a store may begin in a folder that does not contain the record file `name`. The folder may contain only
    the files of a store that was killed before its first record.
    """
    left = ("lock", "layer-", "spool-", "owner-", GOAL_DISTANCES, f".{name}.")
    return all(file.name.startswith(left) for file in folder.iterdir())


def remove_store(folder: Path) -> None:
    """Remove a store. The record is removed first, because a folder that contains only some of the layers is not a
    store. Raises OSError.
    """
    import shutil

    if (folder / GOAL_DISTANCES).exists():
        remove_store(folder / GOAL_DISTANCES)
    (folder / _NAME).unlink(missing_ok=True)
    sync_folder(folder)
    shutil.rmtree(folder)


def write_record(folder: Path, record: StoreMetadata) -> None:
    """Write a record in place of the previous one; the new record survives a power failure. Raises OSError."""
    sync_folder(folder)  # the directory entries of the layers must be on disk before the record
    write_checked(folder / _NAME, record)


def write_checked(path: Path, known: Struct) -> None:
    """Write a small record and its checksum to a file in place of the previous record, and sync the file and its folder
    to disk. Raises OSError.
    """
    write_whole(path, checked(known))
    sync_folder(path.parent)


def checked(known: Struct) -> list[bytes]:
    """Plain data as text with a checksum, in chunks."""
    text = msgspec.json.encode(known)
    return [text, b"\n", _digest([text]).encode(), b"\n"]


def read_record(folder: Path) -> StoreMetadata:
    """The record of a store. Raises StoreError if the record is missing, damaged, or in another format."""
    return read_checked(folder, _NAME, StoreMetadata, FORMAT)


def read_checked(folder: Path, name: str, kind: type[_Known], number: int) -> _Known:
    """The data that `write_checked` wrote. Raises StoreError if the file is missing or damaged, or if it
    has another format number.
    """
    path = folder / name
    try:
        raw = path.read_bytes()
    except OSError as error:
        if folder.is_dir() and may_begin(folder, name):
            is_empty = not any(folder.iterdir())
            raise StoreError(
                f"the folder {folder} is empty: no search has saved anything there"
                if is_empty
                else f"the search in {folder} was stopped before it saved anything",
                hint="run the same search command again; the search starts over in this folder",
            ) from None
        what = f"there is no store in {folder}: {error.strerror or error}"
        raise StoreError(
            what, hint="`fewest solve PUZZLE --checkpoint DIR` creates a store"
        ) from None
    return unchecked(raw, str(path), kind, number)


def unchecked(raw: bytes, where: str, kind: type[_Known], number: int, hint: str = _ANEW) -> _Known:
    """The inverse of `checked`; see `read_checked`."""
    text, _, check = raw.rstrip(b"\n").rpartition(b"\n")
    if check.decode("ascii", "replace") != _digest([text]):
        raise StoreError(f"{where} is damaged: its checksum is wrong", hint=hint)
    try:
        known = msgspec.json.decode(text, type=dict[str, Any])
        if known.get("format") != number:
            raise other_version(where.rpartition("/")[0], str(known.get("made_by")), hint)
        return msgspec.convert(known, kind)
    except msgspec.MsgspecError as error:
        raise StoreError(f"{where} is damaged: {error}", hint=hint) from None


def check_same(record: StoreMetadata, wanted: StoreMetadata, where: object) -> None:
    """Raises StoreError unless the store has the expected problem, metric and packing."""
    check_search_key(record, wanted, where, "store")
    if record.packing != wanted.packing:
        raise other_version(where, record.made_by)


def check_search_key(found: SearchKey, wanted: SearchKey, where: object, kind: str) -> None:
    """Raises StoreError unless the store, or a file of another `kind`, has the expected problem and metric."""
    if found.problem != wanted.problem:
        raise StoreError(
            f"the {kind} in {where} belongs to {found.name}, not to {wanted.name}"
            if found.name != wanted.name
            else (
                f"the {kind} in {where} belongs to another version of {found.name}, whose rules "
                "or start are different"
            ),
            hint=_ELSEWHERE,
        )
    if found.costs != wanted.costs:
        raise StoreError(
            f"the {kind} in {where} belongs to the metric `{found.metric}`, not to `{wanted.metric}`"
            if found.metric != wanted.metric
            else f"the {kind} in {where} belongs to a different metric `{found.metric}`, or uses symmetry",
            hint=_ELSEWHERE,
        )


def other_version(where: object, made_by: str, hint: str = _ANEW) -> StoreError:
    """The error for a file from another version of this program."""
    return StoreError(
        f"the store in {where} was made by {made_by}, whose files fewest {__version__} cannot read",
        hint=hint,
    )

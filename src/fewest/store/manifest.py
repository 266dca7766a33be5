"""Manifests: the record of a search in an object store. Every manifest is complete and has a new name, because not
every object store replaces an object atomically.

A manifest contains the record of the store (`metadata.py`) and, for every layer, the names of the objects of each
owner. It is written after these objects, and its name contains the next number. The last manifest with a correct
checksum is valid. A run that is killed therefore leaves behind the last complete manifest, and possibly objects that
are in no manifest. These objects are deleted when the search is resumed. There are no locks: the latest run owns the
store, and an older run ends when it finds the newer manifest.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

from fewest.store.error_translation import StoreError, translating_errors
from fewest.store.metadata import FORMAT, StoreMetadata, checked, unchecked
from fewest.store.objects import ANEW, Objects, Part

_FOLDER = "manifests"
_LAYER = re.compile(r"owner-\d+/layer-\d+-[0-9a-f]+")


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """The record and, for each layer, the objects of all owners. `store` is a unique id of the store."""

    format: int
    made_by: str
    store: str
    record: StoreMetadata
    parts: tuple[tuple[Part, ...], ...]


class Manifests:
    """A store's records in an object store; see `store.metadata.MetadataBackend`.

    `parts`: the objects of every layer so far. The code that uploads objects adds to this list.
    """

    def __init__(self, objects: Objects) -> None:
        self.objects = objects
        self.store = token()
        self.parts: list[tuple[Part, ...]] = []
        self._run = token()
        self._number = 0
        self._seen: set[str] = set()  # the objects of earlier runs
        self._own: list[str] = []
        # whether all objects of earlier runs and of other divisions have been removed
        self._is_clean = False

    @property
    def name(self) -> str:
        return self.objects.url

    def num_bytes(self) -> int:
        return sum(part.size for layer in self.parts for part in layer)

    @contextmanager
    def entered(self) -> Iterator[None]:
        with translating_errors(self.name, lambda: bool(self._own or self._seen)):
            yield

    def read(self) -> StoreMetadata | None:
        """The last complete record, or None if there is no record. Also sets `store` and `parts` to those of the
        record. Raises StoreError if there are records but none of them is complete, or if the URL contains objects that
        do not belong to a store.
        """
        with self.entered():
            names = self.objects.names(_FOLDER)
            self._seen = set(names) - set(self._own)
            failure: StoreError | None = None
            # all numbers have the same length, so the names sort by number
            for name in reversed(names):
                self._number = max(self._number, _number_of(name) + 1)
                try:
                    raw = self.objects.read(name)
                    found = unchecked(raw, f"{self.name}/{name}", Manifest, FORMAT, hint=ANEW)
                except StoreError as error:
                    failure = failure or error
                    continue
                self.store, self.parts = found.store, list(found.parts)
                return found.record
            if failure is None and not all(map(_LAYER.fullmatch, self.objects.names())):
                failure = StoreError(
                    f"{self.name} already exists and is not a store", hint="choose another URL"
                )
        if failure is not None:
            raise failure
        return None

    def write(self, record: StoreMetadata) -> None:
        """Make this record the current one, with the objects of its layers. Raises StoreError if another run owns
        the store, and OSError.
        """
        self._check_alone()
        parts = tuple(self.parts[: len(record.layers)])
        manifest = Manifest(record.format, record.made_by, self.store, record, parts)
        name = f"{_FOLDER}/{self._number:08}-{self._run}"
        self._own.append(name)
        self._number += 1
        self.objects.write(name, b"".join(checked(manifest)))
        try:
            self._check_alone()
        except StoreError:
            self.objects.remove([name])
            raise
        if not self._is_clean:  # the older records are now obsolete
            self._clean(manifest)
            self._is_clean = True
        self.objects.remove(self._own[:-2])
        self._own[:-2] = []

    def replace_parts(self, parts: list[tuple[Part, ...]]) -> None:
        """Use other objects for the same layers. The old objects are removed after a record that names the new ones has
        been written.
        """
        self.parts, self._is_clean = parts, False

    def _check_alone(self) -> None:
        others = set(self.objects.names(_FOLDER)) - self._seen - set(self._own)
        if others:
            raise StoreError(
                f"another run is using {self.name}, and wrote {max(others)}",
                hint="wait until the other run ends, or choose another URL",
            )

    def _clean(self, manifest: Manifest) -> None:
        """Remove the objects of earlier runs, except those that the manifest names."""
        named = {part.name for layer in manifest.parts for part in layer}
        stored = [name for name in self.objects.names() if _LAYER.fullmatch(name)]
        self.objects.remove(name for name in stored if name not in named)
        self.objects.remove(self._seen)
        self._seen = set()


def read_manifest(objects: Objects) -> StoreMetadata:
    """The record of a store in an object store. Raises StoreError if no record exists."""
    found = Manifests(objects).read()
    if found is None:
        message = f"there is no store in {objects.url}"
        raise StoreError(
            message, hint="`fewest explore PUZZLE --cluster --checkpoint URL` creates a store"
        )
    return found


def layer_name(owner: int, layer: int, run: str) -> str:
    """The name of the object that contains an owner's part of a layer, for one run."""
    return f"owner-{owner:03}/layer-{layer:06}-{run}"


def token() -> str:
    """A random name that no other run is likely to choose."""
    return os.urandom(5).hex()


def _number_of(name: str) -> int:
    digits = name.rpartition("/")[2].partition("-")[0]
    return int(digits) if digits.isdecimal() else 0

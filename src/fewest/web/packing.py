"""Stores a number of a few bits for every state in a set. The table takes about 1.23 times the bits of these numbers,
and does not contain the states.

For every state in the set, hashes of the state determine three places in the table. The exclusive or of the values at
these places is the number of the state. (This is a *Bloomier filter*: Chazelle, Kilian, Rubinfeld and Tal 2004. The
filter is filled by peeling, as in Majewski, Wormald, Havas and Czech 1996.) For states outside the set, the result has
no meaning. `static/distances.js` reads the table; both files must use the same hash.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fewest.errors import InternalError

_SEEDS = 40
_ROOM = 1.23  # the number of places per state; with fewer places, peeling fails


class Packed(Struct, frozen=True, eq=False):
    """The table: three segments with `segment` places each. A place has `bits` bits; the places are packed, beginning
    at the lowest bit of each byte.
    """

    seed: int
    segment: int
    bits: int
    table: bytes


def pack(states: NDArray[np.uint64], values: NDArray[np.integer], bits: int) -> Packed:
    """The table of `values` (int[n], below 2**bits) for `states` (uint64[n, words], pairwise distinct).

    This takes about 60 bytes and 2 µs per state. Raises InternalError if no seed works.
    """
    words = np.ascontiguousarray(states).view("<u4").reshape(len(states), -1)
    segment = int(len(states) * _ROOM / 3) + 8
    for seed in range(_SEEDS):
        places = _places(words, seed, segment)
        order = _peel(places, 3 * segment)
        if order is not None:
            return Packed(seed, segment, bits, _filled(places, order, values, segment, bits))
    raise InternalError("no seed allows the table to be filled; the states may not be distinct")


def look_up(packed: Packed, states: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The stored number of each state, computed in the same way as on the page; all states must be in the set."""
    words = np.ascontiguousarray(states).view("<u4").reshape(len(states), -1)
    places = _places(words, packed.seed, packed.segment)
    raw = np.unpackbits(np.frombuffer(packed.table, dtype=np.uint8), bitorder="little")
    rows = raw[: 3 * packed.segment * packed.bits].reshape(-1, packed.bits).astype(np.int64)
    table = (rows << np.arange(packed.bits)).sum(axis=1)
    found: NDArray[np.int64] = table[places[:, 0]] ^ table[places[:, 1]] ^ table[places[:, 2]]
    return found


def _places(words: NDArray[np.uint32], seed: int, segment: int) -> NDArray[np.int64]:
    """The three places of each row of 32-bit words, int64[n, 3], one in each segment."""
    columns = [
        _hashed(words, 3 * seed + i).astype(np.int64) % segment + i * segment for i in range(3)
    ]
    return np.stack(columns, axis=1)


def _hashed(words: NDArray[np.uint32], seed: int) -> NDArray[np.uint32]:
    """MurmurHash3 (Austin Appleby 2011, x86, 32 bits) of each row."""
    h = np.full(len(words), seed, dtype=np.uint32)
    for column in words.T:
        k = column * np.uint32(0xCC9E2D51)
        k = (k << np.uint32(15)) | (k >> np.uint32(17))
        h ^= k * np.uint32(0x1B873593)
        h = (h << np.uint32(13)) | (h >> np.uint32(19))
        h = h * np.uint32(5) + np.uint32(0xE6546B64)
    h ^= np.uint32(4 * words.shape[1])
    h ^= h >> np.uint32(16)
    h *= np.uint32(0x85EBCA6B)
    h ^= h >> np.uint32(13)
    h *= np.uint32(0xC2B2AE35)
    return h ^ (h >> np.uint32(16))


def _peel(
    places: NDArray[np.int64], size: int
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]] | None:
    """The rounds of peeling. A round consists of some states and, for each of them, a place that no other state has
    after the states of earlier rounds have been removed. The result is None if peeling cannot be completed.
    """
    count = np.bincount(places.ravel(), minlength=size)
    # for each place, the exclusive or of the numbers of its states
    mixed = np.zeros(size, dtype=np.int64)
    ids = np.arange(len(places), dtype=np.int64)
    for column in places.T:
        np.bitwise_xor.at(mixed, column, ids)
    rounds: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    free = np.flatnonzero(count == 1)
    left = len(places)
    while len(free):
        rows, first = np.unique(mixed[free], return_index=True)
        rounds.append((rows, free[first]))
        left -= len(rows)
        touched = places[rows].ravel()
        np.subtract.at(count, touched, 1)
        np.bitwise_xor.at(mixed, touched, np.repeat(rows, 3))
        touched = np.unique(touched)
        free = touched[count[touched] == 1]
    return rounds if left == 0 else None


def _filled(
    places: NDArray[np.int64],
    rounds: list[tuple[NDArray[np.int64], NDArray[np.int64]]],
    values: NDArray[np.integer],
    segment: int,
    bits: int,
) -> bytes:
    """The table, filled from the last round to the first, so that a state's other places are filled before its own
    place.
    """
    table = np.zeros(3 * segment, dtype=np.int64)
    for rows, own in reversed(rounds):
        mixed = table[places[rows]]
        table[own] = values[rows] ^ mixed[:, 0] ^ mixed[:, 1] ^ mixed[:, 2]
    raw = (table[:, None] >> np.arange(bits)) & 1
    return np.packbits(raw.astype(np.uint8).ravel(), bitorder="little").tobytes()

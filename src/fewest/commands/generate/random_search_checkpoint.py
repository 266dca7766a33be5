"""Saves the state of a random search in a file, from which a second search continues as if the first had not stopped.

The file contains the state between two rounds: the random number generator and position of each walker, all known
positions, the best boards, and the counters. An interruption therefore does not change the result for a given seed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from msgspec import Struct

from fewest.commands.generate.found import FoundBoard
from fewest.commands.generate.saved_file import key_of, read_saved
from fewest.machine.files import write_whole
from fewest.model.answer import LimitReached
from fewest.model.position import Position
from fewest.store.error_translation import is_full

if TYPE_CHECKING:
    from fewest.model.puzzle import Puzzle
    from fewest.reading.board_spec import BoardSpec
    from fewest.space.state_graph import States

_SAVE_EVERY = 60.0  # the minimum number of seconds between two saves
_TIMES = 20  # the pause after a save lasts at least this many times as long as the save


class WalkerState(Struct, frozen=True):
    """The state of one walker between two rounds; `random` is the state of its random number generator."""

    random: tuple[Any, ...]
    state: int | None
    value: Fraction
    failures: int


class SearchState(Struct, frozen=True):
    """The state of a random search between two rounds; only the first `num_known` of the known positions belong to
    it.
    """

    walkers: tuple[WalkerState, ...]
    best: tuple[FoundBoard, ...]
    num_known: int
    num_boards: int
    num_solvable: int
    num_fulfilling: int
    num_too_large: int
    idle: int


class _Walker(Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    words: list[int]
    gauss: float | None
    state: str | None
    value: str
    failures: int


class _Board(Struct, frozen=True, forbid_unknown_fields=True):
    value: str
    minimum: int
    measures: dict[str, str]
    spots: list[tuple[int, int]]


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of the file, as MessagePack; `known` contains the words of all known positions."""

    key: str
    walkers: list[_Walker]
    best: list[_Board]
    known: bytes
    num_boards: int
    num_solvable: int
    num_fulfilling: int
    num_too_large: int
    idle: int


_DECODER = msgspec.msgpack.Decoder(_File)


class RandomSearchCheckpoint:
    """The file of a search of one spec, with certain options, by this version of the program."""

    def __init__(self, path: Path, spec: BoardSpec, puzzle: Puzzle, options: Sequence[Any]) -> None:
        self._path, self._puzzle = path, puzzle
        about = (spec.has_stuck_lines, spec.wanted, spec.objective.text)
        self._key = key_of(spec, *about, *options)
        self._saved, self._seconds = time.monotonic(), 0.0

    @property
    def is_due(self) -> bool:
        """Whether enough time has passed since the last save."""
        since = time.monotonic() - self._saved
        return since >= max(_SAVE_EVERY, _TIMES * self._seconds)

    def read(self, words: int) -> tuple[SearchState, States] | None:
        """The state and the known positions that the file contains; None if there is no file.

        Raises UsageError if the file is not a checkpoint or belongs to another search, and OSError.
        """
        others = "another spec, metric, seed or version"
        file = read_saved(self._path, _DECODER.decode, self._key, "a random search", others)
        if file is None:
            return None
        known = np.frombuffer(file.known, dtype="<u8").astype(np.uint64).reshape(-1, words)
        walkers = tuple(
            WalkerState(
                (one.version, tuple(one.words), one.gauss),
                None if one.state is None else int(one.state, 16),
                Fraction(one.value),
                one.failures,
            )
            for one in file.walkers
        )
        best = tuple(
            FoundBoard(
                value=Fraction(one.value),
                minimum=one.minimum,
                measures={name: Fraction(value) for name, value in one.measures.items()},
                position=Position(self._puzzle, frozenset(one.spots), ()),
            )
            for one in file.best
        )
        return SearchState(
            walkers,
            best,
            len(known),
            file.num_boards,
            file.num_solvable,
            file.num_fulfilling,
            file.num_too_large,
            file.idle,
        ), known

    def write(self, state: SearchState, known: States) -> None:
        """Replace the file. Raises OSError, and LimitReached if the disk is full."""
        began = time.monotonic()
        file = _File(
            key=self._key,
            walkers=[
                _Walker(
                    version=one.random[0],
                    words=list(one.random[1]),
                    gauss=one.random[2],
                    state=None if one.state is None else f"{one.state:x}",
                    value=str(one.value),
                    failures=one.failures,
                )
                for one in state.walkers
            ],
            best=[
                _Board(
                    value=str(board.value),
                    minimum=board.minimum,
                    measures={name: str(value) for name, value in board.measures.items()},
                    spots=sorted(board.position.pieces),
                )
                for board in state.best
            ],
            known=known[: state.num_known].astype("<u8").tobytes(),
            num_boards=state.num_boards,
            num_solvable=state.num_solvable,
            num_fulfilling=state.num_fulfilling,
            num_too_large=state.num_too_large,
            idle=state.idle,
        )
        try:
            write_whole(self._path, [msgspec.msgpack.encode(file)])
        except OSError as error:
            if is_full(error):
                raise LimitReached("disk") from error
            raise
        self._saved = time.monotonic()
        self._seconds = self._saved - began


def random_at(state: tuple[Any, ...]) -> Random:
    """A random number generator that continues from a state."""
    random = Random()
    random.setstate(state)
    return random

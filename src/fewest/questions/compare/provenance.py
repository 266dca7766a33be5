"""The origin of measurements: versions, computer, command and date, and the identity of an instance."""

from __future__ import annotations

import shlex
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from os.path import basename

from msgspec import Struct

from fewest.certificates.embedded_puzzle import fingerprint
from fewest.machine.host import Host, host
from fewest.model.puzzle import Puzzle
from fewest.version import __version__

_PACKAGES = ("python-sat", "clingo", "numpy")


class Provenance(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything beside the instance that a measurement depends on.

    - `versions`: of every program that computes, by name. `core`: `native` or `python`.
    - `command`: the command line. `date`: the start, in UTC, as ISO 8601.
    """

    versions: dict[str, str]
    core: str
    host: Host
    command: str
    date: str


def provenance() -> Provenance:
    """That of measurements which this process makes now."""
    from fewest import search

    versions = {"fewest": __version__}
    for name in _PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:  # it came without metadata
            versions[name] = "unknown"
    program = basename(sys.argv[0]) if sys.argv else ""
    words = ["fewest" if program in ("", "__main__.py", "-c") else program, *sys.argv[1:]]
    return Provenance(
        versions, "native" if search.NATIVE else "python", host(), shlex.join(words), now()
    )


def now() -> str:
    """The date and time in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def instance_of(puzzle: Puzzle, metric: str) -> str:
    """A hash of all that the answer depends on: board, rules, goal, parameters and metric; 64 hexadecimal digits."""
    return fingerprint(puzzle, puzzle.metrics[metric])

"""The origin of measurements (versions, computer, command and date), and the hash that identifies an instance."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from os.path import basename

from msgspec import Struct

from fewest.certificates.embedded_puzzle import fingerprint
from fewest.engines.entry_points import installed, version_of
from fewest.engines.registry import ENGINES
from fewest.machine.host import Host, host
from fewest.model.puzzle import Puzzle
from fewest.version import __version__

_PACKAGES = ("python-sat", "clingo", "numpy")


class Provenance(Struct, frozen=True, forbid_unknown_fields=True):
    """The origin of a measurement: the programs, the computer, the command and the date.

    - `versions`: the versions of `fewest`, of the packages that it uses, and of the packages that contain the engines,
      keyed by name. `core`: the search core, which is `native` or `python`.
    - `command`: the command line. `date`: the time when the comparison began, or when the run ended; in UTC, in ISO
      8601 format.
    """

    versions: dict[str, str]
    core: str
    host: Host
    command: str
    date: str

    def is_like(self, other: Provenance) -> bool:
        """Whether the computer and the programs are the same; the command and the date may differ."""
        return (self.versions, self.core, self.host) == (other.versions, other.core, other.host)


def provenance(engines: Sequence[str] = ()) -> Provenance:
    """The provenance of measurements that this process makes now with these engines."""
    from fewest import search

    versions = {"fewest": __version__}
    for name in _PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:  # this package was installed without metadata
            versions[name] = "unknown"
    for name in engines:
        if name not in ENGINES and name in installed():
            package, _, number = version_of(name).rpartition(" ")
            versions[package or name] = number
    program = basename(sys.argv[0]) if sys.argv else ""
    words = ["fewest" if program in ("", "__main__.py", "-c") else program, *sys.argv[1:]]
    return Provenance(
        versions, "native" if search.NATIVE else "python", host(), shlex.join(words), now()
    )


def now() -> str:
    """The date and time in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def instance_of(puzzle: Puzzle, metric: str) -> str:
    """A hash of everything that determines the answer: board, rules, goal, parameters and metric; 64 hexadecimal
    digits.
    """
    return fingerprint(puzzle, puzzle.metrics[metric])

"""The origin of measurements (versions, computer, command and date), and the hash that identifies an instance."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from os.path import basename
from pathlib import Path

from msgspec import Struct

from fewest.certificates.embedded_puzzle import fingerprint
from fewest.engines.entry_points import installed, version_of
from fewest.engines.registry import ENGINES
from fewest.errors import UsageError
from fewest.machine.host import Host, host
from fewest.machine.resources import encoding_folder
from fewest.model.puzzle import Puzzle
from fewest.version import __version__

CODE = "fewest-code"
"""The key of `code_hash` in `Provenance.versions`."""

_PACKAGES = ("python-sat", "clingo", "numpy")


class Provenance(Struct, frozen=True, forbid_unknown_fields=True):
    """The origin of a measurement: the programs, the computer, the command and the date.

    - `versions`: the versions of `fewest`, of the packages that it uses, of the packages that contain the engines, and
      of other solvers, keyed by name; also a hash of each file of an encoding profile, keyed by its name, and
      `fewest-code` (see `code_hash`). `core`: the search core, which is `native` or `python`.
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
    """The provenance of measurements that this process makes now with these engines (see `engine_spec`)."""
    from fewest import search

    versions = {"fewest": __version__, CODE: code_hash()}
    for name in _PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:  # this package was installed without metadata
            versions[name] = "unknown"
    for name in engines:
        versions |= _versions_of_parts(name)
    program = basename(sys.argv[0]) if sys.argv else ""
    words = ["fewest" if program in ("", "__main__.py", "-c") else program, *sys.argv[1:]]
    return Provenance(
        versions, "native" if search.NATIVE else "python", host(), shlex.join(words), now()
    )


def programs_of(engine: str) -> set[str]:
    """The keys of `Provenance.versions` that may describe parts of this engine: its package, its solver and the file of
    its profile.
    """
    name, *parts = engine.strip().split(":")
    return {_package_of(name), *parts}


def _package_of(name: str) -> str:
    """The name of the package that contains an engine; the engine's own name if the package is unknown."""
    package = version_of(name).rpartition(" ")[0] if name in installed() else ""
    return package or name


def _versions_of_parts(engine: str) -> dict[str, str]:
    """The versions of those parts of an engine that do not belong to this package, by name."""
    from fewest.planning.sat.profile import profiles
    from fewest.planning.sat.solver import bundled_solvers, open_solver

    name, encoding, solver, *_ = (*engine.strip().split(":"), "", "")
    if name not in ENGINES:
        is_known = name in installed()
        return {_package_of(name): version_of(name).rpartition(" ")[2]} if is_known else {}
    found: dict[str, str] = {}
    if encoding and encoding not in dict(profiles()):
        with suppress(OSError):
            found[encoding] = blake2b(Path(encoding).read_bytes(), digest_size=8).hexdigest()
    if name == "sat" and solver and solver not in bundled_solvers():
        with suppress(UsageError):
            found[solver] = open_solver(solver, None).version
    return found


@cache
def code_hash() -> str:
    """A hash of the Python files and the encodings of this package; 16 hexadecimal digits.

    All changes between two releases have the same version, so only this hash distinguishes their measurements. The
    compiled modules are not included, because every computer of a cluster may have compiled them.
    """
    package = Path(__file__).parents[2]
    code = (path for path in package.rglob("*.py") if path.relative_to(package).parts[0] != "data")
    encodings = encoding_folder()
    files = [(path.relative_to(package).as_posix(), path) for path in code]
    for pattern in ("*.yaml", "*.lp"):
        files += [
            (path.relative_to(encodings).as_posix(), path) for path in encodings.rglob(pattern)
        ]
    found = blake2b(digest_size=8)
    for name, path in sorted(files):
        found.update(name.encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return found.hexdigest()


def now() -> str:
    """The date and time in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def instance_of(puzzle: Puzzle, metric: str) -> str:
    """A hash of everything that determines the answer: board, rules, goal, parameters and metric; 64 hexadecimal
    digits.
    """
    return fingerprint(puzzle, puzzle.metrics[metric])

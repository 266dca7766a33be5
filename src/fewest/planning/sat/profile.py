"""Encoding profiles: the parts of an encoding, read from `encodings/sat/*.yaml`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from fewest.errors import UsageError, did_you_mean
from fewest.machine.resources import encoding_folder

DEFAULT_PROFILE = "alternating"


class StatePart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of the part of a layer that describes its state; see `sat/state.py`."""

    cells: Literal["none", "empty"] = "none"
    covered: Literal["pairwise", "sequential", "product"] = "pairwise"
    exactly: Literal["none", "counters", "adaptive"] = "none"


class TransitionPart(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"at_most_one": "at-most-one"}
):
    """The settings of the part that joins two layers; see `sat/transition.py`."""

    moves: Literal["operators", "leave-arrive"]
    at_most_one: Literal["pairwise", "sequential", "product"] = "pairwise"
    effects: Literal["pairwise", "sequential", "product"] = "product"
    idle: Literal["end", "none", "anywhere"] = "end"


class PruningPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of the parts that exclude states and moves that no minimal plan needs; see `sat/pruning.py` and
    `sat/encoding.py`.
    """

    repeat: bool = False
    undo: bool = False
    distances: Literal["none", "forward", "both"] = "none"
    refuted: bool = False
    waste: bool = False
    apart: bool = False
    symmetry: bool = False
    mutexes: bool = False
    dead: bool = False


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The parts of an encoding, whether one incremental solver checks all horizons, whether a search backward from the
    goal alternates with the horizons (see `sat/backward.py`), and the configuration of the solver.
    """

    title: str
    transition: TransitionPart
    state: StatePart = StatePart()
    pruning: PruningPart = PruningPart()
    solving: Literal["incremental", "fresh"] = "fresh"
    backward: bool = False
    tuning: Literal["default", "unsat"] = "default"
    """Hardly any horizon has a plan, so `unsat` (the option `--unsat` of CaDiCaL and Kissat) turns off local search and
    the phases with few restarts. Other solvers have no such option, so this setting does not affect them.
    """


def profiles() -> list[tuple[str, Path]]:
    """The name and the file of every profile that comes with the package."""
    return [(path.stem, path) for path in sorted((encoding_folder() / "sat").glob("*.yaml"))]


@cache
def load_profile(ref: str) -> Profile:
    """The profile that is named `ref` or stored in the file `ref`. Raises UsageError if there is no such profile, or if
    the file cannot be read or is not a profile.
    """
    import yaml

    known = dict(profiles())
    path = known.get(ref, Path(ref))
    if ref not in known and path.suffix not in (".yaml", ".yml"):
        raise UsageError(
            f"there is no encoding profile `{ref}`",
            hint=did_you_mean(ref, known, f"the profiles are {', '.join(known)}"),
        )
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        return msgspec.convert(data, Profile)
    except UnicodeDecodeError:
        raise UsageError(f"the profile {path} is not UTF-8 text") from None
    except OSError as error:
        raise UsageError(f"cannot read the profile {path}: {error}") from None
    except (yaml.YAMLError, msgspec.ValidationError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise UsageError(f"{path} is not an encoding profile: {reason}") from None

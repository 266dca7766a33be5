"""The engines of a comparison; an engine can have an encoding and a solver, as in `sat:operators:glucose4`.

`certificate` is not an engine: a run of `certificate` makes a certificate for the answer of the default engine, and
reports the verdict of the checkers.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from fewest.engines.registry import check_options, engine_of
from fewest.errors import UsageError

_PARTS = ("encoding", "solver")
_NAMES = {("asp", "solver"): "configuration"}
"""The options that replace another option: for `asp`, the third part of a specification is a configuration of clingo.
"""

CERTIFICATE = "certificate"


class EngineSpec(Struct, frozen=True):
    """An engine and its options; `name` is the text that the user wrote."""

    name: str
    engine: str
    options: Mapping[str, str] = field(default_factory=dict)


def parse_engine_spec(text: str) -> EngineSpec:
    """Parse `certificate`, ENGINE, ENGINE:ENCODING, ENGINE:ENCODING:SOLVER or ENGINE::SOLVER. For `asp`, a
    configuration replaces the solver: asp::CONFIGURATION.

    Raises UsageError if the text has more than three parts, if a name is unknown, if the engine does not have the
    options, or if the file of an encoding profile is invalid.
    """
    engine, *parts = text.strip().split(":")
    if text.strip() == CERTIFICATE:
        return EngineSpec(CERTIFICATE, CERTIFICATE)
    engine_of(engine)
    if len(parts) > len(_PARTS):
        raise UsageError(
            f"`{text}` has more than {1 + len(_PARTS)} parts",
            hint="write engine:encoding:solver, such as sat:operators",
        )
    options = {
        _NAMES.get((engine, option), option): part
        for option, part in zip(_PARTS, parts, strict=False)
        if part
    }
    check_options(engine, options)
    for option, value in options.items():
        _check(engine, option, value)
    return EngineSpec(text.strip(), engine, options)


def _check(engine: str, option: str, value: str) -> None:
    """Raises UsageError if the encoding or the solver does not exist or cannot be used."""
    from fewest.planning.sat.profile import load_profile
    from fewest.planning.sat.solver import bundled_solvers, open_solver

    if option == "configuration":
        return  # `check_options` has already checked this value
    if option == "solver":
        open_solver(value, None).close()
        return
    try:
        load_profile(value)
    except UsageError as error:
        if value in bundled_solvers():
            hint = f"write the solver after the encoding: {engine}::{value}"
            raise UsageError(error.message, hint=hint) from None
        raise

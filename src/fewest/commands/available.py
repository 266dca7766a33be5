"""The choices available for solving a puzzle: engines, their options, encodings, solvers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fewest.engines.registry import all_engines, check_options


def engines() -> dict[str, str]:
    """The engines (including those from other packages) with their descriptions."""
    return {name: engine.text for name, engine in all_engines().items()}


def encodings() -> list[str]:
    """The names of the shipped encoding profiles."""
    from fewest.planning.sat.profile import profiles

    return [name for name, _ in profiles()]


def solvers() -> list[str]:
    """The names of the SAT solvers: those that come with python-sat, and executables that may be on the PATH."""
    from fewest.planning.sat.solver import EXECUTABLES, bundled_solvers

    return [*bundled_solvers(), *EXECUTABLES]


def engine_options(engine: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that the user gave, for this engine. Raises UsageError if the engine does not have such an option."""
    chosen = {name: value for name, value in given.items() if value is not None}
    check_options(engine, chosen)
    return chosen


def check_horizon_options(options: Mapping[str, Any]) -> None:
    """Raises UsageError if an option of the engines sat and asp has a value that is wrong for every puzzle: an unknown
    encoding or solver, or horizons that contradict each other.
    """
    from fewest.planning.horizons import schedule

    if options.get("encoding") is not None:
        from fewest.planning.sat.profile import load_profile

        load_profile(options["encoding"])
    if options.get("solver") is not None:
        from fewest.planning.sat.solver import open_solver

        open_solver(options["solver"], None).close()
    first, last, stride, at_most = map(options.get, ("first", "last", "stride", "at_most"))
    schedule(first, last, stride, at_most, is_exact=False)

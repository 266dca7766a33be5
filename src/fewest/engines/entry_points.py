"""Engines of other packages: classes that a package registers in the entry point group `fewest.engines`.

Such a class has the fields of `registry.Engine` as attributes (`text` is required), and a static method `solve` that
has the signature of an engine. A package is imported only when its engine is used or listed.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fewest.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "fewest.engines"


@cache
def installed() -> dict[str, EntryPoint]:
    """The entry points, indexed by the name of their engine. If several entry points have the same name, the first one
    is used.
    """
    from importlib.metadata import entry_points  # a slow import; most commands do not need it

    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=GROUP):
        found.setdefault(point.name, point)
    return found


def implementation(reference: str) -> Any:
    """The object that contains an engine's function `solve`: a module or, for `MODULE:CLASS`, a class."""
    module, _, names = reference.partition(":")
    found: Any = import_module(module)
    for name in filter(None, names.split(".")):
        found = getattr(found, name)
    return found


def load(name: str) -> Any:
    """The class of an installed engine. Raises UsageError if the class cannot be imported, or has no `solve` or
    `text`.
    """
    point = installed()[name]
    owner = f"the engine `{name}` of the package {version_of(name)}"
    try:
        found = implementation(point.value)
    except Exception as error:  # importing another package can raise any exception
        reason = f"{type(error).__name__}: {error}"
        raise UsageError(f"{owner} cannot be imported: {reason}") from error
    if not callable(getattr(found, "solve", None)) or not isinstance(
        getattr(found, "text", None), str
    ):
        raise UsageError(
            f"{owner} cannot be used: {point.value} must have `text` and a static method `solve`",
            hint="see the example in docs/how-to/own-engine.md",
        )
    return found


def version_of(name: str) -> str:
    """The name and version of the package of an installed engine, or "unknown"."""
    package = installed()[name].dist
    return "unknown" if package is None else f"{package.name} {package.version}"

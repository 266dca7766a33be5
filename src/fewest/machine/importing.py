"""Modules that are loaded when something in them is first used.

Problem: msgspec and `inspect` (which click imports) import modules for functions that a command hardly ever calls. They
take 2 ms of the 50 that a short command takes.
Solution: a module that is empty until an attribute is missing, and is then filled. `importlib.util.LazyLoader` does not
help: the import statement itself looks at an attribute of a module that is there already.
"""

from __future__ import annotations

import sys
from _thread import RLock
from types import ModuleType
from typing import Any

_lock = RLock()


class _Later(ModuleType):
    """An empty module; the first attribute that is missing fills it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith(
            "__"
        ):  # the import system and `copy` ask for such, and take no for an answer
            raise AttributeError(name)
        with _lock:  # another thread waits until all of it is there
            if type(self) is _Later:
                if (
                    self.__spec__ is not None
                ):  # it is being filled, and asks for what it does not have yet
                    raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
                _fill(self)
        return getattr(self, name)


def _fill(module: ModuleType) -> None:
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec(module.__name__)
    assert spec is not None and spec.loader is not None, "it was found before"
    module.__spec__, module.__loader__, module.__file__ = spec, spec.loader, spec.origin
    spec.loader.exec_module(module)
    module.__class__ = ModuleType


def import_when_used(*names: str) -> None:
    """Leave it to the first use to load these modules of the standard library, unless they are there already."""
    for name in names:
        sys.modules.setdefault(name, _Later(name))

"""Imports that happen only when a module is used.

Problem: click and msgspec import modules that few commands use, such as `inspect`. These imports would take a tenth of
the time of a short command. Solution: while a package is imported, `sys.modules` contains stand-ins for such modules.
The package keeps the stand-ins; their first use imports the real modules. All later imports see the real modules.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any


class _StandIn(ModuleType):
    """A module with the attributes of the real module, which is imported when an attribute is first needed."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # the import system looks for attributes such as `__path__`
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


@contextmanager
def deferred_imports(modules: Mapping[str, Mapping[str, Any]]) -> Iterator[None]:
    """During the block, imports of these modules yield stand-ins. Modules that are already imported are not affected.

    `modules` contains, for each module, the attributes that do not need the real module. Call this function before the
    program starts any thread.
    """
    stand_ins = {name: _StandIn(name) for name in modules if name not in sys.modules}
    for name, module in stand_ins.items():
        module.__dict__.update(modules[name])
    sys.modules.update(stand_ins)
    try:
        yield
    finally:
        for name, module in stand_ins.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]

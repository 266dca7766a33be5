"""The core in use: the native core, or the core in pure Python. The core is chosen once, when this module is
imported.
"""

from __future__ import annotations

import os
import warnings
from importlib import import_module


def _is_native_wanted_and_there() -> bool:
    if os.environ.get("FEWEST_CORE") == "python":
        return False
    try:
        import_module("fewest.search._native")
    except ModuleNotFoundError as error:
        if error.name != "fewest.search._native":
            raise
        warnings.warn(
            "fewest was installed without its native core, so searches use pure Python, about a hundred times slower; "
            "with a C++20 compiler, `pip install --force-reinstall .` in a clone of the repository builds the core",
            RuntimeWarning,
            stacklevel=3,
        )
        return False
    return True


NATIVE: bool = _is_native_wanted_and_there()
"""Whether the native core is in use."""

"""Loads the native checkers, which may not be installed."""

from __future__ import annotations

from typing import Any

from fewest.errors import UsageError


def native_checkers() -> Any:
    """The compiled module. `_checkers.pyi` lists its contents. Raises UsageError if the module was not compiled."""
    try:
        from fewest.certificates import _checkers
    except ImportError:
        raise UsageError(
            "this check needs the native checkers, which were not compiled",
            hint="install a compiler and reinstall fewest, or use --by rules, which needs no native checkers",
        ) from None
    return _checkers


def has_native_checkers() -> bool:
    """Whether the native checkers were compiled."""
    try:
        native_checkers()
    except UsageError:
        return False
    return True

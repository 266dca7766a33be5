"""Results that a limit or Ctrl-C can cut short."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, TypeVar

from fewest.errors import Exit
from fewest.model.answer import LimitReached

if TYPE_CHECKING:
    from typing import Protocol

    class _HasReason(Protocol):
        @property
        def reason(self) -> str | None: ...


_Found = TypeVar("_Found", bound="_HasReason")


class LimitedResult:
    """Base class of results with a `reason`: None, or the limit that stopped the computation."""

    __slots__ = ()

    @property
    @abstractmethod
    def reason(self) -> str | None: ...

    @property
    def exit_code(self) -> Exit:
        """The exit code, which shows whether a limit stopped the computation."""
        return Exit.ANSWERED if self.reason is None else Exit.LIMIT


def completed(found: _Found) -> _Found:
    """The result, if nothing stopped its computation.

    Engines report Ctrl-C and limits as results, so that a command can print the bounds that were proved. Code that
    draws a conclusion from a result needs this function: without an answer, the conclusion may be wrong. Raises
    KeyboardInterrupt after Ctrl-C, and LimitReached at a limit.
    """
    uninterrupted(found)
    if found.reason is not None:
        raise LimitReached(found.reason)
    return found


def uninterrupted(found: _Found) -> _Found:
    """The result, which may be that of a limit. Raises KeyboardInterrupt if Ctrl-C stopped the computation.

    Commands that compute several results need this function. Otherwise Ctrl-C ends only one of the computations.
    """
    if found.reason == "interrupted":
        raise KeyboardInterrupt
    return found

"""A result that a limit can cut short."""

from __future__ import annotations

from abc import abstractmethod

from fewest.errors import Exit


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

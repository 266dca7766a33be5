"""Replaces processes that end; there are limits on the number of replacements and on the wait for a new node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from msgspec import Struct

from fewest.errors import FewestError
from fewest.model.answer import counted
from fewest.store.workers import LOOK

# The number of seconds, per owner, between two checks of the limits. With many owners, the checks are less frequent, so
# that they take little of the driver's time.
LOOK_PER_OWNER = 0.5e-3


class ClusterError(FewestError):
    """Raised if the cluster is missing, or if its actors die too often."""


class ActorEndedError(Exception):
    """Raised when the process of an owner has ended and a new process has started, which does not have the old one's
    memory.
    """


class Fleet(Protocol):
    """The interface to the processes of the owners."""

    def call(self, owner: int, method: str, *arguments: Any, beside: bool = False) -> Any:
        """Begin a call, after earlier calls or, with `beside`, at the same time as them. Returns a handle for the
        call.
        """

    def wait(self, calls: list[Any], seconds: float) -> tuple[list[Any], list[Any]]:
        """Wait until all calls have ended, but at most `seconds`. Returns the calls that have ended, and those that
        have not.
        """

    def get(self, calls: list[Any], seconds: float | None = None) -> list[Any]:
        """The results. Raises ActorEndedError, TimeoutError or the exception of a call."""

    def introduce(self, owners: Sequence[int]) -> None:
        """Begin sending the addresses of all owners to each of these owners."""

    def now(self) -> float:
        """The time in seconds."""

    def pause(self, seconds: float) -> None:
        """Wait for this number of seconds."""

    def num_nodes(self) -> int:
        """The number of machines."""

    def end(self, *, has_started: bool) -> None:
        """End all processes. If `has_started` is false, some processes may not exist yet."""


class RecoveryLimits(Struct, frozen=True):
    """The limits within which a search continues when its cluster changes. The defaults suit nodes that may be
    withdrawn at any time.

    `replacements`: the number of actors that may be replaced in one layer. `seconds`: the maximum time to wait for a
    new node.
    """

    replacements: int = 64
    seconds: float = 600.0


class Recovery:
    """Counts the owners of a search that have ended, in total and in this layer. Brings all owners back to the saved
    layers.
    """

    def __init__(
        self, fleet: Fleet, owners: Sequence[int], recovery_limits: RecoveryLimits | None
    ) -> None:
        self._fleet, self._owners = fleet, owners
        self._limits = recovery_limits or RecoveryLimits()
        self.epoch = 0
        """how often all owners have gone back"""
        self.replaced = self._replaced_now = 0

    def until(self) -> float:
        """The time at which a wait that begins now must end."""
        return self._fleet.now() + self._limits.seconds

    def first(self, calls: list[Any], look: Callable[[], None]) -> list[Any]:
        """The answers to the first calls; each owner gets one call. Calls `look` at regular intervals.

        Raises the exceptions of `look`, ClusterError if the cluster has no room for the owners, and ActorEndedError.
        """
        until, seconds = self.until(), max(LOOK, LOOK_PER_OWNER * len(calls))
        _, pending = self._fleet.wait(calls, seconds)
        while pending:
            look()
            if self._fleet.now() > until:
                raise ClusterError(
                    f"not all of the {len(calls):,} actors started within {self._limits.seconds:g} seconds",
                    hint="use fewer --actors or add nodes; RAY_AUTH_MODE must also be the same as on the nodes",
                )
            _, pending = self._fleet.wait(pending, seconds)
        return self._fleet.get(calls)

    def rest(self, pending: list[Any]) -> None:
        """Cancel all requests and wait for them to end, so that no cancellation reaches an actor that is restarting."""
        cancelled = [self._fleet.call(owner, "cancel", beside=True) for owner in self._owners]
        self._fleet.wait([*pending, *cancelled], self._limits.seconds)

    def count(self) -> None:
        """Count an owner that has ended. Raises ClusterError if too many owners have ended."""
        self.replaced += 1
        self._replaced_now += 1
        if self._replaced_now > self._limits.replacements:
            raise ClusterError(
                f"{counted(self._replaced_now, 'actors')} died in one layer",
                hint="`ray logs` may show why; the store can be resumed",
            )

    def end_layer(self) -> None:
        """Start counting for a new layer."""
        self._replaced_now = 0

    def check(self, until: float) -> None:
        """Raises ClusterError after the time `until`."""
        if self._fleet.now() > until:
            raise ClusterError(
                f"an actor died and was not replaced within {counted(round(self._limits.seconds), 'seconds')}",
                hint="no node has room for a new actor; resume the store with fewer actors",
            )

    def restore_actors(
        self,
        pending: list[Any],
        request: Callable[[], list[Any]],
        look: Callable[[], None],
    ) -> None:
        """Bring all owners, including new ones, back to the saved layers in a new epoch, by the requests that `request`
        returns. Calls `look` while there is no node for an owner. Raises ClusterError and the exceptions of `look`.
        """
        self.count()
        self.rest(pending)
        until = self.until()
        while True:
            self.epoch += 1
            self._fleet.introduce(self._owners)
            try:
                self._fleet.get(request(), max(0.0, until - self._fleet.now()))
                return
            except (ActorEndedError, TimeoutError):
                self.check(until)
                look()
                self._fleet.pause(0.2)

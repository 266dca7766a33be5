"""The exchange between owners: each owner pulls pieces of data from the other owners, not through the driver."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol

_IN_TRANSIT = 4  # the maximum number of unanswered requests of an owner
_AGAIN = 0.1  # the number of seconds before a peer that did not answer gets another request
UNREACHED = "unreached"


class Peers(Protocol):
    """The interface through which one owner reaches the other owners. An owner's answer is None if its process has
    ended, and UNREACHED if the process cannot currently be reached.
    """

    def request(self, owner: int, method: str, *arguments: Any) -> Any:
        """Begin a request and return its handle."""

    def answered(self, calls: list[Any], seconds: float) -> list[tuple[Any, Any]]:
        """Wait at most `seconds` for an answer. Returns the answered requests with their answers."""


def pull(
    peers: Peers,
    number: int,
    num_owners: int,
    sources: Collection[int],
    request: Callable[[int], Sequence[Any]],
    receive: Callable[[int, Any], None],
    is_cancelled: threading.Event,
) -> int | None:
    """Pull all pieces from the owners `sources` for the owner `number`. Returns the number of messages; None if the
    work was cancelled.

    The first request goes to the source with the preceding number, so that the owners do not all begin with the same
    owner. `request(owner)` returns the arguments of the next request to an owner. `receive(owner, piece)` is called for
    each piece; a piece has `data` and `is_last`.
    """
    left = sorted(sources, key=lambda owner: (number - owner) % num_owners, reverse=True)
    calls: dict[Any, int] = {}
    num_messages = 0
    while left or calls:
        if is_cancelled.is_set():
            return None
        while left and len(calls) < _IN_TRANSIT:
            owner = left.pop()
            calls[peers.request(owner, "piece", *request(owner))] = owner
            num_messages += 1
        for handle, piece in peers.answered(list(calls), 0.2):
            owner = calls.pop(handle)
            if piece is None or piece is UNREACHED:
                left.insert(0, owner)
                is_cancelled.wait(_AGAIN)
                continue
            receive(owner, piece)
            if piece.is_last:
                continue
            if len(piece.data):
                left.append(owner)
            else:
                left.insert(0, owner)  # the other owners may have more data, so they come first
    return num_messages

"""An extension of uvicorn's HTTP protocol. It closes a connection if the headers of a request do not arrive in time."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


def protocol_with_timeout(seconds: float) -> type[H11Protocol]:
    """A class of protocols with a time limit of `seconds` from the first byte of a request to the end of its headers.

    For a new connection, the time starts when the connection is made. Between two requests, uvicorn's own limit
    applies.
    """

    class TimeoutProtocol(H11Protocol):
        late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self.late = self.loop.call_later(seconds, transport.close)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state is not h11.IDLE:
                self.forget()
            elif self.late is None:
                self.late = self.loop.call_later(seconds, self.transport.close)

        def connection_lost(self, exc: Exception | None) -> None:
            self.forget()
            super().connection_lost(exc)

        def forget(self) -> None:
            """Stop the timer, because the headers are complete or the client has disconnected."""
            if self.late is not None:
                self.late.cancel()
                self.late = None

    return TimeoutProtocol

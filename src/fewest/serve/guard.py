"""Checks requests: only requests from the server's own page, under one of the server's names, are allowed.

A page on another site could make a browser send requests to this server. Therefore, the guard checks `Origin`.
Moreover, requests that change anything must be JSON, because a browser sends JSON to another site only after a
preflight request. Another site could also make its own name resolve to this machine. Therefore, the guard also checks
`Host`.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from msgspec import Struct

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

REQUEST_SECONDS = 20.0  # the number of seconds within which a whole request must arrive
DRAIN_SECONDS, DRAIN_BYTES = (
    1.0,
    16 << 20,
)  # the limits on reading the rest of a refused request before the response
SEND_SECONDS = 60.0  # The number of seconds within which the client must read a part of a response.
# The maximum number of bytes of a request: a document of 1 MB can become this large as JSON.
MOST_BYTES = 1_600_000
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; "
    "img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))


class Names(Struct, frozen=True):
    """The names of the server; if `any_address` is true, every numeric address is also one of its names."""

    port: int
    names: frozenset[str]
    any_address: bool = False

    def know(self, host: str) -> bool:
        """Whether the `Host` header `host` names this server."""
        name, port = _split(host)
        if port != str(self.port):
            return False
        if name in self.names:
            return True
        return self.any_address and _is_address(name)


def names_of(host: str, port: int, more: tuple[str, ...] = ()) -> Names:
    """The names of a server at this address."""
    is_everywhere = host in ("0.0.0.0", "::", "")
    own = frozenset((host.lower(), *(name.lower() for name in more)))
    return Names(port, _LOOPBACK | own, is_everywhere)


def _split(host: str) -> tuple[str, str]:
    """The name and the port of a `Host` header; the default port is 80."""
    if host.startswith("["):
        name, _, rest = host[1:].partition("]")
        return name.lower(), rest.removeprefix(":") or "80"
    name, _, port = host.partition(":")
    return name.lower(), port or "80"


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Guard:
    """Forwards requests from the server's page, and adds the policy for browsers to every response."""

    def __init__(self, app: App, names: Names, stop: Callable[[], None] = lambda: None) -> None:
        self.app, self.names = app, names
        # this function makes all work in progress report its results before the server ends
        self.stop = stop

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        refused = self._refused(scope)
        if refused is not None:
            await _read_out(receive)
            await _refuse(send, *refused)
            return
        taken = 0
        # whether the request is complete; a later message can then only mean that the client has left
        has_ended = False
        until = asyncio.get_running_loop().time() + REQUEST_SECONDS

        async def counted() -> Message:
            nonlocal taken, has_ended
            if has_ended:
                return await receive()
            try:
                async with asyncio.timeout_at(until):
                    message = await receive()
            except TimeoutError:
                raise TooSlowError from None
            taken += len(message.get("body", b""))
            if taken > MOST_BYTES:
                raise TooLargeError
            has_ended = not message.get("more_body", False)
            return message

        begun = is_deaf = False

        async def sealed(message: Message) -> None:
            nonlocal begun, is_deaf
            if message["type"] == "http.response.start":
                begun = True
                present = {name for name, _ in message.get("headers", ())}
                more = [(name, value) for name, value in _HEADERS if name not in present]
                message = {**message, "headers": [*message.get("headers", ()), *more]}
            try:
                async with asyncio.timeout(SEND_SECONDS):
                    await send(message)
            except TimeoutError:
                is_deaf = True
                raise

        try:
            await self.app(scope, counted, sealed)
        except Exception:
            if not is_deaf:  # if no client reads the response, this is not an error
                raise

    def _refused(self, scope: Scope) -> tuple[int, str] | None:
        """The status and the text of the refusal of a request; None if the request is allowed."""
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value)
        hosts = headers.get(b"host", [])
        if len(hosts) != 1 or not self.names.know(hosts[0].decode("latin-1")):
            return 421, "the request is for a server with another name"
        if any(
            value.decode("latin-1").lower() != f"http://{hosts[0].decode('latin-1').lower()}"
            for value in headers.get(b"origin", [])
        ):
            return 403, "pages of other sites cannot use this server"
        site = headers.get(b"sec-fetch-site", [b"none"])[0]
        if site not in (b"none", b"same-origin") and scope["path"] != "/":
            return 403, "pages of other sites cannot use this server"
        if scope["method"] not in ("GET", "HEAD"):
            kind = headers.get(b"content-type", [b""])[0].split(b";")[0].strip().lower()
            if kind != b"application/json":
                return 415, "the request must be JSON"
        try:
            length = int(headers.get(b"content-length", [b"0"])[0])
        except ValueError:
            return 400, "the length of the request is not a number"
        return (413, "the request is too large") if length > MOST_BYTES else None


class TooLargeError(Exception):
    """Raised if a request is longer than allowed."""


class TooSlowError(Exception):
    """Raised if a request does not finish in time."""


async def _read_out(receive: Receive) -> None:
    """Read the rest of a request, up to a limit. Otherwise, the client might find that the connection is
    closed, and never see the response.
    """
    taken = 0
    try:
        async with asyncio.timeout(DRAIN_SECONDS):
            while taken < DRAIN_BYTES:
                message = await receive()
                taken += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return
    except TimeoutError:
        return


async def _refuse(send: Send, status: int, words: str) -> None:
    kind = (b"content-type", b"text/plain; charset=utf-8")
    headers = [
        kind,
        (b"connection", b"close"),
        *_HEADERS,
    ]  # the connection closes, because the server does not read the rest of the request
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": words.encode() + b"\n"})

"""Starts the server, and reports its address."""

from __future__ import annotations

import socket
import webbrowser
from collections.abc import Callable
from pathlib import Path
from threading import Thread

from fewest.errors import UsageError
from fewest.serve.guard import names_of

MOST_REQUESTS = 128  # the maximum number of simultaneous requests
HEADER_SECONDS = 10.0  # the number of seconds within which a client must send complete headers


def listening(host: str, port: int, *, is_chosen: bool) -> socket.socket:
    """A socket that listens on this address. If the port is in use and the user did not choose it, the socket gets
    another port.

    Raises UsageError if no port is available.
    """
    for wanted in (port,) if is_chosen else (port, 0):
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            listener = socket.socket(family, socket.SOCK_STREAM)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, wanted))
            listener.listen()  # from here on, early requests wait in the queue
        except (OSError, OverflowError) as error:
            listener.close()
            reason = getattr(error, "strerror", None) or str(error)
            continue
        return listener
    raise UsageError(f"cannot listen on {host}:{port}: {reason}", hint="choose another --port")


def serve(
    folder: Path | None,
    host: str,
    port: int,
    names: tuple[str, ...],
    *,
    is_chosen: bool,
    opens: bool,
    tell: Callable[[str], None],
) -> None:
    """Serve until Ctrl-C; `tell` receives the address. Raises UsageError if no port is available."""
    import uvicorn

    from fewest.serve.app import application
    from fewest.serve.protocol import protocol_with_timeout

    with listening(host, port, is_chosen=is_chosen) as listener:
        actual = listener.getsockname()[1]
        known = names_of(
            host, actual, (*names, socket.gethostname()) if host == "0.0.0.0" else names
        )
        shown = "127.0.0.1" if host in ("0.0.0.0", "::", "localhost") else host
        address = f"http://[{shown}]:{actual}/" if ":" in shown else f"http://{shown}:{actual}/"
        app = application(folder, known)
        config = uvicorn.Config(
            app,
            log_level="error",
            access_log=False,
            limit_concurrency=MOST_REQUESTS,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=1,
            server_header=False,
            proxy_headers=False,
            http=protocol_with_timeout(HEADER_SECONDS),
            ws="none",
            loop="asyncio",
        )

        class Server(uvicorn.Server):
            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                tell(address)  # from here on, the server handles Ctrl-C
                if opens:
                    Thread(target=webbrowser.open, args=(address,), daemon=True).start()

            async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
                app.stop()  # otherwise, uvicorn would cancel the responses and print a traceback for each of them
                await super().shutdown(sockets)

        Server(config).run([listener])

"""Checks that a server answers at the address of a cluster. Ray itself would try the address for many minutes without
any message.
"""

from __future__ import annotations

import os
import socket
import threading
from urllib.parse import urlsplit

# the maximum number of seconds for looking up the name and trying all of its addresses
SECONDS = 15.0
# the maximum number of seconds for connecting to one address, and for each read
_SECONDS_EACH = 5.0

# The first bytes that a client of gRPC sends: the HTTP/2 preface and an empty SETTINGS frame (RFC
# 9113, sections 3.4 and 6.5). The server answers with a SETTINGS frame.
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
_HEADER = 9  # the number of bytes of a frame's header; the fourth byte is the type
_SETTINGS = 4


def fault_of(address: str) -> str:
    """The reason why there can be no cluster at an address `HOST:PORT`; empty if a server there answers as a cluster
    does.

    The result is also empty for addresses that Ray itself must find, such as `auto` if RAY_ADDRESS is not set. The
    function takes at most `SECONDS`.
    """
    where = os.environ.get("RAY_ADDRESS", "") if address == "auto" else address
    place = urlsplit(where if "://" in where else f"//{where}")
    try:
        host, port = place.hostname, place.port
    except ValueError:
        return "the address does not have the form HOST:PORT"
    if host is None or port is None:
        return ""
    found: list[str] = []
    # only the system can limit the time of a name look-up, so the look-up runs in a thread
    thread = threading.Thread(target=lambda: found.append(_fault(host, port)), daemon=True)
    thread.start()
    thread.join(SECONDS)
    return found[0] if found else f"there was no answer within {SECONDS:.0f} s"


def _fault(host: str, port: int) -> str:
    try:
        socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        return f"the name `{host}` has no address ({error.strerror})"
    try:
        with socket.create_connection((host, port), timeout=_SECONDS_EACH) as line:
            if os.environ.get("RAY_USE_TLS", "0") in ("1", "true"):
                return ""  # with TLS, the preface would have to be encrypted
            line.sendall(_PREFACE)
            answer = b""
            while len(answer) < _HEADER and (more := line.recv(_HEADER - len(answer))):
                answer += more
    except TimeoutError:
        return f"there was no answer within {_SECONDS_EACH:.0f} s"
    except OSError as error:
        return f"the connection failed ({error.strerror or error})"
    is_grpc = len(answer) == _HEADER and answer[3] == _SETTINGS
    return "" if is_grpc else "another program uses this port"

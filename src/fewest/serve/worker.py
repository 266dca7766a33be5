"""The child process, which reads, draws and solves documents. The process runs only `serve`.

Over a connection, it receives `WorkerRequest`s, one after another, and sends `Message`s. The last message for each
request is an answer or a refusal.
"""

from __future__ import annotations

import signal
import time
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from msgspec import Struct

from fewest.errors import DocumentError, FewestError
from fewest.sanitize import shown_in

SendMessage = Callable[[str, Any], None]

ANSWERS: Mapping[str, str] = {
    "library": "fewest.serve.handlers.library",
    "picture": "fewest.serve.handlers.library",
    "opened": "fewest.serve.handlers.library",
    "alone": "fewest.serve.handlers.library",
    "check": "fewest.serve.handlers.check",
    "play": "fewest.serve.handlers.play",
    "solve": "fewest.serve.handlers.solve",
    "compare": "fewest.serve.handlers.compare",
    "explore": "fewest.serve.handlers.explore",
    "workbench": "fewest.serve.handlers.workbench",
    "download": "fewest.serve.handlers.download",
    "page": "fewest.serve.handlers.download",
    "animation": "fewest.serve.handlers.download",
}
"""For each request, its module, which has a function with the name of the request."""


# In the answers to these requests, U+FFFD replaces hidden characters. Most other answers contain documents or files,
# which must not be changed.
_SHOWN = ("play", "solve", "compare")


class WorkerRequest(Struct, frozen=True):
    """A request with its plain data. `root` is the folder that the user chose, if any."""

    handler: str
    parameters: Mapping[str, Any]
    root: Path | None


class Message(Struct, frozen=True):
    """A message as plain data. The last message for a request has the kind `answer` or `refused`; the messages before
    it have other kinds, such as `progress`. If `is_reusable` is false, the process receives no more requests.
    """

    kind: str
    data: Any
    is_reusable: bool = True


def serve(connection: Connection) -> None:
    """Answer request after request, until the connection closes."""
    warnings.simplefilter("ignore")
    for module in ("fewest.serve.handlers.check", "fewest.search", "fewest.web.page"):
        # the module is imported now, so that no user must wait for the import
        import_module(module)
    while True:
        request: WorkerRequest = connection.recv()
        last = 0.0

        def send(kind: str, data: Any) -> None:
            nonlocal last
            now = time.monotonic()
            if kind != "progress" or now - last >= 0.1:
                last = now
                connection.send(Message(kind, data))

        reply = _reply_to(request, send)
        # from here on, an interruption must not discard the finished answer
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        connection.send(reply)
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _reply_to(request: WorkerRequest, send: SendMessage) -> Message:
    try:
        answer = getattr(import_module(ANSWERS[request.handler]), request.handler)
        data = answer(request.parameters, request.root, send)
        return Message("answer", shown_in(data) if request.handler in _SHOWN else data)
    except DocumentError as error:
        return _refused("the text contains mistakes", error.diagnostics[0].message)
    except FewestError as error:
        return _refused(error.message, error.hint)
    except KeyboardInterrupt:
        return Message("refused", {"message": "cancelled", "hint": ""}, is_reusable=False)
    except MemoryError:
        return Message(
            "refused", {"message": "there is not enough memory", "hint": ""}, is_reusable=False
        )
    except RecursionError:
        return _refused("the document is nested too deeply", "")
    except Exception as error:  # a bug in this package, which must not end the page of the user
        return Message(
            "refused",
            {"message": f"a bug in fewest: {type(error).__name__}: {error}", "hint": ""},
            is_reusable=False,
        )


def _refused(message: str, hint: str) -> Message:
    return Message("refused", {"message": message, "hint": hint})

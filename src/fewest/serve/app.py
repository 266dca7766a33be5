"""The server: it has a response for each address. It passes requests about puzzles to the worker pool."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from fewest.errors import FewestError, UsageError
from fewest.machine.memory import ProcessLimit
from fewest.sanitize import escaped_in_json
from fewest.serve.files import script, style_sheet, vendored
from fewest.serve.folder import MOST_NAME, ChangedError, Folder, digest
from fewest.serve.guard import (
    Guard,
    Names,
    Receive,
    Scope,
    Send,
    TooLargeError,
    TooSlowError,
)
from fewest.serve.time_limits import ENGINE_SECONDS, MOST_SECONDS, MOST_TIMES
from fewest.serve.worker_pool import Job, Limits, UnansweredError, WorkerPool

QUICK = ("library", "opened", "check", "alone", "download")
MOST_MEMORY = 1 << 20  # the maximum memory of a long request, in MiB
RUNS = ("play", "solve", "compare", "explore", "workbench", "page", "animation")
_BLANK = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>'
# the security policy of an SVG that is opened without the page
_PICTURE = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


class Server:
    """Responds to requests at all addresses, for one folder (or none) and one worker pool."""

    def __init__(self, root: Path | None) -> None:
        self.folder = None if root is None else Folder(root)
        self.root = root
        self.pool = WorkerPool(root)
        self._writing = asyncio.Lock()  # two saves at once could both find the file unchanged

    # -- the page ------------------------------------------------------------------------------------

    async def index(self, request: Request) -> Response:
        return _file("text/html; charset=utf-8", _static("index.html"), request)

    async def script(self, request: Request) -> Response:
        return _file("text/javascript; charset=utf-8", script(), request)

    async def editor(self, request: Request) -> Response:
        return _file("text/javascript; charset=utf-8", vendored(), request)

    async def style(self, request: Request) -> Response:
        return _file("text/css; charset=utf-8", style_sheet(), request)

    async def about(self, request: Request) -> Response:
        return Response(_about(self.root), media_type="application/json")

    # -- requests ------------------------------------------------------------------------------------

    async def query(self, request: Request) -> Response:
        handler = request.path_params["handler"]
        if handler not in QUICK:
            return _refused(404, "there is nothing at this address")
        answer = await self.pool.query(handler, await _parameters(request), request.is_disconnected)
        if isinstance(answer, bytes):
            return Response(answer)
        return _Json(answer)

    async def picture(self, request: Request) -> Response:
        parameters = {key: request.query_params.get(key, "") for key in ("ref", "theme")}
        is_shipped = parameters["ref"].startswith("shipped/")
        keep = "private, max-age=3600" if is_shipped else "no-cache"
        try:
            text = await self.pool.query("picture", parameters, request.is_disconnected)
        except UnansweredError as error:
            return _refused(503, error.message)
        except FewestError:
            text, keep = _BLANK, "no-cache"
        headers = {"content-security-policy": _PICTURE, "cache-control": keep}
        return Response(text, media_type="image/svg+xml", headers=headers)

    async def run(self, request: Request) -> Response:
        handler = request.path_params["handler"]
        if handler not in RUNS:
            return _refused(404, "there is nothing at this address")
        parameters = await _parameters(request)
        seconds = _limit(parameters, "seconds", 60, MOST_SECONDS)
        memory = _limit(parameters, "memory", 2048, MOST_MEMORY)
        engines = parameters.get("engines")
        together = MOST_TIMES * seconds
        if handler == "compare" and isinstance(engines, list):
            together = len(engines) * (seconds + ENGINE_SECONDS)
        room = ProcessLimit(int(memory) << 20)
        limits = Limits(min(together, MOST_SECONDS), room)
        return _Events(self.pool, self.pool.begin(handler, parameters, limits))

    async def stop(self, request: Request) -> Response:
        parameters = await _parameters(request)
        return JSONResponse({"stopped": self.pool.stop(str(parameters.get("id")))})

    # -- files ---------------------------------------------------------------------------------------

    async def save(self, request: Request) -> Response:
        parameters = await _parameters(request)
        if self.folder is None:
            raise UsageError(
                "the server has no folder to write to",
                hint="start the server with a folder: fewest serve FOLDER",
            )
        name, text, seen = parameters.get("name"), parameters.get("text"), parameters.get("digest")
        if not isinstance(name, str) or not isinstance(text, str) or len(name) > MOST_NAME:
            raise MalformedRequestError("the request contains no valid name and text")
        if not _is_encodable(text):
            raise UsageError(
                "the text contains half of a surrogate pair, which a file cannot contain"
            )
        if parameters.get("windows") is True:
            text = text.replace("\n", "\r\n")
        try:
            async with self._writing:
                made = await asyncio.to_thread(self.folder.write, name, text, seen)
        except ChangedError as error:
            return _declined(error.message, error.hint, is_changed=True)
        return JSONResponse({"digest": made, "ref": f"own/{name}", "name": name})


def application(root: Path | None, names: Names) -> Guard:
    """The ASGI application for a folder (a resolved path, or None) and a server that has these names."""
    server = Server(root)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        server.pool.start_early()
        try:
            yield
        finally:
            server.pool.close()

    routes = [
        Route("/", server.index),
        Route("/app.js", server.script),
        Route("/editor.js", server.editor),
        Route("/app.css", server.style),
        Route("/api/about", server.about),
        Route("/api/picture", server.picture),
        Route("/api/query/{handler}", server.query, methods=["POST"]),
        Route("/api/run/{handler}", server.run, methods=["POST"]),
        Route("/api/stop", server.stop, methods=["POST"]),
        Route("/api/save", server.save, methods=["POST"]),
    ]
    handlers: dict[Any, Callable[..., Any]] = {
        MalformedRequestError: lambda request, error: _refused(400, error.message),
        TooLargeError: lambda request, error: _ended(413, "the request is too large"),
        TooSlowError: lambda request, error: _ended(408, "the request is incomplete"),
        ClientDisconnect: lambda request, error: _ended(400, "the connection is closed"),
        FewestError: lambda request, error: _declined(error.message, error.hint),
        OSError: lambda request, error: _declined(error.strerror or "the file cannot be written"),
    }
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    return Guard(app, names, server.pool.stop_all)


class _Events(StreamingResponse):
    """The messages of a run, as server-sent events. The run ends when the response ends, whatever the reason."""

    def __init__(self, pool: WorkerPool, run: Job) -> None:
        self.pool, self.of_run = pool, run
        super().__init__(
            _texts(run), media_type="text/event-stream", headers={"cache-control": "no-store"}
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # A `finally` in the iterator would not suffice: if a task is cancelled while it sends, its async iterator is
        # not closed.
        sending = asyncio.ensure_future(self.stream_response(send))
        leaving = asyncio.ensure_future(self.listen_for_disconnect(receive))
        both = (sending, leaving)
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in both:
                task.cancel()
            try:
                await asyncio.gather(*both, return_exceptions=True)
            finally:
                self.pool.end(self.of_run)
        error = None if sending.cancelled() else sending.exception()
        # an OSError comes from a closed connection
        if error is not None and not isinstance(error, OSError):
            raise error


async def _texts(run: Job) -> AsyncIterator[bytes]:
    async for kind, data in run.messages():
        yield _event(kind, data)


def _event(kind: str, data: Any) -> bytes:
    if isinstance(data, bytes):
        data = base64.b64encode(data).decode()
    return b"event: %s\ndata: %s\n\n" % (kind.encode(), _json(data))


async def _parameters(request: Request) -> dict[str, Any]:
    """The JSON object of a request. Raises MalformedRequestError if the request contains anything else, or if a value
    other than `text` contains a lone surrogate.
    """
    try:
        parameters = json.loads(await request.body(), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise MalformedRequestError("the request is not JSON") from None
    if not isinstance(parameters, dict):
        raise MalformedRequestError("the request must be a JSON object")
    # a response can state where a lone surrogate is in a text, but not where one is in a name
    short = {key: value for key, value in parameters.items() if key != "text"}
    if not _is_encodable(json.dumps(short, ensure_ascii=False)):
        raise MalformedRequestError("the request contains half of a surrogate pair")
    return parameters


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is not a JSON number")


def _is_encodable(text: str) -> bool:
    """Whether a text has no lone surrogate. JSON can contain a lone surrogate, but no text encoding can represent
    it.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _limit(parameters: Mapping[str, Any], key: str, default: float, most: float) -> float:
    """A limit of a request. Raises MalformedRequestError unless the limit is a number above 0 and at most `most`."""
    value = parameters.get(key, default)
    if type(value) not in (int, float) or not 0 < value <= most:
        raise MalformedRequestError(f"`{key}` must be a number above 0 and at most {most:,.0f}")
    return float(value)


class MalformedRequestError(UsageError):
    """Raised for a request that the page of this server never sends."""


class _Json(JSONResponse):
    """A response that may quote a lone surrogate; JSON represents it as an escape sequence."""

    def render(self, content: Any) -> bytes:
        return _json(content)


def _json(data: Any) -> bytes:
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return (text if _is_encodable(text) else escaped_in_json(text)).encode()


def _ended(status: int, message: str) -> Response:
    """The response to a request that the server does not read to the end. It closes the connection."""
    return JSONResponse({"message": message, "hint": ""}, status, {"connection": "close"})


def _refused(status: int, message: str) -> Response:
    return JSONResponse({"message": message, "hint": ""}, status)


def _declined(message: str, hint: str = "", *, is_changed: bool = False) -> Response:
    """A refusal with the status of an ordinary response, because browsers treat any other status as a failure of the
    page.
    """
    return _Json({"declined": {"message": message, "hint": hint, "changed": is_changed}})


def _file(kind: str, data: bytes, request: Request) -> Response:
    headers = {"content-type": kind, "cache-control": "no-cache", "vary": "accept-encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(_zipped(data), headers=headers | {"content-encoding": "gzip"})
    return Response(data, headers=headers)


@cache
def _zipped(data: bytes) -> bytes:
    return gzip.compress(data, 5)


@cache
def _static(name: str) -> bytes:
    return (Path(__file__).parent / "static" / name).read_bytes()


@cache
def _about(root: Path | None) -> bytes:
    """The initial data of the page as JSON, such as the engines, the models and the schema of documents."""
    from importlib.util import find_spec

    from fewest.engines.registry import ENGINES
    from fewest.machine.resources import models
    from fewest.reading.schema import json_schema
    from fewest.version import __version__

    about = {
        "version": __version__,
        "folder": None if root is None else root.name or str(root),
        # by this digest, the browser recognizes the stored texts that belong to files of this folder
        "place": None if root is None else digest(bytes(root)),
        "engines": {name: engine.text for name, engine in ENGINES.items()},
        "models": [name for name, _ in models()],
        "gif": all(find_spec(name) is not None for name in ("PIL", "resvg_py")),
        "schema": json_schema(),
    }
    return json.dumps(about, ensure_ascii=False).encode()

"""The server withstands hostile requests: lone surrogates, wrong types, and clients that disconnect early or never
finish."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import MutableMapping
from multiprocessing.connection import Connection
from typing import Any, ClassVar, cast

import pytest

from fewest.serve import guard
from fewest.serve.app import MOST_MEMORY, QUICK, RUNS, application
from fewest.serve.guard import names_of
from fewest.serve.worker import Message, WorkerRequest, _reply_to, serve
from tests.helpers.engines_here import engines_run_here
from tests.helpers.served import Served

TEXT = "puzzle: x\nmodel: sliding-blocks\nboard: |\n  A.\ngoal: {A: {touches: right}}\n"
KEYS = ("text", "name", "ref", "metric", "engine", "engines", "kind", "theme", "deep", "digest")
WRONG = (None, True, -1, 1e308, 10**400, "", "\x1b[2J\x00", [], [[]], {}, ["bfs"] * 99, "../" * 9)


def _response(served: Served, path: str, given: dict[str, Any]) -> str:
    """The text of a response, after a check that it is an answer or a refusal, not an internal error."""
    answer = served.post(path, given)
    text = answer.body.decode(errors="replace")
    assert answer.status in (200, 400), (path, given, text)
    assert "a bug in fewest" not in text, (path, given, text)
    return text


@pytest.mark.parametrize("path", [*(f"query/{what}" for what in QUICK), "run/solve", "run/page"])
def test_half_a_character_is_no_failure(served: Served, path: str) -> None:
    for half in ("\ud800", "\udcff"):
        for given in (
            {"text": f"{TEXT}notes: {half}\n"},
            {"text": TEXT, "name": f"{half}.yaml"},
            {"text": TEXT, "ref": f"own/{half}"},
            {"text": TEXT, f"{half}": "x"},
        ):
            _response(served, f"/api/{path}", {"seconds": 2, "kind": "svg", **given})


def test_half_a_character_in_a_text_is_a_mistake_with_its_place(served: Served) -> None:
    (found,) = served.query("check", text=f"{TEXT}notes: a\ud800\n")["mistakes"]
    assert (found["code"], found["line"], found["column"]) == ("document-encoding", 6, 9)


def test_half_a_character_is_never_saved(served: Served) -> None:
    declined = served.post("/api/save", {"name": "half.yaml", "text": "a: \ud800"}).json
    assert "half of a surrogate pair" in declined["declined"]["message"]
    assert served.post("/api/save", {"name": "\ud800.yaml", "text": "a: b"}).status == 400
    assert not (served.folder / "half.yaml").exists()


@pytest.mark.parametrize("limit", ["seconds", "memory"])
def test_a_limit_is_a_number_above_zero(served: Served, limit: str) -> None:
    for wrong in ("NaN", "Infinity", "-Infinity", "1e999", "0", "-1", '"9"', "true", "null", "[]"):
        body = f'{{"text": {json.dumps(TEXT)}, "{limit}": {wrong}}}'.encode()
        assert served.post("/api/run/solve", body).status == 400, wrong
    for much in (MOST_MEMORY + 1, 10**400):
        assert served.post("/api/run/solve", {"text": TEXT, limit: much}).status == 400


@pytest.mark.parametrize("key", KEYS)
def test_a_value_of_a_wrong_type_is_refused_everywhere(served: Served, key: str) -> None:
    good: dict[str, Any] = {"text": TEXT, "name": "x.yaml", "kind": "svg"}
    good |= {"ref": "shipped/klotski/mine", "engines": ["bfs"]}
    for number, wrong in enumerate(WRONG):
        given = {**good, key: wrong}
        _response(served, f"/api/query/{QUICK[number % len(QUICK)]}", given)
        _response(served, "/api/query/check", given)
        _response(served, "/api/stop", {"id": wrong})
    # Each of these requests starts a process, which runs `_reply_to`; one of them for each key is enough.
    for number, (what, wrong) in enumerate(zip(RUNS[:3], WRONG[::4], strict=True)):
        given = {**good, key: wrong, "seconds": 1}
        if number == KEYS.index(key) % 3:
            _response(served, f"/api/run/{what}", given)
        else:
            with engines_run_here():
                reply = _reply_to(WorkerRequest(what, given, served.folder), lambda *_: None)
            assert "a bug in fewest" not in str(reply.data), (what, given, reply)


def test_a_client_that_leaves_in_the_middle_of_its_upload_leaves_no_trace(served: Served) -> None:
    # At the end, the fixture checks that the server printed nothing to stderr.
    host, _, port = served.host.rpartition(":")
    for sent in (b"", b'{"text": "'):
        with socket.create_connection((host, int(port))) as client:
            head = f"POST /api/query/check HTTP/1.1\r\nHost: {served.host}\r\n"
            head += "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
            client.sendall(head.encode() + sent)
    assert served.query("check", text=TEXT)["puzzle"]


def test_a_request_without_an_end_is_abandoned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "REQUEST_SECONDS", 0.2)
    messages: list[MutableMapping[str, Any]] = []

    async def trickle() -> dict[str, Any]:
        await asyncio.sleep(0.01)
        return {"type": "http.request", "body": b" ", "more_body": True}

    async def send(message: MutableMapping[str, Any]) -> None:
        messages.append(message)

    headers = [(b"host", b"127.0.0.1:1"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/api/query/check", "headers": headers}
    asyncio.run(application(None, names_of("127.0.0.1", 1))(scope, trickle, send))
    assert messages[0]["status"] == 408
    assert (b"connection", b"close") in messages[0][
        "headers"
    ]  # otherwise, the rest of the upload would remain open


def test_an_unread_answer_is_abandoned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "SEND_SECONDS", 0.1)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b""}

    async def deaf(_: MutableMapping[str, Any]) -> None:
        await asyncio.Event().wait()

    scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", b"127.0.0.1:1")]}
    asyncio.run(application(None, names_of("127.0.0.1", 1))(scope, receive, deaf))


def test_a_connection_without_a_request_is_closed() -> None:
    import uvicorn

    from fewest.serve.protocol import protocol_with_timeout

    async def app(scope: Any, receive: Any, send: Any) -> None:
        headers = [(b"content-length", b"2")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"ok"})

    config = uvicorn.Config(
        app, http=protocol_with_timeout(0.5), lifespan="off", log_level="error", ws="none"
    )
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            address = listening.getsockname()
            whole = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
            for sent in (b"", whole[:9], whole + whole[:9]):
                began = time.monotonic()
                with socket.create_connection(address, timeout=30) as client:
                    client.sendall(sent)
                    received = b""
                    while part := client.recv(1000):
                        received += part
                assert received.endswith(b"ok") == (sent.startswith(whole))
                assert time.monotonic() - began < 20
        finally:
            server.should_exit = True
            thread.join()


def test_a_request_that_is_nested_too_deeply_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Message] = []

    class OneRequest:
        """A connection that brings one request and then closes."""

        requests: ClassVar = [WorkerRequest("check", {}, None)]
        send = sent.append

        def recv(self) -> WorkerRequest:
            if not self.requests:
                raise EOFError
            return self.requests.pop()

    def nested(*given: object) -> None:
        raise RecursionError

    monkeypatch.setattr("fewest.serve.handlers.check.check", nested)
    with pytest.raises(EOFError):
        serve(cast("Connection", OneRequest()))
    assert sent == [
        Message("refused", {"message": "the document is nested too deeply", "hint": ""})
    ]

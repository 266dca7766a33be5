"""Sends requests to the server of `fewest serve`, as its page sends them, or as no client should send them."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct


class Answer(Struct, frozen=True):
    """The response to a request."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Served(Struct, frozen=True):
    """A running server, its folder, and the id of its process."""

    address: str
    folder: Path
    process: int

    @property
    def host(self) -> str:
        return urlsplit(self.address).netloc

    @contextmanager
    def response_to(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> Iterator[HTTPResponse]:
        """A request and its streamed response. A header with the value None is left out."""
        connection = HTTPConnection(self.host, timeout=60)
        try:
            sent = {"Host": self.host, "Content-Type": "application/json", **(headers or {})}
            if method == "POST":
                sent.setdefault("Content-Length", str(len(body)))
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in sent.items():
                connection.putheader(name, value)
            connection.endheaders()
            if body:
                connection.send(body)
            yield connection.getresponse()
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        with self.response_to("GET", path, headers=_named(headers)) as answer:
            return Answer(answer.status, dict(answer.getheaders()), answer.read())

    def post(self, path: str, given: Any, **headers: str) -> Answer:
        body = given if isinstance(given, bytes) else json.dumps(given).encode()
        with self.response_to("POST", path, body, _named(headers)) as answer:
            return Answer(answer.status, dict(answer.getheaders()), answer.read())

    def query(self, what: str, **given: Any) -> Any:
        """The answer to a quick request, which may be `declined`."""
        answer = self.post(f"/api/query/{what}", given)
        assert answer.status == 200, answer.body
        return answer.json

    @contextmanager
    def run(self, what: str, **given: Any) -> Iterator[Iterator[tuple[str, Any]]]:
        """The events of a long request; the end of the block closes the connection, as closing the tab does."""
        with self.response_to("POST", f"/api/run/{what}", json.dumps(given).encode()) as answer:
            assert answer.status == 200
            yield events(answer)


def events(answer: HTTPResponse) -> Iterator[tuple[str, Any]]:
    """The kind and data of each server-sent event."""
    kind = ""
    for line in answer:
        text = line.decode().rstrip("\n")
        if text.startswith("event: "):
            kind = text.removeprefix("event: ")
        elif text.startswith("data: "):
            yield kind, json.loads(text.removeprefix("data: "))


def _named(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def is_running(process: int) -> bool:
    """Whether the process runs; a zombie counts as ended."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    try:
        state = (
            Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        )
    except OSError:
        return False
    return state != "Z"


def seconds_until_gone(process: int, most: float = 10.0) -> float:
    """The number of seconds until the process ends."""
    began = time.monotonic()
    while is_running(process):
        assert time.monotonic() - began < most, "it does not end"
        time.sleep(0.02)
    return time.monotonic() - began

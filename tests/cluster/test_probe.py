"""An address without a cluster causes an error within seconds, and the error names the cause."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from fewest import search
from tests.helpers.command_line import run

ray = pytest.importorskip("ray", reason="the extra `cluster` is not installed")

from fewest.cluster import probe  # noqa: E402

pytestmark = [
    pytest.mark.skipif(not search.NATIVE, reason="stores need the native core"),
    pytest.mark.filterwarnings("ignore"),  # Ray itself causes warnings
    pytest.mark.slow,  # importing Ray and starting the nodes takes seconds
]


def closed_port() -> int:
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        port: int = line.getsockname()[1]
        return port


@contextmanager
def listening() -> Iterator[socket.socket]:
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        line.listen(4)
        yield line


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("127.0.0.1:PORT", "the connection failed (Connection refused)"),
        ("ray://127.0.0.1:PORT", "the connection failed (Connection refused)"),
        ("no-such-name.invalid:6379", "the name `no-such-name.invalid` has no address"),
        ("127.0.0.1:99999", "the address does not have the form HOST:PORT"),
    ],
)
def test_a_command_reports_immediately_that_there_is_no_cluster(address: str, reason: str) -> None:
    address = address.replace("PORT", str(closed_port()))
    began = time.monotonic()
    done = run("solve", "bird", "--store", "index", "--cluster", address)
    assert time.monotonic() - began < 60  # an earlier version took ten minutes
    assert done.returncode not in (0, 70)
    assert f"there is no cluster at {address}: {reason}" in done.stderr
    assert "`ray start --head` starts a cluster" in done.stderr


def test_a_port_that_does_not_answer_is_no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "_SECONDS_EACH", 0.2)
    with listening() as line:
        assert "no answer" in probe.fault_of(f"127.0.0.1:{line.getsockname()[1]}")


def test_another_program_is_no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    from threading import Thread

    def answer(line: socket.socket) -> None:
        other, _ = line.accept()
        with other:
            other.recv(100)
            other.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with listening() as line:
        thread = Thread(target=answer, args=(line,))
        thread.start()
        assert probe.fault_of(f"127.0.0.1:{line.getsockname()[1]}") == (
            "another program uses this port"
        )
        thread.join()


def test_a_probe_of_an_address_ends_after_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "SECONDS", 0.2)
    monkeypatch.setattr(probe, "_fault", lambda host, port: time.sleep(2) or "")
    assert probe.fault_of("nowhere:1") == "there was no answer within 0 s"


def test_the_address_of_the_environment_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    assert probe.fault_of("auto") == ""
    monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{closed_port()}")
    assert "refused" in probe.fault_of("auto")


def test_a_cluster_passes_the_check(nodes: object) -> None:
    assert probe.fault_of(nodes.address) == ""  # type: ignore[attr-defined]

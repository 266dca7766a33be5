"""Only permitted clients can use the server; it writes only the files that it should write, and withstands hostile
puzzles."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import MutableMapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

import pytest
from starlette.applications import Starlette

from fewest.errors import Source, UsageError
from fewest.formats.registry import parse_collection
from fewest.serve.app import application
from fewest.serve.folder import ChangedError, Folder, digest
from fewest.serve.guard import names_of
from tests.helpers.cells import ROOT
from tests.helpers.command_line import begun, run
from tests.helpers.served import Served, seconds_until_gone

ENDLESS = (ROOT / "puzzles" / "tiles" / "korf-001.yaml").read_text(encoding="utf-8")


def test_pages_of_other_sites_and_other_names_are_refused(served: Served) -> None:
    assert served.get("/").status == 200
    assert served.get("/", Host="evil.example").status == 421
    assert served.get("/", Host=served.host.replace("127.0.0.1", "evil.example")).status == 421
    assert served.get("/", Host=served.host.replace("127.0.0.1", "localhost")).status == 200
    assert served.get("/", Host="127.0.0.1:1").status == 421
    sent = {"text": "puzzle: x"}
    for path in ("/api/query/check", "/api/run/solve", "/api/save", "/api/stop"):
        assert served.post(path, sent, Origin="http://evil.example").status == 403
        assert served.post(path, sent, Origin="null").status == 403
        assert served.post(path, sent, Sec_Fetch_Site="cross-site").status == 403
        assert served.post(path, sent, Content_Type="text/plain").status == 415
    assert served.post("/api/query/check", sent, Origin=f"http://{served.host}").status == 200
    assert served.get("/api/picture?ref=own/mine.yaml", Sec_Fetch_Site="same-site").status == 403


def test_every_response_has_the_security_headers_for_browsers(served: Served) -> None:
    for path in ("/", "/app.js", "/app.css", "/editor.js", "/api/about", "/nothing"):
        headers = served.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"], path
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers
    picture = served.get("/api/picture?ref=shipped/klotski/heng-dao-li-ma")
    assert "sandbox" in picture.headers["content-security-policy"]
    assert picture.body.startswith(b"<svg")


def test_too_large_and_invalid_requests_are_refused(served: Served) -> None:
    assert served.post("/api/query/check", b'{"text": "' + b"x" * 2_000_000 + b'"}').status == 413
    assert served.post("/api/query/check", b"", Content_Length="999999999").status == 413
    assert served.post("/api/query/check", b"[" * 100_000).status == 400
    assert served.post("/api/query/check", b"\xff").status == 400
    assert served.post("/api/query/nothing", {}).status == 404
    assert served.post("/api/run/check", {}).status == 404
    assert served.post("/api/run/solve", {"seconds": "x"}).status == 400
    assert "declined" in served.query("check", text=5)
    assert "declined" in served.query("check", text="x" * 1_000_001)
    assert "declined" in served.query("check", text="puzzle: x", name="../../outside.yaml")


def test_only_documents_below_the_folder_are_read_and_written(served: Served) -> None:
    before = (served.folder.parent / "outside.yaml").read_bytes()
    for name in (
        "../outside.yaml",
        "leads-out.yaml",
        "/etc/passwd",
        "bad/../../outside.yaml",
        ".hidden.yaml",
        ".git/x.yaml",
        "x.txt",
        "x.py",
        "",
        "bad",
        "\0.yaml",
    ):
        assert "declined" in served.post("/api/save", {"name": name, "text": "puzzle: x"}).json, (
            name
        )
        assert "declined" in served.query("opened", ref=f"own/{name}"), name
    assert (served.folder.parent / "outside.yaml").read_bytes() == before
    listed = json.dumps(served.query("library"))
    assert "own/mine.yaml" in listed and "leads-out" not in listed
    model = "puzzle: x\nmodel: ../outside.yaml\nboard: |\n  A.\n"
    found = served.query("check", text=model, name="x.yaml")["mistakes"]
    assert found[0]["code"] == "model-not-found" and "not in the folder" in found[0]["message"]


def test_a_save_does_not_overwrite_a_file_that_changed_on_disk(folder: Path) -> None:
    own_files = Folder(folder)
    first = own_files.write("a/b.yaml", "puzzle: one\n", None)
    assert (folder / "a" / "b.yaml").read_text(encoding="utf-8") == "puzzle: one\n"
    assert own_files.write("a/b.yaml", "puzzle: two\n", first) == digest(b"puzzle: two\n")
    with pytest.raises(ChangedError):
        own_files.write("a/b.yaml", "puzzle: three\n", first)
    with pytest.raises(ChangedError):
        own_files.write("a/b.yaml", "puzzle: three\n", None)
    (folder / "out").symlink_to(folder.parent)
    (folder / ".hidden").mkdir()
    (folder / "shown").symlink_to(folder / ".hidden")
    for name in ("out/x.yaml", "shown/x.yaml", "a/../../x.yaml", "a/b.yaml/c.yaml"):
        with pytest.raises((UsageError, OSError)):
            own_files.write(name, "puzzle: x\n", None)
    assert own_files.names() == ["a/b.yaml"]


def test_line_ends_of_windows_are_preserved(served: Served) -> None:
    found = served.query("opened", ref="own/windows.yaml")
    assert "\r" not in found["text"] and found["windows"]
    changed = found["text"].replace("A.", "A..")
    saved = {"name": "windows.yaml", "text": changed, "digest": found["digest"], "windows": True}
    assert "digest" in served.post("/api/save", saved).json
    data = (served.folder / "windows.yaml").read_bytes()
    assert data == changed.replace("\n", "\r\n").encode()


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x]\n"
        + "".join(
            f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(20)
        ),
        "[" * 5_000,
        "puzzle: x\nvariables: {a: {values: 0..999999999}}\n",
        "puzzle: x\nmodel: sliding-blocks\nboard: |\n" + ("  " + "." * 63 + "A\n") * 64,
        "puzzle: x\nvariables: {a: {values: 0..9, initial: '9**9**9**9'}}\n",
        'puzzle: "</svg><script>alert(1)</script>"\ntitle: "<img src=x onerror=alert(1)>"\n'
        "model: sliding-blocks\nboard: |\n  A.\n",
        "puzzle: x\nmodel: /dev/zero.yaml\n",
        "\ufeffpuzzle: \ud7ff\U0010ffff\n",
    ],
    ids=["aliases", "brackets", "values", "cells", "power", "markup", "device", "odd"],
)
def test_a_malicious_puzzle_gets_an_answer_and_affects_nothing_else(
    served: Served, text: str
) -> None:
    found = served.query("check", text=text, name="x.yaml", deep=True)
    assert "declined" in found or "mistakes" in found
    picture = found.get("picture") or ""
    assert "<script" not in picture and "<img" not in picture
    assert served.query("check", text="puzzle: x\nmodel: sliding-blocks\nboard: |\n  A.\n")[
        "puzzle"
    ]


def test_cancelling_returns_the_proved_bound_and_ends_the_process(served: Served) -> None:
    with served.run("solve", text=ENDLESS, engine="bfs", seconds=600, memory=4000) as messages:
        kind, begun = next(messages)
        assert kind == "begun"
        assert next(messages)[0] == "progress"
        assert served.post("/api/stop", {"id": begun["id"]}).json == {"stopped": True}
        rest = list(messages)
    assert rest[-1][0] in ("answer", "refused")
    if rest[-1][0] == "answer":
        assert rest[-1][1]["status"] == "limit" and rest[-1][1]["lower_bound"] > 0
    assert seconds_until_gone(begun["process"]) < 3
    assert served.post("/api/stop", {"id": begun["id"]}).json == {"stopped": False}


def test_a_closed_tab_ends_its_work_and_that_of_its_engines(served: Served) -> None:
    for what, more in (("solve", {"engine": "bfs"}), ("compare", {"engines": ["bfs"]})):
        with served.run(what, text=ENDLESS, seconds=600, memory=4000, **more) as messages:
            _, begun = next(messages)
            next(event for event in messages if event[0] == "progress")
        seconds_until_gone(begun["process"])


def test_leaving_in_the_middle_of_an_event_ends_its_work() -> None:
    process = 0

    async def leave() -> None:
        full = asyncio.Event()  # this event means that the send buffer is full

        async def receive() -> dict[str, Any]:
            if not requests:
                requests.append(True)
                body = json.dumps({"text": ENDLESS, "engine": "bfs"}).encode()
                return {"type": "http.request", "body": body}
            await full.wait()
            return {"type": "http.disconnect"}

        async def send(message: MutableMapping[str, Any]) -> None:
            nonlocal process
            text = message.get("body", b"").decode()
            if text.startswith("event: begun"):
                process = json.loads(text.partition("data: ")[2])["process"]
            elif text.startswith("event: progress"):
                full.set()
                await asyncio.Event().wait()

        requests: list[bool] = []
        headers = [(b"host", b"127.0.0.1:1"), (b"content-type", b"application/json")]
        scope = {"type": "http", "method": "POST", "path": "/api/run/solve", "headers": headers}
        app = application(None, names_of("127.0.0.1", 1))
        async with cast(Starlette, app.app).router.lifespan_context(app.app):
            await app(scope, receive, send)
            await asyncio.to_thread(seconds_until_gone, process)

    gc.disable()  # the process must not end because of the garbage collector
    try:
        asyncio.run(leave())
    finally:
        gc.enable()


def test_the_server_enforces_limits_from_outside_too(served: Served) -> None:
    with served.run("solve", text=ENDLESS, engine="bfs", seconds=1, memory=4000) as messages:
        kind, data = list(messages)[-1]
    assert (kind, data["status"], data["reason"]) == ("answer", "limit", "time")


def test_requests_in_the_queue_show_their_place(served: Served) -> None:
    most = max(2, os.cpu_count() or 1)
    search = {"text": ENDLESS, "engine": "bfs", "seconds": 60, "memory": 512}
    with ExitStack() as tabs:
        first = tabs.enter_context(ExitStack())
        for number in range(most):
            messages = (first if number == 0 else tabs).enter_context(served.run("solve", **search))
            assert next(messages)[0] == "begun"
        leaves = tabs.enter_context(ExitStack())
        waiting = leaves.enter_context(served.run("solve", **search))
        assert next(waiting)[1]["place"] == 1
        cancelled = tabs.enter_context(served.run("explore", **search))
        kind, data = next(cancelled)
        assert (kind, data["place"]) == ("queued", 2)
        last = tabs.enter_context(served.run("solve", **search))
        assert next(last)[1]["place"] == 3
        assert served.post("/api/stop", {"id": data["id"]}).json == {"stopped": True}
        assert list(cancelled) == [("refused", {"message": "cancelled", "hint": ""})]
        assert next(last)[1]["place"] == 2
        leaves.close()  # closes the tab of the first request in the queue
        assert next(last)[1]["place"] == 1
        first.close()
        assert next(last)[0] == "begun"


def test_downloads_equal_the_output_of_the_commands(served: Served) -> None:
    text = served.query("opened", ref="shipped/sokoban/microban-002")["text"]
    level = served.post("/api/query/download", {"text": text, "kind": "xsb"}).body.decode()
    read = parse_collection(Source("x.xsb", level)).levels[0]
    assert all(row in text for row in read.rows)
    svg = served.post("/api/query/download", {"text": text, "kind": "svg"}).body
    assert svg.startswith(b"<svg")
    klotski = served.query("opened", ref="own/mine.yaml")["text"]
    declined = served.post("/api/query/download", {"text": klotski, "kind": "xsb"}).json
    assert "Sokoban" in declined["declined"]["message"]


def test_names_of_a_server_are_its_own() -> None:
    loop = names_of("127.0.0.1", 80)
    assert loop.know("localhost") and loop.know("127.0.0.1:80") and loop.know("[::1]")
    assert not loop.know("192.168.0.7:80") and not loop.know("") and not loop.know("localhost:81")
    everywhere = names_of("0.0.0.0", 8000, ("Me.local",))
    assert everywhere.know("192.168.0.7:8000") and everywhere.know("me.local:8000")
    assert not everywhere.know("evil.example:8000")


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    done = run("serve", "--no-browser")
    assert done.returncode == 2
    assert "starlette and uvicorn" in done.stderr and "pip install '.[web]'" in done.stderr


def test_a_folder_that_is_not_there_and_a_port_that_is_taken(served: Served) -> None:
    assert run("serve", "no-such-folder", "--no-browser").returncode == 3
    done = run("serve", "--no-browser", "--port", served.host.rpartition(":")[2])
    assert done.returncode == 2 and "choose another --port" in done.stderr


def test_nothing_of_it_is_imported_by_other_commands() -> None:
    code = (
        "import sys; from fewest.cli import _run; _run(['solve', 'jugs']); _run(['serve', '--help']); "
        "print([m for m in sys.modules if m.startswith(('starlette', 'uvicorn', 'fewest.serve', 'asyncio'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]", done.stdout + done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_can_be_ended_as_soon_as_it_prints_its_address(number: int, folder: Path) -> None:
    with begun("serve", str(folder), "--no-browser", "--port", "0") as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("http://127.0.0.1:")
        os.kill(process.pid, number)
        _, output = process.communicate(timeout=20)
    assert (process.returncode, output) == (0, "")

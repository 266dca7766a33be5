"""Requests leave nothing behind when a process cannot start, when a client leaves, or when a limit is exceeded."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request

import fewest
from fewest.errors import FewestError, UsageError
from fewest.serve.app import Server
from fewest.serve.folder import MOST_NAME, Folder
from fewest.serve.handlers import library, payload, workbench
from fewest.serve.handlers.check import check
from fewest.serve.handlers.library import opened
from fewest.serve.time_limits import ENGINE_SECONDS
from fewest.serve.worker_pool import Limits, UnansweredError, WorkerPool


class Idle:
    """A process that only exists."""

    pid = 1

    def is_alive(self) -> bool:
        return True

    def close(self) -> None:
        pass


def pool_of(start: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> WorkerPool:
    pool = WorkerPool(None, quick=1, runs=1)
    monkeypatch.setattr(pool, "_worker", start)
    return pool


def test_a_request_without_a_process_frees_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def begin() -> None:
        failing = True

        def start() -> Idle:
            if failing:
                raise BlockingIOError("no more processes")
            return Idle()

        pool = pool_of(start, monkeypatch)
        for _ in range(3):
            with pytest.raises(OSError, match="no more"):
                pool.begin("solve", {}, Limits(1, 1))
        failing = False
        assert pool.begin("solve", {}, Limits(1, 1)).worker is not None

    asyncio.run(begin())


def test_a_query_of_a_client_that_has_left_is_not_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    async def send_query() -> None:
        pool = pool_of(lambda: pytest.fail("a process starts"), monkeypatch)

        async def has_left() -> bool:
            return True

        with pytest.raises(UnansweredError):
            await pool.query("check", {}, has_left)

    asyncio.run(send_query())


def test_an_idle_process_that_has_ended_is_replaced() -> None:
    async def send_query() -> None:
        pool = WorkerPool(None)
        pool.start_early()
        first = pool._idle[0]
        try:
            for worker in pool._all:
                os.kill(worker.pid, signal.SIGKILL)
                worker.exit_cause()
            assert (await pool.query("check", {"text": "puzzle: x"}))["mistakes"]
            run = pool.begin("solve", {}, Limits(1, 1))
            assert run.worker is not None and run.worker.is_alive()
            assert first not in pool._all
        finally:
            pool.close()

    asyncio.run(send_query())


def test_a_large_request_does_not_block_the_server_while_a_process_starts() -> None:
    async def send_query() -> float:
        pool = WorkerPool(None)
        pool.start_early()
        pauses, last = list[float](), asyncio.get_running_loop().time()
        task = asyncio.create_task(pool.query("check", {"text": "#" * 900_000}))
        try:
            while not task.done():
                await asyncio.sleep(0.005)
                now = asyncio.get_running_loop().time()
                pauses.append(now - last)
                last = now
            assert (await task)["mistakes"]
        finally:
            pool.close()
        return max(pauses)

    assert asyncio.run(send_query()) < 0.25


def test_all_engines_of_a_comparison_can_use_their_time() -> None:
    async def limit() -> float:
        server, taken = Server(None), list[Limits]()

        async def receive() -> dict[str, object]:
            body = b'{"engines": ["bfs", "sat", "asp"], "seconds": 20}'
            return {"type": "http.request", "body": body}

        scope = {"type": "http", "path_params": {"handler": "compare"}, "headers": []}

        def begin(what: str, given: object, limits: Limits) -> object:
            taken.append(limits)
            raise FewestError("enough")

        server.pool.begin = begin  # type: ignore[assignment, method-assign]
        with pytest.raises(FewestError, match="enough"):
            await server.run(Request(scope, receive))
        return taken[0].seconds

    assert asyncio.run(limit()) == 3 * (20 + ENGINE_SECONDS)


# -- files ---------------------------------------------------------------------------------------------


def test_a_name_may_contain_a_colon(folder: Path) -> None:
    (folder / "a:b.yaml").write_text("puzzle: x\n", encoding="utf-8")
    (folder / "a:b.xsb").write_text("#####\n#@$.#\n#####\n", encoding="utf-8")
    listed = [entry["ref"] for entry in library.library({}, folder, None)[0]["entries"]]
    assert listed == ["own/a:b.xsb:1", "own/a:b.yaml"]
    level, document = (opened({"ref": ref}, folder, None) for ref in listed)
    assert "model: sokoban" in level["text"] and level["digest"] is None
    assert document["text"] == "puzzle: x\n" and document["digest"] is not None
    assert payload.split_level("x.xsb:one: two") == ("x.xsb", "one: two")


def test_a_file_with_a_long_name_is_checked(folder: Path) -> None:
    name = "/".join(["d" * 100] * 3 + ["x.yaml"])
    assert 200 < len(name) < MOST_NAME
    Folder(folder).write(name, "puzzle: x\n", None)
    assert check({"text": "puzzle: x\n", "name": name}, folder, None)["mistakes"]
    with pytest.raises(UsageError):
        check({"text": "puzzle: x\n", "name": "x" * (MOST_NAME + 1)}, folder, None)


def test_a_mistake_in_a_linked_file_is_in_the_text(folder: Path) -> None:
    (folder / "real.yaml").write_text("", encoding="utf-8")
    (folder / "link.yaml").symlink_to("real.yaml")
    (found,) = check({"text": "puzzle: x\nmodl: y\n", "name": "link.yaml"}, folder, None)[
        "mistakes"
    ]
    assert found["from"] == 10
    assert str(folder) not in found["message"]


def test_a_large_folder_does_not_hide_the_puzzles_that_ship(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one.yaml", "two.xsb"):
        (folder / name).write_text("puzzle: x\ntitle: X\n", encoding="utf-8")
    names = Folder(folder).names
    assert names(time.monotonic() - 1) == []
    monkeypatch.setattr(library, "LIST_SECONDS", -1)
    monkeypatch.setattr(Folder, "names", lambda folder, until: names())
    own, *shipped = library.library({}, folder, None)
    assert [(e["ref"], e["title"]) for e in own["entries"]] == [
        ("own/one.yaml", "one.yaml"),
        ("own/two.xsb:1", "two.xsb"),
    ]
    assert shipped


def test_a_level_with_rules_of_its_own_is_not_offered_to_sokoban_programs() -> None:
    level = "puzzle: s\nmodel: sokoban\nboard: |\n  #######\n  #@ $ .#\n  #######\n"

    def is_sokoban(more: str) -> object:
        return check({"text": level + more}, None, None)["puzzle"]["is_sokoban"]

    assert is_sokoban("title: x\ndrawing: {cells: chequered}\n") is True
    assert is_sokoban("wrap: rows\n") is False
    assert is_sokoban("then: {fall: {slide: box, directions: down}}\n") is False


def test_the_boards_of_the_highest_ranks_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbench, "_MOST_PICTURES", 2)
    sent: list[int] = []
    bench = workbench._Bench({}, None, lambda kind, data: sent.append(data["rank"]))
    position = fewest.load("hanoi").start
    for rank in (1, 1, 1, 2, 5, 3, 2):
        bench.show(position, "", "", rank=rank)
    assert sent == [1, 1, 2, 5, 3]
    assert bench.num_shown == 7

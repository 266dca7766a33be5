"""Items on several Ray nodes of one machine give the answers of one process, even if nodes and processes die."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from fewest.commands.check import DocumentCheck, Effort, check_documents, documents
from fewest.commands.sweep import Member, SweepFile, family, sweep
from fewest.errors import InternalError, UsageError
from fewest.machine.processes import KilledProcess
from fewest.machine.resources import puzzle_folder
from tests.commands.sweep.test_sweep import table
from tests.helpers.command_line import run, without_seconds
from tests.helpers.effort import wait_until
from tests.machine.test_processes import work

ray = pytest.importorskip("ray", reason="the extra `cluster` is not installed")

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # Ray itself causes warnings
    pytest.mark.slow,  # starting the nodes takes about ten seconds
]


def survive(item: tuple[Path, str, int], say: Callable[[Any], None]) -> int:
    """Return twice the number. On the doomed node, the call hangs; elsewhere, it first waits until an item has begun on
    the doomed node."""
    folder, doomed, number = item
    say("unheard")
    until = time.monotonic() + 60
    if ray.get_runtime_context().get_node_id() == doomed:
        (folder / str(number)).touch()
        time.sleep(600)
    while not any(folder.iterdir()) and time.monotonic() < until:
        time.sleep(0.01)
    return 2 * number


def tarry(item: Path, say: Callable[[Any], None]) -> str:
    """Create a file, then wait for Ctrl-C."""
    until = time.monotonic() + 60
    try:
        item.touch()
        while time.monotonic() < until:
            time.sleep(0.01)
    except KeyboardInterrupt:
        return "interrupted"
    return "done"


def test_a_sweep_on_two_nodes_is_that_of_one_process(nodes: Any, tmp_path: Path) -> None:
    from fewest.cluster.connect import connected
    from fewest.cluster.tasks import on_cluster

    query = family("hanoi", {"disks": range(7), "pegs": (3, 4)})
    seen: list[Member] = []
    with connected(nodes.address), SweepFile(tmp_path / "hanoi.jsonl") as file:
        done = sweep(query, parallel_map=on_cluster, file=file, on_member=seen.append)
    assert table(done) == table(sweep(query)) and seen == list(done.members)
    with SweepFile(tmp_path / "hanoi.jsonl") as file:
        assert sweep(query, file=file).members == done.members


def test_a_sweep_continues_after_a_node_has_ended(nodes: Any) -> None:
    from fewest.cluster.connect import connected
    from fewest.cluster.tasks import on_cluster

    query = family("hanoi", {"disks": range(12), "pegs": (3, 4)})
    gone = nodes.add_node(num_cpus=2, node_ip_address="127.0.0.1")

    def remove(_: Member) -> None:
        nonlocal gone
        if gone is not None:
            nodes.remove_node(gone, allow_graceful=False)
            gone = None

    with connected(nodes.address):
        done = sweep(query, parallel_map=on_cluster, on_member=remove)
    assert gone is None and table(done) == table(sweep(query))


def test_other_nodes_answer_the_items_of_a_dead_node(nodes: Any, tmp_path: Path) -> None:
    from fewest.cluster.connect import connected
    from fewest.cluster.tasks import on_cluster

    gone = nodes.add_node(num_cpus=2, node_ip_address="127.0.0.1")

    def remove() -> None:
        wait_until(lambda: any(tmp_path.iterdir()), 60)
        nodes.remove_node(gone, allow_graceful=False)

    remover = threading.Thread(target=remove)
    with connected(nodes.address):
        remover.start()
        items = [(tmp_path, gone.node_id, number) for number in range(12)]
        answers = dict(on_cluster(survive, items))
    remover.join()
    assert any(tmp_path.iterdir()), "it had none"
    assert answers == {number: 2 * number for number in range(12)}


def test_an_item_that_kills_its_process_costs_no_other(nodes: Any) -> None:
    from fewest.cluster.connect import connected
    from fewest.cluster.tasks import on_cluster

    with connected(nodes.address):
        answers = dict(on_cluster(work, [1, 2, 13, 4, 5], jobs=2))
        for item, error in ((-1, UsageError), (-2, InternalError)):
            with pytest.raises(error):
                list(on_cluster(work, [1, item]))
    assert isinstance(answers.pop(2), KilledProcess)
    assert answers == {0: 2, 1: 4, 3: 8, 4: 10}


def test_ctrl_c_leaves_the_proved_bound(nodes: Any, tmp_path: Path) -> None:
    from fewest.cluster.connect import connected
    from fewest.cluster.tasks import on_cluster

    def interrupt() -> None:
        wait_until(lambda: len(list(tmp_path.iterdir())) == 2, 60)
        os.kill(os.getpid(), signal.SIGINT)

    answers: dict[int, str] = {}
    interrupter = threading.Thread(target=interrupt)
    with connected(nodes.address), pytest.raises(KeyboardInterrupt):
        interrupter.start()
        for index, answer in on_cluster(tarry, [tmp_path / str(n) for n in range(4)], jobs=2):
            answers[index] = answer
    interrupter.join()
    assert answers == {0: "interrupted", 1: "interrupted"}


def test_a_folder_is_checked_by_a_cluster(nodes: Any) -> None:
    from fewest.cluster.connect import connected
    from fewest.cluster.tasks import on_cluster

    def bare(found: Iterable[DocumentCheck]) -> list[object]:
        return [
            (c.path, c.verdict, [(r.key, r.engine, r.expected, r.found) for r in c.rows])
            for c in found
        ]

    paths = [p for p in documents(puzzle_folder()) if p.name.startswith(("ha", "he", "ju"))]
    assert len(paths) > 3
    effort = Effort(seconds=60, memory=1 << 30)
    with connected(nodes.address):
        found = bare(check_documents(paths, effort, on_cluster))
    assert found == bare(check_documents(paths, effort))


def test_a_suite_runs_on_a_cluster_and_resumes_on_this_machine(
    nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the nodes were started elsewhere
    (tmp_path / "mine.yaml").write_text("puzzle: mine\nmodel: rush-hour\nboard: XX.\n")
    suite = Path("small.yaml")
    suite.write_text(
        "engines: [bfs, sat]\ntime: 60\nmemory: 2147483648\ncertify: [bfs]\n"
        "puzzles: [jugs, {puzzle: hanoi, parameters: {disks: 1..3}}, mine.yaml]\n"
    )
    folder = tmp_path / "report"
    words = ("compare", "--suite", str(suite), "-o", str(folder), "--quiet")
    done = run(*words, "--cluster", nodes.address)
    assert done.returncode == 0, done.stderr
    found = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert [one["minimum"] for one in found["comparisons"]] == [6, 1, 3, 7, 1]
    entries = [entry for one in found["comparisons"] for entry in one["entries"]]
    assert all(e["cpu"] is not None and e["memory"] > 1 << 20 for e in entries)
    assert all((e["certified"] is not None) == (e["engine"] == "bfs") for e in entries)
    size = (folder / "runs.jsonl").stat().st_size
    again = run("resume", str(folder), "--quiet", "--cluster", nodes.address)
    assert again.returncode == 0 and (folder / "runs.jsonl").stat().st_size == size
    assert run("resume", str(folder), "--quiet").stdout == again.stdout


def test_the_commands_hand_their_tasks_to_a_cluster(
    nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the nodes were started elsewhere
    (tmp_path / "two.rush").write_text(
        "IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM\nooooooooooooooAAoooooooooooooooooooo\n"
    )
    (tmp_path / "mine.yaml").write_text(
        "puzzle: mine\nmodel: rush-hour\nboard: XX.\nexpect: {steps: 1}\n"
    )
    on = ("--cluster", nodes.address)
    for words in (
        ("solve", "two.rush", "-m", "slides", "--threads", "2"),
        ("sweep", "hanoi", "disks=1..5", "--csv"),
        ("check", "mine.yaml", "--verbose"),
    ):
        here, there = run(*words, "--quiet"), run(*words, *on, "--quiet")
        assert (there.returncode, there.stderr) == (here.returncode, here.stderr) == (0, "")
        assert without_seconds(there.stdout) == without_seconds(here.stdout) != ""

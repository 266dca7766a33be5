"""Other processes or machines compute items; sweeps and checks accept the results in any order."""

from __future__ import annotations

import pickle
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

from fewest.commands.check import Effort, check_documents
from fewest.commands.sweep import Member, SweepFile, family, sweep
from fewest.machine.processes import Function, KilledProcess, Report

DOOMED = 2  # the index of the item whose process is killed
EFFORT = Effort(seconds=60)


def from_the_last(
    function: Function, items: Sequence[Any], report: Report | None
) -> Generator[tuple[int, Any], None, None]:
    """Return results as distant machines do: pickled, and the last item first. One of the processes is killed."""
    function = pickle.loads(pickle.dumps(function))
    for index in reversed(range(len(items))):
        if index == DOOMED:
            yield index, KilledProcess(1.5)
        else:
            yield index, pickle.loads(pickle.dumps(function(items[index], lambda progress: None)))


def interrupted_after_two(
    function: Function, items: Sequence[Any], report: Report | None
) -> Generator[tuple[int, Any], None, None]:
    """Returns two results, and then raises the exception of Ctrl-C."""
    for index in (1, 0):
        yield index, function(items[index], lambda progress: None)
    raise KeyboardInterrupt


def test_a_sweep_by_helpers_is_in_order_and_lacks_killed_members(tmp_path: Path) -> None:
    query = family("hanoi", {"disks": range(1, 7)})
    seen: list[Member] = []
    with SweepFile(tmp_path / "hanoi.jsonl") as file:
        done = sweep(query, parallel_map=from_the_last, file=file, on_member=seen.append)
    assert seen == list(done.members)
    assert [m.cost for m in done.members] == [1, 3, None, 15, 31, 63]
    killed = done.members[DOOMED]
    assert (killed.status, killed.reason, killed.seconds) == ("limit", "killed", 1.5)
    assert killed.parameters == query.members[DOOMED]
    with SweepFile(tmp_path / "hanoi.jsonl") as file:
        assert len(file.records) == 5  # so the next call solves the missing member
        assert [m.cost for m in sweep(query, file=file).members] == [1, 3, 7, 15, 31, 63]


def test_interrupted_helpers_leave_the_known_results() -> None:
    query = family("hanoi", {"disks": range(1, 7)})
    done = sweep(query, parallel_map=interrupted_after_two)
    assert done.is_interrupted and [m.cost for m in done.members] == [1, 3]


def test_a_check_by_helpers_is_in_order_and_reports_killed_processes(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.yaml" for number in range(4)]
    for number, path in enumerate(paths):
        path.write_text(
            f"puzzle: p{number}\nmodel: rush-hour\nboard: XX{'.' * number}\n"
            f"expect: {{steps: {number}}}\n"
        )
    checks = list(check_documents(paths, EFFORT, from_the_last))
    assert [check.path for check in checks] == [str(path) for path in paths]
    assert [check.verdict for check in checks] == ["ok", "ok", "invalid", "ok"]
    assert checks[DOOMED].errors == f"{paths[DOOMED]}: the system ended its process"

"""A search of all boards stops at limits, continues from its checkpoint, and writes its boards."""

from __future__ import annotations

import errno
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from fewest.commands.generate import checkpoint, exhaustive, generate
from fewest.commands.generate.documents import records_of
from fewest.commands.generate.text import heading
from fewest.errors import UsageError
from fewest.model.answer import Limits
from fewest.reading.board_spec import load_board_spec
from tests.commands.generate.spec_cases import jams, timeless
from tests.helpers.command_line import run


def test_a_limit_is_a_result() -> None:
    spec = load_board_spec("spec.yaml", text=jams(4, 1))
    found = generate(spec, (), Limits(seconds=0))
    assert (found.reason, found.exit_code, found.metrics) == ("time", 4, ())


@pytest.mark.parametrize("stop_at", [2, 3])
def test_a_limit_keeps_the_results_for_few_pieces(
    stop_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = load_board_spec("spec.yaml", text=jams(4, 1))
    complete = generate(spec, ["slides"])
    real, calls = exhaustive.board_graph, 0

    def interrupted(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > stop_at:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(exhaustive, "board_graph", interrupted)
    found = generate(spec, ["slides"])
    assert (found.reason, found.num_pieces, complete.num_pieces) == ("interrupted", stop_at, 8)
    few = [row for row in complete.metrics[0].hardest if sum(row.pieces.values()) <= stop_at]
    assert [(row.pieces, row.minimum) for row in found.metrics[0].hardest] == [
        (row.pieces, row.minimum) for row in few
    ]
    assert found.metrics[0].minimum == max(row.minimum for row in few)
    assert 0 < found.num_boards < complete.num_boards
    assert f"no board with up to {stop_at} pieces needs more than" in heading(found)
    of = f"the record of all {found.num_boards} boards of jams with up to {stop_at} pieces, fewest"
    assert all(one.source.startswith(of) for one in records_of(found))
    assert all(" boards of jams, fewest " in one.source for one in records_of(complete))
    unsolved = replace(found, metrics=(replace(found.metrics[0], minimum=None, record=None),))
    assert f"no board with up to {stop_at} pieces can be solved (proven)" in heading(unsolved)


def test_a_second_search_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, file = load_board_spec("spec.yaml", text=jams(4, 1)), tmp_path / "jams.json"
    complete = generate(spec, ["slides", "steps"])
    real, calls = exhaustive.board_graph, 0

    def interrupted(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls % 4 == 0:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(exhaustive, "board_graph", interrupted)
    pieces = []
    found = None
    while found is None or found.reason is not None:
        found = generate(spec, ["slides", "steps"], checkpoint=file)
        pieces.append(found.num_pieces)
    assert pieces == [3, 5, 7, 8]
    assert timeless(found) == timeless(complete)
    calls = 0
    assert timeless(generate(spec, ["slides", "steps"], checkpoint=file)) == timeless(complete)
    assert calls == 1
    with pytest.raises(UsageError, match="belongs to another spec, other metrics"):
        generate(spec, ["slides"], checkpoint=file)
    other = load_board_spec("spec.yaml", text=jams(4, 2))
    with pytest.raises(UsageError, match="belongs to another spec"):
        generate(other, ["slides", "steps"], checkpoint=file)
    file.write_text("{")
    with pytest.raises(UsageError, match="not a checkpoint of an exhaustive search"):
        generate(spec, ["slides", "steps"], checkpoint=file)


def test_a_full_disk_keeps_the_proved_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = checkpoint.write_whole

    def write(path: Path, parts: list[bytes]) -> int:
        if b'"pieces":4' in parts[0][:120]:
            raise OSError(errno.ENOSPC, "no space left on device", str(path))
        return real(path, parts)

    monkeypatch.setattr(checkpoint, "write_whole", write)
    spec, file = load_board_spec("spec.yaml", text=jams(4, 1)), tmp_path / "jams.json"
    found = generate(spec, checkpoint=file)
    assert (found.reason, found.num_pieces) == ("disk", 4)
    assert found.metrics[0].record is not None
    monkeypatch.undo()
    assert timeless(generate(spec, checkpoint=file)) == timeless(generate(spec))


def test_the_command_writes_boards_that_are_checked(tmp_path: Path) -> None:
    spec = tmp_path / "jams.yaml"
    spec.write_text(jams(4, 1))
    done = run("generate", str(spec), "--exhaustive", "-m", "slides", "-o", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert "the hardest boards need 7 slides" in done.stdout
    assert run("check", str(tmp_path / "out")).returncode == 0
    assert len(list((tmp_path / "out").glob("*.yaml"))) == 3
    assert (tmp_path / "out" / "boards.svg").exists()
    assert (tmp_path / "out" / "boards.png").exists() == (find_spec("resvg_py") is not None)
    data = json.loads(run("generate", str(spec), "--exhaustive", "--json").stdout)
    assert (data["boards"], data["metrics"][0]["record"]) == (880, 10)
    table = run("generate", str(spec), "--exhaustive", "--csv").stdout.splitlines()
    assert table[0] == "metric,pieces,minimum,positions,board"
    assert len(table) == 1 + len(data["metrics"][0]["hardest"])

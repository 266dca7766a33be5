"""What SAT and ASP have proved is kept horizon by horizon, and gone on with by whoever asks the same."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import fewest
from fewest import search
from fewest.model.answer import Horizon
from fewest.questions.resume import resume
from fewest.store import checkpoint as checkpoints
from fewest.store.place import StoreError
from tests.helpers.command_line import run

ENGINES = ("sat", "asp")
FEWEST = 7  # wolf-goat-cabbage


def stopped_behind(horizon: int, folder: Path, **options: Any) -> None:
    """Ask, and stop as Ctrl-C does when that horizon is answered."""

    def look(said: Any) -> None:
        assert isinstance(said, Horizon)
        if said.horizon == horizon:
            raise KeyboardInterrupt

    puzzle = fewest.load("wolf-goat-cabbage")
    stopped = puzzle.solve(checkpoint=str(folder), progress=look, **options)
    assert stopped.reason == "interrupted"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("horizon", [1, 4, FEWEST])
def test_what_is_proved_is_not_asked_again(engine: str, horizon: int, tmp_path: Path) -> None:
    stopped_behind(horizon, tmp_path / "kept", engine=engine)
    again = resume(tmp_path / "kept").result
    assert again is not None
    assert (again.status, again.cost, again.engine) == ("optimal", FEWEST, engine)
    # The horizon in progress is lost.
    assert again.statistics.get("resumed_behind", 0) == horizon - 1
    assert [said.horizon for said in again.statistics["horizons"]] == [*range(horizon, FEWEST + 1)]
    answered = resume(tmp_path / "kept").result  # and the answer stays
    assert answered is not None and answered.cost == FEWEST and answered.plan is not None
    assert answered.statistics["horizons"] == []


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_killed_goes_on_to_the_same_answer(engine: str, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    begin = ["solve", "tiles-2x3", "--engine", engine, "--checkpoint", str(folder)]
    known = 0
    for moment in range(20):
        asked = ["resume", str(folder)] if checkpoints.is_checkpoint(folder) else begin
        process = subprocess.Popen(
            [sys.executable, "-m", "fewest", *asked], stdout=subprocess.DEVNULL
        )
        time.sleep(0.4 + 0.05 * moment)
        process.kill()
        process.wait()
        if checkpoints.is_checkpoint(folder):
            proved = checkpoints.read_checkpoint(folder).proved
            assert proved.refuted >= known
            known = proved.refuted
    done = run("resume", str(folder), "--json")
    expected = fewest.load("tiles-2x3").solve(engine="bfs")
    assert json.loads(done.stdout)["cost"] == expected.cost


def test_a_checkpoint_of_something_else_is_refused_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    stopped_behind(2, folder, engine="sat")
    with pytest.raises(StoreError, match="is of wolf-goat-cabbage, not of hanoi"):
        fewest.load("hanoi").solve(engine="sat", checkpoint=str(folder))
    with pytest.raises(StoreError, match="another version of machinarium-arrows"):
        other = tmp_path / "other"
        fewest.load("machinarium-arrows", {"n": 2}).solve(engine="sat", checkpoint=str(other))
        fewest.load("machinarium-arrows", {"n": 3}).solve(engine="sat", checkpoint=str(other))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("dear")
    with pytest.raises(StoreError, match="is there already, and no checkpoint"):
        fewest.load("hanoi").solve(engine="sat", checkpoint=str(tmp_path / "full"))
    file = folder / checkpoints.NAME
    file.write_bytes(file.read_bytes().replace(b'"refuted":1', b'"refuted":9'))
    with pytest.raises(StoreError, match="its checksum is wrong"):
        resume(folder)


def test_the_command_says_how_it_is_gone_on_with(tmp_path: Path) -> None:
    folder = str(tmp_path / "kept")
    asked = ["solve", "wolf-goat-cabbage", "--engine", "sat", "--checkpoint", folder]
    done = run(*asked, "--to", "3")
    assert done.returncode == 4 and f"`fewest resume {folder}` goes on" in done.stderr
    assert run("resume", folder).returncode == 4  # the same question: no horizon above 3
    assert run(*asked).returncode == 0
    assert run("solve", "hanoi", "--checkpoint", folder, "--store", "hash").returncode == 2


@pytest.mark.skipif(not search.NATIVE, reason="stores need the native core")
def test_searches_in_layers_keep_a_store(tmp_path: Path) -> None:
    folder = str(tmp_path / "kept")
    assert run("explore", "hanoi", "--checkpoint", folder).returncode == 0
    assert run("resume", folder).returncode == 0
    assert run("solve", "hanoi", "--engine", "bfs", "--checkpoint", folder).returncode == 0

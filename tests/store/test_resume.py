"""After a kill, an interruption or a full disk, a search resumes to the same answer; stores of other searches are
refused."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import pytest

import fewest
from fewest import search
from fewest.commands.api import CompiledPuzzle
from fewest.commands.resume import resume
from fewest.errors import UsageError
from fewest.store import metadata as records
from fewest.store.error_translation import StoreError
from tests.helpers import preloaded
from tests.helpers.command_line import run
from tests.helpers.preloaded import Fork

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="stores need the native core")

# Every layer is saved as soon as it is finished, so a kill at any moment interrupts unsaved work.
PROGRAM = """
import resource, sys
from fewest.store import driver
driver.SAVE_EVERY = driver.KEEPING_TIMES = 0
if size := int(sys.argv.pop(1)):
    sys.dont_write_bytecode = True  # the limit would cut it off, and Python would keep that
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
from fewest.cli import main
main()
"""


def started(*arguments: str, file_size: int = 0) -> Fork:
    without_audit = os.environ | {"FEWEST_AUDIT": "off"}
    return preloaded.started(PROGRAM, str(file_size), *arguments, env=without_audit)


def answered(*arguments: str, code: int = 0, file_size: int = 0) -> dict[str, Any]:
    process = started(*arguments, "--json", file_size=file_size)
    out, err = process.communicate(timeout=300)
    assert process.returncode == code, (out, err)
    found: dict[str, Any] = json.loads(out)
    return found


def without_times(found: dict[str, Any]) -> dict[str, Any]:
    counts = {
        name: value
        for name, value in found.items()
        if name not in ("seconds", "statistics", "audit")
    }
    if counts.get("store"):
        counts["store"] = counts["store"]["bytes"]  # the names of the folders differ
    shown = found.get("statistics", {})
    return counts | {
        name: shown.get(name) for name in ("states", "expanded", "generated", "layers")
    }


@pytest.mark.parametrize(
    "call",
    [
        ["explore", "tiles-2x4"],
        ["solve", "tiles-2x4"],
        # the search tests membership in all layers
        ["explore", "triangle-15", "--metric", "turns"],
        ["explore", "triangle-15", "--metric", "jumps", "--symmetry", "on"],
    ],
    ids=" ".join,
)
def test_a_search_killed_at_any_moment_continues_to_the_same_answer(
    call: list[str], tmp_path: Path
) -> None:
    check_killed_search(call, 3, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    [
        ["explore", "tiles-2x5"],
        ["solve", "tiles-2x5"],
        ["explore", "pyramid", "--metric", "turns"],
        ["explore", "heng-dao-li-ma", "--metric", "turns", "--symmetry", "on"],
    ],
    ids=" ".join,
)
def test_a_larger_search_killed_at_any_moment_continues_to_the_same_answer(
    call: list[str], tmp_path: Path
) -> None:
    check_killed_search(call, 20, tmp_path)


def check_killed_search(call: list[str], moments: int, tmp_path: Path) -> None:
    began = time.perf_counter()
    expected = without_times(answered(*call, "--store", f"disk:{tmp_path / 'whole'}"))
    seconds = time.perf_counter() - began
    store, chance = tmp_path / "killed", random.Random(4)
    layers = [0]
    for number in range(moments):
        again = ["resume", str(store)] if records.is_store(store) else None
        process = started(*(again or [*call, "--store", f"disk:{store}"]), "--json")
        time.sleep(seconds * (0.2 + 0.8 * chance.random()) / (1 + number % 2))
        process.kill()
        process.communicate()
        if records.is_store(store):
            layers.append(len(records.read_record(store).layers))
    assert layers == sorted(layers)  # saved layers stay
    again = (
        ["resume", str(store)] if records.is_store(store) else [*call, "--store", f"disk:{store}"]
    )
    assert without_times(answered(*again)) == expected


def test_ctrl_c_keeps_finished_layers(tmp_path: Path) -> None:
    store = tmp_path / "store"
    process = started("explore", "tiles-2x6", "--store", f"disk:{store}", "--json")
    while not records.is_store(store) or len(records.read_record(store).layers) < 12:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    found = json.loads(out)
    assert (process.returncode, found["reason"], found["exhausted"]) == (4, "interrupted", False)
    layers = records.read_record(store).layers
    assert [count for _, count in found["layers"]] == [layer.states for layer in layers]
    assert f"fewest resume {store}" in err.decode()


def test_a_full_disk_is_a_limit_and_the_search_can_be_resumed(tmp_path: Path) -> None:
    store = tmp_path / "store"
    call = ["explore", "tiles-2x4", "--threads", "1", "--store", f"disk:{store}"]
    stopped = answered(*call, code=4, file_size=5_000)
    assert stopped["reason"] == "disk" and len(stopped["layers"]) > 5
    found = answered("resume", str(store))
    assert (found["states"], found["reason"]) == (20_160, None)
    assert found["layers"][: len(stopped["layers"])] == stopped["layers"]


def test_a_search_continues_after_a_time_limit(tmp_path: Path) -> None:
    compiled, folder = fewest.load("tiles-2x4"), tmp_path / "store"
    assert compiled.task.operators  # compile now, so that the limit stops the search
    first = compiled.explore(store=f"disk:{folder}", seconds=0.005)
    assert first.reason == "time"
    found = resume(folder).exploration
    assert found is not None and found.num_states == 20_160


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("explore", {"checkpoint": "", "store": "index"}),
        ("explore", {"checkpoint": ""}),
        ("explore", {"store": "disk:"}),
        ("solve", {"checkpoint": "", "engine": "bfs", "store": "index"}),
        ("solve", {"checkpoint": "", "engine": "bfs"}),
        ("solve", {"checkpoint": "", "engine": "astar"}),
        ("solve", {"store": "disk:", "engine": "bfs"}),
    ],
)
def test_resume_uses_the_threads_that_it_is_given(
    kind: str, options: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("checkpoint", "store"):
        if options.get(name) in ("", "disk:"):
            options = options | {name: f"{options[name]}{tmp_path / 'saved'}"}
    getattr(fewest.load("tiles-2x3"), kind)(threads=2, **options)
    used: list[Any] = []
    original = getattr(CompiledPuzzle, kind)

    def recorded(*arguments: Any, **options: Any) -> Any:
        used.append(options.get("threads"))
        return original(*arguments, **options)

    monkeypatch.setattr(CompiledPuzzle, kind, recorded)
    for threads in (None, 1):
        found = resume(tmp_path / "saved", threads=threads)
        assert found.exploration or found.result
    # without `threads`, the query of a checkpoint determines them; a store does not record them
    assert used == [2 if "checkpoint" in options else None, 1]


def test_resume_refuses_threads_for_an_engine_without_threads(tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    fewest.load("wolf-goat-cabbage").solve(engine="sat", checkpoint=str(folder))
    assert resume(folder).result is not None
    with pytest.raises(UsageError, match="threads"):
        resume(folder, threads=1)


def test_a_store_may_be_moved(tmp_path: Path) -> None:
    fewest.load("tiles-2x4").explore(store=f"disk:{tmp_path / 'here'}", depth=5)
    shutil.move(tmp_path / "here", tmp_path / "there")
    found = resume(tmp_path / "there").exploration
    assert found is not None and found.is_to_depth and len(found.layers) == 6


def test_a_store_contains_the_text_of_its_puzzle(tmp_path: Path) -> None:
    text = (
        "puzzle: mine\nmodel: tiles\nboard: |\n  321\n  54_\ngoal:\n  board: |\n    123\n    45_\n"
    )
    own = fewest.load("mine.yaml", text=text)
    expected = own.solve(store=f"disk:{tmp_path / 'store'}")
    found = resume(tmp_path / "store").result
    assert found is not None and (found.puzzle, found.cost) == ("mine", expected.cost)
    assert found.plan is not None and expected.plan is not None
    assert found.plan.text() == expected.plan.text()


# -- refused requests ----------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path: Path) -> Path:
    fewest.load("tiles-2x4").explore(store=f"disk:{tmp_path / 'store'}", depth=8)
    return tmp_path / "store"


def test_another_puzzle_is_refused_by_name(store: Path) -> None:
    with pytest.raises(StoreError, match="belongs to tiles-2x4, not to tiles-2x3"):
        fewest.load("tiles-2x3").solve(store=f"disk:{store}")


def test_another_start_is_refused(store: Path) -> None:
    other = fewest.load("tiles-2x4").at("1234\n567_")
    with pytest.raises(StoreError, match="another version of tiles-2x4"):
        other.explore(store=f"disk:{store}")


def test_another_metric_is_refused_by_name(tmp_path: Path) -> None:
    compiled, store = fewest.load("heng-dao-li-ma"), f"disk:{tmp_path / 'store'}"
    compiled.explore("turns", store=store, depth=3)
    with pytest.raises(StoreError, match="belongs to the metric `turns`, not to `steps`"):
        compiled.explore("steps", store=store, depth=3)
    with pytest.raises(StoreError, match="uses symmetry"):
        compiled.explore("turns", store=store, depth=3, symmetry="on")


def test_another_version_is_refused_by_name(store: Path) -> None:
    text = (store / "store.json").read_bytes().splitlines()[0]
    text = text.replace(b'"format":1', b'"format":99').replace(b"fewest 0.1.0", b"fewest 9.9")
    check = records._digest([text]).encode()
    (store / "store.json").write_bytes(text + b"\n" + check + b"\n")
    with pytest.raises(StoreError, match=r"was made by fewest 9\.9"):
        resume(store)


@pytest.mark.parametrize("place", [0.0, 0.3, 0.6, 0.97])
def test_a_damaged_layer_is_refused_by_name(store: Path, place: float) -> None:
    layer = store / "layer-000008"
    raw = bytearray(layer.read_bytes())
    raw[int(place * len(raw))] ^= 4
    layer.write_bytes(raw)
    with pytest.raises(StoreError, match=r"damaged: .*layer-000008"):
        fewest.load("tiles-2x4").explore(store=f"disk:{store}")


def test_a_layer_cut_short_is_refused_by_name(store: Path) -> None:
    layer = store / "layer-000008"
    os.truncate(layer, layer.stat().st_size - 7)
    with pytest.raises(StoreError, match=r"damaged: .*layer-000008"):
        fewest.load("tiles-2x4").explore(store=f"disk:{store}")


def test_a_missing_layer_is_named(store: Path) -> None:
    (store / "layer-000007").unlink()
    with pytest.raises(StoreError, match="layer-000007: No such file"):
        fewest.load("tiles-2x4").explore(store=f"disk:{store}")


def test_a_damaged_record_is_refused(store: Path) -> None:
    raw = (store / "store.json").read_bytes()
    (store / "store.json").write_bytes(raw.replace(b'"num_shards":128', b'"num_shards":129'))
    with pytest.raises(StoreError, match=r"store\.json is damaged"):
        resume(store)


def test_a_folder_that_vanishes_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "store"

    def remove(_: object) -> None:
        shutil.rmtree(folder, ignore_errors=True)

    with pytest.raises(StoreError, match=r"cannot be used: .*store"):
        fewest.load("tiles-2x6").explore(store=f"disk:{folder}", progress=remove)


def test_folders_without_a_store_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no search has saved anything there"):
        resume(tmp_path)


def test_a_store_that_another_process_uses_is_refused(store: Path) -> None:
    from fewest.machine.locking import locked

    with locked(store / "lock"), pytest.raises(StoreError, match="another process"):
        resume(store)


def test_a_search_that_is_killed_before_its_first_layer_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class KilledError(Exception):
        pass

    def killed(self: object, **_: object) -> None:
        raise KilledError

    folder = tmp_path / "early.store"
    compiled = fewest.load("tiles-2x3")
    with monkeypatch.context() as patch, pytest.raises(KilledError):
        patch.setattr("fewest.store.driver.Driver.run", killed)
        compiled.explore(store=f"disk:{folder}")
    found = resume(folder).exploration
    assert found is not None
    assert (found.num_states, found.is_exhausted) == (compiled.explore().num_states, True)


def test_a_folder_without_a_record_names_the_command_to_start_again(tmp_path: Path) -> None:
    for left, message in (
        ((), "no search has saved anything"),
        (("lock",), "was stopped before it saved"),
    ):
        for name in left:
            (tmp_path / name).touch()
        with pytest.raises(StoreError, match=message) as caught:
            resume(tmp_path)
        assert "run the same search command again" in str(caught.value)
    compiled = fewest.load("tiles-2x3")
    assert compiled.explore(store=f"disk:{tmp_path}").is_exhausted


# Repeats the command with the folder `{argv[1]}/N/folder` for N = 0, 1, …; each time, the command kills itself just
# before change N of a file near its folder. Ends when the command has left a folder, or has not been killed.
KILLED_EARLY = """
import os, signal, sys
from itertools import count
from fewest.cli import main

def look(event, given):
    global left
    writes = event == "open" and isinstance(given[2], int) and given[2] & os.O_ACCMODE
    is_near = any(str(path).startswith(os.path.dirname(folder)) for path in given)
    if is_near and (writes or event in ("os.mkdir", "os.rename", "os.link", "os.remove")):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

for left in count():
    folder = f"{sys.argv[1]}/{left}/folder"
    os.mkdir(os.path.dirname(folder))
    child = os.fork()
    if child == 0:
        sys.addaudithook(look)
        sys.argv = ["fewest", *sys.argv[2:], folder]
        main()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status != -signal.SIGKILL:
        sys.exit(f"ended with code {status}")
    if os.path.exists(folder):
        break
print(folder)
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["explore", "tiles-2x3", "--checkpoint"],
        ["solve", "wolf-goat-cabbage", "--engine", "sat", "--checkpoint"],
        ["sweep", "hanoi", "disks=1..2", "--checkpoint"],
        ["compare", "wolf-goat-cabbage", "--engines", "bfs", "--checkpoint"],
    ],
    ids=["store", "checkpoint", "sweep", "comparison"],
)
def test_the_first_folder_that_a_killed_command_leaves_is_resumed(
    arguments: list[str], tmp_path: Path
) -> None:
    done = preloaded.finished(KILLED_EARLY, str(tmp_path), *arguments)
    assert done.returncode == 0, done.stderr
    folder = Path(done.stdout.splitlines()[-1])
    assert int(folder.parent.name) > 2, "the folder exists before there is a record"
    again = run("resume", str(folder))
    assert again.returncode == 0, again.stderr

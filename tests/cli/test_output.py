"""Commands write their output to stdout, devices, links and pipes, and report closed and full files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fewest.commands import explanation
from tests.helpers.command_line import run

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX files and shells")
FEWEST = f"{sys.executable} -m fewest"


def shell(command: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a command line that contains `fewest` in bash."""
    text = command.replace("fewest ", f"{FEWEST} ")
    env = {**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(["bash", "-c", text], capture_output=True, cwd=cwd, timeout=120, env=env)


@pytest.mark.parametrize(
    ("command", "beginning"),
    [
        ("convert microban.xsb --level 1 --to slc -o -", b"<?xml"),
        ("draw bird -o -", b"<svg"),
        ("export bird --to asp -o -", b"%"),
        ("oracle build bird -o -", b"\x93fewest"),
        ("prove bird -o -", b""),
        ("explore bird --write-hardest -", b"puzzle:"),
    ],
)
def test_a_dash_is_stdout_and_has_the_file_alone(
    command: str, beginning: bytes, tmp_path: Path
) -> None:
    done = shell(f"fewest {command}", tmp_path)
    assert done.returncode == 0, done.stderr
    name = tmp_path / "file"
    other = run(*command.removesuffix("-").split(), str(name.with_suffix(".svg")))
    if "slc" not in command:
        assert other.returncode == 0, other.stderr
        assert done.stdout == name.with_suffix(".svg").read_bytes()
    assert done.stdout.startswith(beginning) and len(done.stdout) > 50
    assert list(tmp_path.glob("-*")) == []


@pytest.mark.parametrize(
    "command", ["oracle build bird -o -", "prove bird -o -", "explore bird --write-hardest -"]
)
def test_a_file_and_json_do_not_both_go_to_stdout(command: str) -> None:
    done = run(*command.split(), "--json")
    assert done.returncode == 2 and "stdout" in json.loads(done.stdout)["error"]["message"]


def test_dev_stdout_goes_where_stdout_goes(tmp_path: Path) -> None:
    done = shell("fewest draw bird -o /dev/stdout > all; tail -n 1 all", tmp_path)
    assert b"</svg>" in done.stdout
    appended = shell(
        "echo first > all; fewest draw bird -o /dev/stdout >> all; head -1 all", tmp_path
    )
    assert appended.stdout == b"first\n"


def test_a_process_that_reads_gets_the_file(tmp_path: Path) -> None:
    done = shell(
        "fewest convert microban.xsb --level 1 --to xsb -o >(cat > got); sleep 0.2", tmp_path
    )
    assert done.returncode == 0 and b"#" in (tmp_path / "got").read_bytes()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_device_has_the_exit_code_of_output(tmp_path: Path) -> None:
    done = shell("fewest draw bird -o /dev/full", tmp_path)
    assert done.returncode == 74 and b"/dev/full: No space left" in done.stderr


@pytest.mark.parametrize(
    ("where", "code"), [(">&-", 74), ("2>&-", 0), ("2>/dev/full", 0), (">&- 2>&-", 74), ("<&-", 0)]
)
@pytest.mark.parametrize("command", ["solve bird", "--version", "solve jugs -e sat"])
def test_closed_and_full_descriptors_have_their_exit_codes(
    command: str, where: str, code: int, tmp_path: Path
) -> None:
    done = shell(f"fewest {command} {where}", tmp_path)
    assert done.returncode == code
    assert b"Traceback" not in done.stderr and b"Exception" not in done.stderr
    assert (b"stdout is closed" in done.stderr) == (where == ">&-")
    assert bool(done.stdout) == (code == 0)


@pytest.mark.parametrize("where", ["", ">&-", "2>&-", "2>/dev/full"])
def test_errors_have_their_exit_codes_whatever_is_closed(where: str, tmp_path: Path) -> None:
    assert shell(f"fewest solve nobody {where}", tmp_path).returncode == 3
    assert shell(f"fewest frobnicate {where}", tmp_path).returncode == 2


def test_a_file_never_becomes_stdout_when_that_is_closed(tmp_path: Path) -> None:
    done = shell("fewest explore bird --write-hardest hard.yaml >&-", tmp_path)
    assert done.returncode == 74
    text = (tmp_path / "hard.yaml").read_text() if (tmp_path / "hard.yaml").exists() else "puzzle:"
    assert text.startswith("puzzle:") and "positions" not in text.splitlines()[0]


@pytest.mark.skipif(sys.platform != "linux", reason="ulimit -v")
@pytest.mark.parametrize("engine", ["sat", "python", "bfs", "asp"])
def test_below_a_lower_ulimit_an_answer_is_found_or_the_limit_named(
    engine: str, tmp_path: Path
) -> None:
    done = shell(f"ulimit -v 1500000; fewest solve jugs -e {engine}", tmp_path)
    assert done.returncode == 0, done.stderr
    assert b"6 moves" in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="ulimit -v")
def test_a_ulimit_that_is_reached_is_named(tmp_path: Path) -> None:
    done = shell("ulimit -v 260000; fewest solve tiles-3x4 -e bfs --threads 1", tmp_path)
    assert done.returncode == 4, done.stderr
    assert b"memory limit; no plan found" in done.stdout
    assert b"ulimit -v" in done.stderr and b"Traceback" not in done.stderr


def test_an_answer_without_an_argument_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = run("solve", "tiles-2x3-swapped").stdout.splitlines()
    assert lines[1].startswith("why: ") and "even or odd" in lines[1]
    monkeypatch.setattr(explanation, "why_unsolvable", lambda *_: "")
    lines = run("solve", "tiles-2x3-swapped").stdout.splitlines()
    assert lines[1] == "why: no short argument was found; the search is the proof"
